/* Draws made side by side, made before the latest observations, or made ahead in a run: each has the
 * law of the belief, and none knows of another. */
#include <R_ext/Random.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "draws.h"
#include "linalg.h"
#include "problem.h"
#include "stock.h"
#include "twin.h"

enum { K = 5, REPS = 3000 };

/* The covariance of n draws that know nothing of each other. */
static double *covariance_of(int n, int size, const double *cov) {
  const int all = n * size;
  double *out = stub_doubles((size_t)(all * all));
  for (int i = 0; i < all * all; i++)
    out[i] = 0;
  for (int m = 0; m < n; m++)
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        const double c = cov[i + size * j];
        out[m * size + i + all * (m * size + j)] = i == j ? fmax(c, 0) : c;
      }
  return out;
}

static double *zeros(int n) {
  double *out = stub_doubles((size_t)n);
  linalg_fill(n, 0, out);
  return out;
}

/* What arms have for themselves, beside the factor. */
static void add_rest(struct problem *problem) {
  double *rest = normals(K);
  for (int i = 0; i < K; i++) {
    rest[i] = i % 3 == 1 ? 0 : rest[i] * rest[i];
    problem->diagonal[i] += rest[i];
  }
  problem->prior.rest = rest;
  prior_finish(&problem->prior);
}

static void run_new(struct stub_run *run, struct problem *problem, int n, int columns,
                    int blocks) {
  problem_random(problem, (enum prior_kind)(n % 4), K, (enum oddity)(n / 4 % ODDITIES));
  if (n % 3 == 2 && problem->prior.kind != PRIOR_INDEPENDENT)
    add_rest(problem);
  stub_run_blocked(run, &problem->prior, policy_named("mes"), 30, columns, blocks, 0.5);
  posterior_start(&run->p);
}

static void learn(struct stub_run *run, int blocks, int pulls) {
  for (int t = 0; t < pulls; t++)
    posterior_learn(&run->p, whole(K), blocks ? whole(blocks + 1) - 1 : -1, norm_rand(),
                    exp(norm_rand()));
}

/* Some draws are made, and the last pulls learned afterwards. */
static void check_law(int n) {
  const int blocks = n % 5 == 1 ? 2 : 0, early = whole(9), late = n % 2 ? whole(6) : 0;
  const int asides[] = {1, 2, 4, 5, 9}, aside = asides[whole(5)];
  struct problem problem;
  struct stub_run run;
  run_new(&run, &problem, n, 30, blocks);
  learn(&run, blocks, early + late);
  struct posterior before = run.p;
  before.n = early < run.p.n ? early : run.p.n;
  const int size = posterior_size(&run.p);
  const struct draws draws = {aside, (size_t)size, zeros(aside * size)};
  const double *none = zeros(aside * size);
  struct moments m = moments_new(aside * size);
  for (int s = 0; s < REPS; s++) {
    draws_about(&before, NULL, &draws);
    if (before.n < run.p.n)
      draws_follow(&run.p, before.n, &draws);
    moments_add(&m, draws.x, none);
  }
  moments_check(&m, covariance_of(aside, size, posterior_cov(&run.p)));
  stub_free();
}

static void test_law(void) {
  for (int n = 0; n < 64; n++)
    check_law(n);
}

