/* Max-value entropy search in the form that knows of noise (GIBBON, Moss et al. 2021): the
 * pull that tells most about how good the best arm is. For maxima y* of joint draws and
 * gamma = (y* - mean) / sd, r = phi(gamma) / Phi(gamma), rho^2 = sd^2 / (sd^2 + noise^2),
 * the information is at least the mean of -log(1 - rho^2 r (gamma + r)) / 2. Ranked by its
 * logarithm: it underflows for arms far below the best. */
#include <float.h>
#include <math.h>

#include "contest.h"
#include "draws.h"
#include "hot.h"
#include "interrupt.h"
#include "linalg.h"
#include "normal.h"
#include "policy.h"
#include "tie.h"

enum param_at { DRAWS };

enum { MOST_DRAWS = 1000 };

static const struct param PARAMS[] = {
    {"draws", 10, 1, MOST_DRAWS, NULL, "joint draws whose maxima are used"}, {0}};

/* A draw's maximum is no lower than the draw of the arm itself, which is not this many
 * standard deviations below its mean; what is comes from rounding. */
static const double LEAST_GAMMA = -8;

/* log(-log(1 - exp(x))), for x below 0. */
static double log_of_minus_log1m(double x) {
  return x < -37 ? x : log(-log1p(-exp(x)));
}

static double log_information(double mean, double sd, double log_rho2, double most) {
  const double gamma = fmax((most - mean) / sd, LEAST_GAMMA);
  const double log_ratio = normal_log_density(gamma) - normal_log_cdf(gamma);
  const double x = log_rho2 + log_ratio + log(gamma + exp(log_ratio));
  return log_of_minus_log1m(fmin(x, -1e-12));
}

struct search {
  const struct posterior *p;
  const struct round *r;
  int n;
  const double *most;      /* n: maxima of draws, */
  double least;            /* and the least of them */
  const double *sd, *rho2; /* k */
};

/* Of one draw. */
static double log_information_of(const struct search *s, int arm, double most) {
  const double log_rho2 = -log1p(s->r->noise2[arm] / s->p->var[arm]);
  return log_information(s->p->mean[arm], s->sd[arm], log_rho2, most);
}

static double value_of(const struct search *s, int arm) {
  double sum = -INFINITY;
  for (int m = 0; m < s->n; m++)
    sum = normal_log_add(sum, log_information_of(s, arm, s->most[m]));
  return policy_one_per_cost(s->r, arm, sum);
}

/* Up to where gamma is told apart: the information falls with it, and there is none left. */
static const double MOST_GAMMA = 30;

/* u of a draw, where its information is -log(1 - u), or a little more, in a form that compilers take
 * several of at a time. exp(-x) is at most (1 + x / 64 + (x / 64)^2 / 2)^-64; the distribution function is
 * that of Abramowitz and Stegun (26.2.17), which is right to 7.5e-8. Below 0 as at 0: no bound there. */
