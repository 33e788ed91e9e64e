/* The belief about the arms after some observations, one observation at a time.
 *
 * var is the squared scale of an arm's t distribution with the prior's df, which is its
 * variance when df is INFINITY: the prior's scale and the noise are then known.
 *
 * Only the columns w = S[,a] / sqrt(d), d = S[a,a] + noise^2, of the observations made are
 * kept: the covariance is S = S0 - W W'. The covariance with an arm observed before is a
 * scaled copy of its own latest column less the columns since, so a step reads few of them
 * when few arms are pulled again and again. Nothing is factorised or inverted.
 *
 * Pulls may share their luck with others of the same block: y = f_arm + b_block + noise, the
 * blocks' effects independent with one variance. They are further coordinates, behind the k
 * arms, and a column has posterior_size() entries. Without blocks all of it is as if there were
 * none.
 *
 * A block has `width` coordinates, independent with the same variance; those of block i begin at
 * k + i width. All of the first is in a pull's mean; there are others where the block moves some arms
 * more than others, and a pull has of them what the loading of its arm says. */
#ifndef BAYESGAP_POSTERIOR_H
#define BAYESGAP_POSTERIOR_H

#include "average.h"
#include "prior.h"

struct recent;

struct posterior {
  const struct prior *prior;
  double *mean; /* k */
  double *var;  /* k */
  int *pulls;   /* k: observations learned of each arm */
  int *last;    /* k: the column of the arm's latest observation, or -1 */

  int blocks;            /* their number, often 0 */
  int width;             /* coordinates of each, at least 1 */
  const double *loading; /* width - 1 for each arm, one arm after the other */
  double block2;         /* the prior variance of their coordinates */
  double *block_mean;    /* blocks * width */
  double *block_var;     /* blocks * width */

  const double
      *level; /* NULL, or k: how far each arm's mean goes with a standard deviation of the
                          level that all were learned about; draws only know of it */

  double loss; /* the square of what rounding may have moved the means by, in their own
                   standard deviations */

  struct average
      *average; /* NULL where columns are not to be compacted: with blocks an average
                              would be of one arm in one block, of which few have several */

  int n;          /* columns; none are needed for independent arms */
  int lent;       /* the first of them are not to be written: others read them too */
  double **w;     /* w[n] must point to a free column before the next observation */
  int *arm;       /* of each column: the arm, */
  int *block;     /* the block, or -1 (NULL: there are no blocks), */
  double *d;      /* the variance of the observation before it was made, */
  double *noise2; /* and the part of it that is noise */

  int sets; /* of RECENT columns each (recent.h) */
  struct recent
      *recent;   /* set after set, in each the latest first, or NULL: none are kept, which
                            only a posterior without blocks can do without */
  double *spare; /* with blocks: a column to work in */
};

/* Observations to be learned: y[i] of arm[i] with noise variance noise2[i]. A pull that
 * failed has y = NaN and teaches nothing. */
struct observations {
  int n;
  const int *arm;
  const double *y;
  const double *noise2;
  const int *block; /* -1: none; NULL: none has one */
};

/* Arms and the coordinates of blocks: the entries of a column. */
int posterior_size(const struct posterior *);

/* The first coordinate of a block. */
int posterior_block(const struct posterior *, int block);

/* What x, posterior_size() entries, says of an arm in a block, or, -1, in none. */
double posterior_seen(const struct posterior *, int arm, int block, const double *x);

/* What a block adds to the mean of an arm. */
double posterior_effect(const struct posterior *, int arm, int block);

/* The variance of arm and block together, where blocks have several coordinates. */
double posterior_pull_var(const struct posterior *, int arm, int block);

/* 1 when no arm tells anything of another, so that no columns are needed. */
int posterior_separate(const struct posterior *);

/* Back to the prior: no observation. */
void posterior_start(struct posterior *);

/* One observation in a block, or -1: in none. With y the mean of what is observed it is a pull
 * that is still out: the variances shrink and the means stay. */
void posterior_learn(struct posterior *, int arm, int block, double y, double noise2);

/* The posterior covariance of all arms with one of them: k entries. */
void posterior_column(const struct posterior *, int arm, double *restrict out);

/* The same of all arms and blocks with a coordinate: posterior_size() entries. */
void posterior_whole_column(const struct posterior *, int at, double *restrict out);

/* The belief rebuilt from one averaged observation per arm: the same belief in as many columns as
 * there are arms pulled, in the order of average_order(). Written are the columns behind those that
 * are lent. order: k ints. */
void posterior_compact(struct posterior *, int *order);

/* The number of arms observed: at most so many columns are left by compacting. */
int posterior_arms(const struct posterior *);

/* Learns what did not fail, in order; with so many columns that compacting pays, from averages at
 * once. order: k ints. */
void posterior_learn_all(struct posterior *, const struct observations *, int *order);

/* Columns that learning so many more observations writes at most, all at once or in parts, where
 * there are `columns` of `seen` arms, all lent. arms: those of the earlier observations and of
 * these. */
int posterior_room(int columns, int seen, int arms, int more);

/* A factor of the posterior covariance of n arms, as by linalg_low_rank(). work: k + limit doubles. */
int posterior_factor(const struct posterior *, int n, const int *arms, double tolerance,
                     int limit, double *factor, double *rest, double *work);

/* What rounding may have left of an arm's variance: that many digits below the variance it was
 * subtracted from, which is the prior's until the arm is pulled and then what its latest pull
 * left, however wide the prior was. Nothing where arms are independent: nothing is subtracted. */
double posterior_rounding(const struct posterior *, int arm);

/* Likewise of the entry `other` of posterior_column(arm), whose arm has that prior variance. */
double posterior_column_rounding(const struct posterior *, int arm, double prior_var);

/* Likewise of the variance of the difference of two arms, var_i + var_j - 2 cov_ij: one that is no
 * larger is none, and the arms go together. */
double posterior_apart(const struct posterior *, int i, int j);

/* 1 when no arm has a variance worth a pull: none is more than rounding. */
int posterior_resolved(const struct posterior *);

/* A standard deviation so small beside the largest of these k that it counts as none. */
double posterior_floor(int k, const double *sd);

#endif
