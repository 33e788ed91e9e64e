/* Columns and draws of the prior against its covariance. */
#include <math.h>

#include "check.h"
#include "twin.h"

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

const struct test TESTS_PRIOR[] = {
    {"prior columns", test_prior_columns},
    {"prior draws", test_prior_draws},
    {"prior: rest", test_prior_rest},
    {0},
};
