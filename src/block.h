/* In which block the next pull is made, where the run may choose: of those in which the arm has
 * not been yet (of all, where there is none) the one whose reward takes most variance off the
 * difference of leader and rival, or, for a policy that names none, the one known best. */
#ifndef BAYESGAP_BLOCK_H
#define BAYESGAP_BLOCK_H

#include "policy.h"

/* r->blocks > 0; r->note is that of the round's choice. Ties go to the first, as they all do where
 * the posterior has no blocks: their effects are known to be nothing. */
int block_choose(const struct posterior *, const struct round *, int arm);

#endif
