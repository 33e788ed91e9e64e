#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
#include <io.h>
#include <wchar.h>
#include <windows.h>
#define fsync _commit
#define lseek _lseeki64
#define ftruncate _chsize_s
typedef __int64 position;
#else
#include <unistd.h>
#define O_BINARY 0 /* where it is not, a line end would become two bytes */
typedef off_t position;
#endif

/* ---- Names of files ---------------------------------------------------------------- */

#ifdef _WIN32

/* In 16 bits a letter: the system's functions of char read another encoding than UTF-8. */
enum { LETTERS = 4096 };

static int widen(const char *path, wchar_t *wide) {
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, LETTERS) > 0)
    return 0;
  return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
}

static int open_to_write(const char *path, int flags) {
  wchar_t wide[LETTERS];
  const int fault = widen(path, wide);
  if (fault != 0)
    errno = fault;
  return fault == 0 ? _wopen(wide, flags, _S_IREAD | _S_IWRITE) : -1;
}

static int errno_of(DWORD error) {
  switch (error) {
  case ERROR_FILE_NOT_FOUND:
  case ERROR_PATH_NOT_FOUND:
    return ENOENT;
  case ERROR_FILENAME_EXCED_RANGE:
    return ENAMETOOLONG;
  case ERROR_DISK_FULL:
    return ENOSPC;
  case ERROR_ACCESS_DENIED:
  case ERROR_SHARING_VIOLATION:
    return EACCES;
  default:
    return EIO;
  }
}

/* A file that someone has open can be neither replaced nor removed. Those who read it, and
 * scanners for viruses, have it for moments: it is tried for a second. */
enum { TRIES = 100, PAUSE = 10 };

/* to: NULL to remove the file. */
static int move(const char *from, const char *to) {
  wchar_t old[LETTERS], new[LETTERS];
  int status = widen(from, old);
  if (status == 0 && to)
    status = widen(to, new);
  if (status != 0)
    return status;
  for (int i = 0;; i++) {
    const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    if (to ? MoveFileExW(old, new, how) : DeleteFileW(old))
      return 0;
    status = errno_of(GetLastError());
    if (status != EACCES || i == TRIES)
      return status;
    Sleep(PAUSE);
  }
}

int store_replace(const char *part, const char *path) {
  return move(part, path);
}

int store_remove(const char *path) {
  return move(path, NULL);
}

enum store_kind store_kind_of(const char *path) {
  wchar_t wide[LETTERS];
  if (widen(path, wide) != 0)
    return STORE_NOTHING;
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE file =
      CreateFileW(wide, 0, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return STORE_NOTHING;
  BY_HANDLE_FILE_INFORMATION found;
  const int plain =
      GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &found);
  CloseHandle(file);
  return !plain                                              ? STORE_OTHER
         : found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? STORE_FOLDER
                                                             : STORE_FILE;
}

#else

static int open_to_write(const char *path, int flags) {
  return open(path, flags, 0666);
}

int store_replace(const char *part, const char *path) {
  return rename(part, path) == 0 ? 0 : errno;
}

int store_remove(const char *path) {
  return unlink(path) == 0 ? 0 : errno;
}

enum store_kind store_kind_of(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0)
    return STORE_NOTHING;
  return S_ISREG(found.st_mode)   ? STORE_FILE
         : S_ISDIR(found.st_mode) ? STORE_FOLDER
                                  : STORE_OTHER;
}

#endif

/* ---- Bytes ------------------------------------------------------------------------- */

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
  return 0;
}

static int write_through(int file, const unsigned char *bytes, size_t n) {
  const int status = write_all(file, bytes, n);
  return status != 0 ? status : fsync(file) == 0 ? 0 : errno;
}

/* A file that outgrows the user's limit would end the process. */
#ifdef SIGXFSZ
static void bear_limits(struct sigaction *before) {
  struct sigaction ignore;
  ignore.sa_handler = SIG_IGN;
  ignore.sa_flags = 0;
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGXFSZ, &ignore, before);
}
#endif

