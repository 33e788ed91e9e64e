/* Thompson sampling: the best arm of one joint draw from the posterior. */
#include "contest.h"

static int choose(const struct posterior *p, const struct round *r) {
  struct contest c = contest_begin(p, r, r->kept, 0);
  double value;
  return contest_winner(&c, &value);
}

const struct policy policy_thompson = {
    .name = "thompson",
    .label = "the best arm of one joint posterior draw",
    .recommends = "highest posterior mean",
    .anytime = 1,
    .draws = 1,
    .room = contest_room,
    .choose = choose,
};
