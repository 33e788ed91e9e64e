/* R's door to the state of a run: prior, belief, policy and log in, the belief after it out. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <R_ext/Random.h>
#include <Rinternals.h>
#include <math.h>
#include <string.h>

#include "binding.h"
#include "binding_pack.h"
#include "engine.h"
#include "linalg.h"

enum prior_at { KIND, FACTOR, DIAGONAL, COV, KERNEL, REST };
enum fit_at { FIT_MEAN, FIT_SCALE, FIT_NOISE2, FIT_DF, FIT_CENTRE };
enum policy_at { POLICY_NAME, POLICY_PARAM };
enum task_at { BUDGET, BARRED, KEPT_MEMORY };
enum world_at { WORLD_MEAN, WORLD_NOISE_SD, WORLD_POOL };
enum log_at { LOG_PULL, LOG_ARM, LOG_REWARD, LOG_SE };
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
  BELIEF
};
static const char *const BELIEF_NAMES[] = {
    "mean",   "var",  "pulls",    "columns", "arm",  "d",   "noise2",
    "memory", "rows", "next_arm", "best",    "note", "loss"};

/* R's arms count from 1, and none is NA. */
static int to_r(int arm) {
  return arm < 0 ? NA_INTEGER : arm + 1;
}

static double to_r_double(int arm) {
  return arm < 0 ? NA_REAL : arm + 1;
}

static const double *real_or_null(SEXP x) {
  return Rf_isNull(x) ? NULL : REAL(x);
}

static struct prior unpack_prior(SEXP prior, SEXP fit) {
  SEXP factor = at(prior, FACTOR), kernel = at(prior, KERNEL);
  struct prior p = {
      .kind = (enum prior_kind)Rf_asInteger(at(prior, KIND)),
      .k = Rf_length(at(prior, DIAGONAL)),
      .d = Rf_isNull(factor) ? 0 : Rf_ncols(factor),
      .scale = Rf_asReal(at(fit, FIT_SCALE)),
      .df = Rf_asReal(at(fit, FIT_DF)),
      .mean = REAL(at(fit, FIT_MEAN)),
      .diagonal = REAL(at(prior, DIAGONAL)),
      .cov = real_or_null(at(prior, COV)),
      .factor = real_or_null(factor),
      .rest = real_or_null(at(prior, REST)),
      .kernel = Rf_isNull(kernel) ? NULL : unpack_kernel(kernel),
  };
  prior_finish(&p);
  return p;
}

static const struct policy *unpack_policy(SEXP policy) {
  const char *name = CHAR(STRING_ELT(at(policy, POLICY_NAME), 0));
  const struct policy *found = policy_named(name);
  if (!found)
    Rf_error("there is no policy \"%s\" in this version of bayesgap", name);
  return found;
}

static struct round unpack_round(SEXP policy, SEXP fit, SEXP task, const struct prior *p,
                                 size_t memory, struct note *note, struct scratch *s) {
  SEXP barred = at(task, BARRED);
  double *space = doubles(s, memory + 8 * (size_t)p->k + (size_t)p->d);
  struct round r = {
      .t = 1,
      .budget = Rf_asInteger(at(task, BUDGET)),
      .param = REAL(at(policy, POLICY_PARAM)),
      .noise2 = REAL(at(fit, FIT_NOISE2)),
      .barred = Rf_isNull(barred) ? NULL : LOGICAL(barred),
      .memory = space,
      .work = space + memory,
      .index = ints(s, (size_t)p->k),
      .note = note,
  };
  return r;
}

