/* R's door to a run: what is believed after the log, what to pull, and what is said of it. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <R_ext/Random.h>
#include <Rinternals.h>
#include <math.h>
#include <string.h>

#include "binding.h"
#include "binding_state.h"
#include "draws.h"

static double to_r_double(int arm) {
  return arm < 0 ? NA_REAL : arm + 1;
}

/* n fresh columns, pointed to by w. */
static SEXP new_columns(int size, int n, double **w) {
  SEXP columns = PROTECT(Rf_allocVector(VECSXP, n));
  for (int i = 0; i < n; i++) {
    SET_VECTOR_ELT(columns, i, Rf_allocVector(REALSXP, size));
    w[i] = REAL(at(columns, i));
  }
  UNPROTECT(1);
  return columns;
}

static SEXP pack_doubles(const double *x, int n) {
  SEXP out = Rf_allocVector(REALSXP, n);
  if (n > 0)
    memcpy(REAL(out), x, (size_t)n * sizeof(double));
  return out;
}

static void shorten(SEXP belief, int i, int n) {
  if (Rf_length(at(belief, i)) > n)
    SET_VECTOR_ELT(belief, i, Rf_lengthgets(at(belief, i), n));
}

/* The columns in use: those of `old` that are lent still, then the first of `fresh`. */
static void pack_columns(SEXP belief, const struct posterior *p, SEXP old, SEXP fresh) {
  SEXP columns = Rf_allocVector(VECSXP, p->n);
  SET_VECTOR_ELT(belief, COLUMNS, columns);
  for (int i = 0; i < p->n; i++) {
    SET_VECTOR_ELT(columns, i, i < p->lent ? at(old, i) : at(fresh, i - p->lent));
    p->arm[i]++;
    if (p->blocks > 0)
      p->block[i] = to_r(p->block[i]);
  }
  shorten(belief, COLUMN_ARM, p->n);
  shorten(belief, COLUMN_D, p->n);
  shorten(belief, COLUMN_NOISE2, p->n);
  if (p->blocks > 0)
    shorten(belief, COLUMN_BLOCK, p->n);
}

static void pack_decision(SEXP belief, const struct round *r, int memory, int next,
                          int best) {
  const struct note *n = r->note;
  const double note[] = {to_r_double(n->leader),
                         to_r_double(n->rival),
                         to_r_double(n->safest),
                         n->gap,
                         n->beta,
                         n->hardness,
                         n->theorem};
  SET_VECTOR_ELT(belief, POLICY_MEMORY, pack_doubles(r->memory, memory));
  SET_VECTOR_ELT(belief, NEXT, Rf_ScalarInteger(to_r(next)));
  SET_VECTOR_ELT(belief, NEXT_BLOCK, Rf_ScalarInteger(to_r(n->block)));
  SET_VECTOR_ELT(belief, BEST, Rf_ScalarInteger(to_r(best)));
  SET_VECTOR_ELT(belief, NOTE, pack_doubles(note, 7));
}

/* Columns that these observations write, after those of the belief before. */
static int new_room(SEXP before, const struct observations *o, int k, struct scratch *s) {
  int *pulls = ints(s, (size_t)k), seen = 0, arms = 0;
  for (int i = 0; i < k; i++) {
    pulls[i] = Rf_isNull(before) ? 0 : INTEGER(at(before, PULLS))[i];
    seen += pulls[i] > 0;
  }
  for (int i = 0; i < o->n; i++)
    pulls[o->arm[i]]++;
  for (int i = 0; i < k; i++)
    arms += pulls[i] > 0;
  const int columns = Rf_isNull(before) ? 0 : Rf_length(at(before, COLUMNS));
  return posterior_room(columns, seen, arms, o->n);
}

SEXP bg_advance(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP before, SEXP log) {
  struct scratch room, *s = scratch_start(&room);
  const struct policy *chosen = unpack_policy(policy);
  const struct prior pr = unpack_prior(prior, fit);
  const size_t memory = policy_memory(chosen, &pr);
  const int start = before == R_NilValue;
  const int learned = start ? 0 : Rf_asInteger(at(before, ROWS));
  struct note note;
  struct round r = unpack_round(policy, fit, task, &pr, memory, &note, s);
  const int blocks = count_blocks(task), free = free_failures(task);
  const int coordinates = blocks * block_width(fit);
  const struct log fresh = unpack_log(log, fit, blocks, learned, free, s);
  const int more = blocks ? fresh.seen.n
                   : pr.kind == PRIOR_INDEPENDENT
                       ? 0
                       : new_room(before, &fresh.seen, pr.k, s);
  SEXP old = PROTECT(start ? R_NilValue
                           : lengthen_columns(at(before, COLUMNS), pr.k + coordinates));
  const int n = Rf_length(old) + more;
  SEXP belief = PROTECT(new_belief(before, &pr, coordinates, n));
  struct posterior p = new_posterior(&pr, fit, belief, n, s);
  if (more > 1 || blocks)
    keep_recent(&p, 1, s);
  if (r.blocks > 0)
    r.made = unpack_pairs(log, task, s);
  if (!start) {
    copy_belief(&p, before, old);
    for (size_t i = 0; i < memory; i++)
      r.memory[i] = REAL(at(before, POLICY_MEMORY))[i];
    r.t = Rf_asInteger(at(before, COUNTED)) + 1;
  }
  SEXP columns = PROTECT(new_columns(posterior_size(&p), more, p.w + Rf_length(old)));

  const int relearn = start && chosen->keeps && !Rf_isNull(at(task, KEPT_MEMORY));
  for (size_t i = 0; relearn && i < memory; i++)
    r.memory[i] = REAL(at(task, KEPT_MEMORY))[i];

  GetRNGstate();
  int next = -1;
  if (relearn) {
    next = engine_relearn(chosen, &p, &r, &fresh);
  } else {
    if (start)
      next = engine_start(chosen, &p, &r);
    else if (fresh.seen.n == 0)
      next = engine_choose(chosen, &p, &r);
    if (fresh.seen.n > 0)
      next = engine_learn(chosen, &p, &r, &fresh);
  }
  const int best = engine_recommend(chosen, &p, &r);
  PutRNGstate();

  pack_decision(belief, &r, (int)memory, next, best);
  SET_VECTOR_ELT(belief, ROWS, Rf_ScalarInteger(learned + fresh.seen.n));
  SET_VECTOR_ELT(belief, COUNTED, Rf_ScalarInteger(r.t - 1));
  pack_columns(belief, &p, old, columns);
  SET_VECTOR_ELT(belief, LOSS, Rf_ScalarReal(p.loss));
  UNPROTECT(3);
  return belief;
}

