#include "stream.h"

/* L'Ecuyer, Simard, Chen and Kelton (2002), table 1: the two parts of the generator, each a
 * recursion of three numbers, and the matrices that take them 2^127 steps on. */
static const uint64_t MODULUS[2] = {4294967087, 4294944443};
static const uint64_t JUMP[2][3][3] = {{{2427906178, 3580155704, 949770784},
                                        {226153695, 1230515664, 3580155704},
                                        {1988835001, 986791581, 1230515664}},
                                       {{1464411153, 277697599, 1610723613},
                                        {32183930, 1464411153, 1022607788},
                                        {2824425944, 32183930, 2093834863}}};

void stream_next(uint32_t seed[6]) {
  uint32_t next[6];
  for (int i = 0; i < 6; i++) {
    const int part = i / 3;
    uint64_t sum = 0;
    for (int j = 0; j < 3; j++)
      sum = (sum + JUMP[part][i % 3][j] * seed[3 * part + j] % MODULUS[part]) %
            MODULUS[part];
    next[i] = (uint32_t)sum;
  }
  for (int i = 0; i < 6; i++)
    seed[i] = next[i];
}
