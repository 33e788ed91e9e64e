/* Sums, maxima, ties and factorisations against loops. */
#include <R_ext/Random.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "linalg.h"
#include "stubs.h"

static void test_sums_of_columns(void) {
  for (int k = 1; k <= 70; k++) {
    double *out = normals(k), *expected = copy(k, out), *f = normals(4), *x[4];
    for (int j = 0; j < 4; j++)
      x[j] = normals(k);
    linalg_add(k, f[0], x[0], out);
    for (int i = 0; i < k; i++)
      expected[i] += f[0] * x[0][i];
    CHECK(all_near(k, out, expected, 1e-14));
    const double *const columns[4] = {x[0], x[1], x[2], x[3]};
    linalg_add4(k, f, columns, out);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < 4; j++)
        expected[i] += f[j] * x[j][i];
    CHECK(all_near(k, out, expected, 1e-13));
  }
}

/* To the last bit: a column is the same whether its parts came off in fours or in eights. */
static void test_eights_are_two_fours(void) {
  for (int k = 1; k <= 70; k++) {
    double *out = normals(k), *expected = copy(k, out), *f = normals(8);
    const double *x[8];
    for (int j = 0; j < 8; j++)
      x[j] = normals(k);
    linalg_add8(k, f, x, out);
    linalg_add4(k, f, x, expected);
    linalg_add4(k, f + 4, x + 4, expected);
    CHECK(memcmp(out, expected, (size_t)k * sizeof *out) == 0);
  }
}

static void test_add8_twice(void) {
  for (int k = 1; k <= 40; k++) {
    const double *f = normals(8), *g = normals(8), *x[8];
    double *out = normals(k), *other = normals(k);
    double *expected = copy(k, out), *expected_other = copy(k, other);
    for (int j = 0; j < 8; j++)
      x[j] = normals(k);
    linalg_add8_twice(k, f, g, x, out, other);
    linalg_add8(k, f, x, expected);
    linalg_add8(k, g, x, expected_other);
    CHECK(memcmp(out, expected, (size_t)k * sizeof *out) == 0);
    CHECK(memcmp(other, expected_other, (size_t)k * sizeof *out) == 0);
  }
}

static void test_add_product(void) {
  for (int k = 1; k <= 40; k += 3)
    for (int d = 0; d <= 9; d++) {
      double *x = normals(k * d), *z = normals(d), *out = normals(k);
      double *expected = copy(k, out);
      linalg_add_product(k, d, x, z, out);
      for (int i = 0; i < k; i++)
        for (int j = 0; j < d; j++)
          expected[i] += x[i + k * j] * z[j];
      CHECK(all_near(k, out, expected, 1e-13));
    }
}

static void test_max_sum_sqrt(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = normals(k), *root = stub_doubles((size_t)k);
    double most = x[0];
    long double sum = 0;
    for (int i = 0; i < k; i++) {
      most = x[i] > most ? x[i] : most;
      sum += x[i];
    }
    CHECK(linalg_max(k, x) == most);
    CHECK(near(linalg_sum(k, x), (double)sum, 1e-13));
    int exact = 1;
    for (int i = 0; i < k; i++)
      x[i] = i % 7 == 3 ? 0 : fabs(x[i]);
    linalg_sqrt(k, x, root);
    for (int i = 0; i < k; i++)
      exact = exact && root[i] == sqrt(x[i]);
    CHECK(exact);
  }
}

static void test_find(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = integers(k, 50);
    for (int least = 0; least <= 51; least += 3) {
      int at = 0;
      while (at < k && x[at] < least)
        at++;
      CHECK(linalg_find(k, x, least) == at);
    }
    for (int i = 0; i < k; i++)
      x[i] = NAN;
    CHECK(linalg_find(k, x, -INFINITY) == k);
  }
}

