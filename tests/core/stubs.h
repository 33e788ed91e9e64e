#ifndef BAYESGAP_STUBS_H
#define BAYESGAP_STUBS_H

#include <stdint.h>

void stub_seed(uint64_t seed);

#endif
