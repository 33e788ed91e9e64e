/* Improvement on the best arm so far, the incumbent: what PI and EI share. */
#ifndef BAYESGAP_IMPROVEMENT_H
#define BAYESGAP_IMPROVEMENT_H

#include "policy.h"

enum improvement_param { IMPROVEMENT_XI, IMPROVEMENT_INCUMBENT };

/* How the incumbent f is valued: the highest posterior mean of the arms pulled, or of all
 * arms, or the highest reward observed. Where only arms pulled count, an arm known from the
 * start stands with its prior mean. */
#define IMPROVEMENT_INCUMBENTS "pulled|all|observed"
#define IMPROVEMENT_XI_MEANING                                                           \
  "improvement that counts, in units of the root mean prior variance"
#define IMPROVEMENT_INCUMBENT_MEANING                                                    \
  "what is improved on: highest mean of the arms pulled or of all, or highest reward"

size_t improvement_memory(const struct prior *);
void improvement_start(const struct posterior *, const struct round *);
void improvement_see(const struct posterior *, const struct round *, int arm, double y);

/* z[k] = (mean - f - xi) / sd; -INFINITY for arms that are not open. */
void improvement_z(const struct posterior *, const struct round *, const double *sd,
                   double *z);

/* How far two z may differ by rounding where they are about z and the arm's sd is sd. */
double improvement_tie(const struct posterior *, double z, double sd);

#endif
