#ifndef RANKLEDGER_INPUT_PATH_H
#define RANKLEDGER_INPUT_PATH_H

#include <sys/stat.h>

/*
 * open(2) and stat(2) for paths of any length: the system takes PATH_MAX bytes at once, so that a
 * longer path is followed directory by directory. Both return -1 with errno.
 */
int input_path_open(const char *path, int flags);
int input_path_stat(const char *path, struct stat *about);

#endif
