/* The belief against the recursion on a full matrix. */
#include <R_ext/Random.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "draws.h"
#include "recent.h"
#include "twin.h"

/* Every state of one random problem against the twin. */
static void check_recursion(enum prior_kind kind, int k, enum oddity odd, int n,
                            enum noise noise) {
  const double tolerance = noise == EXACT || noise == SOME_EXACT ? 1e-6 : 1e-9;
  struct problem problem;
  problem_random(&problem, kind, k, odd);
  struct told o = told_random(&problem, n, noise);
  struct twin twin = twin_new(&problem);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), n, columns_for(&problem.prior, n));
  posterior_start(&run.p);
  int ok = twin_agrees(&twin, &run.p, tolerance), learned = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(o.y[i]))
      continue;
    learned++;
    posterior_learn(&run.p, o.arm[i], -1, o.y[i], o.noise2[i]);
    twin_learn(&twin, o.arm[i], o.y[i], o.noise2[i]);
    ok = ok && twin_agrees(&twin, &run.p, tolerance);
  }
  CHECK(ok);
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  CHECK(run.p.n <= learned);
  int *pulls = stub_ints((size_t)k);
  memcpy(pulls, run.p.pulls, (size_t)k * sizeof(int));
  const int arms = posterior_arms(&run.p);
  stub_run_compact(&run);
  CHECK(twin_agrees(&twin, &run.p, tolerance));
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  CHECK(memcmp(pulls, run.p.pulls, (size_t)k * sizeof(int)) == 0);
  CHECK(run.p.n <= arms && posterior_arms(&run.p) == arms);
  stub_free();
}

static void test_recursion(void) {
  const int sizes[] = {1, 2, 3, 5, 8, 13, 21, 34, 60}, budgets[] = {1, 4, 30, 120};
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++)
      for (int noise = 0; noise < NOISES; noise++)
        for (int s = 0; s < 9; s++)
          for (int b = 0; b < 4; b++)
            if (sizes[s] < 30 || b == 3)
              check_recursion((enum prior_kind)kind, sizes[s], (enum oddity)odd,
                              budgets[b], (enum noise)noise);
}

/* Every state of one random problem with blocks against the twin, also where no effect has any
 * variance; half of the pulls repeat a pair. */
static void check_blocks(enum prior_kind kind, int k, enum oddity odd, enum noise noise,
                         double block2, int width) {
  const int n = 60, blocks = 1 + whole(5);
  /* Where blocks have several coordinates an exact reward is had from what is left of more. */
  const double exactly = width > 1 ? 1e-5 : 1e-6;
  const double tolerance = noise == EXACT || noise == SOME_EXACT ? exactly : 1e-9;
  struct problem problem;
  problem_random(&problem, kind, k, odd);
  struct told o = told_random(&problem, n, noise);
  const int *block = blocks_random(n, blocks);
  const double *effect = normals(blocks);
  const double *loading = width > 1 ? normals(k * (width - 1)) : NULL;
  struct twin twin = twin_tilted(&problem, blocks, block2, width, loading);
  struct stub_run run;
  stub_run_tilted(&run, &problem.prior, policy_at(0), n, n, blocks, block2, width,
                  loading);
  posterior_start(&run.p);
  int ok = twin_agrees(&twin, &run.p, tolerance);
  for (int i = 0; i < n; i++) {
    if (isnan(o.y[i]))
      continue;
    const double y = block[i] < 0 ? o.y[i] : o.y[i] + sqrt(block2) * effect[block[i]];
    posterior_learn(&run.p, o.arm[i], block[i], y, o.noise2[i]);
    twin_learn_in(&twin, o.arm[i], block[i], y, o.noise2[i]);
    ok = ok && twin_agrees(&twin, &run.p, tolerance);
  }
  CHECK(ok);
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  stub_free();
}

static void test_blocks(void) {
  const int sizes[] = {1, 2, 5, 13};
  const double sizes2[] = {0, 0.01, 1, 9, 1e4};
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++)
      for (int noise = 0; noise < NOISES; noise++)
        for (int s = 0; s < 4; s++)
          for (int b = 0; b < 5; b++)
            for (int width = 1; width < 4; width++)
              check_blocks((enum prior_kind)kind, sizes[s], (enum oddity)odd,
                           (enum noise)noise, sizes2[b], width);
}