int store_write(const char *path, const unsigned char *bytes, size_t n,
                enum store_mode mode) {
  const int flags =
      O_WRONLY | O_CREAT | O_BINARY | (mode == STORE_NEW ? O_EXCL : O_TRUNC);
  const int file = open_to_write(path, flags);
  if (file < 0)
    return errno;
#ifdef SIGXFSZ
  struct sigaction before;
  bear_limits(&before);
#endif
  int status = write_through(file, bytes, n);
#ifdef SIGXFSZ
  sigaction(SIGXFSZ, &before, NULL);
#endif
  if (close(file) != 0 && status == 0)
    status = errno;
  if (status != 0)
    store_remove(path);
  return status;
}

/* Are these the n bytes from there on? */
static int reads(int file, size_t from, const unsigned char *bytes, size_t n) {
  unsigned char found[4096];
  if (lseek(file, (position)from, SEEK_SET) != (position)from)
    return 0;
  while (n > 0) {
    const size_t part = n < sizeof found ? n : sizeof found;
    const long got = (long)read(file, found, (unsigned)part);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0 || memcmp(found, bytes, (size_t)got) != 0)
      return 0;
    bytes += got;
    n -= (size_t)got;
  }
  return 1;
}

static int write_record(int file, const struct store_growth *g) {
  int status = lseek(file, (position)g->size, SEEK_SET) < 0 ? errno : 0;
  if (status == 0)
    status = write_through(file, g->bytes, g->n);
  if (status == 0 && !reads(file, g->size, g->bytes, g->n))
    status = EIO;
  /* Half a record is none. Where it stays all the same, readers know it for that. */
  if (status != 0 && ftruncate(file, (position)g->size) != 0)
    status = EIO;
  return status;
}

static int write_head(int file, const struct store_growth *g) {
  return lseek(file, 0, SEEK_SET) != 0 ? errno : write_all(file, g->next, g->head);
}

/* The record first, and the head only when the disk has it; a whole record is read under either. */
static int grow(int file, const struct store_growth *g) {
  const int status = write_record(file, g);
  return status != 0 ? status : write_head(file, g);
}

int store_grow(const char *path, const struct store_growth *g) {
  const int file = open_to_write(path, O_RDWR | O_BINARY);
  if (file < 0)
    return errno;
  int status = EINVAL;
  if (lseek(file, 0, SEEK_END) == (position)g->size && reads(file, 0, g->old, g->head)) {
#ifdef SIGXFSZ
    struct sigaction before;
    bear_limits(&before);
#endif
    status = grow(file, g);
#ifdef SIGXFSZ
    sigaction(SIGXFSZ, &before, NULL);
#endif
  }
  if (close(file) != 0 && status == 0)
    status = errno;
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

/* ---- Processes --------------------------------------------------------------------- */

#ifdef _WIN32

int store_alive(int process) {
  HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);
  if (handle == NULL)
    return GetLastError() == ERROR_ACCESS_DENIED; /* another user's */
  const int running = WaitForSingleObject(handle, 0) == WAIT_TIMEOUT;
  CloseHandle(handle);
  return running;
}

double store_began(int process) {
  HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
  FILETIME began = {0, 0}, ended, system, user;
  if (handle != NULL) {
    GetProcessTimes(handle, &began, &ended, &system, &user);
    CloseHandle(handle);
  }
  return began.dwHighDateTime * 4294967296.0 + began.dwLowDateTime;
}

#else

/* What Linux tells of a process: its state, a letter, and when it began. 0: nothing. */
static int look_up(int process, char *state, double *began) {
  char path[32], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return 0;
  const size_t n = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[n] = 0;
  /* The name of its program may hold anything, brackets too. */
  const char *rest = strrchr(line, ')');
  return rest && sscanf(rest,
                        ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                        "%*s %*s %*s %*s %lf",
                        state, began) == 2;
}

int store_alive(int process) {
  char state;
  double began;
  if (process <= 0 || (kill((pid_t)process, 0) != 0 && errno != EPERM))
    return 0;
  /* One that ended and was not waited for still has its number. */
  return !look_up(process, &state, &began) || (state != 'Z' && state != 'X');
}

double store_began(int process) {
  char state;
  double began;
  return look_up(process, &state, &began) ? began : 0;
}

#endif
