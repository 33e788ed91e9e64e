/* Dense linear algebra: sums of columns, and factorisations. */
#ifndef BAYESGAP_LINALG_H
#define BAYESGAP_LINALG_H

#include <stddef.h>

/* Doubles in a cache line: vectors that begin with one are read and written faster. */
enum { LINE = 64 / sizeof(double) };

/* The most doubles that are kept for speed alone, by each who keeps some: a quarter of a gigabyte. */
enum { MOST_KEPT = 1 << 25 };

/* n doubles in whole cache lines. */
size_t linalg_lines(size_t n);

/* The first double from here on with which a cache line begins: at most LINE - 1 behind. */
double *linalg_line(double *);

/* out = x, the same everywhere. */
void linalg_fill(int k, double x, double *restrict out);

/* out = f * x */
void linalg_scale(int k, double f, const double *x, double *restrict out);

/* out += f * x */
void linalg_add(int k, double f, const double *x, double *restrict out);

/* out += f[0] x[0] + ... + f[3] x[3] in one pass over out. */
void linalg_add4(int k, const double *f, const double *const *x, double *restrict out);

/* linalg_add4() to four vectors that lie `stride` apart, four weights for each. */
void linalg_add4_to_each(int k, const double *f, const double *const *x, size_t stride,
                         double *restrict out);

/* The same bits as linalg_add4() of the first four and then of the others, in one pass. */
void linalg_add8(int k, const double *f, const double *const *x, double *restrict out);

/* linalg_add8() of two sums at once, whose columns are then read once: of f to out, g to other. */
void linalg_add8_twice(int k, const double *f, const double *g, const double *const *x,
                       double *restrict out, double *restrict other);

/* out = from + f[0] x[0] + ... + f[n - 1] x[n - 1], added one after the other, of at most 3. */
void linalg_add_few(int k, int n, const double *f, const double *const *x,
                    const double *from, double *restrict out);

/* out += X z, X of k rows and d columns. */
void linalg_add_product(int k, int d, const double *x, const double *z,
                        double *restrict out);

/* The same where each column begins `stride` behind the one before. */
void linalg_add_columns(int k, int d, size_t stride, const double *x, const double *z,
                        double *restrict out);

/* The largest of k >= 1 values, NaN left out; -INFINITY when nothing is left. */
double linalg_max(int k, const double *x);

/* The place of the first largest of k >= 1 values, NaN left out: always one of 0 .. k - 1. */
int linalg_top(int k, const double *x);

/* out = sqrt(x) of k values, none below 0. */
void linalg_sqrt(int k, const double *x, double *restrict out);

/* The sum of k values. */
double linalg_sum(int k, const double *x);

/* The first of k values that is at least `least`; k when there is none. */
int linalg_find(int k, const double *x, double least);

/* The largest value lies within `tolerance` of several entries: one of them at random, from
 * R's generator, which is asked only when there is a tie. Entries of -INFINITY and NaN are
 * out; returns -1 when all are. */
int linalg_which_max(int k, const double *x, double tolerance);

/* The same where the largest value is at hand. */
int linalg_which_near(int k, const double *x, double most, double tolerance);

/* Pivoted Cholesky of a semi-definite k x k matrix, in place in the lower triangle. Stops
 * where what is left of the diagonal is below `tolerance`; returns the rank. Row i of the
 * factor is that of arm pivot[i], counted from 1. work: k. */
int linalg_cholesky(int k, double *a, double tolerance, int *pivot, double *work);

/* The largest entry, in size, of what linalg_cholesky() left of the matrix. */
double linalg_left(int k, int rank, const double *l);

/* The factor F with A = F F' from the result of linalg_cholesky(), rows in A's order. */
void linalg_unpivot(int k, int rank, const double *l, const int *pivot, double *f);

/* Column `i` of a symmetric matrix. */
typedef void linalg_column(const void *matrix, int i, double *restrict out);

/* Pivoted Cholesky of a semi-definite k x k matrix that is read column by column: A = F F' +
 * what is left. Stops when no variance above `tolerance` is left, or at `limit` columns;
 * returns their number. rest: the diagonal of A, becomes that of what is left. factor: k x
 * limit, work: limit. */
int linalg_low_rank(int k, linalg_column *column, const void *matrix, double tolerance,
                    int limit, double *factor, double *rest, double *work);

/* Solves A x = b for a positive definite k x k matrix, of which the lower triangle is read and
 * overwritten; x replaces b. Returns 0, or 1 when it is not positive definite. */
int linalg_solve(int k, double *a, double *b);

/* The lower triangle of a positive definite k x k matrix becomes that of its Cholesky factor; log_det
 * gets the logarithm of its determinant. Returns 0, or 1 when it is not positive definite. */
int linalg_factor(int k, double *a, double *log_det);

/* Solves L x = b for such a factor; x replaces b. */
void linalg_forward(int k, const double *l, double *restrict x);

/* A positive definite k x k matrix becomes its inverse, both triangles; log_det gets the
 * logarithm of its determinant. Returns 0, or 1 when it is not positive definite. */
int linalg_invert(int k, double *a, double *log_det);

#endif
