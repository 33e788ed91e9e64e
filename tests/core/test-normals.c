/* Normals in numbers: what the generator below them gives, their law against the distribution function,
 * and that the same seed gives the same ones however they are asked for. */
#include <R_ext/Random.h>
#include <Rmath.h>
#include <math.h>

#include "check.h"
#include "normals.h"
#include "stubs.h"

/* ---- The plain form ---------------------------------------------------------------------- */

static uint64_t plain_number(struct normals *g) {
  uint64_t *s = g->state;
  const uint64_t sum = s[0] + s[3], number = (sum << 23 | sum >> 41) + s[0],
                 kept = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= kept;
  s[3] = s[3] << 45 | s[3] >> 19;
  return number;
}

static double plain_unit(struct normals *g) {
  return ((double)(plain_number(g) >> 12) + 0.5) * 0x1p-52;
}

static double density(double x) {
  return exp(-x * x / 2);
}

/* Where the layers end and the tail begins; all else of them follows. */
static const double TAIL = 3.6541528853610088;

static double share_of_tail(void) {
  return Rf_pnorm5(TAIL, 0, 1, 0, 0);
}

static double edge_of(int layer) {
  const double area = TAIL * density(TAIL) + sqrt(2 * M_PI) * share_of_tail();
  double edge = layer == 0 ? area / density(TAIL) : TAIL;
  for (int i = 1; i < layer && layer < 256; i++)
    edge = sqrt(-2 * log(area / edge + density(edge)));
  return layer < 256 ? edge : 0;
}

static double plain_normal(struct normals *g) {
  for (;;) {
    const uint64_t bits = plain_number(g);
    const int layer = (int)(bits & 255);
    const double low = edge_of(layer), high = edge_of(layer + 1);
    const double place = (double)(bits >> 11) * 0x1p-52;
    const double x = low * (place < 1 ? place : place - 2);
    if (fabs(x) < high)
      return x;
    const double first = plain_unit(g);
    if (layer > 0 && (1 - first) * density(low) + first * density(high) < density(x))
      return x;
    for (double u = first; layer == 0; u = plain_unit(g)) {
      const double beyond = TAIL - log(u) / TAIL;
      if (plain_unit(g) < density(beyond - TAIL))
        return x < 0 ? -beyond : beyond;
    }
  }
}

/* ---- Tests -------------------------------------------------------------------------------- */

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
  struct normals plain = {{1, 2, 3, 4}};
  for (int i = 0; i < 10; i++)
    CHECK(plain_number(&plain) == numbers[i]);
}

static void test_plain_form(void) {
  enum { N = 40000 };
  double *x = stub_doubles(N);
  struct normals g = normals_from(5), plain = g;
  normals_fill(&g, N, x);
  for (int i = 0; i < N; i++)
    CHECK(near(x[i], plain_normal(&plain), 1e-12));
  for (int i = 0; i < 4; i++)
    CHECK(g.state[i] == plain.state[i]);
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

/* Cells of one probability, so narrow that they tell where a layer's rectangle ends: the sum of their
 * squared deviations is that of a chi-squared distribution. Those beyond the last layer are looked at by
 * themselves. */
static void test_law(void) {
  enum { N = 4000000, CELLS = 2000, BLOCK = 1000 };
  static double block[BLOCK];
  int count[CELLS] = {0}, beyond = 0, right = 0;
  double excess = 0, odd = 0;
  struct normals g = normals_from(11);
  for (int n = 0; n < N; n += BLOCK) {
    normals_fill(&g, BLOCK, block);
    for (int i = 0; i < BLOCK; i++) {
      count[(int)(CELLS * Rf_pnorm5(block[i], 0, 1, 1, 0))]++;
      if (fabs(block[i]) > TAIL) {
        beyond++;
        right += block[i] > 0;
        excess += fabs(block[i]) - TAIL;
      }
    }
  }
  const double each = (double)N / CELLS;
  for (int i = 0; i < CELLS; i++)
    odd += (count[i] - each) * (count[i] - each) / each;
  CHECK(fabs(odd - CELLS) < 5 * sqrt(2. * CELLS));
  const double expected = 2 * share_of_tail() * N, se = 5 * sqrt(expected);
  const double hazard = density(TAIL) / sqrt(2 * M_PI) / share_of_tail();
  CHECK(fabs(beyond - expected) < se);
  CHECK(fabs(right - expected / 2) < se);
  CHECK(fabs(excess / beyond - (hazard - TAIL)) < 5 / TAIL / sqrt(beyond));
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
    {"normals: the generator", test_generator},
    {"normals: the plain form", test_plain_form},
    {"normals: moments", test_moments},
    {"normals: their law", test_law},
    {"normals in parts", test_parts},
    {0},
};