/* Draws of arms and blocks together, also with a scale that is learned. */
static void test_block_draws(void) {
  const int k = 4, n = 8, blocks = 3;
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int learned = 0; learned < 2; learned++) {
      const int width = learned ? 2 : 1, size = k + blocks * width;
      struct problem problem;
      problem_random(&problem, (enum prior_kind)kind, k, PLAIN);
      problem.prior.df = learned ? 12 : (double)INFINITY;
      struct told o = told_random(&problem, n, NOISY);
      const int *block = blocks_random(n, blocks);
      struct stub_run run;
      stub_run_tilted(&run, &problem.prior, policy_at(0), n, n, blocks, 2, width,
                      learned ? normals(k) : NULL);
      posterior_start(&run.p);
      for (int i = 0; i < n; i++)
        if (!isnan(o.y[i]))
          posterior_learn(&run.p, o.arm[i], block[i], o.y[i], o.noise2[i]);
      double *out = stub_doubles((size_t)size);
      double *cov = posterior_cov(&run.p), *mean = stub_doubles((size_t)size);
      memcpy(mean, run.p.mean, (size_t)k * sizeof(double));
      memcpy(mean + k, run.p.block_mean, (size_t)(size - k) * sizeof(double));
      struct moments m = moments_new(size);
      for (int s = 0; s < 4000; s++) {
        draws_one(&run.p, out);
        moments_add(&m, out, mean);
      }
      for (int i = 0; i < size * size; i++)
        cov[i] *= learned ? 12 / 10. : 1;
      moments_check(&m, cov);
      double *work = stub_doubles((size_t)size);
      double *best = stub_doubles((size_t)k), *regret = stub_doubles(5);
      draws_certainty(&run.p, 1, 5, work, (size_t)size, best, regret);
      CHECK(near(best[0] + best[1] + best[2] + best[3], 1, 1e-12));
    }
}

/* Columns asked for in any order in between change no bit of what is learned in blocks. */
static void test_recent_blocks(void) {
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int noise = 0; noise < NOISES; noise++) {
      const int k = 6, n = 40, blocks = 3, size = k + blocks;
      struct problem problem;
      problem_random(&problem, (enum prior_kind)kind, k, PLAIN);
      struct told o = told_random(&problem, n, (enum noise)noise);
      const int *block = blocks_random(n, blocks);
      struct stub_run asked, quiet;
      stub_run_blocked(&asked, &problem.prior, policy_at(0), n, n, blocks, 1.5);
      stub_run_blocked(&quiet, &problem.prior, policy_at(0), n, n, blocks, 1.5);
      posterior_start(&asked.p);
      posterior_start(&quiet.p);
      double *one = stub_doubles((size_t)size), *other = stub_doubles((size_t)size);
      int ok = 1;
      for (int i = 0; i < n; i++) {
        for (int j = whole(6); j > 0; j--)
          posterior_whole_column(&asked.p, whole(size), one);
        if (isnan(o.y[i]))
          continue;
        posterior_learn(&asked.p, o.arm[i], block[i], o.y[i], o.noise2[i]);
        posterior_learn(&quiet.p, o.arm[i], block[i], o.y[i], o.noise2[i]);
        ok = ok && same(k, asked.p.mean, quiet.p.mean) &&
             same(k, asked.p.var, quiet.p.var) &&
             same(blocks, asked.p.block_mean, quiet.p.block_mean) &&
             same(blocks, asked.p.block_var, quiet.p.block_var);
      }
      for (int at = 0; at < size; at++) {
        posterior_whole_column(&asked.p, at, one);
        stub_keep_recent(&quiet.p, 1);
        posterior_whole_column(&quiet.p, at, other);
        ok = ok && same(size, one, other);
      }
      CHECK(ok && asked.p.n == quiet.p.n);
      stub_free();
    }
}

/* The same beliefs to the last bit, and the same columns of some arms. */
static int same_belief(const struct posterior *p, const struct posterior *q) {
  const int k = p->prior->k;
  const size_t size = (size_t)k * sizeof(double);
  double *one = stub_doubles((size_t)k), *other = stub_doubles((size_t)k);
  int same = p->n == q->n && p->loss == q->loss && memcmp(p->mean, q->mean, size) == 0 &&
             memcmp(p->var, q->var, size) == 0;
  for (int i = 0; i < 6; i++) {
    const int arm = whole(k);
    posterior_column(p, arm, one);
    posterior_column(q, arm, other);
    same = same && memcmp(one, other, size) == 0;
  }
  return same;
}

