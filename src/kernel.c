/* What the nodes of a tree do, one row of a table a kind; then the tree, gone through once
 * for covariances and there and back for derivatives. */
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

struct kind {
  const char *name; /* key used from R */

  /* A leaf's covariances of some pairs. */
  void (*value)(const struct kernel *, int node, const struct pairs *, double *out);
  /* out[q] += slope * dG / dlog value[q] at one pair; NULL: it has no parameters. */
  void (*gradient)(const struct kernel *, int node, const struct pairs *, double slope,
                   double *out);
  /* Where length scales are the parameters: what d_c^2 is multiplied with in the derivative
   * by the logarithm of the c-th, at r^2 > 0. */
  double (*steepness)(double r2);

  /* An operator: left becomes what it makes of left and right; NULL for a leaf. */
  void (*join)(int n, const double *right, double *restrict left);
  /* How that changes with one of them, given the other. */
  double (*slope)(double other);
};

static const struct kind *kind_of(const struct kernel *, int node);

static const double *coordinate(const struct kernel *k, int node, int column) {
  return k->x + (size_t)k->k * (size_t)(k->column[node] + column);
}

/* ---- Leaves ------------------------------------------------------------------------ */

/* Derivatives take one pair at a time, which is not worth the memset that the loop becomes. */
static void fill(int n, double value, double *out) {
  if (n == 1)
    *out = value;
  else
    for (int i = 0; i < n; i++)
      out[i] = value;
}

static void constant(const struct kernel *k, int node, const struct pairs *p,
                     double *out) {
  fill(p->n, k->value[k->param[node]], out);
}

static void constant_gradient(const struct kernel *k, int node, const struct pairs *p,
                              double slope, double *out) {
  (void)p;
  out[k->param[node]] += slope * k->value[k->param[node]];
}

static void white(const struct kernel *k, int node, const struct pairs *p, double *out) {
  (void)k, (void)node;
  fill(p->n, 0, out);
  if (p->arm >= p->from && p->arm < p->from + p->n)
    out[p->arm - p->from] = 1;
}

static void matrix(const struct kernel *k, int node, const struct pairs *p, double *out) {
  memcpy(out, k->matrix[k->column[node]] + (size_t)k->k * (size_t)p->arm + p->from,
         (size_t)p->n * sizeof(double));
}

static void linear(const struct kernel *k, int node, const struct pairs *p, double *out) {
  fill(p->n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    linalg_add(p->n, x[p->arm], x + p->from, out);
  }
}

HOT static void add_differs(int n, const double *x, double at, double *restrict out) {
  for (int i = 0; i < n; i++)
    out[i] += x[i] != at ? 1 : 0;
}

/* exp(-delta m). Arms of one class are alike even when delta is infinite. */
static double similarity(double delta, double differences) {
  return differences > 0 ? exp(-delta * differences) : 1;
}

static void differences(const struct kernel *k, int node, const struct pairs *p,
                        double *out) {
  fill(p->n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    add_differs(p->n, x + p->from, x[p->arm], out);
  }
}

static void factor(const struct kernel *k, int node, const struct pairs *p, double *out) {
  const double delta = k->value[k->param[node]];
  differences(k, node, p, out);
  for (int i = 0; i < p->n; i++)
    out[i] = similarity(delta, out[i]);
}

static void factor_gradient(const struct kernel *k, int node, const struct pairs *p,
                            double slope, double *out) {
  const double delta = k->value[k->param[node]];
  double m;
  differences(k, node, p, &m);
  if (m > 0 && delta < INFINITY)
    out[k->param[node]] -= slope * m * delta * similarity(delta, m);
}

/* ---- Leaves that fall with the distance -------------------------------------------- */

HOT static void add_squares(int n, const double *x, double at, double inverse,
                            double *restrict out) {
  for (int i = 0; i < n; i++) {
    const double d = (x[i] - at) * inverse;
    out[i] += d * d;
  }
}

static void distances2(const struct kernel *k, int node, const struct pairs *p,
                       double *out) {
  const double *lengthscale = k->value + k->param[node];
  fill(p->n, 0, out);
  for (int c = 0; c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    add_squares(p->n, x + p->from, x[p->arm], 1 / lengthscale[c], out);
  }
}

/* The limit at distance 0 is 0. */
static void lengthscales(const struct kernel *k, int node, const struct pairs *p,
                         double slope, double *out) {
  double r2;
  distances2(k, node, p, &r2);
  const double f = slope * (r2 == 0 ? 0 : kind_of(k, node)->steepness(r2));
  for (int c = 0; f != 0 && c < k->columns[node]; c++) {
    const double *x = coordinate(k, node, c);
    const double d = (x[p->from] - x[p->arm]) / k->value[k->param[node] + c];
    out[k->param[node] + c] += f * d * d;
  }
}

static void se(const struct kernel *k, int node, const struct pairs *p, double *out) {
  distances2(k, node, p, out);
  for (int i = 0; i < p->n; i++) {
    const double s = out[i] / 2;
    out[i] = s < FAR ? exp(-s) : 0;
  }
}

static double se_steepness(double r2) {
  const double s = r2 / 2;
  return s < FAR ? exp(-s) : 0;
}

static void matern12(const struct kernel *k, int node, const struct pairs *p,
                     double *out) {
  distances2(k, node, p, out);
  for (int i = 0; i < p->n; i++) {
    const double s = sqrt(out[i]);
    out[i] = s < FAR ? exp(-s) : 0;
  }
}

static double matern12_steepness(double r2) {
  const double s = sqrt(r2);
  return s < FAR ? exp(-s) / s : 0;
}

