/* The belief about the arms after some observations, one observation at a time.
 *
 * var is the squared scale of an arm's t distribution with the prior's df, which is its
 * variance when df is INFINITY: the prior's scale and the noise are then known.
 *
 * Only the columns w = S[,a] / sqrt(d), d = S[a,a] + noise^2, of the observations made are
 * kept: the covariance is S = S0 - W W'. The covariance with an arm observed before is a
 * scaled copy of its own latest column less the columns since, so a step reads few of them
 * when few arms are pulled again and again. Nothing is factorised or inverted. */
#ifndef BAYESGAP_POSTERIOR_H
#define BAYESGAP_POSTERIOR_H

#include "prior.h"

struct posterior {
  const struct prior *prior;
  double *mean; /* k */
  double *var;  /* k */
  int *pulls;   /* k: observations learned of each arm */
  int *last;    /* k: the column of the arm's latest observation, or -1 */

  double loss; /* the square of what rounding may have moved the means by, in their own
                   standard deviations */

  int n;          /* columns; none are needed for independent arms */
  double **w;     /* w[n] must point to k free doubles before the next observation */
  int *arm;       /* of each column: the arm, */
  double *d;      /* the variance of the observation before it was made, */
  double *noise2; /* and the part of it that is noise */
};

/* Observations to be learned: y[i] of arm[i] with noise variance noise2[i]. A pull that
 * failed has y = NaN and teaches nothing. */
struct observations {
  int n;
  const int *arm;
  const double *y;
  const double *noise2;
};

/* Back to the prior: no observation. */
void posterior_start(struct posterior *);

/* One observation. With y = mean[arm] it is a pull that is still out: the variances
 * shrink and the means stay. */
void posterior_learn(struct posterior *, int arm, double y, double noise2);

/* The posterior covariance of all arms with one of them. */
void posterior_column(const struct posterior *, int arm, double *restrict out);

/* The belief rebuilt from one averaged observation per arm: the same belief in as many
 * columns as there are arms pulled, the arms pulled latest last (but arms observed exactly
 * first, in their order). w[0], w[1], ... must point
 * to free columns, not to those in use. work: 2k doubles, order: k ints. */
void posterior_compact(struct posterior *, const struct observations *, double *work,
                       int *order);

/* The number of arms observed: at most so many columns are left by compacting. */
int posterior_arms(const struct posterior *);

/* 1 when there are so many columns that compacting pays. */
int posterior_full(const struct posterior *);

/* A factor of the posterior covariance of all arms, as by linalg_low_rank(). */
int posterior_factor(const struct posterior *, double tolerance, int limit,
                     double *factor, double *rest, double *work);

/* One joint draw of the arms' means; no factorisation. z: room for the prior's d. */
void posterior_draw(const struct posterior *, double *restrict z, double *restrict out);

/* Monte Carlo over joint draws: best[i] becomes the share of draws in which arm i is the
 * best, regret[s] what keeping `arm` loses in draw s. work: k + d doubles. */
void posterior_certainty(const struct posterior *, int arm, int draws, double *work,
                         double *best, double *regret);

/* What rounding may have left of an arm's variance: that many digits below the variance it was
 * subtracted from, which is the prior's until the arm is pulled and then what its latest pull
 * left, however wide the prior was. Nothing where arms are independent: nothing is subtracted. */
double posterior_rounding(const struct posterior *, int arm);

/* Likewise of the entry `other` of posterior_column(arm), whose arm has that prior variance. */
double posterior_column_rounding(const struct posterior *, int arm, double prior_var);

/* 1 when no arm has a variance worth a pull: none is more than rounding. */
int posterior_resolved(const struct posterior *);

/* A standard deviation so small beside the largest of these k that it counts as none. */
double posterior_floor(int k, const double *sd);

#endif
