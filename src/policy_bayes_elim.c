/* Bayesian elimination (Atsidakou, Katariya, Sanghavi and Kveton 2022, arXiv 2211.08572):
 * R = ceil(log2 K) stages of n / R pulls each; in each of them an arm still in gets a share
 *   n_i = (n / R) noise_i^2 / sum of noise_j^2 over the arms j still in,
 * and the half with the higher posterior means goes on. `halving` is its ancestor.
 *
 * The paper has independent arms and judges them by the prior and the rewards of the stage
 * alone. Here the posterior is the joint one and knows all rewards: dropping arms makes it
 * no less valid. Shares are noise variances against the equal ones of `halving`, and since a
 * posterior mean exists without a pull, no budget is too small. Whole pulls are ours too:
 * stage r ends after ceil(r n / R) pulls, the arm farthest behind its share comes next, and
 * where a stage has a pull for every arm in, every arm gets one, however small its noise. */
#include <math.h>
#include <string.h>

#include "policy.h"
#include "stages.h"
#include "tally.h"

/* Carried from round to round: the stages, then the rewards of each arm in this one. */
static size_t memory(const struct prior *prior) {
  return stages_memory(prior) + (size_t)prior->k;
}

static double *of_stage(const struct posterior *p, const struct round *r) {
  return r->memory + stages_memory(p->prior);
}

static void start(const struct posterior *p, const struct round *r) {
  stages_start(stages_in(r->memory), p);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  (void)y;
  of_stage(p, r)[arm]++;
}

static int end_of(const struct round *r, int arms, int stage) {
  const int n = stages_count(arms);
  return (int)ceil((stage + 1) * (double)r->budget / n);
}

static void end_stages(const struct posterior *p, const struct round *r) {
  const struct stages s = stages_in(r->memory);
  const size_t size = (size_t)p->prior->k * sizeof(double);
  for (int keep; (keep = stages_due(s, r, end_of)) > 0;) {
    memcpy(r->work, p->mean, size);
    stages_drop(s, p->prior->k, r->work, keep);
    memset(of_stage(p, r), 0, size);
  }
}

/* The pulls of this stage. */
static int pulls_now(struct stages s, const struct round *r) {
  const int arms = (int)*s.arms, stage = (int)*s.passed;
  const int begin = stage > 0 ? end_of(r, arms, stage - 1) : 0;
  return (stage < stages_count(arms) ? end_of(r, arms, stage) : r->budget) - begin;
}

/* What each arm in lacks of its share; without noise anywhere, shares are equal. */
static void find_lacking(const struct posterior *p, const struct round *r,
                         double *lacking) {
  const struct stages s = stages_in(r->memory);
  const double *made = of_stage(p, r);
  const int k = p->prior->k, pulls = pulls_now(s, r);
  double most = 0, sum = 0;
  int in = 0;
  for (int i = 0; i < k; i++)
    if (s.in[i] > 0) {
      most = fmax(most, r->noise2[i]);
      in++;
    }
  for (int i = 0; i < k; i++)
    if (s.in[i] > 0)
      sum += most > 0 ? r->noise2[i] / most : 1;
  for (int i = 0; i < k; i++) {
    const double weight = most > 0 ? r->noise2[i] / most : 1;
    lacking[i] = s.in[i] <= 0                  ? -INFINITY
                 : pulls >= in && made[i] == 0 ? pulls
                                               : pulls * (weight / sum) - made[i];
  }
}

/* Where no arm still in may be pulled, the best of the others. */
static int choose(const struct posterior *p, const struct round *r) {
  double *value = r->work;
  end_stages(p, r);
  find_lacking(p, r, value);
  const int arm = policy_best_open(p, r, value, 1e-9);
  if (arm >= 0)
    return arm;
  memcpy(value, p->mean, (size_t)p->prior->k * sizeof *value);
  return policy_best_open(p, r, value, 0);
}

static int recommend(const struct posterior *p, const struct round *r) {
  memcpy(r->work, p->mean, (size_t)p->prior->k * sizeof(double));
  return tally_left(stages_in(r->memory).in, p, r);
}

const struct policy policy_bayes_elim = {
    .name = "bayes_elim",
    .label = "shares by noise in stages, after each of which the higher half goes on",
    .recommends = "the last arm left",
    .keeps = 1,
    .memory = memory,
    .start = start,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
