/* R's door to whole runs in simulated worlds. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <R_ext/Random.h>
#include <Rinternals.h>
#include <math.h>
#include <string.h>

#include "binding.h"
#include "binding_state.h"
#include "linalg.h"
#include "recent.h"

enum world_at { WORLD_MEAN, WORLD_NOISE_SD, WORLD_POOL, WORLD_LAW };
enum funds_at { FUNDS_SUM, FUNDS_PULLS };
enum law_at { LAW_NAME, LAW_SIZE, LAW_SIDE };

static enum law unpack_law(SEXP law) {
  const char *name = CHAR(STRING_ELT(at(law, LAW_NAME), 0));
  const enum law found = law_named(name);
  if (found == LAWS)
    Rf_error("there is no law \"%s\" in this version of bayesgap", name);
  return found;
}

/* Rates are cut to what there can be. */
static void cut_rates(int k, enum law law, double sign, double *mean) {
  for (int i = 0; i < k; i++) {
    double rate = fmax(sign * mean[i], 0);
    if (law == LAW_BINOMIAL)
      rate = fmin(rate, 1);
    mean[i] = sign * rate;
  }
}

/* The world but for its means. */
static struct truth unpack_world(SEXP world) {
  SEXP pool = at(world, WORLD_POOL), law = at(world, WORLD_LAW);
  return (struct truth){.noise_sd = REAL(at(world, WORLD_NOISE_SD)),
                        .pool = Rf_isNull(pool) ? NULL : REAL(pool),
                        .draws = Rf_isNull(pool) ? 0 : Rf_ncols(pool),
                        .law = unpack_law(law),
                        .size = Rf_asReal(at(law, LAW_SIZE)),
                        .side = Rf_asReal(at(law, LAW_SIDE))};
}

/* The world's means as given, or a draw from the prior. */
static const double *world_mean(SEXP mean, const struct prior *prior,
                                const struct truth *truth, struct scratch *s) {
  if (!Rf_isNull(mean))
    return REAL(mean);
  double *drawn = doubles(s, (size_t)prior->k);
  prior_draw(prior, doubles(s, (size_t)prior->d), drawn);
  for (int i = 0; i < prior->k; i++)
    drawn[i] += prior->mean[i];
  if (truth->law != LAW_GAUSSIAN)
    cut_rates(prior->k, truth->law, truth->side, drawn);
  return drawn;
}

SEXP bg_world_mean(SEXP prior, SEXP fit, SEXP world) {
  struct scratch room, *s = scratch_start(&room);
  const struct prior pr = unpack_prior(prior, fit);
  const struct truth truth = unpack_world(world);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, pr.k));
  GetRNGstate();
  memcpy(REAL(out), world_mean(at(world, WORLD_MEAN), &pr, &truth, s),
         (size_t)pr.k * sizeof(double));
  PutRNGstate();
  UNPROTECT(1);
  return out;
}

static SEXP pack_run(const struct record *record, const struct truth *truth, int k,
                     int most, int pulls) {
  const char *names[] = {"arm", "y", "best", "regret", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, most));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, most));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(INTSXP, record->stops));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, record->stops));
  for (int i = 0; i < most; i++) {
    INTEGER(at(out, 0))[i] = i < pulls ? record->arm[i] + 1 : NA_INTEGER;
    REAL(at(out, 1))[i] = i < pulls ? record->y[i] : NA_REAL;
  }
  const double best = linalg_max(k, truth->mean);
  for (int i = 0; i < record->stops; i++) {
    INTEGER(at(out, 2))[i] = record->best[i] + 1;
    REAL(at(out, 3))[i] = best - truth->mean[record->best[i]];
  }
  UNPROTECT(1);
  return out;
}

/* In units of the prior's variance. With less noise an arm may become known by its neighbours, but for
 * rounding, which every policy sees. */
static const double CLEAR_NOISE = 1e-9;

/* The prior as far as the policy can tell: one that is blind to what arms tell of each other needs no
 * columns. */
static struct prior prior_seen(const struct prior *p, const struct policy *policy,
                               const struct round *r, int blocks) {
  struct prior out = *p;
  int noisy = !blocks;
  for (int i = 0; i < p->k; i++)
    noisy = noisy && r->noise2[i] > CLEAR_NOISE * p->most;
  if (noisy && policy->blind && policy->blind(r->param))
    out.kind = PRIOR_INDEPENDENT;
  return out;
}

SEXP bg_run(SEXP prior, SEXP fit, SEXP policy, SEXP task, SEXP world, SEXP after) {
  struct scratch room, *s = scratch_start(&room);
  const struct policy *chosen = unpack_policy(policy);
  const struct prior pr = unpack_prior(prior, fit);
  const int blocks = count_blocks(task);
  struct note note;
  struct round r =
      unpack_round(policy, fit, task, &pr, policy_memory(chosen, &pr), &note, s);
  const size_t kept = policy_room(chosen, &pr);
  if (kept > 0) {
    r.kept = doubles(s, kept);
    r.kept[0] = 0;
  }
  SEXP funds = task_funds(task);
  const int most = Rf_isNull(funds) ? r.budget : (int)REAL(funds)[FUNDS_PULLS];
  const struct prior seen = prior_seen(&pr, chosen, &r, blocks);
  const int n =
      seen.kind == PRIOR_INDEPENDENT && !blocks ? 0 : engine_columns(pr.k, blocks, most);
  const int coordinates = blocks * block_width(fit);
  const size_t k = (size_t)pr.k, room_for = (size_t)most, rows = k + (size_t)coordinates;
  SEXP belief = PROTECT(new_belief(R_NilValue, &seen, coordinates, n));
  struct posterior p = new_posterior(&seen, fit, belief, n, s);
  keep_recent(&p, recent_sets(&p), s);
  aligned_columns(s, n, rows, p.w);
  struct record record = {.arm = ints(s, room_for),
                          .block = ints(s, room_for),
                          .y = doubles(s, room_for),
                          .funds = Rf_isNull(funds) ? 0 : REAL(funds)[FUNDS_SUM],
                          .most = most,
                          .stops = Rf_length(after),
                          .after = INTEGER(after),
                          .best = ints(s, (size_t)Rf_length(after))};
  if (blocks || r.cost) {
    record.barred = ints(s, k);
    memset(record.barred, 0, k * sizeof(int));
    r.barred = record.barred;
  }
  struct truth truth = unpack_world(world);
  truth.by_block = blocks > 0;
  GetRNGstate();
  truth.mean = world_mean(at(world, WORLD_MEAN), &pr, &truth, s);
  const int pulls = engine_run(chosen, &p, &r, &truth, &record);
  PutRNGstate();
  SEXP out = pack_run(&record, &truth, pr.k, most, pulls);
  UNPROTECT(1);
  return out;
}
