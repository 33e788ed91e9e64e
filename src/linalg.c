/* Hand loops over columns are as fast as a tuned BLAS here and several times faster than
 * the reference one, so LAPACK is asked for factorisations only. */
#define USE_FC_LEN_T
#include "linalg.h"

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "hot.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifndef FCONE
#define FCONE
#endif

HOT void linalg_add(int k, double f, const double *x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] += f * x[i];
}

HOT void linalg_add4(int k, const double *f, const double *const *x,
                     double *restrict out) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  for (int i = 0; i < k; i++)
    out[i] += (f0 * x0[i] + f1 * x1[i]) + (f2 * x2[i] + f3 * x3[i]);
}

void linalg_add_product(int k, int d, const double *x, const double *z,
                        double *restrict out) {
  int j = 0;
  for (; j + 4 <= d; j += 4) {
    const double *column[4];
    for (int i = 0; i < 4; i++)
      column[i] = x + (size_t)k * (size_t)(j + i);
    linalg_add4(k, z + j, column, out);
  }
  for (; j < d; j++)
    linalg_add(k, z[j], x + (size_t)k * (size_t)j, out);
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
    int found = 0;
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
  int count = 0;
  for (int i = 0; i < k; i++)
    count += x[i] >= least;
  return count;
}

int linalg_which_max(int k, const double *x, double tolerance) {
  const double most = linalg_max(k, x);
  if (!(most > -INFINITY))
    return -1;
  const double least = most - tolerance < most ? fmax(most - tolerance, -DBL_MAX) : most;
  int at = linalg_find(k, x, least);
  const int tied = count_from(k - at, x + at, least);
  for (int skip = tied > 1 ? (int)(unif_rand() * tied) : 0; skip > 0; skip--)
    at += 1 + linalg_find(k - at - 1, x + at + 1, least);
  return at;
}

int linalg_cholesky(int k, double *a, double tolerance, int *pivot, double *work) {
  int rank = 0, info = 0;
  F77_CALL(dpstrf)("L", &k, a, &k, pivot, &rank, &tolerance, work, &info FCONE);
  return rank;
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
  for (int i = 0; i < k; i++)
    rest[i] = rest[i] > tolerance ? rest[i] : 0;
  return rank;
}

void linalg_unpivot(int k, int rank, const double *l, const int *pivot, double *f) {
  for (int j = 0; j < rank; j++) {
    const double *from = l + (size_t)k * (size_t)j;
    double *to = f + (size_t)k * (size_t)j;
    for (int i = 0; i < k; i++)
      to[pivot[i] - 1] = i < j ? 0 : from[i];
  }
}

int linalg_solve(int k, double *a, double *b) {
  const int one = 1;
  int info = 0;
  F77_CALL(dposv)("L", &k, &one, a, &k, b, &k, &info FCONE);
  return info != 0;
}

int linalg_invert(int k, double *a, double *log_det) {
  const size_t n = (size_t)k;
  int info = 0;
  F77_CALL(dpotrf)("L", &k, a, &k, &info FCONE);
  if (info != 0)
    return 1;
  *log_det = 0;
  for (size_t i = 0; i < n; i++)
    *log_det += 2 * log(a[i + n * i]);
  F77_CALL(dpotri)("L", &k, a, &k, &info FCONE);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      a[i + n * j] = a[j + n * i];
  return info != 0;
}
