/* Generalised Successive Elimination (Azizi, Kveton and Ghavamzadeh 2022), for arms with
 * features: the budget in equal stages; in each of them a G-optimal design over the arms
 * still in, least squares on its rewards alone, and the best 1 / eta of the arms go on.
 *
 * A stage works in coordinates of its own: rank many of the arms still in are picked as a
 * basis of their span, and arm i is x_i = sum_j alpha_ij b_j. What least squares estimates
 * are then the values of the basis arms, and features that depend on each other, or of very
 * different sizes, need no care. The alpha are not kept but had from the dual basis w, with
 * w_j'b_i = 1{i = j}: alpha_ij = w_j'x_i. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <R_ext/Random.h>
#include <R_ext/Utils.h>

#include "interrupt.h"
#include "linalg.h"
#include "policy.h"
#include "tally.h"

enum param_at { ETA };

static const struct param PARAMS[] = {
    {"eta", 2, 2, 10, NULL, "one in eta arms goes on after each stage"}, {0}};

/* An arm whose squared distance to the span of the basis is below this lies in it; features
 * are of size 1. */
static const double IN_SPAN = 1e-12;

/* Of the trace, what keeps least squares from dividing by nothing. */
static const double RIDGE = 1e-13;

/* The design is done when no arm is estimated worse than this much above the optimum, or
 * after so many steps. */
static const double NEARLY_OPTIMAL = 0.01;
enum { MOST_STEPS = 1000 };

/* Carried from round to round: the numbers below, then the blocks of struct state. */
enum memory_at { ARMS, STAGE, IN, RANK, HEADER };

struct state {
  int k, d;
  double *in;     /* k: 1 for the arms still in */
  double *plan;   /* k: pulls planned for this stage */
  double *n;      /* k: rewards of this stage, */
  double *mean;   /* k: and their average */
  double *unit;   /* d: what brings a feature to size 1 */
  double *dual;   /* d x rank: w, for features of size 1 */
  double *square; /* rank x rank: room for a matrix */
};

static int most_rank(const struct prior *prior) {
  return prior->k < prior->d ? prior->k : prior->d;
}

static size_t memory(const struct prior *prior) {
  const size_t k = (size_t)prior->k, d = (size_t)prior->d;
  const size_t rank = (size_t)most_rank(prior);
  return HEADER + 4 * k + d + d * rank + rank * rank;
}

static struct state state_of(const struct prior *prior, double *memory) {
  const size_t k = (size_t)prior->k, d = (size_t)prior->d;
  struct state s = {.k = prior->k, .d = prior->d};
  s.in = memory + HEADER;
  s.plan = s.in + k;
  s.n = s.plan + k;
  s.mean = s.n + k;
  s.unit = s.mean + k;
  s.dual = s.unit + d;
  s.square = s.dual + d * (size_t)most_rank(prior);
  return s;
}

static const char *unfit(const struct prior *prior, const double *param, int blocks) {
  if (prior->kind != PRIOR_FEATURES)
    return "needs arms with features";
  return policy_no_blocks(prior, param, blocks);
}

/* ceil(log_eta(arms)); one stage for a single arm. */
static int stages(int arms, double eta) {
  int n = 1;
  for (double reach = eta; reach < arms * (1 - 1e-12); reach *= eta)
    n++;
  return n;
}

/* A stage can pull a whole basis. */
static int least(const struct posterior *p, const struct round *r) {
  const int arms = tally_arms(p->prior);
  const int rank = arms < p->prior->d ? arms : p->prior->d;
  return arms > 1 ? rank * stages(arms, r->param[ETA]) : 1;
}

/* ---- Features of size 1 ------------------------------------------------------------- */

static double feature(const struct posterior *p, const struct state *s, int arm, int j) {
  return s->unit[j] * p->prior->factor[(size_t)arm + (size_t)s->k * (size_t)j];
}

/* out = X v for all arms; z: room for d doubles, which may be v itself. */
static void times_features(const struct posterior *p, const struct state *s,
                           const double *v, double *z, double *out) {
  for (int j = 0; j < s->d; j++)
    z[j] = s->unit[j] * v[j];
  memset(out, 0, (size_t)s->k * sizeof(double));
  linalg_add_product(s->k, s->d, p->prior->factor, z, out);
}

/* The first of the arms with the largest value, or -1. A plan does not depend on chance: a
 * run that is gone through again when its noise is estimated anew keeps its design. */
static int first_best(int k, const double *value) {
  const double most = linalg_max(k, value);
  return most > -INFINITY ? linalg_top(k, value) : -1;
}

