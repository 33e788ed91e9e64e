/* Is a serialization of R's (version 2, XDR) plain data? R runs code of its own to bring some
 * things back (functions, promises, environments, external pointers, ...) and believes what is
 * said of lengths and attributes, so that bytes of unknown origin are looked through before R
 * reads them. */
#ifndef BAYESGAP_PLAIN_H
#define BAYESGAP_PLAIN_H

#include <stddef.h>

/* NULL where the bytes are one whole value made of NULL, vectors (logical, whole and real numbers,
 * complex numbers, strings, raw bytes), lists of such, nested at most `depth` deep, and attributes
 * which are such values: those that R relies on (names, dim, dimnames, class, row.names, tsp,
 * comment) as R itself would have set them. Else what is wrong, in words that go on after "it". */
const char *plain_fault(const unsigned char *bytes, size_t n, int depth);

#endif
