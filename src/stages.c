#include "stages.h"

#include <math.h>

#include "interrupt.h"
#include "linalg.h"
#include "tally.h"

enum { HEADER = 2 };

size_t stages_memory(const struct prior *prior) {
  return HEADER + (size_t)prior->k;
}

struct stages stages_in(double *memory) {
  const struct stages s = {memory, memory + 1, memory + HEADER};
  return s;
}

void stages_start(struct stages s, const struct posterior *p) {
  *s.arms = tally_arms(p->prior);
  *s.passed = 0;
  for (int i = 0; i < p->prior->k; i++)
    s.in[i] = prior_var(p->prior, i) > 0;
}

int stages_left(int arms, int passed) {
  for (; passed > 0 && arms > 1; passed--)
    arms = (arms + 1) / 2;
  return arms;
}

int stages_count(int arms) {
  int n = 1;
  while (stages_left(arms, n) > 1)
    n++;
  return n;
}

int stages_due(struct stages s, const struct round *r, stages_end *end) {
  const int arms = (int)*s.arms, passed = (int)*s.passed;
  if (stages_left(arms, passed) <= 1 || r->t - 1 < end(r, arms, passed))
    return 0;
  return stages_left(arms, passed + 1);
}

void stages_drop(struct stages s, int k, double *merit, int keep) {
  double *worst = merit;
  int in = stages_left((int)*s.arms, (int)*s.passed);
  for (int i = 0; i < k; i++)
    worst[i] = s.in[i] > 0 ? -merit[i] : -INFINITY;
  for (; in > keep; in--) {
    interrupt_check(in, (size_t)k);
    const int out = linalg_which_max(k, worst, 0);
    if (out < 0)
      break;
    s.in[out] = 0;
    worst[out] = -INFINITY;
  }
  ++*s.passed;
}