/* A belief to be filled with up to n columns, its names shared with the one before. */
static SEXP new_belief(SEXP before, int k, int n) {
  SEXP belief = PROTECT(Rf_allocVector(VECSXP, BELIEF));
  if (Rf_isNull(before)) {
    SEXP names = Rf_allocVector(STRSXP, BELIEF);
    Rf_setAttrib(belief, R_NamesSymbol, names);
    for (int i = 0; i < BELIEF; i++)
      SET_STRING_ELT(names, i, Rf_mkChar(BELIEF_NAMES[i]));
  } else {
    Rf_setAttrib(belief, R_NamesSymbol, Rf_getAttrib(before, R_NamesSymbol));
  }
  SET_VECTOR_ELT(belief, MEAN, Rf_allocVector(REALSXP, k));
  SET_VECTOR_ELT(belief, VAR, Rf_allocVector(REALSXP, k));
  SET_VECTOR_ELT(belief, PULLS, Rf_allocVector(INTSXP, k));
  SET_VECTOR_ELT(belief, COLUMN_ARM, Rf_allocVector(INTSXP, n));
  SET_VECTOR_ELT(belief, COLUMN_D, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(belief, COLUMN_NOISE2, Rf_allocVector(REALSXP, n));
  UNPROTECT(1);
  return belief;
}

/* The posterior that lives in a belief; w has room for n columns and one more. */
static struct posterior new_posterior(const struct prior *prior, SEXP belief, int n,
                                      struct scratch *s) {
  struct posterior p = {
      .prior = prior,
      .mean = REAL(at(belief, MEAN)),
      .var = REAL(at(belief, VAR)),
      .pulls = INTEGER(at(belief, PULLS)),
      .last = ints(s, (size_t)prior->k),
      .n = 0,
      .w = (double **)R_alloc((size_t)n + 1, sizeof(double *)),
      .arm = INTEGER(at(belief, COLUMN_ARM)),
      .d = REAL(at(belief, COLUMN_D)),
      .noise2 = REAL(at(belief, COLUMN_NOISE2)),
  };
  return p;
}

/* The columns of an earlier belief, which are only ever read. */
static void read_columns(struct posterior *p, SEXP belief) {
  SEXP columns = at(belief, COLUMNS);
  const int *arm = INTEGER(at(belief, COLUMN_ARM));
  p->n = Rf_length(columns);
  p->loss = Rf_asReal(at(belief, LOSS));
  memset(p->last, -1, (size_t)p->prior->k * sizeof(int)); /* all bits set is -1 */
  for (int i = 0; i < p->n; i++) {
    p->w[i] = REAL(at(columns, i));
    p->arm[i] = arm[i] - 1;
    p->last[p->arm[i]] = i;
  }
}

/* The state of an earlier belief, to go on from. */
static void copy_belief(struct posterior *p, SEXP belief) {
  const size_t k = (size_t)p->prior->k;
  memcpy(p->mean, REAL(at(belief, MEAN)), k * sizeof(double));
  memcpy(p->var, REAL(at(belief, VAR)), k * sizeof(double));
  memcpy(p->pulls, INTEGER(at(belief, PULLS)), k * sizeof(int));
  read_columns(p, belief);
  if (p->n > 0) {
    memcpy(p->d, REAL(at(belief, COLUMN_D)), (size_t)p->n * sizeof(double));
    memcpy(p->noise2, REAL(at(belief, COLUMN_NOISE2)), (size_t)p->n * sizeof(double));
  }
}

/* The belief itself as a posterior, for what learns nothing: only the arms' numbers are
 * copied, to count from 0. */
static struct posterior read_belief(const struct prior *prior, SEXP belief,
                                    struct scratch *s) {
  struct posterior p = new_posterior(prior, belief, Rf_length(at(belief, COLUMNS)), s);
  p.arm = ints(s, (size_t)Rf_length(at(belief, COLUMN_ARM)));
  read_columns(&p, belief);
  return p;
}

/* The rows of the run's log from `from` on, their rewards about the fit's centre. A pull
 * outside the budget has no number. */
static struct log unpack_log(SEXP log, SEXP fit, int from, struct scratch *s) {
  const int n = Rf_length(at(log, LOG_ARM)) - from;
  const int *pull = INTEGER(at(log, LOG_PULL)) + from;
  const int *from_one = INTEGER(at(log, LOG_ARM)) + from;
  const double *se = REAL(at(log, LOG_SE)) + from;
  const double *reward = REAL(at(log, LOG_REWARD)) + from;
  const double *noise2 = REAL(at(fit, FIT_NOISE2));
  const double centre = Rf_asReal(at(fit, FIT_CENTRE));
  int *arm = ints(s, 2 * (size_t)n), *counted = arm + n;
  double *noise = doubles(s, 2 * (size_t)n), *y = noise + n;
  for (int i = 0; i < n; i++) {
    arm[i] = from_one[i] - 1;
    noise[i] = ISNAN(se[i]) ? noise2[arm[i]] : se[i] * se[i];
    y[i] = reward[i] - centre;
    counted[i] = pull[i] != NA_INTEGER;
  }
  const struct log l = {{n, arm, y, noise}, counted};
  return l;
}

static int pulls_before(SEXP log, int rows) {
  int n = 0;
  for (int i = 0; i < rows; i++)
    n += INTEGER(at(log, LOG_PULL))[i] != NA_INTEGER;
  return n;
}

/* n fresh columns, pointed to by w. */
static SEXP new_columns(int k, int n, double **w) {
  SEXP columns = PROTECT(Rf_allocVector(VECSXP, n));
  for (int i = 0; i < n; i++) {
    SET_VECTOR_ELT(columns, i, Rf_allocVector(REALSXP, k));
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

/* The columns in use: all of `old`, then the first of `fresh`. */
static void pack_columns(SEXP belief, const struct posterior *p, SEXP old, SEXP fresh) {
  const int kept = Rf_length(old);
  SEXP columns = Rf_allocVector(VECSXP, p->n);
  SET_VECTOR_ELT(belief, COLUMNS, columns);
  for (int i = 0; i < p->n; i++) {
    SET_VECTOR_ELT(columns, i, i < kept ? at(old, i) : at(fresh, i - kept));
    p->arm[i]++;
  }
  shorten(belief, COLUMN_ARM, p->n);
  shorten(belief, COLUMN_D, p->n);
  shorten(belief, COLUMN_NOISE2, p->n);
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
  SET_VECTOR_ELT(belief, BEST, Rf_ScalarInteger(to_r(best)));
  SET_VECTOR_ELT(belief, NOTE, pack_doubles(note, 7));
}

/* The same belief in fewer columns. */
static void compact(SEXP belief, struct posterior *p, SEXP log, SEXP fit,
                    const struct round *r, struct scratch *s) {
  const struct log all = unpack_log(log, fit, 0, s);
  const int k = p->prior->k;
  SEXP columns = PROTECT(new_columns(k, posterior_arms(p), p->w));
  posterior_compact(p, &all.seen, r->work, ints(s, (size_t)k));
  pack_columns(belief, p, R_NilValue, columns);
  UNPROTECT(1);
}

SEXP bg_advance(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP before, SEXP log) {
  struct scratch room, *s = scratch_start(&room);
  const struct policy *chosen = unpack_policy(policy);
  const struct prior pr = unpack_prior(prior, fit);
  const size_t memory = policy_memory(chosen, &pr);
  const int start = Rf_isNull(before);
  const int learned = start ? 0 : Rf_asInteger(at(before, ROWS));
  struct note note;
  struct round r = unpack_round(policy, fit, task, &pr, memory, &note, s);
  const struct log fresh = unpack_log(log, fit, learned, s);
  const int more = pr.kind == PRIOR_INDEPENDENT ? 0 : fresh.seen.n;
  SEXP old = start ? R_NilValue : at(before, COLUMNS);
  const int n = Rf_length(old) + more;
  SEXP belief = PROTECT(new_belief(before, pr.k, n));
  struct posterior p = new_posterior(&pr, belief, n, s);
  if (!start) {
    copy_belief(&p, before);
    for (size_t i = 0; i < memory; i++)
      r.memory[i] = REAL(at(before, POLICY_MEMORY))[i];
    r.t = pulls_before(log, learned) + 1;
  }
  SEXP columns = PROTECT(new_columns(pr.k, more, p.w + Rf_length(old)));

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
  if (posterior_full(&p))
    compact(belief, &p, log, fit, &r, s);
  else
    pack_columns(belief, &p, old, columns);
  SET_VECTOR_ELT(belief, LOSS, Rf_ScalarReal(p.loss));
  UNPROTECT(2);
  return belief;
}

SEXP bg_certainty(SEXP prior, SEXP fit, SEXP belief, SEXP arm, SEXP draws) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_belief(&pr, belief, s);
  const int n = Rf_asInteger(draws);
  const char *names[] = {"best", "regret", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, pr.k));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, n));
  GetRNGstate();
  posterior_certainty(&p, Rf_asInteger(arm) - 1, n,
                      doubles(s, (size_t)pr.k + (size_t)pr.d), REAL(at(out, 0)),
                      REAL(at(out, 1)));
  PutRNGstate();
  UNPROTECT(1);
  return out;
}

