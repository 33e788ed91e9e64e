/* Loops that may take long look for Ctrl-C. */
#include "check.h"
#include "engine.h"
#include "interrupt.h"
#include "linalg.h"
#include "problem.h"
#include "stubs.h"

/* One choice among so many arms looks for Ctrl-C on the way. */
static void check_looks(const char *name, const char *param, double value) {
  const int k = 700, d = 20;
  struct problem problem;
  struct stub_run run;
  problem_from(&problem, PRIOR_FEATURES, k, d, normals(k * d), 1);
  stub_run_new(&run, &problem.prior, policy_named(name), 10 * k, 1);
  set_noise(&run, 1);
  if (param)
    set_number(&run, param, value);
  stub_looks();
  engine_start(run.policy, &run.p, &run.r);
  CHECK(stub_looks() > 0);
}

static void test_looks_for_interrupts(void) {
  stub_looks();
  interrupt_check(0, 1);
  CHECK(stub_looks() == 0);
  interrupt_check(7, 1000000000);
  CHECK(stub_looks() == 1);
  for (int step = 0; step < 1000000; step++)
    interrupt_check(step, 1000);
  const int looks = stub_looks();
  CHECK(looks > 1000 && looks < 10000);
  check_looks("kg", NULL, 0);
  check_looks("mes", "draws", 1000);
  check_looks("gse", NULL, 0);
  check_looks("pi_bai", NULL, 0);
  double *a = definite(100);
  linalg_cholesky(100, a, 1e-9, stub_ints(100), stub_doubles(100));
  CHECK(stub_looks() > 0);
}

const struct test TESTS_INTERRUPT[] = {
    {"Ctrl-C", test_looks_for_interrupts},
    {0},
};
