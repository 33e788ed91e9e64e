/* The kept covariance is the posterior's, whatever happened between two looks. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "covariance.h"
#include "problem.h"

static void check_kept(const struct posterior *p, double *room) {
  const int k = p->prior->k;
  const struct covariance c = covariance_now(p, room);
  double *column = stub_doubles((size_t)k), *inverse = stub_doubles((size_t)k);
  const int top = whole(k);
  for (int i = 0; i < k; i++)
    inverse[i] = unif_rand();
  CHECK(c.error < 1e-11 * p->prior->most);
  int ok = 1;
  for (int i = 0; i < k; i++) {
    const struct reach reach = covariance_update(&c, i, top, inverse);
    const double *now = covariance_column(&c, i);
    const struct reach same = envelope_reach(k, now, now[top], inverse);
    ok = ok && reach.far == same.far && reach.near == same.near;
  }
  for (int i = 0; i < k; i++) {
    posterior_column(p, i, column);
    for (int j = 0; j < k; j++)
      ok = ok && fabs(covariance_column(&c, i)[j] - column[j]) <= c.error;
  }
  CHECK(ok);
}

static void test_kept(void) {
  for (int n = 0; n < 120; n++) {
    const int k = 2 + whole(20), pulls = 60;
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(1 + n % 3), k,
                   (enum oddity)(n % ODDITIES));
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("kg"), pulls, pulls + 1);
    const double noise_sd = n % 5 ? exp(norm_rand()) : 0;
    set_noise(&run, noise_sd);
    struct told told = {stub_ints((size_t)pulls), stub_doubles((size_t)pulls),
                        stub_doubles((size_t)pulls)};
    posterior_start(&run.p);
    double *room = stub_doubles(covariance_room(&problem.prior));
    room[0] = 0;
    check_kept(&run.p, room);
    for (int t = 0; t < pulls; t++) {
      told.arm[t] = whole(k);
      told.y[t] = norm_rand();
      told.noise2[t] = noise_sd * noise_sd;
      posterior_learn(&run.p, told.arm[t], -1, told.y[t], told.noise2[t]);
      /* one new column, none, several, or all of them others than before */
      if (t % 7 == 6)
        continue;
      check_kept(&run.p, room);
      if (t == 40 && noise_sd > 0) {
        stub_run_compact(&run);
        check_kept(&run.p, room);
      }
    }
    posterior_start(&run.p);
    check_kept(&run.p, room);
    stub_free();
  }
}

static void test_room(void) {
  struct prior prior = {.kind = PRIOR_FEATURES, .k = 100};
  CHECK(covariance_room(&prior) == 100 * 104 + 8);
  prior.k = 100000;
  CHECK(covariance_room(&prior) == 0);
  prior.k = 100;
  prior.kind = PRIOR_INDEPENDENT;
  CHECK(covariance_room(&prior) == 0);
}

const struct test TESTS_COVARIANCE[] = {
    {"kept covariance", test_kept},
    {"room for a kept covariance", test_room},
    {0},
};
