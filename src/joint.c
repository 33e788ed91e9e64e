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

/* Beyond this many r the log of the gain is so large that rounding hides how fast it falls. */
static const double STEEP = 1e3;

/* Points from which the gains are bounded. */
enum { STEPS = 8 };

/* What is found of every arm; all of it k doubles. */
struct outlook {
  double *behind; /* the leader, in mean */
  double *r;
  double *lead; /* r - behind */
};

/* The arms that may be the rival, in their order. */
struct field {
  int n;
  int *arm;
  double *r;
  double *z;     /* how many r it is behind */
  double *bound; /* what the log of its gain is at most, */
  double *gain;  /* and what it is */
};

/* What is known of the leader, and the share 2 / n of its noise.
 * known: a variance that is rounding; added to A and B it keeps the quotient defined where arms
 * are known and pulls exact. */
struct leader {
  double mean, var, noise2, share, known;
};

/* How far each arm is behind the leader, r, and the lead that it would have r ahead. */
HOT static void look_ahead(const struct posterior *p, struct leader j,
                           const double *noise2, const double *c, double *restrict behind,
                           double *restrict r, double *restrict lead) {
  const int k = p->prior->k;
  const double *mean = p->mean, *var = p->var;
  const double a = j.var + j.share * j.noise2 + j.known;
  for (int i = 0; i < k; i++) {
    const double x = j.var - c[i], y = var[i] - c[i], all = x + y;
    const double b = var[i] + j.share * noise2[i] + j.known;
    const double den = a * b - c[i] * c[i];
    const double num = x * x * b + 2 * c[i] * x * y + y * y * a;
    const double q = den > 0 ? num / den : all;
    const double taken = q < all ? q : all;
    const double less = j.mean - mean[i];
    const double root = sqrt(all > j.known && taken > 0 ? taken : 0);
    behind[i] = less;
    r[i] = root;
    lead[i] = root - less;
  }
}

/* An arm that cannot be the rival. */
static void rule_out(struct outlook o, int arm) {
  o.r[arm] = 0;
  o.behind[arm] = INFINITY;
  o.lead[arm] = -INFINITY;
}

/* steep r - behind - least */
HOT static void margins(int k, double steep, double least, const double *r,
                        const double *behind, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = steep * r[i] - (behind[i] + least);
}

HOT static void divide(int n, const double *x, double *restrict out) {
  for (int i = 0; i < n; i++)
    out[i] /= x[i];
}

/* The arms that may gain exp(least), where no r is larger than `most` and that one must be within
 * `limit` of its r behind. The gain E max(r Z - behind, 0) is convex in r and behind and falls with
 * behind: at most exp(least) at r = 0, behind = -exp(least) and at r = most, behind = limit most,
 * it is no more anywhere on the line between the two, nor farther behind. TIE is for rounding. */
static void enter(int k, double limit, double least, double most, struct outlook o,
                  struct field *f) {
  const double gain = exp(least);
  double *margin = o.lead;
  int n = 0;
  margins(k, limit * (1 + TIE) + gain / most, gain, o.r, o.behind, margin);
  for (int i = linalg_find(k, margin, 0); i < k; i += linalg_find(k - i, margin + i, 0)) {
    const int end = i + LANES < k ? i + LANES : k;
    for (; i < end; i++) {
      f->arm[n] = i;
      n += (margin[i] >= 0) & (o.r[i] > 0);
    }
  }
  f->n = n;
  for (int i = 0; i < n; i++) {
    f->r[i] = o.r[f->arm[i]];
    f->z[i] = o.behind[f->arm[i]];
  }
  divide(n, f->r, f->z);
}

static double log_gain(double z, double r, double df) {
  return log(r) + student_log_excess(-fmin(z, MOST), df);
}

/* How fast log h(-z) falls at 0. */
static const double SLOPE = 1.2533141373155003;

static double from_zero(double z) {
  return fmax(fmin(z, MOST), 0);
}

/* An arm from which gains are bounded, or as if it were no better than the leader. */
struct start {
  double r, z; /* z >= 0 */
  struct fall fall;
  double score, slope; /* of z, and how fast the log of the gain falls with it */
  double gain;         /* its log */
};

static struct start start_at(double r, double z, double df) {
  const struct fall fall = student_fall(z, df);
  return (struct start){r,
                        z,
                        fall,
                        student_score(z, df),
                        fall.slope * student_z_per_score(z, df),
                        log(r) + fall.log_h};
}

