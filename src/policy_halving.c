/* Sequential Halving (Karnin, Koren and Somekh 2013): the budget in equal stages, in each of
 * them equal shares to the arms still in, of which the better half goes on. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "policy.h"
#include "stages.h"
#include "tally.h"

enum param_at { BY };
enum by { POSTERIOR, ALL, ROUND };

static const struct param PARAMS[] = {
    {"by", POSTERIOR, 0, 2, "posterior|all|round",
     "arms go on by posterior mean, by the average of all their rewards, or of this "
     "stage's (the original)"},
    {0}};

/* Carried from round to round: the stages, the tally of all rewards, that of the stage. */
static size_t memory(const struct prior *prior) {
  return stages_memory(prior) + 2 * TALLY * (size_t)prior->k;
}

static struct tally of_all(const struct posterior *p, const struct round *r) {
  return tally_in(r->memory + stages_memory(p->prior), p->prior->k);
}

static struct tally of_stage(const struct posterior *p, const struct round *r) {
  return tally_in(of_all(p, r).n + TALLY * (size_t)p->prior->k, p->prior->k);
}

static const char *unfit(const struct prior *prior, const double *param, int blocks) {
  return (int)param[BY] == POSTERIOR ? NULL : policy_no_blocks(prior, param, blocks);
}

/* Every arm can be pulled in every stage. */
static int least(const struct posterior *p, const struct round *r) {
  (void)r;
  const int arms = tally_arms(p->prior);
  return arms > 1 ? arms * stages_count(arms) : 1;
}

static void start(const struct posterior *p, const struct round *r) {
  stages_start(stages_in(r->memory), p);
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

/* Equal shares; what rounding leaves over belongs to the last stage. */
static int end_of(const struct round *r, int arms, int stage) {
  const int n = stages_count(arms);
  int end = 0;
  if (stage + 1 == n)
    return r->budget;
  for (int i = 0; i <= stage; i++) {
    const int in = stages_left(arms, i);
    end += in * (r->budget / (in * n));
  }
  return end;
}

static void merits(const struct posterior *p, const struct round *r) {
  for (int i = 0; i < p->prior->k; i++)
    r->work[i] = merit(p, r, i);
}

static int choose(const struct posterior *p, const struct round *r) {
  const struct stages s = stages_in(r->memory);
  for (int keep; (keep = stages_due(s, r, end_of)) > 0;) {
    merits(p, r);
    stages_drop(s, p->prior->k, r->work, keep);
    memset(of_stage(p, r).n, 0, (size_t)p->prior->k * sizeof(double));
  }
  return tally_fewest(s.in, of_stage(p, r).n, p, r);
}

static int recommend(const struct posterior *p, const struct round *r) {
  merits(p, r);
  return tally_left(stages_in(r->memory).in, p, r);
}

static int blind(const double *param) {
  return (int)param[BY] != POSTERIOR;
}

const struct policy policy_halving = {
    .name = "halving",
    .label = "equal shares in stages, after each of which the better half goes on",
    .recommends = "the last arm left",
    .params = PARAMS,
    .keeps = 1,
    .blind = blind,
    .memory = memory,
    .least = least,
    .start = start,
    .unfit = unfit,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
