#include "posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "hot.h"
#include "interrupt.h"
#include "linalg.h"
#include "recent.h"

/* A variance that is left over from a subtraction of numbers this much larger is rounding:
 * the arm is known, and dividing by it would spread noise over all arms. */
static const double ROUNDOFF = 64 * DBL_EPSILON;

/* In standard deviations. Rewards that the model holds to be more impossible than this would
 * send the other means out of the range of numbers. */
static const double MOST_SURPRISE = 1e100;

/* Columns below which compacting is not worth the trouble. */
enum { SPARE = 32 };

int posterior_size(const struct posterior *p) {
  return p->prior->k + p->blocks * p->width;
}

int posterior_block(const struct posterior *p, int block) {
  return p->prior->k + block * p->width;
}

static const double *loading_of(const struct posterior *p, int arm) {
  return p->loading ? p->loading + (size_t)arm * (size_t)(p->width - 1) : NULL;
}

/* of: the coordinates of the block. */
static double effect(const struct posterior *p, int arm, const double *of) {
  const double *l = loading_of(p, arm);
  double sum = of[0];
  for (int i = 1; i < p->width; i++)
    sum += l[i - 1] * of[i];
  return sum;
}

double posterior_seen(const struct posterior *p, int arm, int block, const double *x) {
  return block < 0 ? x[arm] : x[arm] + effect(p, arm, x + posterior_block(p, block));
}

double posterior_effect(const struct posterior *p, int arm, int block) {
  return effect(p, arm, p->block_mean + (size_t)block * (size_t)p->width);
}

/* What blocks add to the prior variance of a pull of the arm. */
static double block_prior_var(const struct posterior *p, int arm) {
  const double *l = loading_of(p, arm);
  double sum = 1;
  for (int i = 0; i < p->width - 1; i++)
    sum += l[i] * l[i];
  return p->block2 * sum;
}

double posterior_pull_var(const struct posterior *p, int arm, int block) {
  double var = prior_var(p->prior, arm) + block_prior_var(p, arm);
  for (int i = 0; i < p->n; i++) {
    const double w = posterior_seen(p, arm, block, p->w[i]);
    var -= w * w;
  }
  return fmax(var, 0);
}

int posterior_separate(const struct posterior *p) {
  return p->prior->kind == PRIOR_INDEPENDENT && p->blocks == 0;
}

/* Believes the prior, whatever was observed. */
static void begin(struct posterior *p) {
  for (int i = 0; i < p->prior->k; i++) {
    p->mean[i] = p->prior->mean[i];
    p->var[i] = fmax(prior_var(p->prior, i), 0);
    p->last[i] = -1;
  }
  for (int i = 0; i < p->blocks * p->width; i++) {
    p->block_mean[i] = 0;
    p->block_var[i] = p->block2;
  }
  p->n = 0;
  p->loss = 0;
  recent_forget(p);
}

void posterior_start(struct posterior *p) {
  memset(p->pulls, 0, (size_t)p->prior->k * sizeof(int));
  if (p->average)
    average_start(p->average, p->prior->k);
  begin(p);
}

void posterior_column(const struct posterior *p, int arm, double *restrict out) {
  if (posterior_separate(p)) {
    memset(out, 0, (size_t)p->prior->k * sizeof(double));
    out[arm] = p->var[arm];
  } else {
    recent_column(p, arm, p->prior->k, KEPT, out);
  }
}

void posterior_whole_column(const struct posterior *p, int at, double *restrict out) {
  if (posterior_separate(p))
    posterior_column(p, at, out);
  else
    recent_column(p, at, posterior_size(p), KEPT, out);
}

/* The posterior covariance of some arms. whole: room for a column of all. */
struct part {
  const struct posterior *p;
  int n;
  const int *arms;
  double *whole;
};

static void column_of(const void *matrix, int at, double *restrict out) {
  const struct part *part = matrix;
  posterior_column(part->p, part->arms[at], part->whole);
  for (int i = 0; i < part->n; i++)
    out[i] = part->whole[part->arms[i]];
}

int posterior_factor(const struct posterior *p, int n, const int *arms, double tolerance,
                     int limit, double *factor, double *rest, double *work) {
  const struct part part = {p, n, arms, work + limit};
  for (int i = 0; i < n; i++)
    rest[i] = p->var[arms[i]];
  return linalg_low_rank(n, column_of, &part, tolerance, limit, factor, rest, work);
}

