/* Equal shares: one of the arms pulled least so far, at random. */
#include "policy.h"

static int choose(const struct posterior *p, const struct round *r) {
  double *value = r->work;
  for (int i = 0; i < p->prior->k; i++)
    value[i] = -p->pulls[i];
  return policy_best_open(p, r, value, 0);
}

const struct policy policy_uniform = {
    .name = "uniform",
    .label = "equal shares, in random order",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .choose = choose,
};
