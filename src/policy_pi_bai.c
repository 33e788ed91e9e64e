/* PI-BAI, prior-informed fixed allocation (Nguyen, Aouali, Gyorgy and Vernade 2024, arXiv
 * 2402.05878): pulls are shared out by weights w that the prior decides, and the highest
 * posterior mean is kept. With V0_ij the prior and V_ij(w) the posterior variance of
 * f_i - f_j after n w pulls, the paper's bound on the expected probability of error is
 *   sum over i != j of exp(-(m_i - m_j)^2 / (2 V0_ij)) sqrt(V_ij(w) / V0_ij),
 * which is its 1 / sqrt(1 + n phi_ij), and the w that minimises it are its optimised weights.
 *
 * "optimised": the bound is convex in w, and for lack of a solver the pulls are placed one at
 * a time, each where it lowers the bound most. Of an arm's pull only the pairs are counted
 * that the arm is in: all that it changes when arms are independent, as the paper's are; of
 * correlated arms the other pairs would take the whole covariance matrix. No reward has a
 * say, nor has the budget. Left out is what the authors' code mixes in, weights in proportion
 * to prior mean times prior variance, which needs positive means. Where the scale is learned,
 * squared scales stand for variances. k^2 operations a round for independent arms, and k
 * columns of the covariance for others, as `kg` has.
 *
 * "warm-up": Thompson sampling for the first n_w pulls; the shares that the arms had of them
 * are the weights of all pulls after. The authors' code draws how many pulls that makes from a
 * multinomial; here the arm farthest behind its share is next. It forgets the rewards of the
 * warm-up; the posterior here knows them. */
#include <math.h>

#include "interrupt.h"
#include "linalg.h"
#include "policy.h"
#include "tie.h"
#include "top_two.h"

enum param_at { WEIGHTS, WARM_UP };
enum weights { OPTIMISED, WARMED_UP };

static const struct param PARAMS[] = {
    {"weights", OPTIMISED, 0, 1, "optimised|warm-up",
     "those that lower a bound on the probability of error, or the shares of a warm-up "
     "by "
     "Thompson sampling"},
    {"warm_up", NAN, 1, 1e9, NULL,
     "pulls of the warm-up; by default as many as arms, and at most half of the budget"},
    {0}};

/* Carried from round to round: the pulls of each arm in the warm-up, then those since. */
static size_t memory(const struct prior *prior) {
  return 2 * (size_t)prior->k;
}

static double warm_up(const struct posterior *p, const struct round *r) {
  const double told = r->param[WARM_UP];
  return isnan(told) ? fmax(fmin(p->prior->k, r->budget / 2), 1) : told;
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  (void)y;
  r->memory[r->t <= warm_up(p, r) ? arm : arm + p->prior->k]++;
}

/* A variance of a difference that is this small beside the variances is rounding: the two arms
 * are one. */
static const double SAME = 16 * ROUNDING;

/* ---- Optimised ---------------------------------------------------------------------- */

/* The prior variance of f_a - f_j for all j. */
static void prior_apart(const struct prior *prior, int arm, double *out) {
  if (prior->kind == PRIOR_INDEPENDENT)
    for (int j = 0; j < prior->k; j++)
      out[j] = 0;
  else
    prior_column(prior, arm, out);
  for (int j = 0; j < prior->k; j++)
    out[j] = prior_var(prior, arm) + prior_var(prior, j) - 2 * out[j];
}

/* log of what one more pull of the arm takes off the bound: of a pair's sqrt(V) it leaves
 * sqrt(V'), V - V' = (C_aa - C_ja)^2 / (C_aa + noise^2). work: 3k doubles. */
static double log_gain(const struct posterior *p, const struct round *r, int arm,
                       double *work) {
  const int k = p->prior->k;
  double *before = work, *column = work + k, *exponent = work + 2 * k;
  const double root = sqrt(p->var[arm] + r->noise2[arm]);
  double sum = 0;
  prior_apart(p->prior, arm, before);
  posterior_column(p, arm, column);
  for (int j = 0; j < k; j++) {
    const double var = p->var[arm] + p->var[j] - 2 * column[j];
    const double most0 = fmax(prior_var(p->prior, arm), prior_var(p->prior, j));
    exponent[j] = -INFINITY;
    if (j == arm || !(var > posterior_apart(p, arm, j) && before[j] > SAME * most0))
      continue;
    const double sd0 = sqrt(before[j]);
    const double gap = (p->prior->mean[arm] - p->prior->mean[j]) / sd0;
    const double move = (p->var[arm] - column[j]) / root, taken = move * move;
    exponent[j] = -0.5 * gap * gap;
    column[j] = taken / (sd0 * (sqrt(var) + sqrt(fmax(var - taken, 0))));
  }
  const double most = linalg_max(k, exponent);
  if (!(most > -INFINITY))
    return -INFINITY;
  for (int j = 0; j < k; j++)
    if (exponent[j] > -INFINITY)
      sum += column[j] * exp(exponent[j] - most);
  return most + log(sum);
}

/* Where no pull tells arms apart, the one that teaches most about its own arm. */
static int choose_optimised(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *value = r->work, *work = r->work + k;
  for (int i = 0; i < k; i++) {
    interrupt_check(i, (size_t)k);
    value[i] = policy_open(p, r, i) ? log_gain(p, r, i, work) : -INFINITY;
  }
  policy_per_cost(r, k, value);
  const double best = linalg_max(k, value);
  if (!(best > -INFINITY))
    return policy_least_known(p, r);
  const double magnitude = fabs(linalg_max(k, p->prior->mean)) / sqrt(p->prior->most);
  return policy_best_open(p, r, value,
                          (TIE + fmin(ROUNDING * magnitude, 1e-3)) * (1 + fabs(best)));
}

/* ---- Warm-up ------------------------------------------------------------------------ */

static int choose_by_shares(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  const double *warm = r->memory, *since = r->memory + k;
  const double sum = linalg_sum(k, warm), made = linalg_sum(k, since);
  double *lacking = r->work;
  for (int i = 0; i < k; i++)
    lacking[i] = (sum > 0 ? (made + 1) * (warm[i] / sum) : 0) - since[i];
  return policy_best_open(p, r, lacking, TIE);
}

static int by_cost(const double *param) {
  return (int)param[WEIGHTS] == OPTIMISED;
}

static int choose(const struct posterior *p, const struct round *r) {
  if ((int)r->param[WEIGHTS] == OPTIMISED)
    return choose_optimised(p, r);
  return r->t <= warm_up(p, r) ? top_two_draw(p, r) : choose_by_shares(p, r);
}

const struct policy policy_pi_bai = {
    .name = "pi_bai",
    .label = "shares of the budget that the prior decides, or a warm-up",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .draws = 1,
    .keeps = 1,
    .costs = by_cost,
    .memory = memory,
    .see = see,
    .choose = choose,
};
