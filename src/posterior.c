#include "posterior.h"

#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "hot.h"
#include "interrupt.h"
#include "linalg.h"
#include "student.h"

/* A variance that is left over from a subtraction of numbers this much larger is rounding:
 * the arm is known, and dividing by it would spread noise over all arms. */
static const double ROUNDOFF = 64 * DBL_EPSILON;

/* In standard deviations. Rewards that the model holds to be more impossible than this would
 * send the other means out of the range of numbers. */
static const double MOST_SURPRISE = 1e100;

/* Columns below which compacting is not worth the trouble. */
enum { SPARE = 32 };

void posterior_start(struct posterior *p) {
  const int k = p->prior->k;
  for (int i = 0; i < k; i++) {
    p->mean[i] = p->prior->mean[i];
    p->var[i] = fmax(prior_var(p->prior, i), 0);
    p->pulls[i] = 0;
    p->last[i] = -1;
  }
  p->n = 0;
  p->loss = 0;
}

/* c = S[, arm]. Returns the size of the numbers that were subtracted on the way, which is that
 * of what rounding spoils: the entry `arm` before the subtractions, and, where other arms were
 * pulled since, whose columns were had from the prior's, that of the prior. */
static double covariance_with(const struct posterior *p, int arm, double *restrict c) {
  const int k = p->prior->k, latest = p->last[arm];
  int i = latest + 1;
  if (latest < 0) {
    prior_column(p->prior, arm, c);
  } else {
    const double f = p->noise2[latest] / sqrt(p->d[latest]);
    const double *own = p->w[latest];
    for (int j = 0; j < k; j++)
      c[j] = f * own[j];
  }
  const double whole = c[arm];
  int mixed = 0;
  for (; i + 4 <= p->n; i += 4) {
    const double *w[4] = {p->w[i], p->w[i + 1], p->w[i + 2], p->w[i + 3]};
    const double f[4] = {-w[0][arm], -w[1][arm], -w[2][arm], -w[3][arm]};
    mixed |= f[0] != 0 || f[1] != 0 || f[2] != 0 || f[3] != 0;
    linalg_add4(k, f, w, c);
  }
  for (; i < p->n; i++) {
    mixed |= p->w[i][arm] != 0;
    linalg_add(k, -p->w[i][arm], p->w[i], c);
  }
  return mixed ? sqrt(prior_var(p->prior, arm) * p->prior->most) : whole;
}

void posterior_column(const struct posterior *p, int arm, double *restrict out) {
  if (p->prior->kind == PRIOR_INDEPENDENT) {
    memset(out, 0, (size_t)p->prior->k * sizeof(double));
    out[arm] = p->var[arm];
  } else {
    covariance_with(p, arm, out);
  }
}

static void column_of(const void *posterior, int arm, double *restrict out) {
  posterior_column(posterior, arm, out);
}

