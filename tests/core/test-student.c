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

/* What a fall says is what the excess says. */
static void check_fall(double z, double df) {
  const struct fall at = student_fall(z, df);
  const double by = 1e-4 * (1 + z);
  const double up = student_log_excess(-z - by, df);
  CHECK(at.log_h == student_log_excess(-z, df));
  CHECK(near(at.slope, (student_log_excess(by - z, df) - up) / (2 * by), 1e-5));
  const double s = student_score(z, df);
  CHECK(near(student_unscore(s, df, 1e150), z, 1e-9));
  const double rate = (student_unscore(s + by, df, 1e150) - z) / by;
  CHECK(near(student_z_per_score(z, df), rate, 1e-3));
}

/* Seen from anywhere the log of the excess lies below a parabola in the scores. */
static void check_bend(double z, double df) {
  const struct fall at = student_fall(z, df);
  const double s0 = student_score(z, df), bend = student_bend(df);
  const double slope = at.slope * student_z_per_score(z, df);
  for (double other = -8; other < 12; other += 0.0625) {
    const double s = other > 0 ? student_score(other, df) : other, far = s - s0;
    const double by = other > 0 ? bend : fmin(bend, 0);
    const double most = at.log_h - (slope + by * far) * far;
    CHECK(student_log_excess(-other, df) <= most + 1e-10 * (1 + fabs(most)));
  }
}

static void test_fall(void) {
  const double df[] = {1.1, 1.5, 2, 3, 4, 5, 7.5, 12, 30, 100, 400, 1e4, 1e6, INFINITY};
  for (int i = 0; i < 14; i++)
    for (double z = 0; z < 7; z += 0.4375) {
      check_fall(z, df[i]);
      check_bend(z, df[i]);
    }
  /* The bend is that at 0, no less: half of it would not do. */
  const struct fall top = student_fall(0, 9), near_by = student_fall(0.01, 9);
  const double s = student_score(0.01, 9), bend = student_bend(9);
  CHECK(near_by.log_h > top.log_h - top.slope * s - 1.05 * bend * s * s);
  CHECK(near(student_bend(1e8), student_bend(INFINITY), 1e-6));
  CHECK(student_unscore(1e3, 4, 1e150) == 1e150);
}

const struct test TESTS_STUDENT[] = {
    {"Student's t", test_student}, {"Student's bound", test_fall}, {0}};
