/* The core on any input that R lets through, and what reads files on any at all: bytes become a prior, a policy, a world and a
 * list of observations. Rewards and prior means up to 1e100, standard deviations of 0 or
 * from 1e-100 to 1e100, variances in G of 0 or from 1e-200 to 1e100, kernels with length
 * scales and constants from 1e-100 to 1e100, parameters anywhere in
 * their ranges: no such input may give an arm that does not exist, a NaN, a negative
 * variance, or a report of the sanitizers. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "gap.h"
#include "linalg.h"
#include "plain.h"
#include "stubs.h"

#define REQUIRE(condition)                                                               \
  do {                                                                                   \
    if (!(condition))                                                                    \
      broken(__LINE__, #condition);                                                      \
  } while (0)

static void broken(int line, const char *condition) {
  fprintf(stderr, "fuzz.c:%d: broken: %s\n", line, condition);
  __builtin_trap();
}

enum { MOST_ARMS = 24, MOST_FEATURES = 8, MOST_BUDGET = 80, DRAWS = 5, MOST_LEAVES = 6 };

/* ---- Bytes ------------------------------------------------------------------------- */

struct bytes {
  const uint8_t *at;
  size_t left;
  uint32_t more;
};

/* The next byte; after the last one, bytes made from those before: a short input is a whole
 * problem already. */
static int byte(struct bytes *b) {
  if (b->left > 0) {
    b->left--;
    b->more = (b->more ^ *b->at) * 16777619u;
    return *b->at++;
  }
  b->more = b->more * 1664525u + 1013904223u;
  return (int)(b->more >> 24);
}

static int upto(struct bytes *b, int most) {
  return byte(b) % (most + 1);
}

static double sign(struct bytes *b) {
  return byte(b) & 1 ? -1 : 1;
}

/* A standard deviation as R admits it; `mild` keeps to sizes without trouble. */
static double any_sd(struct bytes *b, int mild) {
  static const double wild[] = {0, 1e-100, 1e-77, 1e-50, 1e-12, 1e-8, 1e-3, 0.3,
                                1, 7,      20,    1e3,   1e10,  1e50, 1e99, 1e100};
  static const double tame[] = {0.1, 0.3, 1, 7};
  return mild ? tame[upto(b, 3)] : wild[upto(b, 15)];
}

/* A reward or a prior mean. */
static double any_mean(struct bytes *b, int mild) {
  static const double wild[] = {0, 1e-300, 1e-100, 1e-9, 0.5, 1, 1e9, 1e100};
  static const double tame[] = {0, 0.5, 1, 3};
  return sign(b) * (mild ? tame[upto(b, 3)] : wild[upto(b, 7)]);
}

/* ---- The prior --------------------------------------------------------------------- */

/* k x d numbers with zeros, equal rows and rows of different sizes. */
static double *any_features(struct bytes *b, int k, int d, int mild) {
  static const double sizes[] = {1e-100, 1e-60, 1e-20, 1e-7, 1, 1, 1e10, 1e49};
  double *x = stub_doubles((size_t)k * (size_t)d);
  for (int i = 0; i < k; i++) {
    const int like = byte(b);
    const double size = mild ? 1 : sizes[like & 7];
    for (int j = 0; j < d; j++)
      x[i + k * j] =
          like > 200 && i > 0 ? x[i - 1 + k * j] : size * (byte(b) - 128) / 64.0;
  }
  return x;
}

/* G = X X'; entries below `least` are 0. */
static double *covariance(const double *x, int k, int d, double least) {
  double *g = stub_doubles((size_t)k * (size_t)k);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      double sum = 0;
      for (int l = 0; l < d; l++)
        sum += x[i + k * l] * x[j + k * l];
      g[i + k * j] = fabs(sum) < least ? 0 : sum;
    }
  return g;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* The factor of G as R has it made; sets the rank. */
