/* Knowledge gradient for correlated arms (Frazier, Powell and Dayanik 2009): the pull after
 * which the highest posterior mean is expected to be highest. The last pull is then the best
 * there is for the expected regret.
 *
 * A pull of x moves the means along the lines mean_i + b_i Z, b = C[, x] / sqrt(C_xx +
 * noise^2), Z standard normal (or t, where the scale is learned), and
 *   KG_x = E max_i (mean_i + b_i Z) - max_i mean_i = sum of (b_j - b_i) h(-|c|)
 * over the neighbours i, j in the lines' upper envelope that cross at Z = c. It is ranked
 * by its logarithm, since it underflows, and by what the pull costs. */
#include <float.h>
#include <math.h>

#include "hot.h"
#include "interrupt.h"
#include "linalg.h"
#include "normal.h"
#include "policy.h"
#include "student.h"
#include "tie.h"

struct lines {
  int k;
  const double *mean;  /* at Z = 0 */
  const double *slope; /* b */
  double equal;        /* slopes that differ by no more differ by rounding */
  double df;           /* of the t distribution that Z has */
  double *height;      /* k: scratch */
};

HOT static void heights(int k, const double *mean, const double *slope, double z,
                        double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = mean[i] + slope[i] * z;
}

/* The mean of the lines whose slope, in the direction `sign`, is at least `least`. */
HOT static void means_from(int k, const double *mean, const double *slope, double sign,
                           double least, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = sign * slope[i] >= least ? mean[i] : -INFINITY;
}

HOT static void multiply(int k, double f, const double *x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = f * x[i];
}

/* The line that is highest as Z goes to infinity in the direction `sign`: of equal slopes
 * the one with the highest mean. */
static int outermost(const struct lines *l, double sign) {
  multiply(l->k, sign, l->slope, l->height);
  const double least = linalg_max(l->k, l->height) - l->equal;
  means_from(l->k, l->mean, l->slope, sign, least, l->height);
  return linalg_top(l->k, l->height);
}

/* Two lines cross at z: the line that is highest there, or -1 when it is these two. */
static int above(const struct lines *l, int left, int right, double z) {
  heights(l->k, l->mean, l->slope, z, l->height);
  const double most = linalg_max(l->k, l->height);
  const double magnitude = fabs(l->mean[left]) + fabs(l->slope[left] * z) +
                           fabs(l->mean[right]) + fabs(l->slope[right] * z);
  if (!(most - fmax(l->height[left], l->height[right]) > 8 * DBL_EPSILON * magnitude))
    return -1;
  const int top = linalg_top(l->k, l->height);
  return l->slope[top] > l->slope[left] && l->slope[top] < l->slope[right] ? top : -1;
}

/* log KG. The envelope is found from its outermost lines inwards: where two of them cross,
 * either nothing is higher and they are neighbours, or the highest line there is a third
 * between them. Lines still to come on the right wait on a stack of up to k. */
static double log_gradient(const struct lines *l, int *stack) {
  double sum = -INFINITY;
  int left = outermost(l, -1), n = 0;
  stack[n++] = outermost(l, 1);
  while (n > 0) {
    const int right = stack[n - 1];
    const double turn = l->slope[right] - l->slope[left];
    int between = -1;
    if (turn > l->equal) {
      const double c = (l->mean[left] - l->mean[right]) / turn;
      between = above(l, left, right, c);
      if (between < 0)
        sum = normal_log_add(sum, log(turn) + student_log_excess(-fabs(c), l->df));
    }
    if (between < 0) {
      left = right;
      n--;
    } else {
      stack[n++] = between;
    }
  }
  return sum;
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *value = r->work, *mean = r->work + k, *column = r->work + 2 * k;
  double *slope = r->work + 3 * k;
  struct lines l = {k, mean, slope, 0, p->prior->df, r->work + 4 * k};
  const double top = linalg_max(k, p->mean);
  for (int i = 0; i < k; i++)
    mean[i] = p->mean[i] - top;
  for (int x = 0; x < k; x++) {
    interrupt_check(x, (size_t)k);
    value[x] = -INFINITY;
    if (!policy_open(p, r, x))
      continue;
    const double root = sqrt(p->var[x] + r->noise2[x]);
    posterior_column(p, x, column);
    multiply(k, 1 / root, column, slope);
    l.equal = posterior_column_rounding(p, x, p->prior->most) / root;
    value[x] = log_gradient(&l, r->index);
  }
  policy_per_cost(r, k, value);
  const double best = linalg_max(k, value);
  if (!(best > -INFINITY))
    return policy_least_known(p, r); /* no pull can move the choice */
  const double rounding = ROUNDING * fabs(top) / sqrt(linalg_max(k, p->var));
  const double logs = 1 + fabs(best - 0.5 * log(p->prior->most));
  return policy_best_open(p, r, value, (TIE + fmin(rounding, 1e-3)) * logs);
}

const struct policy policy_kg = {
    .name = "kg",
    .label = "the pull after which the highest mean is expected to be highest",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .costs = policy_always,
    .choose = choose,
};
