#include "prior.h"

#include <R_ext/Random.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg.h"

void prior_finish(struct prior *p) {
  p->most = p->scale * linalg_max(p->k, p->diagonal);
}

double prior_var(const struct prior *p, int arm) {
  return p->scale * p->diagonal[arm];
}

int prior_known(const struct prior *p, int arm, double noise2) {
  const double var = prior_var(p, arm);
  return !(var > 0) || (var <= 1e-12 * p->most && var <= 1e-6 * noise2);
}

/* X x_arm: row `arm` of the factor weights its columns. */
static void factor_column(const struct prior *p, int arm, double *restrict out) {
  const size_t k = (size_t)p->k;
  memset(out, 0, k * sizeof(double));
  int j = 0;
  for (; j + 4 <= p->d; j += 4) {
    const double *column[4];
    double weight[4];
    for (int i = 0; i < 4; i++) {
      column[i] = p->factor + k * (size_t)(j + i);
      weight[i] = p->scale * column[i][arm];
    }
    linalg_add4(p->k, weight, column, out);
  }
  for (; j < p->d; j++) {
    const double *column = p->factor + k * (size_t)j;
    linalg_add(p->k, p->scale * column[arm], column, out);
  }
  if (p->rest)
    out[arm] += p->scale * p->rest[arm];
}

static void kernel_column_scaled(const struct prior *p, int arm, double *restrict out) {
  kernel_column(p->kernel, arm, out);
  for (int i = 0; i < p->k; i++)
    out[i] *= p->scale;
}

void prior_column(const struct prior *p, int arm, double *restrict out) {
  if (p->kind == PRIOR_INDEPENDENT) {
    memset(out, 0, (size_t)p->k * sizeof *out);
    out[arm] = prior_var(p, arm);
    return;
  }
  if (p->kind == PRIOR_FEATURES || p->rest) {
    factor_column(p, arm, out);
    return;
  }
  if (p->kind == PRIOR_KERNEL) {
    kernel_column_scaled(p, arm, out);
    return;
  }
  linalg_scale(p->k, p->scale, p->cov + (size_t)p->k * (size_t)arm, out);
}

void prior_draw(const struct prior *p, double *restrict z, double *restrict out) {
  const double sd = sqrt(p->scale);
  if (p->kind == PRIOR_INDEPENDENT) {
    for (int i = 0; i < p->k; i++)
      out[i] = sd * sqrt(p->diagonal[i]) * norm_rand();
    return;
  }
  for (int j = 0; j < p->d; j++)
    z[j] = sd * norm_rand();
  memset(out, 0, (size_t)p->k * sizeof(double));
  linalg_add_product(p->k, p->d, p->factor, z, out);
  for (int i = 0; p->rest && i < p->k; i++)
    if (p->rest[i] > 0)
      out[i] += sd * sqrt(p->rest[i]) * norm_rand();
}
