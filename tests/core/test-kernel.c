/* Kernels against their formulas, pair by pair. */
#include <R_ext/Random.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "problem.h"

enum { COORDINATES = 4 };

/* Two columns of numbers and two of categories, some arms equal. */
static double *coordinates(int k) {
  double *x = normals(k * COORDINATES);
  for (int i = 0; i < k; i++) {
    x[i + 2 * k] = whole(2);
    x[i + 3 * k] = whole(3);
    for (int c = 0; i % 5 == 4 && c < COORDINATES; c++)
      x[i + k * c] = x[i - 1 + k * c];
  }
  return x;
}

static void add_random_leaf(struct tree *t, enum kernel_op op) {
  const int columns = op == KERNEL_CONST || op == KERNEL_WHITE ? 0 : 1 + whole(3);
  const int column = whole(COORDINATES - columns + 1);
  const int params = op == KERNEL_CONST || op == KERNEL_FACTOR ? 1
                     : op >= KERNEL_SE                         ? columns
                                                               : 0;
  const int first = t->kernel.params;
  tree_add(t, op, op == KERNEL_MATRIX ? 0 : column, columns, params);
  for (int i = first; i < t->kernel.params; i++)
    t->value[i] = exp(0.7 * norm_rand());
  if (op == KERNEL_FACTOR && whole(3) == 0)
    t->value[first] = INFINITY;
}

/* At most 2^height leaves. */
static void add_random_tree(struct tree *t, int height) {
  if (height == 0 || whole(4) == 0) {
    add_random_leaf(t, (enum kernel_op)whole(KERNEL_SUM));
    return;
  }
  add_random_tree(t, height - 1);
  add_random_tree(t, height - 1);
  tree_add(t, whole(2) ? KERNEL_SUM : KERNEL_PRODUCT, 0, 0, 0);
}

static void random_tree(struct tree *t, int k, int height) {
  tree_start(t, k, coordinates(k), crossed(k, 3, normals(k * 3)));
  add_random_tree(t, height);
}

