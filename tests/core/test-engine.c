/* Whole runs: their budgets, beliefs and records. */
#include <R_ext/Random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "twin.h"

/* What a simulated run leaves behind. */
struct trace {
  struct stub_run run;
  int n, best, *arm;
  double *y;
};

static void simulate(struct trace *t, const struct problem *problem,
                     const struct policy *policy, int budget, double noise_sd,
                     uint64_t seed) {
  const int k = problem->prior.k;
  const size_t room = (size_t)budget;
  double *mean = stub_doubles((size_t)k), *sd = stub_doubles((size_t)k);
  for (int i = 0; i < k; i++) {
    mean[i] = sin(i + 1);
    sd[i] = noise_sd;
  }
  const struct truth truth = {mean, sd, NULL, 0, 0, LAW_GAUSSIAN, 1, 1};
  stub_run_new(&t->run, &problem->prior, policy, budget,
               columns_for(&problem->prior, engine_columns(k, 0, budget)));
  set_noise(&t->run, noise_sd);
  t->arm = stub_ints(room);
  t->y = stub_doubles(room);
  stub_seed(seed);
  struct record record = {.arm = t->arm,
                          .block = stub_ints(room),
                          .y = t->y,
                          .stops = 1,
                          .after = &budget,
                          .best = &t->best};
  t->n = engine_run(policy, &t->run.p, &t->run.r, &truth, &record);
}

/* The belief at the end is that of the observations, all learned on a full matrix. */
static void check_trace(const struct trace *t, const struct problem *problem) {
  struct twin twin = twin_new(problem);
  const int k = problem->prior.k;
  int pulls = 0;
  for (int i = 0; i < t->n; i++)
    twin_learn(&twin, t->arm[i], t->y[i], t->run.noise2[t->arm[i]]);
  for (int i = 0; i < k; i++)
    pulls += t->run.p.pulls[i];
  CHECK(pulls == t->n);
  CHECK(t->run.r.t == t->n + 1);
  CHECK(twin_agrees(&twin, &t->run.p, 1e-9));
  CHECK(cov_agrees(&twin, &t->run.p, 1e-9));
}

/* Exactly the budget, whether or not the belief has to be compacted on the way. */
static void test_budget(void) {
  const int budgets[] = {1, 2, 31, 32, 33, 34, 41, 42, 43, 44, 45, 150};
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
      for (int b = 0; b < 12; b++) {
        struct problem problem;
        problem_random(&problem, (enum prior_kind)kind, 5, PLAIN);
        if (!fits(policy_at(i), &problem.prior))
          continue;
        struct trace t;
        simulate(&t, &problem, policy_at(i), budgets[b], 0.8, 7);
        CHECK(t.n == budgets[b]);
        if (kind != PRIOR_INDEPENDENT)
          CHECK(budgets[b] < 42 ? t.run.p.n <= t.n : t.run.p.n < 42);
        check_trace(&t, &problem);
      }
}

static void test_same_seed(void) {
  for (int i = 0; i < policy_count(); i++) {
    struct problem problem;
    problem_random(&problem, PRIOR_FEATURES, 9, PLAIN);
    struct trace a, b, c;
    simulate(&a, &problem, policy_at(i), 70, 0.5, 1);
    simulate(&b, &problem, policy_at(i), 70, 0.5, 1);
    simulate(&c, &problem, policy_at(i), 70, 0.5, 2);
    CHECK(memcmp(a.arm, b.arm, 70 * sizeof(int)) == 0 && same(70, a.y, b.y));
    CHECK(same(9, a.run.p.mean, b.run.p.mean) && same(9, a.run.p.var, b.run.p.var));
    CHECK(!same(70, a.y, c.y));
  }
}

/* A run that compacts pulls the same arms as one that never does. (Not so where a policy
 * draws from the posterior: how many normals that takes depends on the columns.) */