/* Recent columns change no bit: asked for in any order, with pulls of the same arms and of
 * others in between, after compacting, and after a new start. */
static void check_recent(enum prior_kind kind, int k, enum noise noise, int sets) {
  const int n = 90;
  struct problem problem;
  problem_random(&problem, kind, k, PLAIN);
  struct stub_run kept, plain;
  stub_run_new(&kept, &problem.prior, policy_at(0), n, columns_for(&problem.prior, n));
  stub_run_new(&plain, &problem.prior, policy_at(0), n, columns_for(&problem.prior, n));
  plain.p.recent = NULL;
  stub_keep_recent(&kept.p, sets);
  for (int start = 0; start < 2; start++) {
    struct told o = told_random(&problem, n, noise);
    posterior_start(&kept.p);
    posterior_start(&plain.p);
    int ok = same_belief(&kept.p, &plain.p);
    for (int i = 0; i < n; i++) {
      if (!isnan(o.y[i])) {
        posterior_learn(&kept.p, o.arm[i], -1, o.y[i], o.noise2[i]);
        posterior_learn(&plain.p, o.arm[i], -1, o.y[i], o.noise2[i]);
      }
      if (i % 37 == 36) {
        stub_run_compact(&kept);
        stub_run_compact(&plain);
      }
      ok = ok && same_belief(&kept.p, &plain.p);
    }
    CHECK(ok);
  }
  stub_free();
}

static void test_recent(void) {
  const int sizes[] = {1, 2, 3, 7, 20, 45};
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int noise = 0; noise < NOISES; noise++)
      for (int s = 0; s < 6; s++)
        for (int sets = 1; sets <= 5; sets += 2)
          check_recent((enum prior_kind)kind, sizes[s], (enum noise)noise, sets);
}

/* Is a column that was asked for still there? */
static int is_kept(const struct posterior *p, int arm) {
  int there = 0;
  for (int i = 0; i < p->sets * RECENT; i++)
    there += p->recent[i].at == arm;
  return there == 1;
}

/* What is asked for is kept until RECENT others of its set are; what is learned drives nothing out. */
static void test_what_is_kept(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, 45, PLAIN);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 45, 45);
  stub_keep_recent(&run.p, 3);
  posterior_start(&run.p);
  double *column = stub_doubles(45);
  for (int arm = 0; arm < 3 * RECENT; arm++)
    posterior_column(&run.p, arm, column);
  for (int arm = 20; arm < 40; arm++)
    posterior_learn(&run.p, arm, -1, 1, 1);
  for (int arm = 0; arm < 3 * RECENT; arm++)
    CHECK(is_kept(&run.p, arm));
  posterior_column(&run.p, 0, column);
  posterior_column(&run.p, 3 * RECENT, column);
  CHECK(is_kept(&run.p, 0) && !is_kept(&run.p, 3) && is_kept(&run.p, 3 * RECENT));
  CHECK(is_kept(&run.p, 1) && is_kept(&run.p, 2));
  stub_free();
}

/* As many sets as half a megabyte holds, but at least one, and no more than 32. */
static void test_sets(void) {
  struct prior prior = {.k = 357};
  struct posterior p = {.prior = &prior};
  CHECK(recent_sets(&p) == 32);
  prior.k = 1000;
  CHECK(recent_sets(&p) == 16);
  prior.k = 100000;
  CHECK(recent_sets(&p) == 1);
}

/* Compacted now and then, the belief stays the same as without. */
static void test_compacting_on_the_way(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, 7, PLAIN);
  struct told o = told_random(&problem, 120, MIXED);
  struct twin twin = twin_new(&problem);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 120, 120);
  posterior_start(&run.p);
  for (int i = 0; i < 120; i++) {
    if (!isnan(o.y[i])) {
      posterior_learn(&run.p, o.arm[i], -1, o.y[i], o.noise2[i]);
      twin_learn(&twin, o.arm[i], o.y[i], o.noise2[i]);
    }
    if (i % 11 == 0) {
      stub_run_compact(&run);
    }
    CHECK(twin_agrees(&twin, &run.p, 1e-9));
  }
}

