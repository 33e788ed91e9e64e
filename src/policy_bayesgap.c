/* BayesGap (Hoffman, Shahriari and de Freitas 2014): of the two arms that are hardest to
 * tell apart at the top, pull the one known less. Equation numbers are the paper's. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "gap.h"
#include "hot.h"
#include "linalg.h"
#include "policy.h"

enum param_at { VARIANT, BETA, DECAY, EPSILON, RESERVE, DELTA, RECOMMEND };
enum variant { CORRECTED, PAPER };
enum reserve { RESERVE_BY_VARIANT, AUTO, LITERAL, CLIP, NONE };
enum delta { DELTA_BY_VARIANT, TWO_SIDED, ONE_SIDED };
enum recommend { RECOMMEND_BY_VARIANT, MEAN, OMEGA, LAST };

static const struct param PARAMS[] = {
    {"variant", CORRECTED, 0, 1, "default|paper",
     "the corrected rules, or the paper to the letter"},
    {"beta", NAN, 0, INFINITY, NULL,
     "width of the bounds in standard deviations; by default equation 9 each round"},
    {"decay", 1, 0, 1, NULL, "factor by which a fixed beta shrinks with every pull"},
    {"epsilon", 0, 0, INFINITY, NULL, "a regret that does not matter, in rewards"},
    {"reserve", RESERVE_BY_VARIANT, 0, 4, "variant|auto|paper|clip|none",
     "pulls that equation 9 sets aside: the paper's K leaves none when T <= K"},
    {"delta", DELTA_BY_VARIANT, 0, 2, "variant|two-sided|one-sided",
     "the bound on the gaps in the hardness; the paper's is one-sided"},
    {"advice", RECOMMEND_BY_VARIANT, 0, 3, "variant|mean|omega|last",
     "highest mean, leader of the smallest gap (the paper's), or last leader"},
    {0}};

/* Carried from round to round. */
enum memory_at { PRIOR_PULLS, ACTIVE, SMALLEST_GAP, SAFEST, LEADER, MEMORY };

/* A noise variance below this share of the prior's would send beta to infinity. */
static const double LEAST_NOISE = 1e-12;

static size_t memory(const struct prior *prior) {
  (void)prior;
  return MEMORY;
}

static int choice(const struct round *r, enum param_at at, int by_paper, int by_default) {
  const int given = (int)r->param[at];
  if (given > 0)
    return given;
  return (int)r->param[VARIANT] == PAPER ? by_paper : by_default;
}

/* The noise variance of each arm as equation 9 weighs it; 0 leaves out an arm that is
 * known from the start. */
HOT static void noise_weight(int k, const double *noise2, const double *diagonal,
                             double scale, double least, double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double var = scale * diagonal[i], low = LEAST_NOISE * var;
    const double noise = noise2[i] > low ? noise2[i] : low;
    out[i] = var > least ? noise : 0;
  }
}

static void weigh(const struct posterior *p, const struct round *r, double *out) {
  const struct prior *prior = p->prior;
  noise_weight(prior->k, r->noise2, prior->diagonal, prior->scale, 1e-12 * prior->most,
               out);
}

static void start(const struct posterior *p, const struct round *r) {
  double *weight = r->work, pulls = 0;
  int active = 0;
  weigh(p, r, weight);
  for (int i = 0; i < p->prior->k; i++)
    if (weight[i] > 0) {
      pulls += weight[i] / prior_var(p->prior, i); /* kappa sigma^2 / eta^2 */
      active++;
    }
  r->memory[PRIOR_PULLS] = pulls;
  r->memory[ACTIVE] = active;
  r->memory[SMALLEST_GAP] = INFINITY;
  r->memory[SAFEST] = r->memory[LEADER] = -1;
}

/* The T - K of equation 9. The corrected rule equals it from T = 2K on, and T up to T = K,
 * where the paper's leaves nothing. */
static double pulls_to_spend(const struct round *r) {
  const double T = r->budget, K = r->memory[ACTIVE];
  switch (choice(r, RESERVE, LITERAL, AUTO)) {
  case LITERAL:
    return T - K;
  case CLIP:
    return fmax(T - K, 0);
  case NONE:
    return T;
  default:
    return fmax(T - K, fmin(T, K));
  }
}

