/* Files that outlive a crash: bytes flushed to the disk, their checksum, what stands at a path,
 * and whether the process that locked a file still lives. */
#ifndef BAYESGAP_STORE_H
#define BAYESGAP_STORE_H

#include <stddef.h>
#include <stdint.h>

/* Names of files are in UTF-8 on Windows, elsewhere as the system has them. What returns an
 * int returns 0 or an errno. */

enum store_mode { STORE_REPLACE, STORE_NEW }; /* STORE_NEW: fails where there is a file */

/* Writes n bytes and waits until the disk has them. After a failure there is no file, unless
 * it was there before in mode STORE_NEW. */
int store_write(const char *path, const unsigned char *bytes, size_t n, enum store_mode);

/* A file of `size` bytes that begins with `old` is to have n more at its end, and then begin with
 * `next`: both of `head` bytes, less than a disk writes at a time, so that it has the one or the
 * other whatever happens. */
struct store_growth {
  size_t size, head, n;
  const unsigned char *old, *next, *bytes;
};

/* Waits until the disk has the n bytes; the new head is only written then, and not waited for. A file
 * that is not as it is said to be is left alone: EINVAL. After another failure it is as it was, as
 * far as the system lets it. */
int store_grow(const char *path, const struct store_growth *);

/* The file `part` takes the name of `path`, and the place of what has that name. On Windows it
 * fails with EACCES, after a second, where that is open elsewhere; so does removing. */
int store_replace(const char *part, const char *path);
int store_remove(const char *path);

/* Waits until the disk has the folder's list of files, where a system offers that. */
void store_settle(const char *folder);

/* CRC-64 of what has the checksum `before` (0: nothing) and n more bytes; sees every change of
 * up to 64 bits in a row. */
uint64_t store_checksum(uint64_t before, const unsigned char *bytes, size_t n);

/* What stands at a path, links followed. Other: a device, a pipe, a socket, ... */
enum store_kind { STORE_NOTHING, STORE_FILE, STORE_FOLDER, STORE_OTHER };
enum store_kind store_kind_of(const char *path);

/* 1 when a process of that number runs. */
int store_alive(int process);

/* When it began, in the system's own count, since numbers are used again; 0: not known. */
double store_began(int process);

#endif
