/* BayesUCB (Kaufmann, Cappe and Garivier 2012): the highest posterior quantile, at a level
 * that rises with the rounds. */
#include <float.h>
#include <math.h>

#include "normal.h"
#include "policy.h"

enum param_at { POWER };

static const struct param PARAMS[] = {
    {"c", 0, 0, INFINITY, NULL,
     "the level is 1 - 1 / ((t + 1) log(T)^c): 0 in practice, 5 in the theory"},
    {0}};

/* t + 1, since with t the level of the first round is 0 and every index -Inf. Budgets of 1
 * and 2, with log(T) < 1, would lower the level: there the power is taken as 0. */
static double width(const struct round *r) {
  const double power = fmax(pow(log(r->budget), r->param[POWER]), 1);
  return -normal_quantile(fmax(1 / ((r->t + 1) * power), DBL_MIN));
}

static int choose(const struct posterior *p, const struct round *r) {
  return policy_best_upper(p, r, width(r));
}

const struct policy policy_bayesucb = {
    .name = "bayesucb",
    .label = "the highest posterior quantile, at a level that rises",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .choose = choose,
};
