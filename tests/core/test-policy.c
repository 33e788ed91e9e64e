/* The table of policies, and every policy on what is barely a problem. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "problem.h"

static int count_choices(const char *choices) {
  int n = 1;
  for (; *choices; choices++)
    n += *choices == '|';
  return n;
}

static void test_table(void) {
  CHECK(policy_count() > 0);
  CHECK(policy_named("no such policy") == NULL);
  for (int i = 0; i < policy_count(); i++) {
    const struct policy *policy = policy_at(i);
    CHECK(policy_named(policy->name) == policy);
    CHECK(policy->label && policy->recommends && policy->choose);
    for (int j = 0; j < policy_params(policy); j++) {
      const struct param *p = policy->params + j;
      CHECK(p->lower <= p->upper && p->meaning);
      CHECK(isnan(p->value) || (p->value >= p->lower && p->value <= p->upper));
      CHECK(!p->choices ||
            (p->lower == 0 && (int)p->upper == count_choices(p->choices) - 1));
    }
  }
}

static void test_open(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, 4, PLAIN);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 3, 0);
  posterior_start(&run.p);
  int *barred = stub_ints(4);
  double *value = stub_doubles(4);
  for (int i = 0; i < 4; i++) {
    barred[i] = i == 3;
    value[i] = i;
  }
  CHECK(policy_open(&run.p, &run.r, 3));
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == 3);
  run.r.barred = barred;
  run.p.var[2] = 0;
  CHECK(!policy_open(&run.p, &run.r, 3) && !policy_open(&run.p, &run.r, 2));
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == 1);
  CHECK(isinf(value[2]) && isinf(value[3]));
  barred[0] = barred[1] = 1;
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == -1);
}

struct corner {
  enum prior_kind kind;
  int k, budget;
  enum oddity odd;
  double scale, noise_sd;
  int bar; /* 0: no arm is barred, 1: every other one is, 2: all are */
};

static int sound(const struct stub_run *run, int next) {
  const struct posterior *p = &run->p;
  const int k = p->prior->k;
  if (next < -1 || next >= k || (next >= 0 && !policy_open(p, &run->r, next)))
    return 0;
  for (int i = 0; i < k; i++)
    if (!isfinite(p->mean[i]) || !isfinite(p->var[i]) || p->var[i] < 0)
      return 0;
  const int best = engine_recommend(run->policy, p, &run->r);
  return best >= 0 && best < k;
}

/* Pulls what the run asks for as long as it asks; then an arm that it did not ask for. */
static int corner_holds(struct stub_run *run, const struct corner *c) {
  if (!fits(run->policy, run->p.prior))
    return 1;
  set_noise(run, c->noise_sd);
  posterior_start(&run->p);
  if (run->policy->least && c->budget < run->policy->least(&run->p, &run->r))
    return 1;
  int next = engine_start(run->policy, &run->p, &run->r), ok = sound(run, next);
  for (int t = 0; ok && t < c->budget && next >= 0; t++) {
    next = pull(run, next, norm_rand());
    ok = sound(run, next);
  }
  next = pull(run, c->k - 1, norm_rand());
  return ok && sound(run, next) && (next == -1 || (c->bar < 2 && c->scale > 0));
}

/* With the defaults, then with each choice of each parameter. */
static int corners_hold(const struct policy *policy, const struct corner *c) {
  int ok = 1;
  for (int param = -1; param < policy_params(policy); param++) {
    const struct param *at = param < 0 ? NULL : policy->params + param;
    const int values = at && at->choices ? (int)at->upper : 0;
    for (int value = 0; value <= values; value++) {
      struct problem problem;
      problem_random(&problem, c->kind, c->k, c->odd);
      problem.prior.scale = c->scale;
      problem.prior.df = whole(2) ? (double)INFINITY : 4 + whole(30);
      prior_finish(&problem.prior);
      struct stub_run run;
      stub_run_new(&run, &problem.prior, policy, c->budget,
                   columns_for(&problem.prior, c->budget + 1));
      if (at)
        run.param[param] = at->choices ? value : fmin(at->upper, 2);
      int *barred = stub_ints((size_t)c->k);
      for (int i = 0; i < c->k; i++)
        barred[i] = c->bar == 2 || (c->bar == 1 && i % 2 == 0);
      run.r.barred = c->bar ? barred : NULL;
      ok = corner_holds(&run, c) && ok;
      stub_free();
    }
  }
  return ok;
}

static void test_corners(void) {
  const int sizes[] = {1, 2, 5}, budgets[] = {1, 9};
  const double scales[] = {0, 1, 1e-100, 1e100}, noises[] = {0, 0.3, 1e-50, 1e50};
  for (int i = 0; i < policy_count(); i++)
    for (int n = 0; n < 3 * 3 * 2 * ODDITIES * 4 * 4 * 3; n++) {
      int at = n;
      struct corner c;
      c.kind = (enum prior_kind)(at % 3), at /= 3;
      c.k = sizes[at % 3], at /= 3;
      c.budget = budgets[at % 2], at /= 2;
      c.odd = (enum oddity)(at % ODDITIES), at /= ODDITIES;
      c.scale = scales[at % 4], at /= 4;
      c.noise_sd = noises[at % 4], at /= 4;
      c.bar = at;
      CHECK(corners_hold(policy_at(i), &c));
    }
}

/* Any standard deviation and any parameter that R admits: bounds stay numbers. */
static void test_extremes(void) {
  const double sds[] = {1e-100, 1e-20, 1, 1e100},
               numbers[] = {0, 1e-100, 1, 1e100, 1e308};
  const char *const params[] = {"beta", "epsilon"};
  const struct policy *policy = policy_named("bayesgap");
  for (int n = 0; n < 3 * 4 * 4 * 5 * 2; n++) {
    const struct param *param = policy->params + param_at(policy, params[n % 2]);
    const double number = fmin(numbers[n / 2 % 5], param->upper);
    const double prior_sd = sds[n / 10 % 4], noise_sd = sds[n / 40 % 4];
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(n / 160), 4, ZERO_ARMS);
    problem.prior.scale = prior_sd * prior_sd;
    prior_finish(&problem.prior);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy, 6, columns_for(&problem.prior, 6));
    set_noise(&run, noise_sd);
    set_number(&run, params[n % 2], number);
    int next = engine_start(policy, &run.p, &run.r), ok = sound(&run, next);
    for (int t = 0; ok && t < 6 && next >= 0; t++) {
      ok = !isnan(run.note.beta) && !isnan(run.note.gap);
      next = pull(&run, next, prior_sd * norm_rand());
      ok = ok && sound(&run, next);
    }
    CHECK(ok);
  }
}

const struct test TESTS_POLICY[] = {
    {"table of policies", test_table},
    {"open arms", test_open},
    {"corners", test_corners},
    {"extremes", test_extremes},
    {0},
};
