/* What the core asks of R, for tests without R: a small generator of random numbers,
 * interrupts that never come, and the memory that the binding gets from R. */
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <Rmath.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recent.h"
#include "stubs.h"

static uint64_t state = 1;

void stub_seed(uint64_t seed) {
  state = 2 * seed + 1;
}

double unif_rand(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

double norm_rand(void) {
  const double radius = sqrt(-2 * log(unif_rand()));
  return radius * cos(6.283185307179586 * unif_rand());
}

/* One trial, or one count, at a time. */
double Rf_rbinom(double n, double p) {
  double hits = 0;
  for (int i = 0; i < n; i++)
    hits += unif_rand() < p;
  return hits;
}

double Rf_rpois(double rate) {
  double count = -1;
  for (double left = rate; left >= 0; count++)
    left += log(unif_rand());
  return count;
}

static int looks;

void R_CheckUserInterrupt(void) {
  looks++;
}

int stub_looks(void) {
  const int found = looks;
  looks = 0;
  return found;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void R_rsort(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_size);
}

void rPsort(double *x, int n, int k) {
  (void)k;
  R_rsort(x, n);
}

/* The normal distribution, to about 12 digits. */
double Rf_pnorm5(double x, double mean, double sd, int lower, int in_log) {
  const double z = (lower ? 1 : -1) * (x - mean) / sd;
  if (z > -37)
    return in_log ? log(0.5 * erfc(-z / sqrt(2))) : 0.5 * erfc(-z / sqrt(2));
  const double w = 1 / (z * z);
  const double tail = -0.5 * z * z - 0.918938533204672742 - log(-z) +
                      log1p(w * (-1 + w * (3 + w * (-15 + w * 105))));
  return in_log ? tail : exp(tail);
}

double Rf_qnorm5(double p, double mean, double sd, int lower, int in_log) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; i++) {
    const double middle = (low + high) / 2;
    if (Rf_pnorm5(middle, 0, 1, lower, in_log) < p)
      low = middle;
    else
      high = middle;
  }
  return mean + sd * low;
}

/* log of the incomplete beta function I_x(a, b), by its continued fraction (Lentz). */
static double log_beta_share(double x, double a, double b) {
  if (x > (a + 1) / (a + b + 2))
    return log1p(-exp(log_beta_share(1 - x, b, a)));
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 400; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= c * d;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= c * d;
    if (fabs(c * d - 1) < 1e-15)
      break;
  }
  return a * log(x) + b * log1p(-x) - log(a) - lgamma(a) - lgamma(b) + lgamma(a + b) +
         log(h);
}

/* Student's t distribution: logarithms only, lower tails only, as the core asks for them. */
double Rf_pt(double x, double df, int lower, int in_log) {
  (void)lower, (void)in_log;
  const double tail =
      x == 0 ? log(0.5) : log(0.5) + log_beta_share(1 / (1 + x * x / df), df / 2, 0.5);
  return x <= 0 ? tail : log1p(-exp(tail));
}

double Rf_dt(double x, double df, int in_log) {
  (void)in_log;
  return lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979323846) -
         0.5 * (df + 1) * log1p(x * x / df);
}

double Rf_qt(double p, double df, int lower, int in_log) {
  double low = -700, high = 700; /* 2 log -x */
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    if (Rf_pt(-exp(middle / 2), df, lower, in_log) > p)
      low = middle;
    else
      high = middle;
  }
  return -exp(low / 2);
}

double Rf_rchisq(double df) {
  double sum = 0;
  for (int i = 0; i < df; i++) {
    const double z = norm_rand();
    sum += z * z;
  }
  return sum;
}

static void **blocks;
static size_t count, room;

/* Even nothing gets a block: one byte, which neither a double nor an int fits in. */
void *stub_block(size_t n, size_t size) {
  if (count == room) {
    room = 2 * room + 64;
    blocks = realloc(blocks, room * sizeof *blocks);
  }
  void *p = malloc(n > 0 ? n * size : 1);
  if (!p || !blocks)
    abort();
  blocks[count++] = p;
  return p;
}

