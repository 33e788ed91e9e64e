#include "evidence.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg.h"

/* S, as g. */
static void assemble(const struct averages *a, double *s) {
  const size_t n = (size_t)a->n, step = a->diagonal ? 1 : n + 1;
  for (size_t i = 0; i < (a->diagonal ? n : n * n); i++)
    s[i] = a->scale * a->g[i];
  for (size_t i = 0; i < n; i++)
    s[step * i] += a->noise[i];
}

/* The logarithm of the determinant of the diagonal S; 1 when it has none. */
static int log_det_of(int n, const double *s, double *log_det) {
  *log_det = 0;
  for (int i = 0; i < n; i++)
    *log_det += log(s[i]);
  return !isfinite(*log_det);
}

/* weight becomes S^-1. */
static int invert(const struct averages *a, double *weight, double *log_det) {
  assemble(a, weight);
  if (!a->diagonal)
    return linalg_invert(a->n, weight, log_det);
  const int failed = log_det_of(a->n, weight, log_det);
  for (int i = 0; i < a->n; i++)
    weight[i] = 1 / weight[i];
  return failed;
}

/* out = S^-1 x, or S^-1 1 where x is NULL. */
static void solve(const struct averages *a, const double *inverse, const double *x,
                  double *restrict out) {
  const size_t n = (size_t)a->n;
  for (size_t i = 0; i < n; i++)
    out[i] = 0;
  for (size_t j = 0; j < n; j++) {
    const double f = x ? x[j] : 1;
    if (a->diagonal)
      out[j] = inverse[j] * f;
    else
      linalg_add(a->n, f, inverse + n * j, out);
  }
}

/* d value / d S = -S^-1 / 2 + size * r r' / 2 + h h' / (2 1'h), with r = S^-1 (y - mean) and
 * h = S^-1 1; the last for a free mean only. */
static void differentiate(const struct averages *a, double size, const double *r,
                          const double *h, double total, double *restrict weight) {
  const size_t n = (size_t)a->n;
  const double free = a->free_mean ? 0.5 / total : 0;
  if (a->diagonal) {
    for (size_t i = 0; i < n; i++)
      weight[i] = -0.5 * weight[i] + 0.5 * size * r[i] * r[i] + free * h[i] * h[i];
    return;
  }
  for (size_t j = 0; j < n; j++) {
    const double by_r = 0.5 * size * r[j], by_h = free * h[j];
    double *column = weight + n * j;
    for (size_t i = 0; i < n; i++)
      column[i] = -0.5 * column[i] + by_r * r[i] + by_h * h[i];
  }
}

/* The value, where total = 1' S^-1 1 and the misfit are at hand. */
static int conclude(const struct averages *a, double log_det, double total, double misfit,
                    struct evidence *out) {
  if (!(total > 0) || !isfinite(misfit) || (a->df > 0 && !(misfit > 0)))
    return 1;
  out->misfit = misfit;
  out->value = -0.5 * log_det - (a->free_mean ? 0.5 * log(total) : 0) -
               (a->df > 0 ? 0.5 * a->df * log(misfit) : 0.5 * misfit);
  return 0;
}

int evidence_find(const struct averages *a, double *weight, double *work,
                  struct evidence *out) {
  const int n = a->n;
  double *r = work, *h = work + n, log_det, total, misfit = a->within;
  if (invert(a, weight, &log_det))
    return 1;
  solve(a, weight, NULL, h);
  total = linalg_sum(n, h);
  out->mean = 0;
  if (a->free_mean) {
    for (int i = 0; i < n; i++)
      out->mean += h[i] * a->y[i];
    out->mean /= total;
  }
  solve(a, weight, a->y, r);
  linalg_add(n, -out->mean, h, r);
  for (int i = 0; i < n; i++)
    misfit += r[i] * (a->y[i] - out->mean);
  if (conclude(a, log_det, total, misfit, out))
    return 1;
  differentiate(a, a->df > 0 ? a->df / misfit : 1, r, h, total, weight);
  return 0;
}

/* y and 1 become L^-1 y and L^-1 1, S = L L'. */
static int whiten(const struct averages *a, double *room, double *y, double *one,
                  double *log_det) {
  const int n = a->n;
  assemble(a, room);
  memcpy(y, a->y, (size_t)n * sizeof *y);
  linalg_fill(n, 1, one);
  if (a->diagonal) {
    for (int i = 0; i < n; i++) {
      one[i] = 1 / sqrt(room[i]);
      y[i] *= one[i];
    }
    return log_det_of(n, room, log_det);
  }
  if (linalg_factor(n, room, log_det))
    return 1;
  linalg_forward(n, room, y);
  linalg_forward(n, room, one);
  return 0;
}

int evidence_value(const struct averages *a, double *room, double *work,
                   struct evidence *out) {
  double *y = work, *one = work + a->n, log_det, total = 0, sum = 0, misfit = a->within;
  if (whiten(a, room, y, one, &log_det))
    return 1;
  for (int i = 0; i < a->n; i++) {
    total += one[i] * one[i];
    sum += one[i] * y[i];
  }
  out->mean = a->free_mean ? sum / total : 0;
  for (int i = 0; i < a->n; i++) {
    const double off = y[i] - out->mean * one[i];
    misfit += off * off;
  }
  return conclude(a, log_det, total, misfit, out);
}
