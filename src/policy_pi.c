/* Probability of improvement: ranked by z, since Phi(z) would underflow to ties. Without a
 * margin xi the incumbent itself would be pulled again and again. */
#include <math.h>

#include "improvement.h"
#include "linalg.h"
#include "policy.h"

static const struct param PARAMS[] = {
    {"xi", 0.05, 0, INFINITY, NULL, IMPROVEMENT_XI_MEANING},
    {"incumbent", 0, 0, 2, IMPROVEMENT_INCUMBENTS, IMPROVEMENT_INCUMBENT_MEANING},
    {0}};

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *sd = r->work, *z = r->work + k;
  linalg_sqrt(k, p->var, sd);
  improvement_z(p, r, sd, z);
  const double most = linalg_max(k, z);
  if (!(most > -INFINITY))
    return -1;
  const int top = linalg_top(k, z);
  return policy_best_open(p, r, z, improvement_tie(p, most, sd[top]));
}

const struct policy policy_pi = {
    .name = "pi",
    .label = "the highest probability of improvement",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .memory = improvement_memory,
    .start = improvement_start,
    .see = improvement_see,
    .choose = choose,
};
