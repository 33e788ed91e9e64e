#include "improvement.h"

#include <math.h>

#include "hot.h"
#include "linalg.h"
#include "tie.h"

enum incumbent { PULLED, ALL, OBSERVED };
enum memory_at { MARGIN, REWARD, SEEN, MEMORY };

/* Beyond this z its square would overflow; no choice among real numbers gets there. */
static const double MOST = 1e150;

size_t improvement_memory(const struct prior *prior) {
  (void)prior;
  return MEMORY;
}

void improvement_start(const struct posterior *p, const struct round *r) {
  const struct prior *prior = p->prior;
  const double unit =
      sqrt(prior->scale * linalg_sum(prior->k, prior->diagonal) / prior->k);
  r->memory[MARGIN] = r->param[IMPROVEMENT_XI] * unit;
  r->memory[REWARD] = -INFINITY;
  r->memory[SEEN] = 0;
  for (int i = 0; i < prior->k; i++)
    if (prior_known(prior, i, r->noise2[i]))
      r->memory[REWARD] = fmax(r->memory[REWARD], prior->mean[i]);
}

void improvement_see(const struct posterior *p, const struct round *r, int arm,
                     double y) {
  (void)p, (void)arm;
  r->memory[REWARD] = fmax(r->memory[REWARD], y);
  r->memory[SEEN] = 1;
}

static double best_pulled(const struct posterior *p, const struct round *r) {
  double best = -INFINITY;
  for (int i = 0; i < p->prior->k; i++)
    if (p->mean[i] > best && (p->pulls[i] > 0 || prior_known(p->prior, i, r->noise2[i])))
      best = p->mean[i];
  return best;
}

/* Before the first observation the means are the prior's, and the highest is the incumbent
 * whatever the rule. */
static double incumbent(const struct posterior *p, const struct round *r) {
  const int rule = (int)r->param[IMPROVEMENT_INCUMBENT];
  if (rule == ALL || r->memory[SEEN] == 0)
    return linalg_max(p->prior->k, p->mean);
  return rule == OBSERVED ? r->memory[REWARD] : best_pulled(p, r);
}

HOT static void standardise(int k, const double *mean, const double *sd, double f,
                            double *restrict z) {
  for (int i = 0; i < k; i++) {
    const double x = sd[i] > 0 ? (mean[i] - f) / sd[i] : -INFINITY;
    z[i] = x > MOST ? MOST : x < -MOST ? -MOST : x;
  }
}

void improvement_z(const struct posterior *p, const struct round *r, const double *sd,
                   double *z) {
  standardise(p->prior->k, p->mean, sd, incumbent(p, r) + r->memory[MARGIN], z);
  for (int i = 0; i < p->prior->k; i++)
    if (!policy_open(p, r, i))
      z[i] = -INFINITY;
}

double improvement_tie(const struct posterior *p, double z, double sd) {
  const double magnitude = fabs(linalg_max(p->prior->k, p->mean));
  return TIE * (1 + fabs(z)) + fmin(ROUNDING * magnitude / sd, 1);
}
