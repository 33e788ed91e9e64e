/* Student's t against integrals and published numbers. */
#include <math.h>

#include "check.h"
#include "student.h"

/* E max(z + t, 0) by the midpoint rule, t = tan(x). */
static double excess_twin(double z, double df) {
  const int n = 100000;
  const double low = atan(-z), step = (1.5707963267948966 - low) / n;
  const double constant =
      lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979323846);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double t = tan(low + (i + 0.5) * step);
    sum += (z + t) * exp(constant - 0.5 * (df + 1) * log1p(t * t / df)) * (1 + t * t);
  }
  return log(sum * step);
}

static void test_student(void) {
  CHECK(student_width(2.5, INFINITY) == 2.5);
  CHECK(student_width(0, 4) == 0);
  CHECK(near(student_width(2, 4), 2.869, 2e-4));
  CHECK(near(student_width(2, 7), 2.429, 2e-4));
  CHECK(near(student_width(3, 4), 6.62, 1e-3));
  CHECK(near(student_width(3, 7), 4.53, 1e-3));
  CHECK(student_width(-2, 4) == -student_width(2, 4));
  CHECK(isfinite(student_width(1e9, 4)) && student_width(1e9, 4) >= 1e9);
  const double df[] = {3, 4, 9.5, 60};
  for (int i = 0; i < 4; i++) {
    for (double z = -6; z < 4; z += 1.25)
      CHECK(near(student_log_excess(z, df[i]), excess_twin(z, df[i]), 1e-6));
    /* Far out it falls with z by the power df - 1. */
    const double far = student_log_excess(-1e8, df[i]);
    CHECK(near(student_log_excess(-1e9, df[i]) - far, -(df[i] - 1) * log(10), 1e-6));
    CHECK(isfinite(student_log_excess(-1e150, df[i])));
  }
  CHECK(near(student_log_excess(-3, 1e7), student_log_excess(-3, INFINITY), 1e-5));
  double sum = 0;
  for (int i = 0; i < 20000; i++) {
    const double stretch = student_stretch(8);
    sum += stretch * stretch;
  }
  CHECK(near(sum / 20000, 8.0 / 6, 0.03));
  CHECK(student_stretch(INFINITY) == 1);
}

const struct test TESTS_STUDENT[] = {{"Student's t", test_student}, {0}};