/* Many rows and columns, in parts: by hand from the same numbers. */
static void test_many_arms(void) {
  const int k = 1100, d = 7, n = 6;
  struct problem problem;
  struct stub_run run;
  double *features = normals(k * d), *together = stub_doubles((size_t)(k * n));
  problem_from(&problem, PRIOR_FEATURES, k, d, features, 1);
  stub_run_new(&run, &problem.prior, policy_named("mes"), 30, 30);
  posterior_start(&run.p);
  for (int t = 0; t < 9; t++)
    posterior_learn(&run.p, whole(k), -1, norm_rand(), 0.3);
  draws_about(&run.p, NULL, &(struct draws){n, (size_t)k, together});
  /* A draw lies in the space of the features: seven arms tell all others. */
  for (int m = 0; m < n; m++) {
    const double *x = together + k * m;
    double a[49], weight[7];
    for (int i = 0; i < d; i++) {
      weight[i] = 0;
      for (int j = 0; j < d; j++)
        a[i + d * j] = 0;
    }
    for (int arm = 0; arm < 3 * d; arm++)
      for (int i = 0; i < d; i++) {
        weight[i] += features[arm + k * i] * x[arm];
        for (int j = 0; j < d; j++)
          a[i + d * j] += features[arm + k * i] * features[arm + k * j];
      }
    CHECK(linalg_solve(d, a, weight) == 0);
    double *again = zeros(k);
    linalg_add_product(k, d, features, weight, again);
    CHECK(all_near(k, x, again, 1e-8));
  }
}

/* ---- Stairs ---------------------------------------------------------------------------- */

/* A factor as by pivots, these in any order: row by row one entry more, up to d. A few have none. */
static double *pivoted(int k, int d, int none) {
  double *out = zeros(k * d);
  int *arm = stub_ints((size_t)k);
  for (int i = 0; i < k; i++)
    arm[i] = i;
  for (int i = 0; i < k; i++) {
    const int other = i + whole(k - i), swapped = arm[i];
    arm[i] = arm[other];
    arm[other] = swapped;
    for (int j = 0; j < d && j <= i - none; j++)
      out[arm[i] + k * j] = norm_rand();
  }
  return out;
}

/* The same draws to the last bit, or, where arms have something for themselves, to rounding. */
static void test_stairs(void) {
  for (int n = 0; n < 120; n++) {
    const int k = 1 + whole(n % 3 ? 40 : 600), d = k - whole(k / 2 + 1),
              none = n % 5 ? 0 : whole(k), full = n % 7 == 6;
    const int aside = 1 + whole(DRAWS_ASIDE), rest = n % 4 == 3;
    struct problem problem;
    struct stub_run run;
    problem_from(&problem, n % 2 ? PRIOR_DENSE : PRIOR_KERNEL, k, d,
                 full ? normals(k * d) : pivoted(k, d, none), 2);
    if (rest) {
      double *own = normals(k);
      for (int i = 0; i < k; i++)
        own[i] = own[i] > 0 ? own[i] : 0;
      problem.prior.rest = own;
    }
    stub_run_new(&run, &problem.prior, policy_named("mes"), 30, 30);
    posterior_start(&run.p);
    for (int t = whole(9); t > 0; t--)
      posterior_learn(&run.p, whole(k), -1, norm_rand(), 0.3);
    double *room = stub_doubles(stairs_room(&problem.prior, aside));
    const struct stairs stairs = stairs_in(&problem.prior, aside, room);
    const size_t stride = (size_t)(k + whole(3));
    const struct draws plain = {aside, stride, zeros(aside * (int)stride)};
    const struct draws faster = {aside, stride, zeros(aside * (int)stride)};
    stairs_make(&problem.prior, &stairs);
    stub_seed((unsigned)n);
    draws_about(&run.p, NULL, &plain);
    const double after = unif_rand();
    stub_seed((unsigned)n);
    draws_about(&run.p, &stairs, &faster);
    CHECK(unif_rand() == after);
    for (int m = 0; m < aside; m++) {
      const double *x = plain.x + stride * (size_t)m, *y = faster.x + stride * (size_t)m;
      CHECK(rest ? all_near(k, x, y, 1e-9) : same(k, x, y));
    }
    stub_free();
  }
}

