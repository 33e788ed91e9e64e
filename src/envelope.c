#include "envelope.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hot.h"
#include "linalg.h"
#include "normal.h"
#include "student.h"

/* ---- Worth ----------------------------------------------------------------------------- */

HOT static void heights_at(int k, const double *mean, const double *slope, double z,
                           double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = mean[i] + slope[i] * z;
}

/* The mean of the lines whose slope is at least `least`. */
HOT static void means_from(int k, const double *mean, const double *slope, double least,
                           double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = slope[i] >= least ? mean[i] : -INFINITY;
}

/* The line that is highest as Z goes to infinity in the direction in which `slope` counts: of
 * equal slopes the one with the highest mean. */
static int outermost(const struct lines *l, const double *slope, double *mean) {
  means_from(l->k, l->mean, slope, linalg_max(l->k, slope) - l->equal, mean);
  return linalg_top(l->k, mean);
}

/* Lines side by side, and room to sort them in. */
struct bundle {
  double *mean, *slope, *height, *left;
};

struct line {
  double mean, slope;
};

static struct line line_at(const struct bundle *b, int i) {
  return (struct line){b->mean[i], b->slope[i]};
}

/* How much higher than two lines where they cross, at z, is more than rounding. */
static double margin(struct line left, struct line right, double z) {
  return 8 * DBL_EPSILON *
         (fabs(left.mean) + fabs(left.slope * z) + fabs(right.mean) +
          fabs(right.slope * z));
}

static double crossing(struct line left, struct line right) {
  return (left.mean - right.mean) / (right.slope - left.slope);
}

static double where_they_cross(struct line left, struct line right, double z) {
  return fmax(left.mean + left.slope * z, right.mean + right.slope * z);
}

/* Of all lines those that may be above where the outermost two cross, in order, behind them the
 * right one. Returns the place of that. */
static int gather(const struct lines *l, int left, int right, const struct bundle *b) {
  const struct line first = {l->mean[left], l->slope[left]};
  const struct line last = {l->mean[right], l->slope[right]};
  int n = 0;
  if (last.slope - first.slope > l->equal) {
    const double z = crossing(first, last);
    const double least = where_they_cross(first, last, z) - margin(first, last, z);
    heights_at(l->k, l->mean, l->slope, z, b->height);
    for (int i = 0; i < l->k; i++) {
      b->mean[n] = l->mean[i];
      b->slope[n] = l->slope[i];
      n += (b->height[i] >= least) & (l->slope[i] > first.slope) &
           (l->slope[i] < last.slope);
    }
  }
  b->mean[n] = last.mean;
  b->slope[n] = last.slope;
  return n;
}

/* The lines from `from` on before the one at `to` that may be on the envelope between `left` and
 * that one, which cross at z: where one is highest, those left of it, itself, and those right of it
 * move up to the one at `to`. Returns the place of the highest, or -1 when none is higher than the
 * two; *from becomes that of the first that is left. A line that is no higher than the two where
 * they cross is lower than one of them everywhere. */
static int divide(const struct bundle *b, struct line left, int *from, int to, double z) {
  const struct line right = line_at(b, to);
  const double cross = where_they_cross(left, right, z), more = margin(left, right, z);
  const int n = to - *from;
  if (n == 0)
    return -1;
  heights_at(n, b->mean + *from, b->slope + *from, z, b->height);
  const double most = linalg_max(n, b->height);
  if (!(most - cross > more))
    return -1;
  const struct line top = line_at(b, *from + linalg_find(n, b->height, most));
  int lefts = 0, at = to;
  for (int i = n - 1; i >= 0; i--) {
    const struct line one = line_at(b, *from + i);
    if (!(b->height[i] >= cross - more))
      continue;
    if (one.slope > top.slope) {
      b->mean[--at] = one.mean;
      b->slope[at] = one.slope;
    } else if (one.slope < top.slope) {
      /* the heights from i on have been read */
      b->left[lefts] = one.mean;
      b->height[n - 1 - lefts++] = one.slope;
    }
  }
  b->mean[--at] = top.mean;
  b->slope[at] = top.slope;
  const int found = at;
  for (int i = 0; i < lefts; i++) {
    b->mean[--at] = b->left[i];
    b->slope[at] = b->height[n - 1 - i];
  }
  *from = at;
  return found;
}

/* A term that is smaller than another by this, in logarithms, is lost in its rounding, and so is the
 * sum of as many as there may be. */
static const double LOST = 60;

/* The logarithm of the sum of turn[i] E max(Z - |z[i]|, 0), n >= 1. The normal's excess is below its
 * density, which says of most terms that they are lost beside that of the first crossing. */
