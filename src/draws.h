/* The maxima of several joint draws. */
#ifndef BAYESGAP_DRAWS_H
#define BAYESGAP_DRAWS_H

#include <stddef.h>

#include "posterior.h"

/* most[m] becomes the largest of the arms in the m-th of n draws: the same numbers as by
 * posterior_draw(), from the same random numbers. work: `room` doubles, at least posterior_size() +
 * d; with more of them draws are made side by side, which reads every column once for all. */
void draws_maxima(const struct posterior *, int n, double *work, size_t room,
                  double *most);

#endif
