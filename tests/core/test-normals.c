/* Normals in numbers: their quantiles against the distribution function, their moments, and that the
 * same seed gives the same ones however they are asked for. */
#include <R_ext/Random.h>
#include <Rmath.h>
#include <math.h>

#include "check.h"
#include "normals.h"
#include "stubs.h"

static void test_quantiles(void) {
  for (int n = 0; n < 4000; n++) {
    const double q =
        n % 4 ? unif_rand() - 0.5
              : copysign(0.5 - exp(-36 * unif_rand() - 0.7), unif_rand() - 0.5);
    const double z = normals_quantile(q), tail = 0.5 - fabs(q);
    CHECK(near(Rf_pnorm5(-fabs(z), 0, 1, 1, 0), tail, 1e-11 * tail));
    CHECK(z * q >= 0);
    CHECK(normals_quantile(-q) == -z);
  }
  CHECK(normals_quantile(0) == 0);
}

/* What the authors of the two generators give: splitmix64 from 1234567, and xoshiro256++ from a state of
 * 1, 2, 3, 4. */
static void test_generator(void) {
  const uint64_t spread[] = {6457827717110365317u, 3203168211198807973u,
                             9817491932198370423u, 4593380528125082431u};
  const uint64_t numbers[] = {41943041u,
                              58720359u,
                              3588806011781223u,
                              3591011842654386u,
                              9228616714210784205u,
                              9973669472204895162u,
                              14011001112246962877u,
                              12406186145184390807u,
                              15849039046786891736u,
                              10450023813501588000u};
  const struct normals from = normals_from(1234567);
  for (int i = 0; i < 4; i++)
    CHECK(from.state[i] == spread[i]);
  struct normals g = {{1, 2, 3, 4}};
  double z[10];
  normals_fill(&g, 10, z);
  for (int i = 0; i < 10; i++) {
    const double u = ((double)(numbers[i] >> 12) + 0.5) * 0x1p-52;
    CHECK(z[i] == normals_quantile(u - 0.5));
  }
}

/* Where one approximation ends and the next begins. */
static void test_seams(void) {
  const double seams[] = {0.425, 0.5 - exp(-25)};
  for (int n = 0; n < 2; n++) {
    const double tail = 0.5 - seams[n], step = n ? 1e-4 : 1e-9;
    const double below = normals_quantile(0.5 - tail * (1 + step));
    const double above = normals_quantile(0.5 - tail * (1 - step));
    CHECK(above > below);
    CHECK(near(below, above, step));
  }
}

static void test_moments(void) {
  enum { N = 400000 };
  double *x = stub_doubles(N), sum[5] = {0};
  struct normals g = normals_begin();
  normals_fill(&g, N, x);
  int next_higher = 0, tail = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 1; j < 5; j++)
      sum[j] += pow(x[i], j) / N;
    next_higher += i > 0 && x[i] > x[i - 1];
    tail += fabs(x[i]) > 3;
  }
  const double se = 5 / sqrt(N);
  CHECK(fabs(sum[1]) < se);
  CHECK(fabs(sum[2] - 1) < se * sqrt(2));
  CHECK(fabs(sum[3]) < se * sqrt(15));
  CHECK(fabs(sum[4] - 3) < se * sqrt(96));
  CHECK(fabs(next_higher - N / 2.) < 5 * sqrt(N / 12.));
  CHECK(fabs(tail - N * 0.0026998) < 5 * sqrt(N * 0.0027));
}

static void test_parts(void) {
  double *whole_of = stub_doubles(300), *parts = stub_doubles(300);
  stub_seed(9);
  struct normals g = normals_begin();
  normals_fill(&g, 300, whole_of);
  const double after = unif_rand();
  stub_seed(9);
  struct normals h = normals_begin();
  for (int from = 0, n; from < 300; from += n) {
    n = from == 0 ? 1 : 300 - from < 77 ? 300 - from : 77;
    normals_fill(&h, n, parts + from);
  }
  CHECK(same(300, whole_of, parts));
  CHECK(unif_rand() == after);
  struct normals other = normals_begin();
  normals_fill(&other, 300, parts);
  CHECK(!same(300, whole_of, parts));
}

const struct test TESTS_NORMALS[] = {
    {"normals: quantiles", test_quantiles},
    {"normals: the generator", test_generator},
    {"normals: between the approximations", test_seams},
    {"normals: moments", test_moments},
    {"normals in parts", test_parts},
    {0},
};
