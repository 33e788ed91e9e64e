/* Hand loops over columns are as fast as a tuned BLAS here and several times faster than
 * the reference one, and Ctrl-C is looked for between them. LAPACK is asked for small
 * matrices only. */
#define USE_FC_LEN_T
#include "linalg.h"

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hot.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifndef FCONE
#define FCONE
#endif

size_t linalg_lines(size_t n) {
  return (n + LINE - 1) / LINE * LINE;
}

double *linalg_line(double *x) {
  const size_t over = (uintptr_t)x / sizeof *x % LINE;
  return x + (over > 0 ? LINE - over : 0);
}

HOT void linalg_fill(int k, double x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = x;
}

HOT void linalg_scale(int k, double f, const double *x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = f * x[i];
}

HOT void linalg_add(int k, double f, const double *x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] += f * x[i];
}

HOT_WIDE void linalg_add4(int k, const double *f, const double *const *x,
                          double *restrict out) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  for (int i = 0; i < k; i++)
    out[i] += (f0 * x0[i] + f1 * x1[i]) + (f2 * x2[i] + f3 * x3[i]);
}

HOT_WIDE void linalg_add8(int k, const double *f, const double *const *x,
                          double *restrict out) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double f4 = f[4], f5 = f[5], f6 = f[6], f7 = f[7];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  const double *x4 = x[4], *x5 = x[5], *x6 = x[6], *x7 = x[7];
  for (int i = 0; i < k; i++) {
    const double half = out[i] + ((f0 * x0[i] + f1 * x1[i]) + (f2 * x2[i] + f3 * x3[i]));
    out[i] = half + ((f4 * x4[i] + f5 * x5[i]) + (f6 * x6[i] + f7 * x7[i]));
  }
}

/* Each column is loaded once for four sums: half of the time of four times linalg_add4(). What is
 * written is not what is read. */
HOT_WIDE void linalg_add4_to_each(int k, const double *f, const double *const *x,
                                  size_t stride, double *restrict out) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double g0 = f[4], g1 = f[5], g2 = f[6], g3 = f[7];
  const double h0 = f[8], h1 = f[9], h2 = f[10], h3 = f[11];
  const double l0 = f[12], l1 = f[13], l2 = f[14], l3 = f[15];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  double *second = out + stride, *third = second + stride, *fourth = third + stride;
  NO_OVERLAP
  for (int i = 0; i < k; i++) {
    const double a = x0[i], b = x1[i], c = x2[i], d = x3[i];
    out[i] += (f0 * a + f1 * b) + (f2 * c + f3 * d);
    second[i] += (g0 * a + g1 * b) + (g2 * c + g3 * d);
    third[i] += (h0 * a + h1 * b) + (h2 * c + h3 * d);
    fourth[i] += (l0 * a + l1 * b) + (l2 * c + l3 * d);
  }
}

HOT_WIDE void linalg_add8_twice(int k, const double *f, const double *g,
                                const double *const *x, double *restrict out,
                                double *restrict other) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double f4 = f[4], f5 = f[5], f6 = f[6], f7 = f[7];
  const double g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3];
  const double g4 = g[4], g5 = g[5], g6 = g[6], g7 = g[7];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  const double *x4 = x[4], *x5 = x[5], *x6 = x[6], *x7 = x[7];
  for (int i = 0; i < k; i++) {
    const double a0 = x0[i], a1 = x1[i], a2 = x2[i], a3 = x3[i];
    const double a4 = x4[i], a5 = x5[i], a6 = x6[i], a7 = x7[i];
    const double half = out[i] + ((f0 * a0 + f1 * a1) + (f2 * a2 + f3 * a3));
    const double others = other[i] + ((g0 * a0 + g1 * a1) + (g2 * a2 + g3 * a3));
    out[i] = half + ((f4 * a4 + f5 * a5) + (f6 * a6 + f7 * a7));
    other[i] = others + ((g4 * a4 + g5 * a5) + (g6 * a6 + g7 * a7));
  }
}

HOT static void add_one(int k, double f, const double *x, const double *from,
                        double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = from[i] + f * x[i];
}

HOT static void add_two(int k, const double *f, const double *const *x,
                        const double *from, double *restrict out) {
  const double f0 = f[0], f1 = f[1], *x0 = x[0], *x1 = x[1];
  for (int i = 0; i < k; i++)
    out[i] = (from[i] + f0 * x0[i]) + f1 * x1[i];
}

HOT static void add_three(int k, const double *f, const double *const *x,
                          const double *from, double *restrict out) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], *x0 = x[0], *x1 = x[1], *x2 = x[2];
  for (int i = 0; i < k; i++)
    out[i] = ((from[i] + f0 * x0[i]) + f1 * x1[i]) + f2 * x2[i];
}

