/* Successive Rejects (Audibert, Bubeck and Munos 2010): equal shares to the arms still in,
 * of which the worst leaves after each phase. */
#include <math.h>
#include <stddef.h>

#include "linalg.h"
#include "policy.h"
#include "tally.h"

/* Carried from round to round, followed by: is an arm still in, the tally. BEFORE is the
 * paper's n_1 + ... + n_(k-1), where k - 1 arms have left. */
enum memory_at { ARMS, LOG_BAR, LEFT, BEFORE, HEADER };

static size_t memory(const struct prior *prior) {
  return HEADER + (1 + TALLY) * (size_t)prior->k;
}

static double *still_in(const struct round *r) {
  return r->memory + HEADER;
}

static struct tally tally_of(const struct posterior *p, const struct round *r) {
  return tally_in(still_in(r) + p->prior->k, p->prior->k);
}

static int least(const struct posterior *p, const struct round *r) {
  (void)r;
  const int arms = tally_arms(p->prior);
  return arms > 1 ? arms : 1;
}

static void start(const struct posterior *p, const struct round *r) {
  const int arms = tally_arms(p->prior);
  double bar = 0.5;
  for (int i = 2; i <= arms; i++)
    bar += 1.0 / i;
  r->memory[ARMS] = arms;
  r->memory[LOG_BAR] = bar;
  r->memory[LEFT] = r->memory[BEFORE] = 0;
  for (int i = 0; i < p->prior->k; i++)
    still_in(r)[i] = prior_var(p->prior, i) > 0;
  tally_start(tally_of(p, r), p);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  tally_see(tally_of(p, r), arm, y);
}

/* The worst arm leaves; ties at random. */
static void reject(const struct posterior *p, const struct round *r) {
  double *worst = r->work;
  for (int i = 0; i < p->prior->k; i++)
    worst[i] = still_in(r)[i] > 0 ? -tally_value(tally_of(p, r), p, i) : -INFINITY;
  const int out = linalg_which_max(p->prior->k, worst, 0);
  if (out >= 0)
    still_in(r)[out] = 0;
}

/* Phase k ends, failed pulls included, when K - k + 1 arms had n_k pulls each and those that
 * left before had theirs; what rounding leaves over belongs to the last phase, of two arms.
 * The paper's n_k is 0 where T = K: one pull each then. */
static void pass_phases(const struct posterior *p, const struct round *r) {
  double *m = r->memory;
  for (double in = m[ARMS] - m[LEFT]; in > 1; in--) {
    const double each = fmax(ceil((r->budget - m[ARMS]) / (m[LOG_BAR] * in)), 1);
    const double end = in > 2 ? m[BEFORE] + in * each : r->budget;
    if (r->t - 1 < end)
      return;
    reject(p, r);
    m[LEFT]++;
    m[BEFORE] += each;
  }
}

static int choose(const struct posterior *p, const struct round *r) {
  pass_phases(p, r);
  return tally_fewest(still_in(r), tally_of(p, r).n, p, r);
}

static int recommend(const struct posterior *p, const struct round *r) {
  for (int i = 0; i < p->prior->k; i++)
    r->work[i] = tally_value(tally_of(p, r), p, i);
  return tally_left(still_in(r), p, r);
}

const struct policy policy_rejects = {
    .name = "rejects",
    .label = "equal shares in phases, after each of which the worst arm leaves",
    .recommends = "the last arm left",
    .keeps = 1,
    .blind = policy_always,
    .memory = memory,
    .least = least,
    .start = start,
    .unfit = policy_no_blocks,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