static double *factorise(const double *g, int k, const double *diagonal, int *rank) {
  const size_t n = (size_t)k;
  double *l = stub_doubles(n * n);
  int *pivot = stub_ints(n);
  memcpy(l, g, n * n * sizeof(double));
  const double tolerance = 10 * k * DBL_EPSILON * largest(diagonal, k);
  *rank = linalg_cholesky(k, l, tolerance, pivot, stub_doubles(n));
  REQUIRE(*rank >= 0 && *rank <= k);
  double *factor = stub_doubles(n * (size_t)*rank);
  linalg_unpivot(k, *rank, l, pivot, factor);
  return factor;
}

/* A kernel and the arrays that it points to. */
struct tree {
  struct kernel kernel;
  int op[KERNEL_NODES], column[KERNEL_NODES], columns[KERNEL_NODES], param[KERNEL_NODES];
  double value[MOST_LEAVES * MOST_FEATURES];
};

static void add_node(struct tree *t, enum kernel_op op, int columns, int params) {
  const int node = t->kernel.nodes++;
  t->op[node] = op;
  t->column[node] = 0;
  t->columns[node] = columns;
  t->param[node] = t->kernel.params;
  t->kernel.params += params;
}

static void any_leaf(struct bytes *b, struct tree *t, int d, int mild) {
  static const enum kernel_op ops[] = {KERNEL_CONST,    KERNEL_WHITE,   KERNEL_LINEAR,
                                       KERNEL_FACTOR,   KERNEL_SE,      KERNEL_MATERN12,
                                       KERNEL_MATERN32, KERNEL_MATERN52};
  enum kernel_op op = ops[upto(b, 7)];
  if (op == KERNEL_LINEAR && !mild)
    op = KERNEL_SE; /* R standardises the columns of a linear kernel */
  const int first = t->kernel.params;
  add_node(t, op, op == KERNEL_CONST || op == KERNEL_WHITE ? 0 : d,
           op >= KERNEL_SE                             ? d
           : op == KERNEL_CONST || op == KERNEL_FACTOR ? 1
                                                       : 0);
  for (int i = first; i < t->kernel.params; i++)
    t->value[i] = fmax(any_sd(b, mild), 1e-100);
  if (op == KERNEL_FACTOR && byte(b) & 1)
    t->value[first] = byte(b) & 1 ? INFINITY : 0;
}

/* Leaves, each joined to what is there. */
static const struct kernel *any_kernel(struct bytes *b, int k, int d, int mild) {
  struct tree *t = stub_block(1, sizeof *t);
  t->kernel = (struct kernel){.k = k,
                              .op = t->op,
                              .column = t->column,
                              .columns = t->columns,
                              .param = t->param,
                              .x = any_features(b, k, d, mild),
                              .value = t->value};
  any_leaf(b, t, d, mild);
  for (int more = upto(b, MOST_LEAVES - 1); more > 0; more--) {
    any_leaf(b, t, d, mild);
    add_node(t, byte(b) & 1 ? KERNEL_SUM : KERNEL_PRODUCT, 0, 0);
  }
  return &t->kernel;
}

static void require_gradient(struct bytes *b, const struct kernel *kernel) {
  const int n = 1 + upto(b, 5);
  int *arm = stub_ints((size_t)n);
  double *weight = stub_doubles((size_t)(n * n));
  double *out = stub_doubles((size_t)kernel->params);
  for (int i = 0; i < n; i++)
    arm[i] = upto(b, kernel->k - 1);
  for (int i = 0; i < n * n; i++)
    weight[i] = i / n > i % n ? weight[i / n + n * (i % n)] : byte(b) - 128;
  kernel_gradient(kernel, n, arm, weight, out);
  for (int i = 0; i < kernel->params; i++)
    REQUIRE(!isnan(out[i]));
}

