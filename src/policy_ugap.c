/* UGapEb (Gabillon, Ghavamzadeh and Lazaric 2012): BayesGap's ancestor without a prior. Of
 * the two arms that are hardest to tell apart at the top, pull the one with the wider
 * bounds, which come from Hoeffding's inequality or from Bernstein's. */
#include <math.h>
#include <stddef.h>

#include "gap.h"
#include "linalg.h"
#include "policy.h"
#include "tally.h"
#include "tie.h"

enum param_at { BOUND, A, HARDNESS, EPSILON, SCALE };
enum bound { HOEFFDING, BERNSTEIN };

static const struct param PARAMS[] = {
    {"bound", HOEFFDING, 0, 1, "hoeffding|bernstein",
     "bounds from the scale alone, or from the variance of the rewards too"},
    {"a", NAN, 0, INFINITY, NULL,
     "exploration, the width is scale * sqrt(a / pulls); by default from the hardness"},
    {"hardness", NAN, 0, INFINITY, NULL,
     "the sum of 1 / max((gap + epsilon) / 2, epsilon)^2, for Bernstein's bounds the "
     "paper's H^sigma; by default estimated each round"},
    {"epsilon", 0, 0, INFINITY, NULL, "a regret that does not matter, in rewards"},
    {"scale", NAN, 0, INFINITY, NULL,
     "the range of a reward; by default two standard deviations of the noise"},
    {0}};

/* Carried from round to round, before the tally. */
enum memory_at { ARMS, RANGE, SMALLEST_GAP, SAFEST, HEADER };

/* The largest reward there is, and a width that is infinite beside it: no inf - inf. */
static const double MOST_REWARD = 1e100, MOST_WIDTH = 1e150;

static size_t memory(const struct prior *prior) {
  return HEADER + TALLY * (size_t)prior->k;
}

static struct tally tally_of(const struct posterior *p, const struct round *r) {
  return tally_in(r->memory + HEADER, p->prior->k);
}

static int bernstein(const struct round *r) {
  return (int)r->param[BOUND] == BERNSTEIN;
}

/* Pulls of every arm before there are bounds: a variance takes two. */
static int first_pulls(const struct round *r) {
  return bernstein(r) ? 2 : 1;
}

static int least(const struct posterior *p, const struct round *r) {
  const int pulls = first_pulls(r) * tally_arms(p->prior);
  return pulls > 1 ? pulls : 1;
}

static void start(const struct posterior *p, const struct round *r) {
  r->memory[ARMS] = tally_arms(p->prior);
  r->memory[RANGE] =
      fmin(isnan(r->param[SCALE]) ? tally_range(p, r) : r->param[SCALE], MOST_REWARD);
  r->memory[SMALLEST_GAP] = INFINITY;
  r->memory[SAFEST] = -1;
  tally_start(tally_of(p, r), p);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  tally_see(tally_of(p, r), arm, y);
}

/* The arms that have bounds, listed in r->index, and what they stand with in mean: their
 * average, or their mean once that is known. */
static int with_bounds(const struct posterior *p, const struct round *r, struct tally t,
                       double *mean) {
  int n = 0;
  for (int i = 0; i < p->prior->k; i++)
    if (p->var[i] <= 0 || t.n[i] >= first_pulls(r)) {
      mean[n] = p->var[i] <= 0 ? p->mean[i] : t.mean[i];
      r->index[n++] = i;
    }
  return n;
}

/* half[i] = max((Delta_i + epsilon) / 2, epsilon) with Delta an upper bound of the gap from
 * the averages. Only arms that can be pulled make a problem hard: INFINITY for the rest. */
static void half_gaps(const struct posterior *p, const struct round *r, struct tally t,
                      int n, double *mean, double *half) {
  const double epsilon = fmin(r->param[EPSILON], MOST_REWARD);
  const double best = linalg_max(n, mean);
  const int first = linalg_top(n, mean);
  mean[first] = -INFINITY;
  const double second = linalg_max(n, mean);
  mean[first] = best;
  for (int i = 0; i < n; i++) {
    const int arm = r->index[i];
    const double gap = fabs((i == first ? second : best) - mean[i]);
    const double more = r->memory[RANGE] * sqrt(0.5 / fmax(t.n[arm], 1));
    half[i] = p->var[arm] > 0 ? fmax((gap + more + epsilon) / 2, epsilon) : INFINITY;
  }
}

/* sqrt of the sum of 1 / half^2, the smallest half taken out: no square can overflow. */
static double root_hardness(int n, const double *half, double smallest) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (smallest / half[i]) * (smallest / half[i]);
  return sqrt(sum) / smallest;
}

/* scale * sqrt(a) for Hoeffding's bounds. From a hardness, a = (T - K) / (4 scale^2 H): the
 * scale cancels. */
static double hoeffding_width(const struct round *r, int n, const double *half) {
  const double pulls = fmax(r->budget - r->memory[ARMS], 0);
  if (!isnan(r->param[A]))
    return r->memory[RANGE] * sqrt(r->param[A]);
  if (!isnan(r->param[HARDNESS]))
    return 0.5 * sqrt(pulls / fmax(r->param[HARDNESS], 1e-300));
  double smallest = INFINITY;
  for (int i = 0; i < n; i++)
    smallest = fmin(smallest, half[i]);
  if (!(smallest > 0 && smallest < INFINITY))
    return 0; /* infinitely hard, or nothing left to pull */
  const double root = root_hardness(n, half, smallest);
  r->note->hardness = root * root;
  return 0.5 * sqrt(pulls) / root;
}

