/* The joint rule: the leader is the arm with the highest mean, its rival the arm that n more
 * pulls of the two could most profitably put ahead of it, and the pull goes to the arm, any
 * arm, whose reward takes most variance off the difference of leader and rival.
 *
 * n pulls, half of them of the leader J and half of arm i, would move the mean of f_i - f_J by
 * a normal with variance r^2, what they take off the variance of the difference:
 *   r^2 = (x^2 B + 2 c x y + y^2 A) / (A B - c^2),  c = S_Ji, x = S_JJ - c, y = S_ii - c,
 *   A = S_JJ + 2 noise_J^2 / n,  B = S_ii + 2 noise_i^2 / n.
 * What is gained by it is r h(-(mean_J - mean_i) / r), h(z) = z Phi(z) + phi(z). With n = 1
 * this is the knowledge gradient of a pair, which is blind to what several pulls can do; with n
 * without end it is the expected improvement, which takes for open what no budget can settle.
 * n = sqrt(t) stays between them and needs no budget (bench/JOINT.md).
 *
 * Where pulls cost differently it is the variance that a pull takes off for its cost. Leader and
 * rival are found as if they did not: to choose the rival by its cost too, or by what as much money
 * could tell of it, lost more (bench/COSTS.md). */
#ifndef BAYESGAP_JOINT_H
#define BAYESGAP_JOINT_H

#include "policy.h"

/* The width of the bound `gap`, in standard deviations. */
#define JOINT_WIDTH 3

struct joint {
  int leader; /* J */
  int rival;  /* -1: no arm can differ from the leader */
  double gap; /* how much better than the leader the rival may be */
};

/* The arm to pull, or -1: none is open. Ties go to the leader, then to the rival. */
int joint_choose(const struct posterior *, const struct round *, struct joint *);

#endif
