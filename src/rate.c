#include "rate.h"

#include <Rmath.h>
#include <string.h>

static const char *const NAMES[LAWS] = {
    [LAW_GAUSSIAN] = "gaussian",
    [LAW_BINOMIAL] = "binomial",
    [LAW_POISSON] = "poisson",
};

enum law law_named(const char *name) {
  int i = 0;
  while (i < LAWS && strcmp(name, NAMES[i]) != 0)
    i++;
  return (enum law)i;
}

double rate_of_trials(double trials, double rate) {
  return Rf_rbinom(trials, rate) / trials;
}

double rate_of_count(double exposure, double rate) {
  return Rf_rpois(exposure * rate) / exposure;
}
