#include "engine.h"

#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <math.h>
#include <stddef.h>

#include "block.h"
#include "interrupt.h"
#include "linalg.h"
#include "tie.h"

/* In standard deviations, and ranges of the means. */
static const double FAR_OUT = 1e6;

static const struct note NOTHING = {-1, -1, -1, NAN, NAN, NAN, NAN, -1};

/* Arms that are out are to be no policy's leader, rival or incumbent: they lie so far below all
 * others that nothing is lost or won with them. */
static struct posterior without_out(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double lowest = INFINITY, highest = -INFINITY;
  for (int i = 0; i < k; i++)
    if (!r->out[i]) {
      lowest = fmin(lowest, p->mean[i]);
      highest = fmax(highest, p->mean[i]);
    }
  const double size =
      highest - lowest + sqrt(linalg_max(k, p->var)) + fabs(highest) * TIE;
  const double far = FAR_OUT * (size > 0 ? size : 1);
  for (int i = 0; i < k; i++)
    r->shown[i] = r->out[i] ? lowest - far : p->mean[i];
  struct posterior shown = *p;
  shown.mean = r->shown;
  return shown;
}

static int choose(const struct policy *policy, const struct posterior *p,
                  const struct round *r) {
  if (!r->out)
    return policy->choose(p, r);
  const struct posterior shown = without_out(p, r);
  return policy->choose(&shown, r);
}

static int assess(const struct policy *policy, const struct posterior *p,
                  struct round *r) {
  *r->note = NOTHING;
  if (posterior_resolved(p))
    return -1;
  const int arm = choose(policy, p, r);
  r->note->block =
      r->block < 0 && r->blocks > 0 && arm >= 0 ? block_choose(p, r, arm) : r->block;
  return arm;
}

/* What a policy sees of an observation: the reward but for its block's luck. */
static double seen(const struct posterior *p, const struct observations *o, int i) {
  const int block = o->block ? o->block[i] : -1;
  return block < 0 ? o->y[i] : o->y[i] - posterior_effect(p, o->arm[i], block);
}

static struct log part(const struct log *log, int from, int n) {
  const struct observations *o = &log->seen;
  const struct log rows = {{n, o->arm + from, o->y + from, o->noise2 + from,
                            o->block ? o->block + from : NULL},
                           log->counted + from};
  return rows;
}

/* Learns these rows, and returns how many of them counted. */
static int learn(struct posterior *p, const struct round *r, const struct log *rows) {
  int counted = 0;
  posterior_learn_all(p, &rows->seen, r->index);
  for (int i = 0; i < rows->seen.n; i++)
    counted += rows->counted[i];
  return counted;
}

int engine_start(const struct policy *policy, struct posterior *p, struct round *r) {
  const size_t memory = policy_memory(policy, p->prior);
  for (size_t i = 0; i < memory; i++)
    r->memory[i] = 0; /* the state that R keeps has no accidents in it */
  posterior_start(p);
  r->t = 1;
  if (policy->start)
    policy->start(p, r);
  return assess(policy, p, r);
}

/* Rows from the i-th on that are learned at once. A policy that sees rewards sees each one, and one
 * with memory assesses every round; rows that do not count were none: nothing was decided between
 * them. */
static int rows_at_once(const struct policy *policy, const struct log *log, int i) {
  const int left = log->seen.n - i;
  if (policy->see || !policy->memory)
    return policy->see ? 1 : left;
  int n = 0;
  while (n < left && !log->counted[i + n])
    n++;
  return n > 0 ? n : 1;
}

int engine_learn(const struct policy *policy, struct posterior *p, struct round *r,
                 const struct log *log) {
  const struct observations *o = &log->seen;
  int next = -1;
  for (int i = 0, n; i < o->n; i += n) {
    interrupt_check(i, (size_t)p->prior->k);
    n = rows_at_once(policy, log, i);
    const struct log rows = part(log, i, n);
    const int counted = learn(p, r, &rows);
    if (policy->see && !isnan(o->y[i]))
      policy->see(p, r, o->arm[i], seen(p, o, i));
    r->t += counted;
    next = assess(policy, p, r);
  }
  return next;
}

int engine_choose(const struct policy *policy, const struct posterior *p,
                  struct round *r) {
  return assess(policy, p, r);
}

