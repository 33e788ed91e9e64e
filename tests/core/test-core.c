/* The C core by itself: every function against a slow and obvious twin written here, or
 * against the independent numbers of vectors.h. All memory comes in blocks of exactly the
 * sizes that the headers ask for, so that the sanitizers see a step past any of them. */
#define _XOPEN_SOURCE 700
#include <R_ext/Random.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corridor.h"
#include "evidence.h"
#include "gap.h"
#include "linalg.h"
#include "plain.h"
#include "store.h"
#include "student.h"
#include "stubs.h"
#include "vectors.h"

static int passed, failed;

#define CHECK(condition) check(condition, __LINE__, #condition)

static void check(int ok, int line, const char *what) {
  if (ok) {
    passed++;
    return;
  }
  failed++;
  if (failed <= 20)
    printf("test-core.c:%d: failed: %s\n", line, what);
}

static int near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static int all_near(int n, const double *a, const double *b, double tolerance) {
  for (int i = 0; i < n; i++)
    if (!near(a[i], b[i], tolerance))
      return 0;
  return 1;
}

static int same(int n, const double *a, const double *b) {
  return memcmp(a, b, (size_t)n * sizeof(double)) == 0;
}

/* ---- Random input ------------------------------------------------------------------ */

/* A whole number from 0 to n - 1. */
static int whole(int n) {
  return (int)(unif_rand() * n);
}

static double *normals(int n) {
  double *x = stub_doubles((size_t)n);
  for (int i = 0; i < n; i++)
    x[i] = norm_rand();
  return x;
}

/* Small whole numbers, so that there are ties. */
static double *integers(int n, int values) {
  double *x = stub_doubles((size_t)n);
  for (int i = 0; i < n; i++)
    x[i] = whole(values);
  return x;
}

static double *copy(int n, const double *x) {
  double *y = stub_doubles((size_t)n);
  memcpy(y, x, (size_t)n * sizeof(double));
  return y;
}

/* X X' of a k x d matrix. */
static double *crossed(int k, int d, const double *x) {
  double *g = stub_doubles((size_t)k * (size_t)k);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      g[i + k * j] = 0;
      for (int l = 0; l < d; l++)
        g[i + k * j] += x[i + k * l] * x[j + k * l];
    }
  return g;
}

/* ---- Kernels ----------------------------------------------------------------------- */

enum { COORDINATES = 4, MOST_PARAMS = 2 * KERNEL_NODES };

/* A kernel and the arrays that it points to. */
struct tree {
  struct kernel kernel;
  int op[KERNEL_NODES], column[KERNEL_NODES], columns[KERNEL_NODES], param[KERNEL_NODES];
  double value[MOST_PARAMS];
  const double *matrix[1];
};

/* No nodes yet. */
static void tree_start(struct tree *t, int k, const double *x, const double *matrix) {
  t->matrix[0] = matrix;
  t->kernel = (struct kernel){.k = k,
                              .op = t->op,
                              .column = t->column,
                              .columns = t->columns,
                              .param = t->param,
                              .x = x,
                              .value = t->value,
                              .matrix = t->matrix};
}

static void tree_add(struct tree *t, enum kernel_op op, int column, int columns,
                     int params) {
  const int node = t->kernel.nodes++;
  t->op[node] = op;
  t->column[node] = column;
  t->columns[node] = columns;
  t->param[node] = t->kernel.params;
  t->kernel.params += params;
}

/* A prior and the arrays that it points to. */
struct problem {
  struct prior prior;
  double *mean, *diagonal, *cov, *factor;
  struct tree tree;
};

/* Arms with the given features, which independent arms use for their variance only and
 * a kernel as coordinates; prior mean 0. */
static void problem_from(struct problem *p, enum prior_kind kind, int k, int d,
                         double *features, double scale) {
  p->mean = stub_doubles((size_t)k);
  p->diagonal = stub_doubles((size_t)k);
  p->cov = crossed(k, d, features);
  p->factor = features;
  for (int i = 0; i < k; i++) {
    p->mean[i] = 0;
    p->diagonal[i] = p->cov[i + k * i];
  }
  p->prior = (struct prior){.kind = kind,
                            .k = k,
                            .d = kind == PRIOR_INDEPENDENT ? 0 : d,
                            .scale = scale,
                            .df = INFINITY,
                            .mean = p->mean,
                            .diagonal = p->diagonal,
                            .cov = kind == PRIOR_DENSE ? p->cov : NULL,
                            .factor = kind == PRIOR_INDEPENDENT ? NULL : p->factor};
  if (kind == PRIOR_KERNEL) {
    tree_start(&p->tree, k, features, NULL);
    tree_add(&p->tree, KERNEL_LINEAR, 0, d, 0);
    p->prior.kernel = &p->tree.kernel;
  }
  prior_finish(&p->prior);
}

/* A problem with this covariance and independent normals for a factor, for what draws
 * nothing. */
static void problem_with_cov(struct problem *p, int k, const double *cov, double sd) {
  problem_from(p, PRIOR_DENSE, k, 1, normals(k), sd * sd);
  memcpy(p->cov, cov, (size_t)k * (size_t)k * sizeof(double));
  for (int i = 0; i < k; i++)
    p->diagonal[i] = cov[i + k * i];
  prior_finish(&p->prior);
}

enum oddity { PLAIN, DUPLICATES, ZERO_ARMS, SINGULAR, ODDITIES };

static void problem_random(struct problem *p, enum prior_kind kind, int k,
                           enum oddity odd) {
  const int d = odd == SINGULAR ? 1 + whole(k) : k + whole(3);
  double *x = normals(k * d);
  for (int i = 1; i < k; i++)
    for (int j = 0; j < d; j++) {
      if (odd == DUPLICATES && i % 3 == 1)
        x[i + k * j] = x[i - 1 + k * j];
      if (odd == ZERO_ARMS && i % 3 == 1)
        x[i + k * j] = 0;
    }
  problem_from(p, kind, k, d, x, 0.5 + unif_rand());
  for (int i = 0; i < k; i++)
    p->mean[i] = norm_rand();
}

/* ---- linalg ------------------------------------------------------------------------ */

static void test_sums_of_columns(void) {
  for (int k = 1; k <= 70; k++) {
    double *out = normals(k), *expected = copy(k, out), *f = normals(4), *x[4];
    for (int j = 0; j < 4; j++)
      x[j] = normals(k);
    linalg_add(k, f[0], x[0], out);
    for (int i = 0; i < k; i++)
      expected[i] += f[0] * x[0][i];
    CHECK(all_near(k, out, expected, 1e-14));
    const double *const columns[4] = {x[0], x[1], x[2], x[3]};
    linalg_add4(k, f, columns, out);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < 4; j++)
        expected[i] += f[j] * x[j][i];
    CHECK(all_near(k, out, expected, 1e-13));
  }
}

static void test_add_product(void) {
  for (int k = 1; k <= 40; k += 3)
    for (int d = 0; d <= 9; d++) {
      double *x = normals(k * d), *z = normals(d), *out = normals(k);
      double *expected = copy(k, out);
      linalg_add_product(k, d, x, z, out);
      for (int i = 0; i < k; i++)
        for (int j = 0; j < d; j++)
          expected[i] += x[i + k * j] * z[j];
      CHECK(all_near(k, out, expected, 1e-13));
    }
}

static void test_max_sum_sqrt(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = normals(k), *root = stub_doubles((size_t)k);
    double most = x[0];
    long double sum = 0;
    for (int i = 0; i < k; i++) {
      most = x[i] > most ? x[i] : most;
      sum += x[i];
    }
    CHECK(linalg_max(k, x) == most);
    CHECK(near(linalg_sum(k, x), (double)sum, 1e-13));
    int exact = 1;
    for (int i = 0; i < k; i++)
      x[i] = i % 7 == 3 ? 0 : fabs(x[i]);
    linalg_sqrt(k, x, root);
    for (int i = 0; i < k; i++)
      exact = exact && root[i] == sqrt(x[i]);
    CHECK(exact);
  }
}

static void test_find(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = integers(k, 50);
    for (int least = 0; least <= 51; least += 3) {
      int at = 0;
      while (at < k && x[at] < least)
        at++;
      CHECK(linalg_find(k, x, least) == at);
    }
    for (int i = 0; i < k; i++)
      x[i] = NAN;
    CHECK(linalg_find(k, x, -INFINITY) == k);
  }
}

/* Without a tie it is the largest, and the generator is not asked. */
static void test_which_max_alone(void) {
  for (int k = 1; k <= 100; k++) {
    double *x = normals(k);
    const int at = whole(k);
    x[at] = 10;
    stub_seed((uint64_t)k);
    const double next = unif_rand();
    stub_seed((uint64_t)k);
    CHECK(linalg_which_max(k, x, 0) == at);
    CHECK(linalg_which_max(k, x, 1e-9) == at);
    CHECK(unif_rand() == next);
    for (int i = 0; i < k; i++)
      x[i] = i == at ? -1e300 : -INFINITY;
    CHECK(linalg_which_max(k, x, 1) == at);
  }
}

/* With ties every one of them has the same chance; within the tolerance counts. */
static void test_which_max_ties(void) {
  const int sizes[] = {2, 5, 31, 32, 33, 64, 70}, draws = 6000;
  for (int s = 0; s < 7; s++) {
    const int k = sizes[s];
    double *x = integers(k, 3);
    int *count = stub_ints((size_t)k), tied = 0;
    x[0] = 2;
    x[k - 1] = 2.5;
    for (int i = 0; i < k; i++) {
      count[i] = 0;
      tied += x[i] >= 2;
    }
    for (int i = 0; i < draws; i++)
      count[linalg_which_max(k, x, 0.5)]++;
    for (int i = 0; i < k; i++) {
      const double share = x[i] >= 2 ? 1.0 / tied : 0;
      CHECK(fabs(count[i] - draws * share) <= 5 * sqrt(draws * share * (1 - share)));
    }
  }
}

static void test_which_max_nothing(void) {
  for (int k = 1; k <= 70; k++) {
    double *x = stub_doubles((size_t)k);
    CHECK(linalg_which_max(k, x, 0) == -1); /* NaN throughout */
    for (int i = 0; i < k; i++)
      x[i] = -INFINITY;
    CHECK(linalg_which_max(k, x, 0) == -1);
    CHECK(linalg_which_max(k, x, 1) == -1);
    for (int i = 0; i < k; i++)
      x[i] = INFINITY;
    const int at = linalg_which_max(k, x, 1);
    CHECK(at >= 0 && at < k);
    x[0] = 1;
    x[k - 1] = NAN;
    const int with_nan = linalg_which_max(k, x, 0);
    CHECK(with_nan >= -1 && with_nan < k);
  }
}

/* The factor F of a gives a back, and has the rank of a. */
static void check_factor(int k, const double *a, int rank) {
  double *l = copy(k * k, a), *work = stub_doubles(2 * (size_t)k), most = 0;
  int *pivot = stub_ints((size_t)k);
  for (int i = 0; i < k; i++)
    most = fmax(most, a[i + k * i]);
  const int found = linalg_cholesky(k, l, 10 * k * DBL_EPSILON * most, pivot, work);
  CHECK(found == rank);
  double *f = stub_doubles((size_t)k * (size_t)found);
  linalg_unpivot(k, found, l, pivot, f);
  double *again = crossed(k, found, f), worst = 0;
  for (int i = 0; i < k * k; i++)
    worst = fmax(worst, fabs(again[i] - a[i]));
  CHECK(worst <= 1e-12 * most);
}

static void test_cholesky(void) {
  for (int k = 1; k <= 40; k += 3)
    for (int rank = 1; rank <= k; rank += 4) {
      double *x = normals(k * rank), *a = crossed(k, rank, x);
      check_factor(k, a, rank);
      for (int j = 0; j < rank; j++)
        for (int i = 1; i < k; i++)
          x[i + k * j] = x[k * j]; /* all arms alike */
      a = crossed(k, rank, x);
      check_factor(k, a, 1);
      memset(a, 0, (size_t)k * (size_t)k * sizeof(double));
      check_factor(k, a, 0);
    }
}

