#include "contest.h"

#include <R_ext/Random.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "draws.h"
#include "hot.h"
#include "interrupt.h"
#include "linalg.h"
#include "normal.h"
#include "normals.h"
#include "stock.h"
#include "student.h"
#include "tie.h"

/* Arms with which a whole draw takes no longer. */
enum { FEW_ARMS = 64 };

/* What is kept beside the factor, one double each. */
enum head {
  USED,   /* 0 before the first round */
  SEEN,   /* columns of the posterior that the factor knows of, */
  LATEST, /* and the variance of the last of these */
  COUNT,  /* pivots */
  AGE,    /* pulls since there was none */
  DONE,   /* arms of which nothing is left to be drawn when the pivots are */
  TRIED,  /* times that pivots did not do, in a row */
  WAIT,   /* whole draws before they are tried again */
  HEAD
};

size_t contest_room(const struct prior *prior) {
  const size_t k = linalg_lines((size_t)prior->k), columns = PIVOTS + 3;
  if (prior->kind == PRIOR_INDEPENDENT || prior->k < FEW_ARMS ||
      k > MOST_KEPT / (columns + DRAWS_ASIDE + 1))
    return 0;
  return HEAD + PIVOTS + LINE + k * columns + stock_room(prior);
}

int contest_pivots(const struct contest *c) {
  return (int)c->head[COUNT];
}

static double *column_at(const struct contest *c, int j) {
  return c->factor + c->stride * (size_t)j;
}

/* ---- The factor ------------------------------------------------------------------------ */

/* What `by` times a column takes off what is left, how that divides, and how many are left with nothing:
 * less than rounding is none. */
HOT_WIDE static int take_off(int k, double by, const double *column, double size,
                             const double *diagonal, double *restrict rest,
                             double *restrict half) {
  int64_t none = 0; /* as wide as what is compared */
  NO_OVERLAP
  for (int i = 0; i < k; i++) {
    const double part = by * column[i], left = rest[i] - part * part;
    const int some = left > size * diagonal[i];
    rest[i] = some ? left : 0;
    half[i] = some ? 0.5 / left : 0;
    none += !some;
  }
  return (int)none;
}

static void leave(struct contest *c, double by, const double *column) {
  const struct prior *prior = c->p->prior;
  c->head[DONE] = take_off(prior->k, by, column, 64 * DBL_EPSILON * prior->scale,
                           prior->diagonal, c->rest, c->half);
}

/* No pivots: all of the variances is left. */
static void forget(struct contest *c) {
  const struct posterior *p = c->p;
  memcpy(c->rest, p->var, (size_t)p->prior->k * sizeof(double));
  leave(c, 0, p->var);
  c->head[COUNT] = 0;
  c->head[AGE] = 0;
}

/* One column of the factor and what it leaves of that of the pull. */
HOT_PART double turn(double f, double t, double g, double column, double *b) {
  const double left = column - f * *b;
  *b = t * *b - g * left;
  return left;
}

HOT static void turn_one(int k, double f, double t, double g, double *restrict b,
                         double *restrict column) {
  for (int i = 0; i < k; i++)
    column[i] = turn(f, t, g, column[i], b + i);
}

/* Four columns that lie `stride` apart. */
HOT_WIDE static void turn_four(int k, const double *f, const double *t, const double *g,
                               size_t stride, double *restrict b,
                               double *restrict column) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  const double t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
  const double g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3];
  double *second = b + stride, *third = second + stride, *fourth = third + stride;
  NO_OVERLAP
  for (int i = 0; i < k; i++) {
    double left = turn(f0, t0, g0, column[i], b + i);
    left = turn(f1, t1, g1, left, second + i);
    left = turn(f2, t2, g2, left, third + i);
    column[i] = turn(f3, t3, g3, left, fourth + i);
  }
}

