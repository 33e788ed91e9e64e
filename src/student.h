/* Student's t distribution as the policies need it: means of arms are t distributed where the
 * scale was learned from few observations. With df = INFINITY it is the normal. */
#ifndef BAYESGAP_STUDENT_H
#define BAYESGAP_STUDENT_H

/* The width that holds as much probability as `beta` standard deviations of a normal. */
double student_width(double beta, double df);

/* log E max(z + t, 0), the expected excess over -z; df > 1. */
double student_log_excess(double z, double df);

/* The factor by which a normal draw is stretched to become a draw of t; takes no random
 * number when df is INFINITY. */
double student_stretch(double df);

#endif