static void find_units(const struct posterior *p, const struct state *s) {
  for (int j = 0; j < s->d; j++) {
    double most = 0;
    for (int i = 0; i < s->k; i++)
      most = fmax(most, fabs(p->prior->factor[(size_t)i + (size_t)s->k * (size_t)j]));
    s->unit[j] = most > 1e-150 ? 1 / most : 0;
  }
}

/* alpha of one arm. */
static void coordinates(const struct posterior *p, const struct state *s, int rank,
                        int arm, double *alpha) {
  for (int l = 0; l < rank; l++) {
    const double *w = s->dual + (size_t)s->d * (size_t)l;
    alpha[l] = 0;
    for (int j = 0; j < s->d; j++)
      alpha[l] += w[j] * feature(p, s, arm, j);
  }
}

/* ---- The basis ---------------------------------------------------------------------- */

/* e = the part of the arm's features outside the span of the basis so far, which is its
 * features less their projection sum_l alpha_l b_l; taken off twice against rounding.
 * Returns its squared length. */
static double outside(const struct posterior *p, const struct state *s, const int *basis,
                      int rank, int arm, double *e) {
  double length = 0;
  for (int j = 0; j < s->d; j++)
    e[j] = feature(p, s, arm, j);
  for (int pass = 0; pass < 2; pass++)
    for (int l = 0; l < rank; l++) {
      const double *w = s->dual + (size_t)s->d * (size_t)l;
      double alpha = 0;
      for (int j = 0; j < s->d; j++)
        alpha += w[j] * e[j];
      for (int j = 0; j < s->d; j++)
        e[j] -= alpha * feature(p, s, basis[l], j);
    }
  for (int j = 0; j < s->d; j++)
    length += e[j] * e[j];
  return length;
}

/* The arm joins the basis: its dual vector is e / |e|^2, and the others become orthogonal
 * to it. */
static void join(const struct posterior *p, const struct state *s, int rank, int arm,
                 double *e, double length) {
  double *own = s->dual + (size_t)s->d * (size_t)rank;
  for (int j = 0; j < s->d; j++)
    own[j] = e[j] / length;
  for (int l = 0; l < rank; l++) {
    double *w = s->dual + (size_t)s->d * (size_t)l, alpha = 0;
    for (int j = 0; j < s->d; j++)
      alpha += w[j] * feature(p, s, arm, j);
    linalg_add(s->d, -alpha, own, w);
  }
}

/* Picks the arms still in that are farthest from the span of those picked before, until all
 * are in it; returns their number. basis: k ints; work: 2k + d doubles. */
static int find_basis(const struct posterior *p, const struct state *s, int *basis,
                      double *work) {
  const int k = s->k, most = most_rank(p->prior);
  double *far = work, *along = work + k, *e = work + 2 * k;
  int rank = 0;
  for (int i = 0; i < k; i++) {
    far[i] = s->in[i] > 0 ? 0 : -INFINITY;
    for (int j = 0; j < s->d && s->in[i] > 0; j++)
      far[i] += feature(p, s, i, j) * feature(p, s, i, j);
  }
  const double within = IN_SPAN * fmax(linalg_max(k, far), 0);
  while (rank < most) {
    interrupt_check(rank, (size_t)k * (size_t)s->d);
    const int arm = first_best(k, far);
    if (arm < 0 || !(far[arm] > within))
      break;
    const double length = outside(p, s, basis, rank, arm, e);
    far[arm] = -INFINITY;
    if (!(length > within))
      continue;
    join(p, s, rank, arm, e, length);
    basis[rank++] = arm;
    times_features(p, s, e, e, along);
    for (int i = 0; i < k; i++)
      far[i] -= along[i] * along[i] / length;
  }
  return rank;
}

/* ---- The design --------------------------------------------------------------------- */

/* leverage_i = alpha_i'V^-1 alpha_i under the design that gives equal weight to the basis,
 * where V = I / rank. along: k doubles, z: d. */
static void start_design(const struct posterior *p, const struct state *s,
                         const int *basis, int rank, double *weight, double *leverage,
                         double *along, double *z) {
  memset(weight, 0, (size_t)s->k * sizeof(double));
  memset(leverage, 0, (size_t)s->k * sizeof(double));
  memset(s->square, 0, (size_t)rank * (size_t)rank * sizeof(double));
  for (int l = 0; l < rank; l++) {
    interrupt_check(l, (size_t)s->k * (size_t)s->d);
    weight[basis[l]] = 1.0 / rank;
    s->square[(size_t)l * (size_t)(rank + 1)] = rank;
    times_features(p, s, s->dual + (size_t)s->d * (size_t)l, z, along);
    for (int i = 0; i < s->k; i++)
      leverage[i] += rank * along[i] * along[i];
  }
  for (int i = 0; i < s->k; i++)
    if (s->in[i] <= 0)
      leverage[i] = -INFINITY;
}

