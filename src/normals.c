#include "normals.h"

#include <R_ext/Random.h>
#include <math.h>

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

/* A number between 0 and 1, neither of them. */
static double unit(struct normals *g) {
  return ((double)(next(g->state) >> 12) + 0.5) * 0x1p-52;
}

/* ---- Layers (the ziggurat of Marsaglia and Tsang 2000) ----------------------------------- */

/* Layers of one area under exp(-x^2 / 2), from the ground up: layer i is as wide as edge[i] and lies
 * between height[i] and height[i + 1]. The lowest one ends at the TAIL, and what lies beyond has its
 * share of the area: edge[0] is as wide as the layer would be with it. TAIL is where LAYERS layers
 * reach the top, 1. */
enum { LAYERS = 256 };
static const double TAIL = 3.6541528853610087716, AREA = 0.0049286732339746553474;

/* The same for all, and made once. */
static double edge[LAYERS + 1], height[LAYERS + 1];

static void build_layers(void) {
  edge[1] = TAIL;
  height[1] = exp(-0.5 * TAIL * TAIL);
  for (int i = 2; i < LAYERS; i++) {
    height[i] = height[i - 1] + AREA / edge[i - 1];
    edge[i] = sqrt(-2 * log(height[i]));
  }
  height[LAYERS] = 1;
  edge[0] = AREA / height[1];
}

static double beyond_tail(struct normals *g) {
  for (;;) {
    const double over = -log(unit(g)) / TAIL;
    if (-2 * log(unit(g)) > over * over)
      return TAIL + over;
  }
}

/* The layer is in the lowest bits of a number, the place in it in the upper 53. */
static double normal(struct normals *g) {
  for (;;) {
    const uint64_t bits = next(g->state);
    const int layer = (int)(bits % LAYERS);
    const double x = (double)((int64_t)bits >> 11) * 0x1p-52 * edge[layer];
    if (fabs(x) < edge[layer + 1])
      return x;
    if (layer == 0)
      return copysign(beyond_tail(g), x);
    if (height[layer] + unit(g) * (height[layer + 1] - height[layer]) < exp(-0.5 * x * x))
      return x;
  }
}

/* ---- Normals ---------------------------------------------------------------------------- */

struct normals normals_from(uint64_t seed) {
  struct normals g;
  if (edge[0] == 0)
    build_layers();
  for (int i = 0; i < 4; i++)
    g.state[i] = spread(&seed);
  return g;
}

struct normals normals_begin(void) {
  const double half = 4294967296.0;
  const uint64_t high = (uint64_t)(unif_rand() * half);
  return normals_from(high << 32 ^ (uint64_t)(unif_rand() * half));
}

void normals_fill(struct normals *from, int n, double *restrict out) {
  struct normals g = *from;
  for (int i = 0; i < n; i++)
    out[i] = normal(&g);
  *from = g;
}
