/* BayesGap (Hoffman, Shahriari and de Freitas 2014): of the two arms that are hardest to
 * tell apart at the top, pull the one known less. Equation numbers are the paper's. The default
 * looks at the two under their joint posterior instead, see joint.h. */
#include <math.h>
#include <stddef.h>

#include "gap.h"
#include "hardness.h"
#include "hot.h"
#include "joint.h"
#include "linalg.h"
#include "policy.h"
#include "student.h"
#include "tie.h"

enum param_at { VARIANT, BETA, DECAY, EPSILON, RESERVE, DELTA, RECOMMEND };
enum variant { BY_PARAMS, JOINT, MARGINAL, PAPER };
enum reserve { RESERVE_BY_VARIANT, AUTO, LITERAL, CLIP, NONE };
enum delta { DELTA_BY_VARIANT, TWO_SIDED, ONE_SIDED };
enum recommend { RECOMMEND_BY_VARIANT, MEAN, OMEGA, LAST };

static const struct param PARAMS[] = {
    {"variant", BY_PARAMS, 0, 3, "auto|joint|marginal|paper",
     "the difference of leader and rival, every arm's bounds by themselves, or these to "
     "the "
     "letter of the paper; auto: joint, but marginal where one of the next five is "
     "given"},
    {"beta", NAN, 0, 1e9, NULL,
     "width of the bounds in standard deviations; by default equation 9 each round"},
    {"decay", 1, 0, 1, NULL, "factor by which a fixed beta shrinks with every pull"},
    {"epsilon", 0, 0, 1e100, NULL, "a regret that does not matter, in rewards"},
    {"reserve", RESERVE_BY_VARIANT, 0, 4, "variant|auto|paper|clip|none",
     "pulls that equation 9 sets aside: the paper's K leaves none when T <= K"},
    {"delta", DELTA_BY_VARIANT, 0, 2, "variant|two-sided|one-sided",
     "the bound on the gaps in the hardness; the paper's is one-sided"},
    {"advice", RECOMMEND_BY_VARIANT, 0, 3, "variant|mean|omega|last",
     "highest mean, leader of the smallest gap (the paper's), or last leader"},
    {0}};

/* Carried from round to round, behind what equation 9 keeps. */
enum memory_at { SMALLEST_GAP = HARDNESS_MEMORY, SAFEST, LEADER, MEMORY };

static size_t memory(const struct prior *prior) {
  (void)prior;
  return MEMORY;
}

/* Is a number given that only bounds of single arms have a use for? */
static int has_bounds(const double *param) {
  return !isnan(param[BETA]) || param[DECAY] != PARAMS[DECAY].value ||
         param[EPSILON] > 0 || param[RESERVE] > 0 || param[DELTA] > 0;
}

static enum variant variant_of(const double *param) {
  const enum variant given = (enum variant)param[VARIANT];
  if (given != BY_PARAMS)
    return given;
  return has_bounds(param) ? MARGINAL : JOINT;
}

static int by_cost(const double *param) {
  return variant_of(param) == JOINT;
}

static const char *unfit(const struct prior *prior, const double *param, int blocks) {
  (void)prior, (void)blocks;
  if ((int)param[VARIANT] != JOINT || !has_bounds(param))
    return NULL;
  return "has no bounds of single arms: leave out beta, decay, epsilon, reserve and "
         "delta, or "
         "take variant = \"marginal\"";
}

static int choice(const struct round *r, enum param_at at, int by_paper, int by_default) {
  const int given = (int)r->param[at];
  if (given > 0)
    return given;
  return variant_of(r->param) == PAPER ? by_paper : by_default;
}

static void start(const struct posterior *p, const struct round *r) {
  hardness_start(p, r);
  r->memory[SMALLEST_GAP] = INFINITY;
  r->memory[SAFEST] = r->memory[LEADER] = -1;
}

/* The T - K of equation 9. */
static double pulls_to_spend(const struct round *r) {
  const double T = r->budget, K = r->memory[HARDNESS_ARMS];
  switch (choice(r, RESERVE, LITERAL, AUTO)) {
  case LITERAL:
    return T - K;
  case CLIP:
    return fmax(T - K, 0);
  case NONE:
    return T;
  default:
    return hardness_pulls(r);
  }
}