SEXP bg_draws(SEXP prior, SEXP fit, SEXP belief, SEXP draws) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_belief(&pr, belief, s);
  const int n = Rf_asInteger(draws);
  double *z = doubles(s, (size_t)pr.d);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, pr.k, n));
  GetRNGstate();
  for (int i = 0; i < n; i++) {
    posterior_draw(&p, z, REAL(out) + (size_t)pr.k * (size_t)i);
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
  const char *why = chosen->unfit ? chosen->unfit(&pr) : NULL;
  if (why)
    return Rf_mkString(why);
  if (!chosen->least)
    return Rf_ScalarInteger(1);
  struct note note;
  struct round r =
      unpack_round(policy, fit, task, &pr, policy_memory(chosen, &pr), &note, s);
  SEXP belief = PROTECT(new_belief(R_NilValue, pr.k, 0));
  struct posterior p = new_posterior(&pr, belief, 0, s);
  posterior_start(&p);
  const int least = chosen->least(&p, &r);
  UNPROTECT(1);
  return Rf_ScalarInteger(least);
}

/* The world's means as given, or a draw from the prior. */
static const double *world_mean(SEXP mean, const struct prior *prior, double *work,
                                struct scratch *s) {
  if (!Rf_isNull(mean))
    return REAL(mean);
  double *drawn = doubles(s, (size_t)prior->k);
  prior_draw(prior, work, drawn);
  for (int i = 0; i < prior->k; i++)
    drawn[i] += prior->mean[i];
  return drawn;
}

