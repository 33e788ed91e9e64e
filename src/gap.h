/* The gap between the best and the rest: how hard the arms are to tell apart (the paper's
 * H), and which two arms stand closest (its J and j). Shared by the gap-based policies. */
#ifndef BAYESGAP_GAP_H
#define BAYESGAP_GAP_H

enum gap_sides { GAP_TWO_SIDED, GAP_ONE_SIDED };

/* out[k] = Delta_k, an upper bound of |max_{i != k} mu_i - mu_k| from the bounds
 * mean +- width * sd. One-sided is the paper's, which is no bound for a clear leader. */
void gap_delta(int k, const double *mean, const double *sd, double width,
               enum gap_sides sides, double *out);

struct gap {
  int leader;   /* J: the arm with the smallest B_k = max_{i != k} U_i - L_k */
  int rival;    /* j: the largest upper bound among the others; -1 for a single arm */
  double value; /* B_J */
};

/* Ties are broken at random. upper is changed and restored; scratch: k doubles. */
struct gap gap_find(int k, double *upper, const double *lower, double *scratch);

#endif
