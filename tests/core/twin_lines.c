#include "twin_lines.h"

#include <float.h>
#include <math.h>

#include "normal.h"
#include "stubs.h"
#include "student.h"

/* The line that is highest as Z goes to infinity in the direction `sign`. */
static int outermost(const struct lines *l, double sign) {
  double most = -INFINITY;
  int found = -1;
  for (int i = 0; i < l->k; i++)
    most = fmax(most, sign * l->slope[i]);
  for (int i = 0; i < l->k; i++)
    if (sign * l->slope[i] >= most - l->equal &&
        (found < 0 || l->mean[i] > l->mean[found]))
      found = i;
  return found;
}

static double height(const struct lines *l, int i, double z) {
  return l->mean[i] + l->slope[i] * z;
}

/* The line between two that is higher than both where they cross, at z; -1: none is. */
static int above(const struct lines *l, int left, int right, double z) {
  int top = 0;
  for (int i = 1; i < l->k; i++)
    if (height(l, i, z) > height(l, top, z))
      top = i;
  const double magnitude = fabs(l->mean[left]) + fabs(l->slope[left] * z) +
                           fabs(l->mean[right]) + fabs(l->slope[right] * z);
  const double cross = fmax(height(l, left, z), height(l, right, z));
  if (!(height(l, top, z) - cross > 8 * DBL_EPSILON * magnitude))
    return -1;
  return l->slope[top] > l->slope[left] && l->slope[top] < l->slope[right] ? top : -1;
}

double twin_worth(const struct lines *l) {
  int *stack = stub_ints((size_t)l->k), n = 0, left = outermost(l, -1);
  double sum = -INFINITY;
  stack[n++] = outermost(l, 1);
  while (n > 0) {
    const int right = stack[n - 1];
    const double turn = l->slope[right] - l->slope[left];
    int between = -1;
    if (turn > l->equal) {
      const double z = (l->mean[left] - l->mean[right]) / turn;
      between = above(l, left, right, z);
      if (between < 0)
        sum = normal_log_add(sum, log(turn) + student_log_excess(-fabs(z), l->df));
    }
    if (between < 0) {
      left = right;
      n--;
    } else {
      stack[n++] = between;
    }
  }
  return sum;
}
