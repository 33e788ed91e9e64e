/* What a pull shows of a rate: a random share of successes, or count by its exposure. */
#ifndef BAYESGAP_RATE_H
#define BAYESGAP_RATE_H

double rate_of_trials(double trials, double rate);
double rate_of_count(double exposure, double rate);

#endif