/* What is 0 is left out: of a whole triangle half, but for the rows of a cache line. */
static void test_steps(void) {
  const int k = 200;
  struct problem problem;
  problem_from(&problem, PRIOR_DENSE, k, k, pivoted(k, k, 0), 1);
  double *room = stub_doubles(stairs_room(&problem.prior, 1));
  const struct stairs stairs = stairs_in(&problem.prior, 1, room);
  stairs_make(&problem.prior, &stairs);
  for (int s = 0; s < k / STEP; s++)
    CHECK(stairs.top[s] == STEP * s / LINE * LINE);
  for (int i = 0; i < k; i++)
    CHECK(stairs.entries[i] == problem.prior.factor[(int)stairs.arm[i]]);
  CHECK(stairs.entries[STEP * k] == problem.prior.factor[(int)stairs.arm[0] + STEP * k]);
  problem.prior.kind = PRIOR_FEATURES;
  CHECK(stairs_room(&problem.prior, 1) == 0);
  problem.prior.kind = PRIOR_DENSE;
  problem.prior.d = k / 2 - 1;
  CHECK(stairs_room(&problem.prior, 1) == 0);
}

/* ---- What they say --------------------------------------------------------------------- */

/* The same random numbers give the same draws, whatever is asked of them. */
static void test_maxima(void) {
  for (int n = 0; n < 80; n++) {
    const int blocks = n % 5 == 1 ? 2 : 0, draws = 11, aside = 1 + whole(DRAWS_ASIDE);
    struct problem problem;
    struct stub_run run;
    run_new(&run, &problem, n, 30, blocks);
    problem.prior.df = n % 7 ? (double)INFINITY : 3 + whole(20);
    learn(&run, blocks, whole(25));
    run.p.level = n % 3 ? NULL : normals(K);
    const size_t size = (size_t)posterior_size(&run.p), room = size * (size_t)aside;
    double *most = stub_doubles(11), *regret = stub_doubles(11), *best = stub_doubles(K);
    double *work = stub_doubles(room), share[K] = {0}, after[3];
    stub_seed(5);
    draws_maxima(&run.p, draws, work, room, most);
    after[0] = unif_rand();
    stub_seed(5);
    draws_certainty(&run.p, 2, draws, work, room, best, regret);
    after[1] = unif_rand();
    stub_seed(5);
    int agreed = 1;
    for (int from = 0; from < draws; from += aside) {
      const int now = draws - from < aside ? draws - from : aside;
      draws_about(&run.p, NULL, &(struct draws){now, size, work});
      for (int m = 0; m < now; m++) {
        double *x = work + size * (size_t)m;
        draws_place(&run.p, x);
        const int top = linalg_which_max(K, x, 0);
        share[top] += 1. / draws;
        agreed = agreed && most[from + m] == x[top] && regret[from + m] == x[top] - x[2];
      }
    }
    after[2] = unif_rand();
    CHECK(agreed);
    CHECK(all_near(K, best, share, 1e-12));
    CHECK(after[0] == after[1]);
    CHECK(after[1] == after[2]);
    stub_free();
  }
}

/* A stretch for the t distribution, one for all arms, and the level. */
static void test_placed(void) {
  for (int n = 0; n < 12; n++) {
    struct problem problem;
    struct stub_run run;
    run_new(&run, &problem, n, 30, 0);
    learn(&run, 0, 6);
    problem.prior.df = n % 2 ? 12 : (double)INFINITY;
    const double *level = n % 3 ? NULL : normals(K);
    run.p.level = level;
    double *draw = stub_doubles(K), *cov = posterior_cov(&run.p);
    struct moments m = moments_new(K);
    for (int s = 0; s < 2 * REPS; s++) {
      draws_one(&run.p, draw);
      moments_add(&m, draw, run.p.mean);
    }
    for (int i = 0; i < K * K; i++)
      cov[i] = (n % 2 ? 1.2 : 1) * (cov[i] + (level ? level[i % K] * level[i / K] : 0));
    moments_check(&m, covariance_of(1, K, cov));
    stub_free();
  }
}

/* ---- Made ahead ------------------------------------------------------------------------ */

/* The same pulls again and again: what is drawn in a round, several times, has the covariance of that
 * round and nothing in common with other rounds. */