static void test_run_equals_steps(void) {
  const int budget = 130, k = 6;
  for (int i = 0; i < 5; i++) {
    const uint64_t seed = (uint64_t)i;
    const struct policy *policy = policy_named("bayesgap");
    struct problem problem;
    problem_random(&problem, i % 2 ? PRIOR_DENSE : PRIOR_FEATURES, k, PLAIN);
    struct trace t;
    simulate(&t, &problem, policy, budget, 0.7, seed);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy, budget, budget);
    run.p.average = NULL;
    set_noise(&run, 0.7);
    stub_seed(seed);
    int next = engine_start(run.policy, &run.p, &run.r), equal = 0;
    for (int n = 0; n < budget && next >= 0; n++) {
      equal += next == t.arm[n];
      next = pull(&run, next, sin(next + 1) + 0.7 * norm_rand());
    }
    CHECK(equal == budget);
    CHECK(run.p.n == budget && t.run.p.n < 2 * k + 33);
    CHECK(all_near(k, t.run.p.mean, run.p.mean, 1e-9));
    CHECK(all_near(k, t.run.p.var, run.p.var, 1e-9));
    CHECK(engine_recommend(run.policy, &run.p, &run.r) ==
          engine_recommend(run.policy, &t.run.p, &t.run.r));
  }
}

/* Without noise the run is over when every arm is known. */
static void test_resolved(void) {
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++) {
      struct problem problem;
      problem_from(&problem, (enum prior_kind)kind, 8, 3, normals(24), 1);
      if (!fits(policy_at(i), &problem.prior))
        continue;
      struct trace t;
      simulate(&t, &problem, policy_at(i), 60, 0, 5);
      /* Three exact pulls tell all of three features, but for rounding: where the arms pulled
       * are nearly alike a trace of variance may be left. */
      CHECK(kind == PRIOR_INDEPENDENT ? t.n == 8 : t.n == 3 || t.n == 4);
      CHECK(posterior_resolved(&t.run.p));
    }
}

/* The arm to keep is recorded where it is asked for, and for good when the run is over. */
static void test_record(void) {
  const int after[] = {1, 2, 5, 40, 90};
  for (int exact = 0; exact < 2; exact++) {
    struct problem problem;
    problem_random(&problem, PRIOR_DENSE, 4, PLAIN);
    double *mean = normals(4), *sd = stub_doubles(4);
    for (int i = 0; i < 4; i++)
      sd[i] = exact ? 0 : 0.5;
    const struct truth truth = {mean, sd, NULL, 0, 0, LAW_GAUSSIAN, 1, 1};
    struct stub_run run, steps;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), 90,
                 engine_columns(4, 0, 90));
    set_noise(&run, sd[0]);
    int *stops = stub_ints(5), *best = stub_ints(5);
    memcpy(stops, after, sizeof after);
    struct record record = {.arm = stub_ints(90),
                            .block = stub_ints(90),
                            .y = stub_doubles(90),
                            .stops = 5,
                            .after = stops,
                            .best = best};
    const int n = engine_run(run.policy, &run.p, &run.r, &truth, &record);
    CHECK(exact ? n == 4 : n == 90);
    stub_run_new(&steps, &problem.prior, run.policy, 90, 90);
    set_noise(&steps, sd[0]);
    engine_start(steps.policy, &steps.p, &steps.r);
    for (int i = 0, stop = 0; i < n; i++) {
      pull(&steps, record.arm[i], record.y[i]);
      const int keep = engine_recommend(steps.policy, &steps.p, &steps.r);
      if (i + 1 == after[stop])
        CHECK(best[stop++] == keep);
      for (; i + 1 == n && stop < 5; stop++)
        CHECK(best[stop] == keep);
    }
  }
}

/* With a pool, rewards are drawn from the arm's own row. */
static void test_pool(void) {
  const int k = 3, draws = 4;
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, k, PLAIN);
  double *pool = stub_doubles((size_t)k * (size_t)draws);
  int seen[12] = {0}, kept = -1, budget = 300;
  for (int i = 0; i < k * draws; i++)
    pool[i] = i;
  const struct truth truth = {
      problem.mean, problem.mean, pool, draws, 0, LAW_GAUSSIAN, 1, 1};
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_named("uniform"), budget, 0);
  set_noise(&run, 1);
  struct record record = {.arm = stub_ints(300),
                          .block = stub_ints(300),
                          .y = stub_doubles(300),
                          .stops = 1,
                          .after = &budget,
                          .best = &kept};
  CHECK(engine_run(run.policy, &run.p, &run.r, &truth, &record) == budget);
  int own = 1;
  for (int i = 0; i < budget; i++) {
    own = own && (int)record.y[i] % k == record.arm[i];
    seen[(int)record.y[i]]++;
  }
  CHECK(own && kept == 2);
  for (int i = 0; i < k * draws; i++)
    CHECK(abs(seen[i] - 25) < 25);
}

