/* Files, checksums and processes. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "place.h"
#include "store.h"
#include "stubs.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

static void test_checksum(void) {
  const unsigned char *digits = (const unsigned char *)"123456789";
  const uint64_t all = store_checksum(0, digits, 9); /* the published check value */
  CHECK(all == 0x995dc9bbdf1939fa);
  CHECK(store_checksum(0, NULL, 0) == 0);
  for (size_t n = 0; n <= 9; n++)
    CHECK(store_checksum(store_checksum(0, digits, n), digits + n, 9 - n) == all);
  /* One bit at a time. */
  for (int run = 0; run < 50; run++) {
    const int n = 1 + whole(64);
    unsigned char *bytes = stub_block((size_t)n, 1);
    for (int i = 0; i < n; i++)
      bytes[i] = (unsigned char)whole(256);
    const uint64_t sum = store_checksum(0, bytes, (size_t)n);
    int seen = 1;
    for (int i = 0; i < 8 * n; i++) {
      bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ (1 << i % 8));
      seen = seen && store_checksum(0, bytes, (size_t)n) != sum;
      bytes[i / 8] = (unsigned char)(bytes[i / 8] ^ (1 << i % 8));
    }
    CHECK(seen && store_checksum(0, bytes, (size_t)n) == sum);
    stub_free();
  }
}

/* Does the file hold these n bytes and no more? */
static int holds(const char *path, const void *bytes, size_t n) {
  const unsigned char *all = bytes;
  FILE *file = place_open(path, "rb");
  if (file == NULL)
    return 0;
  int same = 1;
  for (size_t i = 0; i < n; i++)
    same = same && fgetc(file) == all[i];
  same = same && fgetc(file) == EOF;
  fclose(file);
  return same;
}

static int put(const char *path, const char *text, enum store_mode mode) {
  return store_write(path, (const unsigned char *)text, strlen(text), mode);
}

static void test_store_write(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  const size_t n = 3u << 20; /* more than is written at a time */
  unsigned char *bytes = stub_block(n, 1);
  for (size_t i = 0; i < n; i++)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  CHECK(store_write(path, bytes, n, STORE_NEW) == 0 && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_NEW) == EEXIST && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_REPLACE) == 0 && holds(path, bytes, 5));
  CHECK(store_write(path, bytes, 0, STORE_REPLACE) == 0 && holds(path, bytes, 0));
  store_settle(folder);
  CHECK(store_remove(path) == 0 && place_remove_folder(folder));
}

static int add(const char *path, size_t size, const char *old, const char *next,
               const void *bytes, size_t n) {
  const struct store_growth g = {
      size, strlen(old), n, (const unsigned char *)old, (const unsigned char *)next,
      bytes};
  return store_grow(path, &g);
}

static void test_grow(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  CHECK(add(path, 0, "", "", "ab", 2) == ENOENT && store_kind_of(path) == STORE_NOTHING);
  CHECK(put(path, "one\nrest", STORE_NEW) == 0);
  CHECK(add(path, 8, "one", "two", "\r\nmore", 6) == 0);
  CHECK(holds(path, "two\nrest\r\nmore", 14));
  CHECK(add(path, 14, "two\n", "six\n", "", 0) == 0);
  CHECK(holds(path, "six\nrest\r\nmore", 14));
  /* Of another size, or with another beginning: it is not what it is taken for. */
  CHECK(add(path, 13, "six", "ten", "x", 1) == EINVAL);
  CHECK(add(path, 15, "six", "ten", "x", 1) == EINVAL);
  CHECK(add(path, 14, "sex", "ten", "x", 1) == EINVAL);
  CHECK(add(path, 14, "six\nrest\r\nmore and more", "six\nrest\r\nmore and less", "x",
            1) == EINVAL);
  CHECK(holds(path, "six\nrest\r\nmore", 14));
  const size_t n = (3u << 20) + 5; /* more than is written, or read, at a time */
  unsigned char *bytes = stub_block(n, 1);
  for (size_t i = 0; i < n; i++)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  memcpy(bytes, "six\nrest\r\nmore", 14);
  CHECK(add(path, 14, "six", "six", bytes + 14, n - 14) == 0 && holds(path, bytes, n));
  CHECK(store_remove(path) == 0);
  CHECK(add(folder, 0, "", "", "ab", 2) != 0);
  CHECK(place_remove_folder(folder));
}

/* One who reads the file while it grows has what it opened, and more. */
static void test_grow_open_file(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  CHECK(put(path, "abcdef", STORE_NEW) == 0);
  FILE *reader = place_open(path, "rb");
  CHECK(reader != NULL && fgetc(reader) == 'a');
  CHECK(add(path, 6, "ab", "xy", "gh", 2) == 0 && holds(path, "xycdefgh", 8));
  fclose(reader);
  CHECK(store_remove(path) == 0 && place_remove_folder(folder));
}

