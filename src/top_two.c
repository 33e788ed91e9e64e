#include "top_two.h"

#include <math.h>

#include "contest.h"
#include "linalg.h"
#include "tie.h"

int top_two_draw(const struct posterior *p, const struct round *r) {
  struct contest c = contest_begin(p, r, NULL, 0);
  double value;
  return contest_winner(&c, &value);
}

int top_two_alone(const struct posterior *p, const struct round *r, int leader) {
  for (int i = 0; i < p->prior->k; i++)
    if (i != leader && policy_open(p, r, i))
      return 0;
  return 1;
}

int top_two_closest(const struct posterior *p, const struct round *r, int leader) {
  const int k = p->prior->k;
  double *column = r->work, *value = r->work + k;
  posterior_column(p, leader, column);
  for (int j = 0; j < k; j++) {
    const double var = p->var[leader] + p->var[j] - 2 * column[j];
    const double gap = fmax(p->mean[leader] - p->mean[j], 0);
    const int differs = j != leader && var > posterior_apart(p, leader, j);
    value[j] = differs ? -gap * gap / var : -INFINITY;
  }
  return policy_best_open(p, r, value, TIE * (1 + fabs(linalg_max(k, value))));
}
