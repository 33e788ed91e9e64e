#include "stock.h"

#include "draws.h"

/* What is kept in front of the draws. */
enum head {
  MADE, /* how many there were at first; 0: none was ever made */
  LEFT, /* how many of these were not used yet */
  SEEN, /* columns of the posterior that they know of */
  HEAD
};

size_t stock_room(int k) {
  return HEAD + (size_t)k * DRAWS_ASIDE;
}

/* A round adds one column at most, and compacting takes off more. */
void stock_watch(double *room, const struct posterior *p) {
  double *head = room;
  if (!(head[MADE] > 0))
    head[LEFT] = 0;
  else if (p->n < (int)head[SEEN] || p->n > (int)head[SEEN] + 1)
    head[LEFT] = 0;
}

double *stock_next(double *room, const struct posterior *p) {
  double *head = room, *draws = room + HEAD;
  if (!(head[LEFT] > 0)) {
    /* More each time: a short run needs few. */
    const int most = head[MADE] > 0 ? 2 * (int)head[MADE] : 1;
    head[MADE] = most < DRAWS_ASIDE ? most : DRAWS_ASIDE;
    head[LEFT] = head[MADE];
    draws_about(p, (int)head[MADE], draws);
  } else if (p->n > (int)head[SEEN]) {
    draws_follow(p, (int)head[SEEN], (int)head[LEFT], draws);
  }
  head[SEEN] = p->n;
  head[LEFT]--;
  return draws + (size_t)p->prior->k * (size_t)head[LEFT];
}