/* A positive definite matrix. */
static double *definite(int k) {
  double *a = crossed(k, k + 2, normals(k * (k + 2)));
  for (int i = 0; i < k; i++)
    a[i + k * i] += 0.1;
  return a;
}

static void test_invert(void) {
  for (int k = 1; k < 12; k++) {
    double *a = definite(k), *inverse = stub_doubles((size_t)(k * k)), log_det, twin;
    memcpy(inverse, a, (size_t)(k * k) * sizeof(double));
    CHECK(linalg_invert(k, inverse, &log_det) == 0);
    int ok = 1;
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++)
          sum += a[i + k * l] * inverse[l + k * j];
        ok = ok && near(sum, i == j, 1e-9);
      }
    CHECK(ok);
    /* Twice the matrix has 2^k times the determinant. */
    for (int i = 0; i < k * k; i++)
      inverse[i] = 2 * a[i];
    CHECK(linalg_invert(k, inverse, &twin) == 0);
    CHECK(near(twin - log_det, k * log(2), 1e-10));
    for (int i = 0; i < k * k; i++)
      a[i] = k > 1;
    CHECK(linalg_invert(k, a, &log_det) == 1);
  }
}

/* ---- student ----------------------------------------------------------------------- */

/* E max(z + t, 0) by the midpoint rule, t = tan(x). */
static double excess_twin(double z, double df) {
  const int n = 100000;
  const double low = atan(-z), step = (1.5707963267948966 - low) / n;
  const double constant =
      lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979323846);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double t = tan(low + (i + 0.5) * step);
    sum += (z + t) * exp(constant - 0.5 * (df + 1) * log1p(t * t / df)) * (1 + t * t);
  }
  return log(sum * step);
}

static void test_student(void) {
  CHECK(student_width(2.5, INFINITY) == 2.5);
  CHECK(student_width(0, 4) == 0);
  CHECK(near(student_width(2, 4), 2.869, 2e-4));
  CHECK(near(student_width(2, 7), 2.429, 2e-4));
  CHECK(near(student_width(3, 4), 6.62, 1e-3));
  CHECK(near(student_width(3, 7), 4.53, 1e-3));
  CHECK(student_width(-2, 4) == -student_width(2, 4));
  CHECK(isfinite(student_width(1e9, 4)) && student_width(1e9, 4) >= 1e9);
  const double df[] = {3, 4, 9.5, 60};
  for (int i = 0; i < 4; i++) {
    for (double z = -6; z < 4; z += 1.25)
      CHECK(near(student_log_excess(z, df[i]), excess_twin(z, df[i]), 1e-6));
    /* Far out it falls with z by the power df - 1. */
    const double far = student_log_excess(-1e8, df[i]);
    CHECK(near(student_log_excess(-1e9, df[i]) - far, -(df[i] - 1) * log(10), 1e-6));
    CHECK(isfinite(student_log_excess(-1e150, df[i])));
  }
  CHECK(near(student_log_excess(-3, 1e7), student_log_excess(-3, INFINITY), 1e-5));
  double sum = 0;
  for (int i = 0; i < 20000; i++) {
    const double stretch = student_stretch(8);
    sum += stretch * stretch;
  }
  CHECK(near(sum / 20000, 8.0 / 6, 0.03));
  CHECK(student_stretch(INFINITY) == 1);
}

/* ---- evidence ---------------------------------------------------------------------- */

static double value_of(const struct averages *a) {
  struct evidence found;
  double *weight = stub_doubles((size_t)(a->diagonal ? a->n : a->n * a->n));
  evidence_find(a, weight, stub_doubles(2 * (size_t)a->n), &found);
  return found.value;
}

/* A free mean integrated out is the limit of one with an ever wider normal prior, and a
 * free size that of the value integrated over the sizes. */
static double integrated_twin(const struct averages *a) {
  const int n = 4000;
  struct averages known = *a;
  double *noise = stub_doubles((size_t)a->n), most = -INFINITY, sum = 0;
  double *value = stub_doubles((size_t)n);
  known.noise = noise;
  known.df = known.within = 0;
  for (int i = 0; i < n; i++) {
    const double log_size = -20 + 40.0 * i / n, size = exp(log_size);
    const double more = a->df - a->n + a->free_mean; /* pulls beside the averages */
    known.scale = size * a->scale;
    for (int j = 0; j < a->n; j++)
      noise[j] = size * a->noise[j];
    value[i] = value_of(&known) - 0.5 * (more * log_size + a->within / size);
    most = fmax(most, value[i]);
  }
  for (int i = 0; i < n; i++)
    sum += exp(value[i] - most);
  return most + log(sum * 40.0 / n);
}

static void test_evidence(void) {
  for (int rep = 0; rep < 24; rep++) {
    const int n = 2 + whole(6), diagonal = rep % 2;
    double *g = definite(n), *noise = stub_doubles((size_t)n), *own = g;
    for (int i = 0; i < n; i++)
      noise[i] = 0.1 + unif_rand();
    if (diagonal) {
      own = stub_doubles((size_t)n);
      for (int i = 0; i < n * n; i++)
        g[i] *= i % (n + 1) == 0;
      for (int i = 0; i < n; i++)
        own[i] = g[i + n * i];
    }
    const int free_mean = rep / 2 % 2, sized = rep / 4 % 2, more = 3;
    struct averages a = {n,     normals(n), own, diagonal, 0.5 + unif_rand(),
                         noise, free_mean,  0,   0};
    if (sized) {
      a.df = n + more - free_mean;
      a.within = 2;
    }
    const size_t entries = (size_t)(diagonal ? n : n * n);
    double *weight = stub_doubles(entries), *again = stub_doubles((size_t)(n * n));
    struct evidence found, dense;
    CHECK(evidence_find(&a, weight, stub_doubles(2 * (size_t)n), &found) == 0);

    /* The diagonal is the matrix. */
    struct averages whole_matrix = a;
    whole_matrix.g = g;
    whole_matrix.diagonal = 0;
    CHECK(evidence_find(&whole_matrix, again, stub_doubles(2 * (size_t)n), &dense) == 0);
    CHECK(near(found.value, dense.value, 1e-10) && near(found.mean, dense.mean, 1e-9) &&
          near(found.misfit, dense.misfit, 1e-9));

    /* The derivatives: by the entries of G they are scale times those by S. */
    int ok = 1;
    for (size_t i = 0; i < entries; i++) {
      const double keep = own[i], step = 1e-5;
      const size_t mirror = diagonal ? i : i / (size_t)n + (size_t)n * (i % (size_t)n);
      own[i] = own[mirror] = keep + step;
      const double up = value_of(&a);
      own[i] = own[mirror] = keep - step;
      const double down = value_of(&a);
      own[i] = own[mirror] = keep;
      const double twice = i == mirror ? 1 : 2;
      ok = ok && near((up - down) / (2 * step), twice * a.scale * weight[i], 1e-5);
    }
    CHECK(ok);

    /* The mean is where the misfit is least. */
    double *moved = stub_doubles((size_t)n);
    struct averages fixed = a;
    fixed.y = moved;
    fixed.free_mean = 0;
    for (double off = -0.1; off < 0.15; off += 0.1) {
      for (int i = 0; i < n; i++)
        moved[i] = a.y[i] - found.mean - off;
      struct evidence other;
      evidence_find(&fixed, again, stub_doubles(2 * (size_t)n), &other);
      CHECK(free_mean == 0 || other.misfit >= found.misfit * (1 - 1e-9));
    }

    /* The size integrated out, but for a constant that does not depend on the scale. */
    if (sized) {
      struct averages other = a;
      other.scale = 3 * a.scale;
      CHECK(near(value_of(&other) - value_of(&a),
                 integrated_twin(&other) - integrated_twin(&a), 1e-6));
    }
    stub_free();
  }
}

static void test_no_evidence(void) {
  double g[4] = {1, 1, 1, 1}, y[2] = {1, 1}, noise[2] = {0, 0}, weight[4], work[4];
  struct averages a = {2, y, g, 0, 1, noise, 0, 0, 0};
  struct evidence found;
  CHECK(evidence_find(&a, weight, work, &found) == 1); /* singular */
  noise[0] = noise[1] = 0.5;
  CHECK(evidence_find(&a, weight, work, &found) == 0);
  a.free_mean = 1;
  a.df = 1;
  CHECK(evidence_find(&a, weight, work, &found) == 1); /* equal rewards tell no size */
}

/* ---- kernel ------------------------------------------------------------------------ */

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
      known += rest[i] == 0;
      CHECK(rest[i] >= 0);
      CHECK(fabs(again[i + k * i] + rest[i] - g[i + k * i]) <= 1e-12 * most);
      for (int j = 0; j < k; j++)
        if (rest[i] == 0)
          worst = fmax(worst, fabs(again[i + k * j] - g[i + k * j]));
    }
    CHECK(known >= rank && (limit < k || known == k));
    CHECK(worst <= 1e-6 * most);
  }
}

/* ---- prior ------------------------------------------------------------------------- */

static void test_prior_columns(void) {
  for (int k = 1; k <= 40; k += 3)
    for (int d = 1; d <= 9; d++) {
      double *x = normals(k * d);
      struct problem dense, features, kernel;
      problem_from(&kernel, PRIOR_KERNEL, k, d, copy(k * d, x), 2.25);
      problem_from(&dense, PRIOR_DENSE, k, d, copy(k * d, x), 2.25);
      problem_from(&features, PRIOR_FEATURES, k, d, x, 2.25);
      double *a = stub_doubles((size_t)k), *b = stub_doubles((size_t)k), most = 0;
      for (int arm = 0; arm < k; arm++) {
        prior_column(&dense.prior, arm, a);
        prior_column(&features.prior, arm, b);
        CHECK(all_near(k, a, b, 1e-13));
        prior_column(&kernel.prior, arm, b);
        CHECK(all_near(k, a, b, 1e-13));
        CHECK(near(a[arm], prior_var(&dense.prior, arm), 1e-14));
        CHECK(near(a[arm], 2.25 * dense.cov[arm + k * arm], 1e-14));
        most = fmax(most, a[arm]);
      }
      CHECK(dense.prior.most == most);
    }
}

/* Draws against a mean and a covariance, entry by entry, within five standard errors. */
struct moments {
  int k, draws;
  double *mean, *cov;
};

static struct moments moments_new(int k) {
  struct moments m = {k, 0, stub_doubles((size_t)k), stub_doubles((size_t)k * (size_t)k)};
  for (int i = 0; i < k; i++)
    m.mean[i] = 0;
  for (int i = 0; i < k * k; i++)
    m.cov[i] = 0;
  return m;
}

/* A draw, less its expected value. */
static void moments_add(struct moments *m, const double *draw, const double *mean) {
  m->draws++;
  for (int i = 0; i < m->k; i++) {
    const double at = draw[i] - mean[i];
    m->mean[i] += at;
    for (int j = 0; j < m->k; j++)
      m->cov[i + m->k * j] += at * (draw[j] - mean[j]);
  }
}

static void moments_check(struct moments *m, const double *cov) {
  const int k = m->k;
  const double n = m->draws;
  for (int i = 0; i < k; i++) {
    CHECK(fabs(m->mean[i] / n) <= 5 * sqrt(cov[i + k * i] / n) + 1e-9);
    for (int j = 0; j <= i; j++) {
      const double c = cov[i + k * j], se2 = cov[i + k * i] * cov[j + k * j] + c * c;
      CHECK(fabs(m->cov[i + k * j] / n - c) <= 5 * sqrt(se2 / n) + 1e-9);
    }
  }
}

static void test_prior_draws(void) {
  const int k = 6;
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++) {
      struct problem p;
      problem_random(&p, (enum prior_kind)kind, k, (enum oddity)odd);
      double *z = stub_doubles((size_t)p.prior.d), *out = stub_doubles((size_t)k);
      double *cov = copy(k * k, p.cov), zero[6] = {0};
      for (int i = 0; i < k * k; i++)
        cov[i] *= kind == PRIOR_INDEPENDENT && i % (k + 1) > 0 ? 0 : p.prior.scale;
      struct moments m = moments_new(k);
      for (int s = 0; s < 4000; s++) {
        prior_draw(&p.prior, z, out);
        moments_add(&m, out, zero);
      }
      moments_check(&m, cov);
    }
}

