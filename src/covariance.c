#include "covariance.h"

#include <float.h>
#include <math.h>

#include "hot.h"
#include "interrupt.h"
#include "linalg.h"

static size_t stride_of(const struct prior *prior) {
  return linalg_lines((size_t)prior->k);
}

size_t covariance_room(const struct prior *prior) {
  const size_t k = (size_t)prior->k, stride = stride_of(prior);
  return prior->kind == PRIOR_INDEPENDENT || k > MOST_KEPT / stride ? 0
                                                                    : k * stride + LINE;
}

static double *column_of(const struct covariance *c, int arm) {
  return c->entries + c->stride * (size_t)arm;
}

/* The variances tell: what is taken off between two of them is no more than of the larger one. */
static int differs(const struct posterior *p, const struct covariance *c) {
  const size_t step = c->stride + 1;
  for (int i = 0; i < c->k; i++) {
    const double out = c->out ? c->out[i] : 0;
    if (!(fabs(c->entries[step * (size_t)i] - out * out - p->var[i]) <= c->error / 4))
      return 1;
  }
  return 0;
}

struct covariance covariance_now(const struct posterior *p, double *room) {
  const int k = p->prior->k;
  const double steps = room[0];
  struct covariance c = {
      .k = k, .stride = stride_of(p->prior), .entries = linalg_line(room + 1)};
  room[0] = steps + 1;
  c.least = DBL_EPSILON * sqrt(p->prior->most);
  c.error = 4 * (64 + steps) * DBL_EPSILON * p->prior->most;
  if (steps > 0 && !differs(p, &c))
    return c;
  c.out = p->n > 0 ? p->w[p->n - 1] : NULL;
  if (steps > 0 && c.out && !differs(p, &c))
    return c;
  c.out = NULL;
  room[0] = 1;
  for (int i = 0; i < k; i++) {
    interrupt_check(i, (size_t)k);
    posterior_column(p, i, column_of(&c, i));
  }
  return c;
}

const double *covariance_column(const struct covariance *c, int arm) {
  return column_of(c, arm);
}

/* One pass over memory instead of two: the matrix does not fit into the nearest cache. */
HOT_MOST static struct reach add_and_reach(int k, double f, const double *x, int top,
                                           const double *inverse,
                                           double *restrict column) {
  const double at_top = column[top] + f * x[top];
  double far = 0, near = 0;
  for (int i = 0; i < k; i++) {
    const double entry = column[i] + f * x[i], e = fabs(entry - at_top),
                 c = e * inverse[i];
    column[i] = entry;
    far = e > far ? e : far;
    near = c > near ? c : near;
  }
  return (struct reach){far, near};
}

struct reach covariance_update(const struct covariance *c, int arm, int top,
                               const double *inverse) {
  double *column = column_of(c, arm);
  if (c->out && fabs(c->out[arm]) > c->least)
    return add_and_reach(c->k, -c->out[arm], c->out, top, inverse, column);
  return envelope_reach(c->k, column, column[top], inverse);
}