static SEXP pack_run(const struct record *record, const struct truth *truth, int k,
                     int budget, int pulls) {
  const char *names[] = {"arm", "y", "best", "regret", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, budget));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, budget));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(INTSXP, record->stops));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, record->stops));
  for (int i = 0; i < budget; i++) {
    INTEGER(at(out, 0))[i] = i < pulls ? record->arm[i] + 1 : NA_INTEGER;
    REAL(at(out, 1))[i] = i < pulls ? record->y[i] : NA_REAL;
  }
  const double most = linalg_max(k, truth->mean);
  for (int i = 0; i < record->stops; i++) {
    INTEGER(at(out, 2))[i] = record->best[i] + 1;
    REAL(at(out, 3))[i] = most - truth->mean[record->best[i]];
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_run(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP world, SEXP after) {
  struct scratch room, *s = scratch_start(&room);
  const struct policy *chosen = unpack_policy(policy);
  const struct prior pr = unpack_prior(prior, fit);
  struct note note;
  struct round r =
      unpack_round(policy, fit, task, &pr, policy_memory(chosen, &pr), &note, s);
  const int n = pr.kind == PRIOR_INDEPENDENT ? 0 : engine_columns(pr.k, r.budget);
  const size_t k = (size_t)pr.k, budget = (size_t)r.budget;
  SEXP belief = PROTECT(new_belief(R_NilValue, pr.k, n));
  struct posterior p = new_posterior(&pr, belief, n, s);
  double *block = doubles(s, (size_t)n * k);
  for (int i = 0; i < n; i++)
    p.w[i] = block + (size_t)i * k;
  SEXP pool = at(world, WORLD_POOL);
  struct record record = {ints(s, budget),    doubles(s, budget),
                          doubles(s, budget), Rf_length(after),
                          INTEGER(after),     ints(s, (size_t)Rf_length(after))};
  GetRNGstate();
  const struct truth truth = {
      world_mean(at(world, WORLD_MEAN), &pr, r.work, s), REAL(at(world, WORLD_NOISE_SD)),
      Rf_isNull(pool) ? NULL : REAL(pool), Rf_isNull(pool) ? 0 : Rf_ncols(pool)};
  const int pulls = engine_run(chosen, &p, &r, &truth, &record, ints(s, k));
  PutRNGstate();
  SEXP out = pack_run(&record, &truth, pr.k, r.budget, pulls);
  UNPROTECT(1);
  return out;
}

SEXP bg_posterior_factor(SEXP prior, SEXP fit, SEXP belief, SEXP tolerance, SEXP limit) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct posterior p = read_belief(&pr, belief, s);
  const int most = Rf_asInteger(limit);
  SEXP out = PROTECT(new_factor(pr.k, most));
  shorten_factor(out, posterior_factor(&p, Rf_asReal(tolerance), most, REAL(at(out, 0)),
                                       REAL(at(out, 1)), doubles(s, (size_t)most)));
  UNPROTECT(1);
  return out;
}

