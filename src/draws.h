/* Joint draws of the arms' means, several at a time, and what they say of the best arm. */
#ifndef BAYESGAP_DRAWS_H
#define BAYESGAP_DRAWS_H

#include <stddef.h>

#include "posterior.h"
#include "stairs.h"

/* The most that are made side by side: each column is read once for all of them. */
enum { DRAWS_ASIDE = 16 };

/* Where draws are: posterior_size() entries each, the blocks' effects behind the arms. */
struct draws {
  int n;         /* at most DRAWS_ASIDE */
  size_t stride; /* from the first entry of one to that of the next, if there is one */
  double *x;
};

/* Makes draws about the means, before a t distribution stretches them. No factorisation: draws of the
 * prior are carried through the observations. stairs: NULL, or the prior's, with which they are made
 * faster: the same ones; but for rounding, where arms have a rest of their own. */
void draws_about(const struct posterior *, const struct stairs *stairs,
                 const struct draws *);

/* Such draws of the belief before the columns from `from` on become draws of the present one. */
void draws_follow(const struct posterior *, int from, const struct draws *);

/* Such a draw about the means themselves, and as wide as the belief. */
void draws_place(const struct posterior *, double *restrict draw);

/* One joint draw of the arms' means, and behind them the blocks' effects: posterior_size() entries. */
void draws_one(const struct posterior *, double *restrict out);

/* most[m] becomes the largest of the arms in the m-th of n draws. work: `room` doubles, at least
 * posterior_size(); with more of them draws are made side by side. */
void draws_maxima(const struct posterior *, int n, double *work, size_t room,
                  double *most);

/* Monte Carlo over joint draws: best[i] becomes the share of draws in which arm i is the best,
 * regret[s] what keeping `arm` loses in draw s. work: as for draws_maxima(). */
void draws_certainty(const struct posterior *, int arm, int draws, double *work,
                     size_t room, double *best, double *regret);

#endif
