/* What is believed of the arms before the first pull: mean and covariance scale * G, the
 * covariance had column by column, so that no k x k matrix is needed where features or a
 * kernel give it. G may be semi-definite; it is never inverted. */
#ifndef BAYESGAP_PRIOR_H
#define BAYESGAP_PRIOR_H

#include "kernel.h"

enum prior_kind { PRIOR_INDEPENDENT, PRIOR_DENSE, PRIOR_FEATURES, PRIOR_KERNEL };

struct prior {
  enum prior_kind kind;
  int k;        /* arms */
  int d;        /* standard normals that one draw takes */
  double scale; /* prior_sd^2, the paper's eta^2 */
  double most;  /* the largest prior variance */
  double
      df; /* of the t distribution that the arms' means have; INFINITY: they are normal */
  const double *mean;     /* k */
  const double *diagonal; /* k: the diagonal of G */
  const double *cov;      /* dense: G */
  const double *factor;   /* k x d, G = factor factor'; not for independent arms, and not
                             for a kernel that is never drawn from */
  const double *rest;     /* NULL, or k: then G = factor factor' + diag(rest) */
  const struct kernel *kernel;
};

/* Sets `most` from the scale and the diagonal. */
void prior_finish(struct prior *);

/* The prior variance of one arm. */
double prior_var(const struct prior *, int arm);

/* 1 when the arm is as good as known from the start: its variance is nothing beside that of
 * other arms, and beside the noise of its pulls, so that no number of pulls would tell. */
int prior_known(const struct prior *, int arm, double noise2);

/* Column `arm` of the prior covariance. */
void prior_column(const struct prior *, int arm, double *restrict out);

/* One joint draw of the arms about their mean; a kernel needs its factor for it. z: room for
 * d doubles. */
void prior_draw(const struct prior *, double *restrict z, double *restrict out);

#endif