/* Variances that the factor leaves out are in the draws and in the columns. */
static void test_prior_rest(void) {
  const int k = 6;
  for (int kind = PRIOR_FEATURES; kind <= PRIOR_KERNEL; kind++) {
    struct problem p;
    problem_random(&p, (enum prior_kind)kind, k, SINGULAR);
    double rest[6] = {0.5, 0, 2, 0, 1, 0.1}, zero[6] = {0};
    p.prior.rest = rest;
    double *z = stub_doubles((size_t)p.prior.d), *out = stub_doubles((size_t)k);
    double *cov = copy(k * k, p.cov);
    for (int i = 0; i < k * k; i++)
      cov[i] = p.prior.scale * (cov[i] + (i % (k + 1) == 0 ? rest[i / (k + 1)] : 0));
    struct moments m = moments_new(k);
    for (int s = 0; s < 4000; s++) {
      prior_draw(&p.prior, z, out);
      moments_add(&m, out, zero);
    }
    moments_check(&m, cov);
    for (int i = 0; i < k; i++) {
      prior_column(&p.prior, i, out);
      CHECK(all_near(k, out, cov + k * i, 1e-13));
    }
  }
}

/* ---- posterior --------------------------------------------------------------------- */

/* The rank-one recursion on a full matrix, in long double. */
struct twin {
  const struct prior *prior;
  long double *mean, *cov, *column;
};

static struct twin twin_new(const struct problem *p) {
  const int k = p->prior.k;
  const size_t n = (size_t)k, size = sizeof(long double);
  struct twin t = {&p->prior, stub_block(n, size), stub_block(n * n, size),
                   stub_block(n, size)};
  for (int i = 0; i < k; i++)
    t.mean[i] = p->mean[i];
  for (int i = 0; i < k * k; i++)
    t.cov[i] = p->prior.kind == PRIOR_INDEPENDENT && i % (k + 1) > 0
                   ? 0
                   : (long double)p->prior.scale * p->cov[i];
  return t;
}

static void twin_learn(struct twin *t, int a, double y, double noise2) {
  const int k = t->prior->k;
  if (t->cov[a + k * a] <= 1e-13L * prior_var(t->prior, a))
    return; /* known already */
  const long double d = t->cov[a + k * a] + noise2, e = y - t->mean[a];
  long double *c = t->column;
  memcpy(c, t->cov + k * a, (size_t)k * sizeof(long double));
  for (int i = 0; i < k; i++) {
    t->mean[i] += c[i] * e / d;
    for (int j = 0; j < k; j++)
      t->cov[i + k * j] -= c[i] * c[j] / d;
  }
}

static int twin_agrees(const struct twin *t, const struct posterior *p,
                       double tolerance) {
  const int k = t->prior->k;
  const double size = sqrt(p->prior->most) + 1e-300;
  for (int i = 0; i < k; i++) {
    if (!(fabs(p->mean[i] - (double)t->mean[i]) <=
          tolerance * (size + fabs(p->mean[i]))) ||
        !(fabs(p->var[i] - (double)t->cov[i + k * i]) <= tolerance * size * size) ||
        p->var[i] < 0)
      return 0;
  }
  return 1;
}

/* S = S0 - W W', full; independent arms have their variances only. */
static double *posterior_cov(const struct posterior *p) {
  const int k = p->prior->k;
  double *s = stub_doubles((size_t)k * (size_t)k);
  for (int a = 0; a < k; a++) {
    if (p->prior->kind == PRIOR_INDEPENDENT) {
      for (int i = 0; i < k; i++)
        s[i + k * a] = i == a ? p->var[a] : 0;
      continue;
    }
    prior_column(p->prior, a, s + k * a);
    for (int l = 0; l < p->n; l++)
      for (int i = 0; i < k; i++)
        s[i + k * a] -= p->w[l][a] * p->w[l][i];
  }
  return s;
}

/* The covariance by its definition, and column by column as the core has it. */
static int cov_agrees(const struct twin *t, const struct posterior *p, double tolerance) {
  const int k = p->prior->k;
  const double *s = posterior_cov(p), most = tolerance * (p->prior->most + 1e-300);
  double *column = stub_doubles((size_t)k);
  int ok = 1;
  for (int a = 0; a < k; a++) {
    posterior_column(p, a, column);
    for (int i = 0; i < k; i++) {
      const double expected = (double)t->cov[i + k * a];
      ok = ok && fabs(s[i + k * a] - expected) <= most &&
           fabs(column[i] - expected) <= most;
    }
  }
  return ok;
}

/* Observations in arrays of exactly their length. */
struct told {
  int *arm;
  double *y, *noise2;
};

enum noise { NOISY, EXACT, MIXED, SOME_EXACT, NOISES };

static double any_noise2(enum noise noise) {
  static const double levels[] = {0.001, 0.1, 1, 100};
  if (noise == EXACT || (noise == SOME_EXACT && unif_rand() < 0.3))
    return 0;
  return noise == NOISY ? 0.3 : levels[whole(4)];
}

/* n observations of a world that the prior believes in; a few pulls fail. */
static struct told told_random(const struct problem *p, int n, enum noise noise) {
  const int k = p->prior.k;
  const size_t m = (size_t)n;
  struct told o = {stub_ints(m), stub_doubles(m), stub_doubles(m)};
  double *truth = stub_doubles((size_t)k), *z = stub_doubles((size_t)p->prior.d);
  prior_draw(&p->prior, z, truth);
  const int favourites = 1 + whole(k);
  for (int i = 0; i < n; i++) {
    o.arm[i] = whole(unif_rand() < 0.8 ? favourites : k);
    o.noise2[i] = any_noise2(noise);
    o.y[i] = p->mean[o.arm[i]] + truth[o.arm[i]] + sqrt(o.noise2[i]) * norm_rand();
    if (unif_rand() < 0.05)
      o.y[i] = NAN;
  }
  return o;
}

static int columns_for(const struct prior *p, int n) {
  return p->kind == PRIOR_INDEPENDENT ? 0 : n;
}

/* Every state of one random problem against the twin. */
static void check_recursion(enum prior_kind kind, int k, enum oddity odd, int n,
                            enum noise noise) {
  const double tolerance = noise == EXACT || noise == SOME_EXACT ? 1e-6 : 1e-9;
  struct problem problem;
  problem_random(&problem, kind, k, odd);
  struct told o = told_random(&problem, n, noise);
  struct twin twin = twin_new(&problem);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), n, columns_for(&problem.prior, n));
  posterior_start(&run.p);
  int ok = twin_agrees(&twin, &run.p, tolerance), learned = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(o.y[i]))
      continue;
    learned++;
    posterior_learn(&run.p, o.arm[i], o.y[i], o.noise2[i]);
    twin_learn(&twin, o.arm[i], o.y[i], o.noise2[i]);
    ok = ok && twin_agrees(&twin, &run.p, tolerance);
  }
  CHECK(ok);
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  CHECK(run.p.n <= learned);
  const struct observations all = {n, o.arm, o.y, o.noise2};
  int *pulls = stub_ints((size_t)k);
  memcpy(pulls, run.p.pulls, (size_t)k * sizeof(int));
  const int arms = posterior_arms(&run.p);
  stub_run_compact(&run, &all);
  CHECK(twin_agrees(&twin, &run.p, tolerance));
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  CHECK(memcmp(pulls, run.p.pulls, (size_t)k * sizeof(int)) == 0);
  CHECK(run.p.n <= arms && posterior_arms(&run.p) == arms);
  stub_free();
}

static void test_recursion(void) {
  const int sizes[] = {1, 2, 3, 5, 8, 13, 21, 34, 60}, budgets[] = {1, 4, 30, 120};
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++)
      for (int noise = 0; noise < NOISES; noise++)
        for (int s = 0; s < 9; s++)
          for (int b = 0; b < 4; b++)
            if (sizes[s] < 30 || b == 3)
              check_recursion((enum prior_kind)kind, sizes[s], (enum oddity)odd,
                              budgets[b], (enum noise)noise);
}

/* Compacted now and then, the belief stays the same as without. */
static void test_compacting_on_the_way(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, 7, PLAIN);
  struct told o = told_random(&problem, 120, MIXED);
  struct twin twin = twin_new(&problem);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 120, 120);
  posterior_start(&run.p);
  for (int i = 0; i < 120; i++) {
    if (!isnan(o.y[i])) {
      posterior_learn(&run.p, o.arm[i], o.y[i], o.noise2[i]);
      twin_learn(&twin, o.arm[i], o.y[i], o.noise2[i]);
    }
    if (i % 11 == 0) {
      const struct observations all = {i + 1, o.arm, o.y, o.noise2};
      stub_run_compact(&run, &all);
    }
    CHECK(twin_agrees(&twin, &run.p, 1e-9));
  }
}

/* Exact observations: the first stands; an arm that is known is not learned again. */
static void test_exact_observations(void) {
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++) {
    double *x = stub_doubles(3);
    x[0] = x[1] = 1; /* arms 0 and 1 are the same, arm 2 is known beforehand */
    x[2] = 0;
    struct problem problem;
    problem_from(&problem, (enum prior_kind)kind, 3, 1, x, 4);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), 4, columns_for(&problem.prior, 4));
    posterior_start(&run.p);
    posterior_learn(&run.p, 0, 1.5, 0);
    CHECK(run.p.mean[0] == 1.5 && run.p.var[0] == 0);
    posterior_learn(&run.p, 0, -7, 0);
    posterior_learn(&run.p, 2, 3, 0);
    CHECK(run.p.mean[0] == 1.5 && run.p.var[0] == 0);
    CHECK(run.p.mean[2] == 0 && run.p.var[2] == 0);
    CHECK(run.p.mean[1] == (kind == PRIOR_INDEPENDENT ? 0 : 1.5));
    CHECK(run.p.var[1] == (kind == PRIOR_INDEPENDENT ? 4 : 0));
    CHECK(posterior_resolved(&run.p) == (kind != PRIOR_INDEPENDENT));
    CHECK(run.p.pulls[0] == 2 && run.p.pulls[1] == 0 && run.p.pulls[2] == 1);
    CHECK(posterior_arms(&run.p) == 2);
    posterior_learn(&run.p, 1, 1.5, 0);
    CHECK(run.p.mean[1] == 1.5 && run.p.var[1] == 0 && posterior_resolved(&run.p));
  }
}

/* Compacting pays from 2 * arms + 32 columns on, and not before 33. */
static void test_full(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, 5, PLAIN);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 60, 60);
  posterior_start(&run.p);
  for (int n = 0; n < 60; n++) {
    CHECK(posterior_full(&run.p) == (n > 32 && n >= 2 * posterior_arms(&run.p) + 32));
    posterior_learn(&run.p, n % 3, norm_rand(), 1);
    CHECK(run.p.n == n + 1 && run.p.last[n % 3] == n);
  }
  CHECK(posterior_arms(&run.p) == 3);
}

static void test_posterior_draws(void) {
  const int k = 6;
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++)
      for (int n = 0; n <= 9; n += 3) {
        struct problem problem;
        problem_random(&problem, (enum prior_kind)kind, k, (enum oddity)odd);
        struct told o = told_random(&problem, n, odd == PLAIN ? EXACT : NOISY);
        struct stub_run run;
        stub_run_new(&run, &problem.prior, policy_at(0), n,
                     columns_for(&problem.prior, n));
        posterior_start(&run.p);
        for (int i = 0; i < n; i++)
          if (!isnan(o.y[i]))
            posterior_learn(&run.p, o.arm[i], o.y[i], o.noise2[i]);
        double *z = stub_doubles((size_t)problem.prior.d), *out = stub_doubles((size_t)k);
        double *cov = posterior_cov(&run.p);
        struct moments m = moments_new(k);
        for (int s = 0; s < 3000; s++) {
          posterior_draw(&run.p, z, out);
          moments_add(&m, out, run.p.mean);
        }
        for (int i = 0; i < k; i++)
          cov[i + k * i] = fmax(cov[i + k * i], 0);
        moments_check(&m, cov);
      }
}