HOT_PART double share_taken(double gamma, double rho2) {
  const double below = gamma < MOST_GAMMA ? gamma : MOST_GAMMA;
  const double g = below > 0 ? below : 0, x = g * g / 128;
  double f = 1 + x + 0.5 * x * x;
  f *= f, f *= f, f *= f, f *= f, f *= f, f *= f;
  const double density = 0.39894228040143268 / f, t = 1 / (1 + 0.2316419 * g);
  const double tail =
      t * (0.319381530 +
           t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double ratio = density / (1 - density * tail - 1e-7);
  return rho2 * ratio * (g + ratio); /* at most 2 / pi, at 0 */
}

/* -log(1 - u) is at most this, which is too large by about u^2 / 6 of it. */
HOT_PART double above_log(double u) {
  return u * (2 - u) / (2 - 2 * u);
}

/* Of the least maximum at every arm; an arm that is known has no deviation to divide by. */
HOT static void shares_of_arms(int k, double least, const double *mean, const double *sd,
                               const double *rho2, double *restrict u) {
  for (int i = 0; i < k; i++)
    u[i] = share_taken((least - mean[i]) / (sd[i] + DBL_MIN), rho2[i]);
}

/* Of every maximum at one arm. */
HOT static void shares_of_draws(int n, const double *most, double mean, double sd,
                                double rho2, double *restrict u) {
  for (int m = 0; m < n; m++)
    u[m] = share_taken((most[m] - mean) / sd, rho2);
}

/* A bound from above on the information of n draws: above_log() is added up for small u, for the others
 * one logarithm of a product is enough. */
static double bound_of(const struct search *s, int arm, int n, const double *most) {
  double u[MOST_DRAWS], sum = 0, product = 1;
  shares_of_draws(n, most, s->p->mean[arm], s->sd[arm], s->rho2[arm], u);
  for (int m = 0; m < n; m++) {
    if (!(most[m] >= s->p->mean[arm]))
      sum += exp(log_information_of(s, arm, most[m]));
    else if (u[m] < 1e-3)
      sum += above_log(u[m]);
    else
      product *= 1 - u[m];
    if (product < 1e-200) {
      sum -= log(product);
      product = 1;
    }
  }
  return product < 1 ? sum - log(product) : sum;
}

/* Of the logarithm of a sum of n; where it underflows only the logarithm of one is left. The
 * information falls as the maximum rises, so that n times that of the least is a bound as well. */
static double bound_of_sum(const struct search *s, int arm, double sum) {
  if (sum > 1e-280)
    return policy_one_per_cost(s->r, arm, log(sum) + 1e-6);
  return policy_one_per_cost(s->r, arm, log(s->n) + log_information_of(s, arm, s->least));
}

/* Without the logarithm, and not yet for their cost; of closed arms -INFINITY. */
static void rough_bounds(const struct search *s, double *bound) {
  const int k = s->p->prior->k;
  shares_of_arms(k, s->least, s->p->mean, s->sd, s->rho2, bound);
  for (int i = 0; i < k; i++)
    if (!policy_open(s->p, s->r, i))
      bound[i] = -INFINITY;
    else if (s->p->mean[i] <= s->least)
      bound[i] = s->n * above_log(bound[i]);
    else
      bound[i] = s->n * bound_of(s, i, 1, &s->least);
}

static double closer_bound(const struct search *s, int arm) {
  return bound_of_sum(s, arm, bound_of(s, arm, s->n, s->most));
}

static double tolerance(double best) {
  return TIE * (1 + fabs(best));
}

/* 1: an arm with this bound is neither the best nor equal to it. */
static int hopeless(double bound, double best) {
  return !(bound > -INFINITY) ||
         (best > -INFINITY && bound + policy_slack(bound) < best - tolerance(best));
}

/* Bounds of the arms that may be better than `least`, or equal to it: few need a logarithm. */
static void find_bounds(const struct search *s, double least, double *bound) {
  const int k = s->p->prior->k;
  const double cut = exp(least - tolerance(least)) * (1 - 1e-5);
  for (int i = 0; i < k; i++) {
    const double scale = s->r->cost ? s->r->cost[i] : 1;
    const int out = cut > 1e-250 && bound[i] < cut * scale;
    bound[i] =
        out || !policy_open(s->p, s->r, i) ? -INFINITY : bound_of_sum(s, i, bound[i]);
  }
}

/* Values of the arms that may be best or equal to it, -INFINITY for the others; returns the
 * largest. bound: k. */
static double find_values(const struct search *s, double *bound, double *value) {
  const int k = s->p->prior->k;
  for (int i = 0; i < k; i++)
    value[i] = -INFINITY;
  rough_bounds(s, bound);
  const int first = linalg_top(k, bound);
  if (!(bound[first] > -INFINITY))
    return -INFINITY;
  double best = value[first] = value_of(s, first);
  find_bounds(s, best, bound);
  bound[first] = -INFINITY;
  for (int n = 0;; n++) {
    interrupt_check(n, (size_t)(k + s->n));
    const int arm = linalg_top(k, bound);
    if (hopeless(bound[arm], best))
      return best;
    const double closer = closer_bound(s, arm);
    if (closer + policy_slack(closer) < bound[arm]) {
      bound[arm] = closer;
    } else {
      bound[arm] = -INFINITY;
      value[arm] = value_of(s, arm);
      best = fmax(best, value[arm]);
    }
  }
}

/* In a whole run most draws need not be whole, and those that are were made ahead. */
static void find_maxima(const struct posterior *p, const struct round *r, int n,
                        double *most) {
  struct contest c = contest_begin(p, r, r->kept, 1);
  if (!c.stock) {
    draws_maxima(p, n, r->work, 8 * (size_t)posterior_size(p), most);
    return;
  }
  for (int m = 0; m < n; m++) {
    interrupt_check(m, (size_t)p->prior->k);
    contest_winner(&c, most + m);
  }
}

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k, n = (int)r->param[DRAWS];
  double *value = r->work, *bound = value + k, *sd = bound + k, *rho2 = sd + k;
  double most[MOST_DRAWS];
  find_maxima(p, r, n, most);
  struct search s = {p, r, n, most, INFINITY, sd, rho2};
  for (int m = 0; m < n; m++)
    s.least = fmin(s.least, most[m]);
  linalg_sqrt(k, p->var, sd);
  for (int i = 0; i < k; i++)
    rho2[i] = p->var[i] > 0 ? p->var[i] / (p->var[i] + r->noise2[i]) : 0;
  const double best = find_values(&s, bound, value);
  return policy_best_open(p, r, value, tolerance(best));
}

const struct policy policy_mes = {
    .name = "mes",
    .label = "the pull that tells most about how good the best arm is",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .draws = 1,
    .room = contest_room,
    .costs = policy_always,
    .choose = choose,
};