int engine_relearn(const struct policy *policy, struct posterior *p, struct round *r,
                   const struct log *log) {
  posterior_start(p);
  r->t = 1 + learn(p, r, log);
  return assess(policy, p, r);
}

static int recommend(const struct policy *policy, const struct posterior *p,
                     const struct round *r) {
  const int k = p->prior->k;
  const int arm = policy->recommend ? policy->recommend(p, r) : -1;
  if (arm >= 0 && !(r->out && r->out[arm]))
    return arm;
  /* Means that differ by a billionth of what is uncertain about the highest are equal. */
  const int top = linalg_top(k, p->mean);
  const double tie = TIE * sqrt(p->var[top]) + ROUNDING * fabs(p->mean[top]);
  const int best = linalg_which_max(k, p->mean, tie);
  return best < 0 ? top : best;
}

int engine_recommend(const struct policy *policy, const struct posterior *p,
                     const struct round *r) {
  if (!r->out)
    return recommend(policy, p, r);
  const struct posterior shown = without_out(p, r);
  return recommend(policy, &shown, r);
}

int engine_columns(int k, int blocks, int budget) {
  return blocks > 0 ? budget : posterior_room(0, 0, k < budget ? k : budget, budget);
}

static double pull(const struct truth *truth, int k, int arm, int block) {
  if (truth->pool) {
    const int draw = truth->by_block ? block : (int)(unif_rand() * truth->draws);
    return truth->pool[(size_t)arm + (size_t)k * (size_t)draw];
  }
  const double rate = truth->side * truth->mean[arm];
  if (truth->law == LAW_BINOMIAL)
    return truth->side * rate_of_trials(truth->size, rate);
  if (truth->law == LAW_POISSON)
    return truth->side * rate_of_count(truth->size, rate);
  return truth->mean[arm] + truth->noise_sd[arm] * norm_rand();
}

/* An arm that has been in every block has nothing new to say there. */
static void bar_exhausted(struct record *record, const struct round *r, int n, int arm) {
  int been = 0;
  for (int i = 0; i < n; i++)
    been += record->arm[i] == arm;
  record->barred[arm] = been >= r->blocks;
}

/* Costs that add up to the funds but for rounding may be spent. */
static const double CENT = 1e-9;

/* 0: nothing is affordable any more, which is no reason to think otherwise of the arms. */
static int bar_unaffordable(struct record *record, const struct round *r, int k,
                            double spent) {
  const double left = record->funds - spent + CENT * record->funds;
  int some = 0;
  for (int i = 0; i < k; i++)
    some += r->cost[i] <= left;
  for (int i = 0; some > 0 && i < k; i++)
    record->barred[i] = record->barred[i] || r->cost[i] > left;
  return some > 0;
}

int engine_run(const struct policy *policy, struct posterior *p, struct round *r,
               const struct truth *truth, struct record *record) {
  const int one = 1;
  const int most = r->cost ? record->most : r->budget;
  double spent = 0;
  int more = 1;
  r->made = (struct pairs){0, record->arm, record->block};
  if (r->cost)
    more = bar_unaffordable(record, r, p->prior->k, spent);
  int next = engine_start(policy, p, r), best = -1, n = 0, stop = 0;
  for (; n < most && next >= 0 && more; n++) {
    int *arm = record->arm + n, *block = record->block + n;
    double *y = record->y + n;
    *arm = next;
    *block = r->note->block;
    *y = pull(truth, p->prior->k, next, *block);
    r->made.n = n + 1;
    if (r->blocks > 0 && record->barred)
      bar_exhausted(record, r, n + 1, next);
    if (r->cost)
      more = bar_unaffordable(record, r, p->prior->k, spent += r->cost[next]);
    const struct log log = {{1, arm, y, r->noise2 + *arm, block}, &one};
    next = engine_learn(policy, p, r, &log);
    /* In every round, so that later random numbers do not depend on what is recorded. */
    best = engine_recommend(policy, p, r);
    if (stop < record->stops && record->after[stop] == n + 1)
      record->best[stop++] = best;
    if (n % 32 == 0 || p->prior->k >= 100)
      R_CheckUserInterrupt();
  }
  if (n == 0)
    best = engine_recommend(policy, p, r);
  for (; stop < record->stops; stop++)
    record->best[stop] = best;
  return n;
}
