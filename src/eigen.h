/* The smallest eigenvalue of a symmetric matrix. */
#ifndef BAYESGAP_EIGEN_H
#define BAYESGAP_EIGEN_H

/* Reads the lower triangle of a, k x k, and overwrites it. work: 6k doubles. */
double eigen_smallest(int k, double *a, double *work);

#endif