#ifndef _WIN32
/* What outgrows a limit is taken back, and the process goes on. */
static void test_grow_limited(void) {
  char folder[PLACE], path[PLACE];
  struct rlimit before, now;
  place_new(folder);
  place_in(folder, "file", path);
  CHECK(put(path, "abcdef", STORE_NEW) == 0);
  unsigned char *bytes = stub_block(9000, 1);
  memset(bytes, 'z', 9000);
  CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
  now = before;
  now.rlim_cur = 4096;
  CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
  const int status = add(path, 6, "ab", "xy", bytes, 9000);
  CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(status == EFBIG && holds(path, "abcdef", 6));
  CHECK(add(path, 6, "ab", "xy", bytes, 2) == 0 && holds(path, "xycdefzz", 8));
  CHECK(store_remove(path) == 0 && place_remove_folder(folder));
}
#endif

/* Line ends of every system, the end of a text on Windows and that of a string in C. */
static void test_bytes(void) {
  char folder[PLACE], path[PLACE];
  const unsigned char bytes[] = {'a', '\n', 'b', '\r', '\n', 'c', '\r', 26, 0, '\n', 255};
  place_new(folder);
  place_in(folder, "file", path);
  CHECK(store_write(path, bytes, sizeof bytes, STORE_NEW) == 0);
  CHECK(holds(path, bytes, sizeof bytes));
  CHECK(store_remove(path) == 0 && place_remove_folder(folder));
}