/* How many of its r an arm may be behind and gain exp(least), if no r is larger than `most`. Far
 * out h(-z) <= phi(z) / (1 + z^2) is closer than the parabola; what follows from it is a step of
 * Newton's from z^2 / 2 alone, which does not pass the root of a convex function. */
static double farthest(double least, double most) {
  const double room = fmax(log(most) + normal_log_density(0) - least, 0);
  const double bend = student_bend(INFINITY);
  const double z = sqrt(2 * room), fall = z * (1 + 2 / (1 + 2 * room)) + DBL_MIN;
  return fmin(2 * room / (SLOPE + sqrt(SLOPE * SLOPE + 4 * bend * room)),
              z - log1p(2 * room) / fall);
}

/* The same where the means are t distributed, by the parabola of the scores through one of them. */
static double farthest_student(double least, double most, struct start from, double df) {
  const double room = fmax(log(most) + from.fall.log_h - least, 0);
  const double root = from.slope * from.slope + 4 * student_bend(df) * room;
  if (!(root > 0))
    return MOST;
  const double far = 2 * room / (from.slope + sqrt(root));
  return student_unscore(from.score + far, df, MOST);
}

/* At most the scores: log(1 + u) >= 3 u (2 + u) / (6 + 6 u + u^2). */
static void find_scores(int n, double df, const double *z, double *restrict score) {
  for (int i = 0; i < n; i++) {
    const double u = fmin(z[i] * z[i] / df, 1e10);
    score[i] = z[i] > 0 ? sqrt(df * (3 * u * (2 + u) / (6 + 6 * u + u * u))) : z[i];
  }
}

/* bound becomes at most `own`, the log of the gain at the score s0 >= 0 and r0, and what the log of
 * an arm's gain may exceed that by: for scores >= 0 a parabola through s0 lies above it, elsewhere
 * the tangent or another parabola; and log(1 + x) <= x (6 + x) / (6 + 4 x). */
HOT static void lower_bounds(int n, struct start at, double bend, const double *r,
                             const double *score, double *restrict bound) {
  const double own = at.gain, s0 = at.score, slope = at.slope, inverse_r0 = 1 / at.r;
  const double ahead = bend < 0 ? bend : 0;
  for (int i = 0; i < n; i++) {
    const double x = r[i] * inverse_r0 - 1, far = score[i] - s0;
    const double by = score[i] > 0 ? bend : ahead;
    const double most = own + x * (6 + x) / (6 + 4 * x) - (slope + by * far) * far;
    bound[i] = most < bound[i] ? most : bound[i];
  }
}

/* A better arm to start from: the gain is convex, so that its tangent plane at (r, behind), which
 * is that of z, lies below it, and the arm highest on the plane gains no less. */
static struct start improve(int k, struct start from, struct outlook o, double df) {
  if (from.z > STEEP)
    return from;
  margins(k, from.z + 1 / from.fall.slope, 0, o.r, o.behind, o.lead);
  const int better = linalg_top(k, o.lead);
  if (!(o.r[better] > 0))
    return from;
  const double r = o.r[better], z = from_zero(o.behind[better] / r);
  return r == from.r && z == from.z ? from : start_at(r, z, df);
}

/* bound becomes what the log of each gain is at most: as it is seen from the start, then from the
 * arm that may gain most, and so on until no arm may gain more than the best of these. Returns
 * what that one gains. */
static double bound_gains(const struct field *f, struct start at, double tie, double df) {
  const double bend = student_bend(df);
  const double *score = f->z;
  double best = -INFINITY;
  if (isfinite(df)) {
    find_scores(f->n, df, f->z, f->gain);
    score = f->gain; /* nothing else is there yet */
  }
  linalg_fill(f->n, INFINITY, f->bound);
  for (int step = 0, seen = -1; step < STEPS; step++) {
    best = fmax(best, at.gain);
    lower_bounds(f->n, at, bend, f->r, score, f->bound);
    const double most = linalg_max(f->n, f->bound);
    if (!(most > best + tie))
      break;
    const int arm = linalg_find(f->n, f->bound, most);
    if (arm == seen)
      break;
    at = start_at(f->r[arm], from_zero(f->z[arm]), df);
    seen = arm;
  }
  return best;
}

/* Leaves only those of the field whose gain may be this large. */
static void keep_from(struct field *f, double least) {
  int kept = 0;
  for (int i = 0; i < f->n; i++) {
    f->arm[kept] = f->arm[i];
    f->r[kept] = f->r[i];
    f->z[kept] = f->z[i];
    kept += f->bound[i] >= least;
  }
  f->n = kept;
}