/* Rates are hits over trials, about the true ones, whichever sign they have. */
static void test_rates(void) {
  const enum law laws[] = {LAW_BINOMIAL, LAW_POISSON};
  for (int i = 0; i < 4; i++) {
    const double sign = i < 2 ? 1 : -1, size = 5;
    int kept = -1, budget = 400;
    double mean[] = {sign * 0.1, sign * 0.7, 0}, sum[3] = {0};
    struct problem problem;
    problem_random(&problem, PRIOR_INDEPENDENT, 3, PLAIN);
    const struct truth truth = {mean, NULL, NULL, 0, 0, laws[i % 2], size, sign};
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("uniform"), budget, 0);
    set_noise(&run, 0.2);
    struct record record = {.arm = stub_ints(400),
                            .block = stub_ints(400),
                            .y = stub_doubles(400),
                            .stops = 1,
                            .after = &budget,
                            .best = &kept};
    CHECK(engine_run(run.policy, &run.p, &run.r, &truth, &record) == budget);
    int whole = 1;
    for (int t = 0; t < budget; t++) {
      const double hits = sign * size * record.y[t];
      whole = whole && hits >= 0 && fabs(hits - round(hits)) < 1e-9;
      whole = whole && (laws[i % 2] == LAW_POISSON || hits <= size);
      sum[record.arm[t]] += record.y[t];
    }
    CHECK(whole && sum[2] == 0);
    CHECK(fabs(sum[0] / 133 - mean[0]) < 0.06 && fabs(sum[1] / 133 - mean[1]) < 0.12);
    CHECK(kept == (sign > 0 ? 1 : 2));
  }
}

static void test_laws(void) {
  CHECK(law_named("gaussian") == LAW_GAUSSIAN && law_named("poisson") == LAW_POISSON);
  CHECK(law_named("binomial") == LAW_BINOMIAL && law_named("gamma") == LAWS);
}

static void test_columns(void) {
  for (int k = 1; k <= 50; k++) {
    int enough = 1, spare = 1;
    for (int budget = 1; budget <= 200; budget++) {
      const int n = engine_columns(k, 0, budget);
      enough = enough && n >= (budget < 2 * k + 32 ? budget : 2 * k + 32);
      spare = spare && (n <= 2 * k + 33 || n <= budget + 1);
    }
    CHECK(enough);
    CHECK(spare);
  }
}

/* A policy that writes down how often it was asked. */
static int asked;

static int ask_arm(const struct posterior *p, const struct round *r) {
  (void)p;
  (void)r;
  asked++;
  return 1;
}

static const struct policy FORGETFUL = {.name = "forgetful", .choose = ask_arm};

static size_t one_double(const struct prior *prior) {
  (void)prior;
  return 1;
}

static const struct policy MINDFUL = {
    .name = "mindful", .memory = one_double, .choose = ask_arm};

/* Failed pulls teach nothing; pulls that are not counted do not move the clock; a policy
 * without memory is asked in the last state only. */
