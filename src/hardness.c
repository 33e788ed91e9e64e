#include "hardness.h"

#include <math.h>

#include "hot.h"
#include "linalg.h"
#include "student.h"

/* A noise variance below this share of the prior's would send beta to infinity. */
static const double LEAST_NOISE = 1e-12;

/* The noise variance of each arm as equation 9 weighs it; 0 leaves out an arm that is
 * known from the start. */
HOT static void noise_weight(int k, const double *noise2, const double *diagonal,
                             double scale, double most, double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double var = scale * diagonal[i], low = LEAST_NOISE * var;
    const double noise = noise2[i] > low ? noise2[i] : low;
    /* prior_known(), in a form that a compiler makes fast. */
    const double least =
        1e-6 * noise2[i] < 1e-12 * most ? 1e-6 * noise2[i] : 1e-12 * most;
    out[i] = var > least ? noise : 0;
  }
}

static void weigh(const struct posterior *p, const struct round *r, double *out) {
  const struct prior *prior = p->prior;
  noise_weight(prior->k, r->noise2, prior->diagonal, prior->scale, prior->most, out);
}

void hardness_start(const struct posterior *p, const struct round *r) {
  double *weight = r->work, pulls = 0;
  int arms = 0;
  weigh(p, r, weight);
  for (int i = 0; i < p->prior->k; i++)
    if (weight[i] > 0) {
      pulls += weight[i] / prior_var(p->prior, i);
      arms++;
    }
  r->memory[HARDNESS_PRIOR_PULLS] = pulls;
  r->memory[HARDNESS_ARMS] = arms;
}

double hardness_pulls(const struct round *r) {
  const double T = r->budget, K = r->memory[HARDNESS_ARMS];
  return fmax(T - K, fmin(T, K));
}

/* weight becomes weight_k / H_k^2. */
HOT static void hardness_terms(int k, const double *delta, double epsilon, double floor,
                               double *restrict weight) {
  for (int i = 0; i < k; i++) {
    const double half = 0.5 * (delta[i] + epsilon);
    const double h = half > floor ? half : floor;
    weight[i] = weight[i] / (h * h);
  }
}

double hardness_sum(const struct posterior *p, const struct round *r, double epsilon,
                    enum gap_sides sides) {
  const int k = p->prior->k;
  const double *sd = r->work;
  double *delta = r->work + k, *weight = r->work + 2 * k;
  gap_delta(k, p->mean, sd, student_width(3, p->prior->df), sides, delta);
  weigh(p, r, weight);
  const double noise = linalg_sum(k, weight) / r->memory[HARDNESS_ARMS];
  hardness_terms(k, delta, epsilon, fmax(epsilon, posterior_floor(k, sd)), weight);
  const double hard = linalg_sum(k, weight);
  r->note->hardness = noise > 0 ? hard / noise : NAN;
  return hard;
}

double hardness_beta(double pulls, double hard) {
  const double most = 1e9;
  return hard > 0 ? fmin(sqrt(fmax(pulls, 0) / hard), most) : most;
}
