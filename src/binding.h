/* What R calls. The arguments are described where they are built: new_prior(), new_fit(),
 * compile_kernel(), policy(), run_task() and advance() in R. */
#ifndef BAYESGAP_BINDING_H
#define BAYESGAP_BINDING_H

#include <Rinternals.h>

/* The belief after the rows of the log that `before` has not learned yet (NULL: after all
 * of them, from the prior), the policy's next pull and its recommendation. Where there is no
 * such row the policy decides again, perhaps with other arms barred. */
SEXP bg_advance(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP before, SEXP log);

/* The belief alone, after all observations of the log. */
SEXP bg_believe(SEXP prior, SEXP fit, SEXP blocks, SEXP log);

/* A table, a list of columns of numbers or of lists with names, with more rows: a list of columns of
 * the same types. Columns of numbers are not copied but share their memory. */
SEXP bg_append(SEXP table, SEXP rows);

/* The next pull of a run in which nothing is out of the ordinary, as ask_rows() gives it, and the run
 * that has learned its reward y, as learn() gives it; NULL where something is. seed: the session's, which
 * is put back. R sees to fits that are due and to the end of the run. */
SEXP bg_next(SEXP x);
SEXP bg_round(SEXP x, SEXP y, SEXP seed);

/* The stream of random numbers so many pulls later. */
SEXP bg_later_stream(SEXP stream, SEXP steps);

/* Shares of draws in which each arm is best, and the regrets of keeping `arm`. */
SEXP bg_certainty(SEXP prior, SEXP fit, SEXP belief, SEXP level, SEXP arm, SEXP draws);

/* Joint draws of the arms' means, one column a draw. */
SEXP bg_draws(SEXP prior, SEXP fit, SEXP belief, SEXP level, SEXP draws);

/* A factor of the posterior covariance, and what it leaves of the variances. */
SEXP bg_posterior_factor(SEXP prior, SEXP fit, SEXP belief, SEXP arms, SEXP tolerance,
                         SEXP limit);

/* The posterior covariance of all arms with one. */
SEXP bg_posterior_column(SEXP prior, SEXP fit, SEXP belief, SEXP arm);

/* The smallest budget with which the policy can run, or why it cannot run at all. */
SEXP bg_least(SEXP prior, SEXP fit, SEXP policy, SEXP task);

/* A whole run in a simulated world, list(mean, noise_sd, pool, law), as problem_world() makes it:
 * mean NULL draws the means from the prior. The recommendations after so many pulls, and their regrets. */
SEXP bg_run(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP world, SEXP after);

/* The means of the world that such a run would meet with the same random numbers. */
SEXP bg_world_mean(SEXP prior, SEXP fit, SEXP world);

/* Pivoted Cholesky factor of a semi-definite matrix, and the largest entry that it leaves. */
SEXP bg_factor(SEXP cov, SEXP tolerance);

/* Of a symmetric matrix. */
SEXP bg_smallest_eigenvalue(SEXP matrix);

/* The kinds of a kernel's nodes in the order of their numbers from 0, and their operands. */
SEXP bg_kernels(void);

/* G of a kernel for some arms by some arms, its diagonal, and its factor with what that leaves
 * of the diagonal. */
SEXP bg_kernel_matrix(SEXP kernel, SEXP rows, SEXP columns);
SEXP bg_kernel_diagonal(SEXP kernel);
SEXP bg_kernel_factor(SEXP kernel, SEXP tolerance, SEXP limit);

/* The derivatives of the sum of weight * G over some arms by the logarithms of the kernel's
 * parameters. */
SEXP bg_kernel_gradient(SEXP kernel, SEXP arms, SEXP weight);

/* The marginal likelihood of averages, list(y, g, scale, noise, free_mean, df, within, slope), g a
 * matrix or its diagonal: list(value, mean, misfit, weight), or NULL where S is not positive
 * definite. slope FALSE: weight is NULL, which saves two thirds of the time. */
SEXP bg_evidence(SEXP averages);

/* Traffic on a freeway from `state` on, and what its sensors see of it; the lists are those
 * of corridor_advance() in R. Uses no random numbers. */
SEXP bg_corridor(SEXP road, SEXP state, SEXP traffic, SEXP view);

/* Raw bytes written to a file and flushed (fresh: only where there is none), a part that takes
 * the place of the file, a file removed, and the folder that holds it settled: NULL, or what went
 * wrong. */
SEXP bg_write(SEXP path, SEXP bytes, SEXP fresh);
SEXP bg_replace(SEXP part, SEXP path);
SEXP bg_remove(SEXP path);
SEXP bg_settle(SEXP folder);

/* Raw bytes at the end of a file that has `size` bytes and begins with `old`, which then begins with
 * `next`, as long: NULL, or what went wrong. */
SEXP bg_grow(SEXP path, SEXP size, SEXP old, SEXP next, SEXP bytes);

/* The checksum of what has the checksum `before` and of more raw bytes: 16 hexadecimal digits,
 * all 0 for nothing. */
SEXP bg_checksum(SEXP before, SEXP bytes);

/* NULL where raw bytes are the serialization of plain data, nested at most so deep; else what is
 * wrong. */
SEXP bg_plain(SEXP bytes, SEXP depth);

/* "nothing", "file", "folder" or "other": what stands at a path. */
SEXP bg_kind(SEXP path);

/* Is there a process of that number? */
SEXP bg_alive(SEXP process);

/* When it began, in the system's own count; 0: not known. */
SEXP bg_began(SEXP process);

/* The table of policies, `costs` with the defaults of their parameters. */
SEXP bg_policies(void);

/* Does this policy regard what pulls cost? */
SEXP bg_regards_costs(SEXP policy);

#endif
