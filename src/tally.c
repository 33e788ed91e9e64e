#include "tally.h"

#include <math.h>
#include <string.h>

#include "linalg.h"

struct tally tally_in(double *memory, int k) {
  const struct tally t = {memory, memory + k, memory + 2 * (size_t)k};
  return t;
}

void tally_start(struct tally t, const struct posterior *p) {
  const size_t k = (size_t)p->prior->k;
  memset(t.n, 0, k * sizeof(double));
  memset(t.m2, 0, k * sizeof(double));
  memcpy(t.mean, p->prior->mean, k * sizeof(double));
}

void tally_see(struct tally t, int arm, double y) {
  if (t.n[arm]++ == 0)
    t.mean[arm] = y;
  const double off = y - t.mean[arm];
  t.mean[arm] += off / t.n[arm];
  t.m2[arm] += off * (y - t.mean[arm]);
}

double tally_var(struct tally t, int arm) {
  return t.n[arm] > 1 ? t.m2[arm] / (t.n[arm] - 1) : 0;
}

double tally_value(struct tally t, const struct posterior *p, int arm) {
  if (p->var[arm] <= 0)
    return p->mean[arm];
  return t.n[arm] > 0 ? t.mean[arm] : -INFINITY;
}

int tally_fewest(const double *in, const double *n, const struct posterior *p,
                 const struct round *r) {
  for (int i = 0; i < p->prior->k; i++)
    r->work[i] = in[i] > 0 ? -n[i] : -INFINITY;
  return policy_best_open(p, r, r->work, 0);
}

int tally_left(const double *in, const struct posterior *p, const struct round *r) {
  if (posterior_resolved(p))
    return -1;
  for (int i = 0; i < p->prior->k; i++)
    if (in[i] <= 0 && prior_var(p->prior, i) > 0)
      r->work[i] = -INFINITY;
  return linalg_which_max(p->prior->k, r->work, 0);
}

int tally_unpulled(struct tally t, const struct posterior *p, const struct round *r,
                   int each) {
  double *left = r->work;
  for (int i = 0; i < p->prior->k; i++)
    left[i] = t.n[i] < each ? -t.n[i] : -INFINITY;
  return policy_best_open(p, r, left, 0);
}

int tally_best(struct tally t, const struct posterior *p, const struct round *r) {
  double *value = r->work;
  for (int i = 0; i < p->prior->k; i++)
    value[i] = t.n[i] > 0 || prior_var(p->prior, i) <= 0 ? t.mean[i] : -INFINITY;
  return linalg_which_max(p->prior->k, value, 0);
}

double tally_range(const struct posterior *p, const struct round *r) {
  double sum = 0;
  for (int i = 0; i < p->prior->k; i++)
    sum += prior_var(p->prior, i) > 0 ? r->noise2[i] : 0;
  return 2 * sqrt(sum / fmax(tally_arms(p->prior), 1));
}

int tally_arms(const struct prior *prior) {
  int arms = 0;
  for (int i = 0; i < prior->k; i++)
    arms += prior_var(prior, i) > 0;
  return arms;
}
