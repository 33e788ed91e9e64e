/* BayesGap against the independent numbers of vectors.h, and equation 9 by its definition. */
#include <R_ext/Random.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "draws.h"
#include "gap.h"
#include "linalg.h"
#include "twin.h"
#include "vectors.h"

static void fixture_a(struct problem *problem, struct stub_run *run, int budget,
                      const char *reserve, const char *delta) {
  problem_with_cov(problem, A_ARMS, A_COV, A_PRIOR_SD);
  stub_run_new(run, &problem->prior, policy_named("bayesgap"), budget, A_PULLS);
  set_noise(run, A_NOISE_SD);
  set_number(run, "epsilon", A_EPSILON);
  set_choice(run, "reserve", reserve);
  set_choice(run, "delta", delta);
}

/* The state of fixture A after t pulls. */
static int fixture_a_step(struct stub_run *run, int t) {
  return t == 0 ? engine_start(run->policy, &run->p, &run->r)
                : pull(run, A_PULL_ARM[t - 1], A_PULL_Y[t - 1]);
}

static void check_a_bounds(const struct stub_run *run, int t) {
  double *upper = stub_doubles(A_ARMS), *lower = stub_doubles(A_ARMS);
  double *b = stub_doubles(A_ARMS);
  for (int i = 0; i < A_ARMS; i++) {
    const double half = run->note.beta * sqrt(run->p.var[i]);
    upper[i] = run->p.mean[i] + half;
    lower[i] = run->p.mean[i] - half;
  }
  for (int i = 0; i < A_ARMS; i++)
    b[i] = max_other(A_ARMS, upper, i) - lower[i];
  CHECK(all_near(A_ARMS, upper, A_UPPER[t], 1e-8));
  CHECK(all_near(A_ARMS, lower, A_LOWER[t], 1e-8));
  CHECK(all_near(A_ARMS, b, A_GAP[t], 1e-8));
  CHECK(near(run->note.gap, A_GAP[t][A_LEADER[t]], 1e-8));
  check_find(A_ARMS, upper, lower);
}

static void check_a_belief(const struct stub_run *run, int t) {
  double *sd = stub_doubles(A_ARMS), *delta = stub_doubles(A_ARMS);
  linalg_sqrt(A_ARMS, run->p.var, sd);
  CHECK(all_near(A_ARMS, run->p.mean, A_MEAN[t], 1e-8));
  CHECK(all_near(A_ARMS, sd, A_SD[t], 1e-8));
  gap_delta(A_ARMS, run->p.mean, sd, 3, GAP_ONE_SIDED, delta);
  CHECK(all_near(A_ARMS, delta, A_DELTA_ONE_SIDED[t], 1e-8));
  gap_delta(A_ARMS, run->p.mean, sd, 3, GAP_TWO_SIDED, delta);
  CHECK(all_near(A_ARMS, delta, A_DELTA_TWO_SIDED[t], 1e-8));
}

/* Equation 9 as printed: everything it leads to. */
static void test_fixture_a(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_BUDGET, "paper", "one-sided");
  for (int t = 0; t < A_STATES; t++) {
    const int next = fixture_a_step(&run, t);
    check_a_belief(&run, t);
    CHECK(near(run.note.hardness, A_HARDNESS_ONE_SIDED[t], 1e-8));
    CHECK(near(run.note.beta, A_BETA_PAPER[t], 1e-8));
    check_a_bounds(&run, t);
    CHECK(run.note.leader == A_LEADER[t] && run.note.rival == A_RIVAL[t]);
    CHECK(next == A_NEXT[t]);
  }
}

static void check_a_beta(int budget, const char *reserve, const char *delta,
                         const double *beta, const double *hardness) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, budget, reserve, delta);
  for (int t = 0; t < A_STATES; t++) {
    fixture_a_step(&run, t);
    CHECK(near(run.note.beta, beta[t], 1e-8));
    CHECK(near(run.note.hardness, hardness[t], 1e-8));
  }
}

