/* A kernel: the covariance G of any two arms as a tree of simple ones, evaluated where it is
 * asked for, so that no k x k matrix is needed.
 *
 * The tree is a list of nodes in postfix order: an operator follows its two operands. A leaf
 * reads `columns` columns of the coordinates x from `column` on, and its parameters from
 * `param` on: a length scale for each of the columns, or one number. */
#ifndef BAYESGAP_KERNEL_H
#define BAYESGAP_KERNEL_H

/* R makes no larger tree, and none whose operands would pile up higher. */
enum { KERNEL_NODES = 64, KERNEL_DEPTH = 16 };

/* What a node may be; kernel.c has a row for each. The numbers stand in saved runs: a new kind
 * comes last.
 *
 * For arms x and x', d_c = (x_c - x'_c) / lengthscale_c and r^2 the sum of d_c^2. */
enum kernel_op {
  KERNEL_CONST,    /* value */
  KERNEL_WHITE,    /* 1 for an arm with itself, else 0 */
  KERNEL_MATRIX,   /* the matrix with the number `column` */
  KERNEL_LINEAR,   /* sum of x_c x'_c */
  KERNEL_FACTOR,   /* exp(-value m), m the number of columns that differ */
  KERNEL_SE,       /* exp(-r^2 / 2) */
  KERNEL_MATERN12, /* exp(-r) */
  KERNEL_MATERN32, /* (1 + s) exp(-s), s = sqrt(3) r */
  KERNEL_MATERN52, /* (1 + s + s^2 / 3) exp(-s), s = sqrt(5) r */
  KERNEL_SUM,
  KERNEL_PRODUCT,
  KERNEL_KINDS
};

struct kernel {
  int k, nodes, params;
  const int *op, *column, *columns, *param; /* nodes */
  const double *x;                          /* k rows; the codes of categories too */
  const double *value;                      /* params */
  const double *const *matrix;              /* k x k each */
};

/* The name by which R knows a kind of node, and its operands: none or two. */
const char *kernel_name(enum kernel_op);
int kernel_operands(enum kernel_op);

/* The covariance of all arms with one of them: k doubles. */
void kernel_column(const struct kernel *, int arm, double *restrict out);

/* The covariance of each arm with itself: k doubles. */
void kernel_diagonal(const struct kernel *, double *restrict out);

double kernel_at(const struct kernel *, int i, int j);

/* How a weighted sum of covariances changes with the logarithms of the parameters:
 * out[p] = sum over i, j < n of weight[i + n j] dG[arm[i], arm[j]] / dlog value[p]. The
 * weights are symmetric. */
void kernel_gradient(const struct kernel *, int n, const int *arm, const double *weight,
                     double *restrict out);

/* Pivoted Cholesky: G = F F' + what is left, whose diagonal is `rest`. Stops when no
 * variance above `tolerance` is left, or at `limit` columns; returns their number. factor:
 * k x limit, rest: k, work: limit. */
int kernel_factor(const struct kernel *, double tolerance, int limit, double *factor,
                  double *rest, double *work);

#endif
