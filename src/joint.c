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

/* How far each arm is behind the leader, and r^2. known: a variance that is rounding; added to
 * A and B it keeps the quotient defined where arms are known and pulls exact. */
HOT static void look_ahead(int k, double mean_j, double var_j, double noise2_j,
                           double share, double known, const double *mean,
                           const double *var, const double *noise2, const double *c,
                           double *restrict behind, double *restrict r2) {
  const double a = var_j + share * noise2_j + known;
  for (int i = 0; i < k; i++) {
    const double x = var_j - c[i], y = var[i] - c[i], all = x + y;
    const double b = var[i] + share * noise2[i] + known;
    const double den = a * b - c[i] * c[i];
    const double num = x * x * b + 2 * c[i] * x * y + y * y * a;
    const double q = den > 0 ? num / den : all;
    const double taken = q < all ? q : all;
    r2[i] = all > known && taken > 0 ? taken : 0;
    behind[i] = mean_j - mean[i];
  }
}

/* z r - behind: at least 0 for an arm no more than z of its r behind. */
HOT static void within(int k, double z, const double *r, const double *behind,
                       double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = z * r[i] - behind[i];
}

/* What the log of an arm's gain exceeds that of the arm with z0 and r0 by, at most: for z >= 0
 * the second derivative of log h(-z) is at most 1 - pi / 2, so that a parabola through z0 lies
 * above it, and log(1 + x) <= x (6 + x) / (6 + 4 x). */
HOT static void excess_bound(int k, double z0, double slope, double inverse_r0,
                             const double *r, const double *behind,
                             double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double some = r[i] > 0 ? r[i] : 1;
    const double x = some * inverse_r0 - 1, z = behind[i] / some - z0;
    const double most = x * (6 + x) / (6 + 4 * x) - (slope + (M_PI / 4 - 0.5) * z) * z;
    out[i] = r[i] > 0 ? most : -INFINITY;
  }
}

static double log_gain(double z, double r, double df) {
  return log(r) + student_log_excess(-fmin(z, MOST), df);
}

/* margin becomes at least -tie for the arms that may gain as much as the best, by way of an arm
 * that gains about that much. */
static void bound_gains(int k, int guess, double tie, const double *behind,
                        const double *ahead, double *margin) {
  for (int step = 0; step < 4; step++) {
    const double z = fmin(behind[guess] / ahead[guess], MOST);
    const double log_h = student_log_excess(-z, INFINITY);
    const double slope = exp(normal_log_cdf(-z) - log_h);
    excess_bound(k, z, slope, 1 / ahead[guess], ahead, behind, margin);
    const double most = linalg_max(k, margin);
    const int next = linalg_top(k, margin);
    if (!(most > tie) || next == guess ||
        !(log_gain(behind[next] / ahead[next], ahead[next], INFINITY) >
          log(ahead[guess]) + log_h))
      break;
    guess = next;
  }
}

/* The same where the means are t distributed and the tangent is no bound: the gain grows with r
 * and falls with z = behind / r, so the arms to look at are within the z at which the largest r
 * gains as much as that arm. */
static void bound_student(int k, int guess, double df, const double *behind,
                          const double *ahead, double *margin) {
  const double most = linalg_max(k, ahead);
  const double least = log_gain(behind[guess] / ahead[guess], ahead[guess], df);
  double z = fmax(behind[guess] / ahead[guess], 0);
  while (z < MOST && log_gain(z, most, df) >= least)
    z = 1.25 * z + 0.25;
  within(k, z, ahead, behind, margin);
}

