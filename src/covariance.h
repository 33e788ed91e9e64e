/* The posterior covariance of all pairs of arms, kept from round to round of a whole run for
 * policies that look at every pair: an observation takes one pass over it. It is for bounds: its
 * rounding is that of the prior's variances, where posterior_column() has less. */
#ifndef BAYESGAP_COVARIANCE_H
#define BAYESGAP_COVARIANCE_H

#include <stddef.h>

#include "envelope.h"
#include "posterior.h"

/* Doubles to keep it in; 0 where there are too many arms, and for independent ones. The first is 0
 * before it is used. */
size_t covariance_room(const struct prior *);

/* What has to be done to have it. */
struct covariance {
  int k;
  size_t stride;     /* from a column to the next */
  double *entries;   /* of k columns */
  const double *out; /* NULL, or k: the latest column of the posterior, to be taken off */
  double least; /* an arm with less there has a column of which rounding is taken off */
  double error; /* by how much no entry is off, or next to none */
};

/* Looks whether the matrix in the room is that of the posterior, or will be, and makes it anew
 * when it is not. */
struct covariance covariance_now(const struct posterior *, double *room);

/* Brings one of its columns up to date, to be called once for every one in a round, and says how its
 * lines leave that of the highest mean, as envelope_reach() does. */
struct reach covariance_update(const struct covariance *, int arm, int top,
                               const double *inverse);

/* One that is up to date. */
const double *covariance_column(const struct covariance *, int arm);

#endif