static double log_sum(int n, const double *turn, const double *z, double df) {
  int first = 0;
  double all = 0, least = -INFINITY, sum = -INFINITY;
  for (int i = 0; i < n; i++) {
    all += turn[i];
    first = fabs(z[i]) < fabs(z[first]) ? i : first;
  }
  if (!isfinite(df))
    least = log(turn[first] / all) + normal_log_excess(-fabs(z[first])) - LOST;
  for (int i = 0; i < n; i++)
    if (!(normal_log_density(z[i]) < least))
      sum = normal_log_add(sum, log(turn[i]) + student_log_excess(-fabs(z[i]), df));
  return sum;
}

/* The envelope is found from its outermost lines inwards: where two of them cross, either nothing
 * is higher and they are neighbours, or the highest line there is a third between them. The
 * places of lines still to come on the right wait on a stack. It is worth the sum of
 *   (slope_j - slope_i) E max(Z - |c|, 0)
 * over neighbours i, j that cross at Z = c. They take the places of lines that are done with. */
double envelope_log_worth(const struct lines *l, double *room, int *stack) {
  const int k = l->k;
  const struct bundle b = {room, room + k, room + 2 * k, room + 3 * k};
  linalg_scale(k, -1, l->slope, b.height);
  const int first = outermost(l, b.height, b.left);
  const int last = outermost(l, l->slope, b.left);
  struct line left = {l->mean[first], l->slope[first]};
  int n = 0, from = 0, crossings = 0;
  stack[n++] = gather(l, first, last, &b);
  while (n > 0) {
    const int right = stack[n - 1];
    const struct line next = line_at(&b, right);
    const double turn = next.slope - left.slope;
    const int apart = turn > l->equal;
    const double z = apart ? crossing(left, next) : 0;
    const int between = apart ? divide(&b, left, &from, right, z) : -1;
    if (between >= 0) {
      stack[n++] = between;
      continue;
    }
    if (apart) {
      b.slope[crossings] = turn;
      b.mean[crossings++] = z;
    }
    left = next;
    from = right + 1;
    n--;
  }
  return crossings > 0 ? log_sum(crossings, b.slope, b.mean, l->df) : -INFINITY;
}

/* ---- Bounds ---------------------------------------------------------------------------- */

static const double STEP = 0.5; /* of the table */

void envelope_excess(double df, struct excess *x) {
  x->df = df;
  x->zero = exp(student_log_excess(0, df));
  for (int i = 0; isfinite(df) && i < TABLE; i++)
    x->table[i] = exp(student_log_excess(-STEP * i, df));
}

/* A bound from above on E max(Z - z, 0), z >= 0, but for the normal's density at z, which would
 * underflow. For t: the excess is convex in z, so that between places of the table it is below the
 * chord. The normal's is phi(z) (1 - z m), and its Mills ratio m is at least
 * 2 / (z + sqrt(z^2 + 4)) (Birnbaum 1942). */
static double excess_bound(const struct excess *x, double z) {
  if (isfinite(x->df)) {
    const double at = fmin(z / STEP, TABLE - 1);
    const int i = at < TABLE - 1 ? (int)at : TABLE - 2;
    return x->table[i] + (at - i) * (x->table[i + 1] - x->table[i]);
  }
  const double sum = z + sqrt(z * z + 4);
  return 4 / (sum * sum);
}

static double log_density(const struct excess *x, double z) {
  return isfinite(x->df) ? 0 : normal_log_density(z);
}

HOT_MOST struct reach envelope_reach(int k, const double *column, double at_top,
                                     const double *inverse) {
  double far = 0, near = 0;
  for (int i = 0; i < k; i++) {
    const double e = fabs(column[i] - at_top), c = e * inverse[i];
    far = e > far ? e : far;
    near = c > near ? c : near;
  }
  return (struct reach){far, near};
}

/* No line rises above the highest before Z = c = root / near to either side, and none is steeper
 * than far / root from there on. */
double envelope_rough(const struct reach *r, double root, const struct excess *x) {
  if (!(r->near > 0))
    return -INFINITY;
  const double z = root / r->near;
  return log(2 * r->far / root * excess_bound(x, z)) + log_density(x, z);
}

/* So near to 0 that the first lines cross beyond all numbers. */
static const double NONE = 1e-250;

/* Where the first lines cross, and its square and 4. */
HOT static void first_crossings(int k, const double *root, const double *near,
                                double *restrict z, double *restrict square) {
  for (int i = 0; i < k; i++) {
    z[i] = root[i] / (near[i] > NONE ? near[i] : NONE);
    square[i] = z[i] * z[i] + 4;
  }
}

/* far becomes 2 far / root times the bound on the excess at z but for the density, root the logarithm
 * of that. */
HOT static void rough_parts(int k, const double *z, const double *s,
                            double *restrict root, double *restrict far) {
  for (int i = 0; i < k; i++) {
    const double sum = z[i] + s[i];
    far[i] = 8 * far[i] / (root[i] * sum * sum);
    root[i] = -0.5 * z[i] * z[i] - 0.91893853320467274; /* log(sqrt(2 pi)) */
  }
}

