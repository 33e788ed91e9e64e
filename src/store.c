#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#define fsync _commit
#else
#include <unistd.h>
#define O_BINARY 0
#endif

static int write_all(int file, const unsigned char *bytes, size_t n) {
  while (n > 0) {
    const size_t part = n < (1u << 20) ? n : (1u << 20);
    const long wrote = (long)write(file, bytes, (unsigned)part);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return errno;
    if (wrote == 0)
      return ENOSPC;
    bytes += wrote;
    n -= (size_t)wrote;
  }
  return fsync(file) == 0 ? 0 : errno;
}

int store_write(const char *path, const unsigned char *bytes, size_t n,
                enum store_mode mode) {
  const int flags =
      O_WRONLY | O_CREAT | O_BINARY | (mode == STORE_NEW ? O_EXCL : O_TRUNC);
  const int file = open(path, flags, 0666);
  if (file < 0)
    return errno;
#ifdef SIGXFSZ
  /* A file that outgrows the user's limit would end the process. */
  struct sigaction ignore, before;
  ignore.sa_handler = SIG_IGN;
  ignore.sa_flags = 0;
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGXFSZ, &ignore, &before);
#endif
  int status = write_all(file, bytes, n);
#ifdef SIGXFSZ
  sigaction(SIGXFSZ, &before, NULL);
#endif
  if (close(file) != 0 && status == 0)
    status = errno;
  if (status != 0)
    remove(path);
  return status;
}

void store_settle(const char *folder) {
#ifdef _WIN32
  (void)folder;
#else
  const int file = open(folder, O_RDONLY);
  if (file < 0)
    return;
  fsync(file);
  close(file);
#endif
}

/* CRC-64/XZ, four bits at a time. */
uint64_t store_checksum(uint64_t before, const unsigned char *bytes, size_t n) {
  static const uint64_t TABLE[16] = {
      0x0000000000000000, 0x7d9ba13851336649, 0xfb374270a266cc92, 0x86ace348f355aadb,
      0x64b62bcaebc387a1, 0x192d8af2baf0e1e8, 0x9f8169ba49a54b33, 0xe21ac88218962d7a,
      0xc96c5795d7870f42, 0xb4f7f6ad86b4690b, 0x325b15e575e1c3d0, 0x4fc0b4dd24d2a599,
      0xadda7c5f3c4488e3, 0xd041dd676d77eeaa, 0x56ed3e2f9e224471, 0x2b769f17cf112238};
  uint64_t sum = ~before;
  for (size_t i = 0; i < n; i++) {
    sum ^= bytes[i];
    sum = (sum >> 4) ^ TABLE[sum & 15];
    sum = (sum >> 4) ^ TABLE[sum & 15];
  }
  return ~sum;
}

enum store_kind store_kind_of(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0)
    return STORE_NOTHING;
  return S_ISREG(found.st_mode)   ? STORE_FILE
         : S_ISDIR(found.st_mode) ? STORE_FOLDER
                                  : STORE_OTHER;
}

int store_alive(int process) {
#ifdef _WIN32
  HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);
  if (handle == NULL)
    return 0;
  const int running = WaitForSingleObject(handle, 0) == WAIT_TIMEOUT;
  CloseHandle(handle);
  return running;
#else
  return kill((pid_t)process, 0) == 0 || errno == EPERM;
#endif
}