static SEXP pack_params(const struct policy *policy) {
  const int n = policy_params(policy);
  const char *names[] = {"name", "default", "lower", "upper", "choices", "meaning", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 6; i++)
    SET_VECTOR_ELT(out, i, Rf_allocVector(i >= 1 && i <= 3 ? REALSXP : STRSXP, n));
  for (int i = 0; i < n; i++) {
    const struct param *p = policy->params + i;
    SET_STRING_ELT(at(out, 0), i, Rf_mkChar(p->name));
    REAL(at(out, 1))[i] = p->value;
    REAL(at(out, 2))[i] = p->lower;
    REAL(at(out, 3))[i] = p->upper;
    SET_STRING_ELT(at(out, 4), i, p->choices ? Rf_mkChar(p->choices) : NA_STRING);
    SET_STRING_ELT(at(out, 5), i, Rf_mkChar(p->meaning));
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_policies(void) {
  const int n = policy_count();
  const char *names[] = {"name",    "label", "recommends", "params",
                         "anytime", "draws", "keeps",      ""};
  const SEXPTYPE types[] = {STRSXP, STRSXP, STRSXP, VECSXP, LGLSXP, LGLSXP, LGLSXP};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 7; i++)
    SET_VECTOR_ELT(out, i, Rf_allocVector(types[i], n));
  for (int i = 0; i < n; i++) {
    const struct policy *p = policy_at(i);
    SET_STRING_ELT(at(out, 0), i, Rf_mkChar(p->name));
    SET_STRING_ELT(at(out, 1), i, Rf_mkChar(p->label));
    SET_STRING_ELT(at(out, 2), i, Rf_mkChar(p->recommends));
    SET_VECTOR_ELT(at(out, 3), i, pack_params(p));
    LOGICAL(at(out, 4))[i] = p->anytime;
    LOGICAL(at(out, 5))[i] = p->draws;
    LOGICAL(at(out, 6))[i] = p->keeps;
  }
  UNPROTECT(1);
  return out;
}