/* The pull of the posterior's last column. */
static void learn(struct contest *c) {
  const struct posterior *p = c->p;
  const int k = p->prior->k, at = p->n - 1, arm = p->arm[at];
  double *column = c->x, f[PIVOTS], t[PIVOTS], g[PIVOTS];
  double left = p->d[at], root = sqrt(left);
  linalg_scale(k, root, p->w[at], column);
  int n = 0, j = 0;
  for (int last = -1; n < contest_pivots(c) && last != arm; n++) {
    last = (int)c->pivot[n]; /* the row of a pivot ends with its own column */
    f[n] = column_at(c, n)[arm];
    left = fmax(left - f[n] * f[n], p->noise2[at]);
    const double before = root;
    root = sqrt(left);
    t[n] = root / before;
    g[n] = f[n] / (root * before);
  }
  for (; j + 4 <= n; j += 4)
    turn_four(k, f + j, t + j, g + j, c->stride, column_at(c, j), column);
  for (; j < n; j++)
    turn_one(k, f[j], t[j], g[j], column_at(c, j), column);
  leave(c, 1 / root, column);
}

/* Another pivot: the column of the factor that belongs to it. */
static void add_pivot(struct contest *c, int arm) {
  const int k = c->p->prior->k, n = contest_pivots(c);
  double *fresh = column_at(c, n), weight[PIVOTS + 1];
  for (int j = 0; j < n; j++)
    weight[j] = -column_at(c, j)[arm];
  posterior_column(c->p, arm, fresh);
  linalg_add_columns(k, n, c->stride, c->factor, weight, fresh);
  const double root = sqrt(c->rest[arm]);
  linalg_scale(k, 1 / root, fresh, c->whole);
  memcpy(fresh, c->whole, (size_t)k * sizeof *fresh);
  fresh[arm] = root;
  c->rest[arm] = 0;
  leave(c, 1, fresh);
  c->pivot[n] = arm;
  c->head[COUNT] = n + 1;
}

/* ---- A draw ---------------------------------------------------------------------------- */

/* What is as good as drawn. */
HOT static void drawn(int k, const double *rest, const double *x, double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = rest[i] > 0 ? -INFINITY : x[i];
}

/* Bounds on the chances of those that are not drawn to be above v: for z >= 0
 *   1 - Phi(z) <= exp(-z^2 / 2) / 2 <= (1 - y + y^2 / 2)^32 / 2, y = min(z^2 / 64, 1). */
HOT_WIDE static void chances(int k, double v, double shrink, const double *x,
                             const double *half, double *restrict out) {
  const double share = shrink / 32;
  for (int i = 0; i < k; i++) {
    const double gap = v - x[i], far = gap * gap * (half[i] * share);
    const double y = far < 1 ? far : 1;
    double f = 1 - y * (1 - 0.5 * y);
    f *= f, f *= f, f *= f, f *= f, f *= f;
    const double one = gap > 0 ? 0.5 * f : 1;
    out[i] = half[i] > 0 && x[i] >= -DBL_MAX ? one : 0;
  }
}

/* A draw about the means, to be used once, becomes one of all arms that agrees with the pivots: it is
 * moved to where they are (Matheron's rule). What is as good as drawn stays where it is. */
static const double *agree(const struct contest *c, double stretch, double *out) {
  const int k = c->p->prior->k, n = contest_pivots(c);
  double by[PIVOTS + 1];
  for (int j = 0; j < n; j++) {
    const int arm = (int)c->pivot[j];
    double sum = -out[arm];
    for (int l = 0; l < j; l++)
      sum += column_at(c, l)[arm] * (c->z[l] - by[l]);
    by[j] = c->z[j] + sum / column_at(c, j)[arm];
  }
  linalg_add_columns(k, n, c->stride, c->factor, by, out);
  for (int i = 0; i < k; i++)
    out[i] = c->rest[i] > 0 ? c->base[i] + stretch * out[i] : c->x[i];
  return out;
}

struct best {
  int arm;
  double value;
};

static struct best best_of(int k, const double *x, double tolerance) {
  const double most = linalg_max(k, x);
  return (struct best){linalg_which_near(k, x, most, tolerance), most};
}

/* The best of what was drawn, or is as good as that: those that are equal but for rounding are tied. */
static struct best best_drawn(struct contest *c, double equal) {
  const int n = contest_pivots(c), alone = c->head[DONE] <= n;
  const int among = alone ? n : c->p->prior->k;
  if (alone)
    for (int j = 0; j < n; j++)
      c->chance[j] = c->x[(int)c->pivot[j]];
  else
    drawn(among, c->rest, c->x, c->chance);
  const double most = among > 0 ? linalg_max(among, c->chance) : -INFINITY;
  const int at = linalg_which_near(among, c->chance, most, equal + ROUNDING * fabs(most));
  return (struct best){alone && at >= 0 ? (int)c->pivot[at] : at, most};
}

