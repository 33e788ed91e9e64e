#include "stock.h"

#include "draws.h"
#include "linalg.h"

/* What is kept in front of the draws. */
enum head {
  MADE, /* how many were ever made */
  LEFT, /* how many of these were not used yet */
  SEEN, /* columns of the posterior that they know of */
  HEAD
};

/* Draws and, behind them, the stairs. */
static size_t draws_room(const struct prior *prior) {
  return linalg_lines((size_t)prior->k) * DRAWS_ASIDE;
}

size_t stock_room(const struct prior *prior) {
  return HEAD + LINE + draws_room(prior) + stairs_room(prior, DRAWS_ASIDE);
}

/* A round adds one column at most, and compacting takes off more. */
void stock_watch(double *room, const struct posterior *p) {
  double *head = room;
  if (!(head[MADE] > 0))
    head[LEFT] = 0;
  else if (p->n < (int)head[SEEN] || p->n > (int)head[SEEN] + 1)
    head[LEFT] = 0;
}

/* Draws before the stairs pay: 1, 2, 4, 8 and 16 of them. */
enum { EARLY = 2 * DRAWS_ASIDE - 1 };

/* before: how many were made already. */
static void make(const struct posterior *p, double before, const struct draws *draws) {
  if (before < EARLY || stairs_room(p->prior, DRAWS_ASIDE) == 0) {
    draws_about(p, NULL, draws);
    return;
  }
  const struct stairs stairs =
      stairs_in(p->prior, DRAWS_ASIDE, draws->x + draws_room(p->prior));
  if (before == EARLY)
    stairs_make(p->prior, &stairs);
  draws_about(p, &stairs, draws);
}

double *stock_next(double *room, const struct posterior *p) {
  double *head = room, *x = linalg_line(room + HEAD);
  struct draws draws = {(int)head[LEFT], linalg_lines((size_t)p->prior->k), x};
  if (!(head[LEFT] > 0)) {
    /* More each time: a short run needs few. */
    draws.n = head[MADE] + 1 < DRAWS_ASIDE ? (int)head[MADE] + 1 : DRAWS_ASIDE;
    make(p, head[MADE], &draws);
    head[MADE] += draws.n;
    head[LEFT] = draws.n;
  } else if (p->n > (int)head[SEEN]) {
    draws_follow(p, (int)head[SEEN], &draws);
  }
  head[SEEN] = p->n;
  head[LEFT]--;
  return x + draws.stride * (size_t)head[LEFT];
}
