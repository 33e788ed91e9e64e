/* The normal distribution as the policies need it, safe far out in the tails. */
#ifndef BAYESGAP_NORMAL_H
#define BAYESGAP_NORMAL_H

double normal_quantile(double probability);
double normal_log_density(double z);
double normal_log_cdf(double z);

/* log(exp(a) + exp(b)) */
double normal_log_add(double a, double b);

/* log(z Phi(z) + phi(z)), the expected excess over -z of a standard normal. */
double normal_log_excess(double z);

/* The same where log Phi(z) is at hand. */
double normal_log_excess_given(double z, double log_cdf);

#endif
