/* Columns that grow. A run is a value, and yet a log of n rows is not to be copied for every new
 * one: a column is a view of the first elements of a vector that has room for more, and the next
 * column, longer by some, is a view of the same vector. What a view shows is never written again.
 * To R it is a vector like any other: saved, sent and copied as one, and one of its own as soon as
 * someone wants to write into it. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <string.h>

#include <R_ext/Altrep.h>

#include "binding.h"
#include "binding_column.h"

/* data1: the vector, whose element 0 counts those in use behind it; data2: how many of these the
 * view shows. Once it is a vector of its own it is data1, and data2 is NULL. */
static R_altrep_class_t INT_COLUMN, REAL_COLUMN;

enum { HEAD = 1, LEAST_ROOM = 30 };

static int is_view(SEXP x) {
  return (R_altrep_inherits(x, INT_COLUMN) || R_altrep_inherits(x, REAL_COLUMN)) &&
         R_altrep_data2(x) != R_NilValue;
}

static R_xlen_t column_length(SEXP x) {
  SEXP shown = R_altrep_data2(x);
  return shown == R_NilValue ? XLENGTH(R_altrep_data1(x)) : INTEGER(shown)[0];
}

static const void *start_of(SEXP x) {
  SEXP data = R_altrep_data1(x);
  const int head = R_altrep_data2(x) == R_NilValue ? 0 : HEAD;
  return TYPEOF(x) == INTSXP ? (const void *)(INTEGER(data) + head)
                             : (const void *)(REAL(data) + head);
}

static size_t width(SEXP x) {
  return TYPEOF(x) == INTSXP ? sizeof(int) : sizeof(double);
}

static void *bytes_of(SEXP plain) {
  return TYPEOF(plain) == INTSXP ? (void *)INTEGER(plain) : (void *)REAL(plain);
}

static SEXP own_copy(SEXP x) {
  const R_xlen_t n = column_length(x);
  SEXP out = Rf_allocVector((SEXPTYPE)TYPEOF(x), n);
  if (n > 0)
    memcpy(bytes_of(out), start_of(x), (size_t)n * width(x));
  return out;
}

static SEXP column_duplicate(SEXP x, Rboolean deep) {
  (void)deep;
  return own_copy(x);
}

static void *column_data(SEXP x, Rboolean writeable) {
  if (writeable && is_view(x)) {
    SEXP own = PROTECT(own_copy(x));
    R_set_altrep_data1(x, own);
    R_set_altrep_data2(x, R_NilValue);
    UNPROTECT(1);
  }
  return (void *)start_of(x);
}

static const void *column_data_or_null(SEXP x) {
  return start_of(x);
}

static int int_element(SEXP x, R_xlen_t i) {
  return ((const int *)start_of(x))[i];
}

static double real_element(SEXP x, R_xlen_t i) {
  return ((const double *)start_of(x))[i];
}

static void set_methods(R_altrep_class_t class) {
  R_set_altrep_Length_method(class, column_length);
  R_set_altrep_Duplicate_method(class, column_duplicate);
  R_set_altvec_Dataptr_method(class, column_data);
  R_set_altvec_Dataptr_or_null_method(class, column_data_or_null);
}

void column_init(DllInfo *dll) {
  INT_COLUMN = R_make_altinteger_class("bayesgap_integer", "bayesgap", dll);
  REAL_COLUMN = R_make_altreal_class("bayesgap_double", "bayesgap", dll);
  set_methods(INT_COLUMN);
  set_methods(REAL_COLUMN);
  R_set_altinteger_Elt_method(INT_COLUMN, int_element);
  R_set_altreal_Elt_method(REAL_COLUMN, real_element);
}

static R_xlen_t in_use(SEXP room) {
  return TYPEOF(room) == INTSXP ? INTEGER(room)[0] : (R_xlen_t)REAL(room)[0];
}

static void use(SEXP room, R_xlen_t n) {
  if (TYPEOF(room) == INTSXP)
    INTEGER(room)[0] = (int)n;
  else
    REAL(room)[0] = (double)n;
}

/* Room for n elements behind a column's own: the column's, where nobody has grown it yet and there
 * is some; else new room with the column in it, half as much again, so that a long run is copied
 * but now and then. */
static SEXP room_behind(SEXP column, R_xlen_t n) {
  const R_xlen_t there = XLENGTH(column), all = there + n;
  if (is_view(column)) {
    SEXP room = R_altrep_data1(column);
    if (in_use(room) == there && XLENGTH(room) - HEAD >= all)
      return room;
  }
  SEXP room = Rf_allocVector((SEXPTYPE)TYPEOF(column), HEAD + LEAST_ROOM + all + all / 2);
  if (there > 0)
    memcpy((char *)bytes_of(room) + HEAD * width(room), DATAPTR_RO(column),
           (size_t)there * width(room));
  return room;
}

/* The column and n elements more. */
static SEXP grow(SEXP column, const void *more, R_xlen_t n, SEXP length) {
  const R_xlen_t there = XLENGTH(column);
  SEXP room = PROTECT(room_behind(column, n));
  if (n > 0)
    memcpy((char *)bytes_of(room) + (size_t)(HEAD + there) * width(room), more,
           (size_t)n * width(room));
  use(room, there + n);
  SEXP out =
      R_new_altrep(TYPEOF(column) == INTSXP ? INT_COLUMN : REAL_COLUMN, room, length);
  UNPROTECT(1);
  return out;
}

SEXP column_push(SEXP column, const void *value, SEXP length) {
  return grow(column, value, 1, length);
}

static SEXP join(SEXP column, SEXP more, SEXP length) {
  const int type = TYPEOF(column);
  if (type != TYPEOF(more) || (type != INTSXP && type != REALSXP))
    Rf_error("columns of different types");
  return grow(column, DATAPTR_RO(more), XLENGTH(more), length);
}

/* A list has no views: its elements are pointers, which are quickly copied. */
static SEXP join_lists(SEXP list, SEXP more) {
  const R_xlen_t n = XLENGTH(list), m = XLENGTH(more);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, n + m));
  SEXP names = Rf_allocVector(STRSXP, n + m);
  Rf_setAttrib(out, R_NamesSymbol, names);
  SEXP first = Rf_getAttrib(list, R_NamesSymbol),
       then = Rf_getAttrib(more, R_NamesSymbol);
  for (R_xlen_t i = 0; i < n + m; i++) {
    SET_VECTOR_ELT(out, i, i < n ? VECTOR_ELT(list, i) : VECTOR_ELT(more, i - n));
    SET_STRING_ELT(names, i, i < n ? STRING_ELT(first, i) : STRING_ELT(then, i - n));
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_append(SEXP table, SEXP rows) {
  const int n = Rf_length(table);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, n));
  Rf_setAttrib(out, R_NamesSymbol, Rf_getAttrib(table, R_NamesSymbol));
  SEXP length = R_NilValue;
  PROTECT_INDEX where;
  PROTECT_WITH_INDEX(length, &where);
  for (int i = 0; i < n; i++) {
    SEXP column = at(table, i), more = at(rows, i);
    if (TYPEOF(column) == VECSXP && TYPEOF(more) == VECSXP) {
      SET_VECTOR_ELT(out, i, join_lists(column, more));
      continue;
    }
    const int all = Rf_length(column) + Rf_length(more);
    if (length == R_NilValue || INTEGER(length)[0] != all)
      REPROTECT(length = Rf_ScalarInteger(all), where);
    SET_VECTOR_ELT(out, i, join(column, more, length));
  }
  UNPROTECT(2);
  return out;
}
