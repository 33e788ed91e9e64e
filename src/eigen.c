/* Householder's reflections make the matrix tridiagonal; its smallest eigenvalue is then found
 * by bisection. As LAPACK does it, but Ctrl-C is looked for after every column. */
#include "eigen.h"

#include <R_ext/Utils.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "hot.h"
#include "linalg.h"

HOT static double dot(int n, const double *x, const double *y) {
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += x[i + l] * y[i + l];
  for (int l = 0; i < n; i++, l++)
    lane[l] += x[i] * y[i];
  return linalg_sum(LANES, lane);
}

/* A column of a lower triangle, from its diagonal entry on, becomes that of A - v w' - w v',
 * and adds its share to p = A u: an entry below the diagonal stands for two, one of which
 * belongs to p[0]. One pass over the matrix does both, since memory is what takes time. */
HOT static void update_and_multiply(int n, const double *v, const double *w,
                                    const double *u, double *restrict a,
                                    double *restrict p) {
  const double v0 = v[0], w0 = w[0], u0 = u[0];
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double x = a[i + l] - (v[i + l] * w0 + w[i + l] * v0);
      a[i + l] = x;
      p[i + l] += x * u0;
      lane[l] += x * u[i + l];
    }
  for (int l = 0; i < n; i++, l++) {
    const double x = a[i] - (v[i] * w0 + w[i] * v0);
    a[i] = x;
    p[i] += x * u0;
    lane[l] += x * u[i];
  }
  p[0] += linalg_sum(LANES, lane) - a[0] * u0;
}

/* I - f u u' takes x to (end, 0, ..., 0); returns f, 0 where x is so already. */
static double reflection(int n, const double *x, double *u, double *end) {
  const double size = sqrt(dot(n, x, x));
  memcpy(u, x, (size_t)n * sizeof *u);
  *end = x[0] > 0 ? -size : size;
  u[0] -= *end;
  return size > 0 ? 1 / (size * (size + fabs(x[0]))) : 0;
}

/* The diagonal of the tridiagonal matrix, and what is beside it. work: 4k. */
static void tridiagonal(int k, double *a, double *diagonal, double *beside,
                        double *work) {
  double *v = work, *w = v + k, *u = w + k, *p = u + k;
  memset(work, 0, 4 * (size_t)k * sizeof *work);
  for (int j = 0; j < k; j++) {
    double *column = a + (size_t)j * (size_t)(k + 1);
    linalg_add(k - j, -w[j], v + j, column);
    linalg_add(k - j, -v[j], w + j, column);
    diagonal[j] = column[0];
    const int next = j + 1, left = k - next;
    if (left == 0)
      return;
    const double f = reflection(left, column + 1, u + next, beside + j);
    memset(p, 0, (size_t)k * sizeof *p);
    for (int i = next; i < k; i++)
      update_and_multiply(k - i, v + i, w + i, u + i, a + (size_t)i * (size_t)(k + 1),
                          p + i);
    const double half = 0.5 * f * f * dot(left, p + next, u + next);
    for (int i = next; i < k; i++) {
      v[i] = u[i];
      w[i] = f * p[i] - half * u[i];
    }
    R_CheckUserInterrupt();
  }
}

/* 1 when all eigenvalues are above x: the pivots of elimination are positive. */
static int all_above(int k, const double *diagonal, const double *beside, double x) {
  double pivot = diagonal[0] - x;
  for (int i = 1; i < k && pivot > 0; i++)
    pivot = diagonal[i] - x - beside[i - 1] * (beside[i - 1] / pivot);
  return pivot > 0;
}

double eigen_smallest(int k, double *a, double *work) {
  /* Squares of the entries must neither overflow nor vanish. */
  double most = 0;
  for (size_t i = 0; i < (size_t)k * (size_t)k; i++)
    most = fmax(most, fabs(a[i]));
  if (!(most > 0))
    return 0;
  for (size_t i = 0; i < (size_t)k * (size_t)k; i++)
    a[i] /= most;
  double *diagonal = work, *beside = work + k, low = 0, high = INFINITY;
  tridiagonal(k, a, diagonal, beside, work + 2 * (size_t)k);
  for (int i = 0; i < k; i++) {
    const double reach =
        (i > 0 ? fabs(beside[i - 1]) : 0) + (i < k - 1 ? fabs(beside[i]) : 0);
    low = fmin(low, diagonal[i] - reach);
    high = fmin(high, diagonal[i]);
  }
  for (double middle = low + (high - low) / 2; middle > low && middle < high;
       middle = low + (high - low) / 2)
    if (all_above(k, diagonal, beside, middle))
      low = middle;
    else
      high = middle;
  return high * most;
}