/* P(best) and regret of two arms, whose difference is normal. */
/* The factor gives the posterior covariance back; cut short, the variances. */
static void test_posterior_factor(void) {
  for (int n = 0; n < 80; n++) {
    struct problem problem;
    const int k = 2 + whole(8), limit = n % 3 ? k : 1 + whole(k), pulls = whole(7);
    problem_random(&problem, (enum prior_kind)(1 + n % 3), k,
                   (enum oddity)(n % ODDITIES));
    struct told o = told_random(&problem, pulls, NOISY);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), pulls,
                 columns_for(&problem.prior, pulls));
    posterior_start(&run.p);
    for (int i = 0; i < pulls; i++)
      if (!isnan(o.y[i]))
        posterior_learn(&run.p, o.arm[i], o.y[i], o.noise2[i]);
    double *f = stub_doubles((size_t)k * (size_t)limit), *rest = stub_doubles((size_t)k);
    const double most = problem.prior.most, *cov = posterior_cov(&run.p);
    const int rank = posterior_factor(&run.p, 1e-13 * most, limit, f, rest,
                                      stub_doubles((size_t)limit));
    const double *again = crossed(k, rank, f);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++)
        if (i == j || rest[i] == 0)
          CHECK(fabs(again[i + k * j] + (i == j ? rest[i] : 0) - cov[i + k * j]) <=
                1e-6 * most);
    CHECK(rank <= limit);
  }
}

static void test_certainty(void) {
  const int draws = 20000;
  for (int i = 0; i < 12; i++) {
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(i % 3), 2, PLAIN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), 2, columns_for(&problem.prior, 2));
    posterior_start(&run.p);
    posterior_learn(&run.p, 0, norm_rand(), 0.5);
    posterior_learn(&run.p, 1, norm_rand(), 0.7);
    double *work = stub_doubles(2 + (size_t)problem.prior.d), *best = stub_doubles(2);
    double *regret = stub_doubles((size_t)draws), sum = 0, least = 0;
    posterior_certainty(&run.p, 1, draws, work, best, regret);
    double *s = posterior_cov(&run.p);
    const double sd = sqrt(s[0] + s[3] - 2 * s[1]), d = run.p.mean[0] - run.p.mean[1];
    const double p = 0.5 * erfc(-d / sd / sqrt(2));
    const double expected = d * p + sd * exp(-d * d / (2 * sd * sd)) / sqrt(2 * M_PI);
    for (int j = 0; j < draws; j++) {
      sum += regret[j];
      least = fmin(least, regret[j]);
    }
    CHECK(fabs(best[0] - p) <= 5 * sqrt(p * (1 - p) / draws) + 1e-12);
    CHECK(near(best[0] + best[1], 1, 1e-12));
    CHECK(least == 0);
    CHECK(fabs(sum / draws - expected) <= 5 * sd / sqrt(draws));
  }
}

static void test_floor(void) {
  struct problem problem;
  problem_from(&problem, PRIOR_INDEPENDENT, 4, 1, normals(4), 0);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 1, 0);
  posterior_start(&run.p);
  CHECK(posterior_floor(&run.p) == 0 && posterior_resolved(&run.p));
  problem.prior.scale = 9;
  prior_finish(&problem.prior);
  posterior_start(&run.p);
  CHECK(posterior_floor(&run.p) > 0 &&
        posterior_floor(&run.p) < 1e-6 * sqrt(problem.prior.most));
  CHECK(!posterior_resolved(&run.p));
}

/* ---- gap --------------------------------------------------------------------------- */

static double max_other(int k, const double *x, int but) {
  double most = -INFINITY;
  for (int i = 0; i < k; i++)
    if (i != but)
      most = fmax(most, x[i]);
  return most;
}

static void check_delta(int k, const double *mean, const double *sd) {
  double *delta = stub_doubles((size_t)k), *two = stub_doubles((size_t)k);
  double *upper = stub_doubles((size_t)k), *lower = stub_doubles((size_t)k);
  double *one_sided = stub_doubles((size_t)k), *two_sided = stub_doubles((size_t)k);
  gap_delta(k, mean, sd, 3, GAP_ONE_SIDED, delta);
  gap_delta(k, mean, sd, 3, GAP_TWO_SIDED, two);
  for (int i = 0; i < k; i++) {
    upper[i] = mean[i] + 3 * sd[i];
    lower[i] = mean[i] - 3 * sd[i];
  }
  for (int i = 0; i < k; i++) {
    one_sided[i] = max_other(k, upper, i) - lower[i];
    two_sided[i] = fmax(one_sided[i], upper[i] - max_other(k, lower, i));
  }
  CHECK(all_near(k, delta, one_sided, 1e-14));
  CHECK(all_near(k, two, two_sided, 1e-14));
}

static void test_delta(void) {
  for (int k = 2; k <= 70; k++)
    for (int tied = 0; tied < 2; tied++) {
      double *mean = tied ? integers(k, 4) : normals(k);
      double *sd = tied ? integers(k, 3) : normals(k);
      for (int i = 0; i < k; i++)
        sd[i] = fabs(sd[i]);
      check_delta(k, mean, sd);
    }
}

/* The two arms and the gap against the definition; the arms may be any of those tied. */
static void check_find(int k, double *upper, const double *lower) {
  double *scratch = stub_doubles((size_t)k), *before = copy(k, upper);
  double *b = stub_doubles((size_t)k), least = INFINITY;
  const struct gap g = gap_find(k, upper, lower, scratch);
  for (int i = 0; i < k; i++) {
    b[i] = max_other(k, upper, i) - lower[i];
    least = fmin(least, b[i]);
  }
  CHECK(same(k, upper, before));
  CHECK(g.leader >= 0 && g.leader < k && g.rival >= 0 && g.rival < k);
  CHECK(g.leader != g.rival);
  CHECK(near(g.value, least, 1e-14));
  CHECK(b[g.leader] <= least + 1e-8);
  CHECK(upper[g.rival] >= max_other(k, upper, g.leader) - 1e-8);
}

static void test_find_gap(void) {
  for (int k = 2; k <= 70; k++)
    for (int tied = 0; tied < 2; tied++) {
      double *upper = tied ? integers(k, 3) : normals(k), *lower = copy(k, upper);
      for (int i = 0; i < k; i++)
        lower[i] -= tied ? 1 + whole(2) : fabs(norm_rand());
      check_find(k, upper, lower);
    }
}

/* A single arm has no rival; arms that are all alike take turns in both parts. */
static void test_gap_corners(void) {
  double *one = normals(1), *scratch = stub_doubles(1);
  const struct gap alone = gap_find(1, one, one, scratch);
  CHECK(alone.leader == 0 && alone.rival == -1 && alone.value == 0);
  double *upper = stub_doubles(5), *lower = stub_doubles(5);
  int led[5] = {0}, rivalled[5] = {0};
  scratch = stub_doubles(5);
  for (int i = 0; i < 5; i++) {
    upper[i] = 1 + 1e-15 * i; /* rounding does not decide */
    lower[i] = -1;
  }
  for (int i = 0; i < 500; i++) {
    const struct gap g = gap_find(5, upper, lower, scratch);
    led[g.leader]++;
    rivalled[g.rival]++;
  }
  for (int i = 0; i < 5; i++)
    CHECK(abs(led[i] - 100) < 45 && abs(rivalled[i] - 100) < 45);
}

static void test_separated(void) {
  double *mean = copy(3, SEP_MEAN), *sd = copy(3, SEP_SD), *out = stub_doubles(3);
  gap_delta(3, mean, sd, 3, GAP_ONE_SIDED, out);
  CHECK(all_near(3, out, SEP_DELTA_ONE_SIDED, 1e-8));
  gap_delta(3, mean, sd, 3, GAP_TWO_SIDED, out);
  CHECK(all_near(3, out, SEP_DELTA_TWO_SIDED, 1e-8));
}

/* ---- policies ---------------------------------------------------------------------- */

static int count_choices(const char *choices) {
  int n = 1;
  for (; *choices; choices++)
    n += *choices == '|';
  return n;
}

static void test_table(void) {
  CHECK(policy_count() > 0);
  CHECK(policy_named("no such policy") == NULL);
  for (int i = 0; i < policy_count(); i++) {
    const struct policy *policy = policy_at(i);
    CHECK(policy_named(policy->name) == policy);
    CHECK(policy->label && policy->advice && policy->choose);
    for (int j = 0; j < policy_params(policy); j++) {
      const struct param *p = policy->params + j;
      CHECK(p->lower <= p->upper && p->meaning);
      CHECK(isnan(p->value) || (p->value >= p->lower && p->value <= p->upper));
      CHECK(!p->choices ||
            (p->lower == 0 && (int)p->upper == count_choices(p->choices) - 1));
    }
  }
}

/* Can the policy work with these arms? */
static int fits(const struct policy *policy, const struct prior *prior) {
  return !(policy->unfit && policy->unfit(prior));
}

static int param_at(const struct policy *policy, const char *name) {
  for (int i = 0; i < policy_params(policy); i++)
    if (strcmp(policy->params[i].name, name) == 0)
      return i;
  printf("policy \"%s\" has no parameter \"%s\"\n", policy->name, name);
  exit(1);
}

static void set_number(struct stub_run *run, const char *name, double value) {
  run->param[param_at(run->policy, name)] = value;
}

/* A parameter by its word: the word's place in the list of choices. */
static void set_choice(struct stub_run *run, const char *name, const char *word) {
  const int at = param_at(run->policy, name);
  const char *choices = run->policy->params[at].choices;
  const size_t length = strlen(word);
  for (int i = 0; choices; i++) {
    if (strncmp(choices, word, length) == 0 && strchr("|", choices[length])) {
      run->param[at] = i;
      return;
    }
    choices = strchr(choices, '|');
    choices = choices ? choices + 1 : NULL;
  }
  printf("parameter \"%s\" of \"%s\" cannot be \"%s\"\n", name, run->policy->name, word);
  exit(1);
}

static void set_noise(struct stub_run *run, double sd) {
  for (int i = 0; i < run->p.prior->k; i++)
    run->noise2[i] = sd * sd;
}

/* One pull of the budget learned; the arm to pull next. */
static int pull(struct stub_run *run, int arm, double y) {
  const int counted = 1;
  const struct log log = {{1, &arm, &y, run->noise2 + arm}, &counted};
  return engine_learn(run->policy, &run->p, &run->r, &log);
}

static void fixture_a(struct problem *problem, struct stub_run *run, int budget,
                      const char *reserve, const char *delta) {
  problem_with_cov(problem, A_ARMS, A_COV, A_PRIOR_SD);
  stub_run_new(run, &problem->prior, policy_named("bayesgap"), budget, A_PULLS);
  set_noise(run, A_NOISE_SD);
  set_number(run, "epsilon", A_EPSILON);
  set_choice(run, "reserve", reserve);
  set_choice(run, "delta", delta);
}

/* The state of fixture A after t pulls. */
static int fixture_a_step(struct stub_run *run, int t) {
  return t == 0 ? engine_start(run->policy, &run->p, &run->r)
                : pull(run, A_PULL_ARM[t - 1], A_PULL_Y[t - 1]);
}

static void check_a_bounds(const struct stub_run *run, int t) {
  double *upper = stub_doubles(A_ARMS), *lower = stub_doubles(A_ARMS);
  double *b = stub_doubles(A_ARMS);
  for (int i = 0; i < A_ARMS; i++) {
    const double half = run->note.beta * sqrt(run->p.var[i]);
    upper[i] = run->p.mean[i] + half;
    lower[i] = run->p.mean[i] - half;
  }
  for (int i = 0; i < A_ARMS; i++)
    b[i] = max_other(A_ARMS, upper, i) - lower[i];
  CHECK(all_near(A_ARMS, upper, A_UPPER[t], 1e-8));
  CHECK(all_near(A_ARMS, lower, A_LOWER[t], 1e-8));
  CHECK(all_near(A_ARMS, b, A_GAP[t], 1e-8));
  CHECK(near(run->note.gap, A_GAP[t][A_LEADER[t]], 1e-8));
  check_find(A_ARMS, upper, lower);
}

