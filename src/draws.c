#include "draws.h"

#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "normals.h"
#include "student.h"

/* Columns that are added at a time, and to so many draws, and rows of them that stay in the nearest
 * caches meanwhile. */
enum { FOUR = STEP, ROWS = 512 };

static double *draw_at(const struct draws *draws, int m) {
  return draws->x + draws->stride * (size_t)m;
}

/* Up to four columns are added to each draw, with four weights for each. */
static void add_columns(const struct draws *draws, int rows, int columns,
                        const double *const *column, const double *weight) {
  for (int row = 0; row < rows; row += ROWS) {
    const int now = rows - row < ROWS ? rows - row : ROWS;
    const double *from[FOUR];
    int m = 0;
    for (int j = 0; j < columns; j++)
      from[j] = column[j] + row;
    for (; columns == FOUR && m + FOUR <= draws->n; m += FOUR)
      linalg_add4_to_each(now, weight + FOUR * m, from, draws->stride,
                          draw_at(draws, m) + row);
    for (; columns == FOUR && m < draws->n; m++)
      linalg_add4(now, weight + FOUR * m, from, draw_at(draws, m) + row);
    for (; m < draws->n; m++)
      for (int j = 0; j < columns; j++)
        linalg_add(now, weight[FOUR * m + j], from[j], draw_at(draws, m) + row);
  }
}

/* ---- The prior ------------------------------------------------------------------------- */

/* What each of k entries has for itself; many may have nothing. var NULL: 1 for all. */
static void add_own(int k, double scale, const double *var, struct normals *g,
                    double *restrict out) {
  double z[64];
  int at[64];
  for (int from = 0; from < k; from += 64) {
    int n = 0;
    for (int i = from; i < from + 64 && i < k; i++) {
      at[n] = i;
      n += !var || var[i] > 0;
    }
    normals_fill(g, n, z);
    for (int i = 0; i < n; i++)
      out[at[i]] += sqrt(scale * (var ? var[at[i]] : 1)) * z[i];
  }
}

/* The weights of some columns of the prior's factor. */
static void fill_weights(const struct prior *prior, struct normals *g, int n, double *z) {
  const double sd = sqrt(prior->scale);
  normals_fill(g, n, z);
  for (int i = 0; i < n; i++)
    z[i] *= sd;
}

static int columns_from(const struct prior *prior, int j) {
  return prior->d - j < FOUR ? prior->d - j : FOUR;
}

static void add_factor(const struct prior *prior, struct normals *g,
                       const struct draws *draws) {
  double z[FOUR * DRAWS_ASIDE];
  for (int j = 0; j < prior->d; j += FOUR) {
    const double *column[FOUR];
    for (int i = 0; i < columns_from(prior, j); i++)
      column[i] = prior->factor + (size_t)prior->k * (size_t)(j + i);
    fill_weights(prior, g, FOUR * draws->n, z);
    add_columns(draws, prior->k, columns_from(prior, j), column, z);
  }
}

/* The same from the rows that a step has, in their order there. */
static void add_stairs(const struct prior *prior, const struct stairs *stairs,
                       struct normals *g, const struct draws *draws) {
  const struct draws sums = {draws->n, stairs->stride, stairs->sums};
  const double *entries = stairs->entries;
  double z[FOUR * DRAWS_ASIDE];
  memset(sums.x, 0, (size_t)sums.n * sums.stride * sizeof(double));
  for (int j = 0; j < prior->d; j += FOUR) {
    const int top = (int)stairs->top[j / FOUR];
    const struct draws below = {sums.n, sums.stride, sums.x + top};
    const double *column[FOUR];
    for (int i = 0; i < columns_from(prior, j); i++) {
      column[i] = entries;
      entries += stairs->stride - (size_t)top;
    }
    fill_weights(prior, g, FOUR * draws->n, z);
    add_columns(&below, prior->k - top, columns_from(prior, j), column, z);
  }
  for (int m = 0; m < draws->n; m++)
    for (int i = 0; i < prior->k; i++)
      draw_at(draws, m)[(int)stairs->arm[i]] += draw_at(&sums, m)[i];
}

static void start(const struct posterior *p, const struct stairs *stairs,
                  struct normals *g, const struct draws *draws) {
  const struct prior *prior = p->prior;
  const int k = prior->k, coordinates = posterior_size(p) - k;
  const int alone = prior->kind == PRIOR_INDEPENDENT;
  const int rest = prior->rest && linalg_max(k, prior->rest) > 0;
  for (int m = 0; m < draws->n; m++) {
    double *x = draw_at(draws, m);
    memset(x, 0, (size_t)posterior_size(p) * sizeof *x);
    if (posterior_separate(p))
      add_own(k, 1, p->var, g, x);
    else if (alone || rest)
      add_own(k, prior->scale, alone ? prior->diagonal : prior->rest, g, x);
    add_own(coordinates, p->block2, NULL, g, x + k);
  }
  if (stairs)
    add_stairs(prior, stairs, g, draws);
  else if (!alone)
    add_factor(prior, g, draws);
}