void stub_free(void) {
  while (count > 0)
    free(blocks[--count]);
  free(blocks);
  blocks = NULL;
  room = 0;
}

double *stub_doubles(size_t n) {
  double *x = stub_block(n, sizeof *x);
  for (size_t i = 0; i < n; i++)
    x[i] = NAN;
  return x;
}

int *stub_ints(size_t n) {
  int *x = stub_block(n, sizeof *x);
  for (size_t i = 0; i < n; i++)
    x[i] = -2000000000;
  return x;
}

void stub_run_new(struct stub_run *run, const struct prior *prior,
                  const struct policy *policy, int budget, int columns) {
  stub_run_blocked(run, prior, policy, budget, columns, 0, 0);
}

void stub_run_blocked(struct stub_run *run, const struct prior *prior,
                      const struct policy *policy, int budget, int columns, int blocks,
                      double block2) {
  stub_run_tilted(run, prior, policy, budget, columns, blocks, block2, 1, NULL);
}

void stub_keep_recent(struct posterior *p, int sets) {
  const size_t n = (size_t)sets * RECENT;
  double **room = stub_block(n + 1, sizeof *room);
  for (size_t i = 0; i <= n; i++)
    room[i] = stub_doubles((size_t)posterior_size(p));
  recent_keep(p, sets, stub_block(n, sizeof(struct recent)), room);
}

void stub_run_tilted(struct stub_run *run, const struct prior *prior,
                     const struct policy *policy, int budget, int columns, int blocks,
                     double block2, int width, const double *loading) {
  const size_t k = (size_t)prior->k, n = (size_t)columns, m = (size_t)(blocks * width);
  const int params = policy_params(policy);
  memset(run, 0, sizeof *run);
  run->policy = policy;
  run->columns = columns;
  run->param = stub_doubles((size_t)params);
  for (int i = 0; i < params; i++)
    run->param[i] = policy->params[i].value;
  run->noise2 = stub_doubles(k);
  run->average = (struct average){
      .mean = stub_doubles(k), .weight = stub_doubles(k), .when = stub_ints(k)};
  run->p = (struct posterior){
      .prior = prior,
      .mean = stub_doubles(k),
      .var = stub_doubles(k),
      .pulls = stub_ints(k),
      .last = stub_ints(k),
      .average = blocks ? NULL : &run->average,
      .w = stub_block(n, sizeof(double *)),
      .arm = stub_ints(n),
      .d = stub_doubles(n),
      .noise2 = stub_doubles(n),
      .blocks = blocks,
      .width = width,
      .loading = loading,
      .block2 = block2,
      .block_mean = blocks ? stub_doubles(m) : NULL,
      .block_var = blocks ? stub_doubles(m) : NULL,
      .block = blocks ? stub_ints(n) : NULL,
  };
  for (size_t i = 0; i < n; i++)
    run->p.w[i] = stub_doubles(k + m);
  stub_keep_recent(&run->p, 1);
  const size_t kept = policy_room(policy, prior);
  run->r = (struct round){
      .t = 1,
      .budget = budget,
      .param = run->param,
      .noise2 = run->noise2,
      .block = -1,
      .memory = stub_doubles(policy_memory(policy, prior)),
      .kept = kept > 0 ? stub_doubles(kept) : NULL,
      .blocks = blocks,
      .work = stub_doubles(8 * (k + m) + (size_t)prior->d),
      .index = stub_ints(k + m),
      .note = &run->note,
  };
  if (kept > 0)
    run->r.kept[0] = 0;
}

void stub_run_compact(struct stub_run *run) {
  struct posterior *p = &run->p;
  const int k = p->prior->k, arms = run->columns > 0 ? posterior_arms(p) : 0;
  for (int i = 0; i < run->columns; i++) {
    for (int j = 0; j < k; j++)
      p->w[i][j] = NAN;
    p->w[i] = i < arms ? stub_doubles((size_t)k) : NULL;
  }
  posterior_compact(p, stub_ints((size_t)k));
  for (int i = arms; i < run->columns; i++)
    p->w[i] = stub_doubles((size_t)k);
}
