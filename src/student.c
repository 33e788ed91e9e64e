#include "student.h"

#include <Rmath.h>
#include <math.h>

#include "normal.h"

double student_width(double beta, double df) {
  const double most = 1e9; /* no bound may leave the range of numbers */
  if (!isfinite(df) || beta == 0)
    return beta;
  const double tail = normal_log_cdf(-fabs(beta));
  const double width = fmin(-Rf_qt(tail, df, 1, 1), most);
  return beta > 0 ? width : -width;
}

/* z T(z) + t(z) (df + z^2) / (df - 1). The two parts do not cancel as those of the normal
 * do: their ratio far out is (df - 1) / df. */
static double log_excess_given(double z, double df, double log_cdf) {
  if (!isfinite(df))
    return normal_log_excess_given(z, log_cdf);
  const double density = Rf_dt(z, df, 1);
  const double share = exp(log_cdf - density);
  return density + log((df + z * z) / (df - 1) + z * share);
}

static double log_cdf_of(double z, double df) {
  return isfinite(df) ? Rf_pt(z, df, 1, 1) : normal_log_cdf(z);
}

double student_log_excess(double z, double df) {
  return log_excess_given(z, df, log_cdf_of(z, df));
}

struct fall student_fall(double z, double df) {
  const double log_cdf = log_cdf_of(-z, df), log_h = log_excess_given(-z, df, log_cdf);
  return (struct fall){log_h, exp(log_cdf - log_h)};
}

double student_score(double z, double df) {
  return isfinite(df) ? sqrt(df * log1p(z * z / df)) : z;
}

double student_unscore(double s, double df, double most) {
  return fmin(isfinite(df) ? sqrt(df * expm1(s * s / df)) : s, most);
}

double student_z_per_score(double z, double df) {
  return isfinite(df) && z > 0 ? student_score(z, df) / z * (1 + z * z / df) : 1;
}

/* h''/h - (h'/h)^2 at 0, where h = t(0) df / (df - 1), h' = -1/2 and h'' = t(0). */
double student_bend(double df) {
  if (!isfinite(df))
    return 3.141592653589793 / 4 - 0.5;
  const double share = (df - 1) / df, slope = 0.5 * share / exp(Rf_dt(0, df, 1));
  return 0.5 * (slope * slope - share);
}

double student_stretch(double df) {
  return isfinite(df) ? sqrt(df / Rf_rchisq(df)) : 1;
}
