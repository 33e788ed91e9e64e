/* Columns that grow without being copied. R_init_bayesgap() makes them known to R. */
#ifndef BAYESGAP_BINDING_COLUMN_H
#define BAYESGAP_BINDING_COLUMN_H

#include <R_ext/Rdynload.h>

#include "binding_pack.h"

attribute_hidden void column_init(DllInfo *);

/* A column of integers or doubles with one element more; length: how long it is then, as R has it. */
attribute_hidden SEXP column_push(SEXP column, const void *value, SEXP length);

#endif
