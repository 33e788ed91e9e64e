#include "plain.h"

#include <stdint.h>
#include <string.h>

/* The types of R's format that are let through. */
enum type {
  SYMBOL = 1,
  PAIR = 2,
  CHARS = 9,
  LOGICAL = 10,
  INTEGER = 13,
  REAL = 14,
  COMPLEX = 15,
  STRINGS = 16,
  LIST = 19,
  RAW = 24,
  NIL = 254,
  REFERENCE = 255
};

/* Besides the type: an object, attributes follow, a tag follows; a vector that has room to grow. */
enum { OBJECT = 1 << 8, ATTRIBUTES = 1 << 9, TAG = 1 << 10, GROWABLE = 1 << 17 };

/* The encodings of a string. */
enum { BYTES = 1 << 13, LATIN1 = 1 << 14, UTF8 = 1 << 15, ASCII = 1 << 18 };

/* Attributes whose form R relies on. */
enum guarded { NAMES, DIM, DIMNAMES, CLASS, ROW_NAMES, TSP, COMMENT, GUARDED };
static const char *const GUARDED_NAMES[] = {"names",     "dim", "dimnames", "class",
                                            "row.names", "tsp", "comment"};

/* Symbols are numbered in the order in which they come, and referred to by that number later. */
struct reader {
  const unsigned char *at;
  size_t left;
  const char *fault;
  uint32_t symbols, guarded[GUARDED]; /* 0: has not come yet */
};

struct item {
  int type;
  size_t length;
  const unsigned char *data; /* the elements of a vector of numbers */
};

static void fail(struct reader *r, const char *fault) {
  if (!r->fault)
    r->fault = fault;
  r->left = 0;
}

static void require(struct reader *r, int condition, const char *fault) {
  if (!condition)
    fail(r, fault);
}

/* NULL where there are not so many bytes left. */
static const unsigned char *take(struct reader *r, size_t n) {
  if (n > r->left) {
    fail(r, "ends too early");
    return NULL;
  }
  const unsigned char *at = r->at;
  r->at += n;
  r->left -= n;
  return at;
}