static void check_a_belief(const struct stub_run *run, int t) {
  double *sd = stub_doubles(A_ARMS), *delta = stub_doubles(A_ARMS);
  linalg_sqrt(A_ARMS, run->p.var, sd);
  CHECK(all_near(A_ARMS, run->p.mean, A_MEAN[t], 1e-8));
  CHECK(all_near(A_ARMS, sd, A_SD[t], 1e-8));
  gap_delta(A_ARMS, run->p.mean, sd, 3, GAP_ONE_SIDED, delta);
  CHECK(all_near(A_ARMS, delta, A_DELTA_ONE_SIDED[t], 1e-8));
  gap_delta(A_ARMS, run->p.mean, sd, 3, GAP_TWO_SIDED, delta);
  CHECK(all_near(A_ARMS, delta, A_DELTA_TWO_SIDED[t], 1e-8));
}

/* Equation 9 as printed: everything it leads to. */
static void test_fixture_a(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_BUDGET, "paper", "one-sided");
  for (int t = 0; t < A_STATES; t++) {
    const int next = fixture_a_step(&run, t);
    check_a_belief(&run, t);
    CHECK(near(run.note.hardness, A_HARDNESS_ONE_SIDED[t], 1e-8));
    CHECK(near(run.note.beta, A_BETA_PAPER[t], 1e-8));
    check_a_bounds(&run, t);
    CHECK(run.note.leader == A_LEADER[t] && run.note.rival == A_RIVAL[t]);
    CHECK(next == A_NEXT[t]);
  }
}

static void check_a_beta(int budget, const char *reserve, const char *delta,
                         const double *beta, const double *hardness) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, budget, reserve, delta);
  for (int t = 0; t < A_STATES; t++) {
    fixture_a_step(&run, t);
    CHECK(near(run.note.beta, beta[t], 1e-8));
    CHECK(near(run.note.hardness, hardness[t], 1e-8));
  }
}

static void test_fixture_a_reserves(void) {
  const double *one = A_HARDNESS_ONE_SIDED, *two = A_HARDNESS_TWO_SIDED;
  check_a_beta(A_BUDGET, "none", "one-sided", A_BETA_NONE, one);
  check_a_beta(A_BUDGET, "none", "two-sided", A_BETA_NONE_TWO_SIDED, two);
  check_a_beta(A_BUDGET, "clip", "one-sided", A_BETA_PAPER, one);
  check_a_beta(A_BUDGET, "auto", "one-sided", A_BETA_PAPER, one);
  check_a_beta(A_PULLS, "clip", "one-sided", A3_BETA_CLIP, one);
  check_a_beta(A_PULLS, "none", "one-sided", A3_BETA_NONE, one);
  check_a_beta(A_PULLS, "auto", "one-sided", A3_BETA_NONE, one);
}

/* With a budget below the arms equation 9 has no root: such a run is refused beforehand,
 * and gives no NaN when it is made all the same. */
static void test_fixture_a_refused(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_PULLS, "paper", "one-sided");
  posterior_start(&run.p);
  CHECK(run.policy->least(&run.p, &run.r) == A_ARMS);
  for (int t = 0; t < A_STATES; t++) {
    const int next = fixture_a_step(&run, t);
    CHECK(A3_BETA2_PAPER[t] < 0 && run.note.beta == 0);
    CHECK(next >= 0 && next < A_ARMS && !isnan(run.note.gap));
  }
  set_number(&run, "beta", 2);
  CHECK(run.policy->least(&run.p, &run.r) == 1);
  set_number(&run, "beta", NAN);
  set_choice(&run, "reserve", "auto");
  CHECK(run.policy->least(&run.p, &run.r) == 1);
}

/* P(one arm above another) in the last state, by draws. */
static void test_fixture_a_draws(void) {
  struct problem problem;
  struct stub_run run;
  const int draws = 20000;
  int above[A_ARMS * A_ARMS] = {0};
  fixture_a(&problem, &run, A_BUDGET, "paper", "one-sided");
  double *l = copy(A_ARMS * A_ARMS, A_COV), *work = stub_doubles(2 * A_ARMS);
  int *pivot = stub_ints(A_ARMS);
  const int rank = linalg_cholesky(A_ARMS, l, 1e-12, pivot, work);
  CHECK(rank == A_ARMS);
  double *factor = stub_doubles(A_ARMS * A_ARMS), *z = stub_doubles(A_ARMS);
  linalg_unpivot(A_ARMS, rank, l, pivot, factor);
  problem.prior.factor = factor;
  problem.prior.d = rank;
  posterior_start(&run.p);
  for (int t = 0; t < A_PULLS; t++)
    posterior_learn(&run.p, A_PULL_ARM[t], A_PULL_Y[t], A_NOISE_SD * A_NOISE_SD);
  double *out = stub_doubles(A_ARMS);
  for (int s = 0; s < draws; s++) {
    posterior_draw(&run.p, z, out);
    for (int i = 0; i < A_ARMS * A_ARMS; i++)
      above[i] += out[i / A_ARMS] > out[i % A_ARMS];
  }
  for (int i = 0; i < A_ARMS * A_ARMS; i++) {
    const double p = A_ABOVE[i];
    if (!isnan(p))
      CHECK(fabs(above[i] - draws * p) <= 5 * sqrt(draws * p * (1 - p)));
  }
}

/* A clear leader: the hardness with the paper's bound and with the corrected one. */
static void test_separated_hardness(void) {
  const char *const delta[] = {"one-sided", "two-sided"};
  const double epsilon[] = {0.01, 0};
  const double hardness[] = {SEP_HARDNESS_ONE_SIDED, SEP_HARDNESS_TWO_SIDED};
  for (int i = 0; i < 2; i++) {
    double *x = copy(3, SEP_SD);
    struct problem problem;
    problem_from(&problem, PRIOR_INDEPENDENT, 3, 1, x, 1);
    memcpy(problem.mean, SEP_MEAN, sizeof SEP_MEAN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), 10, 0);
    set_noise(&run, 0.3);
    set_choice(&run, "delta", delta[i]);
    set_number(&run, "epsilon", epsilon[i]);
    engine_start(run.policy, &run.p, &run.r);
    CHECK(fabs(run.note.hardness / hardness[i] - 1) < 1e-8);
    CHECK(run.note.leader == 0);
  }
}

/* Equation 9 by its definition, on random beliefs with different noise for each arm. */
static void test_beta(void) {
  for (int i = 0; i < 200; i++) {
    const int k = 2 + whole(40), budget = 1 + whole(3 * k);
    struct problem problem;
    problem_random(&problem, PRIOR_INDEPENDENT, k, i % 2 ? PLAIN : ZERO_ARMS);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), budget, 0);
    for (int a = 0; a < k; a++)
      run.noise2[a] = 0.1 + unif_rand();
    set_number(&run, "epsilon", 0.2);
    engine_start(run.policy, &run.p, &run.r);
    double *sd = stub_doubles((size_t)k), *delta = stub_doubles((size_t)k);
    linalg_sqrt(k, run.p.var, sd);
    gap_delta(k, run.p.mean, sd, 3, GAP_TWO_SIDED, delta);
    double hard = 0, prior = 0, active = 0, noise = 0;
    for (int a = 0; a < k; a++)
      if (run.p.var[a] > 0) {
        const double h = fmax((delta[a] + 0.2) / 2, 0.2);
        hard += run.noise2[a] / (h * h);
        prior += run.noise2[a] / run.p.var[a];
        noise += run.noise2[a];
        active++;
      }
    const double spend = fmax(budget - active, fmin(budget, active));
    CHECK(near(run.note.beta, sqrt((spend + prior) / (4 * hard)), 1e-10));
    CHECK(near(run.note.hardness, hard * active / noise, 1e-10));
  }
}

/* A fixed beta that shrinks, and the arm it leads to. */
static void test_fixed_beta(void) {
  struct problem problem;
  struct stub_run run;
  fixture_a(&problem, &run, A_BUDGET, "auto", "two-sided");
  set_number(&run, "beta", 2);
  set_number(&run, "decay", 0.5);
  for (int t = 0; t < A_STATES; t++) {
    fixture_a_step(&run, t);
    CHECK(near(run.note.beta, 2 * pow(0.5, t), 1e-14));
    CHECK(isnan(run.note.hardness));
  }
}

/* ---- whole runs -------------------------------------------------------------------- */

/* One of the runs of fixture R8, with one rule of recommendation; the arm recommended. */
static int run_r8(const struct r8_run *expected, const char *variant,
                  const char *advice) {
  struct problem problem;
  struct stub_run run;
  problem_with_cov(&problem, R8_ARMS, R8_COV, 1);
  stub_run_new(&run, &problem.prior, policy_named("bayesgap"), expected->budget,
               expected->budget);
  set_noise(&run, R8_NOISE_SD);
  set_number(&run, "epsilon", R8_EPSILON);
  set_choice(&run, "variant", variant);
  set_choice(&run, "reserve", expected->reserve);
  set_choice(&run, "delta", expected->delta);
  set_choice(&run, "advice", advice);
  posterior_start(&run.p);
  CHECK(run.policy->least(&run.p, &run.r) <= expected->budget);
  int next = engine_start(run.policy, &run.p, &run.r);
  for (int t = 0; t <= expected->budget; t++) {
    CHECK(run.r.t == t + 1);
    CHECK(near(run.note.beta, expected->beta[t], 1e-8));
    CHECK(near(run.note.gap, expected->gap[t], 1e-8));
    CHECK(run.note.leader == expected->leader[t]);
    if (t == expected->budget)
      break;
    CHECK(next == expected->arm[t]);
    CHECK(near(R8_TRUTH[next] + R8_NOISE[t], expected->y[t], 1e-11));
    next = pull(&run, next, R8_TRUTH[next] + R8_NOISE[t]);
  }
  double *sd = stub_doubles(R8_ARMS);
  linalg_sqrt(R8_ARMS, run.p.var, sd);
  CHECK(all_near(R8_ARMS, run.p.mean, expected->mean, 1e-8));
  CHECK(all_near(R8_ARMS, sd, expected->sd, 1e-8));
  const int best = engine_recommend(run.policy, &run.p, &run.r);
  return best;
}

static void test_fixture_r8(void) {
  for (int i = 0; i < R8_RUNS; i++) {
    const struct r8_run *expected = R8_RUN + i;
    CHECK(run_r8(expected, "paper", "omega") == expected->omega_paper);
    CHECK(run_r8(expected, "default", "omega") == expected->omega);
    CHECK(run_r8(expected, "default", "last") == expected->last);
    CHECK(run_r8(expected, "default", "mean") == expected->highest);
  }
}

/* What a simulated run leaves behind. */
struct trace {
  struct stub_run run;
  int n, best, *arm;
  double *y, *noise2;
};

static void simulate(struct trace *t, const struct problem *problem,
                     const struct policy *policy, int budget, double noise_sd,
                     uint64_t seed) {
  const int k = problem->prior.k;
  const size_t room = (size_t)budget;
  double *mean = stub_doubles((size_t)k), *sd = stub_doubles((size_t)k);
  for (int i = 0; i < k; i++) {
    mean[i] = sin(i + 1);
    sd[i] = noise_sd;
  }
  const struct truth truth = {mean, sd, NULL, 0};
  stub_run_new(&t->run, &problem->prior, policy, budget,
               columns_for(&problem->prior, engine_columns(k, budget)));
  set_noise(&t->run, noise_sd);
  t->arm = stub_ints(room);
  t->y = stub_doubles(room);
  t->noise2 = stub_doubles(room);
  stub_seed(seed);
  struct record record = {t->arm, t->y, t->noise2, 1, &budget, &t->best};
  t->n = engine_run(policy, &t->run.p, &t->run.r, &truth, &record, t->run.order);
}

