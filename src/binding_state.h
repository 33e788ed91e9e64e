/* The state of a run between R and C: lists in, structs out. The lists are described where R builds
 * them: new_prior(), new_fit(), policy(), run_task(), and the log in blank_run(). */
#ifndef BAYESGAP_BINDING_STATE_H
#define BAYESGAP_BINDING_STATE_H

#include "binding_pack.h"
#include "engine.h"

enum policy_at { POLICY_NAME, POLICY_PARAM };
enum task_at { BUDGET, BARRED, KEPT_MEMORY, BLOCKS, OUT, FREE_FAILURES, COST, FUNDS };
enum log_at { LOG_PULL, LOG_ARM, LOG_REWARD, LOG_SE, LOG_BLOCK, LOG_SIZE };
enum belief_at {
  MEAN,
  VAR,
  PULLS,
  COLUMNS,
  COLUMN_ARM,
  COLUMN_D,
  COLUMN_NOISE2,
  POLICY_MEMORY,
  ROWS,
  NEXT,
  BEST,
  NOTE,
  LOSS,
  BLOCK_MEAN,
  BLOCK_VAR,
  COLUMN_BLOCK,
  NEXT_BLOCK,
  AVERAGE,
  AVERAGE_WEIGHT,
  AVERAGE_WHEN,
  COUNTED, /* rows learned that count against the budget */
  BELIEF
};

/* R's arms and blocks count from 1, and none is NA. */
attribute_hidden int to_r(int arm);
attribute_hidden int from_r(int arm);

attribute_hidden struct prior unpack_prior(SEXP prior, SEXP fit);
attribute_hidden const struct policy *unpack_policy(SEXP policy);

/* The blocks of a task, or NULL; and how many of them tell anything. */
attribute_hidden SEXP task_blocks(SEXP task);
attribute_hidden int count_blocks(SEXP task);

/* How many coordinates a block has. */
attribute_hidden int block_width(SEXP fit);

/* 1: pulls that failed do not count against the budget. */
attribute_hidden int free_failures(SEXP task);

/* What may be spent in a simulated run where pulls cost differently, and the most pulls that are
 * made with it; NULL: the budget is a number of pulls. */
attribute_hidden SEXP task_funds(SEXP task);

/* memory: doubles that the policy carries. */
attribute_hidden struct round unpack_round(SEXP policy, SEXP fit, SEXP task,
                                           const struct prior *, size_t memory,
                                           struct note *, struct scratch *);

/* What has been in which block: the rows of the log, and the pulls that are out. */
attribute_hidden struct pairs unpack_pairs(SEXP log, SEXP task, struct scratch *);

/* The rows of the run's log from `from` on, their rewards about the fit's centre. A pull
 * outside the budget has no number. free: do those that failed not count? */
attribute_hidden struct log unpack_log(SEXP log, SEXP fit, int blocks, int from, int free,
                                       struct scratch *);

/* A belief to be filled with up to n columns, its names shared with the one before. */
attribute_hidden SEXP new_belief(SEXP before, const struct prior *, int coordinates,
                                 int n);

/* The posterior that lives in a belief; w has room for n columns and one more. */
attribute_hidden struct posterior new_posterior(const struct prior *, SEXP fit,
                                                SEXP belief, int n, struct scratch *);

/* n columns that begin on cache lines: they are read again and again, whole lines at a time. */
attribute_hidden void aligned_columns(struct scratch *, int n, size_t rows, double **);

/* Room for recent columns. Worth it where columns are asked for again: not for a single observation
 * without blocks. */
attribute_hidden void keep_recent(struct posterior *, int sets, struct scratch *);

/* Columns from before there were so many blocks, of which they know nothing: longer by zeros. */
attribute_hidden SEXP lengthen_columns(SEXP columns, int size);

/* The state of an earlier belief, to go on from. There may be more blocks now. */
attribute_hidden void copy_belief(struct posterior *, SEXP belief, SEXP columns);

/* The belief itself as a posterior, for what learns nothing: only the numbers of arms and blocks
 * are copied, to count from 0. */
attribute_hidden struct posterior read_belief(const struct prior *, SEXP fit, SEXP belief,
                                              struct scratch *);

#endif
