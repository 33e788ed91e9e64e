/* Serializations of data pass, everything else is refused. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plain.h"
#include "stubs.h"

/* Values as R writes them, made by hand: a word is four bytes, the highest first. */
struct script {
  unsigned char bytes[512];
  size_t n;
};

static void put(struct script *s, unsigned word) {
  for (int shift = 24; shift >= 0; shift -= 8)
    s->bytes[s->n++] = (unsigned char)(word >> shift);
}

static void put_words(struct script *s, int n, const unsigned *words) {
  for (int i = 0; i < n; i++)
    put(s, words[i]);
}

static void put_chars(struct script *s, const char *text) {
  put(s, 0x40009);
  put(s, (unsigned)strlen(text));
  memcpy(s->bytes + s->n, text, strlen(text));
  s->n += strlen(text);
}

/* The tag of an attribute, when its name comes for the first time. */
static void put_tag(struct script *s, const char *name) {
  put(s, 0x402);
  put(s, 1);
  put_chars(s, name);
}

static struct script new_script(void) {
  struct script s = {"X\n\0\0\0\2\0\4\2\2\0\2\3\0", 14};
  return s;
}

#define PUT(script, ...)                                                                 \
  put_words(script, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),          \
            (const unsigned[]){__VA_ARGS__})

/* In a block of just that size. */
static int is_plain(const struct script *s) {
  unsigned char *bytes = stub_block(s->n, 1);
  memcpy(bytes, s->bytes, s->n);
  return plain_fault(bytes, s->n, 3) == NULL;
}

/* Whole it is plain; shorter or longer it is not. */
static int is_whole(const struct script *s) {
  struct script part = *s;
  int ok = is_plain(s);
  for (part.n = 0; part.n < s->n; part.n++)
    ok = ok && !is_plain(&part);
  part.n = s->n + 1;
  return ok && !is_plain(&part);
}

enum { AN_INT = 13, A_LIST = 19, WITH = 0x200, A_CLASS = 0x300, NOTHING = 254 };

static void test_plain_values(void) {
  struct script s = new_script();
  PUT(&s, NOTHING);
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, AN_INT, 2, 7, 0x80000000);
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, 16, 2, 9, 0xffffffff); /* c(NA, "ab") */
  put_chars(&s, "ab");
  CHECK(is_whole(&s));
  s.bytes[s.n - 1] = 0;
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, A_LIST, 3, NOTHING, 14, 1, 0, 0, 10, 2, 1, 0x80000000);
  CHECK(is_whole(&s));
  s.bytes[s.n - 5] = 2; /* neither TRUE nor FALSE nor NA */
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, AN_INT, 0xffffffff, 0, 1, 5); /* a length in two words */
  CHECK(is_whole(&s));
}

static void test_plain_refused(void) {
  /* Symbols, pair lists, functions, environments, promises, calls, built-ins, expressions, byte
   * code, pointers, S4; and what stands for environments, packages, other forms, references. */
  for (unsigned type = 0; type < 256; type++) {
    struct script s = new_script();
    PUT(&s, type, 0);
    const int data = type == 10 || (type >= 13 && type <= 16) || type == 19 || type == 24;
    CHECK(is_plain(&s) == data);
  }
  for (int bit = 8; bit < 32; bit++) {
    struct script s = new_script();
    PUT(&s, AN_INT | 1u << bit, 0);
    CHECK(is_plain(&s) == (bit == 17)); /* room to grow */
  }
  struct script s = new_script();
  s.bytes[5] = 3; /* another version */
  PUT(&s, NOTHING);
  CHECK(!is_plain(&s));
  static const unsigned lengths[] = {1, 0x7fffffff, 0x80000000, 0xfffffffe};
  for (int i = 0; i < 4; i++) {
    s = new_script();
    PUT(&s, A_LIST, lengths[i]);
    CHECK(!is_plain(&s));
  }
  s = new_script();
  PUT(&s, 14, 0xffffffff, 0x80000000, 0); /* more bytes than there are numbers for */
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, A_LIST, 1, A_LIST, 1, A_LIST, 0); /* as deep as allowed, and deeper */
  CHECK(is_whole(&s));
  s = new_script();
  PUT(&s, A_LIST, 1, A_LIST, 1, A_LIST, 1, A_LIST, 0);
  CHECK(!is_plain(&s));
}

/* Six whole numbers with one attribute, a vector of whole numbers. */
static struct script with_numbers(const char *name, int n, const unsigned *value) {
  struct script s = new_script();
  PUT(&s, AN_INT | WITH, 6, 1, 2, 3, 4, 5, 6);
  put_tag(&s, name);
  PUT(&s, AN_INT, (unsigned)n);
  put_words(&s, n, value);
  PUT(&s, NOTHING);
  return s;
}

