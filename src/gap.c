#include "gap.h"

#include <math.h>

#include "hot.h"
#include "linalg.h"
#include "tie.h"

struct top {
  int first;
  double value, other; /* the largest, and the largest without it */
};

static struct top top_two(int k, double *x) {
  struct top t = {0, linalg_max(k, x), -INFINITY};
  t.first = linalg_top(k, x);
  if (k > 1) {
    x[t.first] = -INFINITY;
    t.other = linalg_max(k, x);
    x[t.first] = t.value;
  }
  return t;
}

HOT static void bound(int k, const double *mean, const double *sd, double width,
                      double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = mean[i] + width * sd[i];
}

/* What is right for all arms but the two that hold the maxima. */
HOT static void delta_of_rest(int k, const double *mean, const double *sd, double width,
                              double most_upper, double most_lower,
                              double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double below = most_upper - (mean[i] - width * sd[i]);
    const double above = (mean[i] + width * sd[i]) - most_lower;
    out[i] = below > above ? below : above;
  }
}

void gap_delta(int k, const double *mean, const double *sd, double width,
               enum gap_sides sides, double *out) {
  bound(k, mean, sd, -width, out);
  struct top lower = top_two(k, out);
  bound(k, mean, sd, width, out);
  const struct top upper = top_two(k, out);
  if (sides == GAP_ONE_SIDED)
    lower.value = lower.other = INFINITY; /* nothing lies above */
  delta_of_rest(k, mean, sd, width, upper.value, lower.value, out);
  const int special[2] = {upper.first, lower.first};
  for (int i = 0; i < 2; i++) {
    const int a = special[i];
    const double u = a == upper.first ? upper.other : upper.value;
    const double l = a == lower.first ? lower.other : lower.value;
    out[a] = fmax(u - (mean[a] - width * sd[a]), (mean[a] + width * sd[a]) - l);
  }
}

HOT static void negative_gap(int k, const double *lower, double most_upper,
                             double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = lower[i] - most_upper;
}

/* B_k is one of two: for the arm of the largest upper bound it is taken from the second
 * largest, for all others from the largest. */
struct gap gap_find(int k, double *upper, const double *lower, double *scratch) {
  struct gap g = {0, -1, 0};
  if (k == 1)
    return g;
  const struct top u = top_two(k, upper);
  negative_gap(k, lower, u.value, scratch);
  scratch[u.first] = lower[u.first] - u.other;
  g.value = -linalg_max(k, scratch);
  const double tie = TIE * fabs(g.value) + ROUNDING * fabs(u.value);
  g.leader = linalg_which_max(k, scratch, tie);
  const double keep = upper[g.leader];
  upper[g.leader] = -INFINITY;
  g.rival = linalg_which_max(k, upper, tie);
  upper[g.leader] = keep;
  return g;
}
