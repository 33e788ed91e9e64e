/* UCB-E (Audibert, Bubeck and Munos 2010): the arm whose average may be the highest, with a
 * bonus sized to the budget. A bonus is width / sqrt(pulls), and width = scale * sqrt(a). */
#include <R_ext/Utils.h>
#include <math.h>
#include <stddef.h>

#include "linalg.h"
#include "policy.h"
#include "tally.h"

enum param_at { A, HARDNESS, C, SCALE };

static const struct param PARAMS[] = {
    {"a", NAN, 0, INFINITY, NULL,
     "exploration, the bonus is scale * sqrt(a / pulls); by default from the hardness"},
    {"hardness", NAN, 0, INFINITY, NULL,
     "H1, the sum of 1 / gap^2 over the arms; by default estimated in phases"},
    {"c", 1, 0, INFINITY, NULL,
     "factor of the adaptive a = c T / H2; the literature tries small powers of 2"},
    {"scale", NAN, 0, INFINITY, NULL,
     "the range of a reward; by default two standard deviations of the noise"},
    {0}};

/* Carried from round to round, before the tally. EASE is 1 / sqrt(H2) in units of reward,
 * BEFORE the paper's n_1 + ... + n_PHASE. */
enum memory_at { ARMS, LOG_BAR, PHASE, BEFORE, RANGE, EASE, HEADER };

static size_t memory(const struct prior *prior) {
  return HEADER + TALLY * (size_t)prior->k;
}

static struct tally tally_of(const struct posterior *p, const struct round *r) {
  return tally_in(r->memory + HEADER, p->prior->k);
}

static int least(const struct posterior *p, const struct round *r) {
  (void)r;
  const int arms = tally_arms(p->prior);
  return arms > 1 ? arms : 1;
}

static void start(const struct posterior *p, const struct round *r) {
  const int arms = least(p, r);
  double bar = 0.5;
  for (int i = 2; i <= arms; i++)
    bar += 1.0 / i;
  r->memory[ARMS] = arms;
  r->memory[LOG_BAR] = bar;
  r->memory[PHASE] = r->memory[BEFORE] = 0;
  r->memory[RANGE] = isnan(r->param[SCALE]) ? tally_range(p, r) : r->param[SCALE];
  r->memory[EASE] = r->memory[RANGE] / sqrt(arms); /* H2 = K in the first phase */
  tally_start(tally_of(p, r), p);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  tally_see(tally_of(p, r), arm, y);
}

/* 1 / sqrt(H2): the smallest gap_<i> / sqrt(i), the gaps in rising order, i from
 * K - phase + 1 on. An arm level with the best says nothing, nor does one never seen. */
static double ease(const struct posterior *p, const struct round *r, struct tally t) {
  const int k = p->prior->k, arms = (int)r->memory[ARMS];
  double *value = r->work, *gap = r->work + k, most = INFINITY;
  int n = 0;
  for (int i = 0; i < k; i++)
    value[i] = tally_value(t, p, i);
  const double best = linalg_max(k, value);
  for (int i = 0; i < k; i++)
    if (prior_var(p->prior, i) > 0)
      gap[n++] = value[i] > -INFINITY ? best - value[i] : INFINITY;
  R_rsort(gap, n);
  for (int i = arms - (int)r->memory[PHASE]; i < n; i++)
    if (gap[i] > 0)
      most = fmin(most, gap[i] / sqrt(i + 1.0));
  return most < INFINITY ? most : r->memory[EASE];
}

/* The adaptive form takes H2 anew at the start of each phase, t_k pulls into the run; these
 * are the phases of Successive Rejects. Those that are empty are passed over. */
static void enter_phase(const struct posterior *p, const struct round *r,
                        struct tally t) {
  double *m = r->memory;
  int entered = 0;
  while (m[PHASE] + 1 < m[ARMS]) {
    const double left = m[ARMS] - m[PHASE]; /* K + 1 - k of the next phase */
    const double pulls = ceil((r->budget - m[ARMS]) / (m[LOG_BAR] * left));
    if (r->t - 1 < m[BEFORE] + left * pulls)
      break;
    m[PHASE]++;
    m[BEFORE] += pulls;
    entered = 1;
  }
  if (entered)
    m[EASE] = ease(p, r, t);
}

/* scale * sqrt(a). From a hardness, a = (25 / 36) (T - K) / (scale^2 H1) or
 * c T / (scale^2 H2): the scale cancels. */
static double width(const struct round *r) {
  const double *m = r->memory;
  if (!isnan(r->param[A]))
    return m[RANGE] * sqrt(r->param[A]);
  if (!isnan(r->param[HARDNESS]))
    return 5.0 / 6 * sqrt((r->budget - m[ARMS]) / fmax(r->param[HARDNESS], 1e-300));
  return sqrt(r->param[C]) * sqrt(r->budget) * m[EASE];
}

static int choose(const struct posterior *p, const struct round *r) {
  const struct tally t = tally_of(p, r);
  enter_phase(p, r, t);
  const int unpulled = tally_unpulled(t, p, r, 1);
  if (unpulled >= 0)
    return unpulled;
  const double w = width(r);
  double *index = r->work;
  for (int i = 0; i < p->prior->k; i++)
    index[i] = t.n[i] > 0 ? t.mean[i] + w / sqrt(t.n[i]) : -INFINITY;
  return policy_best_open(p, r, index, 0);
}

static int recommend(const struct posterior *p, const struct round *r) {
  const struct tally t = tally_of(p, r);
  if (posterior_resolved(p))
    return -1;
  for (int i = 0; i < p->prior->k; i++)
    r->work[i] = tally_value(t, p, i);
  return linalg_which_max(p->prior->k, r->work, 0);
}

const struct policy policy_ucbe = {
    .name = "ucbe",
    .label = "the highest average with a bonus for few pulls (UCB-E)",
    .recommends = "highest average reward",
    .params = PARAMS,
    .blind = policy_always,
    .memory = memory,
    .least = least,
    .start = start,
    .unfit = policy_no_blocks,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
