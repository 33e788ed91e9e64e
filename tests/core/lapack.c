/* What the core asks of LAPACK, in plain loops, for systems where the tests find none: lower
 * triangles, one right-hand side. */
#define USE_FC_LEN_T
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <math.h>

/* A = L L' */
void F77_NAME(dpotrf)(const char *uplo, const int *n, double *a, const int *rows,
                      int *info, FC_LEN_T length) {
  const int k = *n, m = *rows;
  (void)uplo, (void)length;
  *info = 0;
  for (int j = 0; j < k; j++) {
    for (int i = j; i < k; i++)
      for (int l = 0; l < j; l++)
        a[i + m * j] -= a[i + m * l] * a[j + m * l];
    if (!(a[j + m * j] > 0)) {
      *info = j + 1;
      return;
    }
    const double pivot = sqrt(a[j + m * j]);
    for (int i = j; i < k; i++)
      a[i + m * j] /= pivot;
  }
}

/* b = A^-1 b, and A = L L' */
void F77_NAME(dposv)(const char *uplo, const int *n, const int *columns, double *a,
                     const int *rows, double *b, const int *rows_b, int *info,
                     FC_LEN_T length) {
  const int k = *n, m = *rows;
  (void)columns, (void)rows_b;
  F77_CALL(dpotrf)(uplo, n, a, rows, info, length);
  if (*info != 0)
    return;
  for (int i = 0; i < k; i++) {
    for (int l = 0; l < i; l++)
      b[i] -= a[i + m * l] * b[l];
    b[i] /= a[i + m * i];
  }
  for (int i = k - 1; i >= 0; i--) {
    for (int l = i + 1; l < k; l++)
      b[i] -= a[l + m * i] * b[l];
    b[i] /= a[i + m * i];
  }
}

/* From L to A^-1. */
void F77_NAME(dpotri)(const char *uplo, const int *n, double *a, const int *rows,
                      int *info, FC_LEN_T length) {
  const int k = *n, m = *rows;
  (void)uplo, (void)length;
  *info = 0;
  for (int j = 0; j < k; j++) {
    for (int i = j; i < k; i++) {
      double sum = i == j;
      for (int l = j; l < i; l++)
        sum -= a[i + m * l] * a[l + m * j];
      a[i + m * j] = sum / a[i + m * i];
    }
  }
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) {
      double sum = 0;
      for (int l = i; l < k; l++)
        sum += a[l + m * i] * a[l + m * j];
      a[i + m * j] = sum;
    }
}
