#include "joint.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hot.h"
#include "linalg.h"
#include "normal.h"
#include "student.h"
#include "tie.h"

/* Reductions of variance that differ by less, relatively, are equal: the leader is pulled, or
 * the rival. */
static const double EQUAL = 1e-6;

/* Beyond this many standard deviations the square would overflow. */
static const double MOST = 1e150;

/* Points from which the gains are bounded. */
enum { STEPS = 8 };

/* What is found of every arm; all of it k doubles. */
struct outlook {
  double *behind; /* the leader, in mean */
  double *r;
  double *z;     /* how many r it is behind, without end where r is 0 */
  double *bound; /* r - behind at first, then what its gain is held against */
};

/* What is known of the leader, and the share 2 / n of its noise.
 * known: a variance that is rounding; added to A and B it keeps the quotient defined where arms
 * are known and pulls exact. */
struct leader {
  double mean, var, noise2, share, known;
};

/* How far each arm is behind the leader, and r^2. */
HOT static void look_ahead(int k, struct leader j, const double *mean, const double *var,
                           const double *noise2, const double *c, double *restrict behind,
                           double *restrict r2) {
  const double a = j.var + j.share * j.noise2 + j.known;
  for (int i = 0; i < k; i++) {
    const double x = j.var - c[i], y = var[i] - c[i], all = x + y;
    const double b = var[i] + j.share * noise2[i] + j.known;
    const double den = a * b - c[i] * c[i];
    const double num = x * x * b + 2 * c[i] * x * y + y * y * a;
    const double q = den > 0 ? num / den : all;
    const double taken = q < all ? q : all;
    r2[i] = all > j.known && taken > 0 ? taken : 0;
    behind[i] = j.mean - mean[i];
  }
}

HOT static void deviations(int k, const double *r, const double *behind,
                           double *restrict z, double *restrict bound) {
  for (int i = 0; i < k; i++) {
    z[i] = r[i] > 0 ? behind[i] / r[i] : INFINITY;
    bound[i] = r[i] - behind[i];
  }
}

/* An arm that cannot be the rival. */
static void rule_out(struct outlook o, int arm) {
  o.r[arm] = 0;
  o.behind[arm] = o.z[arm] = INFINITY;
  o.bound[arm] = -INFINITY;
}

/* limit r - behind: at least 0 for an arm no more than `limit` of its r behind. */
HOT static void within(int k, double limit, const double *r, const double *behind,
                       double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = limit * r[i] - behind[i];
}

/* bound becomes at most `own`, the log of the gain at z0 >= 0 and r0, and what the log of an
 * arm's gain may exceed that by: for z >= 0 the second derivative of log h(-z) is at most
 * 1 - pi / 2, so that a parabola through z0 lies above it; elsewhere the tangent does; and
 * log(1 + x) <= x (6 + x) / (6 + 4 x). */
HOT static void lower_bounds(int k, double own, double z0, double slope,
                             double inverse_r0, const double *r, const double *z,
                             double *restrict bound) {
  for (int i = 0; i < k; i++) {
    const double x = r[i] * inverse_r0 - 1, far = z[i] - z0;
    const double bend = z[i] > 0 ? M_PI / 4 - 0.5 : 0;
    const double most = own + x * (6 + x) / (6 + 4 * x) - (slope + bend * far) * far;
    bound[i] = most < bound[i] ? most : bound[i];
  }
}

static double log_gain(double z, double r, double df) {
  return log(r) + student_log_excess(-fmin(z, MOST), df);
}

/* bound becomes what the log of each arm's gain is at most: as it is seen from the guess, then
 * from the arm that may gain most, and so on until no arm may gain more than the best of these.
 * Returns what that one gains. */
static double bound_gains(int k, int guess, double tie, const double *z, const double *r,
                          double *bound) {
  double best = -INFINITY;
  linalg_fill(k, INFINITY, bound);
  for (int step = 0, arm = guess, seen = -1; step < STEPS && arm != seen; step++) {
    const double z0 = fmax(fmin(z[arm], MOST), 0);
    const double log_h = student_log_excess(-z0, INFINITY), own = log(r[arm]) + log_h;
    const double slope = exp(normal_log_cdf(-z0) - log_h);
    best = fmax(best, own);
    lower_bounds(k, own, z0, slope, 1 / r[arm], r, z, bound);
    const double most = linalg_max(k, bound);
    if (!(most > best + tie))
      break;
    seen = arm;
    arm = linalg_find(k, bound, most);
  }
  return best;
}

/* The same where the means are t distributed and the tangent is no bound: the gain grows with r
 * and falls with z = behind / r, so the arms to look at are within the z at which the largest r
 * gains as much as that arm. For these the margin is at least what is returned. */
static double bound_student(int k, int guess, double df, const double *behind,
                            const double *ahead, double *margin) {
  const double most = linalg_max(k, ahead);
  const double least = log_gain(behind[guess] / ahead[guess], ahead[guess], df);
  double z = fmax(behind[guess] / ahead[guess], 0);
  while (z < MOST && log_gain(z, most, df) >= least)
    z = 1.25 * z + 0.25;
  within(k, z, ahead, behind, margin);
  return 0;
}