#define NUMBERS(name, ...)                                                               \
  with_numbers(name, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),         \
               (const unsigned[]){__VA_ARGS__})

/* n whole numbers with an attribute of one string. */
static struct script with_string(unsigned flags, unsigned n, const char *name) {
  struct script s = new_script();
  PUT(&s, AN_INT | flags, n);
  for (unsigned i = 0; i < n; i++)
    PUT(&s, i);
  put_tag(&s, name);
  PUT(&s, 16, 1);
  put_chars(&s, "a");
  PUT(&s, NOTHING);
  return s;
}

static void test_plain_attributes(void) {
  struct script s = NUMBERS("dim", 2, 3);
  CHECK(is_whole(&s));
  s = NUMBERS("note", 1000, 1000); /* of which R knows nothing */
  CHECK(is_whole(&s));
  s = NUMBERS("row.names", 0x80000000, 1);
  CHECK(is_whole(&s));
  static const unsigned wrong[][2] = {
      {2, 2}, {1000, 1000}, {0, 6}, {0xfffffffe, 0xfffffffd}, {0x40000000, 4}};
  for (int i = 0; i < 5; i++) {
    s = with_numbers("dim", 2, wrong[i]);
    CHECK(!is_plain(&s));
  }
  static const char *const other[] = {"names", "class", "dimnames", "tsp", "comment"};
  for (int i = 0; i < 5; i++) {
    s = NUMBERS(other[i], 1, 2);
    CHECK(!is_plain(&s));
  }
  s = with_string(WITH, 1, "names");
  CHECK(is_whole(&s));
  s = with_string(WITH, 2, "names");
  CHECK(!is_plain(&s));
  s = with_string(A_CLASS, 2, "class");
  CHECK(is_whole(&s));
  s = with_string(WITH, 2, "class"); /* no object */
  CHECK(!is_plain(&s));
  s = with_string(A_CLASS, 2, "comment"); /* an object without a class */
  CHECK(!is_plain(&s));
  s = with_string(WITH, 2, "");
  CHECK(!is_plain(&s));
}

/* A 1 x 2 matrix whose columns have so many names, and whose extents come last. */
static struct script named_columns(unsigned names, int late) {
  struct script s = new_script();
  PUT(&s, AN_INT | WITH, 2, 8, 9);
  for (int i = 0; i < 2; i++)
    if (i == late) {
      put_tag(&s, "dim");
      PUT(&s, AN_INT, 2, 1, 2);
    } else {
      put_tag(&s, "dimnames");
      PUT(&s, A_LIST, 2, NOTHING, 16, names);
      for (unsigned j = 0; j < names; j++)
        put_chars(&s, "n");
    }
  PUT(&s, NOTHING);
  return s;
}

static void test_plain_references(void) {
  struct script s = named_columns(2, 0);
  CHECK(is_whole(&s));
  s = named_columns(3, 0);
  CHECK(!is_plain(&s));
  s = named_columns(2, 1);
  CHECK(!is_plain(&s));
  /* A second value refers to the symbol that came with the first: by number, in one word or two. */
  for (unsigned size = 1; size < 3; size++)
    for (int form = 0; form < 2; form++)
      for (unsigned index = 0; index < 3; index++) {
        s = new_script();
        PUT(&s, A_LIST, 2, AN_INT | WITH, 1, 5);
        put_tag(&s, "dim");
        PUT(&s, AN_INT, 1, 1, NOTHING, AN_INT | WITH, 1, 5, 0x402);
        if (form)
          PUT(&s, 255, index);
        else
          PUT(&s, index << 8 | 255);
        PUT(&s, AN_INT, 1, size, NOTHING);
        /* Number 0 in one word says that the next one tells it. */
        CHECK(is_plain(&s) == (index == 1 && size == 1));
      }
  /* The same symbol, or the same attribute, may not come twice. */
  s = new_script();
  PUT(&s, AN_INT | WITH, 1, 5);
  for (int i = 0; i < 2; i++) {
    put_tag(&s, "dim");
    PUT(&s, AN_INT, 1, 1);
  }
  PUT(&s, NOTHING);
  CHECK(!is_plain(&s));
  s = new_script();
  PUT(&s, AN_INT | WITH, 1, 5);
  put_tag(&s, "dim");
  PUT(&s, AN_INT, 1, 1, 0x402, 1 << 8 | 255, AN_INT, 1, 1, NOTHING);
  CHECK(!is_plain(&s));
}

const struct test TESTS_PLAIN[] = {
    {"values", test_plain_values},
    {"refused", test_plain_refused},
    {"attributes", test_plain_attributes},
    {"references", test_plain_references},
    {0},
};
