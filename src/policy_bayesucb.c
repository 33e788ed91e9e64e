/* BayesUCB (Kaufmann, Cappe and Garivier 2012): the highest posterior quantile, at a level
 * that rises with the rounds. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gap.h"
#include "linalg.h"
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
  const int k = p->prior->k;
  const double beta = width(r);
  double *sd = r->work, *quantile = r->work + k;
  linalg_sqrt(k, p->var, sd);
  memcpy(quantile, p->mean, (size_t)k * sizeof *quantile);
  linalg_add(k, beta, sd, quantile);
  r->note->beta = beta;
  return policy_best_open(p, r, quantile,
                          GAP_TIE * (1 + beta) * linalg_max(k, sd) +
                              16 * DBL_EPSILON * fabs(linalg_max(k, quantile)));
}

const struct policy policy_bayesucb = {
    .name = "bayesucb",
    .label = "the highest posterior quantile, at a level that rises",
    .advice = "highest posterior mean",
    .params = PARAMS,
    .choose = choose,
};
