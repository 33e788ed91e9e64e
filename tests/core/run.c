/* The C core by itself: every function against a slow and obvious twin, or against independent
 * numbers. A test starts its random numbers from its own name, so that the order of tests does
 * not matter: `reverse` as an argument turns it round.
 *
 * A file of tests has one list, which is named twice here. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "place.h"
#include "stubs.h"

extern const struct test TESTS_LINALG[], TESTS_STUDENT[], TESTS_EVIDENCE[],
    TESTS_KERNEL[], TESTS_PRIOR[], TESTS_POSTERIOR[], TESTS_GAP[], TESTS_POLICY[],
    TESTS_POLICY_BAYESGAP[], TESTS_ENGINE[], TESTS_CORRIDOR[], TESTS_STORE[],
    TESTS_EIGEN[], TESTS_INTERRUPT[], TESTS_PLAIN[], TESTS_BLOCK[], TESTS_AVERAGE[],
    TESTS_ENVELOPE[], TESTS_COVARIANCE[], TESTS_POLICY_KG[], TESTS_POLICY_MES[],
    TESTS_DRAWS[], TESTS_CONTEST[], TESTS_STREAM[], TESTS_NORMALS[];

static const struct test *const SUITES[] = {
    TESTS_LINALG,          TESTS_STUDENT,    TESTS_EVIDENCE,  TESTS_KERNEL,
    TESTS_PRIOR,           TESTS_POSTERIOR,  TESTS_GAP,       TESTS_POLICY,
    TESTS_POLICY_BAYESGAP, TESTS_ENGINE,     TESTS_CORRIDOR,  TESTS_STORE,
    TESTS_EIGEN,           TESTS_INTERRUPT,  TESTS_PLAIN,     TESTS_BLOCK,
    TESTS_ENVELOPE,        TESTS_COVARIANCE, TESTS_POLICY_KG, TESTS_POLICY_MES,
    TESTS_DRAWS,           TESTS_AVERAGE,    TESTS_CONTEST,   TESTS_STREAM,
    TESTS_NORMALS,
};
enum { COUNT = sizeof SUITES / sizeof SUITES[0] };

/* The parts of other processes in a test of the store. */
int store_turns(const char *folder);
int store_reads(const char *folder);

/* FNV-1a. */
static uint64_t hash(const char *text) {
  uint64_t h = 14695981039346656037u;
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 1099511628211u;
  return h;
}

static void run(const struct test *test) {
  const int before = check_failed;
  stub_seed(hash(test->name));
  test->run();
  stub_free();
  if (check_failed > before)
    printf("%s: %d failed\n", test->name, check_failed - before);
  fflush(stdout);
}

static int length(const struct test *tests) {
  int n = 0;
  while (tests[n].name)
    n++;
  return n;
}

int main(int argc, char **argv) {
  place_program = argv[0];
  if (argc == 3 && strcmp(argv[1], "turns") == 0)
    return store_turns(argv[2]);
  if (argc == 3 && strcmp(argv[1], "reads") == 0)
    return store_reads(argv[2]);
  const int reverse = argc > 1 && strcmp(argv[1], "reverse") == 0;
  for (int i = 0; i < COUNT; i++) {
    const struct test *tests = SUITES[reverse ? COUNT - 1 - i : i];
    const int n = length(tests);
    for (int j = 0; j < n; j++)
      run(tests + (reverse ? n - 1 - j : j));
  }
  printf("%d passed, %d failed, 0 skipped\n", check_passed, check_failed);
  return check_failed > 0;
}
