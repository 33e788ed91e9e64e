/* Draws side by side are the draws one after the other, from the same random numbers. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "draws.h"
#include "linalg.h"
#include "problem.h"

static void check_draws(const struct posterior *p, size_t room) {
  const int n = 11;
  const size_t size = (size_t)posterior_size(p), d = (size_t)p->prior->d;
  double *most = stub_doubles((size_t)n), *one = stub_doubles((size_t)n);
  double *x = stub_doubles(size), *z = stub_doubles(d);
  stub_seed(5);
  draws_maxima(p, n, stub_doubles(size + d + room), size + d + room, most);
  const double after = unif_rand();
  stub_seed(5);
  for (int m = 0; m < n; m++) {
    posterior_draw(p, z, x);
    one[m] = linalg_max(p->prior->k, x);
  }
  CHECK(unif_rand() == after);
  CHECK(same(n, most, one));
}

static void test_side_by_side(void) {
  for (int n = 0; n < 160; n++) {
    const int k = 1 + whole(30), blocks = n % 5 == 1 ? 3 : 0,
              pulls = n % 8 ? whole(25) : 0;
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(n % 4), k,
                   (enum oddity)(n / 4 % ODDITIES));
    problem.prior.df = n % 7 ? (double)INFINITY : 3 + whole(20);
    struct stub_run run;
    stub_run_blocked(&run, &problem.prior, policy_named("mes"), 30, 30, blocks, 0.5);
    posterior_start(&run.p);
    for (int t = 0; t < pulls; t++)
      posterior_learn(&run.p, whole(k), blocks ? whole(blocks + 1) - 1 : -1, norm_rand(),
                      exp(norm_rand()));
    run.p.level = n % 3 ? NULL : normals(k);
    check_draws(&run.p, 0);
    check_draws(&run.p, (size_t)whole(500));
    stub_free();
  }
}

const struct test TESTS_DRAWS[] = {
    {"draws side by side", test_side_by_side},
    {0},
};
