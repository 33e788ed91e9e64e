/* GPUCB (Srinivas, Krause, Kakade and Seeger 2010): the highest upper bound, with the
 * width of their theorem 1 for a finite set. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gap.h"
#include "linalg.h"
#include "policy.h"

enum param_at { DELTA, SCALE };

static const struct param PARAMS[] = {
    {"delta", 0.1, 1e-12, 1, NULL, "probability with which the theorem may fail"},
    {"scale", 0.2, 0, INFINITY, NULL,
     "factor on the squared width: 1 in the theorem, 1/5 in their experiments"},
    {0}};

/* Their beta_t is the square of the width. */
static double width(const struct posterior *p, const struct round *r) {
  const double pi = 3.14159265358979323846, t = r->t;
  const double beta_t = 2 * log(p->prior->k * t * t * pi * pi / (6 * r->param[DELTA]));
  return sqrt(r->param[SCALE] * beta_t);
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  const double beta = width(p, r);
  double *sd = r->work, *upper = r->work + k;
  linalg_sqrt(k, p->var, sd);
  memcpy(upper, p->mean, (size_t)k * sizeof *upper);
  linalg_add(k, beta, sd, upper);
  r->note->beta = beta;
  return policy_best_open(p, r, upper,
                          GAP_TIE * (1 + beta) * linalg_max(k, sd) +
                              16 * DBL_EPSILON * fabs(linalg_max(k, upper)));
}

const struct policy policy_gpucb = {
    .name = "gpucb",
    .label = "the highest upper bound, its width growing slowly",
    .advice = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .choose = choose,
};
