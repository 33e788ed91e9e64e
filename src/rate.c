#include "rate.h"

#include <Rmath.h>

double rate_of_trials(double trials, double rate) {
  return Rf_rbinom(trials, rate) / trials;
}

double rate_of_count(double exposure, double rate) {
  return Rf_rpois(exposure * rate) / exposure;
}
