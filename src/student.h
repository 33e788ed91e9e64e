/* Student's t distribution as the policies need it: means of arms are t distributed where the
 * scale was learned from few observations. With df = INFINITY it is the normal. */
#ifndef BAYESGAP_STUDENT_H
#define BAYESGAP_STUDENT_H

/* The width that holds as much probability as `beta` standard deviations of a normal. */
double student_width(double beta, double df);

/* log E max(z + t, 0), the expected excess over -z; df > 1. */
double student_log_excess(double z, double df);

/* E max(t - z, 0), z >= 0: its logarithm, and how fast that falls with z. */
struct fall {
  double log_h, slope;
};

struct fall student_fall(double z, double df);

/* The score s = sqrt(df log(1 + z^2 / df)) of z >= 0, which is z itself for the normal, and z of a
 * score, at most `most`. As a function of the score the logarithm falls ever faster: its second
 * derivative is nowhere above that at 0, which is -2 student_bend(); seen from any score s0 it lies
 * below a parabola, log_h(s0) - slope (s - s0) - bend (s - s0)^2. For z < 0 the same holds of z
 * itself with the smaller of bend and 0. (For the normal by calculus; for df > 1 tests/core looks at
 * it from 1.1 to 1e6.) */
double student_score(double z, double df);
double student_unscore(double s, double df, double most);
double student_bend(double df);

/* How fast z grows with its score. */
double student_z_per_score(double z, double df);

/* The factor by which a normal draw is stretched to become a draw of t; takes no random
 * number when df is INFINITY. */
double student_stretch(double df);

#endif