/* A logarithm is below its tangents. They touch it at c, c / 4, c / 16 and c / 64; what is lost between
 * two of them is less than a quarter. */
HOT static void add_log_bound(int k, double c, const double *x, double *restrict out) {
  const double first = log(c) - 1, step = 1.3862943611198906; /* log(4) */
  const double f0 = 1 / c, f1 = 4 * f0, f2 = 16 * f0, f3 = 64 * f0;
  for (int i = 0; i < k; i++) {
    const double t0 = f0 * x[i], t1 = f1 * x[i] - step, t2 = f2 * x[i] - 2 * step,
                 t3 = f3 * x[i] - 3 * step;
    const double low = t0 < t1 ? t0 : t1, high = t2 < t3 ? t2 : t3;
    out[i] += first + (low < high ? low : high);
  }
}

void envelope_rough_all(int k, double *root, double *far, const double *near,
                        const struct excess *x, double *room) {
  if (isfinite(x->df)) {
    for (int i = 0; i < k; i++) {
      const struct reach reach = {far[i], near[i]};
      far[i] = envelope_rough(&reach, root[i], x);
    }
    return;
  }
  double *z = room, *square = z + k, *s = square + k;
  first_crossings(k, root, near, z, square);
  linalg_sqrt(k, square, s);
  rough_parts(k, z, s, root, far);
  add_log_bound(k, fmax(linalg_max(k, far), 1e-290), far, root);
  memcpy(far, root, (size_t)k * sizeof *far);
}

/* Nodes lie behind where lines begin to cross, the closer the further out that is: there the excess
 * falls as exp(-z^2 / 2). */
enum { NODES = 4 };
static const double NODE[NODES] = {0.6, 1.5, 3, 7};

/* At the nodes the largest of a + e z and of a - e z, but at least 0; returns the largest |e|. */
HOT_MOST static double highest(int k, const double *mean, const double *column,
                               double at_top, const double *z, double *up, double *down) {
  const double z0 = z[0], z1 = z[1], z2 = z[2], z3 = z[3];
  double u0 = 0, u1 = 0, u2 = 0, u3 = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0, far = 0;
  for (int i = 0; i < k; i++) {
    const double a = mean[i], e = column[i] - at_top, size = fabs(e);
    far = size > far ? size : far;
    u0 = a + e * z0 > u0 ? a + e * z0 : u0;
    d0 = a - e * z0 > d0 ? a - e * z0 : d0;
    u1 = a + e * z1 > u1 ? a + e * z1 : u1;
    d1 = a - e * z1 > d1 ? a - e * z1 : d1;
    u2 = a + e * z2 > u2 ? a + e * z2 : u2;
    d2 = a - e * z2 > d2 ? a - e * z2 : d2;
    u3 = a + e * z3 > u3 ? a + e * z3 : u3;
    d3 = a - e * z3 > d3 ? a - e * z3 : d3;
  }
  up[0] = u0, up[1] = u1, up[2] = u2, up[3] = u3;
  down[0] = d0, down[1] = d1, down[2] = d2, down[3] = d3;
  return far;
}

/* The worth of a convex function of Z that is 0 up to `begin`, has no more than these heights at the
 * nodes and is nowhere steeper than `far`, where the excess has these bounds: the chords between its
 * nodes are above it. */
static double chords(double begin, const double *node, const double *height, double far,
                     const double *excess) {
  double slope = 0, before = 0, z = begin, sum = 0;
  for (int i = 0; i < NODES; i++) {
    /* what was added for errors must not bend them down */
    const double next = fmax((height[i] - before) / (node[i] - z), slope);
    sum += (next - slope) * excess[i];
    slope = next;
    before = height[i];
    z = node[i];
  }
  return sum + fmax(far - slope, 0) * excess[NODES];
}

/* Further out than this nodes would be too close to each other for their digits. */
static const double OUTMOST = 1e3;

double envelope_bound(int k, const double *mean, const double *column, double at_top,
                      double error, double root, double near, const struct excess *x) {
  if (!(near > 0))
    return -INFINITY;
  const double begin = root / near;
  if (begin > OUTMOST)
    return INFINITY;
  double node[NODES], at[NODES], up[NODES], down[NODES], excess[NODES + 1];
  excess[0] = excess_bound(x, begin);
  for (int i = 0; i < NODES; i++) {
    node[i] = begin + NODE[i] / (1 + begin);
    at[i] = node[i] / root;
    excess[i + 1] =
        excess_bound(x, node[i]) * exp(log_density(x, node[i]) - log_density(x, begin));
  }
  const double far = highest(k, mean, column, at_top, at, up, down);
  for (int i = 0; i < NODES; i++) {
    up[i] += error * at[i];
    down[i] += error * at[i];
  }
  const double most = (far + error) / root;
  return log(chords(begin, node, up, most, excess) +
             chords(begin, node, down, most, excess)) +
         log_density(x, begin);
}
