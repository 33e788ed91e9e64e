/* The marginal likelihood against differences and integrals. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "evidence.h"
#include "stubs.h"

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

    /* Without derivatives it is the same. */
    struct evidence alone;
    CHECK(evidence_value(&a, again, stub_doubles(2 * (size_t)n), &alone) == 0);
    CHECK(near(found.value, alone.value, 1e-10) && near(found.mean, alone.mean, 1e-9) &&
          near(found.misfit, alone.misfit, 1e-9));

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
  CHECK(evidence_value(&a, weight, work, &found) == 1);
  noise[0] = noise[1] = 0.5;
  CHECK(evidence_find(&a, weight, work, &found) == 0);
  a.free_mean = 1;
  a.df = 1;
  CHECK(evidence_find(&a, weight, work, &found) == 1); /* equal rewards tell no size */
  CHECK(evidence_value(&a, weight, work, &found) == 1);
}

const struct test TESTS_EVIDENCE[] = {
    {"evidence", test_evidence},
    {"evidence: what cannot be explained", test_no_evidence},
    {0},
};
