/* Problems to run the core on: priors of every kind, kernels among them, observations of
 * worlds that they believe in, and a policy's run. */
#ifndef BAYESGAP_PROBLEM_H
#define BAYESGAP_PROBLEM_H

#include "stubs.h"

/* ---- Priors ------------------------------------------------------------------------ */

enum { MOST_PARAMS = 2 * KERNEL_NODES };

/* A kernel and the arrays that it points to. */
struct tree {
  struct kernel kernel;
  int op[KERNEL_NODES], column[KERNEL_NODES], columns[KERNEL_NODES], param[KERNEL_NODES];
  double value[MOST_PARAMS];
  const double *matrix[1];
};

/* No nodes yet. */
void tree_start(struct tree *t, int k, const double *x, const double *matrix);

void tree_add(struct tree *t, enum kernel_op op, int column, int columns, int params);

/* A prior and the arrays that it points to. */
struct problem {
  struct prior prior;
  double *mean, *diagonal, *cov, *factor;
  struct tree tree;
};

/* Arms with the given features, which independent arms use for their variance only and
 * a kernel as coordinates; prior mean 0. */
void problem_from(struct problem *p, enum prior_kind kind, int k, int d, double *features,
                  double scale);

/* A problem with this covariance and independent normals for a factor, for what draws
 * nothing. */
void problem_with_cov(struct problem *p, int k, const double *cov, double sd);

enum oddity { PLAIN, DUPLICATES, ZERO_ARMS, SINGULAR, ODDITIES };

void problem_random(struct problem *p, enum prior_kind kind, int k, enum oddity odd);

/* ---- Observations ------------------------------------------------------------------ */

/* Observations in arrays of exactly their length. */
struct told {
  int *arm;
  double *y, *noise2;
};

enum noise { NOISY, EXACT, MIXED, SOME_EXACT, NOISES };

/* n observations of a world that the prior believes in; a few pulls fail. */
struct told told_random(const struct problem *p, int n, enum noise noise);

/* A block for each of n observations: mostly the first few, now and then none. */
int *blocks_random(int n, int blocks);

/* The columns that a belief may need for n observations. */
int columns_for(const struct prior *p, int n);

/* ---- Runs -------------------------------------------------------------------------- */

/* Can the policy work with these arms? */
int fits(const struct policy *policy, const struct prior *prior);

/* A parameter by its name: its place, its number. */
int param_at(const struct policy *policy, const char *name);
void set_number(struct stub_run *run, const char *name, double value);

/* A parameter by its word: the word's place in the list of choices. */
void set_choice(struct stub_run *run, const char *name, const char *word);

/* The same for all arms. */
void set_noise(struct stub_run *run, double sd);

/* One pull of the budget learned; the arm to pull next. */
int pull(struct stub_run *run, int arm, double y);

#endif
