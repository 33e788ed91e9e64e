/* What top-two policies share: a leader, and the arm with the least evidence against it. */
#ifndef BAYESGAP_TOP_TWO_H
#define BAYESGAP_TOP_TWO_H

#include "policy.h"

/* The best open arm of a joint draw; -1: none is open. work: k + d doubles. */
int top_two_draw(const struct posterior *, const struct round *);

/* 1 when no arm but this one is open. */
int top_two_alone(const struct posterior *, const struct round *, int leader);

/* The open arm with the smallest transportation cost from the leader, ties at random,
 *   W(I, j) = (mean_I - mean_j)^2 / Var(mu_I - mu_j), and 0 where mean_j >= mean_I,
 * (Shang et al. 2020, there for independent arms and with a factor of 1/2). -1 when there is
 * none that can differ from the leader. work: 2k doubles. */
int top_two_closest(const struct posterior *, const struct round *, int leader);

#endif
