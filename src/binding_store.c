/* R's door to files that outlive a crash. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "plain.h"
#include "store.h"

static const char *file_name(SEXP path) {
#ifdef _WIN32
  return Rf_translateCharUTF8(STRING_ELT(path, 0));
#else
  return Rf_translateChar(STRING_ELT(path, 0));
#endif
}

/* NULL, or what went wrong. */
static SEXP words(int status) {
  return status == 0 ? R_NilValue : Rf_mkString(strerror(status));
}

SEXP bg_write(SEXP path, SEXP bytes, SEXP fresh) {
  return words(store_write(file_name(path), RAW(bytes), (size_t)Rf_xlength(bytes),
                           Rf_asLogical(fresh) ? STORE_NEW : STORE_REPLACE));
}

SEXP bg_grow(SEXP path, SEXP size, SEXP old, SEXP next, SEXP bytes) {
  const struct store_growth growth = {.size = (size_t)Rf_asReal(size),
                                      .head = (size_t)Rf_xlength(old),
                                      .n = (size_t)Rf_xlength(bytes),
                                      .old = RAW(old),
                                      .next = RAW(next),
                                      .bytes = RAW(bytes)};
  return words(store_grow(file_name(path), &growth));
}

SEXP bg_replace(SEXP part, SEXP path) {
  return words(store_replace(file_name(part), file_name(path)));
}

SEXP bg_remove(SEXP path) {
  return words(store_remove(file_name(path)));
}

SEXP bg_settle(SEXP folder) {
  store_settle(file_name(folder));
  return R_NilValue;
}

SEXP bg_checksum(SEXP before, SEXP bytes) {
  const uint64_t start = strtoull(CHAR(STRING_ELT(before, 0)), NULL, 16);
  const uint64_t sum = store_checksum(start, RAW(bytes), (size_t)Rf_xlength(bytes));
  char digits[17];
  snprintf(digits, sizeof digits, "%08lx%08lx", (unsigned long)(sum >> 32),
           (unsigned long)(sum & 0xffffffff));
  return Rf_mkString(digits);
}

SEXP bg_plain(SEXP bytes, SEXP depth) {
  const char *fault =
      plain_fault(RAW(bytes), (size_t)Rf_xlength(bytes), Rf_asInteger(depth));
  return fault ? Rf_mkString(fault) : R_NilValue;
}

SEXP bg_kind(SEXP path) {
  const char *const names[] = {"nothing", "file", "folder", "other"};
  return Rf_mkString(names[store_kind_of(file_name(path))]);
}

SEXP bg_alive(SEXP process) {
  return Rf_ScalarLogical(store_alive(Rf_asInteger(process)));
}

SEXP bg_began(SEXP process) {
  return Rf_ScalarReal(store_began(Rf_asInteger(process)));
}
