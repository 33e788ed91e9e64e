/* Thompson sampling: the best arm of one joint draw from the posterior. */
#include "top_two.h"

const struct policy policy_thompson = {
    .name = "thompson",
    .label = "the best arm of one joint posterior draw",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .draws = 1,
    .choose = top_two_draw,
};
