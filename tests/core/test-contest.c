/* The winners of contests have the law of the best arms of whole draws, and their values that of the
 * maxima; the factor that is kept is that of the posterior. */
#include <R_ext/Random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contest.h"
#include "draws.h"
#include "linalg.h"
#include "problem.h"
#include "twin.h"

/* A run some way on its way, whose contest has seen every round. */
struct scene {
  struct problem problem;
  struct stub_run run;
  int k;
};

static const enum prior_kind KINDS[] = {PRIOR_DENSE, PRIOR_FEATURES, PRIOR_KERNEL};

static void rounds(struct scene *s, int pulls, int everyone) {
  struct stub_run *run = &s->run;
  for (int t = 0; t < pulls; t++) {
    struct contest c = contest_begin(&run->p, &run->r, run->r.kept, everyone);
    double value;
    const int best = contest_winner(&c, &value), arm = whole(3) ? best : whole(s->k);
    CHECK(best >= 0 && best < s->k && isfinite(value));
    posterior_learn(&run->p, arm, -1, norm_rand(), run->noise2[arm]);
  }
}

/* Arms in groups of eight that are much alike. */
static void problem_of_groups(struct problem *p, enum prior_kind kind, int k) {
  double *x = normals(k * k);
  for (int j = 0; j < k; j++)
    for (int i = k - 1; i >= 0; i--)
      x[i + k * j] = x[i - i % 8 + k * j] + 0.2 * x[i + k * j];
  problem_from(p, kind, k, k, x, 1);
}

/* spread: of the prior means. */
static void scene_new(struct scene *s, int n, int k, double spread) {
  s->k = k;
  if (n % 4 < 2)
    problem_of_groups(&s->problem, KINDS[n / 2 % 3], k);
  else
    problem_random(&s->problem, KINDS[n / 2 % 3], k, (enum oddity)(n / 4 % ODDITIES));
  for (int i = 0; i < k; i++)
    s->problem.mean[i] = spread * sqrt(k) * norm_rand();
  s->problem.prior.df = n % 5 == 3 ? 5 : (double)INFINITY;
  stub_run_new(&s->run, &s->problem.prior, policy_named("thompson"), 60, 60);
  set_noise(&s->run, sqrt(k) * exp(0.5 * norm_rand()));
  posterior_start(&s->run.p);
}

/* ---- The factor ------------------------------------------------------------------------ */

/* B B' has the posterior's covariances with the pivots, and with what is left its variances. */
static int factor_agrees(const struct contest *c) {
  const struct posterior *p = c->p;
  const int k = p->prior->k, pivots = contest_pivots(c), stride = (int)c->stride;
  const double *s = posterior_cov(p), near = 1e-9 * p->prior->most;
  int agrees = pivots > 0;
  for (int i = 0; i < k; i++)
    for (int l = 0; l <= pivots; l++) {
      const int other = l < pivots ? (int)c->pivot[l] : i;
      double sum = l < pivots ? 0 : c->rest[i];
      for (int j = 0; j < pivots; j++)
        sum += c->factor[i + stride * j] * c->factor[other + stride * j];
      agrees = agrees && fabs(sum - s[i + k * other]) <= near;
    }
  return agrees;
}

static void test_factor(void) {
  int compared = 0;
  for (int n = 0; n < 48; n++) {
    struct scene s;
    scene_new(&s, n, 64 + whole(20), 1.5);
    for (int t = 0; t < 12; t++) {
      rounds(&s, 1 + whole(4), 0);
      struct contest c = contest_begin(&s.run.p, &s.run.r, s.run.r.kept, 0);
      if (contest_partial(&c) && contest_pivots(&c) > 0) {
        CHECK(factor_agrees(&c));
        compared++;
      }
    }
    stub_free();
  }
  CHECK(compared > 300);
}

