/* Max-value entropy search in the form that knows of noise (GIBBON, Moss et al. 2021): the
 * pull that tells most about how good the best arm is. For maxima y* of joint draws and
 * gamma = (y* - mean) / sd, r = phi(gamma) / Phi(gamma), rho^2 = sd^2 / (sd^2 + noise^2),
 * the information is at least the mean of -log(1 - rho^2 r (gamma + r)) / 2. Ranked by its
 * logarithm: it underflows for arms far below the best. */
#include <math.h>

#include "interrupt.h"
#include "linalg.h"
#include "normal.h"
#include "policy.h"
#include "tie.h"

enum param_at { DRAWS };

static const struct param PARAMS[] = {
    {"draws", 10, 1, 1000, NULL, "joint draws whose maxima are used"}, {0}};

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

static int choose(const struct posterior *p, const struct round *r) {
  const int k = p->prior->k;
  double *value = r->work, *sd = r->work + k, *log_rho2 = r->work + 2 * k;
  double *draw = r->work + 3 * k, *z = draw + posterior_size(p);
  linalg_sqrt(k, p->var, sd);
  for (int i = 0; i < k; i++) {
    value[i] = -INFINITY;
    log_rho2[i] = p->var[i] > 0 ? -log1p(r->noise2[i] / p->var[i]) : -INFINITY;
  }
  for (int m = 0; m < (int)r->param[DRAWS]; m++) {
    interrupt_check(m, (size_t)k);
    posterior_draw(p, z, draw);
    const double most = linalg_max(k, draw);
    for (int i = 0; i < k; i++)
      if (policy_open(p, r, i))
        value[i] = normal_log_add(value[i],
                                  log_information(p->mean[i], sd[i], log_rho2[i], most));
  }
  policy_per_cost(r, k, value);
  return policy_best_open(p, r, value, TIE * (1 + fabs(linalg_max(k, value))));
}

const struct policy policy_mes = {
    .name = "mes",
    .label = "the pull that tells most about how good the best arm is",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .draws = 1,
    .costs = policy_always,
    .choose = choose,
};
