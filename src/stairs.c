#include "stairs.h"

#include "hot.h"
#include "linalg.h"

static int steps_of(const struct prior *prior) {
  return (prior->d + STEP - 1) / STEP;
}

size_t stairs_room(const struct prior *prior, int draws) {
  const size_t k = (size_t)prior->k, stride = linalg_lines(k);
  const size_t columns = (size_t)prior->d + (size_t)draws;
  const int by_pivots = prior->kind == PRIOR_DENSE || prior->kind == PRIOR_KERNEL;
  if (!by_pivots || 2 * (size_t)prior->d < k || stride > MOST_KEPT / columns)
    return 0;
  return k + (size_t)steps_of(prior) + 1 + LINE + stride * columns;
}

struct stairs stairs_in(const struct prior *prior, int draws, double *room) {
  struct stairs s = {.stride = linalg_lines((size_t)prior->k), .arm = room};
  s.top = s.arm + prior->k;
  s.sums = linalg_line(s.top + steps_of(prior) + 1);
  s.entries = s.sums + s.stride * (size_t)draws;
  return s;
}

HOT static void note(int k, double step, const double *column, double *restrict last) {
  for (int i = 0; i < k; i++)
    last[i] = column[i] != 0 ? step : last[i];
}

/* By how many steps they reach; top[s] becomes the number of those that reach s of them at most. */
static void sort_rows(const struct prior *prior, double *reach, double *arm,
                      double *top) {
  const int k = prior->k, steps = steps_of(prior);
  linalg_fill(k, 0, reach);
  for (int j = 0; j < prior->d; j++)
    note(k, 1 + j / STEP, prior->factor + (size_t)k * (size_t)j, reach);
  linalg_fill(steps + 1, 0, top);
  for (int i = 0; i < k; i++)
    if (reach[i] < steps)
      top[(int)reach[i] + 1]++;
  for (int s = 1; s <= steps; s++)
    top[s] += top[s - 1];
  for (int i = 0; i < k; i++)
    arm[(int)top[(int)reach[i]]++] = i;
}

void stairs_make(const struct prior *prior, const struct stairs *s) {
  double *out = s->entries;
  sort_rows(prior, s->sums, s->arm, s->top);
  for (int j = 0; j < prior->d; j++) {
    const double *column = prior->factor + (size_t)prior->k * (size_t)j;
    double *top = s->top + j / STEP;
    *top -= (int)*top % LINE;
    for (int i = (int)*top; i < prior->k; i++)
      *out++ = column[(int)s->arm[i]];
    out += s->stride - (size_t)prior->k;
  }
}
