/* R's door to a round in which nothing is out of the ordinary, as most are. What R's ask_rows() and
 * learn() do with any round, in many small steps, is done here in one. Where something is out of the
 * ordinary the answer is NULL, and they do it. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <math.h>
#include <string.h>

#include "binding.h"
#include "binding_column.h"
#include "binding_state.h"
#include "stream.h"

/* A run, in the order of blank_run(). */
enum run_at {
  RUN_MODEL,
  RUN_POLICY,
  RUN_BUDGET,
  RUN_MAXIMISE,
  RUN_REPLACE,
  RUN_STOP_REGRET,
  RUN_INIT,
  RUN_SEED,
  RUN_COUNT_FAILURES,
  RUN_BLOCKS,
  RUN_BELIEF,
  RUN_STOPPED,
  RUN_LAST,
  RUN_FREED,
  RUN_OPEN,
  RUN_UNDERWAY,
  RUN_FAILURES,
  RUN_DROPPED,
  RUN_FIT,
  RUN_PRIOR,
  RUN_OBSERVED,
  RUN_STREAM,
  RUN_LOG,
  RUN_TELLS,
  RUN_KNOWN /* so far */
};
static const char *const RUN_NAMES[RUN_KNOWN] = {
    "model", "policy", "budget",         "maximise", "replace",  "stop_regret",
    "init",  "seed",   "count_failures", "blocks",   "belief",   "stopped",
    "last",  "freed",  "open",           "underway", "failures", "dropped",
    "fit",   "prior",  "observed",       "stream",   "log",      "tells"};

/* Fields that live within a call are behind all others. */
enum { RUN_FIELDS = 37 };

/* How many rewards have come when R has nothing to say of the first ones any more. */
enum { FIRST_FEW = 5 };

static SEXP element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (int i = 0; i < Rf_length(names); i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
      return at(list, i);
  return R_NilValue;
}

static int is_run(SEXP x) {
  if (TYPEOF(x) != VECSXP || Rf_length(x) != RUN_FIELDS)
    return 0;
  SEXP names = Rf_getAttrib(x, R_NamesSymbol);
  for (int i = 0; i < RUN_KNOWN; i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), RUN_NAMES[i]) != 0)
      return 0;
  return 1;
}

static int is_null(SEXP x) {
  return x == R_NilValue;
}

/* Are pulls simply counted, and arms pulled by the policy's choice alone? */
static int is_simple(SEXP x) {
  SEXP model = at(x, RUN_MODEL), family = element(model, "family");
  return Rf_length(at(x, RUN_BLOCKS)) == 0 && is_null(element(model, "control")) &&
         is_null(element(model, "cost")) &&
         (is_null(family) || strcmp(CHAR(STRING_ELT(family, 0)), "gaussian") == 0) &&
         Rf_asLogical(at(x, RUN_REPLACE)) == 1 && is_null(at(x, RUN_FAILURES)) &&
         Rf_length(at(x, RUN_DROPPED)) == 0 && is_null(at(x, RUN_STOP_REGRET)) &&
         is_null(element(at(x, RUN_POLICY), "own"));
}

/* Has nobody to be waited for, and has the next pull been decided? */
static int is_ready(SEXP x) {
  const int counted = Rf_asInteger(at(x, RUN_LAST)) - Rf_asInteger(at(x, RUN_FREED));
  return is_null(at(x, RUN_UNDERWAY)) && is_null(at(x, RUN_STOPPED)) &&
         Rf_length(at(at(x, RUN_OPEN), 0)) == 0 &&
         counted >= Rf_length(at(x, RUN_INIT)) &&
         counted < Rf_asInteger(at(x, RUN_BUDGET)) && !is_null(at(x, RUN_BELIEF)) &&
         Rf_asInteger(at(at(x, RUN_BELIEF), NEXT)) != NA_INTEGER;
}

/* Has the log the columns that with_row() adds to? */
static int is_log(SEXP log) {
  static const int TYPES[] = {INTSXP, INTSXP, REALSXP, REALSXP, INTSXP, REALSXP, REALSXP};
  enum { ALL = sizeof TYPES / sizeof TYPES[0] };
  if (TYPEOF(log) != VECSXP || Rf_length(log) != ALL)
    return 0;
  for (int i = 0; i < ALL; i++)
    if (TYPEOF(at(log, i)) != TYPES[i] || XLENGTH(at(log, i)) != XLENGTH(at(log, 0)))
      return 0;
  return 1;
}

static int is_plain(SEXP x) {
  return is_run(x) && is_simple(x) && is_ready(x) && is_log(at(x, RUN_LOG)) &&
         TYPEOF(at(x, RUN_TELLS)) == INTSXP;
}

