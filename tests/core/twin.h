/* Slow and obvious twins that tests of several modules compare with: the belief on a full
 * matrix, the moments of draws, the gap by its definition. */
#ifndef BAYESGAP_TWIN_H
#define BAYESGAP_TWIN_H

#include "problem.h"

/* The rank-one recursion on a full matrix, in long double, of arms and blocks alike. */
struct twin {
  const struct prior *prior;
  int size; /* arms and coordinates of blocks */
  double block2;
  long double *mean, *cov, *column;
  int width; /* coordinates of a block */
  const double *loading;
};

struct twin twin_new(const struct problem *p);
struct twin twin_blocked(const struct problem *p, int blocks, double block2);
struct twin twin_tilted(const struct problem *p, int blocks, double block2, int width,
                        const double *loading);
void twin_learn(struct twin *t, int a, double y, double noise2);
void twin_learn_in(struct twin *t, int a, int block, double y, double noise2);

/* Means and variances are the same within a share of the prior standard deviation. */
int twin_agrees(const struct twin *t, const struct posterior *p, double tolerance);

/* The covariance by its definition, and column by column as the core has it. */
int cov_agrees(const struct twin *t, const struct posterior *p, double tolerance);

/* S = S0 - W W', full, of arms and blocks; independent arms have their variances only. */
double *posterior_cov(const struct posterior *p);

/* Draws against a mean and a covariance, entry by entry, within five standard errors. */
struct moments {
  int k, draws;
  double *mean, *cov;
};

struct moments moments_new(int k);

/* A draw, less its expected value. */
void moments_add(struct moments *m, const double *draw, const double *mean);
void moments_check(struct moments *m, const double *cov);

/* The largest of all but one. */
double max_other(int k, const double *x, int but);

/* The two arms and the gap against the definition; the arms may be any of those tied. */
void check_find(int k, double *upper, const double *lower);

#endif