static void test_fixture_a_reserves(void) {
  const double *one = A_HARDNESS_ONE_SIDED, *two = A_HARDNESS_TWO_SIDED;
  check_a_beta(A_BUDGET, "none", "one-sided", A_BETA_NONE, one);
  check_a_beta(A_BUDGET, "none", "two-sided", A_BETA_NONE_TWO_SIDED, two);
  check_a_beta(A_BUDGET, "clip", "one-sided", A_BETA_PAPER, one);
  check_a_beta(A_BUDGET, "auto", "one-sided", A_BETA_PAPER, one);
  check_a_beta(A_PULLS, "clip", "one-sided", A3_BETA_CLIP, one);
  check_a_beta(A_PULLS, "none", "one-sided", A3_BETA_NONE, one);
  check_a_beta(A_PULLS, "auto", "one-sided", A3_BETA_NONE, one);
}

/* With a budget below the arms equation 9 has no root: such a run is refused beforehand,
 * and gives no NaN when it is made all the same. */
static void test_fixture_a_refused(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_PULLS, "paper", "one-sided");
  posterior_start(&run.p);
  CHECK(run.policy->least(&run.p, &run.r) == A_ARMS);
  for (int t = 0; t < A_STATES; t++) {
    const int next = fixture_a_step(&run, t);
    CHECK(A3_BETA2_PAPER[t] < 0 && run.note.beta == 0);
    CHECK(next >= 0 && next < A_ARMS && !isnan(run.note.gap));
  }
  set_number(&run, "beta", 2);
  CHECK(run.policy->least(&run.p, &run.r) == 1);
  set_number(&run, "beta", NAN);
  set_choice(&run, "reserve", "auto");
  CHECK(run.policy->least(&run.p, &run.r) == 1);
}

/* P(one arm above another) in the last state, by draws. */
static void test_fixture_a_draws(void) {
  struct problem problem;
  struct stub_run run;
  const int draws = 20000;
  int above[A_ARMS * A_ARMS] = {0};
  fixture_a(&problem, &run, A_BUDGET, "paper", "one-sided");
  double *l = copy(A_ARMS * A_ARMS, A_COV), *work = stub_doubles(A_ARMS);
  int *pivot = stub_ints(A_ARMS);
  const int rank = linalg_cholesky(A_ARMS, l, 1e-12, pivot, work);
  CHECK(rank == A_ARMS);
  double *factor = stub_doubles(A_ARMS * A_ARMS);
  linalg_unpivot(A_ARMS, rank, l, pivot, factor);
  problem.prior.factor = factor;
  problem.prior.d = rank;
  posterior_start(&run.p);
  for (int t = 0; t < A_PULLS; t++)
    posterior_learn(&run.p, A_PULL_ARM[t], -1, A_PULL_Y[t], A_NOISE_SD * A_NOISE_SD);
  double *out = stub_doubles(A_ARMS);
  for (int s = 0; s < draws; s++) {
    draws_one(&run.p, out);
    for (int i = 0; i < A_ARMS * A_ARMS; i++)
      above[i] += out[i / A_ARMS] > out[i % A_ARMS];
  }
  for (int i = 0; i < A_ARMS * A_ARMS; i++) {
    const double p = A_ABOVE[i];
    if (!isnan(p))
      CHECK(fabs(above[i] - draws * p) <= 5 * sqrt(draws * p * (1 - p)));
  }
}

/* A clear leader: the hardness with the paper's bound and with the corrected one. */
static void test_separated_hardness(void) {
  const char *const delta[] = {"one-sided", "two-sided"};
  const double epsilon[] = {0.01, 0};
  const double hardness[] = {SEP_HARDNESS_ONE_SIDED, SEP_HARDNESS_TWO_SIDED};
  for (int i = 0; i < 2; i++) {
    double *x = copy(3, SEP_SD);
    struct problem problem;
    problem_from(&problem, PRIOR_INDEPENDENT, 3, 1, x, 1);
    memcpy(problem.mean, SEP_MEAN, sizeof SEP_MEAN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), 10, 0);
    set_noise(&run, 0.3);
    set_choice(&run, "delta", delta[i]);
    set_number(&run, "epsilon", epsilon[i]);
    engine_start(run.policy, &run.p, &run.r);
    CHECK(fabs(run.note.hardness / hardness[i] - 1) < 1e-8);
    CHECK(run.note.leader == 0);
  }
}

