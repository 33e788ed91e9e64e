#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <math.h>
#include <string.h>

#include "binding_state.h"
#include "linalg.h"
#include "recent.h"

enum prior_at { KIND, FACTOR, DIAGONAL, COV, KERNEL, REST };
enum fit_at {
  FIT_MEAN,
  FIT_SCALE,
  FIT_NOISE2,
  FIT_DF,
  FIT_CENTRE,
  FIT_BLOCK2,
  FIT_SIZE,
  FIT_LOADING,
  FIT_REST
};
enum blocks_at { BLOCKS_ALL, BLOCKS_OPEN, BLOCKS_GIVEN, OUT_ARM, OUT_BLOCK };
static const char *const BELIEF_NAMES[] = {
    "mean",      "var",   "pulls",      "columns", "arm",    "d",    "noise2",
    "memory",    "rows",  "next_arm",   "best",    "note",   "loss", "block_mean",
    "block_var", "block", "next_block", "average", "weight", "when", "counted"};

int to_r(int arm) {
  return arm < 0 ? NA_INTEGER : arm + 1;
}

int from_r(int arm) {
  return arm == NA_INTEGER ? -1 : arm - 1;
}

static const double *real_or_null(SEXP x) {
  return Rf_isNull(x) ? NULL : REAL(x);
}

