#include "stock.h"

#include "draws.h"

/* What is kept in front of the draws. */
enum head {
  MADE,   /* how many there were at first; 0: none was ever made */
  LEFT,   /* how many of these were not used yet */
  SEEN,   /* columns of the posterior that they know of, */
  LATEST, /* and the variance of the last of these */
  HEAD
};

size_t stock_room(int k) {
  return HEAD + (size_t)k * DRAWS_ASIDE;
}

/* 1: the draws are of this belief, or of that one observation before. */
static int follows(const double *head, const struct posterior *p) {
  if (!(head[MADE] > 0 && head[LEFT] > 0))
    return 0;
  const int seen = (int)head[SEEN], news = p->n - seen;
  return news >= 0 && news <= 1 && (seen == 0 || p->d[seen - 1] == head[LATEST]);
}

double *stock_next(double *room, const struct posterior *p) {
  double *head = room, *draws = room + HEAD;
  if (!follows(head, p)) {
    /* More each time: a short run needs few. */
    const int most = head[MADE] > 0 ? 2 * (int)head[MADE] : 1;
    head[MADE] = most < DRAWS_ASIDE ? most : DRAWS_ASIDE;
    head[LEFT] = head[MADE];
    draws_about(p, (int)head[MADE], draws);
  } else if (p->n > (int)head[SEEN]) {
    draws_follow(p, (int)head[SEEN], (int)head[LEFT], draws);
  }
  head[SEEN] = p->n;
  head[LATEST] = p->n > 0 ? p->d[p->n - 1] : 0;
  head[LEFT]--;
  return draws + (size_t)p->prior->k * (size_t)head[LEFT];
}