/* The paper's a for Bernstein's bounds, (T - 2K) / (4 H^sigma). */
static double bernstein_a(const struct round *r, struct tally t, int n,
                          const double *half) {
  const double pulls = fmax(r->budget - 2 * r->memory[ARMS], 0);
  double hard = 0;
  if (!isnan(r->param[A]))
    return r->param[A];
  if (!isnan(r->param[HARDNESS]))
    return fmin(pulls / (4 * fmax(r->param[HARDNESS], 1e-300)), MOST_REWARD);
  for (int i = 0; i < n; i++)
    if (half[i] < INFINITY) {
      const double var = tally_var(t, r->index[i]);
      if (half[i] <= 0)
        return 0;
      const double root =
          (sqrt(var) + sqrt(var + 16.0 / 3 * r->memory[RANGE] * half[i])) / half[i];
      hard += root * root;
    }
  r->note->hardness = hard;
  return hard > 0 ? fmin(pulls / (4 * hard), MOST_REWARD) : 0;
}

/* The half-width of each arm's bounds; an arm that is known has none. */
static void widths(const struct posterior *p, const struct round *r, struct tally t,
                   int n, const double *half, double *out) {
  const double range = r->memory[RANGE];
  const double a = bernstein(r) ? bernstein_a(r, t, n, half) : 0;
  const double root = bernstein(r) ? sqrt(a) : hoeffding_width(r, n, half);
  for (int i = 0; i < n; i++) {
    const int arm = r->index[i];
    const double pulls = t.n[arm];
    double w = 0;
    if (p->var[arm] > 0)
      w = bernstein(r) ? root * sqrt(2 * tally_var(t, arm) / pulls) +
                             7.0 / 3 * (range / (pulls - 1)) * a
                       : root / sqrt(pulls);
    out[i] = fmin(w, MOST_WIDTH);
  }
  /* In standard deviations of an average, where the scale is two of a reward. */
  if (bernstein(r))
    r->note->beta = sqrt(2.0) * root;
  else
    r->note->beta = range > 0 ? 2 * root / range : INFINITY;
}

/* The state after the last reward counts too: it costs nothing, and the proof, which takes
 * the smallest gap over the rounds, holds for one round more. */
static void remember(const struct round *r, int leader, int rival, double gap) {
  if (gap < r->memory[SMALLEST_GAP]) {
    r->memory[SMALLEST_GAP] = gap;
    r->memory[SAFEST] = leader;
  }
  r->note->leader = leader;
  r->note->rival = rival;
  r->note->gap = gap;
  r->note->safest = (int)r->memory[SAFEST];
}

/* The arm with the largest upper bound among those that may be pulled. */
static int best_open(const struct posterior *p, const struct round *r, int n,
                     const double *upper, double *value) {
  for (int i = 0; i < p->prior->k; i++)
    value[i] = -INFINITY;
  for (int i = 0; i < n; i++)
    value[r->index[i]] = upper[i];
  return policy_best_open(p, r, value, 0);
}

static int choose(const struct posterior *p, const struct round *r) {
  const struct tally t = tally_of(p, r);
  const int unpulled = tally_unpulled(t, p, r, first_pulls(r));
  if (unpulled >= 0)
    return unpulled;
  const size_t k = (size_t)p->prior->k;
  double *mean = r->work, *half = mean + k, *width = half + k;
  double *upper = width + k, *lower = upper + k, *scratch = lower + k;
  const int n = with_bounds(p, r, t, mean);
  if (n == 0)
    return -1;
  half_gaps(p, r, t, n, mean, half);
  widths(p, r, t, n, half, width);
  for (int i = 0; i < n; i++) {
    upper[i] = mean[i] + width[i];
    lower[i] = mean[i] - width[i];
  }
  const struct gap g = gap_find(n, upper, lower, scratch);
  const int leader = r->index[g.leader], rival = g.rival < 0 ? -1 : r->index[g.rival];
  remember(r, leader, rival, g.value);
  const int rival_open = rival >= 0 && policy_open(p, r, rival);
  const int leader_open = policy_open(p, r, leader);
  if (rival_open && (!leader_open || width[g.rival] > width[g.leader] * (1 + TIE)))
    return rival; /* at equal widths the leader is pulled */
  return leader_open ? leader : best_open(p, r, n, upper, scratch);
}

/* Before there are bounds, the highest average. */
static int recommend(const struct posterior *p, const struct round *r) {
  if (posterior_resolved(p))
    return -1;
  const int safest = (int)r->memory[SAFEST];
  return safest >= 0 ? safest : tally_best(tally_of(p, r), p, r);
}

const struct policy policy_ugap = {
    .name = "ugap",
    .label = "as bayesgap, with bounds from the rewards alone (UGapEb)",
    .recommends = "leader of the smallest gap",
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