/* c becomes the new column w = c / root; gain = (y - mean) / root. */
HOT static void update(int k, double *restrict c, double root, double gain,
                       double *restrict mean, double *restrict var) {
  const double inverse = 1 / root;
  for (int i = 0; i < k; i++) {
    const double w = c[i] * inverse, left = var[i] - w * w;
    c[i] = w;
    mean[i] += gain * w;
    var[i] = left > 0 ? left : 0;
  }
}

/* 1 when the noise is so large that one observation leaves no trace in a double. */
static int drowned(double var, double noise2) {
  return !(var > DBL_EPSILON * DBL_EPSILON * noise2);
}

static void learn_independent(struct posterior *p, int arm, double y, double noise2) {
  const double var = p->var[arm], d = var + noise2;
  if (drowned(var, noise2))
    return;
  p->mean[arm] += var / d * (y - p->mean[arm]);
  p->var[arm] = var / d * noise2;
}

/* c = S h and h'S h of an observation, h the sum of its arm and its block, whose mean it is about;
 * and the size of the numbers that were subtracted for them. */
struct view {
  double own, mean, size;
};

/* The covariance with what the block adds to the arm; where it has several coordinates no columns of
 * these are kept, and all that were made are taken off that of the prior. */
static double covariance_with_block(const struct posterior *p, int arm, int block,
                                    double *c) {
  const int size = posterior_size(p), at = posterior_block(p, block);
  if (p->width == 1)
    return recent_column(p, at, size, KEPT, c);
  const double *const *w = (const double *const *)p->w;
  double f[4];
  memset(c, 0, (size_t)size * sizeof *c);
  c[at] = p->block2;
  linalg_scale(p->width - 1, p->block2, loading_of(p, arm), c + at + 1);
  int i = 0;
  for (; i + 4 <= p->n; i += 4) {
    for (int j = 0; j < 4; j++)
      f[j] = -effect(p, arm, w[i + j] + at);
    linalg_add4(size, f, w + i, c);
  }
  for (; i < p->n; i++)
    linalg_add(size, -effect(p, arm, w[i] + at), w[i], c);
  const double var = block_prior_var(p, arm);
  return sqrt(var * fmax(p->prior->most, var));
}

static struct view look(const struct posterior *p, int arm, int block, double *c) {
  const int size = posterior_size(p), at = posterior_block(p, block);
  struct view v = {.mean = p->mean[arm]};
  /* A pull in no block starts the arm's column afresh. */
  v.size = recent_column(p, arm, size, block < 0 ? PASSING : KEPT, c);
  v.own = c[arm];
  if (block >= 0) {
    const double both = effect(p, arm, c + at);
    v.size += covariance_with_block(p, arm, block, p->spare);
    v.own += 2 * both + effect(p, arm, p->spare + at);
    v.mean += posterior_effect(p, arm, block);
    linalg_add(size, 1, p->spare, c);
  }
  return v;
}

/* Learns with a column of its own. */
static void learn_column(struct posterior *p, int arm, int block, double y,
                         double noise2) {
  const int k = p->prior->k;
  double *c = p->w[p->n];
  const struct view v = look(p, arm, block, c);
  const double own = v.own;
  /* Where the noise is more than rounding, so is d, and there is no harm in dividing by it. */
  const double rounding =
      posterior_rounding(p, arm) + (block < 0 ? 0 : ROUNDOFF * block_prior_var(p, arm));
  if (!(own > 0 && own + noise2 > rounding)) {
    if (block < 0)
      p->var[arm] = 0; /* known already: nothing to learn */
    p->loss += noise2 > 0 ? fmin(ROUNDOFF * v.size / noise2, 1) : 0;
    return;
  }
  if (drowned(own, noise2))
    return;
  const double d = own + noise2, root = sqrt(d);
  const double surprise = (y - v.mean) / root;
  const double gain = fmax(fmin(surprise, MOST_SURPRISE), -MOST_SURPRISE);
  update(k, c, root, gain, p->mean, p->var);
  update(p->blocks * p->width, c + k, root, gain, p->block_mean, p->block_var);
  if (noise2 > 0)
    p->loss += DBL_EPSILON * v.size / own * (DBL_EPSILON * v.size / noise2) *
               fmax(gain * gain, 1);
  p->arm[p->n] = arm;
  p->d[p->n] = d;
  p->noise2[p->n] = noise2;
  if (p->blocks > 0)
    p->block[p->n] = block;
  if (block < 0) {
    p->var[arm] = own / d * noise2; /* without the cancellation */
    p->last[arm] = p->n;
  }
  p->n++;
}

