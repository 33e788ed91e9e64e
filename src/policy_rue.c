/* RUE, random effect UCB exploration (Zhu and Qiu 2024, arXiv 2408.04869, Algorithm 1): the
 * highest upper bound
 *   U_k = mean_k + sqrt(2 log(n)) sd_k
 * with the posterior's means and standard deviations and n the budget; the highest posterior
 * mean is kept.
 *
 * The paper pulls every arm twice first, to estimate the prior mean and variance that its arms
 * have in common. Here the prior is told or learned by the run itself, arms may be correlated,
 * and there are no first pulls: a budget below the number of arms is legal. */
#include <math.h>

#include "policy.h"

enum param_at { CONSTANT };

static const struct param PARAMS[] = {
    {"constant", 2, 0, 1e9, NULL,
     "beta^2 in units of the logarithm of the budget; 2 is the paper's"},
    {0}};

static int choose(const struct posterior *p, const struct round *r) {
  return policy_best_upper(p, r, sqrt(r->param[CONSTANT] * log(r->budget)));
}

const struct policy policy_rue = {
    .name = "rue",
    .label = "the highest upper bound, of a width that the budget sets",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .choose = choose,
};