int posterior_factor(const struct posterior *p, double tolerance, int limit,
                     double *factor, double *rest, double *work) {
  memcpy(rest, p->var, (size_t)p->prior->k * sizeof(double));
  return linalg_low_rank(p->prior->k, column_of, p, tolerance, limit, factor, rest, work);
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

void posterior_learn(struct posterior *p, int arm, double y, double noise2) {
  p->pulls[arm]++;
  if (p->prior->kind == PRIOR_INDEPENDENT) {
    learn_independent(p, arm, y, noise2);
    return;
  }
  double *c = p->w[p->n];
  const double size = covariance_with(p, arm, c), own = c[arm];
  /* Where the noise is more than rounding, so is d, and there is no harm in dividing by it. */
  if (!(own > 0 && own + noise2 > posterior_rounding(p, arm))) {
    p->var[arm] = 0; /* known already: nothing to learn */
    p->loss += noise2 > 0 ? fmin(ROUNDOFF * size / noise2, 1) : 0;
    return;
  }
  if (drowned(own, noise2))
    return;
  const double d = own + noise2, root = sqrt(d);
  const double surprise = (y - p->mean[arm]) / root;
  const double gain = fmax(fmin(surprise, MOST_SURPRISE), -MOST_SURPRISE);
  update(p->prior->k, c, root, gain, p->mean, p->var);
  p->var[arm] = own / d * noise2; /* without the cancellation */
  if (noise2 > 0)
    p->loss +=
        DBL_EPSILON * size / own * (DBL_EPSILON * size / noise2) * fmax(gain * gain, 1);
  p->arm[p->n] = arm;
  p->d[p->n] = d;
  p->noise2[p->n] = noise2;
  p->last[arm] = p->n++;
}

static int is_exact(double noise2) {
  return !(noise2 > DBL_MIN);
}

static void reverse(int *x, int n) {
  for (int i = 0; i < n / 2; i++) {
    const int other = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = other;
  }
}

/* The distinct arms observed: first those observed exactly, in the order in which they were,
 * since the first of two that contradict each other stands; then the others, the arms pulled
 * latest last. */
static int in_order(const struct observations *o, int k, int *order, int *seen) {
  int m = 0;
  memset(seen, 0, (size_t)k * sizeof(int));
  for (int i = 0; i < o->n; i++)
    if (!isnan(o->y[i]) && is_exact(o->noise2[i]) && !seen[o->arm[i]]) {
      seen[o->arm[i]] = 1;
      order[m++] = o->arm[i];
    }
  const int exact = m;
  for (int i = o->n - 1; i >= 0; i--)
    if (!isnan(o->y[i]) && !seen[o->arm[i]]) {
      seen[o->arm[i]] = 1;
      order[m++] = o->arm[i];
    }
  reverse(order + exact, m - exact);
  return m;
}

/* Weighted mean and noise variance of each arm's observations. An exact observation
 * decides alone, and the first of them stands, as when they are learned one by one. */
static void average(const struct observations *o, int k, double *sum, double *weight) {
  memset(sum, 0, (size_t)k * sizeof(double));
  memset(weight, 0, (size_t)k * sizeof(double));
  for (int i = 0; i < o->n; i++) {
    const int a = o->arm[i];
    if (isnan(o->y[i]) || isinf(weight[a]))
      continue;
    if (is_exact(o->noise2[i])) {
      weight[a] = INFINITY;
      sum[a] = o->y[i];
    } else {
      /* A running mean: sums of large rewards would lose their digits. */
      weight[a] += 1 / o->noise2[i];
      sum[a] += (o->y[i] - sum[a]) / (o->noise2[i] * weight[a]);
    }
  }
}

void posterior_compact(struct posterior *p, const struct observations *o, double *work,
                       int *order) {
  const int k = p->prior->k;
  double *mean = work, *weight = work + k;
  int *pulls = p->pulls;
  average(o, k, mean, weight);
  const int m = in_order(o, k, order, p->last);
  posterior_start(p);
  for (int i = 0; i < m; i++) {
    interrupt_check(i, (size_t)k);
    posterior_learn(p, order[i], mean[order[i]], 1 / weight[order[i]]);
  }
  memset(pulls, 0, (size_t)k * sizeof(int));
  for (int i = 0; i < o->n; i++)
    pulls[o->arm[i]] += !isnan(o->y[i]);
}

HOT int posterior_arms(const struct posterior *p) {
  int arms = 0;
  for (int i = 0; i < p->prior->k; i++)
    arms += p->pulls[i] > 0;
  return arms;
}

int posterior_full(const struct posterior *p) {
  return p->n > SPARE && p->n >= 2 * posterior_arms(p) + SPARE;
}

/* A draw of the prior is carried through the observations: each moves it as it moves the
 * mean, with noise of its own (Matheron's rule, applied in turn). One stretch for all arms
 * makes it a draw of the joint t distribution. */
void posterior_draw(const struct posterior *p, double *restrict z, double *restrict out) {
  const int k = p->prior->k;
  const double stretch = student_stretch(p->prior->df);
  if (p->prior->kind == PRIOR_INDEPENDENT) {
    for (int i = 0; i < k; i++)
      out[i] = p->mean[i] + stretch * sqrt(p->var[i]) * norm_rand();
    return;
  }
  prior_draw(p->prior, z, out);
  double move[4];
  const double *w[4];
  for (int i = 0; i < p->n;) {
    int b = 0;
    for (; b < 4 && i < p->n; b++, i++) {
      double at = out[p->arm[i]];
      for (int j = 0; j < b; j++)
        at += move[j] * w[j][p->arm[i]];
      const double seen = at + sqrt(p->noise2[i]) * norm_rand();
      w[b] = p->w[i];
      move[b] = -seen / sqrt(p->d[i]);
    }
    if (b == 4)
      linalg_add4(k, move, w, out);
    else
      for (int j = 0; j < b; j++)
        linalg_add(k, move[j], w[j], out);
  }
  for (int i = 0; i < k; i++)
    out[i] = p->mean[i] + stretch * out[i];
}

void posterior_certainty(const struct posterior *p, int arm, int draws, double *work,
                         double *best, double *regret) {
  const int k = p->prior->k;
  double *draw = work, *z = work + k;
  memset(best, 0, (size_t)k * sizeof(double));
  for (int s = 0; s < draws; s++) {
    posterior_draw(p, z, draw);
    const int found = linalg_which_max(k, draw, 0), top = found < 0 ? arm : found;
    best[top] += 1;
    regret[s] = draw[top] - draw[arm];
    R_CheckUserInterrupt();
  }
  for (int i = 0; i < k; i++)
    best[i] /= draws;
}

double posterior_rounding(const struct posterior *p, int arm) {
  const int latest = p->last[arm];
  if (p->prior->kind == PRIOR_INDEPENDENT)
    return 0;
  if (latest < 0)
    return ROUNDOFF * prior_var(p->prior, arm);
  return ROUNDOFF * (p->noise2[latest] / sqrt(p->d[latest]) * p->w[latest][arm]);
}

double posterior_column_rounding(const struct posterior *p, int arm, double prior_var) {
  return sqrt(posterior_rounding(p, arm) * (ROUNDOFF * prior_var));
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
