/* Knowledge gradient for correlated arms (Frazier, Powell and Dayanik 2009): the pull after
 * which the highest posterior mean is expected to be highest. The last pull is then the best
 * there is for the expected regret.
 *
 * A pull of x moves the means along the lines mean_i + b_i Z, b = C[, x] / sqrt(C_xx +
 * noise^2), Z standard normal (or t, where the scale is learned), and
 *   KG_x = E max_i (mean_i + b_i Z) - max_i mean_i.
 * It is ranked by its logarithm, since it underflows, and by what the pull costs. Most arms need no
 * envelope of their lines: a bound says that another is better. */
#include <math.h>
#include <string.h>

#include "covariance.h"
#include "envelope.h"
#include "interrupt.h"
#include "linalg.h"
#include "policy.h"
#include "student.h"
#include "tie.h"

struct search {
  const struct posterior *p;
  const struct round *r;
  struct excess excess;
  int top;       /* the arm with the highest mean */
  double tie;    /* how close counts as equal, for logarithms of size 1 */
  double size;   /* from where their size is counted */
  double *value; /* k: what was found; -INFINITY for arms that were left out */
  double *bound; /* k: what is still to be looked at */
  double *mean;  /* k: less the highest */
  double *slope; /* k */
  double *room;  /* 4k */
  double *near; /* k, in a whole run: that of a rough bound's reach, or CLOSER or EXACT */
  double *inverse; /* k: of how far means are below the highest */
  double nearest;  /* the largest of these */
  double best;     /* the largest value so far */
};

/* What an arm has instead of `near` when its bound is the closer one, or it was looked at. */
static const double CLOSER = 0, EXACT = -1;

static double root_of(const struct search *s, int x) {
  return sqrt(s->p->var[x] + s->r->noise2[x]);
}

/* Values within this of the best count as equal. */
static double tolerance(const struct search *s) {
  return s->tie * (1 + fabs(s->best - s->size));
}

/* 1: an arm with this bound is neither the best nor equal to it. */
static int hopeless(const struct search *s, double bound) {
  return !(bound > -INFINITY) ||
         (s->best > -INFINITY && bound + policy_slack(bound) < s->best - tolerance(s));
}

static double rounding_of(const struct search *s, int x) {
  return posterior_column_rounding(s->p, x, s->p->prior->most) / root_of(s, x);
}

/* The logarithm of the gradient; slope: the column of x, which becomes slopes. */
static double log_gradient(const struct search *s, int x) {
  const int k = s->p->prior->k;
  const double inverse = 1 / root_of(s, x);
  for (int i = 0; i < k; i++)
    s->slope[i] *= inverse;
  const struct lines l = {k, s->mean, s->slope, rounding_of(s, x), s->p->prior->df};
  return envelope_log_worth(&l, s->room, s->r->index);
}

static void evaluate(struct search *s, int x) {
  s->value[x] = policy_one_per_cost(s->r, x, log_gradient(s, x));
  s->best = fmax(s->best, s->value[x]);
}

static void look_at(struct search *s, int x) {
  posterior_column(s->p, x, s->slope);
  evaluate(s, x);
}

/* By how much what arm x is worth may be off, from a column whose entries may be: no line is off by
 * more than Z times that, and as many as there are may have been left out for being equal. */
static double worth_error(const struct search *s, int x, double error) {
  return 2 * s->excess.zero * error / root_of(s, x) + s->p->prior->k * rounding_of(s, x);
}

/* An error that is a larger share of what an arm is worth says too little of it. */
static const double MOST_ERROR = 1e-3;

/* The value becomes the most that it can be, the best at least the least; 0: that says too little, and
 * neither changes. */
static int estimate(struct search *s, int x, const double *column, double error) {
  const int k = s->p->prior->k;
  const double off = worth_error(s, x, error), cost = s->r->cost ? s->r->cost[x] : 1;
  if (off > MOST_ERROR * cost * exp(s->bound[x]))
    return 0;
  memcpy(s->slope, column, (size_t)k * sizeof *column);
  const double log_worth = log_gradient(s, x), worth = exp(log_worth);
  if (off > MOST_ERROR * worth)
    return 0;
  s->value[x] = policy_one_per_cost(s->r, x, log_worth + log1p(off / worth));
  s->best = fmax(s->best, policy_one_per_cost(s->r, x, log_worth + log1p(-off / worth)));
  return 1;
}

