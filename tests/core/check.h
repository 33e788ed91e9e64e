/* What every test uses: checks, which are counted, and random input, which is the same
 * whenever the test is run. All memory comes in blocks of exactly the sizes that the headers
 * of the core ask for (stubs.h), so that the sanitizers see a step past any of them. */
#ifndef BAYESGAP_CHECK_H
#define BAYESGAP_CHECK_H

/* A test and its name, which gives its seed. Lists of them end with an empty one. */
struct test {
  const char *name;
  void (*run)(void);
};

#define CHECK(condition) check(condition, __FILE__, __LINE__, #condition)
void check(int ok, const char *file, int line, const char *what);

/* The checks so far. */
extern int check_passed, check_failed;

int near(double a, double b, double tolerance);
int all_near(int n, const double *a, const double *b, double tolerance);
int same(int n, const double *a, const double *b);

/* ---- Random input ------------------------------------------------------------------ */

/* A whole number from 0 to n - 1. */
int whole(int n);

double *normals(int n);

/* Small whole numbers, so that there are ties. */
double *integers(int n, int values);

double *copy(int n, const double *x);

/* X X' of a k x d matrix. */
double *crossed(int k, int d, const double *x);

/* A positive definite matrix. */
double *definite(int k);

#endif