/* The prior of a kernel, with a factor that may be cut short. 0 when R would refuse it. */
static int kernel_prior(struct bytes *b, struct prior *p, int d, double *diagonal,
                        int mild) {
  const size_t k = (size_t)p->k;
  const int limit = byte(b) & 1 ? p->k : 1 + upto(b, p->k - 1);
  p->kernel = any_kernel(b, p->k, d, mild);
  kernel_diagonal(p->kernel, diagonal);
  const double most = linalg_max(p->k, diagonal);
  if (!(most <= 1e100) || (most > 0 && most < 1e-100))
    return 0;
  double *factor = stub_doubles(k * (size_t)limit), *rest = stub_doubles(k);
  p->d = kernel_factor(p->kernel, 10 * p->k * DBL_EPSILON * most, limit, factor, rest,
                       stub_doubles((size_t)limit));
  p->factor = factor;
  p->rest = largest(rest, p->k) > 0 ? rest : NULL;
  require_gradient(b, p->kernel);
  return 1;
}

static double *any_means(struct bytes *b, int k, int mild) {
  double *mean = stub_doubles((size_t)k), shared = any_mean(b, mild);
  const int own = byte(b) & 1;
  for (int i = 0; i < k; i++)
    mean[i] = own ? any_mean(b, mild) : shared;
  return mean;
}

/* 0 when R would refuse it. */
static int any_prior(struct bytes *b, struct prior *p, int mild) {
  const int kind = upto(b, 3), k = 1 + upto(b, MOST_ARMS - 1);
  const int d = 1 + upto(b, MOST_FEATURES - 1);
  const double sd = any_sd(b, mild);
  double *diagonal = stub_doubles((size_t)k);
  *p = (struct prior){.kind = (enum prior_kind)kind,
                      .k = k,
                      .scale = sd * sd,
                      .df = byte(b) & 1 ? (double)INFINITY : 4 + upto(b, 60),
                      .mean = any_means(b, k, mild),
                      .diagonal = diagonal};
  for (int i = 0; i < k; i++)
    diagonal[i] = 1;
  if (kind == PRIOR_KERNEL) {
    if (!kernel_prior(b, p, d, diagonal, mild))
      return 0;
  } else if (kind != PRIOR_INDEPENDENT) {
    p->d = d;
    p->factor = any_features(b, k, d, mild);
    const double *g = covariance(p->factor, k, d, kind == PRIOR_DENSE ? 1e-200 : 0);
    for (int i = 0; i < k; i++)
      diagonal[i] = g[i + k * i];
    if (kind == PRIOR_DENSE) {
      if (largest(g, k * k) > 1e100)
        return 0;
      p->cov = g;
      p->factor = factorise(g, k, diagonal, &p->d);
    }
  }
  prior_finish(p);
  return 1;
}

/* ---- The policy -------------------------------------------------------------------- */

/* Any value that R admits: a choice, or a finite number in the range. */
static double any_param(struct bytes *b, const struct param *param) {
  static const double values[] = {0, 1e-300, 1e-100, 1e-9, 0.5, 1, 3, 1e9, 1e100, 1e308};
  if (param->choices)
    return upto(b, (int)param->upper);
  if (byte(b) & 1)
    return param->value;
  const double upper = param->upper < DBL_MAX ? param->upper : DBL_MAX;
  return fmin(fmax(values[upto(b, 9)], param->lower), upper);
}

/* Some arms are barred, and sometimes, unless that is all of them, they are out of the race. */
static void any_bars(struct bytes *b, int k, struct round *r) {
  const int how = byte(b);
  if (how & 1)
    return;
  int *barred = stub_ints((size_t)k), left = 0;
  for (int i = 0; i < k; i++) {
    barred[i] = byte(b) > 160;
    left += !barred[i];
  }
  r->barred = barred;
  if ((how & 2) && left > 0) {
    r->out = barred;
    r->shown = stub_doubles((size_t)k);
  }
}

/* ---- What must hold ---------------------------------------------------------------- */

static void require_arm(int arm, int k) {
  REQUIRE(arm >= -1 && arm < k);
}

static void require_open(const struct stub_run *run, int arm) {
  require_arm(arm, run->p.prior->k);
  if (arm >= 0)
    REQUIRE(policy_open(&run->p, &run->r, arm));
}