static void test_replace(void) {
  char folder[PLACE], path[PLACE], part[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  place_in(folder, "part", part);
  CHECK(store_replace(part, path) == ENOENT && store_remove(part) == ENOENT);
  CHECK(put(part, "new", STORE_NEW) == 0);
  CHECK(store_replace(part, path) == 0 && holds(path, "new", 3));
  CHECK(store_kind_of(part) == STORE_NOTHING);
  CHECK(put(part, "newer", STORE_NEW) == 0);
  CHECK(store_replace(part, path) == 0 && holds(path, "newer", 5));
  CHECK(store_remove(path) == 0 && store_kind_of(path) == STORE_NOTHING);
  CHECK(place_remove_folder(folder));
}

/* Someone reads the file. Windows lets go of neither the name nor the file until that ends;
 * elsewhere the reader keeps what it opened. */
static void test_open_file(void) {
  char folder[PLACE], path[PLACE], part[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  place_in(folder, "part", part);
  CHECK(put(path, "old", STORE_NEW) == 0 && put(part, "newer", STORE_NEW) == 0);
  FILE *reader = place_open(path, "rb");
  CHECK(reader != NULL && fgetc(reader) == 'o');
#ifdef _WIN32
  CHECK(store_replace(part, path) == EACCES && store_remove(path) == EACCES);
  CHECK(holds(path, "old", 3) && holds(part, "newer", 5));
#else
  CHECK(store_replace(part, path) == 0 && holds(path, "newer", 5));
  CHECK(store_remove(path) == 0 && put(part, "newer", STORE_NEW) == 0);
#endif
  CHECK(fgetc(reader) == 'l' && fgetc(reader) == 'd' && fgetc(reader) == EOF);
  fclose(reader);
  CHECK(store_replace(part, path) == 0 && holds(path, "newer", 5));
  CHECK(store_remove(path) == 0 && place_remove_folder(folder));
}

static void test_names(void) {
  const char *const names[] = {"with blanks in it", "quote's & (more) %TEMP% $HOME",
                               "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f",
                               "\xd0\xbc\xd0\xb8\xd1\x80 \xe6\x9d\xb1\xe4\xba\xac",
                               "\xf0\x9f\x8e\xb0"};
  char folder[PLACE], below[PLACE], path[PLACE], part[PLACE];
  place_new(folder);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    place_in(folder, names[i], below);
    CHECK(place_make_folder(below) && store_kind_of(below) == STORE_FOLDER);
    place_in(below, names[i], path);
    place_in(below, "part", part);
    CHECK(put(path, "old", STORE_NEW) == 0 && holds(path, "old", 3));
    CHECK(put(path, "new", STORE_NEW) == EEXIST && put(part, "new", STORE_NEW) == 0);
    CHECK(store_replace(part, path) == 0 && holds(path, "new", 3));
    CHECK(store_kind_of(path) == STORE_FILE && store_kind_of(part) == STORE_NOTHING);
    store_settle(below);
    CHECK(store_remove(path) == 0 && place_remove_folder(below));
  }
#ifdef _WIN32
  place_in(folder, "\xff\xfe", path); /* not UTF-8 */
  CHECK(put(path, "new", STORE_NEW) == EILSEQ && store_remove(path) == EILSEQ);
  CHECK(store_replace(path, folder) == EILSEQ && store_replace(folder, path) == EILSEQ);
  CHECK(store_kind_of(path) == STORE_NOTHING);
#endif
  CHECK(place_remove_folder(folder));
}

static void test_long_names(void) {
  char folder[PLACE], path[PLACE], letters[5001];
  place_new(folder);
  memset(letters, 'a', sizeof letters);
  letters[200] = 0;
  place_in(folder, letters, path);
  CHECK(put(path, "new", STORE_NEW) == 0 && holds(path, "new", 3));
  CHECK(store_kind_of(path) == STORE_FILE && store_remove(path) == 0);
  letters[200] = 'a', letters[5000] = 0;
  CHECK(put(letters, "new", STORE_NEW) == ENAMETOOLONG);
  CHECK(store_replace(folder, letters) == ENAMETOOLONG);
  CHECK(store_remove(letters) == ENAMETOOLONG);
  CHECK(store_kind_of(letters) == STORE_NOTHING);
  CHECK(place_remove_folder(folder));
}

static void test_no_place(void) {
  char folder[PLACE], path[PLACE], part[PLACE];
  place_new(folder);
  place_in(folder, "none/file", path);
  place_in(folder, "part", part);
  CHECK(put(path, "new", STORE_REPLACE) == ENOENT &&
        put(path, "new", STORE_NEW) == ENOENT);
  CHECK(put(part, "new", STORE_NEW) == 0 && store_replace(part, path) == ENOENT);
  CHECK(holds(part, "new", 3));
  store_settle(path);
  /* A folder is no file. */
  const int status = put(folder, "new", STORE_REPLACE);
  CHECK(status == EISDIR || status == EACCES);
  CHECK(store_replace(part, folder) != 0 && holds(part, "new", 3));
  CHECK(store_kind_of(folder) == STORE_FOLDER);
  place_in(folder, "file", path);
  CHECK(put(path, "old", STORE_NEW) == 0);
#ifdef _WIN32
  /* Someone has it for himself; then it is only to be read. */
  HANDLE held = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
  CHECK(held != INVALID_HANDLE_VALUE && put(path, "new", STORE_REPLACE) == EACCES);
  CHECK(store_replace(part, path) == EACCES && store_remove(path) == EACCES);
  CHECK(store_kind_of(path) == STORE_FILE && CloseHandle(held) && holds(path, "old", 3));
  SetFileAttributesA(path, FILE_ATTRIBUTE_READONLY);
  CHECK(store_remove(path) == EACCES && holds(path, "old", 3));
  SetFileAttributesA(path, FILE_ATTRIBUTE_NORMAL);
#else
  /* Nobody forbids the superuser to write. */
  if (geteuid() != 0) {
    CHECK(chmod(folder, 0500) == 0);
    CHECK(store_replace(part, path) == EACCES && store_remove(path) == EACCES);
    CHECK(holds(path, "old", 3) && holds(part, "new", 3));
    CHECK(store_remove(part) == EACCES && chmod(folder, 0700) == 0);
  }
#endif
  CHECK(store_remove(part) == 0 && store_remove(path) == 0);
  CHECK(place_remove_folder(folder));
}

#ifndef _WIN32
/* A file that outgrows the user's limit is an error, does not end the process, and is removed. */
static void test_limit(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  fflush(stdout);
  struct rlimit before, small;
  CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
  small = before;
  small.rlim_cur = 100;
  const size_t n = 101;
  unsigned char *bytes = stub_block(n, 1);
  memset(bytes, 7, n);
  CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const int whole_file = store_write(path, bytes, n - 1, STORE_NEW);
  const int too_much = store_write(path, bytes, n, STORE_REPLACE);
  CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(whole_file == 0 && too_much == EFBIG && store_kind_of(path) == STORE_NOTHING);
  CHECK(place_remove_folder(folder));
}
#endif

/* Two processes add one to the number in a file TURNS times each, which comes out only where
 * one of them at a time has the lock, and where each sees what the other wrote. A third reads the
 * file all the time, so that it is often open when it is to be replaced. */
enum { TURNS = 40 };

/* Whoever fails leaves word, so that the others do not wait for ever. */
static int give_up(const char *folder) {
  char failed[PLACE];
  place_in(folder, "failed", failed);
  put(failed, "", STORE_REPLACE);
  return 1;
}

static int is_hopeless(const char *folder) {
  char failed[PLACE];
  place_in(folder, "failed", failed);
  return store_kind_of(failed) != STORE_NOTHING;
}

/* What each of the two does, and the third; 0: done. */
int store_turns(const char *folder) {
  char lock[PLACE], path[PLACE], part[PLACE];
  place_in(folder, "lock", lock);
  place_in(folder, "number", path);
  place_in(folder, "part", part);
  for (int i = 0; i < TURNS; i++) {
    int status = EEXIST;
    /* What is being removed is refused in another way on Windows. */
    while ((status == EEXIST || status == EACCES) && !is_hopeless(folder))
      status = put(lock, "taken", STORE_NEW);
    FILE *file = status == 0 ? place_open(path, "rb") : NULL;
    if (file == NULL)
      return give_up(folder);
    const unsigned char next = (unsigned char)(fgetc(file) + 1);
    fclose(file);
    if (store_write(part, &next, 1, STORE_NEW) != 0 || store_replace(part, path) != 0 ||
        store_remove(lock) != 0)
      return give_up(folder);
  }
  return 0;
}

int store_reads(const char *folder) {
  char path[PLACE];
  place_in(folder, "number", path);
  for (int last = 0; last < 2 * TURNS;) {
    if (is_hopeless(folder))
      return 1;
    FILE *file = place_open(path, "rb");
    if (file == NULL) /* on Windows, while it is replaced */
      continue;
    const int next = fgetc(file);
    fclose(file);
    if (next == EOF || next < last)
      return give_up(folder);
    last = next;
  }
  return 0;
}

static void test_turns(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "number", path);
  const unsigned char number[] = {0, 2 * TURNS};
  CHECK(store_write(path, number, 1, STORE_NEW) == 0);
  const struct process reader = place_start("reads", folder);
  const struct process one = place_start("turns", folder);
  const struct process two = place_start("turns", folder);
  CHECK(place_wait(one, NULL) == 0);
  CHECK(place_wait(two, NULL) == 0);
  CHECK(place_wait(reader, NULL) == 0);
  CHECK(holds(path, number + 1, 1));
  CHECK(!is_hopeless(folder) && store_remove(path) == 0 && place_remove_folder(folder));
}

