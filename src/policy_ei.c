/* Expected improvement, ranked by its logarithm, log sd + log h(z): EI itself would
 * underflow to ties.
 *
 * Few arms need the normal distribution. log sd and log h are concave, so that the plane
 * that touches log EI at one arm,
 *   log EI_b + (sd - sd_b) / sd_b + (z - z_b) Phi(z_b) / h(z_b),
 * lies above all others; the arm that comes out highest under all planes so far is worked
 * out next, until it is one that has been. The t distribution of a learned scale has no such
 * planes, and improvement by what a pull costs has none: there every arm is worked out. */
#include <math.h>

#include "hot.h"
#include "improvement.h"
#include "linalg.h"
#include "normal.h"
#include "policy.h"
#include "student.h"
#include "tie.h"

static const struct param PARAMS[] = {
    {"xi", 0, 0, INFINITY, NULL, IMPROVEMENT_XI_MEANING},
    {"incumbent", 0, 0, 2, IMPROVEMENT_INCUMBENTS, IMPROVEMENT_INCUMBENT_MEANING},
    {0}};

/* Planes after which the arms that may still be best are simply worked out one by one. */
enum { PLANES = 24 };

static double log_improvement(double sd, double z, double df) {
  return log(sd) + student_log_excess(z, df);
}

/* The slope of log h: Phi / h; far out, where both logarithms are huge, from their series. */
static double slope(double z, double log_h) {
  if (z < -50)
    return -z - 2 / z + 6 / (z * z * z);
  return exp(normal_log_cdf(z) - log_h);
}

HOT static void lower(int k, const double *sd, const double *z, double at, double per_sd,
                      double per_z, double *restrict bound) {
  for (int i = 0; i < k; i++) {
    const double plane = at + per_sd * sd[i] + per_z * z[i];
    bound[i] = plane < bound[i] ? plane : bound[i];
  }
}

struct top {
  int arm;
  double value, tie;
};

/* bound[k] becomes an upper bound of log EI; an arm whose bound is below the best by more
 * than the tie is out. */
static struct top refine(const struct posterior *p, const double *sd, const double *z,
                         double *bound) {
  const int k = p->prior->k;
  struct top best = {-1, -INFINITY, 0};
  for (int i = 0; i < k; i++)
    bound[i] = z[i] > -INFINITY ? INFINITY : -INFINITY;
  for (int n = 0; n < PLANES; n++) {
    const int b = linalg_top(k, n ? bound : z);
    if (!(bound[b] > best.value + best.tie))
      break;
    const double log_h = normal_log_excess(z[b]);
    const double value = log(sd[b]) + log_h, per_z = slope(z[b], log_h);
    lower(k, sd, z, value - 1 - per_z * z[b], 1 / sd[b], per_z, bound);
    bound[b] = value;
    if (n == 0 || value > best.value) {
      best.arm = b;
      best.value = value;
      best.tie = TIE + per_z * improvement_tie(p, z[b], sd[b]);
    }
  }
  return best;
}

static int best_of_all(const struct posterior *p, const struct round *r, const double *sd,
                       const double *z, double *value) {
  const int k = p->prior->k;
  for (int i = 0; i < k; i++)
    value[i] = z[i] > -INFINITY ? log_improvement(sd[i], z[i], p->prior->df) : -INFINITY;
  policy_per_cost(r, k, value);
  const int top = linalg_top(k, value);
  return policy_best_open(p, r, value, TIE + improvement_tie(p, z[top], sd[top]));
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *sd = r->work, *z = r->work + k, *value = r->work + 2 * k;
  linalg_sqrt(k, p->var, sd);
  improvement_z(p, r, sd, z);
  if (!(linalg_max(k, z) > -INFINITY))
    return -1;
  if (isfinite(p->prior->df) || r->cost)
    return best_of_all(p, r, sd, z, value);
  const struct top best = refine(p, sd, z, value);
  for (int i = 0; i < k; i++)
    if (value[i] >= best.value - best.tie)
      value[i] = sd[i] == sd[best.arm] && z[i] == z[best.arm]
                     ? best.value
                     : log_improvement(sd[i], z[i], INFINITY);
  return policy_best_open(p, r, value, best.tie);
}

const struct policy policy_ei = {
    .name = "ei",
    .label = "the highest expected improvement",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .costs = policy_always,
    .memory = improvement_memory,
    .start = improvement_start,
    .see = improvement_see,
    .choose = choose,
};