/* Equation 9 by its definition, on random beliefs with different noise for each arm. */
static void test_beta(void) {
  for (int i = 0; i < 200; i++) {
    const int k = 2 + whole(40), budget = 1 + whole(3 * k);
    struct problem problem;
    problem_random(&problem, PRIOR_INDEPENDENT, k, i % 2 ? PLAIN : ZERO_ARMS);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), budget, 0);
    for (int a = 0; a < k; a++)
      run.noise2[a] = 0.1 + unif_rand();
    set_number(&run, "epsilon", 0.2);
    engine_start(run.policy, &run.p, &run.r);
    double *sd = stub_doubles((size_t)k), *delta = stub_doubles((size_t)k);
    linalg_sqrt(k, run.p.var, sd);
    gap_delta(k, run.p.mean, sd, 3, GAP_TWO_SIDED, delta);
    double hard = 0, prior = 0, active = 0, noise = 0;
    for (int a = 0; a < k; a++)
      if (run.p.var[a] > 0) {
        const double h = fmax((delta[a] + 0.2) / 2, 0.2);
        hard += run.noise2[a] / (h * h);
        prior += run.noise2[a] / run.p.var[a];
        noise += run.noise2[a];
        active++;
      }
    const double spend = fmax(budget - active, fmin(budget, active));
    CHECK(near(run.note.beta, sqrt((spend + prior) / (4 * hard)), 1e-10));
    CHECK(near(run.note.hardness, hard * active / noise, 1e-10));
  }
}

/* A fixed beta that shrinks, and the arm it leads to. */
static void test_fixed_beta(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_BUDGET, "auto", "two-sided");
  set_number(&run, "beta", 2);
  set_number(&run, "decay", 0.5);
  for (int t = 0; t < A_STATES; t++) {
    fixture_a_step(&run, t);
    CHECK(near(run.note.beta, 2 * pow(0.5, t), 1e-14));
    CHECK(isnan(run.note.hardness));
  }
}

/* One of the runs of fixture R8, with one rule of recommendation; the arm recommended. */
static int run_r8(const struct r8_run *expected, const char *variant,
                  const char *advice) {
  struct problem problem;
  struct stub_run run;
  problem_with_cov(&problem, R8_ARMS, R8_COV, 1);
  stub_run_new(&run, &problem.prior, policy_named("bayesgap"), expected->budget,
               expected->budget);
  set_noise(&run, R8_NOISE_SD);
  set_number(&run, "epsilon", R8_EPSILON);
  set_choice(&run, "variant", variant);
  set_choice(&run, "reserve", expected->reserve);
  set_choice(&run, "delta", expected->delta);
  set_choice(&run, "advice", advice);
  posterior_start(&run.p);
  CHECK(run.policy->least(&run.p, &run.r) <= expected->budget);
  int next = engine_start(run.policy, &run.p, &run.r);
  for (int t = 0; t <= expected->budget; t++) {
    CHECK(run.r.t == t + 1);
    CHECK(near(run.note.beta, expected->beta[t], 1e-8));
    CHECK(near(run.note.gap, expected->gap[t], 1e-8));
    CHECK(run.note.leader == expected->leader[t]);
    if (t == expected->budget)
      break;
    CHECK(next == expected->arm[t]);
    CHECK(near(R8_TRUTH[next] + R8_NOISE[t], expected->y[t], 1e-11));
    next = pull(&run, next, R8_TRUTH[next] + R8_NOISE[t]);
  }
  double *sd = stub_doubles(R8_ARMS);
  linalg_sqrt(R8_ARMS, run.p.var, sd);
  CHECK(all_near(R8_ARMS, run.p.mean, expected->mean, 1e-8));
  CHECK(all_near(R8_ARMS, sd, expected->sd, 1e-8));
  const int best = engine_recommend(run.policy, &run.p, &run.r);
  return best;
}

static void test_fixture_r8(void) {
  for (int i = 0; i < R8_RUNS; i++) {
    const struct r8_run *expected = R8_RUN + i;
    CHECK(run_r8(expected, "paper", "omega") == expected->omega_paper);
    CHECK(run_r8(expected, "marginal", "omega") == expected->omega);
    CHECK(run_r8(expected, "marginal", "last") == expected->last);
    CHECK(run_r8(expected, "marginal", "mean") == expected->highest);
  }
}

const struct test TESTS_POLICY_BAYESGAP[] = {
    {"fixture A", test_fixture_a},
    {"fixture A: reserves", test_fixture_a_reserves},
    {"fixture A: refused", test_fixture_a_refused},
    {"fixture A: draws", test_fixture_a_draws},
    {"a clear leader: hardness", test_separated_hardness},
    {"equation 9", test_beta},
    {"fixed beta", test_fixed_beta},
    {"fixture R8", test_fixture_r8},
    {0},
};
