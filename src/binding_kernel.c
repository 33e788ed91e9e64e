/* R's door to covariances: kernels, their factors, and the evidence for them. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <string.h>

#include "binding.h"
#include "binding_pack.h"
#include "eigen.h"
#include "evidence.h"
#include "linalg.h"

enum kernel_at {
  TREE_OP,
  TREE_COLUMN,
  TREE_COLUMNS,
  TREE_PARAM,
  TREE_X,
  TREE_VALUE,
  TREE_MATRICES
};
enum averages_at { AVERAGES_Y, AVERAGES_G, SCALE, NOISE, FREE_MEAN, DF, WITHIN, SLOPE };

const struct kernel *unpack_kernel(SEXP kernel) {
  SEXP matrices = at(kernel, TREE_MATRICES);
  const int n = Rf_length(matrices);
  const double **matrix = (const double **)R_alloc((size_t)n, sizeof(double *));
  for (int i = 0; i < n; i++)
    matrix[i] = REAL(at(matrices, i));
  struct kernel *k = (struct kernel *)R_alloc(1, sizeof(struct kernel));
  *k = (struct kernel){
      .k = Rf_nrows(at(kernel, TREE_X)),
      .nodes = Rf_length(at(kernel, TREE_OP)),
      .params = Rf_length(at(kernel, TREE_VALUE)),
      .op = INTEGER(at(kernel, TREE_OP)),
      .column = INTEGER(at(kernel, TREE_COLUMN)),
      .columns = INTEGER(at(kernel, TREE_COLUMNS)),
      .param = INTEGER(at(kernel, TREE_PARAM)),
      .x = REAL(at(kernel, TREE_X)),
      .value = REAL(at(kernel, TREE_VALUE)),
      .matrix = matrix,
  };
  return k;
}

static double *copy_of(SEXP matrix, struct scratch *s) {
  const size_t n = (size_t)Rf_xlength(matrix);
  double *copy = doubles(s, n);
  memcpy(copy, REAL(matrix), n * sizeof *copy);
  return copy;
}

SEXP bg_factor(SEXP cov, SEXP tolerance) {
  struct scratch room, *s = scratch_start(&room);
  const int k = Rf_ncols(cov);
  double *l = copy_of(cov, s);
  int *pivot = ints(s, (size_t)k);
  const int rank =
      linalg_cholesky(k, l, Rf_asReal(tolerance), pivot, doubles(s, (size_t)k));
  const char *names[] = {"factor", "left", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, k, rank));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(linalg_left(k, rank, l)));
  linalg_unpivot(k, rank, l, pivot, REAL(at(out, 0)));
  UNPROTECT(1);
  return out;
}

SEXP bg_smallest_eigenvalue(SEXP matrix) {
  struct scratch room, *s = scratch_start(&room);
  const int k = Rf_ncols(matrix);
  double *a = copy_of(matrix, s);
  return Rf_ScalarReal(eigen_smallest(k, a, doubles(s, 6 * (size_t)k)));
}

SEXP bg_kernel_matrix(SEXP kernel, SEXP rows, SEXP columns) {
  struct scratch room, *s = scratch_start(&room);
  const struct kernel *k = unpack_kernel(kernel);
  const int n = Rf_length(rows), m = Rf_length(columns);
  double *column = doubles(s, (size_t)k->k);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, n, m));
  for (int j = 0; j < m; j++) {
    double *to = REAL(out) + (size_t)n * (size_t)j;
    kernel_column(k, INTEGER(columns)[j] - 1, column);
    for (int i = 0; i < n; i++)
      to[i] = column[INTEGER(rows)[i] - 1];
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_kernel_diagonal(SEXP kernel) {
  const struct kernel *k = unpack_kernel(kernel);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, k->k));
  kernel_diagonal(k, REAL(out));
  UNPROTECT(1);
  return out;
}

SEXP new_factor(int k, int limit) {
  const char *names[] = {"factor", "rest", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, k, limit));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, k));
  UNPROTECT(1);
  return out;
}

void shorten_factor(SEXP out, int rank) {
  SEXP whole = at(out, 0);
  const int k = Rf_nrows(whole);
  if (Rf_ncols(whole) == rank)
    return;
  SEXP part = PROTECT(Rf_allocMatrix(REALSXP, k, rank));
  if (rank > 0)
    memcpy(REAL(part), REAL(whole), (size_t)k * (size_t)rank * sizeof(double));
  SET_VECTOR_ELT(out, 0, part);
  UNPROTECT(1);
}

SEXP bg_kernel_factor(SEXP kernel, SEXP tolerance, SEXP limit) {
  struct scratch room, *s = scratch_start(&room);
  const struct kernel *k = unpack_kernel(kernel);
  const int most = Rf_asInteger(limit);
  SEXP out = PROTECT(new_factor(k->k, most));
  shorten_factor(out, kernel_factor(k, Rf_asReal(tolerance), most, REAL(at(out, 0)),
                                    REAL(at(out, 1)), doubles(s, (size_t)most)));
  UNPROTECT(1);
  return out;
}

/* The derivatives of a weighted sum of G's entries by the logarithms of the parameters. */
SEXP bg_kernel_gradient(SEXP kernel, SEXP arms, SEXP weight) {
  struct scratch room, *s = scratch_start(&room);
  const struct kernel *k = unpack_kernel(kernel);
  const int n = Rf_length(arms);
  int *arm = ints(s, (size_t)n);
  for (int i = 0; i < n; i++)
    arm[i] = INTEGER(arms)[i] - 1;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, k->params));
  kernel_gradient(k, n, arm, REAL(weight), REAL(out));
  UNPROTECT(1);
  return out;
}