static void require_belief(const struct stub_run *run, int informative, int mild) {
  const struct posterior *p = &run->p;
  const int k = p->prior->k;
  int pulls = 0;
  for (int i = 0; i < k; i++) {
    REQUIRE(p->mean[i] > -INFINITY && p->mean[i] < INFINITY);
    REQUIRE(p->var[i] >= 0 && p->var[i] <= 2 * (p->prior->most + p->block2));
    REQUIRE(!mild || p->var[i] <= prior_var(p->prior, i) * (1 + 1e-9));
    REQUIRE(p->pulls[i] >= 0);
    require_arm(p->last[i], p->n);
    pulls += p->pulls[i];
  }
  for (int i = 0; i < p->blocks * p->width; i++) {
    REQUIRE(p->block_mean[i] > -INFINITY && p->block_mean[i] < INFINITY);
    REQUIRE(p->block_var[i] >= 0 && p->block_var[i] <= 2 * (p->prior->most + p->block2));
    REQUIRE(!mild || p->block_var[i] <= p->block2 * (1 + 1e-9));
  }
  REQUIRE(pulls == informative);
  REQUIRE(p->n >= 0 && p->n <= informative);
  require_arm(engine_recommend(run->policy, p, &run->r), k);
  const int best = engine_recommend(run->policy, p, &run->r);
  REQUIRE(best >= 0 && !(run->r.out && run->r.out[best]));
}

static void require_note(const struct stub_run *run) {
  const struct note *n = &run->note;
  require_arm(n->leader, run->p.prior->k);
  require_arm(n->rival, run->p.prior->k);
  require_arm(n->safest, run->p.prior->k);
  require_arm(n->block, run->r.block < 0 ? run->r.blocks : run->r.block + 1);
  if (n->rival >= 0)
    REQUIRE(!isnan(n->beta) && !isnan(n->gap) && n->rival != n->leader);
}

static void require_certainty(const struct stub_run *run) {
  const struct posterior *p = &run->p;
  const size_t k = (size_t)p->prior->k;
  const size_t room = 3 * (size_t)posterior_size(p);
  double *work = stub_doubles(room), *best = stub_doubles(k),
         *regret = stub_doubles(DRAWS);
  double shares = 0;
  const int arm = engine_recommend(run->policy, p, &run->r);
  draws_certainty(p, arm, DRAWS, work, room, best, regret);
  for (size_t i = 0; i < k; i++) {
    REQUIRE(best[i] >= 0 && best[i] <= 1);
    shares += best[i];
  }
  REQUIRE(fabs(shares - 1) < 1e-9);
  for (int s = 0; s < DRAWS; s++)
    REQUIRE(regret[s] >= 0 && regret[s] < INFINITY);
}

/* ---- Observations told from outside ------------------------------------------------ */

struct told {
  int *arm, *counted, *block;
  double *y, *noise2;
};

static double any_reward(struct bytes *b, const struct posterior *p, int arm, int mild) {
  switch (upto(b, 7)) {
  case 0:
    return NAN;
  case 1:
    return p->mean[arm]; /* a pull that is still out */
  case 2:
  case 3:
    return any_mean(b, mild);
  default:
    return fmax(fmin(p->mean[arm] + 2 * sqrt(p->var[arm]), 1e100), -1e100);
  }
}

static void any_told(struct bytes *b, const struct stub_run *run, struct told *t, int i,
                     int next, int mild) {
  const int k = run->p.prior->k, arm = upto(b, k);
  t->arm[i] = arm < k ? arm : next >= 0 ? next : 0;
  t->y[i] = any_reward(b, &run->p, t->arm[i], mild);
  const double se = any_sd(b, mild);
  t->noise2[i] = byte(b) & 3 ? run->noise2[t->arm[i]] : se * se;
  t->counted[i] = (byte(b) & 7) > 0;
  t->block[i] = upto(b, run->p.blocks) - 1;
}

static int informative(const struct told *t, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    count += !isnan(t->y[i]);
  return count;
}