/* What is reached at most where entries of the column may be off. */
static struct reach widened(const struct search *s, struct reach exact, double error) {
  return (struct reach){exact.far + 2 * error, exact.near + 2 * error * s->nearest};
}

static double rough(const struct search *s, int x, const struct reach *reach) {
  return policy_one_per_cost(s->r, x, envelope_rough(reach, root_of(s, x), &s->excess));
}

static double closer(const struct search *s, int x, const double *column, double error,
                     double near) {
  return policy_one_per_cost(s->r, x,
                             envelope_bound(s->p->prior->k, s->mean, column,
                                            column[s->top], 2 * error, root_of(s, x),
                                            near, &s->excess));
}

/* The most promising arm, by its bound; -1: none may be the best. */
static int next_arm(const struct search *s, int n) {
  interrupt_check(n, (size_t)s->p->prior->k);
  const int x = linalg_top(s->p->prior->k, s->bound);
  return hopeless(s, s->bound[x]) ? -1 : x;
}

/* Leaves the arms that may be best after their estimates; returns their number. */
static int shut_out(struct search *s) {
  int left = 0;
  for (int x = 0; x < s->p->prior->k; x++) {
    if (hopeless(s, s->value[x]))
      s->value[x] = -INFINITY;
    left += s->value[x] > -INFINITY;
  }
  return left;
}

/* Looks at the arms that may be best after their estimates, unless there is but one. */
static void look_closer(struct search *s) {
  const int k = s->p->prior->k, left = shut_out(s);
  for (int x = 0; left > 1 && x < k; x++) {
    interrupt_check(x, (size_t)k);
    if (s->value[x] > -INFINITY && s->near[x] != EXACT)
      look_at(s, x);
  }
  s->best = linalg_max(k, s->value);
}

/* Columns that are made of no more than so many others are had as fast as an estimate. */
enum { FEW = 16 };

static void bound_closer(struct search *s, const struct covariance *c, int x) {
  const double *column = covariance_column(c, x);
  s->bound[x] = fmin(s->bound[x], closer(s, x, column, c->error, s->near[x]));
  s->near[x] = CLOSER;
}

/* Bounds closer what the first arm looked at leaves in. */
static void bound_others(struct search *s, const struct covariance *c) {
  for (int x = 0; x < c->k; x++) {
    interrupt_check(x, (size_t)c->k);
    if (s->near[x] > CLOSER && !hopeless(s, s->bound[x]))
      bound_closer(s, c, x);
  }
}

/* Looks at the arms that may be best, after an estimate where looking takes long. */
static void visit(struct search *s, const struct covariance *c) {
  const int few = s->p->n <= FEW;
  for (int n = 0, x; (x = next_arm(s, n)) >= 0; n++) {
    if (s->near[x] > CLOSER) {
      bound_closer(s, c, x);
      continue;
    }
    const int first = !(s->best > -INFINITY);
    if (few || !estimate(s, x, covariance_column(c, x), c->error)) {
      look_at(s, x);
      s->near[x] = EXACT;
    }
    s->bound[x] = -INFINITY;
    if (first)
      bound_others(s, c);
  }
  look_closer(s);
}

/* A pull of one of several independent arms moves that line alone. */
static void search_separate(struct search *s) {
  for (int x = 0; x < s->p->prior->k; x++) {
    const double var = s->p->var[x];
    const struct reach reach = {var, var * (x == s->top ? s->nearest : s->inverse[x])};
    s->bound[x] = policy_open(s->p, s->r, x) ? rough(s, x, &reach) : -INFINITY;
  }
  for (int n = 0, x; (x = next_arm(s, n)) >= 0; n++) {
    s->bound[x] = -INFINITY;
    look_at(s, x);
  }
}

