/* Thompson sampling: the best arm of one joint draw from the posterior. */
#include "policy.h"

static int choose(const struct posterior *p, const struct round *r) {
  double *draw = r->work, *z = r->work + p->prior->k;
  posterior_draw(p, z, draw);
  return policy_best_open(p, r, draw, 0);
}

const struct policy policy_thompson = {
    .name = "thompson",
    .label = "the best arm of one joint posterior draw",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .draws = 1,
    .choose = choose,
};