struct prior unpack_prior(SEXP prior, SEXP fit) {
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

const struct policy *unpack_policy(SEXP policy) {
  const char *name = CHAR(STRING_ELT(at(policy, POLICY_NAME), 0));
  const struct policy *found = policy_named(name);
  if (!found)
    Rf_error("there is no policy \"%s\" in this version of bayesgap", name);
  return found;
}

/* The task of a simulated run ends early. */
static SEXP task_part(SEXP task, int part) {
  return Rf_length(task) > part ? at(task, part) : R_NilValue;
}

SEXP task_blocks(SEXP task) {
  return task_part(task, BLOCKS);
}

SEXP task_funds(SEXP task) {
  return task_part(task, FUNDS);
}

int free_failures(SEXP task) {
  SEXP part = task_part(task, FREE_FAILURES);
  return !Rf_isNull(part) && Rf_asLogical(part);
}

int count_blocks(SEXP task) {
  SEXP blocks = task_blocks(task);
  return Rf_isNull(blocks) ? 0 : Rf_asInteger(at(blocks, BLOCKS_ALL));
}

/* A fit of an earlier version ends before. */
static SEXP fit_part(SEXP fit, int part) {
  return Rf_length(fit) > part ? at(fit, part) : R_NilValue;
}

int block_width(SEXP fit) {
  SEXP loading = fit_part(fit, FIT_LOADING);
  return Rf_isNull(loading) ? 1 : 1 + Rf_nrows(loading);
}

/* Of a pull of the usual size, of each arm. */
static const double *usual_noise2(SEXP fit, struct scratch *s) {
  const double *noise2 = REAL(at(fit, FIT_NOISE2)), size = Rf_asReal(at(fit, FIT_SIZE));
  const double *rest = real_or_null(fit_part(fit, FIT_REST));
  if (size == 1 && !rest)
    return noise2;
  const int k = Rf_length(at(fit, FIT_NOISE2));
  double *out = doubles(s, (size_t)k);
  for (int i = 0; i < k; i++)
    out[i] = noise2[i] / size + (rest ? rest[i] : 0);
  return out;
}

struct round unpack_round(SEXP policy, SEXP fit, SEXP task, const struct prior *p,
                          size_t memory, struct note *note, struct scratch *s) {
  SEXP barred = at(task, BARRED), blocks = task_blocks(task), out = task_part(task, OUT);
  const int open = Rf_isNull(blocks) ? 0 : Rf_asInteger(at(blocks, BLOCKS_OPEN));
  const int most = open > count_blocks(task) ? open : count_blocks(task);
  const size_t entries = (size_t)p->k + (size_t)most * (size_t)block_width(fit);
  double *space = doubles(s, memory + 8 * entries + (size_t)p->d);
  struct round r = {
      .t = 1,
      .budget = Rf_asInteger(at(task, BUDGET)),
      .param = REAL(at(policy, POLICY_PARAM)),
      .noise2 = usual_noise2(fit, s),
      .cost = real_or_null(task_part(task, COST)),
      .barred = Rf_isNull(barred) ? NULL : LOGICAL(barred),
      .out = Rf_isNull(out) ? NULL : LOGICAL(out),
      .shown = Rf_isNull(out) ? NULL : doubles(s, (size_t)p->k),
      .blocks = open,
      .block = Rf_isNull(blocks) ? -1 : from_r(Rf_asInteger(at(blocks, BLOCKS_GIVEN))),
      .memory = space,
      .work = space + memory,
      .index = ints(s, entries),
      .note = note,
  };
  return r;
}

struct pairs unpack_pairs(SEXP log, SEXP task, struct scratch *s) {
  SEXP blocks = task_blocks(task), out = at(blocks, OUT_ARM);
  const int told = Rf_length(at(log, LOG_ARM)), n = told + Rf_length(out);
  int *arm = ints(s, 2 * (size_t)n), *block = arm + n;
  const int *log_arm = INTEGER_RO(at(log, LOG_ARM));
  const int *log_block = INTEGER_RO(at(log, LOG_BLOCK));
  for (int i = 0; i < n; i++) {
    const int later = i - told;
    arm[i] = from_r(later < 0 ? log_arm[i] : INTEGER(out)[later]);
    block[i] = from_r(later < 0 ? log_block[i] : INTEGER(at(blocks, OUT_BLOCK))[later]);
  }
  const struct pairs made = {n, arm, block};
  return made;
}

SEXP new_belief(SEXP before, const struct prior *prior, int coordinates, int n) {
  const int k = prior->k;
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
  if (coordinates > 0) {
    SET_VECTOR_ELT(belief, BLOCK_MEAN, Rf_allocVector(REALSXP, coordinates));
    SET_VECTOR_ELT(belief, BLOCK_VAR, Rf_allocVector(REALSXP, coordinates));
    SET_VECTOR_ELT(belief, COLUMN_BLOCK, Rf_allocVector(INTSXP, n));
  } else if (prior->kind != PRIOR_INDEPENDENT) {
    SET_VECTOR_ELT(belief, AVERAGE, Rf_allocVector(REALSXP, k));
    SET_VECTOR_ELT(belief, AVERAGE_WEIGHT, Rf_allocVector(REALSXP, k));
    SET_VECTOR_ELT(belief, AVERAGE_WHEN, Rf_allocVector(INTSXP, k));
  }
  UNPROTECT(1);
  return belief;
}

/* The averages that live in a belief, or NULL. */
static struct average *averages_of(SEXP belief) {
  if (Rf_isNull(at(belief, AVERAGE)))
    return NULL;
  struct average *a = (struct average *)R_alloc(1, sizeof *a);
  *a = (struct average){.mean = REAL(at(belief, AVERAGE)),
                        .weight = REAL(at(belief, AVERAGE_WEIGHT)),
                        .when = INTEGER(at(belief, AVERAGE_WHEN))};
  return a;
}

struct posterior new_posterior(const struct prior *prior, SEXP fit, SEXP belief, int n,
                               struct scratch *s) {
  const int width = block_width(fit), blocks = Rf_length(at(belief, BLOCK_MEAN)) / width;
  struct posterior p = {
      .prior = prior,
      .blocks = blocks,
      .width = width,
      .loading = real_or_null(fit_part(fit, FIT_LOADING)),
      .block2 = blocks ? Rf_asReal(at(fit, FIT_BLOCK2)) : 0,
      .block_mean = blocks ? REAL(at(belief, BLOCK_MEAN)) : NULL,
      .block_var = blocks ? REAL(at(belief, BLOCK_VAR)) : NULL,
      .block = blocks ? INTEGER(at(belief, COLUMN_BLOCK)) : NULL,
      .mean = REAL(at(belief, MEAN)),
      .var = REAL(at(belief, VAR)),
      .pulls = INTEGER(at(belief, PULLS)),
      .last = ints(s, (size_t)prior->k),
      .average = averages_of(belief),
      .n = 0,
      .w = (double **)R_alloc((size_t)n + 1, sizeof(double *)),
      .arm = INTEGER(at(belief, COLUMN_ARM)),
      .d = REAL(at(belief, COLUMN_D)),
      .noise2 = REAL(at(belief, COLUMN_NOISE2)),
  };
  return p;
}

void aligned_columns(struct scratch *s, int n, size_t rows, double **w) {
  const size_t stride = linalg_lines(rows);
  double *room = linalg_line(doubles(s, (size_t)n * stride + LINE));
  for (int i = 0; i < n; i++)
    w[i] = room + (size_t)i * stride;
}

void keep_recent(struct posterior *p, int sets, struct scratch *s) {
  if (posterior_separate(p))
    return;
  const int n = sets * RECENT;
  double **room = (double **)R_alloc((size_t)n + 1, sizeof *room);
  aligned_columns(s, n + 1, (size_t)posterior_size(p), room);
  recent_keep(p, sets, (struct recent *)R_alloc((size_t)n, sizeof(struct recent)), room);
}

SEXP lengthen_columns(SEXP columns, int size) {
  const int n = Rf_length(columns);
  if (n == 0 || Rf_length(at(columns, 0)) == size)
    return columns;
  SEXP out = PROTECT(Rf_allocVector(VECSXP, n));
  for (int i = 0; i < n; i++) {
    const int from = Rf_length(at(columns, i));
    SET_VECTOR_ELT(out, i, Rf_allocVector(REALSXP, size));
    double *column = REAL(at(out, i));
    memcpy(column, REAL(at(columns, i)), (size_t)from * sizeof(double));
    memset(column + from, 0, (size_t)(size - from) * sizeof(double));
  }
  UNPROTECT(1);
  return out;
}

/* The columns of an earlier belief, which are only ever read. */
static void read_columns(struct posterior *p, SEXP belief, SEXP columns) {
  const int *arm = INTEGER(at(belief, COLUMN_ARM));
  SEXP blocks = at(belief, COLUMN_BLOCK);
  const int *block = Rf_isNull(blocks) ? NULL : INTEGER(blocks);
  p->n = Rf_length(columns);
  p->loss = Rf_asReal(at(belief, LOSS));
  memset(p->last, -1, (size_t)p->prior->k * sizeof(int)); /* all bits set is -1 */
  for (int i = 0; i < p->n; i++) {
    p->w[i] = REAL(at(columns, i));
    p->arm[i] = arm[i] - 1;
    if (p->blocks > 0)
      p->block[i] = block ? from_r(block[i]) : -1;
    if (p->blocks == 0 || p->block[i] < 0)
      p->last[p->arm[i]] = i;
  }
}

static void copy_averages(struct average *a, int k, SEXP belief) {
  memcpy(a->mean, REAL(at(belief, AVERAGE)), (size_t)k * sizeof(double));
  memcpy(a->weight, REAL(at(belief, AVERAGE_WEIGHT)), (size_t)k * sizeof(double));
  memcpy(a->when, INTEGER(at(belief, AVERAGE_WHEN)), (size_t)k * sizeof(int));
  for (int i = 0; i < k; i++)
    a->told = a->when[i] > a->told ? a->when[i] : a->told;
}

void copy_belief(struct posterior *p, SEXP belief, SEXP columns) {
  const size_t k = (size_t)p->prior->k;
  memcpy(p->mean, REAL(at(belief, MEAN)), k * sizeof(double));
  memcpy(p->var, REAL(at(belief, VAR)), k * sizeof(double));
  memcpy(p->pulls, INTEGER(at(belief, PULLS)), k * sizeof(int));
  SEXP mean = at(belief, BLOCK_MEAN), var = at(belief, BLOCK_VAR);
  for (int i = 0; i < p->blocks * p->width; i++) {
    p->block_mean[i] = i < Rf_length(mean) ? REAL(mean)[i] : 0;
    p->block_var[i] = i < Rf_length(mean) ? REAL(var)[i] : p->block2;
  }
  if (p->average)
    copy_averages(p->average, (int)k, belief);
  read_columns(p, belief, columns);
  p->lent = p->n;
  if (p->n > 0) {
    memcpy(p->d, REAL(at(belief, COLUMN_D)), (size_t)p->n * sizeof(double));
    memcpy(p->noise2, REAL(at(belief, COLUMN_NOISE2)), (size_t)p->n * sizeof(double));
  }
}

struct posterior read_belief(const struct prior *prior, SEXP fit, SEXP belief,
                             struct scratch *s) {
  const int n = Rf_length(at(belief, COLUMNS));
  struct posterior p = new_posterior(prior, fit, belief, n, s);
  p.arm = ints(s, 2 * (size_t)n);
  if (p.blocks > 0) {
    p.block = p.arm + n;
    keep_recent(&p, 1, s);
  }
  read_columns(&p, belief, at(belief, COLUMNS));
  return p;
}

struct log unpack_log(SEXP log, SEXP fit, int blocks, int from, int free,
                      struct scratch *s) {
  const int n = Rf_length(at(log, LOG_ARM)) - from;
  /* Read only: a column that is written to is first copied. */
  const int *pull = INTEGER_RO(at(log, LOG_PULL)) + from;
  const int *from_one = INTEGER_RO(at(log, LOG_ARM)) + from;
  const double *se = REAL_RO(at(log, LOG_SE)) + from;
  const double *reward = REAL_RO(at(log, LOG_REWARD)) + from;
  const double *size = REAL_RO(at(log, LOG_SIZE)) + from;
  const double *noise2 = REAL(at(fit, FIT_NOISE2));
  const double *rest = real_or_null(fit_part(fit, FIT_REST));
  const double centre = Rf_asReal(at(fit, FIT_CENTRE));
  const int *in = blocks ? INTEGER_RO(at(log, LOG_BLOCK)) + from : NULL;
  int *arm = ints(s, 3 * (size_t)n), *counted = arm + n, *block = counted + n;
  double *noise = doubles(s, 2 * (size_t)n), *y = noise + n;
  for (int i = 0; i < n; i++) {
    arm[i] = from_one[i] - 1;
    noise[i] = ISNAN(se[i]) ? noise2[arm[i]] / size[i] : se[i] * se[i];
    noise[i] += rest ? rest[arm[i]] : 0;
    y[i] = reward[i] - centre;
    counted[i] = pull[i] != NA_INTEGER && !(free && ISNAN(reward[i]));
    block[i] = in ? from_r(in[i]) : -1;
  }
  const struct log l = {{n, arm, y, noise, in ? block : NULL}, counted};
  return l;
}
