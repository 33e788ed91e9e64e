/* The observed averages of the arms, for policies that use no prior: they keep a tally in
 * their memory. An arm known from the start stands with its prior mean. */
#ifndef BAYESGAP_TALLY_H
#define BAYESGAP_TALLY_H

#include "policy.h"

enum { TALLY = 3 }; /* doubles of memory an arm */

struct tally {
  double *n;    /* k: observations of each arm */
  double *mean; /* k: their average */
  double *m2;   /* k: their sum of squares about it */
};

/* The tally in a piece of memory of TALLY * k doubles. */
struct tally tally_in(double *memory, int k);

void tally_start(struct tally, const struct posterior *);
void tally_see(struct tally, int arm, double y);

/* The unbiased variance of an arm's observations; 0 for fewer than two. */
double tally_var(struct tally, int arm);

/* What an arm is judged by: its average, or its mean once that is known. One whose pulls
 * all failed comes last. */
double tally_value(struct tally, const struct posterior *, int arm);

/* For policies that drop arms, `in` being 1 for those left: the open arm with the fewest of
 * n pulls, and the best by the values in r->work, where an arm known from the start, which
 * was never in, may be better than all that were. Ties at random. */
int tally_fewest(const double *in, const double *n, const struct posterior *,
                 const struct round *);
int tally_left(const double *in, const struct posterior *, const struct round *);

/* The open arm pulled least; for policies that pull every arm `each` times first, -1 when
 * that is done. Ties at random. */
int tally_unpulled(struct tally, const struct posterior *, const struct round *,
                   int each);

/* The arm with the highest average among those observed or known; ties at random. -1 when
 * there is none. */
int tally_best(struct tally, const struct posterior *, const struct round *);

/* What Hoeffding's bound takes for the range of a reward: noise of standard deviation s is
 * to it what a range of 2 s is. */
double tally_range(const struct posterior *, const struct round *);

/* The number of arms that are not known from the start. */
int tally_arms(const struct prior *);

#endif
