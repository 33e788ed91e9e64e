/* Draws of the belief, and what they say of the best arm. */
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "posterior.h"
#include "student.h"

/* What x says of the pull of a column. */
static double drawn_at(const struct posterior *p, int column, const double *x) {
  return posterior_seen(p, p->arm[column], p->blocks > 0 ? p->block[column] : -1, x);
}

/* The level is one for all arms. */
static void shift_level(const struct posterior *p, double stretch, double *restrict out) {
  if (p->level)
    linalg_add(p->prior->k, stretch * norm_rand(), p->level, out);
}

/* A draw of the prior is carried through the observations: each moves it as it moves the
 * mean, with noise of its own (Matheron's rule, applied in turn). One stretch for all arms
 * makes it a draw of the joint t distribution. */
void posterior_draw(const struct posterior *p, double *restrict z, double *restrict out) {
  const int k = p->prior->k, size = posterior_size(p);
  const double stretch = student_stretch(p->prior->df);
  if (posterior_separate(p)) {
    for (int i = 0; i < k; i++)
      out[i] = p->mean[i] + stretch * sqrt(p->var[i]) * norm_rand();
    shift_level(p, stretch, out);
    return;
  }
  prior_draw(p->prior, z, out);
  for (int i = k; i < size; i++)
    out[i] = sqrt(p->block2) * norm_rand();
  double move[4];
  const double *w[4];
  for (int i = 0; i < p->n;) {
    int b = 0;
    for (; b < 4 && i < p->n; b++, i++) {
      double at = drawn_at(p, i, out);
      for (int j = 0; j < b; j++)
        at += move[j] * drawn_at(p, i, w[j]);
      const double seen = at + sqrt(p->noise2[i]) * norm_rand();
      w[b] = p->w[i];
      move[b] = -seen / sqrt(p->d[i]);
    }
    if (b == 4)
      linalg_add4(size, move, w, out);
    else
      for (int j = 0; j < b; j++)
        linalg_add(size, move[j], w[j], out);
  }
  for (int i = 0; i < k; i++)
    out[i] = p->mean[i] + stretch * out[i];
  for (int i = 0; i < size - k; i++)
    out[k + i] = p->block_mean[i] + stretch * out[k + i];
  shift_level(p, stretch, out);
}

void posterior_certainty(const struct posterior *p, int arm, int draws, double *work,
                         double *best, double *regret) {
  const int k = p->prior->k;
  double *draw = work, *z = work + posterior_size(p);
  memset(best, 0, (size_t)k * sizeof(double));
  for (int s = 0; s < draws; s++) {
    posterior_draw(p, z, draw);
    const int found = linalg_which_max(k, draw, 0), top = found < 0 ? arm : found;
    best[top] += 1;
    regret[s] = draw[top] - draw[arm];
    R_CheckUserInterrupt();
  }
  for (int i = 0; i < k; i++)
    best[i] /= draws;
}
