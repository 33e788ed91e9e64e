/* The arm that mes chooses is that of its plain form, which works out the information of every arm
 * and draw; so is the random number that comes next. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "draws.h"
#include "linalg.h"
#include "normal.h"
#include "problem.h"
#include "tie.h"

static double information(double mean, double sd, double log_rho2, double most) {
  const double gamma = fmax((most - mean) / sd, -8);
  const double log_ratio = normal_log_density(gamma) - normal_log_cdf(gamma);
  const double x = fmin(log_rho2 + log_ratio + log(gamma + exp(log_ratio)), -1e-12);
  return x < -37 ? x : log(-log1p(-exp(x)));
}

static int plain_choice(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  const int draws = (int)r->param[0];
  const size_t room = 8 * (size_t)posterior_size(p);
  double *value = stub_doubles((size_t)k), *most = stub_doubles((size_t)draws);
  draws_maxima(p, draws, stub_doubles(room), room, most);
  for (int i = 0; i < k; i++)
    value[i] = -INFINITY;
  for (int m = 0; m < draws; m++)
    for (int i = 0; i < k; i++)
      if (policy_open(p, r, i))
        value[i] = normal_log_add(value[i],
                                  information(p->mean[i], sqrt(p->var[i]),
                                              -log1p(r->noise2[i] / p->var[i]), most[m]));
  policy_per_cost(r, k, value);
  return policy_best_open(p, r, value, TIE * (1 + fabs(linalg_max(k, value))));
}

static int agrees(const struct stub_run *run, uint64_t seed) {
  stub_seed(seed);
  const int plain = plain_choice(&run->p, &run->r);
  const double after = unif_rand();
  stub_seed(seed);
  return run->policy->choose(&run->p, &run->r) == plain && unif_rand() == after;
}

static void test_plain(void) {
  const int draws[] = {10, 1, 3, 1000};
  for (int n = 0; n < 240; n++) {
    const int k = 1 + whole(n % 8 ? 15 : 70), pulls = 1 + whole(30);
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(n % 4), k,
                   (enum oddity)(n / 4 % ODDITIES));
    problem.prior.df = n % 7 ? (double)INFINITY : 3 + whole(20);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("mes"), pulls,
                 columns_for(&problem.prior, pulls));
    set_noise(&run, n % 9 ? exp(norm_rand()) : 0);
    set_number(&run, "draws", draws[n % 20 == 3 ? 3 : n % 3]);
    double *cost = stub_doubles((size_t)k);
    for (int i = 0; i < k; i++) {
      cost[i] = 0.5 + whole(3);
      problem.mean[i] = n % 4 == 1 ? whole(3) : n % 4 == 2 ? 40 * norm_rand() : 0;
    }
    run.r.cost = n % 6 == 1 ? cost : NULL;
    posterior_start(&run.p);
    int agreed = 0, rounds = 0;
    for (int t = 0; t < pulls && !posterior_resolved(&run.p); t++, rounds++) {
      agreed += agrees(&run, (uint64_t)(1000 * n + t));
      const int arm = whole(3) ? run.policy->choose(&run.p, &run.r) : whole(k);
      if (arm >= 0)
        posterior_learn(&run.p, arm, -1, norm_rand(), run.noise2[arm]);
    }
    CHECK(agreed == rounds);
    stub_free();
  }
}

const struct test TESTS_POLICY_MES[] = {
    {"mes is its plain form", test_plain},
    {0},
};
