/* The only loop: choose, pull, learn, record. Runs driven from R take the same steps one
 * at a time. */
#ifndef BAYESGAP_ENGINE_H
#define BAYESGAP_ENGINE_H

#include "policy.h"
#include "rate.h"

/* A simulated world. A pull returns mean[arm] + noise_sd[arm] * N(0, 1), or, where there is
 * a pool, one of the arm's `draws` rewards in it at random, or, where its columns are blocks, the
 * one of the block; or, where the law is another than the Gaussian, the rate that so many trials or
 * so much exposure showed, side * mean[arm] being the true one. */
struct truth {
  const double *mean;
  const double *noise_sd;
  const double *pool; /* k x draws, or NULL */
  int draws;
  int by_block; /* 1: the columns of the pool are blocks */
  enum law law;
  double size; /* trials or exposure of a pull */
  double side; /* -1: small rates are the good ones */
};

/* What was pulled: `counted` tells a pull of the budget (1) from earlier history (0). */
struct log {
  struct observations seen;
  const int *counted;
};

/* The belief and the policy's memory before any observation; the state is assessed. */
int engine_start(const struct policy *, struct posterior *, struct round *);

/* Learns the observations of the log, at least one. A policy with memory assesses every round on the
 * way, others the last state only. Returns the arm to pull next. */
int engine_learn(const struct policy *, struct posterior *, struct round *,
                 const struct log *);

/* Decides again where nothing was learned, perhaps with other arms barred. */
int engine_choose(const struct policy *, const struct posterior *, struct round *);

/* The belief anew from all observations of the log, for a policy that keeps the memory it
 * has: it sees none of them again. Returns the arm to pull next. */
int engine_relearn(const struct policy *, struct posterior *, struct round *,
                   const struct log *);

/* The arm to keep. */
int engine_recommend(const struct policy *, const struct posterior *,
                     const struct round *);

/* Columns that a run of so many pulls may need. */
int engine_columns(int k, int blocks, int budget);

/* Where a run is recorded: what was pulled and returned (room for the budget, or, where pulls cost
 * differently, for `most`), and the arm to keep after `after[i]` pulls, in rising order. */
struct record {
  int *arm;
  int *block; /* -1: in none */
  double *y;
  int stops;
  const int *after;
  int *best;
  /* k, or NULL where there are neither blocks nor costs: arms are barred here when they have been
   * in every block, or cost more than is left. */
  int *barred;
  double funds; /* with costs: what may be spent, in their units, */
  int most;     /* and the most pulls that are made with it */
};

/* A whole run in a simulated world. Returns the number of pulls made, fewer
 * than the budget when nothing is left to learn; with costs, until no arm is affordable. */
int engine_run(const struct policy *, struct posterior *, struct round *,
               const struct truth *, struct record *);

#endif