/* The belief at the end is that of the observations, all learned on a full matrix. */
static void check_trace(const struct trace *t, const struct problem *problem) {
  struct twin twin = twin_new(problem);
  const int k = problem->prior.k;
  int pulls = 0, ok = 1;
  for (int i = 0; i < t->n; i++) {
    ok = ok && t->noise2[i] == t->run.noise2[t->arm[i]];
    twin_learn(&twin, t->arm[i], t->y[i], t->noise2[i]);
  }
  CHECK(ok);
  for (int i = 0; i < k; i++)
    pulls += t->run.p.pulls[i];
  CHECK(pulls == t->n);
  CHECK(t->run.r.t == t->n + 1);
  CHECK(twin_agrees(&twin, &t->run.p, 1e-9));
  CHECK(cov_agrees(&twin, &t->run.p, 1e-9));
}

/* Exactly the budget, whether or not the belief has to be compacted on the way. */
static void test_budget(void) {
  const int budgets[] = {1, 2, 31, 32, 33, 34, 41, 42, 43, 44, 45, 150};
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
      for (int b = 0; b < 12; b++) {
        struct problem problem;
        problem_random(&problem, (enum prior_kind)kind, 5, PLAIN);
        if (!fits(policy_at(i), &problem.prior))
          continue;
        struct trace t;
        simulate(&t, &problem, policy_at(i), budgets[b], 0.8, 7);
        CHECK(t.n == budgets[b]);
        if (kind != PRIOR_INDEPENDENT)
          CHECK(budgets[b] < 42 ? t.run.p.n <= t.n : t.run.p.n < 42);
        check_trace(&t, &problem);
      }
}

static void test_same_seed(void) {
  for (int i = 0; i < policy_count(); i++) {
    struct problem problem;
    problem_random(&problem, PRIOR_FEATURES, 9, PLAIN);
    struct trace a, b, c;
    simulate(&a, &problem, policy_at(i), 70, 0.5, 1);
    simulate(&b, &problem, policy_at(i), 70, 0.5, 1);
    simulate(&c, &problem, policy_at(i), 70, 0.5, 2);
    CHECK(memcmp(a.arm, b.arm, 70 * sizeof(int)) == 0 && same(70, a.y, b.y));
    CHECK(same(9, a.run.p.mean, b.run.p.mean) && same(9, a.run.p.var, b.run.p.var));
    CHECK(!same(70, a.y, c.y));
  }
}

/* A run that compacts pulls the same arms as one that never does. (Not so where a policy
 * draws from the posterior: how many normals that takes depends on the columns.) */
static void test_run_equals_steps(void) {
  const int budget = 130, k = 6;
  for (int i = 0; i < 5; i++) {
    const uint64_t seed = (uint64_t)i;
    const struct policy *policy = policy_named("bayesgap");
    struct problem problem;
    problem_random(&problem, i % 2 ? PRIOR_DENSE : PRIOR_FEATURES, k, PLAIN);
    struct trace t;
    simulate(&t, &problem, policy, budget, 0.7, seed);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy, budget, budget);
    set_noise(&run, 0.7);
    stub_seed(seed);
    int next = engine_start(run.policy, &run.p, &run.r), equal = 0;
    for (int n = 0; n < budget && next >= 0; n++) {
      equal += next == t.arm[n];
      next = pull(&run, next, sin(next + 1) + 0.7 * norm_rand());
    }
    CHECK(equal == budget);
    CHECK(run.p.n == budget && t.run.p.n < 2 * k + 33);
    CHECK(all_near(k, t.run.p.mean, run.p.mean, 1e-9));
    CHECK(all_near(k, t.run.p.var, run.p.var, 1e-9));
    CHECK(engine_recommend(run.policy, &run.p, &run.r) ==
          engine_recommend(run.policy, &t.run.p, &t.run.r));
  }
}

/* Without noise the run is over when every arm is known. */
static void test_resolved(void) {
  for (int i = 0; i < policy_count(); i++)
    for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++) {
      struct problem problem;
      problem_from(&problem, (enum prior_kind)kind, 8, 3, normals(24), 1);
      if (!fits(policy_at(i), &problem.prior))
        continue;
      struct trace t;
      simulate(&t, &problem, policy_at(i), 60, 0, 5);
      /* Three exact pulls tell all of three features, but for rounding: where the arms pulled
       * are nearly alike a trace of variance may be left. */
      CHECK(kind == PRIOR_INDEPENDENT ? t.n == 8 : t.n == 3 || t.n == 4);
      CHECK(posterior_resolved(&t.run.p));
    }
}

/* The arm to keep is recorded where it is asked for, and for good when the run is over. */
static void test_record(void) {
  const int after[] = {1, 2, 5, 40, 90};
  for (int exact = 0; exact < 2; exact++) {
    struct problem problem;
    problem_random(&problem, PRIOR_DENSE, 4, PLAIN);
    double *mean = normals(4), *sd = stub_doubles(4);
    for (int i = 0; i < 4; i++)
      sd[i] = exact ? 0 : 0.5;
    const struct truth truth = {mean, sd, NULL, 0};
    struct stub_run run, steps;
    stub_run_new(&run, &problem.prior, policy_named("bayesgap"), 90,
                 engine_columns(4, 90));
    set_noise(&run, sd[0]);
    int *stops = stub_ints(5), *best = stub_ints(5);
    memcpy(stops, after, sizeof after);
    struct record record = {stub_ints(90), stub_doubles(90), stub_doubles(90), 5, stops,
                            best};
    const int n = engine_run(run.policy, &run.p, &run.r, &truth, &record, run.order);
    CHECK(exact ? n == 4 : n == 90);
    stub_run_new(&steps, &problem.prior, run.policy, 90, 90);
    set_noise(&steps, sd[0]);
    engine_start(steps.policy, &steps.p, &steps.r);
    for (int i = 0, stop = 0; i < n; i++) {
      pull(&steps, record.arm[i], record.y[i]);
      const int keep = engine_recommend(steps.policy, &steps.p, &steps.r);
      if (i + 1 == after[stop])
        CHECK(best[stop++] == keep);
      for (; i + 1 == n && stop < 5; stop++)
        CHECK(best[stop] == keep);
    }
  }
}

/* With a pool, rewards are drawn from the arm's own row. */
static void test_pool(void) {
  const int k = 3, draws = 4;
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, k, PLAIN);
  double *pool = stub_doubles((size_t)k * (size_t)draws);
  int seen[12] = {0}, kept = -1, budget = 300;
  for (int i = 0; i < k * draws; i++)
    pool[i] = i;
  const struct truth truth = {problem.mean, problem.mean, pool, draws};
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_named("uniform"), budget, 0);
  set_noise(&run, 1);
  struct record record = {
      stub_ints(300), stub_doubles(300), stub_doubles(300), 1, &budget, &kept};
  CHECK(engine_run(run.policy, &run.p, &run.r, &truth, &record, run.order) == budget);
  int own = 1;
  for (int i = 0; i < budget; i++) {
    own = own && (int)record.y[i] % k == record.arm[i];
    seen[(int)record.y[i]]++;
  }
  CHECK(own && kept == 2);
  for (int i = 0; i < k * draws; i++)
    CHECK(abs(seen[i] - 25) < 25);
}

static void test_columns(void) {
  for (int k = 1; k <= 50; k++) {
    int enough = 1, spare = 1;
    for (int budget = 1; budget <= 200; budget++) {
      const int n = engine_columns(k, budget);
      enough = enough && n >= (budget < 2 * k + 32 ? budget : 2 * k + 32);
      spare = spare && (n <= 2 * k + 33 || n <= budget + 1);
    }
    CHECK(enough);
    CHECK(spare);
  }
}

/* A policy that writes down how often it was asked. */
static int asked;

static int ask_arm(const struct posterior *p, const struct round *r) {
  (void)p;
  (void)r;
  asked++;
  return 1;
}

static const struct policy FORGETFUL = {.name = "forgetful", .choose = ask_arm};
static size_t one_double(const struct prior *prior) {
  (void)prior;
  return 1;
}

static const struct policy MINDFUL = {
    .name = "mindful", .memory = one_double, .choose = ask_arm};

/* Failed pulls teach nothing; pulls that are not counted do not move the clock; a policy
 * without memory is asked in the last state only. */
static void test_learning_a_log(void) {
  for (int i = 0; i < 2; i++) {
    struct problem problem;
    problem_random(&problem, PRIOR_DENSE, 4, PLAIN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, i ? &MINDFUL : &FORGETFUL, 9, 5);
    set_noise(&run, 1);
    asked = 0;
    engine_start(run.policy, &run.p, &run.r);
    CHECK(asked == 1 && run.note.leader == -1 && isnan(run.note.gap));
    const int arm[5] = {0, 1, 1, 2, 0}, counted[5] = {1, 0, 1, 1, 0};
    const double y[5] = {1, 2, NAN, 0.5, NAN}, noise2[5] = {1, 1, 1, 0.3, 1};
    const struct log log = {{5, arm, y, noise2}, counted};
    CHECK(engine_learn(run.policy, &run.p, &run.r, &log) == 1);
    CHECK(asked == (i ? 6 : 2));
    CHECK(run.r.t == 4 && run.p.n == 3);
    CHECK(run.p.pulls[0] == 1 && run.p.pulls[1] == 1 && run.p.pulls[2] == 1 &&
          run.p.pulls[3] == 0);
    struct twin twin = twin_new(&problem);
    twin_learn(&twin, 0, 1, 1);
    twin_learn(&twin, 1, 2, 1);
    twin_learn(&twin, 2, 0.5, 0.3);
    CHECK(twin_agrees(&twin, &run.p, 1e-12));
  }
}

/* The highest mean, pulled or not; ties at random. */
static void test_recommend(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, 4, PLAIN);
  const double mean[4] = {1, 3, 2, 3};
  int count[4] = {0};
  memcpy(problem.mean, mean, sizeof mean);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, &FORGETFUL, 3, 0);
  posterior_start(&run.p);
  for (int i = 0; i < 200; i++)
    count[engine_recommend(run.policy, &run.p, &run.r)]++;
  CHECK(count[0] == 0 && count[2] == 0 && abs(count[1] - 100) < 36);
  run.p.mean[2] = 4;
  CHECK(engine_recommend(run.policy, &run.p, &run.r) == 2);
}

static void test_open(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_INDEPENDENT, 4, PLAIN);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 3, 0);
  posterior_start(&run.p);
  int *barred = stub_ints(4);
  double *value = stub_doubles(4);
  for (int i = 0; i < 4; i++) {
    barred[i] = i == 3;
    value[i] = i;
  }
  CHECK(policy_open(&run.p, &run.r, 3));
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == 3);
  run.r.barred = barred;
  run.p.var[2] = 0;
  CHECK(!policy_open(&run.p, &run.r, 3) && !policy_open(&run.p, &run.r, 2));
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == 1);
  CHECK(isinf(value[2]) && isinf(value[3]));
  barred[0] = barred[1] = 1;
  CHECK(policy_best_open(&run.p, &run.r, value, 0) == -1);
}

/* ---- every policy on what is barely a problem -------------------------------------- */

struct corner {
  enum prior_kind kind;
  int k, budget;
  enum oddity odd;
  double scale, noise_sd;
  int bar; /* 0: no arm is barred, 1: every other one is, 2: all are */
};

static int sound(const struct stub_run *run, int next) {
  const struct posterior *p = &run->p;
  const int k = p->prior->k;
  if (next < -1 || next >= k || (next >= 0 && !policy_open(p, &run->r, next)))
    return 0;
  for (int i = 0; i < k; i++)
    if (!isfinite(p->mean[i]) || !isfinite(p->var[i]) || p->var[i] < 0)
      return 0;
  const int best = engine_recommend(run->policy, p, &run->r);
  return best >= 0 && best < k;
}

/* Pulls what the run asks for as long as it asks; then an arm that it did not ask for. */
static int corner_holds(struct stub_run *run, const struct corner *c) {
  if (!fits(run->policy, run->p.prior))
    return 1;
  set_noise(run, c->noise_sd);
  posterior_start(&run->p);
  if (run->policy->least && c->budget < run->policy->least(&run->p, &run->r))
    return 1;
  int next = engine_start(run->policy, &run->p, &run->r), ok = sound(run, next);
  for (int t = 0; ok && t < c->budget && next >= 0; t++) {
    next = pull(run, next, norm_rand());
    ok = sound(run, next);
  }
  next = pull(run, c->k - 1, norm_rand());
  return ok && sound(run, next) && (next == -1 || (c->bar < 2 && c->scale > 0));
}

