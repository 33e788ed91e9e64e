/* Folders, files and processes for the tests of what differs between systems. Names are in
 * UTF-8. */
#ifndef BAYESGAP_PLACE_H
#define BAYESGAP_PLACE_H

#include <stdio.h>

enum { PLACE = 400 }; /* room for any path of the tests */

/* A new, empty folder among the temporary files. */
void place_new(char *folder);

/* out = folder/name */
void place_in(const char *folder, const char *name, char *out);

/* 1: done. */
int place_make_folder(const char *path);
int place_remove_folder(const char *path);

/* As fopen(). On Windows such a file can be neither replaced nor removed. */
FILE *place_open(const char *path, const char *mode);

/* The name of this program, as it was called: place_start() calls it again. */
extern const char *place_program;

/* This program once more, with two arguments; its number. Then its exit status; where `look` is
 * given, that is called when it has ended and before its number may be used again. */
struct process {
  int number;
  void *handle; /* Windows */
};
struct process place_start(const char *task, const char *argument);
int place_wait(struct process, void (*look)(int number));

int place_own_number(void);

#endif
