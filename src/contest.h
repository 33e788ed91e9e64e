/* Which arm is the best in a joint draw, and how good it is, from a few of its arms.
 *
 * Drawn are the pivots, one after the other. Given these every other arm i is normal (but for the
 * stretch of a t distribution, which is drawn first) with a mean and a standard deviation of its
 * own, and above the best of the pivots, v, with probability q_i. Their sum q is the expected number
 * N of arms above v. Where it is small, the draw ends so:
 *   - with probability 1 - q the best of the pivots is the best of all;
 *   - otherwise an arm i, taken with probability q_i / q, is drawn from what is above v, and then all
 *     others given it and the pivots. What has come up is kept with probability 1 / N; else the best
 *     of the pivots is the best of all.
 * This is the law of a whole draw, exactly: the density p of the other arms given the pivots comes up
 * as the sum over the arms above v of q (q_i / q) (p / q_i) = N p in the second case (Adler, Blanchet
 * and Liu 2012), of which 1 / N is p; so each outcome with arms above v has its own probability, and
 * what is left is that of the outcomes with none. Where q is not small another arm becomes a pivot,
 * or, where that leads to too many, all others are drawn given the pivots. Whatever was drawn may
 * decide which of these is done. Instead of q_i a bound b_i from above may be taken, if the arm
 * then counts with probability q_i / b_i.
 *
 * An arm whose variance given the pivots is no more than rounding is as good as drawn.
 *
 * The pivots are kept from round to round of a whole run, with the first columns B of the Cholesky
 * factor F of the covariance, pivots first: S = F F'. A pull of arm a leaves F (I - f f' / d) F', f the
 * row of F of that arm, so that F becomes F T, T the Cholesky factor of I - f f' / d:
 *   T_jj = sqrt(e_j / e_j-1), T_ij = -f_i f_j / sqrt(e_j e_j-1) for i > j, e_j = d - f_1^2 .. - f_j^2.
 * Column j of F T has of the columns behind it the sum of f_i F_i alone. Since S_a = F f, that is S_a
 * less f_i F_i of the columns up to j: none but those of the pivots are needed. */
#ifndef BAYESGAP_CONTEST_H
#define BAYESGAP_CONTEST_H

#include <stddef.h>

#include "policy.h"

/* The most pivots. */
enum { PIVOTS = 64 };

/* Doubles of room in a whole run; 0 where whole draws are as fast. For struct policy. */
size_t contest_room(const struct prior *);

/* Draws in one round. All arrays have k entries where nothing else is said. */
struct contest {
  const struct posterior *p;
  const struct round *r; /* whose open arms take part; */
  int everyone;          /* 1: all arms do; */
  int some;              /* 0: none does */
  double *head;         /* NULL: whole draws are made; else what is kept, and behind it */
  double *pivot;        /* PIVOTS + 1: the arms, */
  size_t stride;        /* from a column of the factor to the next, */
  double *factor;       /* B: PIVOTS + 1 columns, */
  double *rest;         /* what is left of the variances, 0 for the pivots, */
  double *half;         /* and 1 / (2 rest), or 0 */
  double *base;         /* the means; -INFINITY: does not take part */
  double *x;            /* what is expected of the arms given the pivots */
  double *chance;       /* bounds on that of being above the best of the pivots */
  double *whole;        /* posterior_size(): room for a whole draw */
  double *stock;        /* NULL, or where whole draws are made ahead, */
  double *wait;         /* and how many of them before one need not be whole again */
  double z[PIVOTS + 1]; /* the pivots' standard normals */
};

/* Before the first draw of a round. room: as large as contest_room() says, the first double 0 before
 * the first round, then what was left there, at the same address; or NULL: every draw is whole. Takes
 * r->work. */
struct contest contest_begin(const struct posterior *, const struct round *, double *room,
                             int everyone);

/* 1: the next draw need not be whole. */
int contest_partial(const struct contest *);

/* How many pivots are kept. */
int contest_pivots(const struct contest *);

/* The best of those that take part in a new draw, or -1: none does. *value: how good it is. */
int contest_winner(struct contest *, double *value);

#endif