static int least(const struct posterior *p, const struct round *r) {
  if (!isnan(r->param[BETA]) || choice(r, RESERVE, LITERAL, AUTO) != LITERAL ||
      p->prior->k == 1)
    return 1;
  start(p, r);
  return (int)fmax(floor(r->memory[HARDNESS_ARMS] - r->memory[HARDNESS_PRIOR_PULLS]) + 1,
                   1);
}

/* Equation 9 with the adaptive hardness. */
static double adaptive_beta(const struct posterior *p, const struct round *r) {
  const int sides = choice(r, DELTA, ONE_SIDED, TWO_SIDED);
  const double hard = hardness_sum(p, r, r->param[EPSILON],
                                   sides == ONE_SIDED ? GAP_ONE_SIDED : GAP_TWO_SIDED);
  return hardness_beta(pulls_to_spend(r) + r->memory[HARDNESS_PRIOR_PULLS], 4 * hard);
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
      (r->t <= r->budget || variant_of(r->param) != PAPER)) {
    r->memory[SMALLEST_GAP] = g.value;
    r->memory[SAFEST] = g.leader;
  }
  r->note->leader = g.leader;
  r->note->rival = g.rival;
  r->note->gap = g.value;
  r->note->safest = (int)r->memory[SAFEST];
}

/* -1 where there is no leader: every arm is barred. */
static int less_known(struct gap g, const double *sd) {
  return g.rival >= 0 && sd[g.rival] > sd[g.leader] * (1 + TIE) ? g.rival : g.leader;
}

/* The rule where some arms may not be pulled (Attia, Grover et al. 2020): the leader is one of
 * the others, compared with all arms as ever, and its rival the most promising of the rest. */
static struct gap gap_among(const struct round *r, int k, double *upper, double *lower) {
  int left = 0;
  for (int i = 0; i < k; i++) {
    lower[i] = r->barred[i] ? -INFINITY : lower[i];
    left += !r->barred[i];
  }
  if (left == 0)
    return (struct gap){-1, -1, 0};
  struct gap g = gap_find(k, upper, lower, r->work + 3 * k);
  for (int i = 0; i < k; i++)
    upper[i] = r->barred[i] || i == g.leader ? -INFINITY : upper[i];
  g.rival = left > 1 ? linalg_which_max(k, upper, TIE * fabs(g.value)) : -1;
  return g;
}

static int choose_jointly(const struct posterior *p, const struct round *r) {
  struct joint found;
  const int pull = joint_choose(p, r, &found);
  r->note->beta = JOINT_WIDTH;
  remember(r, (struct gap){found.leader, found.rival, found.gap});
  return pull;
}

static int choose(const struct posterior *p, const struct round *r) {
  if (variant_of(r->param) == JOINT)
    return choose_jointly(p, r);
  const int k = p->prior->k;
  double *sd = r->work, *upper = r->work + k, *lower = r->work + 2 * k;
  double beta = r->param[BETA] * pow(r->param[DECAY], r->t - 1);
  linalg_sqrt(k, p->var, sd);
  if (isnan(beta) && k > 1)
    beta = adaptive_beta(p, r);
  bounds(k, p->mean, sd, student_width(beta, p->prior->df), upper, lower);
  const struct gap g = gap_find(k, upper, lower, r->work + 3 * k);
  r->note->beta = beta;
  r->note->theorem = 1 - k * (double)r->budget * exp(-beta * beta / 2);
  remember(r, g);
  const int pull = less_known(r->barred ? gap_among(r, k, upper, lower) : g, sd);
  if (pull >= 0 && policy_open(p, r, pull))
    return pull;
  return policy_best_open(p, r, upper, TIE * fabs(g.value));
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
    .label =
        "the pull that tells most of the difference between the leader and its rival",
    .recommends =
        "highest posterior mean; variant = \"paper\": leader of the smallest gap",
    .params = PARAMS,
    .costs = by_cost,
    .memory = memory,
    .unfit = unfit,
    .least = least,
    .start = start,
    .choose = choose,
    .recommend = recommend,
};
