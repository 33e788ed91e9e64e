/* How hard the arms are to tell apart, and what is left to spend on it: the parts of the
 * paper's equation 9 that its policies share. Noise may differ between the arms. An arm
 * known from the start counts nowhere. */
#ifndef BAYESGAP_HARDNESS_H
#define BAYESGAP_HARDNESS_H

#include "gap.h"
#include "policy.h"

/* The first doubles of the memory of a policy that uses this; filled by hardness_start(). */
enum hardness_at {
  HARDNESS_PRIOR_PULLS, /* the prior's worth in pulls, kappa sigma^2 / eta^2 */
  HARDNESS_ARMS,        /* arms not known from the start */
  HARDNESS_MEMORY
};

/* work: k doubles. */
void hardness_start(const struct posterior *, const struct round *);

/* What replaces the T - K of equation 9: equal to it from T = 2K on, and T up to T = K,
 * where the paper's leaves nothing. */
double hardness_pulls(const struct round *);

/* The sum of sigma_k^2 / H_k^2, H_k = max((Delta_k + epsilon) / 2, epsilon), Delta_k bounded
 * by mean +- 3 sd; without sigma^2 it is the paper's H, which goes into the note. sd is
 * work[0] to work[k - 1]; the 2k doubles behind it are used. */
double hardness_sum(const struct posterior *, const struct round *, double epsilon,
                    enum gap_sides);

/* beta = sqrt(pulls / hard), never so large that bounds leave the range of numbers. */
double hardness_beta(double pulls, double hard);

#endif
