#include "check.h"

#include <R_ext/Random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stubs.h"

int check_passed, check_failed;

void check(int ok, const char *file, int line, const char *what) {
  if (ok) {
    check_passed++;
    return;
  }
  check_failed++;
  if (check_failed <= 20)
    printf("%s:%d: failed: %s\n", file, line, what);
}

int near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * (1 + fabs(b));
}

int all_near(int n, const double *a, const double *b, double tolerance) {
  for (int i = 0; i < n; i++)
    if (!near(a[i], b[i], tolerance))
      return 0;
  return 1;
}

int same(int n, const double *a, const double *b) {
  return memcmp(a, b, (size_t)n * sizeof(double)) == 0;
}

int whole(int n) {
  return (int)(unif_rand() * n);
}

double *normals(int n) {
  double *x = stub_doubles((size_t)n);
  for (int i = 0; i < n; i++)
    x[i] = norm_rand();
  return x;
}

double *integers(int n, int values) {
  double *x = stub_doubles((size_t)n);
  for (int i = 0; i < n; i++)
    x[i] = whole(values);
  return x;
}

double *copy(int n, const double *x) {
  double *y = stub_doubles((size_t)n);
  memcpy(y, x, (size_t)n * sizeof(double));
  return y;
}

double *crossed(int k, int d, const double *x) {
  double *g = stub_doubles((size_t)k * (size_t)k);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      g[i + k * j] = 0;
      for (int l = 0; l < d; l++)
        g[i + k * j] += x[i + k * l] * x[j + k * l];
    }
  return g;
}

double *definite(int k) {
  double *a = crossed(k, k + 2, normals(k * (k + 2)));
  for (int i = 0; i < k; i++)
    a[i + k * i] += 0.1;
  return a;
}
