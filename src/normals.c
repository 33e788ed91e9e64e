#include "normals.h"

#include <R_ext/Random.h>
#include <math.h>
#include <string.h>

#include "hot.h"
#include "normal.h"

/* ---- Uniform numbers ------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea and Flood 2014): spreads a seed over the state. */
static uint64_t spread(uint64_t *seed) {
  uint64_t x = *seed += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static uint64_t turn(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

/* xoshiro256++ (Blackman and Vigna 2021). */
static uint64_t next(uint64_t state[4]) {
  const uint64_t out = turn(state[0] + state[3], 23) + state[0], third = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= third;
  state[3] = turn(state[3], 45);
  return out;
}

struct normals normals_from(uint64_t seed) {
  struct normals g;
  for (int i = 0; i < 4; i++)
    g.state[i] = spread(&seed);
  return g;
}

struct normals normals_begin(void) {
  const double half = 4294967296.0;
  const uint64_t high = (uint64_t)(unif_rand() * half);
  return normals_from(high << 32 ^ (uint64_t)(unif_rand() * half));
}

/* Numbers between -1/2 and 1/2, neither of them, from the upper 52 bits. */
static void uniforms(struct normals *g, int n, double *restrict out) {
  for (int i = 0; i < n; i++) {
    const uint64_t bits = next(g->state) >> 12 | 0x3ff0000000000000;
    double from_one;
    memcpy(&from_one, &bits, sizeof from_one);
    out[i] = (from_one - 1.5) + 0x1p-53;
  }
}

/* ---- Quantiles (Wichura 1988, AS 241) --------------------------------------------------- */

/* Where the first of his three approximations holds. */
static const double MIDDLE = 0.425;

HOT static void middle(int n, const double *q, double *restrict out) {
  for (int i = 0; i < n; i++) {
    const double r = 0.180625 - q[i] * q[i];
    double above = 2509.0809287301226727, below = 5226.495278852545925;
    above = above * r + 33430.575583588128105;
    above = above * r + 67265.770927008700853;
    above = above * r + 45921.953931549871457;
    above = above * r + 13731.693765509461125;
    above = above * r + 1971.5909503065514427;
    above = above * r + 133.14166789178437745;
    above = above * r + 3.387132872796366608;
    below = below * r + 28729.085735721942674;
    below = below * r + 39307.89580009271061;
    below = below * r + 21213.794301586595867;
    below = below * r + 5394.1960214247511077;
    below = below * r + 687.1870074920579083;
    below = below * r + 42.313330701600911252;
    below = below * r + 1;
    out[i] = q[i] * above / below;
  }
}

static double outer(double q) {
  const double tail = 0.5 - fabs(q), root = sqrt(-log(tail)), r = root - 1.6;
  if (root > 5)
    return copysign(normal_quantile(tail), q);
  double above = 7.7454501427834140764e-4, below = 1.05075007164441684324e-9;
  above = above * r + 0.0227238449892691845833;
  above = above * r + 0.24178072517745061177;
  above = above * r + 1.27045825245236838258;
  above = above * r + 3.64784832476320460504;
  above = above * r + 5.7694972214606914055;
  above = above * r + 4.6303378461565452959;
  above = above * r + 1.42343711074968357734;
  below = below * r + 5.475938084995344946e-4;
  below = below * r + 0.0151986665636164571966;
  below = below * r + 0.14810397642748007459;
  below = below * r + 0.68976733498510000455;
  below = below * r + 1.6763848301838038494;
  below = below * r + 2.05319162663775882187;
  below = below * r + 1;
  return copysign(above / below, q);
}

enum { AT_ONCE = 64 };

/* Of up to AT_ONCE. Those far out are listed first: which they are cannot be foreseen. */
static void quantiles(int n, const double *q, double *restrict out) {
  int far[AT_ONCE], count = 0;
  middle(n, q, out);
  for (int i = 0; i < n; i++) {
    far[count] = i;
    count += fabs(q[i]) > MIDDLE;
  }
  for (int i = 0; i < count; i++)
    out[far[i]] = outer(q[far[i]]);
}

double normals_quantile(double q) {
  double out;
  quantiles(1, &q, &out);
  return out;
}

/* ---- Normals ---------------------------------------------------------------------------- */

void normals_fill(struct normals *g, int n, double *restrict out) {
  double q[AT_ONCE];
  for (int from = 0; from < n; from += AT_ONCE) {
    const int now = n - from < AT_ONCE ? n - from : AT_ONCE;
    uniforms(g, now, q);
    quantiles(now, q, out + from);
  }
}