/* The belief alone, after all observations of the log: nobody decides anything. */
SEXP bg_believe(SEXP prior, SEXP fit, SEXP blocks, SEXP log) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const int m = Rf_asInteger(blocks);
  const struct log all = unpack_log(log, fit, m, 0, 0, s);
  const struct observations *o = &all.seen;
  const int n = pr.kind == PRIOR_INDEPENDENT && !m ? 0 : o->n;
  SEXP belief = PROTECT(new_belief(R_NilValue, &pr, m * block_width(fit), n));
  struct posterior p = new_posterior(&pr, fit, belief, n, s);
  keep_recent(&p, 1, s);
  SEXP columns = PROTECT(new_columns(posterior_size(&p), n, p.w));
  posterior_start(&p);
  posterior_learn_all(&p, o, ints(s, (size_t)pr.k));
  pack_columns(belief, &p, R_NilValue, columns);
  SET_VECTOR_ELT(belief, LOSS, Rf_ScalarReal(p.loss));
  UNPROTECT(2);
  return belief;
}

/* level: NULL, or how far each arm's mean goes with a standard deviation of the level. */
static struct posterior read_drawn(const struct prior *prior, SEXP fit, SEXP belief,
                                   SEXP level, struct scratch *s) {
  struct posterior p = read_belief(prior, fit, belief, s);
  p.level = Rf_isNull(level) ? NULL : REAL(level);
  return p;
}

SEXP bg_certainty(SEXP prior, SEXP fit, SEXP belief, SEXP level, SEXP arm, SEXP draws) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_drawn(&pr, fit, belief, level, s);
  const int n = Rf_asInteger(draws);
  const char *names[] = {"best", "regret", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, pr.k));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, n));
  GetRNGstate();
  const size_t side_by_side = DRAWS_ASIDE * (size_t)posterior_size(&p);
  draws_certainty(&p, Rf_asInteger(arm) - 1, n, doubles(s, side_by_side), side_by_side,
                  REAL(at(out, 0)), REAL(at(out, 1)));
  PutRNGstate();
  UNPROTECT(1);
  return out;
}

SEXP bg_draws(SEXP prior, SEXP fit, SEXP belief, SEXP level, SEXP draws) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_drawn(&pr, fit, belief, level, s);
  const int n = Rf_asInteger(draws);
  const size_t k = (size_t)pr.k;
  double *draw = doubles(s, (size_t)posterior_size(&p));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, pr.k, n));
  GetRNGstate();
  for (int i = 0; i < n; i++) {
    draws_one(&p, draw);
    memcpy(REAL(out) + k * (size_t)i, draw, k * sizeof(double));
    R_CheckUserInterrupt();
  }
  PutRNGstate();
  UNPROTECT(1);
  return out;
}

SEXP bg_least(SEXP prior, SEXP fit, SEXP policy, SEXP task) {
  struct scratch room, *s = scratch_start(&room);
  const struct policy *chosen = unpack_policy(policy);
  const struct prior pr = unpack_prior(prior, fit);
  const char *why = chosen->unfit ? chosen->unfit(&pr, REAL(at(policy, POLICY_PARAM)),
                                                  !Rf_isNull(task_blocks(task)))
                                  : NULL;
  if (why)
    return Rf_mkString(why);
  if (!chosen->least)
    return Rf_ScalarInteger(1);
  struct note note;
  struct round r =
      unpack_round(policy, fit, task, &pr, policy_memory(chosen, &pr), &note, s);
  SEXP belief = PROTECT(new_belief(R_NilValue, &pr, 0, 0));
  struct posterior p = new_posterior(&pr, fit, belief, 0, s);
  posterior_start(&p);
  const int least = chosen->least(&p, &r);
  UNPROTECT(1);
  return Rf_ScalarInteger(least);
}

SEXP bg_posterior_factor(SEXP prior, SEXP fit, SEXP belief, SEXP arms, SEXP tolerance,
                         SEXP limit) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_belief(&pr, fit, belief, s);
  const int most = Rf_asInteger(limit), n = Rf_length(arms);
  int *from_zero = ints(s, (size_t)n);
  for (int i = 0; i < n; i++)
    from_zero[i] = INTEGER(arms)[i] - 1;
  SEXP out = PROTECT(new_factor(n, most));
  shorten_factor(out, posterior_factor(&p, n, from_zero, Rf_asReal(tolerance), most,
                                       REAL(at(out, 0)), REAL(at(out, 1)),
                                       doubles(s, (size_t)most + (size_t)pr.k)));
  UNPROTECT(1);
  return out;
}

SEXP bg_posterior_column(SEXP prior, SEXP fit, SEXP belief, SEXP arm) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_belief(&pr, fit, belief, s);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, pr.k));
  posterior_column(&p, from_r(Rf_asInteger(arm)), REAL(out));
  UNPROTECT(1);
  return out;
}