static void observe(struct posterior *p, int arm, int block, double y, double noise2) {
  if (posterior_separate(p))
    learn_independent(p, arm, y, noise2);
  else
    learn_column(p, arm, block, y, noise2);
}

static void count(struct posterior *p, int arm, double y, double noise2) {
  p->pulls[arm]++;
  if (p->average)
    average_add(p->average, arm, y, noise2);
}

void posterior_learn(struct posterior *p, int arm, int block, double y, double noise2) {
  count(p, arm, y, noise2);
  observe(p, arm, block, y, noise2);
}

void posterior_compact(struct posterior *p, int *order) {
  const struct average *of = p->average;
  const int m = average_order(of, p->prior->k, order);
  p->w += p->lent;
  p->lent = 0;
  begin(p);
  for (int i = 0; i < m; i++) {
    interrupt_check(i, (size_t)p->prior->k);
    if (p->recent && i % RECENT == 0)
      recent_prepare(p, m - i < RECENT ? m - i : RECENT, order + i);
    observe(p, order[i], -1, of->mean[order[i]], 1 / of->weight[order[i]]);
  }
}

HOT int posterior_arms(const struct posterior *p) {
  int arms = 0;
  for (int i = 0; i < p->prior->k; i++)
    arms += p->pulls[i] > 0;
  return arms;
}

/* 1 when so many columns are worth compacting. */
static int full(const struct posterior *p, int columns) {
  return p->average && columns > SPARE && columns >= 2 * posterior_arms(p) + SPARE;
}

void posterior_learn_all(struct posterior *p, const struct observations *o, int *order) {
  int more = 0;
  for (int i = 0; i < o->n; i++)
    if (!isnan(o->y[i])) {
      count(p, o->arm[i], o->y[i], o->noise2[i]);
      more++;
    }
  if (more > 0 && full(p, p->n + more)) {
    posterior_compact(p, order);
    return;
  }
  for (int i = 0; i < o->n; i++) {
    interrupt_check(i, (size_t)p->prior->k);
    if (!isnan(o->y[i]))
      observe(p, o->arm[i], o->block ? o->block[i] : -1, o->y[i], o->noise2[i]);
  }
}

int posterior_room(int columns, int seen, int arms, int more) {
  if (columns + more <= SPARE || columns + more < 2 * seen + SPARE)
    return more;
  const int most = 2 * arms + SPARE, again = columns > 0 ? arms : 0;
  return more + again < most ? more + again : most;
}

double posterior_rounding(const struct posterior *p, int arm) {
  const int latest = p->last[arm];
  if (posterior_separate(p))
    return 0;
  if (latest < 0)
    return ROUNDOFF * prior_var(p->prior, arm);
  return ROUNDOFF * (p->noise2[latest] / sqrt(p->d[latest]) * p->w[latest][arm]);
}

double posterior_column_rounding(const struct posterior *p, int arm, double prior_var) {
  return sqrt(posterior_rounding(p, arm) * (ROUNDOFF * prior_var));
}

double posterior_apart(const struct posterior *p, int i, int j) {
  return posterior_rounding(p, i) + posterior_rounding(p, j) +
         2 * posterior_column_rounding(p, i, prior_var(p->prior, j));
}

/* An exact pull of an arm that was all but known divides by what rounding left of much: by how
 * much more than plain rounding the other variances may then be off. */
static double spoiled(const struct posterior *p) {
  double most = 1;
  for (int i = 0; i < p->n; i++)
    if (p->noise2[i] == 0)
      most = fmax(most, prior_var(p->prior, p->arm[i]) / p->d[i]);
  return most;
}

/* Variances whose squares would vanish count as none. Most arms are known late or never, so
 * that the first few tell. */
int posterior_resolved(const struct posterior *p) {
  double more = 0;
  if (p->prior->most < 1e-250)
    return 1;
  for (int i = 0; i < p->prior->k; i++) {
    const double rounding = posterior_rounding(p, i);
    if (p->var[i] <= rounding)
      continue;
    if (p->last[i] >= 0 || p->var[i] > 1e-6 * prior_var(p->prior, i))
      return 0;
    if (more == 0)
      more = spoiled(p);
    if (p->var[i] > more * rounding)
      return 0;
  }
  return 1;
}

double posterior_floor(int k, const double *sd) {
  return sqrt(ROUNDOFF) * linalg_max(k, sd);
}
