/* Columns of the posterior covariance: worked out from the columns of the observations, and kept, as far
 * as they are, for when they are asked for again. For the posterior itself, and for who makes one. */
#ifndef BAYESGAP_RECENT_H
#define BAYESGAP_RECENT_H

#include "posterior.h"

/* A column of the covariance as far as it was worked out last: its entries before the columns
 * from `upto` on are taken off. They come off in fours, so that to go on from here gives the
 * same bits as to start again. */
struct recent {
  int at;       /* of which coordinate; -1: none */
  int from;     /* the first column to take off when it was begun, */
  int upto;     /* and the first that is still to be: a multiple of four later */
  int mixed;    /* 1: any of those taken off was more than 0 at the coordinate */
  double whole; /* the entry of the coordinate itself before they were */
  double *c;    /* posterior_size() */
};

/* They are kept in sets: a coordinate's is the remainder of its number by theirs. One set is
 * enough for a pair of arms, the arm pulled and one to come back to. */
enum { RECENT = 4 };

/* Room to keep the latest columns of the covariance in, which saves time and changes no bit
 * of any result. recent: sets * RECENT; room: one more column than that. */
void recent_keep(struct posterior *, int sets, struct recent *, double *const *room);

/* The sets that are worth their memory where a run is long: as many as stay in a cache. */
int recent_sets(const struct posterior *);

/* None is kept any more. */
void recent_forget(struct posterior *);

/* Is a column that is worked out now asked for again? */
enum keep { PASSING, KEPT };

/* c: the first entries of S[, at], fewer than all only where recent columns are kept. Returns the
 * size of the numbers that were subtracted on the way, which is that of what rounding spoils: the
 * entry `at` before the subtractions, and, where other arms were pulled since, whose columns were
 * had from the prior's, that of the prior. */
double recent_column(const struct posterior *, int at, int entries, enum keep,
                     double *restrict c);

/* The recent columns become those of up to RECENT arms, none of them observed, which are asked for
 * next: what is taken off all of them is then read from far away only once. */
void recent_prepare(const struct posterior *, int arms, const int *arm);

#endif
