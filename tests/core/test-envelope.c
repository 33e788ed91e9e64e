/* The worth of lines against its slow form, and bounds against the worth. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "linalg.h"
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
  CHECK(envelope_bound(k, l->mean, column, column[top], 2 * error, root, &excess) >=
        worth - slack);
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
    CHECK(envelope_rough(&reach, root, &excess) < worth + 1.6);
    CHECK(root > 2 ||
          envelope_bound(2, mean, column, 0, 0, root, &excess) < worth + 0.55);
  }
}

const struct test TESTS_ENVELOPE[] = {
    {"worth of lines", test_worth},
    {"worth of two lines", test_two_lines},
    {"bounds of worth are close", test_bounds_are_close},
    {0},
};
