/* Averages of what was observed of each arm, against the observations themselves. */
#include <math.h>

#include "check.h"
#include "twin.h"

/* The mean and precision of an arm's observations, or the first exact one. */
static void average_of(const struct told *o, int n, int arm, double *mean,
                       double *weight) {
  long double sum = 0, total = 0;
  for (int i = 0; i < n; i++)
    if (!isnan(o->y[i]) && o->arm[i] == arm) {
      if (o->noise2[i] == 0) {
        *mean = o->y[i];
        *weight = INFINITY;
        return;
      }
      sum += (long double)o->y[i] / o->noise2[i];
      total += 1 / (long double)o->noise2[i];
    }
  *mean = total > 0 ? (double)(sum / total) : 0;
  *weight = (double)total;
}

/* The row that an arm's place in the order goes by, or -1. */
static int row_of(const struct told *o, int n, int arm, int exact) {
  int row = -1;
  for (int i = 0; i < n; i++)
    if (!isnan(o->y[i]) && o->arm[i] == arm) {
      if (exact && o->noise2[i] == 0)
        return i;
      row = i;
    }
  return row;
}

static void check_average(int k, int n, enum noise noise) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, k, PLAIN);
  const struct told o = told_random(&problem, n, noise);
  struct average a = {stub_doubles((size_t)k), stub_doubles((size_t)k),
                      stub_ints((size_t)k), 7};
  average_start(&a, k);
  int told = 0, arms = 0, ok = 1;
  for (int i = 0; i < n; i++)
    if (!isnan(o.y[i])) {
      average_add(&a, o.arm[i], o.y[i], o.noise2[i]);
      told++;
    }
  CHECK(a.told == told);
  for (int arm = 0; arm < k; arm++) {
    double mean, weight;
    average_of(&o, n, arm, &mean, &weight);
    arms += weight > 0;
    CHECK(isinf(weight) ? isinf(a.weight[arm]) : near(a.weight[arm], weight, 1e-12));
    CHECK(near(a.mean[arm], mean, 1e-12));
  }
  int *order = stub_ints((size_t)k);
  const int m = average_order(&a, k, order);
  CHECK(m == arms);
  for (int i = 1; i < m; i++) {
    const int before = isinf(a.weight[order[i - 1]]) != 0,
              exact = isinf(a.weight[order[i]]) != 0;
    ok = ok && before >= exact &&
         (before > exact ||
          row_of(&o, n, order[i - 1], exact) < row_of(&o, n, order[i], exact));
  }
  CHECK(ok);
  stub_free();
}

static void test_average(void) {
  const int sizes[] = {1, 2, 5, 30}, lengths[] = {0, 1, 10, 200};
  for (int noise = 0; noise < NOISES; noise++)
    for (int s = 0; s < 4; s++)
      for (int l = 0; l < 4; l++)
        check_average(sizes[s], lengths[l], (enum noise)noise);
}

const struct test TESTS_AVERAGE[] = {
    {"averages", test_average},
    {0},
};
