/* The arm that kg chooses is that of its plain form, which looks at every arm and all lines; so is
 * the random number that comes next. */
#include <R_ext/Random.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "linalg.h"
#include "problem.h"
#include "tie.h"
#include "twin_lines.h"

static int plain_choice(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  const size_t n = (size_t)k;
  double *value = stub_doubles(n), *mean = stub_doubles(n), *slope = stub_doubles(n);
  const double top = linalg_max(k, p->mean);
  for (int i = 0; i < k; i++)
    mean[i] = p->mean[i] - top;
  for (int x = 0; x < k; x++) {
    value[x] = -INFINITY;
    if (!policy_open(p, r, x))
      continue;
    const double root = sqrt(p->var[x] + r->noise2[x]);
    posterior_column(p, x, slope);
    for (int i = 0; i < k; i++)
      slope[i] *= 1 / root;
    const struct lines l = {k, mean, slope,
                            posterior_column_rounding(p, x, p->prior->most) / root,
                            p->prior->df};
    value[x] = twin_worth(&l);
  }
  policy_per_cost(r, k, value);
  const double best = linalg_max(k, value);
  if (!(best > -INFINITY))
    return policy_least_known(p, r);
  const double rounding = ROUNDING * fabs(top) / sqrt(linalg_max(k, p->var));
  const double logs = 1 + fabs(best - 0.5 * log(p->prior->most));
  return policy_best_open(p, r, value, (TIE + fmin(rounding, 1e-3)) * logs);
}

/* Both with the same random numbers to come. */
static int agrees(const struct stub_run *run, const struct round *r, uint64_t seed) {
  stub_seed(seed);
  const int plain = plain_choice(&run->p, r);
  const double after = unif_rand();
  stub_seed(seed);
  return run->policy->choose(&run->p, r) == plain && unif_rand() == after;
}

static void vary(struct stub_run *run, struct problem *problem, int n) {
  const int k = problem->prior.k;
  int *barred = stub_ints((size_t)k);
  double *cost = stub_doubles((size_t)k);
  for (int i = 0; i < k; i++) {
    barred[i] = whole(4) == 0;
    cost[i] = 0.5 + whole(3);
    if (n % 4 == 1)
      problem->mean[i] = whole(3);
    if (n % 4 == 2)
      problem->mean[i] = 10 * norm_rand();
  }
  run->r.barred = n % 5 == 1 ? barred : NULL;
  run->r.cost = n % 6 == 1 ? cost : NULL;
}

static void test_plain(void) {
  for (int n = 0; n < 240; n++) {
    const int k = 1 + whole(n % 8 ? 15 : 70), pulls = 1 + whole(40);
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(n % 4), k,
                   (enum oddity)(n / 4 % ODDITIES));
    problem.prior.df = n % 7 ? (double)INFINITY : 3 + whole(20);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("kg"), pulls,
                 columns_for(&problem.prior, pulls));
    set_noise(&run, n % 9 ? exp(norm_rand()) : 0);
    vary(&run, &problem, n);
    posterior_start(&run.p);
    struct round afresh = run.r;
    afresh.kept = NULL;
    int kept = 0, without = 0, rounds = 0;
    for (int t = 0; t < pulls && !posterior_resolved(&run.p); t++, rounds++) {
      const uint64_t seed = (uint64_t)(1000 * n + t);
      kept += agrees(&run, &run.r, seed);
      without += agrees(&run, &afresh, seed);
      const int arm = whole(3) ? run.policy->choose(&run.p, &run.r) : whole(k);
      if (arm >= 0)
        posterior_learn(&run.p, arm, -1, norm_rand(), run.noise2[arm]);
    }
    CHECK(kept == rounds && without == rounds);
    stub_free();
  }
}

/* Arms on a line, smooth and rough: what is worth pulling falls from round to round, down to where
 * most bounds and estimates are of next to nothing. kg pulls what it chose. */
static void test_line(void) {
  enum { K = 90, PULLS = 70 };
  for (int n = 0; n < 6; n++) {
    double *cov = stub_doubles(K * K);
    for (int i = 0; i < K * K; i++) {
      const double apart = 0.2 * abs(i % K - i / K);
      cov[i] = n % 2 ? exp(-5 * apart) : exp(-apart * apart);
    }
    struct problem problem;
    problem_with_cov(&problem, K, cov, 1);
    problem.prior.df = n < 4 ? (double)INFINITY : 8;
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("kg"), PULLS, PULLS);
    set_noise(&run, n < 2 ? 0.5 : 0.05);
    posterior_start(&run.p);
    int same = 0;
    for (int t = 0; t < PULLS; t++) {
      same += agrees(&run, &run.r, (uint64_t)t);
      const int arm = run.policy->choose(&run.p, &run.r);
      posterior_learn(&run.p, arm, -1, sin(0.2 * arm) + 0.1 * norm_rand(),
                      run.noise2[arm]);
    }
    CHECK(same == PULLS);
    stub_free();
  }
}

const struct test TESTS_POLICY_KG[] = {
    {"kg is its plain form", test_plain},
    {"kg is its plain form on a line", test_line},
    {0},
};
