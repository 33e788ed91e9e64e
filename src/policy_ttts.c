/* Top-two Thompson sampling (Russo 2016): the best arm of a joint draw, or, half of the
 * time, the best arm of another draw in which it is a different one. Where no such draw
 * comes up, the challenger is the arm with the least evidence against it (T3C, Shang et
 * al. 2020). */
#include <R_ext/Random.h>
#include <math.h>

#include "interrupt.h"
#include "linalg.h"
#include "policy.h"
#include "tie.h"

enum param_at { LEADER_SHARE };

static const struct param PARAMS[] = {
    {"beta", 0.5, 0, 1, NULL, "probability of pulling the leader, not its challenger"},
    {0}};

/* Draws made for a challenger. */
enum { REDRAWS = 100 };

/* The best open arm of a joint draw. */
static int best_of_draw(const struct posterior *p, const struct round *r) {
  double *draw = r->work, *z = r->work + p->prior->k;
  posterior_draw(p, z, draw);
  return policy_best_open(p, r, draw, 0);
}

static int alone(const struct posterior *p, const struct round *r, int leader) {
  for (int i = 0; i < p->prior->k; i++)
    if (i != leader && policy_open(p, r, i))
      return 0;
  return 1;
}

/* The smallest (mean_I - mean_j)^2 / Var(mu_I - mu_j); -1 when there is no other open arm,
 * or none that can differ from the leader. */
static int closest(const struct posterior *p, const struct round *r, int leader) {
  const int k = p->prior->k;
  double *column = r->work, *value = r->work + k;
  posterior_column(p, leader, column);
  for (int j = 0; j < k; j++) {
    const double var = p->var[leader] + p->var[j] - 2 * column[j];
    const double rounding =
        posterior_rounding(p, leader) + posterior_rounding(p, j) +
        2 * posterior_column_rounding(p, leader, prior_var(p->prior, j));
    const double gap = p->mean[leader] - p->mean[j];
    value[j] = j != leader && var > rounding ? -gap * gap / var : -INFINITY;
  }
  return policy_best_open(p, r, value, TIE * fabs(linalg_max(k, value)));
}

static int challenger(const struct posterior *p, const struct round *r, int leader) {
  for (int n = 0; n < REDRAWS; n++) {
    interrupt_check(n, (size_t)p->prior->k);
    const int other = best_of_draw(p, r);
    if (other != leader)
      return other;
  }
  return closest(p, r, leader);
}

static int choose(const struct posterior *p, const struct round *r) {
  const int leader = best_of_draw(p, r);
  if (leader < 0 || unif_rand() < r->param[LEADER_SHARE] || alone(p, r, leader))
    return leader;
  const int other = challenger(p, r, leader);
  return other >= 0 ? other : leader;
}

const struct policy policy_ttts = {
    .name = "ttts",
    .label = "the best arm of a joint posterior draw, or of one where it is another",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .draws = 1,
    .choose = choose,
};