/* With the defaults, then with each choice of each parameter. */
static int corners_hold(const struct policy *policy, const struct corner *c) {
  int ok = 1;
  for (int param = -1; param < policy_params(policy); param++) {
    const struct param *at = param < 0 ? NULL : policy->params + param;
    const int values = at && at->choices ? (int)at->upper : 0;
    for (int value = 0; value <= values; value++) {
      struct problem problem;
      problem_random(&problem, c->kind, c->k, c->odd);
      problem.prior.scale = c->scale;
      problem.prior.df = whole(2) ? (double)INFINITY : 4 + whole(30);
      prior_finish(&problem.prior);
      struct stub_run run;
      stub_run_new(&run, &problem.prior, policy, c->budget,
                   columns_for(&problem.prior, c->budget + 1));
      if (at)
        run.param[param] = at->choices ? value : fmin(at->upper, 2);
      int *barred = stub_ints((size_t)c->k);
      for (int i = 0; i < c->k; i++)
        barred[i] = c->bar == 2 || (c->bar == 1 && i % 2 == 0);
      run.r.barred = c->bar ? barred : NULL;
      ok = corner_holds(&run, c) && ok;
      stub_free();
    }
  }
  return ok;
}

static void test_corners(void) {
  const int sizes[] = {1, 2, 5}, budgets[] = {1, 9};
  const double scales[] = {0, 1, 1e-100, 1e100}, noises[] = {0, 0.3, 1e-50, 1e50};
  for (int i = 0; i < policy_count(); i++)
    for (int n = 0; n < 3 * 3 * 2 * ODDITIES * 4 * 4 * 3; n++) {
      int at = n;
      struct corner c;
      c.kind = (enum prior_kind)(at % 3), at /= 3;
      c.k = sizes[at % 3], at /= 3;
      c.budget = budgets[at % 2], at /= 2;
      c.odd = (enum oddity)(at % ODDITIES), at /= ODDITIES;
      c.scale = scales[at % 4], at /= 4;
      c.noise_sd = noises[at % 4], at /= 4;
      c.bar = at;
      CHECK(corners_hold(policy_at(i), &c));
    }
}

/* Any standard deviation and any parameter that R admits: bounds stay numbers. */
static void test_extremes(void) {
  const double sds[] = {1e-100, 1e-20, 1, 1e100},
               numbers[] = {0, 1e-100, 1, 1e100, 1e308};
  const char *const params[] = {"beta", "epsilon"};
  const struct policy *policy = policy_named("bayesgap");
  for (int n = 0; n < 3 * 4 * 4 * 5 * 2; n++) {
    const struct param *param = policy->params + param_at(policy, params[n % 2]);
    const double number = fmin(numbers[n / 2 % 5], param->upper);
    const double prior_sd = sds[n / 10 % 4], noise_sd = sds[n / 40 % 4];
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(n / 160), 4, ZERO_ARMS);
    problem.prior.scale = prior_sd * prior_sd;
    prior_finish(&problem.prior);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy, 6, columns_for(&problem.prior, 6));
    set_noise(&run, noise_sd);
    set_number(&run, params[n % 2], number);
    int next = engine_start(policy, &run.p, &run.r), ok = sound(&run, next);
    for (int t = 0; ok && t < 6 && next >= 0; t++) {
      ok = !isnan(run.note.beta) && !isnan(run.note.gap);
      next = pull(&run, next, prior_sd * norm_rand());
      ok = ok && sound(&run, next);
    }
    CHECK(ok);
  }
}

/* ---- Corridor ------------------------------------------------------------------------ */

/* A random road, its cells from empty to jammed, ramps and off-ramps here and there. */
static struct corridor road_random(int cells) {
  struct corridor road = {.diagram = {65, 12, 1900},
                          .length = 0.1,
                          .step = 5 / 3600.0,
                          .clock = 0,
                          .cells = cells,
                          .cell = stub_block((size_t)cells, sizeof(struct cell))};
  for (int i = 0; i < cells; i++) {
    const double lanes = 1 + whole(5), jam = 190 * (1 + 65 / 12.0) / 65 * lanes;
    const int ramp = i == 0 || whole(2);
    const struct cell cell = {.lanes = lanes,
                              .off = i < cells - 1 && whole(2) ? 0.4 * unif_rand() : 0,
                              .ramp = ramp ? 3000 * unif_rand() : 0,
                              .merge = unif_rand(),
                              .vehicles = jam * fmin(1, fmax(0, 2 * unif_rand() - 0.5)),
                              .waiting = ramp ? 10 * unif_rand() : 0,
                              .open = whole(3) ? 1 : unif_rand(),
                              .out = NAN};
    road.cell[i] = cell;
  }
  return road;
}

static double vehicles_on(const struct corridor *road) {
  double sum = 0;
  for (int i = 0; i < road->cells; i++)
    sum += road->cell[i].vehicles + road->cell[i].waiting;
  return sum;
}

/* What every step keeps: vehicles, their number, the jam density and the capacity. */
static void test_corridor_step(void) {
  for (int n = 0; n < 500; n++) {
    const int cells = 1 + whole(9);
    struct corridor road = road_random(cells);
    int ok = 1;
    for (int t = 0; t < 20; t++) {
      const double before = vehicles_on(&road), left = corridor_step(&road);
      ok = ok && left >= 0 && near(vehicles_on(&road) + left, before, 1e-12);
      for (int i = 0; i < cells; i++) {
        const struct cell *c = road.cell + i;
        const double jam = 190 * (1 + 65 / 12.0) / 65 * c->lanes;
        const double most = c->open * c->lanes * 1900 * road.step;
        ok = ok && c->vehicles >= 0 && c->vehicles <= jam * (1 + 1e-12);
        ok = ok && c->waiting >= 0 && c->out >= 0 && c->out <= most * (1 + 1e-12);
      }
    }
    CHECK(ok);
  }
}

/* A cell of 3 lanes sends at most 3 * 1900 / 720 = 7.91666 in a step, of 10 vehicles 65 /
 * 72 of them; a jam takes nothing. */
static void test_corridor_by_hand(void) {
  struct corridor road = road_random(2);
  const struct cell plain = {.lanes = 3, .open = 1};
  road.cell[0] = road.cell[1] = plain;
  road.cell[0].vehicles = 5;
  road.cell[1].vehicles = 10;
  CHECK(near(corridor_step(&road), 95 / 12.0, 1e-12));
  CHECK(near(road.cell[0].out, 5 * 65 / 72.0, 1e-12));
  CHECK(near(road.cell[1].vehicles, 10 - 95 / 12.0 + 5 * 65 / 72.0, 1e-12));
  road.cell[1].vehicles = 3 * 190 * (1 + 65 / 12.0) / 65;
  road.cell[1].open = 0;
  road.cell[0].vehicles = 5;
  CHECK(near(corridor_step(&road), 0, 1e-12));
  CHECK(near(road.cell[0].vehicles, 5, 1e-12));
}

/* Demand comes by the clock, incidents come and go, and the counts add up. */
static void test_corridor_read(void) {
  for (int n = 0; n < 200; n++) {
    const int cells = 1 + whole(9), sensors = whole(cells + 1), slots = 1 + whole(3);
    struct corridor road = road_random(cells);
    const double before = vehicles_on(&road);
    int entries = 0, *entry = stub_ints((size_t)cells),
        *sensor = stub_ints((size_t)sensors);
    for (int i = 0; i < cells; i++)
      if (road.cell[i].ramp > 0)
        entry[entries++] = i;
    for (int i = 0; i < sensors; i++)
      sensor[i] = whole(cells);
    double *demand = stub_doubles((size_t)(entries * slots)), *when = stub_doubles(6);
    for (int i = 0; i < entries * slots; i++)
      demand[i] = 4000 * unif_rand();
    for (int i = 0; i < 6; i++)
      when[i] = 0.02 * unif_rand();
    int *place = stub_ints(2);
    place[0] = whole(cells);
    place[1] = whole(cells);
    const struct traffic traffic = {entries, entry, slots, 0.01,     demand,
                                    2,       place, when,  when + 2, when + 4};
    const int readings = 1 + whole(4), steps = 1 + whole(6);
    const size_t r = (size_t)readings;
    const struct readings seen = {readings,
                                  steps,
                                  sensors,
                                  sensor,
                                  stub_doubles(r * (size_t)sensors),
                                  stub_doubles(r),
                                  stub_doubles(r),
                                  stub_doubles(r)};
    corridor_read(&road, &traffic, &seen, stub_doubles(2 * (size_t)sensors));
    double inside = before;
    int ok = near(road.clock, readings * steps * road.step, 1e-12);
    for (int i = 0; i < readings; i++) {
      inside += seen.arrived[i] - seen.left[i];
      ok = ok && near(seen.inside[i], inside, 1e-12);
    }
    for (int i = 0; i < readings * sensors; i++)
      ok = ok && seen.speed[i] >= 0 && seen.speed[i] <= 65 * (1 + 1e-12);
    CHECK(ok);
    stub_free();
  }
}

/* ---- store.c ----------------------------------------------------------------------- */

static void test_checksum(void) {
  const unsigned char *digits = (const unsigned char *)"123456789";
  const uint64_t all = store_checksum(0, digits, 9); /* the published check value */
  CHECK(all == 0x995dc9bbdf1939fa);
  CHECK(store_checksum(0, NULL, 0) == 0);
  for (size_t n = 0; n <= 9; n++)
    CHECK(store_checksum(store_checksum(0, digits, n), digits + n, 9 - n) == all);
  /* One bit at a time. */
  for (int run = 0; run < 50; run++) {
    const int n = 1 + whole(64);
    unsigned char *bytes = stub_block((size_t)n, 1);
    for (int i = 0; i < n; i++)
      bytes[i] = (unsigned char)whole(256);
    const uint64_t sum = store_checksum(0, bytes, (size_t)n);
    int seen = 1;
    for (int i = 0; i < 8 * n; i++) {
      bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ (1 << i % 8));
      seen = seen && store_checksum(0, bytes, (size_t)n) != sum;
      bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ (1 << i % 8));
    }
    CHECK(seen && store_checksum(0, bytes, (size_t)n) == sum);
    stub_free();
  }
}

/* Does the file hold these n bytes and no more? */
static int holds(const char *path, const unsigned char *bytes, size_t n) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return 0;
  int same = 1;
  for (size_t i = 0; i < n; i++)
    same = same && fgetc(file) == bytes[i];
  same = same && fgetc(file) == EOF;
  fclose(file);
  return same;
}

static void test_store_write(void) {
  char folder[] = "/tmp/core-store-XXXXXX", path[64], below[80];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(below, sizeof below, "%s/none/file", folder);
  const size_t n = 3u << 20; /* more than is written at a time */
  unsigned char *bytes = stub_block(n, 1);
  for (size_t i = 0; i < n; i++)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  CHECK(store_write(path, bytes, n, STORE_NEW) == 0 && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_NEW) == EEXIST && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_REPLACE) == 0 && holds(path, bytes, 5));
  CHECK(store_write(path, bytes, 0, STORE_REPLACE) == 0 && holds(path, bytes, 0));
  CHECK(store_write(below, bytes, 5, STORE_REPLACE) == ENOENT);
  CHECK(store_write(folder, bytes, 5, STORE_REPLACE) == EISDIR);
  store_settle(folder);
  store_settle(below);
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
}

static void test_alive(void) {
  CHECK(store_alive((int)getpid()));
  CHECK(store_alive(1));
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
  CHECK(!store_alive((int)child));
}