static void check_stock(int n, int rounds, int draws) {
  struct problem problem;
  struct stub_run run;
  run_new(&run, &problem, 1 + n % 3 + 4 * n, 60, 0);
  const int all = rounds * draws;
  double *room = stub_doubles(stock_room(&problem.prior)),
         *seen = stub_doubles((size_t)(all * K));
  double *expected = zeros(all * all * K * K), *noise2 = normals(rounds);
  int *arm = stub_ints((size_t)rounds);
  for (int t = 0; t < rounds; t++) {
    arm[t] = whole(K);
    noise2[t] = exp(noise2[t]);
  }
  room[0] = 0;
  struct moments m = moments_new(all * K);
  for (int s = 0; s < REPS; s++) {
    posterior_start(&run.p);
    for (int t = 0; t < rounds; t++) {
      stock_watch(room, &run.p);
      for (int i = 0; i < draws; i++)
        memcpy(seen + K * (draws * t + i), stock_next(room, &run.p), K * sizeof(double));
      if (s == 0) {
        const double *cov = posterior_cov(&run.p);
        for (int i = 0; i < draws; i++)
          for (int j = 0; j < K * K; j++) {
            const int row = K * (draws * t + i) + j % K, at = K * (draws * t + i) + j / K;
            expected[row + all * K * at] = row == at ? fmax(cov[j], 0) : cov[j];
          }
      }
      posterior_learn(&run.p, arm[t], -1, norm_rand(), noise2[t]);
    }
    moments_add(&m, seen, zeros(all * K));
    if (s % 50 == 0)
      room[0] = 0;
  }
  moments_check(&m, expected);
  stub_free();
}

static void test_stock(void) {
  for (int n = 0; n < 24; n++)
    check_stock(n, 2 + whole(3), 1 + whole(3));
}

/* A round in which nothing is drawn. */
static void silent(struct stub_run *run, double *room, int arm) {
  stock_watch(room, &run->p);
  posterior_learn(&run->p, arm, -1, norm_rand(), 1);
}

/* Arms that know nothing of each other: a belief that was compacted, and has again as many columns as
 * the draws that are left knew of, the last of them as uncertain as theirs, is another one. */
static void test_stock_elsewhere(void) {
  struct problem problem;
  struct stub_run run;
  double *none = zeros(K), *identity = zeros(K * K);
  for (int i = 0; i < K; i++)
    identity[i + K * i] = 1;
  problem_from(&problem, PRIOR_DENSE, K, K, identity, 1);
  double *room = stub_doubles(stock_room(&problem.prior));
  stub_run_new(&run, &problem.prior, policy_named("mes"), 200, 200);
  struct moments m = moments_new(K);
  for (int s = 0; s < REPS; s++) {
    posterior_start(&run.p);
    room[0] = 0;
    for (int t = 0; t < 39; t++)
      silent(&run, room, 0);
    silent(&run, room, 1);
    stock_watch(room, &run.p);
    for (int i = 0; i < 4; i++) /* of 1, 2 and 4, three are left */
      stock_next(room, &run.p);
    const int before = run.p.n;
    posterior_compact(&run.p, stub_ints(K));
    while (run.p.n < before - 1)
      silent(&run, room, 2);
    silent(&run, room, 3);
    CHECK(run.p.n == before);
    stock_watch(room, &run.p);
    moments_add(&m, stock_next(room, &run.p), none);
  }
  moments_check(&m, covariance_of(1, K, posterior_cov(&run.p)));
}

const struct test TESTS_DRAWS[] = {
    {"draws: the law of several", test_law},
    {"draws of many arms", test_many_arms},
    {"draws by stairs", test_stairs},
    {"stairs", test_steps},
    {"draws: maxima and shares", test_maxima},
    {"draws about the means", test_placed},
    {"draws made ahead", test_stock},
    {"draws made ahead of another belief", test_stock_elsewhere},
    {0},
};
