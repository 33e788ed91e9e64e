/* How close counts as equal: rounding does not decide which arm is pulled or kept.
 *
 * Values tie within TIE * scale + ROUNDING * magnitude. The scale is what differences between
 * them are worth (a gap, a standard deviation), the magnitude how large the numbers are that
 * they were computed from. */
#ifndef BAYESGAP_TIE_H
#define BAYESGAP_TIE_H

#include <float.h>

#define TIE 1e-9
#define ROUNDING (16 * DBL_EPSILON)

#endif
