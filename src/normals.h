/* Standard normals in numbers: many times as fast as norm_rand(), from a generator that R's own one
 * starts, so that a seed of R's decides them. */
#ifndef BAYESGAP_NORMALS_H
#define BAYESGAP_NORMALS_H

#include <stdint.h>

/* From one of the two below: they also make the tables that all share. */
struct normals {
  uint64_t state[4];
};

/* Takes two numbers of R's generator for a seed. */
struct normals normals_begin(void);

struct normals normals_from(uint64_t seed);

/* The next n of them. */
void normals_fill(struct normals *, int n, double *restrict out);

#endif