static void look_at_ended(int number) {
  CHECK(!store_alive(number));
}

static void test_alive(void) {
  CHECK(store_alive(place_own_number()));
  CHECK(!store_alive(0) && !store_alive(INT_MAX));
#ifndef _WIN32
  CHECK(store_alive(1) && !store_alive(-1)); /* another user's, unless we are the first */
#endif
  const struct process child = place_start("turns", "none");
  CHECK(place_wait(child, look_at_ended) == 1);
  CHECK(!store_alive(child.number));
}

static void test_began(void) {
  const double own = store_began(place_own_number());
  CHECK(own == store_began(place_own_number()));
  CHECK(store_began(INT_MAX) == 0);
#if defined(_WIN32) || defined(__linux__)
  CHECK(own > 0);
  const struct process child = place_start("turns", "none");
  CHECK(store_began(child.number) >= own);
  place_wait(child, NULL);
#endif
}

static void test_kind(void) {
  char folder[PLACE], path[PLACE];
  place_new(folder);
  place_in(folder, "file", path);
  CHECK(store_kind_of(folder) == STORE_FOLDER && store_kind_of("/") == STORE_FOLDER);
  CHECK(store_kind_of(path) == STORE_NOTHING);
  CHECK(put(path, "x", STORE_NEW) == 0);
  CHECK(store_kind_of(path) == STORE_FILE);
  CHECK(store_remove(path) == 0);
#ifdef _WIN32
  CHECK(store_kind_of("NUL") == STORE_OTHER && store_kind_of("nul") == STORE_OTHER);
#else
  CHECK(symlink("/dev/null", path) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(store_remove(path) == 0 && mkfifo(path, 0600) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(store_remove(path) == 0);
#endif
  CHECK(place_remove_folder(folder));
}

const struct test TESTS_STORE[] = {
    {"store: checksum", test_checksum},
    {"store: write", test_store_write},
    {"store: grow", test_grow},
    {"store: grow, open file", test_grow_open_file},
    {"store: bytes", test_bytes},
    {"store: replace", test_replace},
    {"store: open file", test_open_file},
    {"store: names", test_names},
    {"store: long names", test_long_names},
    {"store: no place", test_no_place},
#ifndef _WIN32
    {"store: limit", test_limit},
    {"store: grow, limit", test_grow_limited},
#endif
    {"store: turns", test_turns},
    {"store: alive", test_alive},
    {"store: began", test_began},
    {"store: kind", test_kind},
    {0},
};
