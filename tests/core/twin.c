#include "twin.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "gap.h"

struct twin twin_new(const struct problem *p) {
  return twin_blocked(p, 0, 0);
}

struct twin twin_blocked(const struct problem *p, int blocks, double block2) {
  return twin_tilted(p, blocks, block2, 1, NULL);
}

struct twin twin_tilted(const struct problem *p, int blocks, double block2, int width,
                        const double *loading) {
  const int k = p->prior.k, m = k + blocks * width;
  const size_t n = (size_t)m, size = sizeof(long double);
  struct twin t = {
      &p->prior,           m,     block2, stub_block(n, size), stub_block(n * n, size),
      stub_block(n, size), width, loading};
  for (int i = 0; i < m; i++)
    t.mean[i] = i < k ? p->mean[i] : 0;
  for (int i = 0; i < m * m; i++) {
    const int row = i % m, col = i / m;
    const int related =
        row < k && col < k && (row == col || p->prior.kind != PRIOR_INDEPENDENT);
    t.cov[i] = related ? (long double)p->prior.scale * p->cov[row + k * col]
               : row == col && row >= k ? (long double)block2
                                        : 0;
  }
  return t;
}

void twin_learn(struct twin *t, int a, double y, double noise2) {
  twin_learn_in(t, a, -1, y, noise2);
}

/* What a pull of the arm in a block has of the j-th coordinate of the block. */
static double share(const struct twin *t, int a, int j) {
  return j == 0 ? 1 : t->loading[a * (t->width - 1) + j - 1];
}

/* x of an arm and its block together. */
static long double together(const struct twin *t, int a, int block,
                            const long double *x) {
  long double sum = x[a];
  for (int j = 0; block >= 0 && j < t->width; j++)
    sum += share(t, a, j) * x[t->prior->k + block * t->width + j];
  return sum;
}

void twin_learn_in(struct twin *t, int a, int block, double y, double noise2) {
  const int m = t->size;
  long double *c = t->column, before = prior_var(t->prior, a);
  for (int j = 0; block >= 0 && j < t->width; j++)
    before += t->block2 * share(t, a, j) * share(t, a, j);
  for (int i = 0; i < m; i++)
    c[i] = together(t, a, block, t->cov + m * i); /* symmetric */
  const long double own = together(t, a, block, c), mean = together(t, a, block, t->mean);
  if (own <= 1e-13L * before)
    return; /* known already */
  const long double d = own + noise2, e = y - mean;
  for (int i = 0; i < m; i++) {
    t->mean[i] += c[i] * e / d;
    for (int j = 0; j < m; j++)
      t->cov[i + m * j] -= c[i] * c[j] / d;
  }
}

int twin_agrees(const struct twin *t, const struct posterior *p, double tolerance) {
  const int k = t->prior->k, m = t->size;
  const double size = sqrt(p->prior->most + t->block2) + 1e-300;
  for (int i = 0; i < m; i++) {
    const double mean = i < k ? p->mean[i] : p->block_mean[i - k];
    const double var = i < k ? p->var[i] : p->block_var[i - k];
    if (!(fabs(mean - (double)t->mean[i]) <= tolerance * (size + fabs(mean))) ||
        !(fabs(var - (double)t->cov[i + m * i]) <= tolerance * size * size) || var < 0)
      return 0;
  }
  return 1;
}

double *posterior_cov(const struct posterior *p) {
  const int k = p->prior->k, m = posterior_size(p);
  double *s = stub_doubles((size_t)m * (size_t)m);
  for (int a = 0; a < m; a++) {
    for (int i = 0; i < m; i++)
      s[i + m * a] = i != a ? 0 : a < k ? p->var[a] : p->block2;
    if (posterior_separate(p))
      continue;
    if (a < k)
      prior_column(p->prior, a, s + m * a);
    for (int l = 0; l < p->n; l++)
      for (int i = 0; i < m; i++)
        s[i + m * a] -= p->w[l][a] * p->w[l][i];
  }
  return s;
}

int cov_agrees(const struct twin *t, const struct posterior *p, double tolerance) {
  const int k = p->prior->k, m = t->size;
  const double *s = posterior_cov(p);
  const double most = tolerance * (p->prior->most + t->block2 + 1e-300);
  double *column = stub_doubles((size_t)k), *whole = stub_doubles((size_t)m);
  int ok = 1;
  for (int a = 0; a < m; a++) {
    posterior_whole_column(p, a, whole);
    if (a < k)
      posterior_column(p, a, column);
    for (int i = 0; i < m; i++) {
      const double expected = (double)t->cov[i + m * a];
      ok = ok && fabs(s[i + m * a] - expected) <= most &&
           fabs(whole[i] - expected) <= most &&
           (a >= k || i >= k || column[i] == whole[i]);
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
