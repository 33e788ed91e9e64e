#include "problem.h"

#include <R_ext/Random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

void tree_start(struct tree *t, int k, const double *x, const double *matrix) {
  t->matrix[0] = matrix;
  t->kernel = (struct kernel){.k = k,
                              .op = t->op,
                              .column = t->column,
                              .columns = t->columns,
                              .param = t->param,
                              .x = x,
                              .value = t->value,
                              .matrix = t->matrix};
}

void tree_add(struct tree *t, enum kernel_op op, int column, int columns, int params) {
  const int node = t->kernel.nodes++;
  t->op[node] = op;
  t->column[node] = column;
  t->columns[node] = columns;
  t->param[node] = t->kernel.params;
  t->kernel.params += params;
}

void problem_from(struct problem *p, enum prior_kind kind, int k, int d, double *features,
                  double scale) {
  p->mean = stub_doubles((size_t)k);
  p->diagonal = stub_doubles((size_t)k);
  p->cov = crossed(k, d, features);
  p->factor = features;
  for (int i = 0; i < k; i++) {
    p->mean[i] = 0;
    p->diagonal[i] = p->cov[i + k * i];
  }
  p->prior = (struct prior){.kind = kind,
                            .k = k,
                            .d = kind == PRIOR_INDEPENDENT ? 0 : d,
                            .scale = scale,
                            .df = INFINITY,
                            .mean = p->mean,
                            .diagonal = p->diagonal,
                            .cov = kind == PRIOR_DENSE ? p->cov : NULL,
                            .factor = kind == PRIOR_INDEPENDENT ? NULL : p->factor};
  if (kind == PRIOR_KERNEL) {
    tree_start(&p->tree, k, features, NULL);
    tree_add(&p->tree, KERNEL_LINEAR, 0, d, 0);
    p->prior.kernel = &p->tree.kernel;
  }
  prior_finish(&p->prior);
}

void problem_with_cov(struct problem *p, int k, const double *cov, double sd) {
  problem_from(p, PRIOR_DENSE, k, 1, normals(k), sd * sd);
  memcpy(p->cov, cov, (size_t)k * (size_t)k * sizeof(double));
  for (int i = 0; i < k; i++)
    p->diagonal[i] = cov[i + k * i];
  prior_finish(&p->prior);
}

void problem_random(struct problem *p, enum prior_kind kind, int k, enum oddity odd) {
  const int d = odd == SINGULAR ? 1 + whole(k) : k + whole(3);
  double *x = normals(k * d);
  for (int i = 1; i < k; i++)
    for (int j = 0; j < d; j++) {
      if (odd == DUPLICATES && i % 3 == 1)
        x[i + k * j] = x[i - 1 + k * j];
      if (odd == ZERO_ARMS && i % 3 == 1)
        x[i + k * j] = 0;
    }
  problem_from(p, kind, k, d, x, 0.5 + unif_rand());
  for (int i = 0; i < k; i++)
    p->mean[i] = norm_rand();
}

static double any_noise2(enum noise noise) {
  static const double levels[] = {0.001, 0.1, 1, 100};
  if (noise == EXACT || (noise == SOME_EXACT && unif_rand() < 0.3))
    return 0;
  return noise == NOISY ? 0.3 : levels[whole(4)];
}

struct told told_random(const struct problem *p, int n, enum noise noise) {
  const int k = p->prior.k;
  const size_t m = (size_t)n;
  struct told o = {stub_ints(m), stub_doubles(m), stub_doubles(m)};
  double *truth = stub_doubles((size_t)k), *z = stub_doubles((size_t)p->prior.d);
  prior_draw(&p->prior, z, truth);
  const int favourites = 1 + whole(k);
  for (int i = 0; i < n; i++) {
    o.arm[i] = whole(unif_rand() < 0.8 ? favourites : k);
    o.noise2[i] = any_noise2(noise);
    o.y[i] = p->mean[o.arm[i]] + truth[o.arm[i]] + sqrt(o.noise2[i]) * norm_rand();
    if (unif_rand() < 0.05)
      o.y[i] = NAN;
  }
  return o;
}

int *blocks_random(int n, int blocks) {
  int *block = stub_ints((size_t)n);
  for (int i = 0; i < n; i++)
    block[i] =
        unif_rand() < 0.1 ? -1 : whole(unif_rand() < 0.7 ? 1 + blocks / 2 : blocks);
  return block;
}

int columns_for(const struct prior *p, int n) {
  return p->kind == PRIOR_INDEPENDENT ? 0 : n;
}

int fits(const struct policy *policy, const struct prior *prior) {
  double param[16];
  for (int i = 0; i < policy_params(policy); i++)
    param[i] = policy->params[i].value;
  return !(policy->unfit && policy->unfit(prior, param, 0));
}

int param_at(const struct policy *policy, const char *name) {
  for (int i = 0; i < policy_params(policy); i++)
    if (strcmp(policy->params[i].name, name) == 0)
      return i;
  printf("policy \"%s\" has no parameter \"%s\"\n", policy->name, name);
  exit(1);
}

void set_number(struct stub_run *run, const char *name, double value) {
  run->param[param_at(run->policy, name)] = value;
}

void set_choice(struct stub_run *run, const char *name, const char *word) {
  const int at = param_at(run->policy, name);
  const char *choices = run->policy->params[at].choices;
  const size_t length = strlen(word);
  for (int i = 0; choices; i++) {
    if (strncmp(choices, word, length) == 0 && strchr("|", choices[length])) {
      run->param[at] = i;
      return;
    }
    choices = strchr(choices, '|');
    choices = choices ? choices + 1 : NULL;
  }
  printf("parameter \"%s\" of \"%s\" cannot be \"%s\"\n", name, run->policy->name, word);
  exit(1);
}

void set_noise(struct stub_run *run, double sd) {
  for (int i = 0; i < run->p.prior->k; i++)
    run->noise2[i] = sd * sd;
}

int pull(struct stub_run *run, int arm, double y) {
  const int counted = 1;
  const struct log log = {{1, &arm, &y, run->noise2 + arm, NULL}, &counted};
  return engine_learn(run->policy, &run->p, &run->r, &log);
}