/* Without a tie it is the largest, and the generator is not asked. */
static void test_which_max_alone(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = normals(k);
    const int at = whole(k);
    x[at] = 10;
    stub_seed((uint64_t)k);
    const double next = unif_rand();
    stub_seed((uint64_t)k);
    CHECK(linalg_which_max(k, x, 0) == at);
    CHECK(linalg_which_max(k, x, 1e-9) == at);
    CHECK(unif_rand() == next);
    for (int i = 0; i < k; i++)
      x[i] = i == at ? -1e300 : -INFINITY;
    CHECK(linalg_which_max(k, x, 1) == at);
  }
}

/* With ties every one of them has the same chance; within the tolerance counts. */
static void test_which_max_ties(void) {
  const int sizes[] = {2, 5, 31, 32, 33, 64, 70}, draws = 6000;
  for (int s = 0; s < 7; s++) {
    const int k = sizes[s];
    double *x = integers(k, 3);
    int *count = stub_ints((size_t)k), tied = 0;
    x[0] = 2;
    x[k - 1] = 2.5;
    for (int i = 0; i < k; i++) {
      count[i] = 0;
      tied += x[i] >= 2;
    }
    for (int i = 0; i < draws; i++)
      count[linalg_which_max(k, x, 0.5)]++;
    for (int i = 0; i < k; i++) {
      const double share = x[i] >= 2 ? 1.0 / tied : 0;
      CHECK(fabs(count[i] - draws * share) <= 5 * sqrt(draws * share * (1 - share)));
    }
  }
}

static void test_which_max_nothing(void) {
  for (int k = 1; k <= 70; k++) {
    double *x = stub_doubles((size_t)k);
    CHECK(linalg_which_max(k, x, 0) == -1); /* NaN throughout */
    for (int i = 0; i < k; i++)
      x[i] = -INFINITY;
    CHECK(linalg_which_max(k, x, 0) == -1);
    CHECK(linalg_which_max(k, x, 1) == -1);
    for (int i = 0; i < k; i++)
      x[i] = INFINITY;
    const int at = linalg_which_max(k, x, 1);
    CHECK(at >= 0 && at < k);
    x[0] = 1;
    x[k - 1] = NAN;
    const int with_nan = linalg_which_max(k, x, 0);
    CHECK(with_nan >= -1 && with_nan < k);
  }
}

/* The factor F of a gives a back, and has the rank of a. */
static void check_factor(int k, const double *a, int rank) {
  double *l = copy(k * k, a), *work = stub_doubles((size_t)k), most = 0;
  int *pivot = stub_ints((size_t)k);
  for (int i = 0; i < k; i++)
    most = fmax(most, a[i + k * i]);
  const int found = linalg_cholesky(k, l, 10 * k * DBL_EPSILON * most, pivot, work);
  CHECK(found == rank);
  CHECK(linalg_left(k, found, l) <= 1e-12 * most);
  double *f = stub_doubles((size_t)k * (size_t)found);
  linalg_unpivot(k, found, l, pivot, f);
  double *again = crossed(k, found, f), worst = 0;
  for (int i = 0; i < k * k; i++)
    worst = fmax(worst, fabs(again[i] - a[i]));
  CHECK(worst <= 1e-12 * most);
}

/* What is left of a matrix that is not semi-definite shows. */
static void check_left(int k, const double *a) {
  double *l = copy(k * k, a);
  l[0] = -1;
  const int found =
      linalg_cholesky(k, l, 1e-9, stub_ints((size_t)k), stub_doubles((size_t)k));
  CHECK(found < k && linalg_left(k, found, l) > 0.5);
}

static void test_cholesky(void) {
  for (int k = 1; k <= 70; k += 3)
    for (int rank = 1; rank <= k; rank += 4) {
      double *x = normals(k * rank), *a = crossed(k, rank, x);
      check_factor(k, a, rank);
      check_left(k, a);
      for (int j = 0; j < rank; j++)
        for (int i = 1; i < k; i++)
          x[i + k * j] = x[k * j]; /* all arms alike */
      a = crossed(k, rank, x);
      check_factor(k, a, 1);
      memset(a, 0, (size_t)k * (size_t)k * sizeof(double));
      check_factor(k, a, 0);
    }
}