/* One step of Frank and Wolfe towards the arm estimated worst, with the best step length
 * (Kiefer and Wolfowitz). V^-1 in s->square and the leverages follow by its rank-one
 * update. work: 3k + d doubles. */
static void step(const struct posterior *p, const struct state *s, int rank, int arm,
                 double *weight, double *leverage, double *work) {
  double *alpha = work, *u = work + s->k, *along = u + s->k, *z = along + s->k;
  const double worst = leverage[arm], g = (worst / rank - 1) / (worst - 1);
  const double f = g / (1 - g), shrink = f / (1 + f * worst), grow = 1 / (1 - g);
  coordinates(p, s, rank, arm, alpha);
  memset(u, 0, (size_t)rank * sizeof(double));
  linalg_add_product(rank, rank, s->square, alpha, u);
  for (int l = 0; l < rank; l++) {
    double *column = s->square + (size_t)rank * (size_t)l;
    for (int i = 0; i < rank; i++)
      column[i] = grow * (column[i] - shrink * u[i] * u[l]);
  }
  memset(z, 0, (size_t)s->d * sizeof(double));
  linalg_add_product(s->d, rank, s->dual, u, z);
  times_features(p, s, z, z, along);
  for (int i = 0; i < s->k; i++) {
    leverage[i] = grow * (leverage[i] - shrink * along[i] * along[i]);
    weight[i] *= 1 - g;
  }
  weight[arm] += g;
}

/* Whole pulls: one for each basis arm, so that least squares always has an answer, and the
 * rest where the design is farthest from its share. */
static void round_design(const struct state *s, const int *basis, int rank, int pulls,
                         const double *weight, double *lacking) {
  int left = pulls;
  for (int i = 0; i < s->k; i++) {
    s->plan[i] = floor(fmax(pulls - rank, 0) * weight[i]);
    left -= (int)s->plan[i];
  }
  for (int l = 0; l < rank; l++, left--)
    s->plan[basis[l]]++;
  for (int i = 0; i < s->k; i++)
    lacking[i] = s->in[i] > 0 ? pulls * weight[i] - s->plan[i] : -INFINITY;
  for (int arm = first_best(s->k, lacking); left > 0 && arm >= 0; left--) {
    s->plan[arm]++;
    lacking[arm]--;
    arm = first_best(s->k, lacking);
  }
}

/* The plan of a stage of so many pulls. */
static void make_plan(const struct posterior *p, const struct round *r, int pulls) {
  const struct state s = state_of(p->prior, r->memory);
  const int k = s.k;
  double *weight = r->work, *leverage = weight + k, *work = leverage + k;
  const int rank = find_basis(p, &s, r->index, work);
  r->memory[RANK] = rank;
  start_design(p, &s, r->index, rank, weight, leverage, work, work + k);
  for (int i = 0; i < MOST_STEPS && rank > 1; i++) {
    interrupt_check(i, (size_t)k * (size_t)s.d);
    const int arm = first_best(k, leverage);
    if (arm < 0 || leverage[arm] <= rank * (1 + NEARLY_OPTIMAL))
      break;
    step(p, &s, rank, arm, weight, leverage, work);
  }
  round_design(&s, r->index, rank, pulls, weight, work);
}

/* ---- Least squares ------------------------------------------------------------------ */

/* value = the estimates of all arms from this stage's rewards of the arms in it. Where
 * pulls failed there may be too few of them: a ridge too small to matter otherwise keeps
 * what is not determined at the prior mean. */
static void estimate(const struct posterior *p, const struct round *r, double *value,
                     double *work) {
  const struct state s = state_of(p->prior, r->memory);
  const int rank = (int)r->memory[RANK];
  double *alpha = work, *sum = work + s.k, *z = work + 2 * s.k, trace = 0;
  memset(s.square, 0, (size_t)rank * (size_t)rank * sizeof(double));
  memset(sum, 0, (size_t)rank * sizeof(double));
  for (int i = 0; i < s.k; i++)
    if (s.in[i] > 0 && s.n[i] > 0) {
      interrupt_check(i, (size_t)rank * (size_t)s.d);
      coordinates(p, &s, rank, i, alpha);
      for (int l = 0; l < rank; l++)
        linalg_add(rank, s.n[i] * alpha[l], alpha, s.square + (size_t)rank * (size_t)l);
      linalg_add(rank, s.n[i] * (s.mean[i] - p->prior->mean[i]), alpha, sum);
    }
  for (int l = 0; l < rank; l++)
    trace += s.square[(size_t)l * (size_t)(rank + 1)];
  for (int l = 0; l < rank; l++)
    s.square[(size_t)l * (size_t)(rank + 1)] += RIDGE * trace;
  if (!(trace > 1e-200) || linalg_solve(rank, s.square, sum))
    memset(sum, 0, (size_t)rank * sizeof(double));
  memset(z, 0, (size_t)s.d * sizeof(double));
  linalg_add_product(s.d, rank, s.dual, sum, z);
  times_features(p, &s, z, z, value);
  for (int i = 0; i < s.k; i++)
    value[i] = p->var[i] <= 0 ? p->mean[i] : value[i] + p->prior->mean[i];
}