/* ---- The observations ------------------------------------------------------------------ */

/* What x says of the pull of a column. */
static double seen_at(const struct posterior *p, int column, const double *x) {
  return posterior_seen(p, p->arm[column], p->blocks > 0 ? p->block[column] : -1, x);
}

/* Some columns from `from` on: each moves a draw as it moves the mean, with noise of its own
 * (Matheron's rule, applied in turn). What those before it have done to what it sees is known before
 * they are added. */
static void move(const struct posterior *p, int from, int columns, struct normals *g,
                 const struct draws *draws) {
  const double *const *w = (const double *const *)p->w + from;
  double by[FOUR * DRAWS_ASIDE], shared[FOUR][FOUR];
  for (int b = 1; b < columns; b++)
    for (int j = 0; j < b; j++)
      shared[b][j] = seen_at(p, from + b, w[j]);
  normals_fill(g, FOUR * draws->n, by);
  for (int b = 0; b < columns; b++) {
    const double noise = sqrt(p->noise2[from + b]), root = sqrt(p->d[from + b]);
    for (int m = 0; m < draws->n; m++) {
      double *weight = by + FOUR * m;
      double at = seen_at(p, from + b, draw_at(draws, m));
      for (int j = 0; j < b; j++)
        at += weight[j] * shared[b][j];
      weight[b] = -(at + noise * weight[b]) / root;
    }
  }
  add_columns(draws, posterior_size(p), columns, w, by);
}

static void move_all(const struct posterior *p, int from, struct normals *g,
                     const struct draws *draws) {
  for (int i = from; i < p->n; i += FOUR)
    move(p, i, p->n - i < FOUR ? p->n - i : FOUR, g, draws);
}

/* ---- Draws ----------------------------------------------------------------------------- */

void draws_about(const struct posterior *p, const struct stairs *stairs,
                 const struct draws *draws) {
  struct normals g = normals_begin();
  start(p, stairs, &g, draws);
  if (!posterior_separate(p))
    move_all(p, 0, &g, draws);
}

void draws_follow(const struct posterior *p, int from, const struct draws *draws) {
  struct normals g = normals_begin();
  move_all(p, from, &g, draws);
}

/* One stretch for all makes it a draw of the joint t distribution; the level is one for all arms. */
void draws_place(const struct posterior *p, double *restrict draw) {
  const int k = p->prior->k, coordinates = posterior_size(p) - k;
  const double stretch = student_stretch(p->prior->df);
  for (int i = 0; i < k; i++)
    draw[i] = p->mean[i] + stretch * draw[i];
  for (int i = 0; i < coordinates; i++)
    draw[k + i] = p->block_mean[i] + stretch * draw[k + i];
  if (p->level)
    linalg_add(k, stretch * norm_rand(), p->level, draw);
}

void draws_one(const struct posterior *p, double *restrict out) {
  draws_about(p, NULL, &(struct draws){1, 0, out});
  draws_place(p, out);
}

/* ---- What they say --------------------------------------------------------------------- */

/* The next of `left` draws: as many as there is room for. */
static int make_some(const struct posterior *p, int left, double *work, size_t room) {
  const size_t size = (size_t)posterior_size(p), fit = room / size;
  const int most = fit < DRAWS_ASIDE ? (int)fit : DRAWS_ASIDE;
  const int n = left < most ? left : most;
  R_CheckUserInterrupt();
  draws_about(p, NULL, &(struct draws){n, size, work});
  for (int m = 0; m < n; m++)
    draws_place(p, work + size * (size_t)m);
  return n;
}

void draws_maxima(const struct posterior *p, int n, double *work, size_t room,
                  double *most) {
  const size_t size = (size_t)posterior_size(p);
  for (int from = 0, now; from < n; from += now) {
    now = make_some(p, n - from, work, room);
    for (int m = 0; m < now; m++)
      most[from + m] = linalg_max(p->prior->k, work + size * (size_t)m);
  }
}

void draws_certainty(const struct posterior *p, int arm, int draws, double *work,
                     size_t room, double *best, double *regret) {
  const int k = p->prior->k;
  const size_t size = (size_t)posterior_size(p);
  memset(best, 0, (size_t)k * sizeof(double));
  for (int from = 0, now; from < draws; from += now) {
    now = make_some(p, draws - from, work, room);
    for (int m = 0; m < now; m++) {
      const double *draw = work + size * (size_t)m;
      const int found = linalg_which_max(k, draw, 0), top = found < 0 ? arm : found;
      best[top] += 1;
      regret[from + m] = draw[top] - draw[arm];
    }
  }
  for (int i = 0; i < k; i++)
    best[i] /= draws;
}