static double leaf_twin(const struct tree *t, int node, int i, int j) {
  const int k = t->kernel.k;
  const double *value = t->value + t->param[node];
  double sum = 0, differ = 0, dot = 0;
  for (int c = 0; c < t->columns[node]; c++) {
    const double a = t->kernel.x[i + k * (t->column[node] + c)];
    const double b = t->kernel.x[j + k * (t->column[node] + c)];
    dot += a * b;
    differ += a != b;
    if (t->op[node] >= KERNEL_SE)
      sum += pow((a - b) / value[c], 2);
  }
  const double r = sqrt(sum);
  switch (t->op[node]) {
  case KERNEL_CONST:
    return value[0];
  case KERNEL_WHITE:
    return i == j;
  case KERNEL_MATRIX:
    return t->matrix[0][i + k * j];
  case KERNEL_LINEAR:
    return dot;
  case KERNEL_FACTOR:
    return pow(exp(-value[0]), differ);
  case KERNEL_SE:
    return exp(-sum / 2);
  case KERNEL_MATERN12:
    return exp(-r);
  case KERNEL_MATERN32:
    return (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
  default:
    return (1 + sqrt(5) * r + 5 * sum / 3) * exp(-sqrt(5) * r);
  }
}

/* The node and, before it, all that it consists of; *node moves on to what is left. */
static double tree_twin(const struct tree *t, int *node, int i, int j) {
  const int here = (*node)--;
  if (t->op[here] < KERNEL_SUM)
    return leaf_twin(t, here, i, j);
  const double right = tree_twin(t, node, i, j), left = tree_twin(t, node, i, j);
  return t->op[here] == KERNEL_SUM ? left + right : left * right;
}

static void check_tree(const struct tree *t) {
  const int k = t->kernel.k;
  double *column = stub_doubles((size_t)k), *diagonal = stub_doubles((size_t)k);
  kernel_diagonal(&t->kernel, diagonal);
  int exact = 1;
  for (int j = 0; j < k; j++) {
    kernel_column(&t->kernel, j, column);
    exact = exact && diagonal[j] == column[j];
    for (int i = 0; i < k; i++) {
      int node = t->kernel.nodes - 1;
      exact = exact && near(column[i], tree_twin(t, &node, i, j), 1e-12) && node == -1;
      exact = exact && column[i] == kernel_at(&t->kernel, i, j);
    }
  }
  CHECK(exact);
}

static void test_kernel_table(void) {
  for (int i = 0; i < KERNEL_KINDS; i++) {
    const char *name = kernel_name((enum kernel_op)i);
    int found = 0;
    for (int j = 0; name && j < KERNEL_KINDS; j++)
      found += strcmp(name, kernel_name((enum kernel_op)j)) == 0;
    CHECK(found == 1);
    CHECK(kernel_operands((enum kernel_op)i) == (i < KERNEL_SUM ? 0 : 2));
  }
}

static void test_kernel_leaves(void) {
  const int sizes[] = {1, 2, 5, 127, 128, 129, 300};
  for (int s = 0; s < 7; s++)
    for (int op = 0; op < KERNEL_SUM; op++) {
      struct tree t;
      random_tree(&t, sizes[s], 0);
      tree_start(&t, sizes[s], t.kernel.x, t.matrix[0]);
      add_random_leaf(&t, (enum kernel_op)op);
      check_tree(&t);
    }
}

static void test_kernel_trees(void) {
  for (int n = 0; n < 100; n++) {
    struct tree t;
    random_tree(&t, 1 + whole(20), n % 6);
    check_tree(&t);
  }
}

/* As deep and as large as R lets it be: a (b (c ...)). */
static void test_kernel_limits(void) {
  struct tree t;
  random_tree(&t, 6, 0);
  tree_start(&t, 6, t.kernel.x, t.matrix[0]);
  for (int i = 0; i < KERNEL_DEPTH; i++)
    add_random_leaf(&t, (enum kernel_op)(i % KERNEL_SUM));
  for (int i = 0; i < KERNEL_DEPTH - 1; i++)
    tree_add(&t, i % 2 ? KERNEL_SUM : KERNEL_PRODUCT, 0, 0, 0);
  check_tree(&t);
  while (t.kernel.nodes + 2 <= KERNEL_NODES) {
    add_random_leaf(&t, (enum kernel_op)whole(KERNEL_SUM));
    tree_add(&t, KERNEL_SUM, 0, 0, 0);
  }
  check_tree(&t);
}

/* Far away is 0, never NaN: not by overflow, not by products of tiny numbers. */
static void test_kernel_extremes(void) {
  const double far[] = {0, 1e-100, 30, 31, 1e3, 1e8, 1e100, -1e100};
  for (int op = KERNEL_SE; op <= KERNEL_MATERN52; op++)
    for (int s = 0; s < 3; s++) {
      struct tree t;
      tree_start(&t, 8, far, NULL);
      tree_add(&t, (enum kernel_op)op, 0, 1, 1);
      t.value[0] = s == 0 ? 1 : s == 1 ? 1e-100 : 1e100;
      tree_add(&t, (enum kernel_op)op, 0, 1, 1);
      t.value[1] = t.value[0];
      tree_add(&t, KERNEL_PRODUCT, 0, 0, 0);
      double out[8], slope[2], weight[64];
      int arm[8], ok = 1;
      for (int i = 0; i < 64; i++)
        weight[i] = 1;
      for (int j = 0; j < 8; j++) {
        arm[j] = j;
        kernel_column(&t.kernel, j, out);
        for (int i = 0; i < 8; i++)
          ok = ok && (out[i] == 0 || out[i] >= 1e-200) && out[i] <= 1;
        ok = ok && out[j] == 1;
      }
      kernel_gradient(&t.kernel, 8, arm, weight, slope);
      CHECK(ok && slope[0] >= 0 && slope[0] < 64 && slope[0] == slope[1]);
    }
}

static double weighted_sum(const struct tree *t, int n, const int *arm,
                           const double *weight) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += weight[i + n * j] * kernel_at(&t->kernel, arm[i], arm[j]);
  return sum;
}