static int least(const struct posterior *p, const struct round *r) {
  if (!isnan(r->param[BETA]) || choice(r, RESERVE, LITERAL, AUTO) != LITERAL ||
      p->prior->k == 1)
    return 1;
  start(p, r);
  return (int)fmax(floor(r->memory[ACTIVE] - r->memory[PRIOR_PULLS]) + 1, 1);
}

/* weight becomes weight_k / H_k^2, H_k = max((Delta_k + epsilon) / 2, epsilon). */
HOT static void hardness_terms(int k, const double *delta, double epsilon, double floor,
                               double *restrict weight) {
  for (int i = 0; i < k; i++) {
    const double half = 0.5 * (delta[i] + epsilon);
    const double h = half > floor ? half : floor;
    weight[i] = weight[i] / (h * h);
  }
}

/* Equation 9 with the adaptive hardness; noise may differ between the arms. */
static double adaptive_beta(const struct posterior *p, const struct round *r,
                            const double *sd) {
  const int k = p->prior->k;
  const double epsilon = r->param[EPSILON];
  double *delta = r->work + k, *weight = r->work + 2 * k;
  const int sides = choice(r, DELTA, ONE_SIDED, TWO_SIDED);
  gap_delta(k, p->mean, sd, 3, sides == ONE_SIDED ? GAP_ONE_SIDED : GAP_TWO_SIDED, delta);
  weigh(p, r, weight);
  const double noise = linalg_sum(k, weight) / r->memory[ACTIVE];
  hardness_terms(k, delta, epsilon, fmax(epsilon, posterior_floor(p)), weight);
  const double hard = linalg_sum(k, weight);
  r->note->hardness = hard / noise;
  return sqrt(fmax(pulls_to_spend(r) + r->memory[PRIOR_PULLS], 0) / (4 * hard));
}

HOT static void bounds(int k, const double *mean, const double *sd, double beta,
                       double *restrict upper, double *restrict lower) {
  for (int i = 0; i < k; i++) {
    upper[i] = mean[i] + beta * sd[i];
    lower[i] = mean[i] - beta * sd[i];
  }
}

/* The paper's recommendation looks at the rounds t <= T only, and so past the last reward. */
static void remember(const struct round *r, struct gap g) {
  r->memory[LEADER] = g.leader;
  if (g.value < r->memory[SMALLEST_GAP] &&
      (r->t <= r->budget || (int)r->param[VARIANT] != PAPER)) {
    r->memory[SMALLEST_GAP] = g.value;
    r->memory[SAFEST] = g.leader;
  }
  r->note->leader = g.leader;
  r->note->rival = g.rival;
  r->note->gap = g.value;
  r->note->safest = (int)r->memory[SAFEST];
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *sd = r->work, *upper = r->work + k, *lower = r->work + 2 * k;
  double beta = r->param[BETA] * pow(r->param[DECAY], r->t - 1);
  linalg_sqrt(k, p->var, sd);
  if (isnan(beta) && k > 1)
    beta = adaptive_beta(p, r, sd);
  bounds(k, p->mean, sd, beta, upper, lower);
  const struct gap g = gap_find(k, upper, lower, r->work + 3 * k);
  r->note->beta = beta;
  remember(r, g);
  const int less_known =
      g.rival >= 0 && sd[g.rival] > sd[g.leader] * (1 + GAP_TIE) ? g.rival : g.leader;
  if (policy_open(p, r, less_known))
    return less_known;
  const int other = less_known == g.leader ? g.rival : g.leader;
  if (other >= 0 && policy_open(p, r, other))
    return other;
  return policy_best_open(p, r, upper, GAP_TIE * fabs(g.value));
}

static int recommend(const struct posterior *p, const struct round *r) {
  (void)p;
  switch (choice(r, RECOMMEND, OMEGA, MEAN)) {
  case OMEGA:
    return (int)r->memory[SAFEST];
  case LAST:
    return (int)r->memory[LEADER];
  default:
    return -1;
  }
}

const struct policy policy_bayesgap = {
    .name = "bayesgap",
    .label = "of the two arms hardest to tell apart at the top, the one known less",
    .advice = "highest posterior mean; variant = \"paper\": leader of the smallest gap",
    .params = PARAMS,
    .memory = memory,
    .least = least,
    .start = start,
    .choose = choose,
    .recommend = recommend,
};