void linalg_add_few(int k, int n, const double *f, const double *const *x,
                    const double *from, double *restrict out) {
  if (n == 0)
    memcpy(out, from, (size_t)k * sizeof *out);
  else if (n == 1)
    add_one(k, f[0], x[0], from, out);
  else if (n == 2)
    add_two(k, f, x, from, out);
  else
    add_three(k, f, x, from, out);
}

void linalg_add_columns(int k, int d, size_t stride, const double *x, const double *z,
                        double *restrict out) {
  const double *column[8];
  int j = 0;
  while (d - j >= 4) {
    const int n = d - j >= 8 ? 8 : 4;
    for (int i = 0; i < n; i++)
      column[i] = x + stride * (size_t)(j + i);
    (n == 8 ? linalg_add8 : linalg_add4)(k, z + j, column, out);
    j += n;
  }
  for (; j < d; j++)
    linalg_add(k, z[j], x + stride * (size_t)j, out);
}

void linalg_add_product(int k, int d, const double *x, const double *z,
                        double *restrict out) {
  linalg_add_columns(k, d, (size_t)k, x, z, out);
}

HOT double linalg_max(int k, const double *x) {
  double lane[LANES];
  int i = 0;
  for (int l = 0; l < LANES; l++)
    lane[l] = -INFINITY;
  for (; i + LANES <= k; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
  for (int l = 0; i < k; i++, l++)
    lane[l] = x[i] > lane[l] ? x[i] : lane[l];
  double most = lane[0];
  for (int l = 1; l < LANES; l++)
    most = lane[l] > most ? lane[l] : most;
  return most;
}

/* sqrt() may set errno, which keeps compilers from taking two at a time by themselves. */
void linalg_sqrt(int k, const double *x, double *restrict out) {
  int i = 0;
#ifdef __SSE2__
  for (; i + 2 <= k; i += 2)
    _mm_storeu_pd(out + i, _mm_sqrt_pd(_mm_loadu_pd(x + i)));
#endif
  for (; i < k; i++)
    out[i] = sqrt(x[i]);
}

HOT double linalg_sum(int k, const double *x) {
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= k; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += x[i + l];
  for (int l = 0; i < k; i++, l++)
    lane[l] += x[i];
  double sum = 0;
  for (int l = 0; l < LANES; l++)
    sum += lane[l];
  return sum;
}

HOT int linalg_find(int k, const double *x, double least) {
  int i = 0;
  for (; i + LANES <= k; i += LANES) {
    int64_t found = 0; /* as wide as what is compared */
    for (int l = 0; l < LANES; l++)
      found += x[i + l] >= least;
    if (found)
      break;
  }
  while (i < k && !(x[i] >= least))
    i++;
  return i;
}

int linalg_top(int k, const double *x) {
  const int at = linalg_find(k, x, linalg_max(k, x));
  return at < k ? at : 0;
}

HOT static int count_from(int k, const double *x, double least) {
  int64_t count = 0; /* as wide as what is compared */
  for (int i = 0; i < k; i++)
    count += x[i] >= least;
  return (int)count;
}

int linalg_which_near(int k, const double *x, double most, double tolerance) {
  if (!(most > -INFINITY))
    return -1;
  const double least = most - tolerance < most ? fmax(most - tolerance, -DBL_MAX) : most;
  int at = linalg_find(k, x, least);
  const int tied = count_from(k - at, x + at, least);
  for (int skip = tied > 1 ? (int)(unif_rand() * tied) : 0; skip > 0; skip--)
    at += 1 + linalg_find(k - at - 1, x + at + 1, least);
  return at;
}

int linalg_which_max(int k, const double *x, double tolerance) {
  return linalg_which_near(k, x, linalg_max(k, x), tolerance);
}

static void swap(double *x, double *y) {
  const double other = *x;
  *x = *y;
  *y = other;
}

/* A new column of the factor, and what it leaves of the variances. */
HOT static void take_away(int k, double inverse, double *restrict column,
                          double *restrict rest) {
  for (int i = 0; i < k; i++) {
    const double f = column[i] * inverse, left = rest[i] - f * f;
    column[i] = f;
    rest[i] = left > 0 ? left : 0;
  }
}

/* ---- Pivoted Cholesky ---------------------------------------------------------------- */

/* Columns that are found together before the rest of the matrix hears of them: they stay in
 * the cache meanwhile. */
enum { PANEL = 32 };

/* Rows and columns i < j of a symmetric matrix, of which the lower triangle is kept. */
static void exchange(int k, double *a, int i, int j) {
  const size_t n = (size_t)k, p = (size_t)i, q = (size_t)j;
  for (size_t c = 0; c < p; c++)
    swap(a + p + n * c, a + q + n * c);
  swap(a + p + n * p, a + q + n * q);
  for (size_t c = p + 1; c < q; c++)
    swap(a + c + n * p, a + q + n * c);
  for (size_t r = q + 1; r < n; r++)
    swap(a + r + n * p, a + r + n * q);
}

/* a[from.., column] less its part in the columns start .. start + width - 1 of the factor. */
static void take_off(int k, double *a, int from, int column, int start, int width) {
  const size_t n = (size_t)k, row = (size_t)from;
  const double *panel = a + row + n * (size_t)start;
  double weight[PANEL];
  for (int j = 0; j < width; j++)
    weight[j] = -a[(size_t)column + n * (size_t)(start + j)];
  linalg_add_columns(k - from, width, n, panel, weight, a + row + n * (size_t)column);
}

/* Up to PANEL columns of the factor, from `start` on; returns how many there are. */
static int find_panel(int k, double *a, double tolerance, int start, int *pivot,
                      double *rest) {
  const size_t n = (size_t)k;
  for (size_t i = (size_t)start; i < n; i++)
    rest[i] = a[i + n * i];
  int j = start;
  for (; j < k && j < start + PANEL; j++) {
    const double most = linalg_max(k - j, rest + j);
    if (!(most > tolerance))
      break;
    const int best = j + linalg_find(k - j, rest + j, most);
    if (best > j) {
      const int other = pivot[j];
      pivot[j] = pivot[best];
      pivot[best] = other;
      swap(rest + j, rest + best);
      exchange(k, a, j, best);
    }
    take_off(k, a, j, j, start, j - start);
    double *column = a + (size_t)j + n * (size_t)j;
    take_away(k - j, 1 / sqrt(most), column, rest + j);
    *column = sqrt(most);
  }
  return j - start;
}

int linalg_cholesky(int k, double *a, double tolerance, int *pivot, double *work) {
  int rank = 0, width = PANEL;
  for (int i = 0; i < k; i++)
    pivot[i] = i + 1;
  while (rank < k && width == PANEL) {
    width = find_panel(k, a, tolerance, rank, pivot, work);
    for (int j = rank + width; j < k; j++) {
      take_off(k, a, j, j, rank, width);
      R_CheckUserInterrupt();
    }
    rank += width;
  }
  return rank;
}

double linalg_left(int k, int rank, const double *l) {
  const size_t n = (size_t)k;
  double most = 0;
  for (size_t j = (size_t)rank; j < n; j++)
    for (size_t i = j; i < n; i++)
      most = fmax(most, fabs(l[i + n * j]));
  return most;
}

void linalg_unpivot(int k, int rank, const double *l, const int *pivot, double *f) {
  for (int j = 0; j < rank; j++) {
    const double *from = l + (size_t)k * (size_t)j;
    double *to = f + (size_t)k * (size_t)j;
    for (int i = 0; i < k; i++)
      to[pivot[i] - 1] = i < j ? 0 : from[i];
  }
}

int linalg_low_rank(int k, linalg_column *column, const void *matrix, double tolerance,
                    int limit, double *factor, double *rest, double *work) {
  int rank = 0;
  for (; rank < limit; rank++) {
    const double most = linalg_max(k, rest);
    if (!(most > tolerance))
      break;
    const int pivot = linalg_top(k, rest);
    double *fresh = factor + (size_t)k * (size_t)rank;
    column(matrix, pivot, fresh);
    for (int j = 0; j < rank; j++)
      work[j] = -factor[(size_t)pivot + (size_t)k * (size_t)j];
    linalg_add_product(k, rank, factor, work, fresh);
    take_away(k, 1 / sqrt(most), fresh, rest);
    fresh[pivot] = sqrt(most);
    rest[pivot] = 0;
    R_CheckUserInterrupt();
  }
  return rank;
}

int linalg_solve(int k, double *a, double *b) {
  const int one = 1;
  int info = 0;
  F77_CALL(dposv)("L", &k, &one, a, &k, b, &k, &info FCONE);
  return info != 0;
}

int linalg_factor(int k, double *a, double *log_det) {
  const size_t n = (size_t)k;
  int info = 0;
  F77_CALL(dpotrf)("L", &k, a, &k, &info FCONE);
  if (info != 0)
    return 1;
  *log_det = 0;
  for (size_t i = 0; i < n; i++)
    *log_det += 2 * log(a[i + n * i]);
  return 0;
}

void linalg_forward(int k, const double *l, double *restrict x) {
  for (int j = 0; j < k; j++) {
    const double *column = l + (size_t)j * ((size_t)k + 1);
    x[j] /= column[0];
    linalg_add(k - j - 1, -x[j], column + 1, x + j + 1);
  }
}

int linalg_invert(int k, double *a, double *log_det) {
  const size_t n = (size_t)k;
  int info = 0;
  if (linalg_factor(k, a, log_det))
    return 1;
  F77_CALL(dpotri)("L", &k, a, &k, &info FCONE);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      a[i + n * j] = a[j + n * i];
  return info != 0;
}
