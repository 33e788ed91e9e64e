/* Top-two Thompson sampling (Russo 2016): the best arm of a joint draw, or, half of the
 * time, the best arm of another draw in which it is a different one. Where no such draw
 * comes up, the challenger is the arm with the least evidence against it (T3C, Shang et
 * al. 2020). */
#include <R_ext/Random.h>

#include "contest.h"
#include "interrupt.h"
#include "top_two.h"

enum param_at { LEADER_SHARE };

static const struct param PARAMS[] = {
    {"beta", 0.5, 0, 1, NULL, "probability of pulling the leader, not its challenger"},
    {0}};

/* Draws made for a challenger. */
enum { REDRAWS = 100 };

static int challenger(struct contest *c, int leader) {
  double value;
  for (int n = 0; n < REDRAWS; n++) {
    interrupt_check(n, (size_t)c->p->prior->k);
    const int other = contest_winner(c, &value);
    if (other != leader)
      return other;
  }
  return top_two_closest(c->p, c->r, leader);
}

static int choose(const struct posterior *p, const struct round *r) {
  struct contest c = contest_begin(p, r, r->kept, 0);
  double value;
  const int leader = contest_winner(&c, &value);
  if (leader < 0 || unif_rand() < r->param[LEADER_SHARE] || top_two_alone(p, r, leader))
    return leader;
  const int other = challenger(&c, leader);
  return other >= 0 ? other : leader;
}

const struct policy policy_ttts = {
    .name = "ttts",
    .label = "the best arm of a joint posterior draw, or of one where it is another",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .draws = 1,
    .room = contest_room,
    .choose = choose,
};