static void test_invert(void) {
  for (int k = 1; k < 12; k++) {
    double *a = definite(k), *inverse = stub_doubles((size_t)(k * k)), log_det, twin;
    memcpy(inverse, a, (size_t)(k * k) * sizeof(double));
    CHECK(linalg_invert(k, inverse, &log_det) == 0);
    int ok = 1;
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++)
          sum += a[i + k * l] * inverse[l + k * j];
        ok = ok && near(sum, i == j, 1e-9);
      }
    CHECK(ok);
    /* Twice the matrix has 2^k times the determinant. */
    for (int i = 0; i < k * k; i++)
      inverse[i] = 2 * a[i];
    CHECK(linalg_invert(k, inverse, &twin) == 0);
    CHECK(near(twin - log_det, k * log(2), 1e-10));
    for (int i = 0; i < k * k; i++)
      a[i] = k > 1;
    CHECK(linalg_invert(k, a, &log_det) == 1);
  }
}

static void test_solve(void) {
  for (int k = 1; k < 12; k++) {
    double *a = definite(k), *l = copy(k * k, a), *x = normals(k);
    double *b = stub_doubles((size_t)k);
    for (int i = 0; i < k; i++) {
      b[i] = 0;
      for (int j = 0; j < k; j++)
        b[i] += a[i + k * j] * x[j];
      for (int j = i + 1; j < k; j++)
        l[i + k * j] = NAN; /* is not read */
    }
    CHECK(linalg_solve(k, l, b) == 0);
    CHECK(all_near(k, b, x, 1e-9));
    for (int i = 0; i < k * k; i++)
      a[i] = k > 1;
    CHECK(linalg_solve(k, a, b) == 1);
  }
}

/* NaN is never the largest, and never an index, wherever it stands. */
static void test_nan(void) {
  for (int k = 1; k <= 70; k++) {
    double *x = normals(k);
    const int at = whole(k);
    x[at] = NAN;
    const int top = linalg_top(k, x), found = linalg_which_max(k, x, 0.1);
    CHECK(top >= 0 && top < k && (k == 1 || (top != at && x[top] == linalg_max(k, x))));
    CHECK(k == 1 ? found == -1 : found >= 0 && found < k && found != at);
    CHECK(k == 1 || x[linalg_which_max(k, x, NAN)] == x[top]);
    for (int i = 0; i < k; i++)
      x[i] = i % 2 ? NAN : -INFINITY;
    CHECK(linalg_top(k, x) == 0 && linalg_which_max(k, x, INFINITY) == -1);
    CHECK(linalg_max(k, x) == -INFINITY);
    x[at] = 1;
    CHECK(linalg_top(k, x) == at && linalg_which_max(k, x, INFINITY) == at);
  }
}

static void test_lines(void) {
  double *x = stub_doubles(4 * LINE), *first = linalg_line(x);
  CHECK((uintptr_t)first % 64 == 0 && first - x >= 0 && first - x < LINE);
  for (int i = 0; i <= LINE; i++)
    CHECK(linalg_line(first + i) == first + (i == 0 ? 0 : LINE));
  for (size_t n = 0; n < 50; n++)
    CHECK(linalg_lines(n) % LINE == 0 && linalg_lines(n) >= n &&
          linalg_lines(n) < n + LINE);
  stub_free();
}

const struct test TESTS_LINALG[] = {
    {"linalg: cache lines", test_lines},
    {"sums of columns", test_sums_of_columns},
    {"eights are two fours", test_eights_are_two_fours},
    {"two sums of eight columns at once", test_add8_twice},
    {"X z", test_add_product},
    {"max, sum, sqrt", test_max_sum_sqrt},
    {"find", test_find},
    {"which_max without ties", test_which_max_alone},
    {"which_max with ties", test_which_max_ties},
    {"which_max of nothing", test_which_max_nothing},
    {"NaN", test_nan},
    {"cholesky", test_cholesky},
    {"inverse", test_invert},
    {"solution", test_solve},
    {0},
};
