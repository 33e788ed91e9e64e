#include "kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hot.h"
#include "linalg.h"

/* Arms that are worked on together: all values on the stack of operands stay in the cache. */
enum { BLOCK = 128 };

/* Smaller covariances are 0: products of them would leave the range of numbers. */
static const double LEAST = 1e-200;

/* exp(-FAR) is about as small; distances that overflow are farther. */
static const double FAR = 461;

/* The arms from .. from + n - 1, each paired with `arm`. */
struct pairs {
  int arm, from, n;
};

static enum kernel_op op_of(const struct kernel *k, int node) {
  return (enum kernel_op)k->op[node];
}

static const double *coordinate(const struct kernel *k, int node, int column) {
  return k->x + (size_t)k->k * (size_t)(k->column[node] + column);
}

/* ---- Leaves ------------------------------------------------------------------------ */

HOT static void add_squares(int n, const double *x, double at, double inverse,
                            double *restrict out) {
  for (int i = 0; i < n; i++) {
    const double d = (x[i] - at) * inverse;
    out[i] += d * d;
  }
}

HOT static void add_differs(int n, const double *x, double at, double *restrict out) {
  for (int i = 0; i < n; i++)
    out[i] += x[i] != at ? 1 : 0;
}

HOT static void multiply(int n, const double *x, double *restrict out) {
  for (int i = 0; i < n; i++)
    out[i] *= x[i];
}

HOT static void cut_off(int n, double *restrict x) {
  for (int i = 0; i < n; i++)
    x[i] = fabs(x[i]) < LEAST ? 0 : x[i];
}

static void fill(int n, double value, double *out) {
  for (int i = 0; i < n; i++)
    out[i] = value;
}

static void linear(const struct kernel *k, int node, struct pairs p, double *out) {
  fill(p.n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    linalg_add(p.n, x[p.arm], x + p.from, out);
  }
}

/* exp(-delta m). Arms of one class are alike even when delta is infinite. */
static double similarity(double delta, double differences) {
  return differences > 0 ? exp(-delta * differences) : 1;
}

static void differences(const struct kernel *k, int node, struct pairs p, double *out) {
  fill(p.n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    add_differs(p.n, x + p.from, x[p.arm], out);
  }
}

static void distances2(const struct kernel *k, int node, struct pairs p, double *out) {
  const double *lengthscale = k->value + k->param[node];
  fill(p.n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    add_squares(p.n, x + p.from, x[p.arm], 1 / lengthscale[c], out);
  }
}

/* The covariance is exp(-s) times a polynomial in s. */
static double exponent(enum kernel_op op, double r2) {
  switch (op) {
  case KERNEL_SE:
    return r2 / 2;
  case KERNEL_MATERN12:
    return sqrt(r2);
  case KERNEL_MATERN32:
    return sqrt(3 * r2);
  default:
    return sqrt(5 * r2);
  }
}

static double correlation(enum kernel_op op, double r2) {
  const double s = exponent(op, r2);
  if (!(s < FAR))
    return 0;
  if (op == KERNEL_MATERN32)
    return (1 + s) * exp(-s);
  if (op == KERNEL_MATERN52)
    return (1 + s + s * s / 3) * exp(-s);
  return exp(-s);
}

static void leaf(const struct kernel *k, int node, struct pairs p, double *out) {
  const enum kernel_op op = op_of(k, node);
  switch (op) {
  case KERNEL_CONST:
    fill(p.n, k->value[k->param[node]], out);
    break;
  case KERNEL_WHITE:
    fill(p.n, 0, out);
    if (p.arm >= p.from && p.arm < p.from + p.n)
      out[p.arm - p.from] = 1;
    break;
  case KERNEL_MATRIX:
    memcpy(out, k->matrix[k->column[node]] + (size_t)k->k * (size_t)p.arm + p.from,
           (size_t)p.n * sizeof(double));
    break;
  case KERNEL_LINEAR:
    linear(k, node, p, out);
    break;
  case KERNEL_FACTOR:
    differences(k, node, p, out);
    for (int i = 0; i < p.n; i++)
      out[i] = similarity(k->value[k->param[node]], out[i]);
    break;
  default:
    distances2(k, node, p, out);
    for (int i = 0; i < p.n; i++)
      out[i] = correlation(op, out[i]);
  }
}

/* ---- Covariances ------------------------------------------------------------------- */

/* At most BLOCK pairs. */
static void evaluate(const struct kernel *k, struct pairs p, double *restrict out) {
  double stack[KERNEL_DEPTH][BLOCK];
  int top = -1;
  for (int node = 0; node < k->nodes; node++) {
    const enum kernel_op op = op_of(k, node);
    if (op < KERNEL_SUM) {
      leaf(k, node, p, stack[++top]);
      continue;
    }
    top--;
    if (op == KERNEL_SUM)
      linalg_add(p.n, 1, stack[top + 1], stack[top]);
    else
      multiply(p.n, stack[top + 1], stack[top]);
  }
  cut_off(p.n, stack[0]);
  memcpy(out, stack[0], (size_t)p.n * sizeof(double));
}