/* The arm with the largest gain, or -1: none has an r. */
static int most_gain(const struct posterior *p, const struct round *r,
                     const double *behind, const double *ahead) {
  const int k = p->prior->k;
  const double df = p->prior->df, top = fabs(linalg_max(k, p->mean));
  const double tie =
      TIE + fmin(ROUNDING * top / fmax(linalg_max(k, ahead), DBL_MIN), 1e-3);
  double *margin = r->work + 3 * k, *gain = r->work + 4 * k;
  within(k, 1, ahead, behind, margin);
  const int guess = linalg_top(k, margin);
  if (!(ahead[guess] > 0))
    return -1;
  const double size = 1 + fabs(log_gain(behind[guess] / ahead[guess], ahead[guess], df) -
                               0.5 * log(p->prior->most));
  if (isfinite(df))
    bound_student(k, guess, df, behind, ahead, margin);
  else
    bound_gains(k, guess, tie * size, behind, ahead, margin);
  int n = 0;
  for (int i = linalg_find(k, margin, -tie * size); i < k;
       i += 1 + linalg_find(k - i - 1, margin + i + 1, -tie * size))
    if (ahead[i] > 0) {
      r->index[n] = i;
      gain[n++] = log_gain(behind[i] / ahead[i], ahead[i], df);
    }
  const int best = n > 0 ? linalg_which_max(n, gain, tie * size) : -1;
  return best < 0 ? guess : r->index[best];
}

static int highest(const struct posterior *p) {
  const int k = p->prior->k, top = linalg_top(k, p->mean);
  return linalg_which_max(k, p->mean,
                          TIE * sqrt(p->var[top]) + ROUNDING * fabs(p->mean[top]));
}

/* column: of the leader. Where the leader may not be pulled its rival is an arm that may. */
static struct joint closest(const struct posterior *p, const struct round *r,
                            double *column) {
  const int k = p->prior->k;
  double *behind = r->work + k, *ahead = r->work + 2 * k;
  const int j = highest(p);
  const double known =
      fmax(posterior_column_rounding(p, j, p->prior->most), 1e-30 * p->prior->most);
  struct joint q = {j, -1, 0};
  posterior_column(p, j, column);
  look_ahead(k, p->mean[j], p->var[j], r->noise2[j], 2 / sqrt(r->t), known, p->mean,
             p->var, r->noise2, column, behind, ahead + k);
  linalg_sqrt(k, ahead + k, ahead);
  ahead[j] = 0;
  behind[j] = INFINITY; /* never its own rival */
  if (!policy_open(p, r, j))
    for (int i = 0; i < k; i++)
      if (!policy_open(p, r, i))
        behind[i] = INFINITY, ahead[i] = 0;
  q.rival = most_gain(p, r, behind, ahead);
  if (q.rival >= 0) {
    const double var = p->var[j] + p->var[q.rival] - 2 * column[q.rival];
    q.gap =
        student_width(JOINT_WIDTH, p->prior->df) * sqrt(fmax(var, 0)) - behind[q.rival];
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

/* Where no pair is open to question, the pull that teaches most about its own arm. */
static int least_known(const struct posterior *p, const struct round *r) {
  double *var = r->work;
  memcpy(var, p->var, (size_t)p->prior->k * sizeof *var);
  return policy_best_open(p, r, var, TIE * linalg_max(p->prior->k, var));
}

int joint_choose(const struct posterior *p, const struct round *r, struct joint *pair) {
  const int k = p->prior->k;
  double *one = r->work, *other = r->work + k, *taken = r->work + 2 * k;
  const struct joint q = closest(p, r, one);
  *pair = q;
  if (q.rival < 0)
    return least_known(p, r);
  posterior_column(p, q.rival, other);
  reductions(k, one, other, p->var, r->noise2, taken);
  if (r->barred)
    for (int i = 0; i < k; i++)
      taken[i] = r->barred[i] ? -INFINITY : taken[i];
  const double most = linalg_max(k, taken), enough = (1 - EQUAL) * most;
  if (!(most > 0))
    return least_known(p, r);
  if (taken[q.leader] >= enough && policy_open(p, r, q.leader))
    return q.leader;
  if (taken[q.rival] >= enough && policy_open(p, r, q.rival))
    return q.rival;
  return policy_best_open(p, r, taken, EQUAL * most);
}
