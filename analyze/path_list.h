#ifndef RANKLEDGER_PATH_LIST_H
#define RANKLEDGER_PATH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"

/* The files that the operands of a command stand for. */
struct path_entry {
    const char *path;
    bool walked;  /* found in a directory, not named: our own summaries among these are skipped */
    bool regular; /* known to be a regular file (from the directory), no fstat needed */
};

struct path_list {
    struct path_entry
        *entries; /* operands in order; a directory's files sorted bytewise, recursively */
    size_t count, capacity;
    struct arena arena;
};

/*
 * Adds one operand: a file, "-" (standard input) or a directory, walked recursively for *.json,
 * *.jsonl and *.ndjson (links to directories are not followed). STATUS_INPUT naming the path if it
 * does not exist or cannot be looked at; it is added all the same, so that a caller that goes on
 * sees the reason where it reads the entry. A directory below the operand that cannot be read
 * becomes an entry too, and reading it says why: nothing is passed over silently.
 */
enum status path_list_add(struct path_list *list, const char *operand,
                          struct diag *diag) STATUS_CHECKED;

/*
 * Adds every operand listed in a file ("-": standard input), one a line, or NUL-separated. Empty
 * ones are passed over. STATUS_INPUT if the file cannot be read, or as path_list_add for the first
 * operand at fault, after all were added.
 */
enum status path_list_add_from(struct path_list *list, const char *path, bool nul_separated,
                               struct diag *diag) STATUS_CHECKED;

void path_list_fini(struct path_list *list);

#endif
