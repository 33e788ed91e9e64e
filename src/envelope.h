/* The upper envelope of straight lines mean_i + slope_i Z, and what it is worth to choose the
 * highest line after Z is seen: E max_i (mean_i + slope_i Z) - max_i mean_i. The highest mean is
 * 0. Z is standard normal, or t distributed. */
#ifndef BAYESGAP_ENVELOPE_H
#define BAYESGAP_ENVELOPE_H

struct lines {
  int k;
  const double *mean;  /* at Z = 0 */
  const double *slope; /* b */
  double equal;        /* slopes that differ by no more differ by rounding */
  double df;           /* of the t distribution that Z has */
};

/* The logarithm of that worth. room: 4k doubles, stack: k ints. */
double envelope_log_worth(const struct lines *, double *room, int *stack);

/* E max(Z - z, 0), where Z is the same for many sets of lines. */
enum { TABLE = 33 };
struct excess {
  double df;
  double zero;         /* at z = 0, */
  double table[TABLE]; /* and, for t, at others */
};

void envelope_excess(double df, struct excess *);

/* How the lines leave the highest one: a is `mean` and e[i] = column[i] - column[top] what a slope
 * is, but for the factor 1 / root, above that of the highest line. */
struct reach {
  double far;  /* the largest |e| */
  double near; /* the largest |e| / |a|: its inverse is where the first lines cross */
};

/* inverse: 1 / |mean|, and 0 for the highest line itself. */
struct reach envelope_reach(int k, const double *column, double at_top,
                            const double *inverse);

/* A bound from above on envelope_log_worth() that takes but a reach, with what errors of the column add
 * to it. */
double envelope_rough(const struct reach *, double root, const struct excess *);

/* The same of k sets of lines, each with a root and a reach, and a little higher: far becomes the
 * bounds, and root is lost. room: 3k doubles. */
void envelope_rough_all(int k, double *root, double *far, const double *near,
                        const struct excess *, double *room);

/* One that is mostly closer, and dearer. error: that of e; near: as for the first. */
double envelope_bound(int k, const double *mean, const double *column, double at_top,
                      double error, double root, double near, const struct excess *);

#endif