/* Compacting keeps the belief, as far as rounding lets it. */
static void compact(struct stub_run *run, const struct told *t, int n, int mild) {
  const int k = run->p.prior->k;
  double before[2 * MOST_ARMS];
  memcpy(before, run->p.mean, (size_t)k * sizeof(double));
  memcpy(before + k, run->p.var, (size_t)k * sizeof(double));
  stub_run_compact(run);
  const double size = fmax(largest(before, k), largest(t->y, n)),
               most = run->p.prior->most;
  for (int i = 0; mild && i < k; i++) {
    REQUIRE(fabs(run->p.mean[i] - before[i]) <= 1e-6 * (size + sqrt(most)));
    REQUIRE(fabs(run->p.var[i] - before[k + i]) <= 1e-6 * most);
  }
}

static void tell(struct bytes *b, struct stub_run *run, int budget, int mild) {
  const size_t room = (size_t)budget;
  struct told t = {stub_ints(room), stub_ints(room), stub_ints(room), stub_doubles(room),
                   stub_doubles(room)};
  run->r.made = (struct pairs){0, t.arm, t.block};
  int next = engine_start(run->policy, &run->p, &run->r), n = 0;
  require_belief(run, 0, mild);
  while (n < budget) {
    int more = 1 + upto(b, 2);
    more = more < budget - n ? more : budget - n;
    for (int i = 0; i < more; i++)
      any_told(b, run, &t, n + i, next, mild);
    const struct log log = {
        {more, t.arm + n, t.y + n, t.noise2 + n, run->p.blocks ? t.block + n : NULL},
        t.counted + n};
    run->r.made.n = n + more;
    run->r.block = run->p.blocks && byte(b) & 1 ? upto(b, run->p.blocks - 1) : -1;
    next = engine_learn(run->policy, &run->p, &run->r, &log);
    n += more;
    require_open(run, next);
    require_belief(run, informative(&t, n), mild);
    require_note(run);
    if (run->p.blocks == 0 && (byte(b) & 15) == 15) {
      compact(run, &t, n, mild);
      require_belief(run, informative(&t, n), mild);
    }
  }
  require_certainty(run);
}

/* ---- Whole runs -------------------------------------------------------------------- */

static int *open_arms(int k) {
  int *barred = stub_ints((size_t)k);
  memset(barred, 0, (size_t)k * sizeof(int));
  return barred;
}

static void simulate(struct bytes *b, struct stub_run *run, int budget, int mild) {
  const int k = run->p.prior->k;
  const size_t room = (size_t)budget;
  double *mean = stub_doubles((size_t)k), *noise_sd = stub_doubles((size_t)k);
  int *arm = stub_ints(room);
  double *y = stub_doubles(room);
  for (int i = 0; i < k; i++) {
    mean[i] = any_mean(b, mild);
    noise_sd[i] = fmin(sqrt(run->noise2[i]), 1e99);
  }
  const int blocks = run->p.blocks;
  double *pool = blocks ? stub_doubles((size_t)(k * blocks)) : NULL;
  for (int i = 0; i < k * blocks; i++)
    pool[i] = any_mean(b, mild);
  if (blocks) {
    run->r.barred = open_arms(k);
    run->r.out = NULL;
  }
  const struct truth truth = {mean,       noise_sd,     pool, blocks,
                              blocks > 0, LAW_GAUSSIAN, 1,    1};
  int best = -1;
  const int *out = run->r.out;
  struct record record = {.arm = arm,
                          .block = stub_ints((size_t)budget),
                          .y = y,
                          .stops = 1,
                          .after = &budget,
                          .best = &best,
                          .barred = blocks ? (int *)run->r.barred : NULL};
  const int n = engine_run(run->policy, &run->p, &run->r, &truth, &record);
  REQUIRE(best >= 0 && best < k && !(out && out[best]));
  REQUIRE(n >= 0 && n <= budget);
  for (int i = 0; i < n; i++)
    REQUIRE(arm[i] >= 0 && arm[i] < k &&
            (blocks || !(run->r.barred && run->r.barred[arm[i]])));
  for (int i = 0; blocks && i < n; i++) {
    REQUIRE(record.block[i] >= 0 && record.block[i] < blocks);
    for (int j = 0; j < i; j++)
      REQUIRE(arm[i] != arm[j] || record.block[i] != record.block[j]);
  }
  require_belief(run, n, mild);
  require_certainty(run);
}