static void search_kept(struct search *s) {
  const int k = s->p->prior->k;
  const struct covariance c = covariance_now(s->p, s->r->kept);
  for (int x = 0; x < k; x++) {
    interrupt_check(x, (size_t)k);
    const struct reach reach =
        widened(s, covariance_update(&c, x, s->top, s->inverse), c.error);
    s->bound[x] = reach.far;
    s->near[x] = reach.near;
    s->slope[x] = policy_open(s->p, s->r, x) ? root_of(s, x) : 1;
  }
  envelope_rough_all(k, s->slope, s->bound, s->near, &s->excess, s->room);
  policy_per_cost(s->r, k, s->bound);
  for (int x = 0; x < k; x++)
    s->bound[x] = policy_open(s->p, s->r, x) ? s->bound[x] : -INFINITY;
  visit(s, &c);
}

/* An arm that is likely to be among the best, from the lines of two arms alone; -1: none. */
static int promising(const struct search *s) {
  const struct posterior *p = s->p;
  double most = -INFINITY;
  int found = -1;
  posterior_column(p, s->top, s->slope);
  for (int x = 0; x < p->prior->k; x++) {
    if (x == s->top || !policy_open(p, s->r, x))
      continue;
    const double turn = fabs(p->var[x] - s->slope[x]) / root_of(s, x);
    if (!(turn > 0))
      continue;
    const double value = policy_one_per_cost(
        s->r, x, log(turn) + student_log_excess(s->mean[x] / turn, p->prior->df));
    if (value > most) {
      most = value;
      found = x;
    }
  }
  return found;
}

/* Columns are made one by one, and not kept. */
static void search_afresh(struct search *s) {
  const int k = s->p->prior->k, first = promising(s);
  if (first >= 0)
    look_at(s, first);
  for (int x = 0; x < k; x++) {
    interrupt_check(x, (size_t)k);
    if (x == first || !policy_open(s->p, s->r, x))
      continue;
    posterior_column(s->p, x, s->slope);
    const struct reach reach = envelope_reach(k, s->slope, s->slope[s->top], s->inverse);
    if (!hopeless(s, rough(s, x, &reach)) &&
        !hopeless(s, closer(s, x, s->slope, 0, reach.near)))
      evaluate(s, x);
  }
}

/* Of a mean no lower than the highest, so far that it does not overflow. */
static const double MOST_INVERSE = 1e250;

static void start(struct search *s, double *inverse) {
  const struct posterior *p = s->p;
  const int k = p->prior->k;
  const double top = p->mean[s->top];
  const double rounding = ROUNDING * fabs(top) / sqrt(linalg_max(k, p->var));
  s->tie = TIE + fmin(rounding, 1e-3);
  s->size = 0.5 * log(p->prior->most);
  s->best = -INFINITY;
  s->nearest = 0;
  s->inverse = inverse;
  for (int i = 0; i < k; i++) {
    s->value[i] = -INFINITY;
    s->mean[i] = p->mean[i] - top;
    const double below = fmax(-s->mean[i], 1 / MOST_INVERSE);
    inverse[i] = i == s->top ? 0 : 1 / below;
    s->nearest = fmax(s->nearest, inverse[i]);
  }
  envelope_excess(p->prior->df, &s->excess);
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *work = r->work;
  struct search s = {.p = p,
                     .r = r,
                     .top = linalg_top(k, p->mean),
                     .value = work,
                     .bound = work + k,
                     .mean = work + 2 * k,
                     .slope = work + 3 * k,
                     .room = work + 4 * k};
  if (r->kept)
    s.near = r->kept + covariance_room(p->prior);
  const int separate = posterior_separate(p), afresh = !separate && !r->kept;
  /* where it is not in the way */
  start(&s, afresh ? s.bound : s.room);
  if (separate)
    search_separate(&s);
  else if (afresh)
    search_afresh(&s);
  else
    search_kept(&s);
  if (!(s.best > -INFINITY))
    return policy_least_known(p, r); /* no pull can move the choice */
  return policy_best_open(p, r, s.value, tolerance(&s));
}

/* The covariance, and behind it where lines begin to cross. */
static size_t room(const struct prior *prior) {
  const size_t covariance = covariance_room(prior);
  return covariance > 0 ? covariance + (size_t)prior->k : 0;
}

const struct policy policy_kg = {
    .name = "kg",
    .label = "the pull after which the highest mean is expected to be highest",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .costs = policy_always,
    .room = room,
    .choose = choose,
};
