/* The streams of random numbers that R's generator L'Ecuyer-CMRG can be set to, one a pull. */
#ifndef BAYESGAP_STREAM_H
#define BAYESGAP_STREAM_H

#include <stdint.h>

/* The stream that begins 2^127 numbers later, as parallel::nextRNGStream() gives it. */
void stream_next(uint32_t seed[6]);

#endif
