/* Streams of random numbers, against those of R's package parallel. */
#include <string.h>

#include "check.h"
#include "stream.h"

static int leads_to(uint32_t seed[6], const uint32_t to[6]) {
  stream_next(seed);
  return memcmp(seed, to, 6 * sizeof *to) == 0;
}

static void test_next(void) {
  uint32_t small[6] = {1, 2, 3, 4, 5, 6};
  CHECK(leads_to(small, (const uint32_t[]){3847595764, 542750874, 3358998068, 4025640956,
                                           701604884, 2546910389}));
  /* The largest that there are: one below each modulus. */
  uint32_t large[6] = {4294967086, 4294967086, 4294967086,
                       4294944442, 4294944442, 4294944442};
  CHECK(leads_to(large, (const uint32_t[]){1632101508, 3553109111, 88824841, 942112078,
                                           1775741572, 3639444149}));
  uint32_t none[6] = {0};
  CHECK(leads_to(none, (const uint32_t[]){0, 0, 0, 0, 0, 0}));
}

const struct test TESTS_STREAM[] = {
    {"stream: next", test_next},
    {0},
};