/* Exact observations: the first stands; an arm that is known is not learned again. */
static void test_exact_observations(void) {
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++) {
    double *x = stub_doubles(3);
    x[0] = x[1] = 1; /* arms 0 and 1 are the same, arm 2 is known beforehand */
    x[2] = 0;
    struct problem problem;
    problem_from(&problem, (enum prior_kind)kind, 3, 1, x, 4);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), 4, columns_for(&problem.prior, 4));
    posterior_start(&run.p);
    posterior_learn(&run.p, 0, -1, 1.5, 0);
    CHECK(run.p.mean[0] == 1.5 && run.p.var[0] == 0);
    posterior_learn(&run.p, 0, -1, -7, 0);
    posterior_learn(&run.p, 2, -1, 3, 0);
    CHECK(run.p.mean[0] == 1.5 && run.p.var[0] == 0);
    CHECK(run.p.mean[2] == 0 && run.p.var[2] == 0);
    CHECK(run.p.mean[1] == (kind == PRIOR_INDEPENDENT ? 0 : 1.5));
    CHECK(run.p.var[1] == (kind == PRIOR_INDEPENDENT ? 4 : 0));
    CHECK(posterior_resolved(&run.p) == (kind != PRIOR_INDEPENDENT));
    CHECK(run.p.pulls[0] == 2 && run.p.pulls[1] == 0 && run.p.pulls[2] == 1);
    CHECK(posterior_arms(&run.p) == 2);
    posterior_learn(&run.p, 1, -1, 1.5, 0);
    CHECK(run.p.mean[1] == 1.5 && run.p.var[1] == 0 && posterior_resolved(&run.p));
  }
}

/* Compacted before there are 2 * arms + 32 columns, and not before; never where nobody keeps
 * averages. */
static void test_full(void) {
  for (int averaged = 0; averaged < 2; averaged++) {
    struct problem problem;
    problem_random(&problem, PRIOR_DENSE, 5, PLAIN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), 90, 90);
    if (!averaged)
      run.p.average = NULL;
    posterior_start(&run.p);
    for (int n = 0, columns = 0; n < 90; n++) {
      const int arm = n % 3;
      const double y = norm_rand(), noise2 = 1;
      const struct observations one = {1, &arm, &y, &noise2, NULL};
      posterior_learn_all(&run.p, &one, run.r.index);
      columns = averaged && columns + 1 >= 2 * 3 + 32 ? 3 : columns + 1;
      CHECK(run.p.n == columns && run.p.last[arm] == columns - 1);
      CHECK(run.p.pulls[arm] == n / 3 + 1);
    }
    CHECK(posterior_arms(&run.p) == 3);
  }
}

/* With blocks every pull has a column of its own. */
static void test_full_blocks(void) {
  struct problem problem;
  problem_random(&problem, PRIOR_DENSE, 5, PLAIN);
  struct stub_run run;
  stub_run_blocked(&run, &problem.prior, policy_at(0), 90, 90, 4, 1);
  posterior_start(&run.p);
  for (int n = 0; n < 90; n++) {
    const int arm = n % 3, block = n % 4;
    const double y = norm_rand(), noise2 = 1;
    const struct observations one = {1, &arm, &y, &noise2, &block};
    posterior_learn_all(&run.p, &one, run.r.index);
    CHECK(run.p.n == n + 1 && run.p.block[n] == block);
  }
}

/* Failed pulls teach nothing; a log at once is learned as pull by pull, on a full matrix. */
static void check_all(enum prior_kind kind, int k, int n, enum noise noise) {
  const double tolerance = noise == EXACT || noise == SOME_EXACT ? 1e-6 : 1e-9;
  struct problem problem;
  problem_random(&problem, kind, k, PLAIN);
  struct told o = told_random(&problem, n, noise);
  struct twin twin = twin_new(&problem);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), n, columns_for(&problem.prior, n));
  posterior_start(&run.p);
  int pulls = 0, learned = 0;
  const struct observations all = {n, o.arm, o.y, o.noise2, NULL};
  posterior_learn_all(&run.p, &all, run.r.index);
  for (int i = 0; i < n; i++)
    if (!isnan(o.y[i])) {
      learned++;
      twin_learn(&twin, o.arm[i], o.y[i], o.noise2[i]);
    }
  for (int i = 0; i < k; i++)
    pulls += run.p.pulls[i];
  CHECK(pulls == learned);
  CHECK(learned < 2 * posterior_arms(&run.p) + 32 || run.p.n <= posterior_arms(&run.p));
  CHECK(twin_agrees(&twin, &run.p, tolerance));
  CHECK(cov_agrees(&twin, &run.p, tolerance));
  stub_free();
}

