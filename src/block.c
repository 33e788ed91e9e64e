#include "block.h"

#include <float.h>
#include <math.h>

#include "linalg.h"

/* Values that differ by less, relatively, are equal. */
static const double EQUAL = 1e-6;

/* is_new[m]: may the arm be pulled in block m? */
static void find_new(const struct round *r, int arm, int *is_new) {
  int left = r->blocks;
  for (int m = 0; m < r->blocks; m++)
    is_new[m] = 1;
  for (int i = 0; i < r->made.n; i++) {
    const int m = r->made.block[i];
    if (r->made.arm[i] == arm && m >= 0 && m < r->blocks && is_new[m]) {
      is_new[m] = 0;
      left--;
    }
  }
  for (int m = 0; left == 0 && m < r->blocks; m++)
    is_new[m] = 1;
}

/* The variance that a pull of the arm in each new block takes off the difference of the pair. */
static void reductions(const struct posterior *p, const struct round *r, int arm,
                       const int *is_new, double *value) {
  const int k = p->prior->k, size = posterior_size(p);
  double *one = r->work, *other = one + size, *own = other + size;
  posterior_whole_column(p, r->note->leader, one);
  posterior_whole_column(p, r->note->rival, other);
  if (p->width == 1)
    posterior_whole_column(p, arm, own);
  for (int m = 0; m < r->blocks; m++) {
    if (!is_new[m])
      continue;
    const double d =
        p->width > 1 ? posterior_seen(p, arm, m, one) - posterior_seen(p, arm, m, other)
                     : one[arm] - other[arm] + one[k + m] - other[k + m];
    const double var = p->width > 1 ? posterior_pull_var(p, arm, m)
                                    : p->var[arm] + 2 * own[k + m] + p->block_var[m];
    /* d * d may be beyond all numbers */
    value[m] = d * (d / (fmax(var + r->noise2[arm], 0) + DBL_MIN));
  }
}

/* The first block whose value equals the largest of the new ones. A value that is no number is less
 * than any that is: rewards and effects near the largest numbers there are make such. */
static int first_best(int blocks, const int *is_new, const double *value) {
  int best = -1;
  for (int m = 0; m < blocks; m++)
    if (is_new[m] && (best < 0 || isnan(value[best]) || value[m] > value[best]))
      best = m;
  for (int m = 0; m < best; m++)
    if (is_new[m] && value[m] >= value[best] - EQUAL * fabs(value[best]))
      return m;
  return best;
}

int block_choose(const struct posterior *p, const struct round *r, int arm) {
  double *value = r->work + 3 * (size_t)posterior_size(p);
  int *is_new = r->index;
  find_new(r, arm, is_new);
  if (p->blocks < r->blocks)
    linalg_fill(r->blocks, 0, value);
  else if (r->note->leader >= 0 && r->note->rival >= 0)
    reductions(p, r, arm, is_new, value);
  else
    for (int m = 0; m < r->blocks; m++)
      value[m] = -p->block_var[m * p->width];
  return first_best(r->blocks, is_new, value);
}
