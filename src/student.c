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
double student_log_excess(double z, double df) {
  if (!isfinite(df))
    return normal_log_excess(z);
  const double density = Rf_dt(z, df, 1);
  const double share = exp(Rf_pt(z, df, 1, 1) - density);
  return density + log((df + z * z) / (df - 1) + z * share);
}

double student_stretch(double df) {
  return isfinite(df) ? sqrt(df / Rf_rchisq(df)) : 1;
}
