#include "normal.h"

#include <Rmath.h>
#include <math.h>

double normal_quantile(double probability) {
  return Rf_qnorm5(probability, 0, 1, 1, 0);
}

double normal_log_density(double z) {
  return -0.5 * z * z - M_LN_SQRT_2PI;
}

double normal_log_cdf(double z) {
  return Rf_pnorm5(z, 0, 1, 1, 1);
}

double normal_log_add(double a, double b) {
  const double most = fmax(a, b);
  return most > -INFINITY ? most + log1p(exp(fmin(a, b) - most)) : most;
}

/* z Phi + phi cancels as z falls; far out only the asymptotic series is left. The branches
 * agree to 2e-10 at -50. */
double normal_log_excess_given(double z, double log_cdf) {
  const double density = normal_log_density(z);
  if (z > -1)
    return log(z * exp(log_cdf) + exp(density));
  if (z > -50)
    return density + log1p(z * exp(log_cdf - density));
  const double w = 1 / (z * z);
  return density - 2 * log(-z) + log1p(w * (-3 + w * (15 + w * (-105 + w * 945))));
}

double normal_log_excess(double z) {
  return normal_log_excess_given(z, normal_log_cdf(z));
}
