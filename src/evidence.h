/* How well a prior explains the observations: the logarithm of their marginal likelihood and
 * its derivatives, from which what the user left unsaid is learned.
 *
 * The observations come as n averages y with covariance S = scale * G + diag(noise). Where
 * the size of S is not known, it is integrated out (normal-inverse-gamma, Jeffreys' prior);
 * where the mean is not, it is integrated out too (a flat prior; its best value is that of
 * generalised least squares). */
#ifndef BAYESGAP_EVIDENCE_H
#define BAYESGAP_EVIDENCE_H

struct averages {
  int n;
  const double *y;
  const double *g; /* G of the averages' arms, n x n, or its diagonal, n */
  int diagonal;    /* 1: g is the diagonal, and all else is 0 */
  double scale;
  const double *noise; /* n: the noise variance of each average */
  int free_mean;       /* 1: a constant is to be found; y has mean 0 otherwise */
  double df;           /* observations that tell the size of S, or 0: it is known */
  double within;       /* and their sum of squares about the averages, over the noise */
};

struct evidence {
  double value;  /* up to a constant */
  double mean;   /* the constant, 0 when it is not free */
  double misfit; /* (y - mean)' S^-1 (y - mean) + within */
};

/* weight (as g: n x n, or n) gets the derivatives of the value by the entries of S, n > 0.
 * work: 2n. Returns 0, or 1 when S is not positive definite. */
int evidence_find(const struct averages *, double *weight, double *work,
                  struct evidence *);

/* The same without the derivatives, at a third of the cost. room: as large as g. */
int evidence_value(const struct averages *, double *room, double *work,
                   struct evidence *);

#endif