static void test_all(void) {
  const int sizes[] = {1, 4, 30}, budgets[] = {1, 30, 200};
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int noise = 0; noise < NOISES; noise++)
      for (int s = 0; s < 3; s++)
        for (int b = 0; b < 3; b++)
          check_all((enum prior_kind)kind, sizes[s], budgets[b], (enum noise)noise);
}

static void test_posterior_draws(void) {
  const int k = 6;
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (int odd = 0; odd < ODDITIES; odd++)
      for (int n = 0; n <= 9; n += 3) {
        struct problem problem;
        problem_random(&problem, (enum prior_kind)kind, k, (enum oddity)odd);
        struct told o = told_random(&problem, n, odd == PLAIN ? EXACT : NOISY);
        struct stub_run run;
        stub_run_new(&run, &problem.prior, policy_at(0), n,
                     columns_for(&problem.prior, n));
        posterior_start(&run.p);
        for (int i = 0; i < n; i++)
          if (!isnan(o.y[i]))
            posterior_learn(&run.p, o.arm[i], -1, o.y[i], o.noise2[i]);
        double *out = stub_doubles((size_t)k);
        double *cov = posterior_cov(&run.p);
        struct moments m = moments_new(k);
        for (int s = 0; s < 3000; s++) {
          draws_one(&run.p, out);
          moments_add(&m, out, run.p.mean);
        }
        for (int i = 0; i < k; i++)
          cov[i + k * i] = fmax(cov[i + k * i], 0);
        moments_check(&m, cov);
      }
}

/* The factor gives the posterior covariance back; cut short, the variances. */
static void test_posterior_factor(void) {
  for (int n = 0; n < 80; n++) {
    struct problem problem;
    const int k = 2 + whole(8), limit = n % 3 ? k : 1 + whole(k), pulls = whole(7);
    problem_random(&problem, (enum prior_kind)(1 + n % 3), k,
                   (enum oddity)(n % ODDITIES));
    struct told o = told_random(&problem, pulls, NOISY);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), pulls,
                 columns_for(&problem.prior, pulls));
    posterior_start(&run.p);
    for (int i = 0; i < pulls; i++)
      if (!isnan(o.y[i]))
        posterior_learn(&run.p, o.arm[i], -1, o.y[i], o.noise2[i]);
    const double most = problem.prior.most, *cov = posterior_cov(&run.p);
    /* All of them, or one less, the last one first. */
    const int m = k - n % 2;
    int *arms = stub_ints((size_t)m);
    for (int i = 0; i < m; i++)
      arms[i] = k - 1 - i;
    double *f = stub_doubles((size_t)m * (size_t)limit), *rest = stub_doubles((size_t)m);
    const int rank = posterior_factor(&run.p, m, arms, 1e-13 * most, limit, f, rest,
                                      stub_doubles((size_t)(k + limit)));
    const double *again = crossed(m, rank, f);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        if (i == j || rest[i] <= 1e-13 * most)
          CHECK(fabs(again[i + m * j] + (i == j ? rest[i] : 0) -
                     cov[arms[i] + k * arms[j]]) <= 1e-6 * most);
    CHECK(rank <= limit);
  }
}

/* P(best) and regret of two arms, whose difference is normal. */
static void test_certainty(void) {
  const int draws = 20000;
  for (int i = 0; i < 12; i++) {
    struct problem problem;
    problem_random(&problem, (enum prior_kind)(i % 3), 2, PLAIN);
    struct stub_run run;
    stub_run_new(&run, &problem.prior, policy_at(0), 2, columns_for(&problem.prior, 2));
    posterior_start(&run.p);
    posterior_learn(&run.p, 0, -1, norm_rand(), 0.5);
    posterior_learn(&run.p, 1, -1, norm_rand(), 0.7);
    double *work = stub_doubles(10), *best = stub_doubles(2);
    double *regret = stub_doubles((size_t)draws), sum = 0, least = 0;
    draws_certainty(&run.p, 1, draws, work, 10, best, regret);
    double *s = posterior_cov(&run.p);
    const double sd = sqrt(s[0] + s[3] - 2 * s[1]), d = run.p.mean[0] - run.p.mean[1];
    const double p = 0.5 * erfc(-d / sd / sqrt(2));
    const double expected =
        d * p + sd * exp(-d * d / (2 * sd * sd)) / sqrt(6.283185307179586);
    for (int j = 0; j < draws; j++) {
      sum += regret[j];
      least = fmin(least, regret[j]);
    }
    CHECK(fabs(best[0] - p) <= 5 * sqrt(p * (1 - p) / draws) + 1e-12);
    CHECK(near(best[0] + best[1], 1, 1e-12));
    CHECK(least == 0);
    CHECK(fabs(sum / draws - expected) <= 5 * sd / sqrt(draws));
  }
}

