/* T3C, top-two transportation cost (Shang, de Heide, Menard, Kaufmann and Valko 2020): the
 * leader I is the best arm of a joint draw, as in top-two Thompson sampling. Its challenger
 * takes no further draws: it is the arm with the smallest transportation cost,
 *   argmin_j (mean_I - mean_j)^2 / Var(mu_I - mu_j), where arms with mean_j >= mean_I cost 0.
 * The paper has independent arms under a flat prior; here mean and variance are those of the
 * joint posterior. One draw and one column of the covariance a round. */
#include <R_ext/Random.h>

#include "contest.h"
#include "top_two.h"

enum param_at { LEADER_SHARE };

static const struct param PARAMS[] = {
    {"beta", 0.5, 0, 1, NULL, "probability of pulling the leader, not its challenger"},
    {0}};

static int choose(const struct posterior *p, const struct round *r) {
  struct contest c = contest_begin(p, r, r->kept, 0);
  double value;
  const int leader = contest_winner(&c, &value);
  if (leader < 0 || unif_rand() < r->param[LEADER_SHARE])
    return leader;
  const int other = top_two_closest(p, r, leader);
  return other >= 0 ? other : leader;
}

const struct policy policy_t3c = {
    .name = "t3c",
    .label = "the best arm of a joint posterior draw, or the one hardest to tell from it",
    .recommends = "highest posterior mean",
    .params = PARAMS,
    .anytime = 1,
    .draws = 1,
    .room = contest_room,
    .choose = choose,
};