/* Arms of which the same is known gain the same; where none was pulled yet, that is all. */
static void find_gains(const struct field *f, double df) {
  for (int i = 0; i < f->n; i++) {
    const int same = i > 0 && f->z[i] == f->z[i - 1] && f->r[i] == f->r[i - 1];
    f->gain[i] = same ? f->gain[i - 1] : log_gain(f->z[i], f->r[i], df);
  }
}

/* The arm with the largest gain, or -1: none has an r. top: the highest mean. */
static int most_gain(const struct posterior *p, const struct round *r, struct outlook o,
                     double top) {
  const int k = p->prior->k, guess = linalg_top(k, o.lead);
  const double df = p->prior->df;
  double *work = r->work + 4 * k;
  struct field f = {0, r->index, work, work + k, work + 2 * k, work + 3 * k};
  if (!(o.r[guess] > 0))
    return -1;
  const double z = o.behind[guess] / o.r[guess];
  const struct start first = start_at(o.r[guess], from_zero(z), df);
  const double own = z < 0 ? log_gain(z, first.r, df) : first.gain;
  const double most = linalg_max(k, o.r);
  const double equal = TIE + fmin(ROUNDING * fabs(top) / fmax(most, DBL_MIN), 1e-3);
  const double tie = equal * (1 + fabs(own - 0.5 * log(p->prior->most)));
  const struct start from = improve(k, first, o, df);
  const double least = from.gain - tie;
  const double limit =
      isfinite(df) ? farthest_student(least, most, from, df) : farthest(least, most);
  enter(k, limit, least, most, o, &f);
  keep_from(&f, bound_gains(&f, from, tie, df) - tie);
  if (f.n > 1)
    find_gains(&f, df);
  const int found = f.n > 1 ? linalg_which_max(f.n, f.gain, tie) : f.n - 1;
  return found < 0 ? guess : f.arm[found];
}

/* top: the highest mean. */
static int highest(const struct posterior *p, double top) {
  const int k = p->prior->k, at = linalg_find(k, p->mean, top);
  const double sd = sqrt(p->var[at < k ? at : 0]);
  return linalg_which_near(k, p->mean, top, TIE * sd + ROUNDING * fabs(top));
}

/* column: of the leader. Where the leader may not be pulled its rival is an arm that may. */
static struct joint closest(const struct posterior *p, const struct round *r,
                            double *column) {
  const int k = p->prior->k;
  const double top = linalg_max(k, p->mean);
  const int j = highest(p, top);
  double *work = r->work + k;
  const struct outlook o = {work, work + k, work + 2 * k};
  const double known =
      fmax(posterior_column_rounding(p, j, p->prior->most), 1e-30 * p->prior->most);
  const struct leader leader = {p->mean[j], p->var[j], r->noise2[j], 2 / sqrt(r->t),
                                known};
  struct joint q = {j, -1, 0};
  posterior_column(p, j, column);
  look_ahead(p, leader, r->noise2, column, o.behind, o.r, o.lead);
  const int open = policy_open(p, r, j);
  for (int i = 0; !open && i < k; i++)
    if (!policy_open(p, r, i))
      rule_out(o, i);
  rule_out(o, j);
  q.rival = most_gain(p, r, o, top);
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

/* Where the pull will be in a block its reward is that of arm and block together. First where the
 * block moves some arms more than others. */
static double *reductions_seen(const struct posterior *p, const struct round *r,
                               const double *one, const double *other, double *out) {
  for (int i = 0; i < p->prior->k; i++) {
    const double d =
        posterior_seen(p, i, r->block, one) - posterior_seen(p, i, r->block, other);
    const double all = posterior_pull_var(p, i, r->block) + r->noise2[i];
    out[i] = d * d / (all + DBL_MIN);
  }
  return out;
}

static double *reductions_in_block(const struct posterior *p, const struct round *r,
                                   struct joint q) {
  const int size = posterior_size(p), at = posterior_block(p, r->block);
  double *one = r->work, *other = one + size, *with = other + size, *out = with + size;
  posterior_whole_column(p, q.leader, one);
  posterior_whole_column(p, q.rival, other);
  if (p->width > 1)
    return reductions_seen(p, r, one, other, out);
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
  if (r->cost)
    divide(k, r->cost, taken);
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
