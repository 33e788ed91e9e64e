/* What a policy is: one struct, filled in by one file, listed once in policy.c. */
#ifndef BAYESGAP_POLICY_H
#define BAYESGAP_POLICY_H

#include <stddef.h>

#include "posterior.h"

/* A number that the user may set; R checks it against the range. Where `choices` is given
 * ("this|that") it is a word, and its value the word's place in that list, from 0. NaN as
 * the default means that the policy finds the value itself. */
struct param {
  const char *name;
  double value, lower, upper;
  const char *choices;
  const char *meaning;
};

/* What a policy wants remembered of a round, for the user to see. */
struct note {
  int leader;      /* the arm it takes for the best, or -1 */
  int rival;       /* the arm closest to it, or -1 */
  int safest;      /* the leader of the round with the smallest gap so far, or -1 */
  double gap;      /* how much better than the leader another arm may be */
  double beta;     /* the width of its bounds in standard deviations */
  double hardness; /* the paper's H */
  double theorem;  /* the probability that its theorem guarantees */
  int block;       /* where the pull is to be made, or -1 */
};

/* Pulls made and out: their arms, and the blocks that they were made in (-1: none). */
struct pairs {
  int n;
  const int *arm, *block;
};

/* One decision: all that a policy may use beside the posterior. */
struct round {
  int t;                /* this is the t-th pull, counted from 1; budget + 1 at the end */
  int budget;           /* T; with costs, how many pulls of the mean cost are to be had */
  const double *param;  /* in the order of the policy's params */
  const double *noise2; /* k: the noise variance of a pull of each arm */
  const double *cost;   /* k: of a pull of each arm, the mean is 1; NULL: all the same */
  const int *barred;    /* k: arms that may not be pulled; NULL when all may */
  const int *out; /* k: arms that are not to be recommended either, all of them barred;
                           NULL: there are none. At least one arm is not */
  double *shown;  /* k, where there are some: room for the means that a policy is shown */
  int blocks; /* pulls may be made in the first so many blocks; 0: there is no choice */
  int block;  /* where this pull will be made; -1: that is open, or there are none */
  struct pairs made; /* where there is a choice: what has been in which block */
  double *memory;    /* the policy's own, carried from round to round */
  double *kept; /* its room in a whole run, at one address, the first double 0 before it;
                   NULL: none */
  double *work; /* 8 (k + the most coordinates of blocks) + d doubles, free to use */
  int *index;   /* k + the most coordinates of blocks ints, free to use */
  struct note *note; /* filled with "nothing" beforehand */
};

struct policy {
  const char *name;           /* key used from R */
  const char *label;          /* one line for print() and the help page */
  const char *recommends;     /* what it recommends, one line */
  const struct param *params; /* ends with a NULL name; NULL: none */
  int anytime;                /* 1: its choices do not depend on the budget */
  int draws; /* 1: it draws the arms' means jointly, which takes a factor of the prior */
  int keeps; /* 1: its memory holds decisions, which stand when the prior is set anew */

  /* 1: with these parameters it regards what a pull costs; NULL: it never does. */
  int (*costs)(const double *param);

  /* 1: with these parameters it reads of each arm its own rewards alone, but for whether it is known
   * exactly; NULL: it reads what is believed. */
  int (*blind)(const double *param);

  /* Doubles of memory; NULL: none. */
  size_t (*memory)(const struct prior *);
  /* Doubles of room that it can use in a whole run to be faster: what it leaves there in a round is
   * there in the next, but is no part of the state, and decides nothing, or, of a policy that draws,
   * nothing but which random numbers make up a draw of the same law. NULL: none. */
  size_t (*room)(const struct prior *);
  /* Why it cannot work with these arms and parameters, or where pulls share blocks, at all, or
   * NULL; NULL: it always can. */
  const char *(*unfit)(const struct prior *, const double *param, int blocks);
  /* The smallest budget with which it can run; NULL: 1. */
  int (*least)(const struct posterior *, const struct round *);
  /* Fills the memory before the first round; NULL: nothing to fill. */
  void (*start)(const struct posterior *, const struct round *);
  /* Sees every reward, after the posterior learned it, less what is believed of its block; NULL:
   * the posterior is enough. */
  void (*see)(const struct posterior *, const struct round *, int arm, double y);
  /* The arm to pull, or -1 when there is none worth a pull. A policy with memory is called
   * in every round in turn, also after the last pull, when only its note and memory
   * count; one without may be asked in some rounds only. */
  int (*choose)(const struct posterior *, const struct round *);
  /* The arm to keep, -1 or NULL: the highest posterior mean. Called after choose(). */
  int (*recommend)(const struct posterior *, const struct round *);
};

/* The number of policies, the i-th, and the one of that name (NULL: there is none). */
int policy_count(void);
const struct policy *policy_at(int i);
const struct policy *policy_named(const char *name);

/* The number of params of a policy, and of doubles of its memory and of its room in a whole run. */
int policy_params(const struct policy *);
size_t policy_memory(const struct policy *, const struct prior *);
size_t policy_room(const struct policy *, const struct prior *);

/* Of a policy that compares averages of rewards: why it cannot work with blocks, or NULL. */
const char *policy_no_blocks(const struct prior *, const double *param, int blocks);

/* For costs and blind: whatever its parameters. */
int policy_always(const double *param);

/* What the logarithm of a bound on what a pull is worth may be off by. */
double policy_slack(double log_value);

/* The logarithms of what pulls are worth, by what they cost. */
void policy_per_cost(const struct round *, int k, double *log_value);
double policy_one_per_cost(const struct round *, int arm, double log_value);

/* 1 when the arm may be pulled and there is something to learn of it. */
int policy_open(const struct posterior *, const struct round *, int arm);

/* The open arm with the largest value, ties within `tolerance` at random; -1: none is open.
 * Closed arms' values become -INFINITY. */
int policy_best_open(const struct posterior *, const struct round *, double *value,
                     double tolerance);

/* The open arm with the largest variance, ties at random: for policies that ask what a pull
 * decides, when none decides anything. work: k doubles. */
int policy_least_known(const struct posterior *, const struct round *);

/* The open arm with the highest upper bound, beta standard deviations above the mean or,
 * where the scale is learned, as many as hold the same probability. work: 2k doubles. */
int policy_best_upper(const struct posterior *, const struct round *, double beta);

#endif