/* Variances whose squares are beyond all numbers, or nothing. */
static void test_scale(void) {
  const double size[] = {1e100, 1e-100};
  for (int n = 0; n < 12; n++) {
    struct scene s;
    scene_new(&s, n, 64, 0);
    s.problem.prior.scale *= size[n % 2] * size[n % 2];
    prior_finish(&s.problem.prior);
    set_noise(&s.run, 8 * size[n % 2]);
    posterior_start(&s.run.p);
    int compared = 0;
    for (int t = 0; t < 12; t++) {
      rounds(&s, 1, 0);
      struct contest c = contest_begin(&s.run.p, &s.run.r, s.run.r.kept, 0);
      if (contest_partial(&c) && contest_pivots(&c) > 0) {
        CHECK(factor_agrees(&c));
        compared++;
      }
    }
    CHECK(compared > 0);
    stub_free();
  }
}

/* ---- The law --------------------------------------------------------------------------- */

enum { DRAWS = 20000 };

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The largest difference of the distribution functions of two samples, in units in which it is
 * above 2 once in 3,000 times. */
static double apart(double *a, double *b) {
  double most = 0;
  qsort(a, DRAWS, sizeof *a, rising);
  qsort(b, DRAWS, sizeof *b, rising);
  for (int i = 0, j = 0; i < DRAWS && j < DRAWS;) {
    const double x = fmin(a[i], b[j]);
    while (i < DRAWS && a[i] <= x)
      i++;
    while (j < DRAWS && b[j] <= x)
      j++;
    most = fmax(most, abs(i - j));
  }
  return most / DRAWS * sqrt(DRAWS / 2.0);
}

/* The best arms of whole draws. */
static void whole_draws(const struct scene *s, int everyone, int *count, double *value) {
  const struct posterior *p = &s->run.p;
  double *draw = stub_doubles((size_t)posterior_size(p));
  for (int m = 0; m < DRAWS; m++) {
    draws_one(p, draw);
    const int best = everyone ? linalg_which_max(s->k, draw, 0)
                              : policy_best_open(p, &s->run.r, draw, 0);
    count[best]++;
    value[m] = draw[best];
  }
}

/* Arms that come up above the pivots become pivots, so that contests soon settle everything by these;
 * afresh: they begin without any every time. Returns the share of draws that were not whole. */
static double contests(struct scene *s, int everyone, int afresh, int *count,
                       double *value) {
  struct contest c;
  int partial = 0;
  for (int m = 0; m < DRAWS; m++) {
    if (afresh)
      s->run.r.kept[0] = 0;
    if (afresh || m % 10 == 0)
      c = contest_begin(&s->run.p, &s->run.r, s->run.r.kept, everyone);
    partial += contest_partial(&c);
    count[contest_winner(&c, value + m)]++;
  }
  return (double)partial / DRAWS;
}

static int *zeros(int k) {
  int *out = stub_ints((size_t)k);
  for (int i = 0; i < k; i++)
    out[i] = 0;
  return out;
}

static double check_law(struct scene *s, int everyone, int afresh) {
  int *a = zeros(s->k), *b = zeros(s->k);
  double *x = stub_doubles(DRAWS), *y = stub_doubles(DRAWS);
  whole_draws(s, everyone, a, x);
  const double partial = contests(s, everyone, afresh, b, y);
  CHECK(apart(x, y) < 2.2);
  for (int i = 0; i < s->k; i++)
    CHECK(fabs((double)a[i] - b[i]) < 5 * sqrt(a[i] + b[i] + 1));
  return partial;
}

static void test_law(void) {
  const double spread[] = {0.3, 1.2, 2};
  double some = 0;
  for (int n = 0; n < 24; n++) {
    struct scene s;
    scene_new(&s, n, 64 + whole(10), spread[n % 3]);
    const int everyone = n % 5 == 2;
    int *barred = zeros(s.k);
    for (int i = 0; i < s.k; i++)
      barred[i] = whole(4) == 0;
    s.run.r.barred = n % 3 == 1 ? barred : NULL;
    rounds(&s, whole(40), everyone);
    some += check_law(&s, everyone, n % 4 > 0);
    stub_free();
  }
  CHECK(some > 12);
}

/* Whole draws, made ahead: most arms can win, or pulls are so exact that a factor would lose its digits.
 * The pivots are tried again every now and then. */