SEXP bg_kernels(void) {
  const char *names[] = {"name", "operands", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(STRSXP, KERNEL_KINDS));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, KERNEL_KINDS));
  for (int i = 0; i < KERNEL_KINDS; i++) {
    SET_STRING_ELT(at(out, 0), i, Rf_mkChar(kernel_name((enum kernel_op)i)));
    INTEGER(at(out, 1))[i] = kernel_operands((enum kernel_op)i);
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_evidence(SEXP averages) {
  struct scratch room, *s = scratch_start(&room);
  SEXP g = at(averages, AVERAGES_G);
  const struct averages a = {
      .n = Rf_length(at(averages, AVERAGES_Y)),
      .y = REAL(at(averages, AVERAGES_Y)),
      .g = REAL(g),
      .diagonal = !Rf_isMatrix(g),
      .scale = Rf_asReal(at(averages, SCALE)),
      .noise = REAL(at(averages, NOISE)),
      .free_mean = Rf_asLogical(at(averages, FREE_MEAN)),
      .df = Rf_asReal(at(averages, DF)),
      .within = Rf_asReal(at(averages, WITHIN)),
  };
  const int slope = Rf_length(averages) <= SLOPE || Rf_asLogical(at(averages, SLOPE));
  const size_t n = (size_t)a.n;
  SEXP weight = R_NilValue;
  if (slope)
    weight =
        a.diagonal ? Rf_allocVector(REALSXP, a.n) : Rf_allocMatrix(REALSXP, a.n, a.n);
  PROTECT(weight);
  double *room_for_s = slope ? REAL(weight) : doubles(s, a.diagonal ? n : n * n);
  struct evidence found;
  const int failed =
      (slope ? evidence_find : evidence_value)(&a, room_for_s, doubles(s, 2 * n), &found);
  if (failed) {
    UNPROTECT(1);
    return R_NilValue;
  }
  const char *names[] = {"value", "mean", "misfit", "weight", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarReal(found.value));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(found.mean));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(found.misfit));
  SET_VECTOR_ELT(out, 3, weight);
  UNPROTECT(2);
  return out;
}