static void test_learning_a_log(void) {
  for (int i = 0; i < 2; i++) {
    struct problem problem;
    problem_random(&problem, PRIOR_DENSE, 4, PLAIN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, i ? &MINDFUL : &FORGETFUL, 9, 5);
    set_noise(&run, 1);
    asked = 0;
    engine_start(run.policy, &run.p, &run.r);
    CHECK(asked == 1 && run.note.leader == -1 && isnan(run.note.gap));
    const int arm[5] = {0, 1, 1, 2, 0}, counted[5] = {1, 0, 1, 1, 0};
    const double y[5] = {1, 2, NAN, 0.5, NAN}, noise2[5] = {1, 1, 1, 0.3, 1};
    const struct log log = {{5, arm, y, noise2, NULL}, counted};
    CHECK(engine_learn(run.policy, &run.p, &run.r, &log) == 1);
    CHECK(asked == (i ? 6 : 2));
    CHECK(run.r.t == 4 && run.p.n == 3);
    CHECK(run.p.pulls[0] == 1 && run.p.pulls[1] == 1 && run.p.pulls[2] == 1 &&
          run.p.pulls[3] == 0);
    struct twin twin = twin_new(&problem);
    twin_learn(&twin, 0, 1, 1);
    twin_learn(&twin, 1, 2, 1);
    twin_learn(&twin, 2, 0.5, 0.3);
    CHECK(twin_agrees(&twin, &run.p, 1e-12));
    /* Three rows that do not count are one state, before one that counts and after it. */
    const int none[4] = {0, 0, 0, 1};
    const struct log more = {{4, arm, y, noise2, NULL}, none};
    stub_run_new(&run, &problem.prior, run.policy, 9, 5);
    set_noise(&run, 1);
    engine_start(run.policy, &run.p, &run.r);
    asked = 0;
    engine_learn(run.policy, &run.p, &run.r, &more);
    CHECK(asked == (i ? 2 : 1) && run.r.t == 2 && twin_agrees(&twin, &run.p, 1e-12));
  }
}

static int same_bits(const struct posterior *p, const struct posterior *q) {
  const size_t k = (size_t)p->prior->k;
  int same = p->n == q->n && memcmp(p->mean, q->mean, k * sizeof(double)) == 0 &&
             memcmp(p->var, q->var, k * sizeof(double)) == 0 &&
             memcmp(p->pulls, q->pulls, k * sizeof(int)) == 0;
  for (int i = 0; same && i < p->n; i++)
    same = p->arm[i] == q->arm[i] && memcmp(p->w[i], q->w[i], k * sizeof(double)) == 0;
  return same;
}

/* From now on, its columns are not to be written; there is room for what `more` observations write
 * behind them. Returns a copy of the columns. */
static double *lend(struct stub_run *run, int more) {
  struct posterior *p = &run->p;
  const int k = p->prior->k, room = posterior_room(p->n, posterior_arms(p), k, more);
  double **w = stub_block((size_t)(p->n + room), sizeof(double *));
  double *copy = stub_doubles((size_t)(p->n * k));
  for (int i = 0; i < p->n + room; i++)
    w[i] = i < p->n ? p->w[i] : stub_doubles((size_t)k);
  for (int i = 0; i < p->n; i++)
    memcpy(copy + i * k, w[i], (size_t)k * sizeof(double));
  p->w = w;
  p->lent = p->n;
  return copy;
}

/* A log learned in two parts is learned as one by one, to the last bit where the policy is to see
 * every state, and columns that are lent are left alone. */
static void check_at_once(const struct policy *policy, enum prior_kind kind, int k,
                          int first, enum noise noise) {
  const int n = 150;
  const double tolerance = noise == EXACT || noise == SOME_EXACT ? 1e-6 : 1e-9;
  struct problem problem;
  problem_random(&problem, kind, k, PLAIN);
  const struct told o = told_random(&problem, n, noise);
  int *counted = stub_ints((size_t)n);
  for (int i = 0; i < n; i++)
    counted[i] = 1;
  struct stub_run one, all;
  stub_run_new(&one, &problem.prior, policy, n, posterior_room(0, 0, k, n));
  stub_run_new(&all, &problem.prior, policy, n, n);
  set_noise(&one, 1);
  set_noise(&all, 1);
  engine_start(policy, &one.p, &one.r);
  engine_start(policy, &all.p, &all.r);
  for (int i = 0; i < n; i++) {
    const struct log log = {{1, o.arm + i, o.y + i, o.noise2 + i, NULL}, counted};
    engine_learn(policy, &one.p, &one.r, &log);
  }
  const struct log before = {{first, o.arm, o.y, o.noise2, NULL}, counted};
  if (first > 0)
    engine_learn(policy, &all.p, &all.r, &before);
  const int lent = all.p.n;
  double **w = all.p.w;
  const double *copy = lend(&all, n - first);
  const struct log rest = {
      {n - first, o.arm + first, o.y + first, o.noise2 + first, NULL}, counted};
  engine_learn(policy, &all.p, &all.r, &rest);
  CHECK(one.r.t == all.r.t);
  CHECK(!policy->memory || same_bits(&one.p, &all.p));
  CHECK(all_near(k, one.p.mean, all.p.mean, tolerance));
  CHECK(all_near(k, one.p.var, all.p.var, tolerance));
  CHECK(memcmp(one.p.pulls, all.p.pulls, (size_t)k * sizeof(int)) == 0);
  CHECK(one.p.n < 2 * k + 32 && all.p.n < 2 * k + 32);
  for (int i = 0; i < lent; i++)
    CHECK(memcmp(w[i], copy + i * k, (size_t)k * sizeof(double)) == 0);
  stub_free();
}

