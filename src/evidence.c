#include "evidence.h"

#include <math.h>
#include <stddef.h>

#include "linalg.h"

/* weight becomes S^-1. */
static int invert(const struct averages *a, double *weight, double *log_det) {
  const size_t n = (size_t)a->n;
  if (a->diagonal) {
    *log_det = 0;
    for (size_t i = 0; i < n; i++) {
      const double s = a->scale * a->g[i] + a->noise[i];
      *log_det += log(s);
      weight[i] = 1 / s;
    }
    return !isfinite(*log_det);
  }
  for (size_t i = 0; i < n * n; i++)
    weight[i] = a->scale * a->g[i];
  for (size_t i = 0; i < n; i++)
    weight[i + n * i] += a->noise[i];
  return linalg_invert(a->n, weight, log_det);
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
  if (!(total > 0) || !isfinite(misfit) || (a->df > 0 && !(misfit > 0)))
    return 1;
  out->misfit = misfit;
  out->value = -0.5 * log_det - (a->free_mean ? 0.5 * log(total) : 0) -
               (a->df > 0 ? 0.5 * a->df * log(misfit) : 0.5 * misfit);
  differentiate(a, a->df > 0 ? a->df / misfit : 1, r, h, total, weight);
  return 0;
}
