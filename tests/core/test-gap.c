/* Gaps against their definition. */
#include <R_ext/Random.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "gap.h"
#include "twin.h"
#include "vectors.h"

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

const struct test TESTS_GAP[] = {
    {"delta", test_delta},
    {"gap", test_find_gap},
    {"gap: corners", test_gap_corners},
    {"gap: a clear leader", test_separated},
    {0},
};
