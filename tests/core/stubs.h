/* What R gives the core, for tests without R. */
#ifndef BAYESGAP_STUBS_H
#define BAYESGAP_STUBS_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"

/* Starts unif_rand() and norm_rand() anew. */
void stub_seed(uint64_t seed);

/* How often the core looked for Ctrl-C since this was last asked. */
int stub_looks(void);

/* Blocks of exactly n elements, so that the address sanitizer sees a step past their end;
 * filled with NaN and -2000000000, so that what is read before it is written shows. */
void *stub_block(size_t n, size_t size);
double *stub_doubles(size_t n);
int *stub_ints(size_t n);

/* Frees all blocks. */
void stub_free(void);

/* One run and its memory, every array a block of its own. */
struct stub_run {
  const struct policy *policy;
  struct posterior p;
  struct round r;
  struct note note;
  double *param;          /* r.param: the policy's defaults */
  double *noise2;         /* r.noise2: to be filled in */
  struct average average; /* p.average */
  int columns;            /* blocks that p.w points to */
};

/* A run that may learn `columns` observations before it is compacted; independent arms
 * need none. */
void stub_run_new(struct stub_run *, const struct prior *, const struct policy *,
                  int budget, int columns);

/* The same with blocks, which always needs the columns. r.blocks is what is open to choice. */
void stub_run_blocked(struct stub_run *, const struct prior *, const struct policy *,
                      int budget, int columns, int blocks, double block2);

/* The same where each block has several coordinates; loading: width - 1 for each arm. */
void stub_run_tilted(struct stub_run *, const struct prior *, const struct policy *,
                     int budget, int columns, int blocks, double block2, int width,
                     const double *loading);

/* Room for so many sets of recent columns, none of them there yet. */
void stub_keep_recent(struct posterior *, int sets);

/* Compacts as the binding does, into new columns, as many as there are arms observed; then
 * as many columns as before are there again. The old ones are lost. */
void stub_run_compact(struct stub_run *);

#endif