/* ---- Searches, on any doubles at all ----------------------------------------------- */

static void search_raw(const uint8_t *data, size_t size) {
  const int k = (int)(size / sizeof(double));
  if (k < 1)
    return;
  double *x = stub_doubles((size_t)k);
  memcpy(x, data, (size_t)k * sizeof(double));
  require_arm(linalg_which_max(k, x, 0), k);
  require_arm(linalg_which_max(k, x, 1), k);
  const int at = linalg_find(k, x, x[k - 1]);
  REQUIRE(at >= 0 && at <= k);
}

/* ---- Files, on any bytes at all ---------------------------------------------------- */

/* A value with some bytes missing, or with more behind it, is none. */
static void read_raw(const uint8_t *data, size_t size) {
  static const unsigned char head[14] = "X\n\0\0\0\2";
  const size_t n = sizeof head + size;
  unsigned char *bytes = stub_block(n, 1);
  memcpy(bytes, head, sizeof head);
  if (size > 0)
    memcpy(bytes + sizeof head, data, size);
  plain_fault(data, size, 9);
  if (plain_fault(bytes, n, 9))
    return;
  REQUIRE(plain_fault(bytes, n - 1, 9));
  unsigned char *longer = stub_block(n + 1, 1);
  memcpy(longer, bytes, n);
  longer[n] = 0;
  REQUIRE(plain_fault(longer, n + 1, 9));
}

/* ---- A problem --------------------------------------------------------------------- */

static void solve(struct bytes *b) {
  stub_seed((uint64_t)byte(b));
  const int mild = byte(b) & 1, whole = byte(b) & 1;
  const struct policy *policy = policy_at(upto(b, policy_count() - 1));
  const int budget = 1 + upto(b, MOST_BUDGET - 1);
  struct prior prior;
  if (!any_prior(b, &prior, mild))
    return;
  const int blocks = byte(b) & 1 ? 1 + upto(b, 3) : 0;
  const double block_sd = any_sd(b, mild);
  int columns = whole ? engine_columns(prior.k, blocks, budget) : budget;
  if (prior.kind == PRIOR_INDEPENDENT && blocks == 0)
    columns = 0;
  const int width = 1 + (blocks ? upto(b, 2) : 0);
  double *loading = stub_doubles((size_t)(prior.k * (width - 1)));
  for (int i = 0; i < prior.k * (width - 1); i++)
    loading[i] = fmax(fmin(any_mean(b, 1), 1e3), -1e3);
  struct stub_run run;
  stub_run_tilted(&run, &prior, policy, budget, columns, blocks, block_sd * block_sd,
                  width, loading);
  const double sd = any_sd(b, mild);
  for (int i = 0; i < prior.k; i++)
    run.noise2[i] = pow(byte(b) > 200 ? any_sd(b, mild) : sd, 2);
  for (int i = 0; i < policy_params(policy); i++)
    run.param[i] = any_param(b, policy->params + i);
  any_bars(b, prior.k, &run.r);
  if (policy->unfit && policy->unfit(&prior, run.param, blocks > 0))
    return;
  posterior_start(&run.p);
  const int least = policy->least ? policy->least(&run.p, &run.r) : 1;
  REQUIRE(least >= 1);
  if (budget < least)
    return;
  if (whole)
    simulate(b, &run, budget, mild);
  else
    tell(b, &run, budget, mild);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size, 2166136261u};
  const int what = byte(&b);
  if (what == 255)
    search_raw(b.at, b.left);
  else if (what == 254)
    read_raw(b.at, b.left);
  else
    solve(&b);
  stub_free();
  return 0;
}
