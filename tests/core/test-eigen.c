/* The smallest eigenvalue against elimination. */
#include "check.h"
#include "eigen.h"
#include "stubs.h"

/* Of a - x I, 1 when it is positive definite: its elimination has positive pivots. */
static int all_above(int k, const double *a, double x) {
  double *left = copy(k * k, a);
  for (int i = 0; i < k; i++)
    left[i + k * i] -= x;
  for (int j = 0; j < k; j++) {
    if (!(left[j + k * j] > 0))
      return 0;
    for (int i = j + 1; i < k; i++)
      for (int l = j + 1; l < k; l++)
        left[i + k * l] -= left[i + k * j] * left[l + k * j] / left[j + k * j];
  }
  return 1;
}

static void test_smallest_eigenvalue(void) {
  double *work = stub_doubles(6 * 70);
  double two[] = {2, 1, 1, 2}, zero[9] = {0}, diagonal[] = {3, 0, 0, 0, -4, 0, 0, 0, 1};
  CHECK(near(eigen_smallest(2, two, work), 1, 1e-15));
  CHECK(eigen_smallest(3, zero, work) == 0);
  CHECK(near(eigen_smallest(3, diagonal, work), -4, 1e-15));
  double huge[] = {1e95, 2e95, 2e95, 1e95}, tiny[] = {1e-95, 2e-95, 2e-95, 1e-95};
  CHECK(near(eigen_smallest(2, huge, work) / 1e95, -1, 1e-12));
  CHECK(near(eigen_smallest(2, tiny, work) / 1e-95, -1, 1e-12));
  for (int k = 1; k <= 70; k += 3) {
    double *x = normals(k * k), *a = crossed(k, k, x);
    for (int i = 0; i < k; i++)
      a[i + k * i] -= k % 2;
    const double least = eigen_smallest(k, copy(k * k, a), work);
    CHECK(all_above(k, a, least - 1e-11 * k) && !all_above(k, a, least + 1e-11 * k));
  }
}

const struct test TESTS_EIGEN[] = {
    {"smallest eigenvalue", test_smallest_eigenvalue},
    {0},
};
