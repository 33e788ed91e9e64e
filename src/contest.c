#include "contest.h"

#include <R_ext/Random.h>
#include <float.h>
#include <math.h>
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
  TRIED,  /* times that pivots did not do, in a row */
  WAIT,   /* whole draws before they are tried again */
  HEAD
};

size_t contest_room(const struct prior *prior) {
  const size_t k = (size_t)prior->k, columns = PIVOTS + 2;
  if (prior->kind == PRIOR_INDEPENDENT || prior->k < FEW_ARMS ||
      k > MOST_KEPT / (columns + DRAWS_ASIDE + 1))
    return 0;
  return HEAD + PIVOTS + 1 + k * columns + stock_room(prior);
}

int contest_pivots(const struct contest *c) {
  return (int)c->head[COUNT];
}

static double *column_at(const struct contest *c, int j) {
  return c->factor + (size_t)c->p->prior->k * (size_t)j;
}

/* ---- The factor ------------------------------------------------------------------------ */

/* No pivots: all of the variances is left. */
static void forget(struct contest *c) {
  const struct posterior *p = c->p;
  memcpy(c->rest, p->var, (size_t)p->prior->k * sizeof(double));
  c->head[COUNT] = 0;
  c->head[AGE] = 0;
}

/* What is left, and how it divides; less than rounding is nothing. */
HOT static void settle_rest(int k, double size, const double *diagonal,
                            double *restrict rest, double *restrict half) {
  for (int i = 0; i < k; i++) {
    const double left = rest[i] > size * diagonal[i] ? rest[i] : 0;
    rest[i] = left;
    half[i] = left > 0 ? 0.5 / left : 0;
  }
}

static void settle(struct contest *c) {
  const struct prior *prior = c->p->prior;
  settle_rest(prior->k, 64 * DBL_EPSILON * prior->scale, prior->diagonal, c->rest,
              c->half);
}

/* One column of the factor and what it leaves of that of the pull. */
HOT static void turn(int k, double f, double t, double g, double *restrict column,
                     double *restrict b) {
  for (int i = 0; i < k; i++) {
    const double left = column[i] - f * b[i];
    b[i] = t * b[i] - g * left;
    column[i] = left;
  }
}

HOT static void take_off(int k, double by, const double *column, double *restrict rest) {
  for (int i = 0; i < k; i++)
    rest[i] -= by * (column[i] * column[i]);
}

/* The pull of the posterior's last column. */
static void learn(struct contest *c) {
  const struct posterior *p = c->p;
  const int k = p->prior->k, at = p->n - 1, arm = p->arm[at];
  double *column = c->x, before = p->d[at];
  int last = 0; /* the row of a pivot ends with its own column */
  while (last < contest_pivots(c) && c->pivot[last] != arm)
    last++;
  linalg_scale(k, sqrt(before), p->w[at], column);
  for (int j = 0; j < contest_pivots(c) && j <= last; j++) {
    double *b = column_at(c, j);
    const double f = b[arm], after = fmax(before - f * f, p->noise2[at]);
    turn(k, f, sqrt(after / before), f / sqrt(after * before), column, b);
    before = after;
  }
  take_off(k, 1 / before, column, c->rest);
}

/* Another pivot: the column of the factor that belongs to it. */
static void add_pivot(struct contest *c, int arm) {
  const int k = c->p->prior->k, n = contest_pivots(c);
  double *fresh = column_at(c, n), weight[PIVOTS + 1];
  for (int j = 0; j < n; j++)
    weight[j] = -column_at(c, j)[arm];
  posterior_column(c->p, arm, fresh);
  linalg_add_product(k, n, c->factor, weight, fresh);
  const double root = sqrt(c->rest[arm]);
  linalg_scale(k, 1 / root, fresh, c->whole);
  memcpy(fresh, c->whole, (size_t)k * sizeof *fresh);
  fresh[arm] = root;
  take_off(k, 1, fresh, c->rest);
  c->rest[arm] = 0;
  settle(c);
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
 *   1 - Phi(z) <= exp(-z^2 / 2) / 2 <= (1 + z^2 / 512)^-256 / 2. */
HOT static void chances(int k, double v, double shrink, const double *x,
                        const double *rest, const double *half, double *restrict out) {
  for (int i = 0; i < k; i++) {
    const double gap = v - x[i], by = rest[i] > 0 ? gap * gap * half[i] * shrink : 0;
    double f = 1 + by / 256;
    f *= f, f *= f, f *= f, f *= f, f *= f, f *= f, f *= f, f *= f;
    const double below = 0.5 / f, one = gap > 0 ? below : 1;
    out[i] = rest[i] > 0 && x[i] >= -DBL_MAX ? one : 0;
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
  linalg_add_product(k, n, c->factor, by, out);
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
  linalg_add_product(k, first, c->factor, scaled, c->x);
  const double equal = TIE * sqrt(p->prior->most) * stretch;
  for (int added = 0;; added++) {
    const int n = contest_pivots(c);
    interrupt_check(added, (size_t)k * (size_t)(n + 1));
    drawn(k, c->rest, c->x, c->chance);
    const struct best v =
        best_of(k, c->chance, equal + ROUNDING * fabs(linalg_max(k, c->chance)));
    chances(k, v.value, 1 / (stretch * stretch), c->x, c->rest, c->half, c->chance);
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
  if (c->everyone) {
    memcpy(c->base, p->mean, (size_t)k * sizeof(double));
    return;
  }
  means_of_open(k, p->mean, p->var, c->base);
  for (int i = 0; barred && i < k; i++)
    if (barred[i])
      c->base[i] = -INFINITY;
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
  c.pivot = room + HEAD;
  c.rest = c.pivot + PIVOTS + 1;
  c.factor = c.rest + k;
  c.stock = c.factor + k * (PIVOTS + 1);
  if (!(room[USED] > 0)) {
    memset(room, 0, HEAD * sizeof *room);
    c.stock[0] = 0;
  }
  stock_watch(c.stock, p);
  if (rests(p, room))
    return c;
  c.head = room;
  c.base = r->work;
  c.half = c.base + k;
  c.x = c.half + k;
  c.chance = c.x + k;
  c.whole = c.chance + k;
  if (!follow(&c))
    forget(&c);
  settle(&c);
  enter(&c);
  return c;
}

int contest_partial(const struct contest *c) {
  return c->head && linalg_max(c->p->prior->k, c->base) > -INFINITY;
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