static void test_kind(void) {
  char folder[] = "/tmp/core-kind-XXXXXX", path[64];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/file", folder);
  CHECK(store_kind_of(folder) == STORE_FOLDER);
  CHECK(store_kind_of(path) == STORE_NOTHING);
  CHECK(store_write(path, (const unsigned char *)"x", 1, STORE_NEW) == 0);
  CHECK(store_kind_of(path) == STORE_FILE);
  CHECK(remove(path) == 0 && symlink("/dev/null", path) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(remove(path) == 0 && mkfifo(path, 0600) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
}

/* ---- plain.c ----------------------------------------------------------------------- */

/* Values as R writes them, made by hand: a word is four bytes, the highest first. */
struct script {
  unsigned char bytes[512];
  size_t n;
};

static void put(struct script *s, unsigned word) {
  for (int shift = 24; shift >= 0; shift -= 8)
    s->bytes[s->n++] = (unsigned char)(word >> shift);
}

static void put_words(struct script *s, int n, const unsigned *words) {
  for (int i = 0; i < n; i++)
    put(s, words[i]);
}

static void put_chars(struct script *s, const char *text) {
  put(s, 0x40009);
  put(s, (unsigned)strlen(text));
  memcpy(s->bytes + s->n, text, strlen(text));
  s->n += strlen(text);
}

/* The tag of an attribute, when its name comes for the first time. */
static void put_tag(struct script *s, const char *name) {
  put(s, 0x402);
  put(s, 1);
  put_chars(s, name);
}

static struct script new_script(void) {
  struct script s = {"X\n\0\0\0\2\0\4\2\2\0\2\3\0", 14};
  return s;
}

#define PUT(script, ...)                                                                 \
  put_words(script, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),          \
            (const unsigned[]){__VA_ARGS__})

/* In a block of just that size. */
static int is_plain(const struct script *s) {
  unsigned char *bytes = stub_block(s->n, 1);
  memcpy(bytes, s->bytes, s->n);
  return plain_fault(bytes, s->n, 3) == NULL;
}

/* Whole it is plain; shorter or longer it is not. */
static int is_whole(const struct script *s) {
  struct script part = *s;
  int ok = is_plain(s);
  for (part.n = 0; part.n < s->n; part.n++)
    ok = ok && !is_plain(&part);
  part.n = s->n + 1;
  return ok && !is_plain(&part);
}

enum { AN_INT = 13, A_LIST = 19, WITH = 0x200, A_CLASS = 0x300, NOTHING = 254 };

static void test_plain_values(void) {
  struct script s = new_script();
  PUT(&s, NOTHING);
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, AN_INT, 2, 7, 0x80000000);
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, 16, 2, 9, 0xffffffff); /* c(NA, "ab") */
  put_chars(&s, "ab");
  CHECK(is_whole(&s));
  s.bytes[s.n - 1] = 0;
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, A_LIST, 3, NOTHING, 14, 1, 0, 0, 10, 2, 1, 0x80000000);
  CHECK(is_whole(&s));
  s.bytes[s.n - 5] = 2; /* neither TRUE nor FALSE nor NA */
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, AN_INT, 0xffffffff, 0, 1, 5); /* a length in two words */
  CHECK(is_whole(&s));
}

static void test_plain_refused(void) {
  /* Symbols, pair lists, functions, environments, promises, calls, built-ins, expressions, byte
   * code, pointers, S4; and what stands for environments, packages, other forms, references. */
  for (unsigned type = 0; type < 256; type++) {
    struct script s = new_script();
    PUT(&s, type, 0);
    const int data = type == 10 || (type >= 13 && type <= 16) || type == 19 || type == 24;
    CHECK(is_plain(&s) == data);
  }
  for (int bit = 8; bit < 32; bit++) {
    struct script s = new_script();
    PUT(&s, AN_INT | 1u << bit, 0);
    CHECK(is_plain(&s) == (bit == 17)); /* room to grow */
  }
  struct script s = new_script();
  s.bytes[5] = 3; /* another version */
  PUT(&s, NOTHING);
  CHECK(!is_plain(&s));
  static const unsigned lengths[] = {1, 0x7fffffff, 0x80000000, 0xfffffffe};
  for (int i = 0; i < 4; i++) {
    s = new_script();
    PUT(&s, A_LIST, lengths[i]);
    CHECK(!is_plain(&s));
  }
  s = new_script();
  PUT(&s, 14, 0xffffffff, 0x80000000, 0); /* more bytes than there are numbers for */
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, A_LIST, 1, A_LIST, 1, A_LIST, 0); /* as deep as allowed, and deeper */
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, A_LIST, 1, A_LIST, 1, A_LIST, 1, A_LIST, 0);
  CHECK(!is_plain(&s));
}

/* Six whole numbers with one attribute, a vector of whole numbers. */
static struct script with_numbers(const char *name, int n, const unsigned *value) {
  struct script s = new_script();
  PUT(&s, AN_INT | WITH, 6, 1, 2, 3, 4, 5, 6);
  put_tag(&s, name);
  PUT(&s, AN_INT, (unsigned)n);
  put_words(&s, n, value);
  PUT(&s, NOTHING);
  return s;
}

#define NUMBERS(name, ...)                                                               \
  with_numbers(name, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),         \
               (const unsigned[]){__VA_ARGS__})

/* n whole numbers with an attribute of one string. */
static struct script with_string(unsigned flags, unsigned n, const char *name) {
  struct script s = new_script();
  PUT(&s, AN_INT | flags, n);
  for (unsigned i = 0; i < n; i++)
    PUT(&s, i);
  put_tag(&s, name);
  PUT(&s, 16, 1);
  put_chars(&s, "a");
  PUT(&s, NOTHING);
  return s;
}

static void test_plain_attributes(void) {
  struct script s = NUMBERS("dim", 2, 3);
  CHECK(is_whole(&s));
  s = NUMBERS("note", 1000, 1000); /* of which R knows nothing */
  CHECK(is_whole(&s));
  s = NUMBERS("row.names", 0x80000000, 1);
  CHECK(is_whole(&s));
  static const unsigned wrong[][2] = {
      {2, 2}, {1000, 1000}, {0, 6}, {0xfffffffe, 0xfffffffd}, {0x40000000, 4}};
  for (int i = 0; i < 5; i++) {
    s = with_numbers("dim", 2, wrong[i]);
    CHECK(!is_plain(&s));
  }
  static const char *const other[] = {"names", "class", "dimnames", "tsp", "comment"};
  for (int i = 0; i < 5; i++) {
    s = NUMBERS(other[i], 1, 2);
    CHECK(!is_plain(&s));
  }
  s = with_string(WITH, 1, "names");
  CHECK(is_whole(&s));
  s = with_string(WITH, 2, "names");
  CHECK(!is_plain(&s));
  s = with_string(A_CLASS, 2, "class");
  CHECK(is_whole(&s));
  s = with_string(WITH, 2, "class"); /* no object */
  CHECK(!is_plain(&s));
  s = with_string(A_CLASS, 2, "comment"); /* an object without a class */
  CHECK(!is_plain(&s));
  s = with_string(WITH, 2, "");
  CHECK(!is_plain(&s));
}

/* A 1 x 2 matrix whose columns have so many names, and whose extents come last. */
static struct script named_columns(unsigned names, int late) {
  struct script s = new_script();
  PUT(&s, AN_INT | WITH, 2, 8, 9);
  for (int i = 0; i < 2; i++)
    if (i == late) {
      put_tag(&s, "dim");
      PUT(&s, AN_INT, 2, 1, 2);
    } else {
      put_tag(&s, "dimnames");
      PUT(&s, A_LIST, 2, NOTHING, 16, names);
      for (unsigned j = 0; j < names; j++)
        put_chars(&s, "n");
    }
  PUT(&s, NOTHING);
  return s;
}

static void test_plain_references(void) {
  struct script s = named_columns(2, 0);
  CHECK(is_whole(&s));
  s = named_columns(3, 0);
  CHECK(!is_plain(&s));
  s = named_columns(2, 1);
  CHECK(!is_plain(&s));
  /* A second value refers to the symbol that came with the first: by number, in one word or two. */
  for (unsigned size = 1; size < 3; size++)
    for (int form = 0; form < 2; form++)
      for (unsigned index = 0; index < 3; index++) {
        s = new_script();
        PUT(&s, A_LIST, 2, AN_INT | WITH, 1, 5);
        put_tag(&s, "dim");
        PUT(&s, AN_INT, 1, 1, NOTHING, AN_INT | WITH, 1, 5, 0x402);
        if (form)
          PUT(&s, 255, index);
        else
          PUT(&s, index << 8 | 255);
        PUT(&s, AN_INT, 1, size, NOTHING);
        /* Number 0 in one word says that the next one tells it. */
        CHECK(is_plain(&s) == (index == 1 && size == 1));
      }
  /* The same symbol, or the same attribute, may not come twice. */
  s = new_script();
  PUT(&s, AN_INT | WITH, 1, 5);
  for (int i = 0; i < 2; i++) {
    put_tag(&s, "dim");
    PUT(&s, AN_INT, 1, 1);
  }
  PUT(&s, NOTHING);
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, AN_INT | WITH, 1, 5);
  put_tag(&s, "dim");
  PUT(&s, AN_INT, 1, 1, 0x402, 1 << 8 | 255, AN_INT, 1, 1, NOTHING);
  CHECK(!is_plain(&s));
}

/* The place of a test gives its seed: new ones come last. */
static const struct {
  const char *name;
  void (*run)(void);
} TESTS[] = {
    {"sums of columns", test_sums_of_columns},
    {"X z", test_add_product},
    {"max, sum, sqrt", test_max_sum_sqrt},
    {"find", test_find},
    {"which_max without ties", test_which_max_alone},
    {"which_max with ties", test_which_max_ties},
    {"which_max of nothing", test_which_max_nothing},
    {"cholesky", test_cholesky},
    {"inverse", test_invert},
    {"Student's t", test_student},
    {"evidence", test_evidence},
    {"evidence: what cannot be explained", test_no_evidence},
    {"prior columns", test_prior_columns},
    {"prior draws", test_prior_draws},
    {"posterior against a full matrix", test_recursion},
    {"compacting on the way", test_compacting_on_the_way},
    {"exact observations", test_exact_observations},
    {"when to compact", test_full},
    {"posterior draws", test_posterior_draws},
    {"certainty", test_certainty},
    {"floor", test_floor},
    {"delta", test_delta},
    {"gap", test_find_gap},
    {"gap: corners", test_gap_corners},
    {"gap: a clear leader", test_separated},
    {"table of policies", test_table},
    {"fixture A", test_fixture_a},
    {"fixture A: reserves", test_fixture_a_reserves},
    {"fixture A: refused", test_fixture_a_refused},
    {"fixture A: draws", test_fixture_a_draws},
    {"a clear leader: hardness", test_separated_hardness},
    {"equation 9", test_beta},
    {"fixed beta", test_fixed_beta},
    {"fixture R8", test_fixture_r8},
    {"budget", test_budget},
    {"same seed", test_same_seed},
    {"a run equals its steps", test_run_equals_steps},
    {"resolved", test_resolved},
    {"record", test_record},
    {"pool", test_pool},
    {"columns", test_columns},
    {"learning a log", test_learning_a_log},
    {"recommendation", test_recommend},
    {"open arms", test_open},
    {"corners", test_corners},
    {"extremes", test_extremes},
    {"kernels: leaves", test_kernel_leaves},
    {"kernels: trees", test_kernel_trees},
    {"kernels: the largest", test_kernel_limits},
    {"kernels: extremes", test_kernel_extremes},
    {"kernels: gradient", test_kernel_gradient},
    {"kernels: factor", test_kernel_factor},
    {"prior: rest", test_prior_rest},
    {"posterior: factor", test_posterior_factor},
    {"corridor: a step", test_corridor_step},
    {"corridor: numbers by hand", test_corridor_by_hand},
    {"corridor: readings", test_corridor_read},
    {"store: checksum", test_checksum},
    {"store: write", test_store_write},
    {"store: alive", test_alive},
    {"store: kind", test_kind},
    {"plain: values", test_plain_values},
    {"plain: refused", test_plain_refused},
    {"plain: attributes", test_plain_attributes},
    {"plain: references", test_plain_references},
};

int main(void) {
  for (size_t i = 0; i < sizeof TESTS / sizeof TESTS[0]; i++) {
    const int before = failed;
    stub_seed(i);
    TESTS[i].run();
    stub_free();
    if (failed > before)
      printf("%s: %d failed\n", TESTS[i].name, failed - before);
    fflush(stdout);
  }
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