/* The draw of another pivot. */
static void draw_pivot(struct contest *c, int arm, double z, double stretch) {
  const int n = contest_pivots(c);
  add_pivot(c, arm);
  c->z[n] = z;
  linalg_add(c->p->prior->k, stretch * z, column_at(c, n), c->x);
}

/* The arm whose share of what the chances add up to holds `at`. */
static int share_at(int k, const double *chance, double at) {
  int found = -1;
  double sum = 0;
  for (int i = 0; i < k && !(sum > at); i++)
    if (chance[i] > 0) {
      sum += chance[i];
      found = i;
    }
  return found;
}

/* The end of a draw whose chances add up to q: v, or an arm above it. */
static struct best finish(struct contest *c, double q, struct best v, double stretch) {
  const int k = c->p->prior->k;
  const double u = unif_rand();
  c->head[TRIED] = 0;
  const int arm = u < q ? share_at(k, c->chance, u) : -1;
  if (arm < 0)
    return v;
  const double far = (v.value - c->x[arm]) / (stretch * sqrt(c->rest[arm]));
  const double tail = exp(normal_log_cdf(-far));
  if (!(unif_rand() * c->chance[arm] < tail))
    return v;
  draw_pivot(c, arm, -normal_quantile(tail * unif_rand()), stretch);
  draws_about(c->p, NULL, &(struct draws){1, 0, c->whole});
  const double *x = agree(c, stretch, c->whole);
  int above = 0;
  for (int i = 0; i < k; i++)
    above += c->chance[i] > 0 && x[i] > v.value;
  return above <= 1 || unif_rand() * above < 1 ? best_of(k, x, 0) : v;
}

/* Too many arms may be the best: no pivots for some draws, more every time, nor in this round again. */
static struct best give_up(struct contest *c, double stretch) {
  const double *x = agree(c, stretch, stock_next(c->stock, c->p));
  *c->wait = 8 * pow(4, fmin(c->head[TRIED], 4));
  c->head[TRIED]++;
  c->head[SEEN] = -1;
  c->head = NULL;
  return best_of(c->p->prior->k, x, 0);
}

/* The arm to be drawn next: the one with the best chance, or, where some are expected to be above v,
 * the best of these. */
static int next_pivot(const struct contest *c) {
  const int k = c->p->prior->k;
  if (linalg_max(k, c->chance) < 1)
    return linalg_top(k, c->chance);
  for (int i = 0; i < k; i++)
    c->whole[i] = c->rest[i] > 0 ? c->x[i] : -INFINITY;
  return linalg_top(k, c->whole);
}

/* An expected number of arms above v with which draws are finished. */
static const double FEW = 0.3;

/* Pivots after which it is asked whether it will be enough of them. */
enum { STRIDE = 8 };

static struct best contend(struct contest *c) {
  const struct posterior *p = c->p;
  const int k = p->prior->k, first = contest_pivots(c);
  const double stretch = student_stretch(p->prior->df);
  double scaled[PIVOTS + 1], before = k;
  struct normals g = normals_begin();
  normals_fill(&g, first, c->z);
  for (int j = 0; j < first; j++)
    scaled[j] = stretch * c->z[j];
  memcpy(c->x, c->base, (size_t)k * sizeof(double));
  linalg_add_columns(k, first, c->stride, c->factor, scaled, c->x);
  const double equal = TIE * sqrt(p->prior->most) * stretch;
  for (int added = 0;; added++) {
    const int n = contest_pivots(c);
    interrupt_check(added, (size_t)k * (size_t)(n + 1));
    const struct best v = best_drawn(c, equal);
    chances(k, v.value, 1 / (stretch * stretch), c->x, c->half, c->chance);
    const double q = linalg_sum(k, c->chance);
    if (n <= PIVOTS && q <= FEW)
      return finish(c, q, v, stretch);
    if (n >= PIVOTS)
      return give_up(c, stretch);
    if (added > 0 && added % STRIDE == 0) {
      if ((before - q) * (PIVOTS - n) < q * STRIDE)
        return give_up(c, stretch);
      before = q;
    }
    double z;
    normals_fill(&g, 1, &z);
    draw_pivot(c, next_pivot(c), z, stretch);
  }
}

