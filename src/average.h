/* What was observed of each arm, as one observation. */
#ifndef BAYESGAP_AVERAGE_H
#define BAYESGAP_AVERAGE_H

struct average {
  /* k: of the arm's observations, each weighted by its precision */
  double *mean;
  /* k: the sum of these; INFINITY: one was exact. It decides alone, and the first of them stands, as
   * when they are learned one by one. */
  double *weight;
  /* k: the place of the arm's latest observation among all, or of its first exact one; 0: none */
  int *when;
  /* observations so far */
  int told;
};

void average_start(struct average *, int k);
void average_add(struct average *, int arm, double y, double noise2);

/* The arms observed: first those observed exactly, in the order in which they were, since the first
 * of two that contradict each other stands; then the others, the arms observed latest last. order:
 * k ints. Returns their number. */
int average_order(const struct average *, int k, int *order);

#endif