static void test_whole(void) {
  for (int n = 0; n < 6; n++) {
    struct scene s;
    s.k = n % 2 ? 70 : 132;
    problem_from(&s.problem, KINDS[n % 3], s.k, s.k, normals(s.k * s.k), 1);
    s.problem.prior.df = n == 2 ? 5 : (double)INFINITY;
    stub_run_new(&s.run, &s.problem.prior, policy_named("thompson"), 60, 60);
    set_noise(&s.run, n % 2 ? 0 : sqrt(s.k));
    posterior_start(&s.run.p);
    for (size_t i = 1; i < contest_room(&s.problem.prior); i++)
      s.run.r.kept[i] = 1; /* what was there before, but for the first, means nothing */
    rounds(&s, 12, n % 4 == 0);
    CHECK(check_law(&s, n % 4 == 0, 0) < 0.5);
    rounds(&s, 12, n % 4 == 0);
    CHECK(check_law(&s, n % 4 == 0, 0) < 0.5);
    stub_free();
  }
}

/* A scene where every arm can win. */
static void scene_open(struct scene *s) {
  s->k = 132;
  double *x = normals(s->k * s->k);
  for (int i = 0; i < s->k; i++)
    x[i + s->k * i] += 10 * sqrt(s->k);
  problem_from(&s->problem, PRIOR_DENSE, s->k, s->k, x, 1);
  stub_run_new(&s->run, &s->problem.prior, policy_named("thompson"), 60, 60);
  set_noise(&s->run, sqrt(s->k));
  posterior_start(&s->run.p);
}

/* Rounds of so many draws: notes those, of all, for which pivots did not do; returns how many. */
static int failures(struct scene *s, int rounds, int each, int most, int *when) {
  struct contest c;
  int failed = 0;
  for (int draw = 0; draw < rounds * each; draw++) {
    double value;
    if (draw % each == 0)
      c = contest_begin(&s->run.p, &s->run.r, s->run.r.kept, 0);
    const int tried = contest_partial(&c);
    contest_winner(&c, &value);
    if (tried && !contest_partial(&c)) {
      if (failed < most)
        when[failed] = draw;
      failed++;
    }
  }
  return failed;
}

/* 8, 32, 128, 512, 2048 and again 2048 whole draws, and to the end of that round, until pivots are
 * tried again. */
static void test_wait(void) {
  enum { FAILED = 7 };
  const int expected[FAILED] = {0, 12, 48, 180, 696, 2748, 4800};
  int when[FAILED];
  struct scene s;
  scene_open(&s);
  CHECK(failures(&s, 1250, 4, FAILED, when) == FAILED);
  CHECK(memcmp(when, expected, sizeof when) == 0);
  stub_free();
}

/* Not again in the same round, however long it is: nothing was learned. In the next one without the
 * pivots that did not do. */
static void test_long_round(void) {
  enum { ROUNDS = 3, EACH = 200 };
  int when[ROUNDS];
  struct scene s;
  scene_open(&s);
  CHECK(failures(&s, ROUNDS, EACH, ROUNDS, when) == ROUNDS);
  for (int i = 0; i < ROUNDS; i++)
    CHECK(when[i] / EACH == i);
  const struct contest c = contest_begin(&s.run.p, &s.run.r, s.run.r.kept, 0);
  CHECK(contest_partial(&c) && contest_pivots(&c) == 0);
  stub_free();
}

/* A draw that pivots did for ends the row: one arm is left, and sure to win, once there is nothing to
 * wait for. */
static void test_success(void) {
  int when[2];
  struct scene s;
  scene_open(&s);
  int *barred = zeros(s.k);
  for (int i = 1; i < s.k; i++)
    barred[i] = 1;
  CHECK(failures(&s, 4, 4, 2, when) == 2);
  s.run.r.barred = barred;
  CHECK(failures(&s, 20, 4, 0, NULL) == 0);
  s.run.r.barred = NULL;
  CHECK(failures(&s, 4, 4, 2, when) == 2);
  CHECK(when[0] == 0 && when[1] == 12);
  stub_free();
}

const struct test TESTS_CONTEST[] = {
    {"contests: the factor", test_factor},
    {"contests of arms of any size", test_scale},
    {"contests: the law of winners and maxima", test_law},
    {"contests that are whole draws", test_whole},
    {"contests that are tried again", test_wait},
    {"contests in a long round", test_long_round},
    {"contests after one that pivots did for", test_success},
    {0},
};
