#include "draws.h"

#include <R_ext/Random.h>
#include <math.h>
#include <string.h>

#include "interrupt.h"
#include "linalg.h"
#include "student.h"

/* Draws side by side: four columns stay in the nearest caches while they are added to each. */
enum { SIDE = 4 };

struct draw {
  double *x;      /* posterior_size(): the draw */
  double *z;      /* d: standard deviations of the prior's factor */
  double *noise;  /* one for each column */
  double stretch; /* makes it a draw of the t distribution */
  double level;   /* that all arms have in common */
};

/* All random numbers of a draw, in the order of posterior_draw(). */
static void take_numbers(const struct posterior *p, struct draw *draw) {
  const int k = p->prior->k, size = posterior_size(p);
  const double sd = sqrt(p->prior->scale);
  draw->stretch = student_stretch(p->prior->df);
  for (int j = 0; j < p->prior->d; j++)
    draw->z[j] = sd * norm_rand();
  memset(draw->x, 0, (size_t)k * sizeof(double));
  for (int i = k; i < size; i++)
    draw->x[i] = sqrt(p->block2) * norm_rand();
  for (int i = 0; i < p->n; i++)
    draw->noise[i] = sqrt(p->noise2[i]) * norm_rand();
  draw->level = p->level ? draw->stretch * norm_rand() : 0;
}

static void add_prior(const struct prior *prior, int n, const struct draw *draw) {
  const size_t k = (size_t)prior->k;
  int j = 0;
  for (; j + 4 <= prior->d; j += 4) {
    const double *column[4];
    for (int i = 0; i < 4; i++)
      column[i] = prior->factor + k * (size_t)(j + i);
    for (int m = 0; m < n; m++)
      linalg_add4(prior->k, draw[m].z + j, column, draw[m].x);
  }
  for (; j < prior->d; j++)
    for (int m = 0; m < n; m++)
      linalg_add(prior->k, draw[m].z[j], prior->factor + k * (size_t)j, draw[m].x);
}

static double seen_at(const struct posterior *p, int column, const double *x) {
  return posterior_seen(p, p->arm[column], p->blocks > 0 ? p->block[column] : -1, x);
}

/* The observations of up to four columns from `from` on move the draw. */
static void move(const struct posterior *p, int from, int columns,
                 const struct draw *draw) {
  const double *const *w = (const double *const *)p->w + from;
  const int size = posterior_size(p);
  double by[4];
  for (int b = 0; b < columns; b++) {
    double at = seen_at(p, from + b, draw->x);
    for (int j = 0; j < b; j++)
      at += by[j] * seen_at(p, from + b, w[j]);
    by[b] = -(at + draw->noise[from + b]) / sqrt(p->d[from + b]);
  }
  if (columns == 4)
    linalg_add4(size, by, w, draw->x);
  else
    for (int j = 0; j < columns; j++)
      linalg_add(size, by[j], w[j], draw->x);
}

static double maximum(const struct posterior *p, const struct draw *draw) {
  const int k = p->prior->k;
  for (int i = 0; i < k; i++)
    draw->x[i] = p->mean[i] + draw->stretch * draw->x[i];
  if (p->level)
    linalg_add(k, draw->level, p->level, draw->x);
  return linalg_max(k, draw->x);
}

static void together(const struct posterior *p, int n, double *work, double *most) {
  const size_t size = (size_t)posterior_size(p), d = (size_t)p->prior->d;
  struct draw draw[SIDE];
  for (int m = 0; m < n; m++, work += size + d + (size_t)p->n) {
    draw[m].x = work;
    draw[m].z = work + size;
    draw[m].noise = work + size + d;
    take_numbers(p, draw + m);
  }
  add_prior(p->prior, n, draw);
  for (int i = 0; i < p->n; i += 4)
    for (int m = 0; m < n; m++)
      move(p, i, p->n - i < 4 ? p->n - i : 4, draw + m);
  for (int m = 0; m < n; m++)
    most[m] = maximum(p, draw + m);
}

/* As many side by side as there is room for; 1 where the prior is not all factor. */
static int width(const struct posterior *p, size_t room) {
  const struct prior *prior = p->prior;
  if (prior->kind == PRIOR_INDEPENDENT || prior->rest)
    return 1;
  const size_t one = (size_t)posterior_size(p) + (size_t)prior->d + (size_t)p->n;
  return room / one < SIDE ? (int)(room / one) : SIDE;
}

void draws_maxima(const struct posterior *p, int n, double *work, size_t room,
                  double *most) {
  const int k = p->prior->k, most_together = width(p, room);
  for (int m = 0; m < n;) {
    interrupt_check(m, (size_t)k);
    const int now = n - m < most_together ? n - m : most_together;
    if (now > 1) {
      together(p, now, work, most + m);
      m += now;
    } else {
      posterior_draw(p, work + posterior_size(p), work);
      most[m++] = linalg_max(k, work);
    }
  }
}
