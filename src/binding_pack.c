/* Memory and lists: what every call from R needs. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include "binding_pack.h"

SEXP at(SEXP list, int i) {
  return VECTOR_ELT(list, i);
}

struct scratch *scratch_start(struct scratch *s) {
  s->doubles = s->ints = 0;
  return s;
}

double *doubles(struct scratch *s, size_t n) {
  if (s->doubles + n > sizeof s->d / sizeof s->d[0])
    return (double *)R_alloc(n, sizeof(double));
  s->doubles += n;
  return s->d + s->doubles - n;
}

int *ints(struct scratch *s, size_t n) {
  if (s->ints + n > sizeof s->i / sizeof s->i[0])
    return (int *)R_alloc(n, sizeof(int));
  s->ints += n;
  return s->i + s->ints - n;
}
