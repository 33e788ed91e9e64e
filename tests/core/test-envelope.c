/* The worth of lines against its slow form, and bounds against the worth. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "linalg.h"
#include "normal.h"
#include "stubs.h"
#include "twin_lines.h"

enum shape { ANY, TIED, CURVED, FAR, FLAT, SHAPES };

/* Slopes and means below 0, of which one is 0; a curved set has all its lines on the envelope. */
static void make(enum shape shape, int k, double *mean, double *slope) {
  for (int i = 0; i < k; i++) {
    mean[i] = shape == TIED ? whole(3) : shape == FLAT ? 0 : norm_rand();
    slope[i] = shape == TIED ? whole(4) - 2 : norm_rand();
    if (shape == CURVED)
      mean[i] = -slope[i] * slope[i];
    if (shape == FAR)
      mean[i] *= 1e3;
  }
  const double top = linalg_max(k, mean);
  for (int i = 0; i < k; i++)
    mean[i] -= top;
}

static int equal_logs(double a, double b) {
  return a == b || fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* As the policy does it: slopes are columns over a root. */
static void check_bounds(const struct lines *l, double worth) {
  const int k = l->k, top = linalg_top(k, l->mean);
  const double root = exp(norm_rand()), error = whole(2) ? 1e-3 : 0;
  double *column = copy(k, l->slope), *inverse = stub_doubles((size_t)k), nearest = 0;
  for (int i = 0; i < k; i++) {
    column[i] = column[i] * root + error * (2 * unif_rand() - 1);
    inverse[i] = i == top ? 0 : 1 / fmax(-l->mean[i], 1e-250);
    nearest = fmax(nearest, inverse[i]);
  }
  struct excess excess;
  envelope_excess(l->df, &excess);
  struct reach reach = envelope_reach(k, column, column[top], inverse);
  reach.far += 2 * error;
  reach.near += 2 * error * nearest;
  const double slack = 1e-9 * (1 + fabs(worth));
  CHECK(envelope_rough(&reach, root, &excess) >= worth - slack);
  CHECK(envelope_bound(k, l->mean, column, column[top], 2 * error, root, reach.near,
                       &excess) >= worth - slack);
}

static void test_worth(void) {
  for (int n = 0; n < 4000; n++) {
    const int k = 1 + whole(n % 10 ? 12 : 150);
    double *mean = stub_doubles((size_t)k), *slope = stub_doubles((size_t)k);
    make((enum shape)(n % SHAPES), k, mean, slope);
    const struct lines l = {k, mean, slope, n % 3 ? 1e-14 : 0,
                            n % 4 ? (double)INFINITY : 3 + whole(20)};
    const double worth =
        envelope_log_worth(&l, stub_doubles(4 * (size_t)k), stub_ints((size_t)k));
    CHECK(equal_logs(worth, twin_worth(&l)));
    check_bounds(&l, worth);
    stub_free();
  }
}

/* Two lines that cross at 0: E |Z| / 2 per unit of slope between them. */
static void test_two_lines(void) {
  const double mean[] = {0, 0, -50}, slope[] = {-1, 1, 0.5};
  const struct lines two = {3, mean, slope, 0, INFINITY},
                     one = {1, mean, slope, 0, INFINITY};
  double *room = stub_doubles(12);
  int *stack = stub_ints(3);
  CHECK(near(exp(envelope_log_worth(&two, room, stack)), 0.7978845608028654, 1e-14));
  CHECK(envelope_log_worth(&one, room, stack) == -(double)INFINITY);
}

/* The bounds are worth having: lines that nearly meet them. */
static void test_bounds_are_close(void) {
  const double mean[] = {0, -1}, column[] = {0, 1}, inverse[] = {0, 1};
  struct excess excess;
  envelope_excess(INFINITY, &excess);
  for (double root = 0.1; root < 3; root += 0.1) {
    const double slope[] = {0, 1 / root};
    const struct lines l = {2, mean, slope, 0, INFINITY};
    const double worth = envelope_log_worth(&l, stub_doubles(8), stub_ints(2));
    const struct reach reach = envelope_reach(2, column, 0, inverse);
    CHECK(envelope_rough(&reach, root, &excess) < worth + 0.9);
    CHECK(envelope_bound(2, mean, column, 0, 0, root, reach.near, &excess) < worth + 0.2);
  }
}

/* A curve has lines that cross all along: the closer bound knows, wherever they begin. */
static void test_curve(void) {
  enum { K = 101 };
  struct excess excess;
  envelope_excess(INFINITY, &excess);
  for (double begin = 0.5; begin < 30; begin += 0.5) {
    double mean[K], slope[K], inverse[K];
    for (int i = 0; i < K; i++) {
      slope[i] = i / (double)(K - 1);
      mean[i] = i == 0 ? 0 : -begin * slope[i] - slope[i] * slope[i];
      inverse[i] = i == 0 ? 0 : -1 / mean[i];
    }
    const struct lines l = {K, mean, slope, 0, INFINITY};
    const double worth = envelope_log_worth(&l, stub_doubles(4 * K), stub_ints(K));
    const struct reach reach = envelope_reach(K, slope, 0, inverse);
    CHECK(envelope_bound(K, mean, slope, 0, 0, 1, reach.near, &excess) < worth + 0.75);
    CHECK(envelope_rough(&reach, 1, &excess) > worth + 0.75);
    stub_free();
  }
}

/* The rough bounds of many: no lower than each for itself, and next to none higher where what its
 * logarithm is taken of is within 100 times of the largest. */
static void test_rough_all(void) {
  for (int n = 0; n < 400; n++) {
    const int k = 1 + whole(40);
    double *root = stub_doubles((size_t)k), *far = stub_doubles((size_t)k),
           *near = stub_doubles((size_t)k), *one = stub_doubles((size_t)k);
    struct excess excess;
    envelope_excess(n % 3 ? (double)INFINITY : 3 + whole(20), &excess);
    const int alike = n % 2;
    for (int i = 0; i < k; i++) {
      root[i] = alike ? 1 : exp(3 * norm_rand());
      far[i] = whole(9) ? exp((alike ? 1 : 5) * norm_rand()) : 0;
      near[i] = alike ? far[i] > 0 : far[i] * exp(3 * norm_rand());
      const struct reach reach = {far[i], near[i]};
      one[i] = envelope_rough(&reach, root[i], &excess);
    }
    const double largest = linalg_max(k, far);
    double *at = copy(k, far);
    envelope_rough_all(k, root, at, near, &excess, stub_doubles(3 * (size_t)k));
    for (int i = 0; i < k; i++) {
      CHECK(at[i] >= one[i] - 1e-12 * (1 + fabs(one[i])));
      CHECK(!alike || far[i] < largest / 100 || at[i] <= one[i] + 0.25);
    }
    stub_free();
  }
}

/* The sum of all terms, where most are lost in a few. */
static void test_lost_terms(void) {
  enum { K = 41 };
  double mean[K], slope[K], sum = -INFINITY;
  for (int i = 0; i < K; i++) {
    slope[i] = i;
    mean[i] = i == 0 ? 0 : mean[i - 1] - 2 * i;
    if (i > 0)
      sum = normal_log_add(sum, normal_log_excess(-2 * i));
  }
  const struct lines l = {K, mean, slope, 0, INFINITY};
  CHECK(equal_logs(envelope_log_worth(&l, stub_doubles(4 * K), stub_ints(K)), sum));
}

const struct test TESTS_ENVELOPE[] = {
    {"worth of lines", test_worth},
    {"worth of two lines", test_two_lines},
    {"bounds of worth are close", test_bounds_are_close},
    {"bounds of worth are close where lines curve", test_curve},
    {"rough bounds of many lines", test_rough_all},
    {"terms of worth that are lost", test_lost_terms},
    {0},
};
