#include "twin.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "gap.h"

struct twin twin_new(const struct problem *p) {
  const int k = p->prior.k;
  const size_t n = (size_t)k, size = sizeof(long double);
  struct twin t = {&p->prior, stub_block(n, size), stub_block(n * n, size),
                   stub_block(n, size)};
  for (int i = 0; i < k; i++)
    t.mean[i] = p->mean[i];
  for (int i = 0; i < k * k; i++)
    t.cov[i] = p->prior.kind == PRIOR_INDEPENDENT && i % (k + 1) > 0
                   ? 0
                   : (long double)p->prior.scale * p->cov[i];
  return t;
}

void twin_learn(struct twin *t, int a, double y, double noise2) {
  const int k = t->prior->k;
  if (t->cov[a + k * a] <= 1e-13L * prior_var(t->prior, a))
    return; /* known already */
  const long double d = t->cov[a + k * a] + noise2, e = y - t->mean[a];
  long double *c = t->column;
  memcpy(c, t->cov + k * a, (size_t)k * sizeof(long double));
  for (int i = 0; i < k; i++) {
    t->mean[i] += c[i] * e / d;
    for (int j = 0; j < k; j++)
      t->cov[i + k * j] -= c[i] * c[j] / d;
  }
}

int twin_agrees(const struct twin *t, const struct posterior *p, double tolerance) {
  const int k = t->prior->k;
  const double size = sqrt(p->prior->most) + 1e-300;
  for (int i = 0; i < k; i++) {
    if (!(fabs(p->mean[i] - (double)t->mean[i]) <=
          tolerance * (size + fabs(p->mean[i]))) ||
        !(fabs(p->var[i] - (double)t->cov[i + k * i]) <= tolerance * size * size) ||
        p->var[i] < 0)
      return 0;
  }
  return 1;
}

double *posterior_cov(const struct posterior *p) {
  const int k = p->prior->k;
  double *s = stub_doubles((size_t)k * (size_t)k);
  for (int a = 0; a < k; a++) {
    if (p->prior->kind == PRIOR_INDEPENDENT) {
      for (int i = 0; i < k; i++)
        s[i + k * a] = i == a ? p->var[a] : 0;
      continue;
    }
    prior_column(p->prior, a, s + k * a);
    for (int l = 0; l < p->n; l++)
      for (int i = 0; i < k; i++)
        s[i + k * a] -= p->w[l][a] * p->w[l][i];
  }
  return s;
}

int cov_agrees(const struct twin *t, const struct posterior *p, double tolerance) {
  const int k = p->prior->k;
  const double *s = posterior_cov(p), most = tolerance * (p->prior->most + 1e-300);
  double *column = stub_doubles((size_t)k);
  int ok = 1;
  for (int a = 0; a < k; a++) {
    posterior_column(p, a, column);
    for (int i = 0; i < k; i++) {
      const double expected = (double)t->cov[i + k * a];
      ok = ok && fabs(s[i + k * a] - expected) <= most &&
           fabs(column[i] - expected) <= most;
    }
  }
  return ok;
}

struct moments moments_new(int k) {
  struct moments m = {k, 0, stub_doubles((size_t)k), stub_doubles((size_t)k * (size_t)k)};
  for (int i = 0; i < k; i++)
    m.mean[i] = 0;
  for (int i = 0; i < k * k; i++)
    m.cov[i] = 0;
  return m;
}

void moments_add(struct moments *m, const double *draw, const double *mean) {
  m->draws++;
  for (int i = 0; i < m->k; i++) {
    const double at = draw[i] - mean[i];
    m->mean[i] += at;
    for (int j = 0; j < m->k; j++)
      m->cov[i + m->k * j] += at * (draw[j] - mean[j]);
  }
}

void moments_check(struct moments *m, const double *cov) {
  const int k = m->k;
  const double n = m->draws;
  for (int i = 0; i < k; i++) {
    CHECK(fabs(m->mean[i] / n) <= 5 * sqrt(cov[i + k * i] / n) + 1e-9);
    for (int j = 0; j <= i; j++) {
      const double c = cov[i + k * j], se2 = cov[i + k * i] * cov[j + k * j] + c * c;
      CHECK(fabs(m->cov[i + k * j] / n - c) <= 5 * sqrt(se2 / n) + 1e-9);
    }
  }
}

double max_other(int k, const double *x, int but) {
  double most = -INFINITY;
  for (int i = 0; i < k; i++)
    if (i != but)
      most = fmax(most, x[i]);
  return most;
}

void check_find(int k, double *upper, const double *lower) {
  double *scratch = stub_doubles((size_t)k), *before = copy(k, upper);
  double *b = stub_doubles((size_t)k), least = INFINITY;
  const struct gap g = gap_find(k, upper, lower, scratch);
  for (int i = 0; i < k; i++) {
    b[i] = max_other(k, upper, i) - lower[i];
    least = fmin(least, b[i]);
  }
  CHECK(same(k, upper, before));
  CHECK(g.leader >= 0 && g.leader < k && g.rival >= 0 && g.rival < k);
  CHECK(g.leader != g.rival);
  CHECK(near(g.value, least, 1e-14));
  CHECK(b[g.leader] <= least + 1e-8);
  CHECK(upper[g.rival] >= max_other(k, upper, g.leader) - 1e-8);
}
