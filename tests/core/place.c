#define _XOPEN_SOURCE 700
#include "place.h"

#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

const char *place_program;

void place_in(const char *folder, const char *name, char *out) {
  snprintf(out, PLACE, "%s/%s", folder, name);
}

#ifdef _WIN32

static wchar_t *wide(const char *path) {
  static wchar_t letters[PLACE];
  if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, letters, PLACE))
    abort();
  return letters;
}

void place_new(char *folder) {
  static int made;
  wchar_t root[PLACE];
  char name[PLACE - 60];
  GetTempPathW(PLACE, root);
  if (!WideCharToMultiByte(CP_UTF8, 0, root, -1, name, sizeof name, NULL, NULL))
    abort();
  snprintf(folder, PLACE, "%score-%lu-%d", name, GetCurrentProcessId(), made++);
  if (!place_make_folder(folder))
    abort();
}

int place_make_folder(const char *path) {
  return CreateDirectoryW(wide(path), NULL) != 0;
}

int place_remove_folder(const char *path) {
  return RemoveDirectoryW(wide(path)) != 0;
}

FILE *place_open(const char *path, const char *mode) {
  wchar_t how[8] = {0};
  for (size_t i = 0; i < strlen(mode); i++)
    how[i] = (wchar_t)mode[i];
  return _wfopen(wide(path), how);
}

struct process place_start(const char *task, const char *argument) {
  wchar_t program[PLACE], line[2 * PLACE];
  char arguments[PLACE];
  GetModuleFileNameW(NULL, program, PLACE);
  snprintf(arguments, sizeof arguments, "test %s \"%s\"", task, argument);
  wcscpy(line, wide(arguments));
  STARTUPINFOW how = {.cb = sizeof how};
  PROCESS_INFORMATION found;
  if (!CreateProcessW(program, line, NULL, NULL, FALSE, 0, NULL, NULL, &how, &found))
    abort();
  CloseHandle(found.hThread);
  return (struct process){(int)found.dwProcessId, found.hProcess};
}

int place_wait(struct process process, void (*look)(int number)) {
  DWORD status = 1;
  WaitForSingleObject(process.handle, INFINITE);
  GetExitCodeProcess(process.handle, &status);
  if (look)
    look(process.number);
  CloseHandle(process.handle);
  return (int)status;
}

int place_own_number(void) {
  return (int)GetCurrentProcessId();
}

#else

void place_new(char *folder) {
  snprintf(folder, PLACE, "/tmp/core-XXXXXX");
  if (!mkdtemp(folder))
    abort();
}

int place_make_folder(const char *path) {
  return mkdir(path, 0777) == 0;
}

int place_remove_folder(const char *path) {
  return rmdir(path) == 0;
}

FILE *place_open(const char *path, const char *mode) {
  return fopen(path, mode);
}

struct process place_start(const char *task, const char *argument) {
  const pid_t child = fork();
  if (child < 0)
    abort();
  if (child == 0) {
    execl(place_program, place_program, task, argument, (char *)NULL);
    _exit(99);
  }
  return (struct process){(int)child, NULL};
}

int place_wait(struct process process, void (*look)(int number)) {
  siginfo_t ended;
  if (waitid(P_PID, (id_t)process.number, &ended, WEXITED | WNOWAIT) != 0)
    abort();
  if (look)
    look(process.number);
  int status;
  if (waitpid((pid_t)process.number, &status, 0) != (pid_t)process.number)
    abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int place_own_number(void) {
  return (int)getpid();
}

#endif
