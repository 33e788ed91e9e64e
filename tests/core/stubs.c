/* What the core asks of R, for tests without R: a small generator of random numbers, and
 * interrupts that never come. */
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <math.h>
#include <stdint.h>

#include "stubs.h"

static uint64_t state = 1;

void stub_seed(uint64_t seed) {
  state = 2 * seed + 1;
}

double unif_rand(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

double norm_rand(void) {
  const double radius = sqrt(-2 * log(unif_rand()));
  return radius * cos(6.283185307179586 * unif_rand());
}

void R_CheckUserInterrupt(void) {}
