/* Stages after each of which the better half of the arms goes on, kept in a policy's memory.
 * Arms known from the start are in none. */
#ifndef BAYESGAP_STAGES_H
#define BAYESGAP_STAGES_H

#include <stddef.h>

#include "policy.h"

struct stages {
  double *arms;   /* how many there are at the start, */
  double *passed; /* stages that are over, */
  double *in;     /* k: 1 for the arms still in */
};

/* Doubles of memory, and the stages in them. */
size_t stages_memory(const struct prior *);
struct stages stages_in(double *memory);

void stages_start(struct stages, const struct posterior *);

/* ceil(log2(arms)); one stage for a single arm. */
int stages_count(int arms);

/* How many arms are in, for so many stages passed. */
int stages_left(int arms, int passed);

/* The pulls, counted from the start, after which a stage ends: `stage` from 0, below that
 * of all. */
typedef int stages_end(const struct round *, int arms, int stage);

/* How many arms go on after the stage that is over now, failed pulls included; 0 when none
 * is. To be asked again after stages_drop(): several may be over. */
int stages_due(struct stages, const struct round *, stages_end *end);

/* Ends a stage: the arms with the lowest merit leave until `keep` are in, ties at random.
 * merit: k, overwritten. */
void stages_drop(struct stages, int k, double *merit, int keep);

#endif