static void test_floor(void) {
  struct problem problem;
  problem_from(&problem, PRIOR_INDEPENDENT, 4, 1, normals(4), 0);
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 1, 0);
  posterior_start(&run.p);
  CHECK(posterior_resolved(&run.p));
  problem.prior.scale = 9;
  prior_finish(&problem.prior);
  posterior_start(&run.p);
  CHECK(!posterior_resolved(&run.p));
  const double sd[3] = {0, 3, 1};
  CHECK(posterior_floor(3, sd) > 0 && posterior_floor(3, sd) < 1e-6 * 3);
}

/* One arm is pulled again and again under ever vaguer priors: its variance is noise / n, more
 * than rounding leaves, and the run goes on. An exact pull ends it. */
static void test_vague_priors(void) {
  for (int kind = PRIOR_INDEPENDENT; kind <= PRIOR_KERNEL; kind++)
    for (double size = 1; size < 1e40; size *= 1e6) {
      struct problem problem;
      problem_random(&problem, (enum prior_kind)kind, 3, PLAIN);
      problem.prior.scale = size;
      prior_finish(&problem.prior);
      struct stub_run run;
      stub_run_new(&run, &problem.prior, policy_at(0), 6, columns_for(&problem.prior, 6));
      posterior_start(&run.p);
      for (int n = 1; n <= 4; n++) {
        posterior_learn(&run.p, 1, -1, norm_rand(), 1e-6);
        const double prior_pulls = 1e-6 / prior_var(&problem.prior, 1);
        CHECK(near(run.p.var[1], 1e-6 / (n + prior_pulls), 1e-9 * 1e-6));
        CHECK(run.p.var[1] > posterior_rounding(&run.p, 1));
        CHECK(!posterior_resolved(&run.p));
      }
      posterior_learn(&run.p, 1, -1, 0.5, 0);
      CHECK(run.p.var[1] == 0 && near(run.p.mean[1], 0.5, 1e-9));
    }
}

/* Copies of one arm: the exact reward told first stands, before and after compacting. */
static void test_first_exact_stands(void) {
  double ones[3] = {1, 1, 1};
  struct problem problem;
  problem_from(&problem, PRIOR_FEATURES, 3, 1, ones, 1);
  const int arm[6] = {2, 0, 1, 0, 2, 1};
  const double y[6] = {7, 1, 2, 3, 8, 2}, noise2[6] = {1, 0, 0, 0, 1, 0};
  struct stub_run run;
  stub_run_new(&run, &problem.prior, policy_at(0), 6, 6);
  posterior_start(&run.p);
  for (int i = 0; i < 6; i++)
    posterior_learn(&run.p, arm[i], -1, y[i], noise2[i]);
  for (int i = 0; i < 3; i++)
    CHECK(near(run.p.mean[i], 1, 1e-12));
  stub_run_compact(&run);
  for (int i = 0; i < 3; i++)
    CHECK(near(run.p.mean[i], 1, 1e-12));
}

const struct test TESTS_POSTERIOR[] = {
    {"posterior against a full matrix", test_recursion},
    {"blocks against a full matrix", test_blocks},
    {"draws of arms and blocks", test_block_draws},
    {"recent columns with blocks", test_recent_blocks},
    {"recent columns change no bit", test_recent},
    {"which recent columns are kept", test_what_is_kept},
    {"how many recent columns are kept", test_sets},
    {"compacting on the way", test_compacting_on_the_way},
    {"exact observations", test_exact_observations},
    {"when to compact", test_full},
    {"no compacting with blocks", test_full_blocks},
    {"a log at once", test_all},
    {"posterior draws", test_posterior_draws},
    {"posterior: factor", test_posterior_factor},
    {"certainty", test_certainty},
    {"floor", test_floor},
    {"vague priors", test_vague_priors},
    {"the first exact reward stands", test_first_exact_stands},
    {0},
};
