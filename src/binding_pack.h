/* What the files that know R's objects share: unpack, call, pack. R has checked every
 * argument; its lists come in the order of the enums in those files. */
#ifndef BAYESGAP_BINDING_PACK_H
#define BAYESGAP_BINDING_PACK_H

#include <R_ext/Visibility.h>
#include <Rinternals.h>
#include <stddef.h>

#include "kernel.h"

attribute_hidden SEXP at(SEXP list, int i);

/* Memory that lives as long as the call. What fits is taken from the stack: memory from R
 * comes round through all of its heap, and is never in the cache. */
struct scratch {
  size_t doubles, ints;
  double d[4096];
  int i[4096];
};

/* None of it in use; what is in it stays as it is. */
attribute_hidden struct scratch *scratch_start(struct scratch *);

attribute_hidden double *doubles(struct scratch *, size_t n);
attribute_hidden int *ints(struct scratch *, size_t n);

attribute_hidden const struct kernel *unpack_kernel(SEXP kernel);

/* list(factor, rest) with room for so many columns. */
attribute_hidden SEXP new_factor(int k, int limit);
attribute_hidden void shorten_factor(SEXP out, int rank);

#endif
