/* What a pull shows of a rate: a random share of successes, or count by its exposure; and the laws
 * that a reward may follow, which R knows by their names. */
#ifndef BAYESGAP_RATE_H
#define BAYESGAP_RATE_H

enum law { LAW_GAUSSIAN, LAW_BINOMIAL, LAW_POISSON, LAWS };

/* LAWS: there is none of this name. */
enum law law_named(const char *name);

double rate_of_trials(double trials, double rate);
double rate_of_count(double exposure, double rate);

#endif
