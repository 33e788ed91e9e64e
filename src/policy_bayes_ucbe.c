/* Bayes-UCBE: UCB-E (Audibert, Bubeck and Munos 2010) with the posterior's means and
 * standard deviations, as the conclusion of the BayesGap paper suggests. Its bonus
 * sqrt(a / N) is beta sigma / sqrt(N), so that beta^2 = (25/36) (what equation 9 spends) /
 * H1, H1 = sum of Delta_k^-2 with the adaptive gaps. In the same terms the constant of
 * BayesGap is 1/16. */
#include <math.h>

#include "gap.h"
#include "hardness.h"
#include "linalg.h"
#include "policy.h"

enum param_at { CONSTANT };

static const struct param PARAMS[] = {
    {"constant", 25.0 / 36, 0, 1e9, NULL,
     "beta^2 in units of pulls over hardness; UCB-E's, where BayesGap has 1/16"},
    {0}};

static size_t memory(const struct prior *prior) {
  (void)prior;
  return HARDNESS_MEMORY;
}

/* Without epsilon H_k is Delta_k / 2, and the hardness four times that of UCB-E. */
static double adaptive_beta(const struct posterior *p, const struct round *r) {
  const double hard = hardness_sum(p, r, 0, GAP_TWO_SIDED) / 4;
  r->note->hardness /= 4;
  const double pulls = hardness_pulls(r) + r->memory[HARDNESS_PRIOR_PULLS];
  return hardness_beta(r->param[CONSTANT] * pulls, hard);
}

static int choose(const struct posterior *p, const struct round *r) {
  linalg_sqrt(p->prior->k, p->var, r->work); /* where hardness_sum() expects it */
  return policy_best_upper(p, r, p->prior->k > 1 ? adaptive_beta(p, r) : 0);
}

const struct policy policy_bayes_ucbe = {
    .name = "bayes_ucbe",
    .label = "the highest upper bound, as wide as the arms are hard to tell apart",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .memory = memory,
    .start = hardness_start,
    .choose = choose,
};