static void test_learning_at_once(void) {
  const int sizes[] = {1, 3, 10, 40}, firsts[] = {0, 1, 33, 70, 149};
  for (int i = 0; i < 2; i++)
    for (int kind = PRIOR_DENSE; kind <= PRIOR_KERNEL; kind++)
      for (int noise = 0; noise < NOISES; noise++)
        for (int s = 0; s < 4; s++)
          for (int f = 0; f < 5; f++)
            check_at_once(i ? &MINDFUL : &FORGETFUL, (enum prior_kind)kind, sizes[s],
                          firsts[f], (enum noise)noise);
}

/* The highest mean, pulled or not; ties at random. */
static void test_recommend(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, 4, PLAIN);
  const double mean[4] = {1, 3, 2, 3};
  int count[4] = {0};
  memcpy(problem.mean, mean, sizeof mean);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, &FORGETFUL, 3, 0);
  posterior_start(&run.p);
  for (int i = 0; i < 200; i++)
    count[engine_recommend(run.policy, &run.p, &run.r)]++;
  CHECK(count[0] == 0 && count[2] == 0 && abs(count[1] - 100) < 36);
  run.p.mean[2] = 4;
  CHECK(engine_recommend(run.policy, &run.p, &run.r) == 2);
}

static int fits_blocks(const struct stub_run *run) {
  const struct policy *policy = run->policy;
  return !(policy->unfit && policy->unfit(run->p.prior, run->param, 1));
}

/* Every pair of the pool once, its own reward each time; then all arms are barred. */
static void check_pool(const struct policy *policy, enum prior_kind kind, int k,
                       int blocks, double block2) {
  const int budget = 3 * k * blocks + 40;
  const size_t room = (size_t)budget;
  struct problem problem;
  problem_random(&problem, kind, k, PLAIN);
  struct stub_run run;
  stub_run_blocked(&run, &problem.prior, policy, budget,
                   engine_columns(k, blocks, budget), blocks, block2);
  if (!fits_blocks(&run))
    return;
  set_noise(&run, 0.5);
  const double *pool = normals(k * blocks);
  const struct truth truth = {problem.mean, NULL, pool, blocks, 1, LAW_GAUSSIAN, 1, 1};
  int best = -1, *barred = stub_ints((size_t)k);
  memset(barred, 0, (size_t)k * sizeof(int));
  run.r.barred = barred;
  struct record record = {.arm = stub_ints(room),
                          .block = stub_ints(room),
                          .y = stub_doubles(room),
                          .stops = 1,
                          .after = &budget,
                          .best = &best,
                          .barred = barred};
  const int n = engine_run(policy, &run.p, &run.r, &truth, &record);
  CHECK(n == k * blocks && run.p.n == n && best >= 0 && best < k);
  int *seen = stub_ints((size_t)(k * blocks)), ok = 1;
  memset(seen, 0, (size_t)(k * blocks) * sizeof(int));
  for (int i = 0; i < n; i++) {
    ok = ok && record.arm[i] >= 0 && record.arm[i] < k && record.block[i] >= 0 &&
         record.block[i] < blocks;
    const int cell = ok ? record.arm[i] + k * record.block[i] : 0;
    ok = ok && seen[cell]++ == 0 && record.y[i] == pool[cell];
  }
  CHECK(ok);
  for (int i = 0; i < k; i++)
    CHECK(barred[i] == 1);
  stub_free();
}