static void matern32(const struct kernel *k, int node, const struct pairs *p,
                     double *out) {
  distances2(k, node, p, out);
  for (int i = 0; i < p->n; i++) {
    const double s = sqrt(3 * out[i]);
    out[i] = s < FAR ? (1 + s) * exp(-s) : 0;
  }
}

static double matern32_steepness(double r2) {
  const double s = sqrt(3 * r2);
  return s < FAR ? 3 * exp(-s) : 0;
}

static void matern52(const struct kernel *k, int node, const struct pairs *p,
                     double *out) {
  distances2(k, node, p, out);
  for (int i = 0; i < p->n; i++) {
    const double s = sqrt(5 * out[i]);
    out[i] = s < FAR ? (1 + s + s * s / 3) * exp(-s) : 0;
  }
}

static double matern52_steepness(double r2) {
  const double s = sqrt(5 * r2);
  return s < FAR ? 5 * (1 + s) * exp(-s) / 3 : 0;
}

/* ---- Operators --------------------------------------------------------------------- */

static void sum(int n, const double *right, double *restrict left) {
  linalg_add(n, 1, right, left);
}

static double sum_slope(double other) {
  (void)other;
  return 1;
}

HOT static void product(int n, const double *right, double *restrict left) {
  for (int i = 0; i < n; i++)
    left[i] *= right[i];
}

static double product_slope(double other) {
  return other;
}

/* ---- The table --------------------------------------------------------------------- */

static const struct kind KINDS[KERNEL_KINDS] = {
    [KERNEL_CONST] = {.name = "const", .value = constant, .gradient = constant_gradient},
    [KERNEL_WHITE] = {.name = "white", .value = white},
    [KERNEL_MATRIX] = {.name = "matrix", .value = matrix},
    [KERNEL_LINEAR] = {.name = "linear", .value = linear},
    [KERNEL_FACTOR] = {.name = "factor", .value = factor, .gradient = factor_gradient},
    [KERNEL_SE] = {.name = "se",
                   .value = se,
                   .gradient = lengthscales,
                   .steepness = se_steepness},
    [KERNEL_MATERN12] = {.name = "matern12",
                         .value = matern12,
                         .gradient = lengthscales,
                         .steepness = matern12_steepness},
    [KERNEL_MATERN32] = {.name = "matern32",
                         .value = matern32,
                         .gradient = lengthscales,
                         .steepness = matern32_steepness},
    [KERNEL_MATERN52] = {.name = "matern52",
                         .value = matern52,
                         .gradient = lengthscales,
                         .steepness = matern52_steepness},
    [KERNEL_SUM] = {.name = "sum", .join = sum, .slope = sum_slope},
    [KERNEL_PRODUCT] = {.name = "product", .join = product, .slope = product_slope},
};

const char *kernel_name(enum kernel_op op) {
  return KINDS[op].name;
}

int kernel_operands(enum kernel_op op) {
  return KINDS[op].join ? 2 : 0;
}

static const struct kind *kind_of(const struct kernel *k, int node) {
  return KINDS + k->op[node];
}

/* ---- Covariances ------------------------------------------------------------------- */

HOT static void cut_off(int n, double *restrict x) {
  for (int i = 0; i < n; i++)
    x[i] = fabs(x[i]) < LEAST ? 0 : x[i];
}

/* At most BLOCK pairs. */
static void evaluate(const struct kernel *k, const struct pairs *p,
                     double *restrict out) {
  double stack[KERNEL_DEPTH][BLOCK];
  int top = -1;
  for (int node = 0; node < k->nodes; node++) {
    const struct kind *kind = kind_of(k, node);
    if (kind->join) {
      top--;
      kind->join(p->n, stack[top + 1], stack[top]);
    } else {
      kind->value(k, node, p, stack[++top]);
    }
  }
  cut_off(p->n, stack[0]);
  memcpy(out, stack[0], (size_t)p->n * sizeof(double));
}

void kernel_column(const struct kernel *k, int arm, double *restrict out) {
  for (int from = 0; from < k->k; from += BLOCK) {
    const int left = k->k - from;
    const struct pairs p = {arm, from, left < BLOCK ? left : BLOCK};
    evaluate(k, &p, out + from);
  }
}

double kernel_at(const struct kernel *k, int i, int j) {
  const struct pairs p = {j, i, 1};
  double out;
  evaluate(k, &p, &out);
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
    if (kind_of(k, node)->join) {
      t->right[node] = stack[top--];
      t->left[node] = stack[top--];
    }
    stack[++top] = node;
  }
}

static void forward(const struct kernel *k, const struct pairs *p, struct tape *t) {
  for (int node = 0; node < k->nodes; node++) {
    const struct kind *kind = kind_of(k, node);
    double *value = t->value + node;
    if (kind->join) {
      *value = t->value[t->left[node]];
      kind->join(1, t->value + t->right[node], value);
    } else {
      kind->value(k, node, p, value);
    }
  }
}

/* From the root, the last node, back to the leaves. */
static void backward(const struct kernel *k, const struct pairs *p, double weight,
                     struct tape *t, double *out) {
  t->slope[k->nodes - 1] = weight;
  for (int node = k->nodes - 1; node >= 0; node--) {
    const struct kind *kind = kind_of(k, node);
    const double slope = t->slope[node];
    if (kind->join) {
      const int left = t->left[node], right = t->right[node];
      t->slope[left] = slope * kind->slope(t->value[right]);
      t->slope[right] = slope * kind->slope(t->value[left]);
    } else if (kind->gradient) {
      kind->gradient(k, node, p, slope, out);
    }
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
      forward(k, &p, &t);
      backward(k, &p, both * weight[(size_t)i + (size_t)n * (size_t)j], &t, out);
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
