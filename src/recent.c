#include "recent.h"

#include <math.h>
#include <string.h>

#include "linalg.h"

/* Bytes of recent columns, and sets of them, beyond which more save less than they cost. */
static const size_t CACHE = 1 << 19;
enum { MOST_SETS = 32 };

void recent_forget(struct posterior *p) {
  for (int i = 0; p->recent && i < p->sets * RECENT; i++)
    p->recent[i].at = -1;
}

int recent_sets(const struct posterior *p) {
  const size_t set = RECENT * (size_t)posterior_size(p) * sizeof(double);
  const size_t sets = CACHE / set;
  return sets < 1 ? 1 : sets > MOST_SETS ? MOST_SETS : (int)sets;
}

void recent_keep(struct posterior *p, int sets, struct recent *recent,
                 double *const *room) {
  const int n = sets * RECENT;
  p->sets = sets;
  p->recent = recent;
  for (int i = 0; i < n; i++)
    recent[i].c = room[i];
  p->spare = room[n];
  recent_forget(p);
}

/* The recent column of a coordinate, or that of its set used longest ago, moved to the front. */
static struct recent *recent_of(const struct posterior *p, int at) {
  struct recent *set = p->recent + RECENT * (at % p->sets);
  int i = 0;
  while (i < RECENT - 1 && set[i].at != at)
    i++;
  const struct recent found = set[i];
  for (; i > 0; i--)
    set[i] = set[i - 1];
  set[0] = found;
  return set;
}

/* The recent column of a coordinate where it is, or NULL: there is none. */
static struct recent *kept_of(const struct posterior *p, int at) {
  struct recent *set = p->recent + RECENT * (at % p->sets);
  for (int i = 0; i < RECENT; i++)
    if (set[i].at == at)
      return set + i;
  return NULL;
}

/* The latest observation of the coordinate by itself, or -1. */
static int latest_of(const struct posterior *p, int at) {
  return at < p->prior->k ? p->last[at] : -1;
}

static double var_before(const struct posterior *p, int at) {
  return at < p->prior->k ? prior_var(p->prior, at) : p->block2;
}

/* The column with nothing taken off: the prior's, or what the arm's latest pull left. */
static void begin_column(const struct posterior *p, int at, struct recent *r) {
  const int k = p->prior->k, latest = latest_of(p, at);
  double *c = r->c;
  if (latest >= 0) {
    const double f = p->noise2[latest] / sqrt(p->d[latest]);
    linalg_scale(posterior_size(p), f, p->w[latest], c);
  } else if (at < k) {
    prior_column(p->prior, at, c);
    for (int i = k; i < posterior_size(p); i++)
      c[i] = 0;
  } else {
    memset(c, 0, (size_t)posterior_size(p) * sizeof *c);
    c[at] = p->block2;
  }
  r->at = at;
  r->from = r->upto = latest + 1;
  r->mixed = 0;
  r->whole = c[at];
}

/* The weights of n columns to be taken off; returns 1 when any is not 0. */
static int weights(int n, int at, const double *const *w, double *f) {
  int mixed = 0;
  for (int i = 0; i < n; i++) {
    f[i] = -w[i][at];
    mixed |= f[i] != 0;
  }
  return mixed;
}

/* Takes off all of the first n columns that make up fours, two fours at a time. */
static void take_off_fours(const struct posterior *p, int n, struct recent *r) {
  const double *const *w = (const double *const *)p->w;
  double f[8];
  for (; r->upto + 8 <= n; r->upto += 8) {
    r->mixed |= weights(8, r->at, w + r->upto, f);
    linalg_add8(posterior_size(p), f, w + r->upto, r->c);
  }
  for (; r->upto + 4 <= n; r->upto += 4) {
    r->mixed |= weights(4, r->at, w + r->upto, f);
    linalg_add4(posterior_size(p), f, w + r->upto, r->c);
  }
}

/* Takes off eight columns of two that have come as far as each other. */
static void take_off_twice(const struct posterior *p, struct recent *r,
                           struct recent *other) {
  const double *const *w = (const double *const *)p->w + r->upto;
  double f[8], g[8];
  r->mixed |= weights(8, r->at, w, f);
  other->mixed |= weights(8, other->at, w, g);
  linalg_add8_twice(posterior_size(p), f, g, w, r->c, other->c);
  r->upto += 8;
  other->upto += 8;
}

double recent_column(const struct posterior *p, int at, int entries, enum keep keep,
                     double *restrict c) {
  struct recent alone = {.at = -1, .c = c};
  const int use = p->recent && (keep == KEPT || kept_of(p, at));
  struct recent *r = use ? recent_of(p, at) : &alone;
  if (r->at != at || r->from != latest_of(p, at) + 1)
    begin_column(p, at, r);
  take_off_fours(p, p->n, r);
  const double *const *w = (const double *const *)p->w + r->upto;
  const int left = p->n - r->upto;
  double f[3];
  const int mixed = weights(left, at, w, f) || r->mixed;
  if (r->c != c)
    linalg_add_few(entries, left, f, w, r->c, c);
  else
    for (int i = 0; i < left; i++)
      linalg_add(entries, f[i], w[i], c);
  const double var = var_before(p, at);
  return mixed ? sqrt(var * fmax(p->prior->most, var)) : r->whole;
}

void recent_prepare(const struct posterior *p, int arms, const int *arm) {
  struct recent *r[RECENT];
  for (int i = 0; i < arms; i++)
    begin_column(p, arm[i], recent_of(p, arm[i]));
  for (int i = 0; i < arms; i++)
    r[i] = kept_of(p, arm[i]);
  for (int n = 8; n <= p->n; n += 8) {
    for (int i = 0; i + 2 <= arms; i += 2)
      take_off_twice(p, r[i], r[i + 1]);
    if (arms % 2)
      take_off_fours(p, n, r[arms - 1]);
  }
}