void kernel_column(const struct kernel *k, int arm, double *restrict out) {
  for (int from = 0; from < k->k; from += BLOCK) {
    const int left = k->k - from;
    const struct pairs p = {arm, from, left < BLOCK ? left : BLOCK};
    evaluate(k, p, out + from);
  }
}

double kernel_at(const struct kernel *k, int i, int j) {
  const struct pairs p = {j, i, 1};
  double out;
  evaluate(k, p, &out);
  return out;
}

void kernel_diagonal(const struct kernel *k, double *restrict out) {
  for (int i = 0; i < k->k; i++)
    out[i] = kernel_at(k, i, i);
}

/* ---- Derivatives ------------------------------------------------------------------- */

/* The nodes at one pair of arms: their values, and how the root changes with each. */
struct tape {
  int left[KERNEL_NODES], right[KERNEL_NODES]; /* the operands of an operator */
  double value[KERNEL_NODES], slope[KERNEL_NODES];
};

static void find_operands(const struct kernel *k, struct tape *t) {
  int stack[KERNEL_DEPTH], top = -1;
  for (int node = 0; node < k->nodes; node++) {
    if (op_of(k, node) >= KERNEL_SUM) {
      t->right[node] = stack[top--];
      t->left[node] = stack[top--];
    }
    stack[++top] = node;
  }
}

static void forward(const struct kernel *k, struct pairs p, struct tape *t) {
  for (int node = 0; node < k->nodes; node++) {
    const enum kernel_op op = op_of(k, node);
    if (op < KERNEL_SUM)
      leaf(k, node, p, t->value + node);
    else if (op == KERNEL_SUM)
      t->value[node] = t->value[t->left[node]] + t->value[t->right[node]];
    else
      t->value[node] = t->value[t->left[node]] * t->value[t->right[node]];
  }
}

/* What d_c^2 is multiplied with in the derivative by the logarithm of length scale c. The
 * limit at distance 0 is 0. */
static double steepness(enum kernel_op op, double r2) {
  const double s = exponent(op, r2);
  if (!(s < FAR) || r2 == 0)
    return 0;
  switch (op) {
  case KERNEL_SE:
    return exp(-s);
  case KERNEL_MATERN12:
    return exp(-s) / s;
  case KERNEL_MATERN32:
    return 3 * exp(-s);
  default:
    return 5 * (1 + s) * exp(-s) / 3;
  }
}

static void add_lengthscales(const struct kernel *k, int node, struct pairs p,
                             double slope, double *out) {
  double r2;
  distances2(k, node, p, &r2);
  const double f = slope * steepness(op_of(k, node), r2);
  for (int c = 0; f != 0 && c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    const double d = (x[p.from] - x[p.arm]) / k->value[k->param[node] + c];
    out[k->param[node] + c] += f * d * d;
  }
}

static void add_similarity(const struct kernel *k, int node, struct pairs p, double slope,
                           double *out) {
  const double delta = k->value[k->param[node]];
  double m;
  differences(k, node, p, &m);
  if (m > 0 && delta < INFINITY)
    out[k->param[node]] -= slope * m * delta * similarity(delta, m);
}

static void add_leaf(const struct kernel *k, int node, struct pairs p, double slope,
                     double *out) {
  const enum kernel_op op = op_of(k, node);
  if (op == KERNEL_CONST)
    out[k->param[node]] += slope * k->value[k->param[node]];
  else if (op == KERNEL_FACTOR)
    add_similarity(k, node, p, slope, out);
  else if (op >= KERNEL_SE)
    add_lengthscales(k, node, p, slope, out);
}

/* From the root, the last node, back to the leaves. */
static void backward(const struct kernel *k, struct pairs p, double weight,
                     struct tape *t, double *out) {
  t->slope[k->nodes - 1] = weight;
  for (int node = k->nodes - 1; node >= 0; node--) {
    const enum kernel_op op = op_of(k, node);
    const double slope = t->slope[node];
    if (op < KERNEL_SUM) {
      add_leaf(k, node, p, slope, out);
      continue;
    }
    const int left = t->left[node], right = t->right[node];
    t->slope[left] = op == KERNEL_SUM ? slope : slope * t->value[right];
    t->slope[right] = op == KERNEL_SUM ? slope : slope * t->value[left];
  }
}

void kernel_gradient(const struct kernel *k, int n, const int *arm, const double *weight,
                     double *restrict out) {
  struct tape t;
  find_operands(k, &t);
  fill(k->params, 0, out);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      const struct pairs p = {arm[j], arm[i], 1};
      const double both = i < j ? 2 : 1;
      forward(k, p, &t);
      backward(k, p, both * weight[(size_t)i + (size_t)n * (size_t)j], &t, out);
    }
}

/* ---- A factor ---------------------------------------------------------------------- */

static void column_of(const void *kernel, int arm, double *restrict out) {
  kernel_column(kernel, arm, out);
}

int kernel_factor(const struct kernel *k, double tolerance, int limit, double *factor,
                  double *rest, double *work) {
  kernel_diagonal(k, rest);
  return linalg_low_rank(k->k, column_of, k, tolerance, limit, factor, rest, work);
}
