/* In which block a pull is made, with numbers that can be checked by hand: two arms and two blocks,
 * all variances and the noise 1. */
#include "block.h"

#include <math.h>

#include "check.h"
#include "twin.h"

struct choice {
  struct problem problem;
  struct stub_run run;
  int arm[4], block[4]; /* what has been where */
};

static void begin(struct choice *c, int blocks, double var) {
  double *ones = stub_doubles(2);
  ones[0] = ones[1] = 1;
  problem_from(&c->problem, PRIOR_INDEPENDENT, 2, 1, ones, var);
  stub_run_blocked(&c->run, &c->problem.prior, policy_at(0), 9, 4, blocks, var);
  set_noise(&c->run, 1);
  posterior_start(&c->run.p);
  c->run.r.made = (struct pairs){0, c->arm, c->block};
  c->run.note.leader = 0;
  c->run.note.rival = 1;
}

static void add(struct choice *c, int arm, int block) {
  c->arm[c->run.r.made.n] = arm;
  c->block[c->run.r.made.n++] = block;
}

/* The rival has been in block 1: the leader's pull there is worth (4/3)^2 / (8/3) = 2/3 against 1/3
 * in block 0. */
static void test_most_is_told(void) {
  struct choice c;
  begin(&c, 2, 1);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
  posterior_learn(&c.run.p, 1, 1, 0.5, 1);
  add(&c, 1, 1);
  CHECK(near(c.run.p.block_var[1], 2. / 3, 1e-15));
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
  CHECK(near(c.run.r.work[3 * 4], 1. / 3, 1e-12));
  CHECK(near(c.run.r.work[3 * 4 + 1], 2. / 3, 1e-12));
  add(&c, 0, 1); /* been there; then in both */
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
  add(&c, 0, 0);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
  CHECK(block_choose(&c.run.p, &c.run.r, 1) == 0);
}

static void test_no_pair(void) {
  struct choice c;
  begin(&c, 2, 1);
  c.run.note.rival = -1;
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
  posterior_learn(&c.run.p, 1, 1, 0.5, 1);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
  add(&c, 0, 1);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
}

/* Effects that are known to be nothing: the first in which the arm has not been. */
static void test_without_effects(void) {
  struct choice c;
  begin(&c, 0, 1);
  c.run.r.blocks = 3;
  c.run.r.work = stub_doubles(8 * 5 + 1);
  c.run.r.index = stub_ints(5);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
  add(&c, 0, 0);
  add(&c, 1, 1);
  add(&c, 0, -1);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
  add(&c, 0, 2);
  CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
}

/* The squares of such variances are beyond the numbers there are. */
static void test_extreme_sizes(void) {
  for (int large = 0; large < 2; large++) {
    struct choice c;
    begin(&c, 2, large ? 1e200 : 1e-200);
    CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
    add(&c, 0, 1);
    CHECK(block_choose(&c.run.p, &c.run.r, 0) == 0);
    c.block[0] = 0;
    CHECK(block_choose(&c.run.p, &c.run.r, 0) == 1);
  }
}

const struct test TESTS_BLOCK[] = {
    {"the block that tells most", test_most_is_told},
    {"a block where there is no pair", test_no_pair},
    {"blocks without effects", test_without_effects},
    {"blocks of extreme sizes", test_extreme_sizes},
    {0},
};