static uint32_t word_at(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t word(struct reader *r) {
  const unsigned char *at = take(r, 4);
  return at ? word_at(at) : 0;
}

/* The number of elements, each of which takes at least `size` bytes. */
static size_t count(struct reader *r, size_t size) {
  uint64_t n = word(r);
  if (n == UINT32_MAX) {
    n = (uint64_t)word(r) << 32;
    n |= word(r);
  } else {
    require(r, n <= INT32_MAX, "has a negative length");
  }
  require(r, n <= r->left / size, "ends too early");
  return r->fault ? 0 : (size_t)n;
}

/* ---- Strings and symbols ----------------------------------------------------------- */

static struct item chars(struct reader *r) {
  const uint32_t flags = word(r), encodings = BYTES | LATIN1 | UTF8 | ASCII;
  struct item it = {CHARS, 0, NULL};
  require(r, (flags & ~encodings) == CHARS,
          "has something else where a string should be");
  const uint32_t n = word(r);
  if (r->fault || n == UINT32_MAX) /* NA */
    return it;
  require(r, n <= INT32_MAX, "has a negative length");
  it.length = n;
  it.data = take(r, n);
  require(r, !it.data || !memchr(it.data, 0, n), "has a string with a zero in it");
  return it;
}

static int is_named(const struct item *it, const char *name) {
  return it->length == strlen(name) && memcmp(it->data, name, it->length) == 0;
}

/* Which of the guarded attributes a tag stands for, GUARDED: none. */
static int tag(struct reader *r) {
  const uint32_t flags = word(r);
  if ((flags & 0xff) == REFERENCE) {
    const uint32_t index = flags >> 8 ? flags >> 8 : word(r);
    require(r, index >= 1 && index <= r->symbols, "refers to what is not there");
    for (int i = 0; !r->fault && i < GUARDED; i++)
      if (r->guarded[i] == index)
        return i;
    return GUARDED;
  }
  require(r, flags == SYMBOL, "has an attribute without a name");
  const struct item name = chars(r);
  require(r, name.length > 0, "has an attribute without a name");
  r->symbols++;
  for (int i = 0; !r->fault && i < GUARDED; i++)
    if (is_named(&name, GUARDED_NAMES[i])) {
      require(r, r->guarded[i] == 0, "has a symbol twice");
      r->guarded[i] = r->symbols;
      return i;
    }
  return GUARDED;
}

/* ---- Attributes -------------------------------------------------------------------- */

/* The extent i of a `dim`; a negative one is larger than any length. */
static size_t extent(const struct item *dim, size_t i) {
  const uint32_t n = word_at(dim->data + 4 * i);
  return n > INT32_MAX ? SIZE_MAX : n;
}

static int is_dim(const struct item *it, size_t length) {
  if (it->type != INTEGER || it->length == 0)
    return 0;
  size_t product = 1;
  for (size_t i = 0; i < it->length; i++) {
    const size_t n = extent(it, i);
    if (n != 0 && product > SIZE_MAX / n)
      return 0;
    product *= n;
  }
  return product == length;
}

/* The names of the rows, of the columns, ... */
static int is_extent_names(const struct item *it, const struct item *dim, size_t i) {
  return it->type == STRINGS && i < dim->length && it->length == extent(dim, i);
}

static int is_sound(int which, const struct item *it, const struct item *of,
                    const struct item *dim) {
  const int strings = it->type == STRINGS;
  switch (which) {
  case NAMES:
    return strings && it->length == of->length;
  case DIM:
    return is_dim(it, of->length);
  case DIMNAMES: /* its elements were compared with `dim` as they came */
    return it->type == LIST && it->length == dim->length;
  case CLASS:
    return strings && it->length > 0;
  case ROW_NAMES:
    return strings || it->type == INTEGER;
  case TSP:
    return it->type == REAL && it->length == 3;
  case COMMENT:
    return strings;
  default:
    return 1;
  }
}

static struct item value(struct reader *r, int depth, const struct item *dim);

static void attributes(struct reader *r, int depth, const struct item *of, int object) {
  struct item dim = {NIL, 0, NULL};
  int seen[GUARDED + 1] = {0};
  uint32_t flags;
  while ((flags = word(r)) != NIL && !r->fault) {
    require(r, flags == (PAIR | TAG), "has an attribute without a name");
    const int which = tag(r);
    require(r, which == GUARDED || !seen[which], "has an attribute twice");
    const struct item it = value(r, depth, which == DIMNAMES ? &dim : NULL);
    require(r, is_sound(which, &it, of, &dim), "has an attribute that does not fit");
    seen[which] = 1;
    if (which == DIM)
      dim = it;
  }
  require(r, seen[CLASS] == object, "has a class that does not fit");
}

/* ---- Values ------------------------------------------------------------------------ */

static void check_logical(struct reader *r, const struct item *it) {
  for (size_t i = 0; !r->fault && i < it->length; i++) {
    const uint32_t n = word_at(it->data + 4 * i);
    require(r, n <= 1 || n == 0x80000000, "has a truth value that is none");
  }
}

/* Bytes that an element takes, at least; 0: not a vector of data. */
static size_t element_size(int type) {
  switch (type) {
  case LOGICAL:
  case INTEGER:
  case LIST:
    return 4;
  case REAL:
  case STRINGS:
    return 8;
  case COMPLEX:
    return 16;
  case RAW:
    return 1;
  default:
    return 0;
  }
}

/* dim: NULL, or the extents by which the elements of a list must be named. */
static void elements(struct reader *r, int depth, struct item *it,
                     const struct item *dim) {
  if (it->type == STRINGS) {
    for (size_t i = 0; !r->fault && i < it->length; i++)
      chars(r);
  } else if (it->type == LIST) {
    for (size_t i = 0; !r->fault && i < it->length; i++) {
      const struct item one = value(r, depth, NULL);
      if (dim && one.type != NIL)
        require(r, is_extent_names(&one, dim, i), "has an attribute that does not fit");
    }
  } else {
    it->data = take(r, it->length * element_size(it->type));
    if (it->type == LOGICAL)
      check_logical(r, it);
  }
}

static struct item value(struct reader *r, int depth, const struct item *dim) {
  const uint32_t flags = word(r), known = 0xff | OBJECT | ATTRIBUTES | GROWABLE;
  struct item it = {(int)(flags & 0xff), 0, NULL};
  if (r->fault || flags == NIL)
    return it;
  const size_t size = element_size(it.type);
  require(r, size > 0 && (flags & ~known) == 0,
          "holds a function, an environment or another thing that is not data");
  require(r, depth > 0, "is nested too deeply");
  if (r->fault)
    return it;
  it.length = count(r, size);
  elements(r, depth - 1, &it, dim);
  if (flags & ATTRIBUTES)
    attributes(r, depth - 1, &it, (flags & OBJECT) != 0);
  else
    require(r, !(flags & OBJECT), "has a class that does not fit");
  return it;
}

const char *plain_fault(const unsigned char *bytes, size_t n, int depth) {
  struct reader r = {bytes, n, NULL, 0, {0}};
  /* X and a line end; the version, that of R which wrote it, and that which may read it. */
  const unsigned char *head = take(&r, 14);
  require(&r, head && memcmp(head, "X\n\0\0\0\2", 6) == 0, "does not begin as data does");
  value(&r, depth, NULL);
  require(&r, r.left == 0, "does not end where it should");
  return r.fault;
}