/* Against central differences in the logarithm of each parameter; arms may come twice. */
static void check_gradient(struct tree *t) {
  const int n = 8, k = t->kernel.k, params = t->kernel.params;
  const double *weight = crossed(n, 2, normals(n * 2)), h = 1e-5;
  double *found = stub_doubles((size_t)params), size = 0;
  int *arm = stub_ints((size_t)n);
  for (int i = 0; i < n; i++) {
    arm[i] = whole(k);
    size += fabs(kernel_at(&t->kernel, arm[i], arm[i]));
  }
  kernel_gradient(&t->kernel, n, arm, weight, found);
  for (int i = 0; i < params; i++) {
    const double value = t->value[i];
    t->value[i] = value * exp(h);
    const double above = weighted_sum(t, n, arm, weight);
    t->value[i] = value * exp(-h);
    const double below = weighted_sum(t, n, arm, weight);
    t->value[i] = value;
    CHECK(fabs(found[i] - (above - below) / (2 * h)) <= 1e-6 * (1 + size));
  }
}

static void test_kernel_gradient(void) {
  for (int n = 0; n < 20 * KERNEL_SUM; n++) {
    struct tree t;
    random_tree(&t, 2 + whole(12), 0);
    tree_start(&t, t.kernel.k, t.kernel.x, t.matrix[0]);
    add_random_leaf(&t, (enum kernel_op)(n % KERNEL_SUM));
    check_gradient(&t);
    random_tree(&t, 2 + whole(12), 1 + n % 4);
    check_gradient(&t);
  }
}

/* The factor gives G back. Cut short, it leaves no variance out, and nothing of the arms
 * that were its pivots. */
static void test_kernel_factor(void) {
  for (int n = 0; n < 60; n++) {
    struct tree t;
    const int k = 1 + whole(20), limit = n % 2 ? k : 1 + whole(k);
    random_tree(&t, k, n % 4);
    double *f = stub_doubles((size_t)k * (size_t)limit), *rest = stub_doubles((size_t)k);
    double *g = stub_doubles((size_t)k * (size_t)k), most = 0, worst = 0;
    for (int j = 0; j < k; j++) {
      kernel_column(&t.kernel, j, g + k * j);
      most = fmax(most, g[j + k * j]);
    }
    const double tolerance = 10 * k * DBL_EPSILON * most;
    const int rank =
        kernel_factor(&t.kernel, tolerance, limit, f, rest, stub_doubles((size_t)limit));
    CHECK(rank >= 0 && rank <= limit);
    const double *again = crossed(k, rank, f);
    int known = 0;
    for (int i = 0; i < k; i++) {
      known += rest[i] <= tolerance;
      CHECK(rest[i] >= 0);
      CHECK(fabs(again[i + k * i] + rest[i] - g[i + k * i]) <= 1e-12 * most);
      for (int j = 0; j < k; j++)
        if (rest[i] <= tolerance)
          worst = fmax(worst, fabs(again[i + k * j] - g[i + k * j]));
    }
    CHECK(known >= rank && (limit < k || known == k));
    CHECK(worst <= 1e-6 * most);
  }
}

const struct test TESTS_KERNEL[] = {
    {"kernels: table", test_kernel_table},
    {"kernels: leaves", test_kernel_leaves},
    {"kernels: trees", test_kernel_trees},
    {"kernels: the largest", test_kernel_limits},
    {"kernels: extremes", test_kernel_extremes},
    {"kernels: gradient", test_kernel_gradient},
    {"kernels: factor", test_kernel_factor},
    {0},
};
