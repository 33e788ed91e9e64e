/* HOT marks a loop over the arms that deserves the compiler's best: R builds with -O2,
 * which leaves such loops scalar. Only what gcc on x86-64 Linux can select at load time is
 * asked for, without fused multiply-add, so that every build gives the same numbers. */
#ifndef BAYESGAP_HOT_H
#define BAYESGAP_HOT_H

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                   \
    defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HOT                                                                              \
  __attribute__((optimize("O3", "no-math-errno", "no-trapping-math"),                    \
                 target_clones("avx2", "default")))
/* The same for a loop that waits for memory beyond the nearest cache, where whole cache lines
 * at a time pay. Vectors that wide come with fused multiply-add, which has to be forbidden. */
#define HOT_WIDE                                                                         \
  __attribute__((optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off"), \
                 target_clones("avx512f", "avx2", "default")))
/* And for maxima of finite numbers, which are the same in whatever order they are found. */
#define HOT_MOST                                                                         \
  __attribute__((optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off",  \
                          "finite-math-only", "no-signed-zeros"),                        \
                 target_clones("avx512f", "avx2", "default")))
/* A piece of such a loop by itself, which compilers keep as a call otherwise. */
#define HOT_PART static inline __attribute__((always_inline))
/* Before a loop that writes to several places, none of which it reads as another. */
#define NO_OVERLAP _Pragma("GCC ivdep")
#else
#define NO_OVERLAP
#define HOT
#define HOT_WIDE
#define HOT_MOST
#define HOT_PART static inline
#endif

/* sqrt() may set errno, which keeps compilers from taking several at a time. Nobody reads it here. */
#if defined(__GNUC__)
extern double(sqrt)(double) __attribute__((const));
#endif

/* Sums and maxima run in this many independent lanes: the result does not depend on
 * whether, or how wide, the compiler vectorises. */
enum { LANES = 32 };

#endif
