#include "average.h"

#include <float.h>
#include <math.h>
#include <string.h>

void average_start(struct average *a, int k) {
  memset(a->mean, 0, (size_t)k * sizeof(double));
  memset(a->weight, 0, (size_t)k * sizeof(double));
  memset(a->when, 0, (size_t)k * sizeof(int));
  a->told = 0;
}

void average_add(struct average *a, int arm, double y, double noise2) {
  double *mean = a->mean + arm, *weight = a->weight + arm;
  a->told++;
  if (isinf(*weight))
    return;
  a->when[arm] = a->told;
  if (noise2 > DBL_MIN) {
    /* A running mean: sums of large rewards would lose their digits. */
    *weight += 1 / noise2;
    *mean += (y - *mean) / (noise2 * *weight);
  } else {
    *weight = INFINITY;
    *mean = y;
  }
}

/* 1: the arm comes after the other. */
static int after(const struct average *a, int arm, int other) {
  const int exact = isinf(a->weight[arm]) != 0, others = isinf(a->weight[other]) != 0;
  return exact == others ? a->when[arm] > a->when[other] : others;
}

int average_order(const struct average *a, int k, int *order) {
  int m = 0;
  for (int arm = 0; arm < k; arm++) {
    if (a->when[arm] == 0)
      continue;
    int at = m++;
    for (; at > 0 && after(a, order[at - 1], arm); at--)
      order[at] = order[at - 1];
    order[at] = arm;
  }
  return m;
}
