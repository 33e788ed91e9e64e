/* Files and checksums. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "store.h"
#include "stubs.h"

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
static int holds(const char *path, const unsigned char *bytes, size_t n) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return 0;
  int same = 1;
  for (size_t i = 0; i < n; i++)
    same = same && fgetc(file) == bytes[i];
  same = same && fgetc(file) == EOF;
  fclose(file);
  return same;
}

static void test_store_write(void) {
  char folder[] = "/tmp/core-store-XXXXXX", path[64], below[80];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(below, sizeof below, "%s/none/file", folder);
  const size_t n = 3u << 20; /* more than is written at a time */
  unsigned char *bytes = stub_block(n, 1);
  for (size_t i = 0; i < n; i++)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  CHECK(store_write(path, bytes, n, STORE_NEW) == 0 && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_NEW) == EEXIST && holds(path, bytes, n));
  CHECK(store_write(path, bytes, 5, STORE_REPLACE) == 0 && holds(path, bytes, 5));
  CHECK(store_write(path, bytes, 0, STORE_REPLACE) == 0 && holds(path, bytes, 0));
  CHECK(store_write(below, bytes, 5, STORE_REPLACE) == ENOENT);
  CHECK(store_write(folder, bytes, 5, STORE_REPLACE) == EISDIR);
  store_settle(folder);
  store_settle(below);
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
}

static void test_alive(void) {
  CHECK(store_alive((int)getpid()));
  CHECK(store_alive(1));
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
  CHECK(!store_alive((int)child));
}

static void test_kind(void) {
  char folder[] = "/tmp/core-kind-XXXXXX", path[64];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/file", folder);
  CHECK(store_kind_of(folder) == STORE_FOLDER);
  CHECK(store_kind_of(path) == STORE_NOTHING);
  CHECK(store_write(path, (const unsigned char *)"x", 1, STORE_NEW) == 0);
  CHECK(store_kind_of(path) == STORE_FILE);
  CHECK(remove(path) == 0 && symlink("/dev/null", path) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(remove(path) == 0 && mkfifo(path, 0600) == 0);
  CHECK(store_kind_of(path) == STORE_OTHER);
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
}

const struct test TESTS_STORE[] = {
    {"store: checksum", test_checksum},
    {"store: write", test_store_write},
    {"store: alive", test_alive},
    {"store: kind", test_kind},
    {0},
};