SEXP bg_next(SEXP x) {
  if (!is_plain(x))
    return R_NilValue;
  const char *names[] = {"pull", "arm", "block", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(Rf_asInteger(at(x, RUN_LAST)) + 1));
  SET_VECTOR_ELT(out, 1, at(at(x, RUN_BELIEF), NEXT));
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger(NA_INTEGER));
  UNPROTECT(1);
  return out;
}

/* ---- What was told ------------------------------------------------------------------- */

static int is_reward(SEXP y) {
  return TYPEOF(y) == REALSXP && XLENGTH(y) == 1 && fabs(REAL_RO(y)[0]) <= 1e100;
}

static SEXP with_row(SEXP log, SEXP belief, int pull, double reward) {
  const int arm = Rf_asInteger(at(belief, NEXT)), none = NA_INTEGER;
  const double se = NA_REAL, one = 1;
  const void *row[] = {&pull, &arm, &reward, &se, &none, &one, &one};
  SEXP out = PROTECT(Rf_shallow_duplicate(log));
  SEXP length = PROTECT(Rf_ScalarInteger(Rf_length(at(log, LOG_ARM)) + 1));
  for (int i = 0; i < Rf_length(log); i++)
    SET_VECTOR_ELT(out, i, column_push(at(log, i), row[i], length));
  UNPROTECT(2);
  return out;
}

static SEXP with_tell(SEXP tells) {
  const int one = 1;
  SEXP length = PROTECT(Rf_ScalarInteger(Rf_length(tells) + 1));
  SEXP out = column_push(tells, &one, length);
  UNPROTECT(1);
  return out;
}

SEXP bg_later_stream(SEXP stream, SEXP steps) {
  SEXP out = PROTECT(Rf_duplicate(stream));
  uint32_t seed[6];
  memcpy(seed, INTEGER(out) + 1, sizeof seed); /* behind the generator's kind */
  for (int i = 0; i < Rf_asInteger(steps); i++)
    stream_next(seed);
  memcpy(INTEGER(out) + 1, seed, sizeof seed);
  UNPROTECT(1);
  return out;
}

/* ---- The session's generator ----------------------------------------------------------- */

static SEXP advance_run(void *data) {
  SEXP x = (SEXP)data, prior = at(x, RUN_PRIOR);
  SEXP task = PROTECT(Rf_allocVector(VECSXP, COST + 1));
  SET_VECTOR_ELT(task, BUDGET, at(x, RUN_BUDGET));
  SET_VECTOR_ELT(task, FREE_FAILURES,
                 Rf_ScalarLogical(!Rf_asLogical(at(x, RUN_COUNT_FAILURES))));
  SEXP belief = bg_advance(is_null(prior) ? element(at(x, RUN_MODEL), "prior") : prior,
                           at(x, RUN_FIT), at(x, RUN_POLICY), task, at(x, RUN_BELIEF),
                           at(x, RUN_LOG));
  UNPROTECT(1);
  return belief;
}

static void put_seed(void *seed) {
  Rf_defineVar(Rf_install(".Random.seed"), (SEXP)seed, R_GlobalEnv);
}

SEXP bg_round(SEXP x, SEXP y, SEXP seed) {
  if (!is_reward(y) || !is_plain(x) || Rf_asInteger(at(x, RUN_OBSERVED)) < FIRST_FEW)
    return R_NilValue;
  const int pull = Rf_asInteger(at(x, RUN_LAST)) + 1;
  const double reward = REAL_RO(y)[0] * (Rf_asLogical(at(x, RUN_MAXIMISE)) == 1 ? 1 : -1);
  SEXP one = PROTECT(Rf_ScalarInteger(1)), out = PROTECT(Rf_shallow_duplicate(x));
  SET_VECTOR_ELT(out, RUN_LOG, with_row(at(x, RUN_LOG), at(x, RUN_BELIEF), pull, reward));
  SET_VECTOR_ELT(out, RUN_TELLS, with_tell(at(x, RUN_TELLS)));
  SET_VECTOR_ELT(out, RUN_LAST, Rf_ScalarInteger(pull));
  SET_VECTOR_ELT(out, RUN_OBSERVED,
                 Rf_ScalarInteger(Rf_asInteger(at(x, RUN_OBSERVED)) + 1));
  SET_VECTOR_ELT(out, RUN_STREAM, bg_later_stream(at(x, RUN_STREAM), one));
  put_seed(at(out, RUN_STREAM));
  SET_VECTOR_ELT(out, RUN_BELIEF, R_ExecWithCleanup(advance_run, out, put_seed, seed));
  UNPROTECT(2);
  return out;
}
