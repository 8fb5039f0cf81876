#ifndef RANKLEDGER_FOLDERS_H
#define RANKLEDGER_FOLDERS_H

#include <stdbool.h>

/* Makes a folder and those missing above it. Returns 0 or an errno value. *first: the outermost one
 * that was made, from the heap; NULL if none was. Also after a failure, which leaves what it made.
 */
int folders_make(const char *path, char **first);

/* Removes `path`, which folders_make made, and those above it up to `first` (NULL: none), as far as
 * they are empty. */
void folders_remove(const char *path, const char *first);

/* Asks by writing whether files can be written into a folder that exists: a superuser is told that
 * everything is writable. Nothing stays. Returns 0 or an errno value. */
int folders_probe(const char *path);

#endif
