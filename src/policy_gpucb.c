/* GPUCB (Srinivas, Krause, Kakade and Seeger 2010): the highest upper bound, with the
 * width of their theorem 1 for a finite set. */
#include <math.h>

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
  return policy_best_upper(p, r, width(p, r));
}

const struct policy policy_gpucb = {
    .name = "gpucb",
    .label = "the highest upper bound, its width growing slowly",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .choose = choose,
};
