/* HOT marks a loop over the arms that deserves the compiler's best: R builds with -O2,
 * which leaves such loops scalar. Only what gcc on x86-64 Linux can select at load time is
 * asked for, without fused multiply-add, so that every build gives the same numbers. */
#ifndef BAYESGAP_HOT_H
#define BAYESGAP_HOT_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                   \
    defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HOT                                                                              \
  __attribute__((optimize("O3", "no-math-errno", "no-trapping-math"),                    \
                 target_clones("avx2", "default")))
#else
#define HOT
#endif

/* Sums and maxima run in this many independent lanes: the result does not depend on
 * whether, or how wide, the compiler vectorises. */
enum { LANES = 32 };

#endif
