/* The factor of a prior with its rows in the order in which they end. One by pivots is half empty: what
 * is 0 then lies on top of its columns and is left out, half of the work of a draw and half of what it
 * reads. */
#ifndef BAYESGAP_STAIRS_H
#define BAYESGAP_STAIRS_H

#include <stddef.h>

#include "prior.h"

/* Columns of a step: as many as a draw takes in one pass. */
enum { STEP = 4 };

struct stairs {
  size_t stride; /* k, in whole cache lines */
  double *arm;   /* k: whose rows they are */
  double
      *top; /* of every step: how many rows have nothing from there on, in whole lines */
  double *entries; /* the columns from there on, step by step, stride less top each */
  double *sums;    /* room for draws in this order, stride each */
};

/* Doubles of room for them and for so many draws; 0 where little of the factor is empty, or it is too
 * large. */
size_t stairs_room(const struct prior *, int draws);

/* Where they are in such a room. */
struct stairs stairs_in(const struct prior *, int draws, double *room);

/* Writes all of it; the sums are its scratch. */
void stairs_make(const struct prior *, const struct stairs *);

#endif