/* ---- Stages ------------------------------------------------------------------------- */

/* The arms with the `keep` largest values stay in; ties at random. */
static void keep_best(const struct state *s, int keep, const double *value,
                      double *work) {
  int n = 0, above = 0, level = 0;
  for (int i = 0; i < s->k; i++)
    if (s->in[i] > 0)
      work[n++] = value[i];
  rPsort(work, n, n - keep);
  const double least_kept = work[n - keep];
  for (int i = 0; i < n; i++) {
    above += work[i] > least_kept;
    level += work[i] == least_kept;
  }
  for (int i = 0; i < s->k; i++)
    if (s->in[i] > 0 && value[i] <= least_kept) {
      const int wanted = keep - above;
      const int tied = value[i] == least_kept;
      s->in[i] = tied && (wanted == level || unif_rand() * level < wanted);
      level -= tied;
      above += s->in[i] > 0;
    }
}

static void begin_stage(const struct posterior *p, const struct round *r) {
  const struct state s = state_of(p->prior, r->memory);
  const int n = stages((int)r->memory[ARMS], r->param[ETA]), each = r->budget / n;
  const int last = (int)r->memory[STAGE] + 1 >= n;
  memset(s.n, 0, (size_t)s.k * sizeof(double));
  memset(s.mean, 0, (size_t)s.k * sizeof(double));
  make_plan(p, r, last ? r->budget - (n - 1) * each : each);
}

static void start(const struct posterior *p, const struct round *r) {
  const struct state s = state_of(p->prior, r->memory);
  r->memory[ARMS] = r->memory[IN] = tally_arms(p->prior);
  r->memory[STAGE] = 0;
  for (int i = 0; i < s.k; i++)
    s.in[i] = prior_var(p->prior, i) > 0;
  find_units(p, &s);
  begin_stage(p, r);
}

static void see(const struct posterior *p, const struct round *r, int arm, double y) {
  const struct state s = state_of(p->prior, r->memory);
  s.n[arm]++;
  s.mean[arm] += (y - s.mean[arm]) / s.n[arm];
}

/* A stage ends when its pulls are made, failed ones included; what rounding leaves over
 * belongs to the last, after which one arm is left. */
static void pass_stages(const struct posterior *p, const struct round *r) {
  const struct state s = state_of(p->prior, r->memory);
  double *m = r->memory;
  const int n = stages((int)m[ARMS], r->param[ETA]);
  while (m[IN] > 1 && m[STAGE] < n) {
    const int last = (int)m[STAGE] + 1 == n;
    const int end = last ? r->budget : ((int)m[STAGE] + 1) * (r->budget / n);
    if (r->t - 1 < end)
      return;
    const double keep = last ? 1 : ceil(m[IN] / r->param[ETA]);
    estimate(p, r, r->work, r->work + s.k);
    keep_best(&s, (int)keep, r->work, r->work + s.k);
    m[IN] = keep;
    m[STAGE]++;
    if (!last)
      begin_stage(p, r);
  }
}

static int choose(const struct posterior *p, const struct round *r) {
  const struct state s = state_of(p->prior, r->memory);
  double *lacking = r->work;
  pass_stages(p, r);
  for (int i = 0; i < s.k; i++)
    lacking[i] = s.in[i] > 0 ? s.plan[i] - s.n[i] : -INFINITY;
  return policy_best_open(p, r, lacking, 0);
}

/* Before the end, the highest posterior mean of those still in. An arm known from the start
 * was in no stage, but may be better than all that were. */
static int recommend(const struct posterior *p, const struct round *r) {
  const struct state s = state_of(p->prior, r->memory);
  if (posterior_resolved(p))
    return -1;
  for (int i = 0; i < s.k; i++) {
    const int known = prior_var(p->prior, i) <= 0;
    r->work[i] = known || s.in[i] > 0 ? p->mean[i] : -INFINITY;
  }
  return linalg_which_max(s.k, r->work, 0);
}

const struct policy policy_gse = {
    .name = "gse",
    .label = "a G-optimal design in stages, after each of which the best arms go on",
    .recommends = "the last arm left",
    .params = PARAMS,
    .keeps = 1,
    .memory = memory,
    .unfit = unfit,
    .least = least,
    .start = start,
    .see = see,
    .choose = choose,
    .recommend = recommend,
};