/* ---- A round --------------------------------------------------------------------------- */

/* Pulls after which pivots are chosen anew, and at least as many as there are columns, all of which a new
 * pivot reads: the arms that matter have become fewer. */
enum { OLD = 48 };

/* 1: the factor is that of the posterior. */
static int follow(struct contest *c) {
  const struct posterior *p = c->p;
  double *head = c->head;
  const int seen = (int)head[SEEN], news = p->n - seen;
  const int known = head[USED] > 0 && seen >= 0 && news >= 0 && news <= 1 &&
                    contest_pivots(c) <= PIVOTS &&
                    (seen == 0 || p->d[seen - 1] == head[LATEST]);
  head[USED] = 1;
  head[SEEN] = p->n;
  head[LATEST] = p->n > 0 ? p->d[p->n - 1] : 0;
  if (!known || head[AGE] >= fmax(OLD, p->n))
    return 0;
  if (news == 1) {
    learn(c);
    head[AGE]++;
  }
  return 1;
}

HOT static void means_of_open(int k, const double *mean, const double *var,
                              double *restrict out) {
  for (int i = 0; i < k; i++)
    out[i] = var[i] > 0 ? mean[i] : -INFINITY;
}

static void enter(struct contest *c) {
  const struct posterior *p = c->p;
  const int k = p->prior->k, *barred = c->r->barred;
  if (c->everyone)
    memcpy(c->base, p->mean, (size_t)k * sizeof(double));
  else
    means_of_open(k, p->mean, p->var, c->base);
  for (int i = 0; barred && !c->everyone && i < k; i++)
    if (barred[i])
      c->base[i] = -INFINITY;
  c->some = linalg_max(k, c->base) > -INFINITY;
}

/* In shares of the variance of a pull: with less noise the factor would lose its digits. */
static const double LEAST_NOISE = 1e-6;

/* 1: whole draws are made in this round, and the factor does not see it. */
static int rests(const struct posterior *p, double *room) {
  const int last = p->n - 1;
  const int noisy = last < 0 || p->noise2[last] > LEAST_NOISE * p->d[last];
  if (!(room[WAIT] > 0) && noisy)
    return 0;
  room[USED] = 1;
  room[SEEN] = -1;
  return 1;
}

struct contest contest_begin(const struct posterior *p, const struct round *r,
                             double *room, int everyone) {
  const size_t k = (size_t)p->prior->k;
  struct contest c = {.p = p, .r = r, .everyone = everyone, .whole = r->work};
  if (!room || p->blocks > 0 || p->level)
    return c;
  c.wait = room + WAIT;
  c.stride = linalg_lines(k);
  c.pivot = room + HEAD;
  c.factor = linalg_line(c.pivot + PIVOTS + 1);
  c.rest = c.factor + c.stride * (PIVOTS + 1);
  c.half = c.rest + c.stride;
  c.stock = c.half + c.stride;
  if (!(room[USED] > 0)) {
    memset(room, 0, HEAD * sizeof *room);
    c.stock[0] = 0;
  }
  stock_watch(c.stock, p);
  if (rests(p, room))
    return c;
  c.head = room;
  c.base = r->work;
  c.x = c.base + k;
  c.chance = c.x + k;
  c.whole = c.chance + k;
  if (!follow(&c))
    forget(&c);
  enter(&c);
  return c;
}

int contest_partial(const struct contest *c) {
  return c->head && c->some;
}

int contest_winner(struct contest *c, double *value) {
  const int k = c->p->prior->k;
  if (contest_partial(c)) {
    const struct best best = contend(c);
    *value = best.value;
    return best.arm;
  }
  double *draw = c->stock ? stock_next(c->stock, c->p) : c->whole;
  if (c->wait && *c->wait > 0)
    --*c->wait;
  if (!c->stock)
    draws_about(c->p, NULL, &(struct draws){1, 0, draw});
  draws_place(c->p, draw);
  const int arm =
      c->everyone ? linalg_which_max(k, draw, 0) : policy_best_open(c->p, c->r, draw, 0);
  *value = arm >= 0 ? draw[arm] : -INFINITY;
  return arm;
}