/* The arm with the largest gain, or -1: none has an r. */
static int most_gain(const struct posterior *p, const struct round *r, struct outlook o) {
  const int k = p->prior->k, guess = linalg_top(k, o.bound);
  const double df = p->prior->df, top = fabs(linalg_max(k, p->mean));
  const double tie = TIE + fmin(ROUNDING * top / fmax(linalg_max(k, o.r), DBL_MIN), 1e-3);
  double *gain = r->work + 5 * k;
  if (!(o.r[guess] > 0))
    return -1;
  const double size =
      1 + fabs(log_gain(o.z[guess], o.r[guess], df) - 0.5 * log(p->prior->most));
  const double best = isfinite(df) ? bound_student(k, guess, df, o.behind, o.r, o.bound)
                                   : bound_gains(k, guess, tie * size, o.z, o.r, o.bound);
  const double least = best - tie * size;
  int n = 0;
  for (int i = linalg_find(k, o.bound, least); i < k;
       i += 1 + linalg_find(k - i - 1, o.bound + i + 1, least))
    if (o.r[i] > 0)
      r->index[n++] = i;
  for (int i = 0; n > 1 && i < n; i++)
    gain[i] = log_gain(o.z[r->index[i]], o.r[r->index[i]], df);
  const int found = n > 1 ? linalg_which_max(n, gain, tie * size) : n - 1;
  return found < 0 ? guess : r->index[found];
}

static int highest(const struct posterior *p) {
  const int k = p->prior->k, top = linalg_top(k, p->mean);
  return linalg_which_max(k, p->mean,
                          TIE * sqrt(p->var[top]) + ROUNDING * fabs(p->mean[top]));
}

/* column: of the leader. Where the leader may not be pulled its rival is an arm that may. */
static struct joint closest(const struct posterior *p, const struct round *r,
                            double *column) {
  const int k = p->prior->k, j = highest(p);
  double *work = r->work + k;
  const struct outlook o = {work, work + k, work + 2 * k, work + 3 * k};
  const double known =
      fmax(posterior_column_rounding(p, j, p->prior->most), 1e-30 * p->prior->most);
  const struct leader leader = {p->mean[j], p->var[j], r->noise2[j], 2 / sqrt(r->t),
                                known};
  struct joint q = {j, -1, 0};
  posterior_column(p, j, column);
  look_ahead(k, leader, p->mean, p->var, r->noise2, column, o.behind, o.z);
  linalg_sqrt(k, o.z, o.r);
  deviations(k, o.r, o.behind, o.z, o.bound);
  const int open = policy_open(p, r, j);
  for (int i = 0; !open && i < k; i++)
    if (!policy_open(p, r, i))
      rule_out(o, i);
  rule_out(o, j);
  q.rival = most_gain(p, r, o);
  if (q.rival >= 0) {
    const double var = p->var[j] + p->var[q.rival] - 2 * column[q.rival];
    q.gap =
        student_width(JOINT_WIDTH, p->prior->df) * sqrt(fmax(var, 0)) - o.behind[q.rival];
  }
  return q;
}

/* The variance that a pull of each arm takes off the difference of the pair. */
HOT static void reductions(int k, const double *one, const double *other,
                           const double *var, const double *noise2,
                           double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double d = one[i] - other[i];
    out[i] = d * d / (var[i] + noise2[i] + DBL_MIN);
  }
}

/* Where the pull will be in a block its reward is that of arm and block together. */
static double *reductions_in_block(const struct posterior *p, const struct round *r,
                                   struct joint q) {
  const int size = posterior_size(p), at = p->prior->k + r->block;
  double *one = r->work, *other = one + size, *with = other + size, *out = with + size;
  posterior_whole_column(p, q.leader, one);
  posterior_whole_column(p, q.rival, other);
  posterior_whole_column(p, at, with);
  const double shift = one[at] - other[at], var = p->block_var[r->block];
  for (int i = 0; i < p->prior->k; i++) {
    const double d = one[i] - other[i] + shift;
    const double all = p->var[i] + 2 * with[i] + var + r->noise2[i];
    out[i] = d * d / (fmax(all, 0) + DBL_MIN);
  }
  return out;
}

/* one: the leader's column, the first in r->work. */
static double *reductions_of(const struct posterior *p, const struct round *r,
                             struct joint q, const double *one) {
  const int k = p->prior->k;
  if (r->block >= 0 && r->block < p->blocks)
    return reductions_in_block(p, r, q);
  double *other = r->work + k, *out = other + k;
  posterior_column(p, q.rival, other);
  reductions(k, one, other, p->var, r->noise2, out);
  return out;
}

int joint_choose(const struct posterior *p, const struct round *r, struct joint *pair) {
  const int k = p->prior->k;
  double *one = r->work;
  const struct joint q = closest(p, r, one);
  *pair = q;
  if (q.rival < 0)
    return policy_least_known(p, r);
  double *taken = reductions_of(p, r, q, one);
  if (r->barred)
    for (int i = 0; i < k; i++)
      taken[i] = r->barred[i] ? -INFINITY : taken[i];
  const double most = linalg_max(k, taken), enough = (1 - EQUAL) * most;
  if (!(most > 0))
    return policy_least_known(p, r);
  if (taken[q.leader] >= enough && policy_open(p, r, q.leader))
    return q.leader;
  if (taken[q.rival] >= enough && policy_open(p, r, q.rival))
    return q.rival;
  return policy_best_open(p, r, taken, EQUAL * most);
}
