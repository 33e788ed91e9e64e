/* Sequential Halving (Karnin, Koren and Somekh 2013): the budget in equal stages, in each of
 * them equal shares to the arms still in, of which the better half goes on. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg.h"
#include "policy.h"
#include "tally.h"

enum param_at { BY };
enum by { POSTERIOR, ALL, ROUND };

static const struct param PARAMS[] = {
    {"by", POSTERIOR, 0, 2, "posterior|all|round",
     "arms go on by posterior mean, by the average of all their rewards, or of this "
     "stage's (the original)"},
    {0}};

/* Carried from round to round, followed by: is an arm still in, the tally of all rewards,
 * the tally of the stage. */
enum memory_at { ARMS, STAGE, HEADER };

static size_t memory(const struct prior *prior) {
  return HEADER + (1 + 2 * TALLY) * (size_t)prior->k;
}

static double *still_in(const struct round *r) {
  return r->memory + HEADER;
}

static struct tally of_all(const struct posterior *p, const struct round *r) {
  return tally_in(still_in(r) + p->prior->k, p->prior->k);
}

static struct tally of_stage(const struct posterior *p, const struct round *r) {
  return tally_in(still_in(r) + (1 + TALLY) * (size_t)p->prior->k, p->prior->k);
}

/* ceil(log2(arms)); one stage for a single arm. */
static int stages(int arms) {
  int n = 1;
  for (int left = (arms + 1) / 2; left > 1; left = (left + 1) / 2)
    n++;
  return n;
}

/* Every arm can be pulled in every stage. */
static int least(const struct posterior *p, const struct round *r) {
  (void)r;
  const int arms = tally_arms(p->prior);
  return arms > 1 ? arms * stages(arms) : 1;
}

static void start(const struct posterior *p, const struct round *r) {
  r->memory[ARMS] = tally_arms(p->prior);
  r->memory[STAGE] = 0;
  for (int i = 0; i < p->prior->k; i++)
    still_in(r)[i] = prior_var(p->prior, i) > 0;
  tally_start(of_all(p, r), p);
  tally_start(of_stage(p, r), p);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  tally_see(of_all(p, r), arm, y);
  tally_see(of_stage(p, r), arm, y);
}

/* What an arm goes on by. An arm not pulled in this stage yet stands with its average of
 * the stage before; one whose pulls all failed comes last. */
static double merit(const struct posterior *p, const struct round *r, int arm) {
  if ((int)r->param[BY] == POSTERIOR || p->var[arm] <= 0)
    return p->mean[arm];
  if (of_all(p, r).n[arm] <= 0)
    return -INFINITY;
  return (int)r->param[BY] == ALL ? of_all(p, r).mean[arm] : of_stage(p, r).mean[arm];
}

/* The worst arms leave one at a time until `keep` are in; ties at random. */
static void drop_to(const struct posterior *p, const struct round *r, int in, int keep) {
  const int k = p->prior->k;
  double *worst = r->work;
  for (int i = 0; i < k; i++)
    worst[i] = still_in(r)[i] > 0 ? -merit(p, r, i) : -INFINITY;
  for (; in > keep; in--) {
    const int out = linalg_which_max(k, worst, 0);
    if (out < 0)
      return;
    still_in(r)[out] = 0;
    worst[out] = -INFINITY;
  }
}

/* A stage ends when its pulls are made, failed ones included; what rounding leaves over
 * belongs to the last. */
static void pass_stages(const struct posterior *p, const struct round *r) {
  const int arms = (int)r->memory[ARMS], n = stages(arms);
  int in = arms, end = 0;
  for (int stage = 0; stage < n && in > 1; stage++) {
    end = stage + 1 < n ? end + in * (r->budget / (in * n)) : r->budget;
    if (r->t - 1 < end)
      return;
    const int keep = (in + 1) / 2;
    if (stage >= (int)r->memory[STAGE]) {
      drop_to(p, r, in, keep);
      memset(of_stage(p, r).n, 0, (size_t)p->prior->k * sizeof(double));
      r->memory[STAGE]++;
    }
    in = keep;
  }
}

static int choose(const struct posterior *p, const struct round *r) {
  pass_stages(p, r);
  return tally_fewest(still_in(r), of_stage(p, r).n, p, r);
}

static int recommend(const struct posterior *p, const struct round *r) {
  for (int i = 0; i < p->prior->k; i++)
    r->work[i] = merit(p, r, i);
  return tally_left(still_in(r), p, r);
}

const struct policy policy_halving = {
    .name = "halving",
    .label = "equal shares in stages, after each of which the better half goes on",
    .recommends = "the last arm left",
    .params = PARAMS,
    .keeps = 1,
    .memory = memory,
    .least = least,
    .start = start,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