/* A pull in a block that is given: every policy chooses, and says the block again. */
static void check_given(const struct policy *policy, enum prior_kind kind) {
  const int k = 5, budget = 60, blocks = 3;
  struct problem problem;
  problem_random(&problem, kind, k, PLAIN);
  struct stub_run run;
  stub_run_blocked(&run, &problem.prior, policy, budget, 20, blocks, 2);
  if (!fits_blocks(&run))
    return;
  set_noise(&run, 0.5);
  run.r.blocks = 0;
  run.r.block = 2;
  int arm = engine_start(policy, &run.p, &run.r), ok = arm >= 0;
  for (int i = 0; i < 20 && ok; i++) {
    ok = run.note.block == run.r.block;
    const int block = run.r.block, counted = 1;
    const double y = norm_rand();
    const struct log log = {{1, &arm, &y, run.noise2 + arm, &block}, &counted};
    run.r.block = whole(blocks);
    arm = engine_learn(policy, &run.p, &run.r, &log);
    const int best = engine_recommend(policy, &run.p, &run.r);
    ok = ok && arm >= 0 && arm < k && best >= 0 && best < k;
  }
  CHECK(ok);
  stub_free();
}

static void test_blocks(void) {
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++) {
      check_pool(policy_at(i), (enum prior_kind)kind, 1, 3, 1);
      check_pool(policy_at(i), (enum prior_kind)kind, 4, 5, 2);
      check_pool(policy_at(i), (enum prior_kind)kind, 3, 20, 0.1);
      check_given(policy_at(i), (enum prior_kind)kind);
    }
}

/* Pulls that cost differently: every arm pulled is affordable, and a run that has not passed its
 * stages ends when none is. A policy that does not regard costs chooses as if there were none. */
static void check_costs(const struct policy *policy, enum prior_kind kind, double funds) {
  enum { K = 4, ROOM = 200 };
  const double cost[K] = {0.25, 0.5, 1, 2.25}, cheapest = 0.25;
  struct problem problem;
  problem_random(&problem, kind, K, PLAIN);
  if (!fits(policy, &problem.prior))
    return;
  int kept = -1, last = ROOM;
  double mean[K] = {0.1, 0.5, 0.2, 0.6}, sd[K] = {0.5, 0.5, 0.5, 0.5};
  const struct truth truth = {mean, sd, NULL, 0, 0, LAW_GAUSSIAN, 1, 1};
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy, (int)fmax(funds, 1),
               columns_for(&problem.prior, engine_columns(K, 0, ROOM)));
  set_noise(&run, 0.5);
  struct record record = {.arm = stub_ints(ROOM),
                          .block = stub_ints(ROOM),
                          .y = stub_doubles(ROOM),
                          .stops = 1,
                          .after = &last,
                          .best = &kept,
                          .barred = stub_ints(K),
                          .funds = funds,
                          .most = ROOM};
  memset(record.barred, 0, K * sizeof(int));
  run.r.cost = cost;
  run.r.barred = record.barred;
  const int n = engine_run(policy, &run.p, &run.r, &truth, &record);
  double spent = 0;
  int affordable = 1;
  for (int i = 0; i < n; i++) {
    spent += cost[record.arm[i]];
    affordable = affordable && spent <= funds * (1 + 1e-9);
  }
  CHECK(affordable && kept >= 0 && kept < K);
  if (!policy->keeps)
    CHECK(funds - spent < cheapest);
  CHECK(run.r.t == n + 1);
  stub_free();
}

static void test_costs(void) {
  const double funds[] = {0.2, 0.25, 1, 7.5, 40};
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
      for (int j = 0; j < 5; j++)
        check_costs(policy_at(i), (enum prior_kind)kind, funds[j]);
}

const struct test TESTS_ENGINE[] = {
    {"costs", test_costs},
    {"runs by blocks", test_blocks},
    {"budget", test_budget},
    {"same seed", test_same_seed},
    {"a run equals its steps", test_run_equals_steps},
    {"resolved", test_resolved},
    {"record", test_record},
    {"pool", test_pool},
    {"rates", test_rates},
    {"laws", test_laws},
    {"columns", test_columns},
    {"learning a log", test_learning_a_log},
    {"a log at once and one by one", test_learning_at_once},
    {"recommendation", test_recommend},
    {0},
};
