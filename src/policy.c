/* The list of policies. To add one: write policy_<name>.c, name it twice here. */
#include "policy.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hot.h"
#include "linalg.h"
#include "student.h"
#include "tie.h"

extern const struct policy policy_bayesgap, policy_ucbe, policy_ugap, policy_bayesucb,
    policy_gpucb, policy_thompson, policy_pi, policy_ei, policy_bayes_ucbe, policy_rue,
    policy_kg, policy_ttts, policy_t3c, policy_mes, policy_halving, policy_bayes_elim,
    policy_rejects, policy_gse, policy_pi_bai, policy_uniform;

/* The paper's eight, then what came after. */
/* clang-format off */
static const struct policy *const POLICIES[] = {
    &policy_bayesgap,
    &policy_ucbe,
    &policy_ugap,
    &policy_bayesucb,
    &policy_gpucb,
    &policy_thompson,
    &policy_pi,
    &policy_ei,
    &policy_bayes_ucbe,
    &policy_rue,
    &policy_kg,
    &policy_ttts,
    &policy_t3c,
    &policy_mes,
    &policy_halving,
    &policy_bayes_elim,
    &policy_rejects,
    &policy_gse,
    &policy_pi_bai,
    &policy_uniform,
};
/* clang-format on */

int policy_count(void) {
  return (int)(sizeof POLICIES / sizeof POLICIES[0]);
}

const struct policy *policy_at(int i) {
  return POLICIES[i];
}

const struct policy *policy_named(const char *name) {
  for (int i = 0; i < policy_count(); i++)
    if (strcmp(POLICIES[i]->name, name) == 0)
      return POLICIES[i];
  return NULL;
}

int policy_params(const struct policy *policy) {
  int n = 0;
  if (policy->params)
    while (policy->params[n].name)
      n++;
  return n;
}

size_t policy_memory(const struct policy *policy, const struct prior *prior) {
  return policy->memory ? policy->memory(prior) : 0;
}

size_t policy_room(const struct policy *policy, const struct prior *prior) {
  return policy->room ? policy->room(prior) : 0;
}

const char *policy_no_blocks(const struct prior *prior, const double *param, int blocks) {
  (void)prior, (void)param;
  return blocks ? "compares averages of rewards, which pulls in other blocks spoil: take "
                  "a policy "
                  "that goes by the posterior"
                : NULL;
}

int policy_always(const double *param) {
  (void)param;
  return 1;
}

double policy_one_per_cost(const struct round *r, int arm, double log_value) {
  return r->cost ? log_value - log(r->cost[arm]) : log_value;
}

double policy_slack(double log_value) {
  return 1e-7 * (1 + fabs(log_value));
}

void policy_per_cost(const struct round *r, int k, double *log_value) {
  for (int i = 0; r->cost && i < k; i++)
    log_value[i] = policy_one_per_cost(r, i, log_value[i]);
}

int policy_open(const struct posterior *p, const struct round *r, int arm) {
  return p->var[arm] > 0 && !(r->barred && r->barred[arm]);
}

HOT static void close_known(int k, const double *var, double *restrict value) {
  for (int i = 0; i < k; i++)
    value[i] = var[i] > 0 ? value[i] : -INFINITY;
}

int policy_best_open(const struct posterior *p, const struct round *r, double *value,
                     double tolerance) {
  close_known(p->prior->k, p->var, value);
  for (int i = 0; r->barred && i < p->prior->k; i++)
    value[i] = r->barred[i] ? -INFINITY : value[i];
  return linalg_which_max(p->prior->k, value, tolerance);
}

int policy_least_known(const struct posterior *p, const struct round *r) {
  double *var = r->work;
  memcpy(var, p->var, (size_t)p->prior->k * sizeof *var);
  return policy_best_open(p, r, var, TIE * linalg_max(p->prior->k, var));
}

int policy_best_upper(const struct posterior *p, const struct round *r, double beta) {
  const int k = p->prior->k;
  double *sd = r->work, *upper = r->work + k;
  const double width = student_width(beta, p->prior->df);
  linalg_sqrt(k, p->var, sd);
  memcpy(upper, p->mean, (size_t)k * sizeof *upper);
  linalg_add(k, width, sd, upper);
  r->note->beta = beta;
  return policy_best_open(p, r, upper,
                          TIE * (1 + width) * linalg_max(k, sd) +
                              ROUNDING * fabs(linalg_max(k, upper)));
}
