#ifndef RANKLEDGER_PATH_WALK_H
#define RANKLEDGER_PATH_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "path_folder.h"

/* A file that the operands of a command stand for. */
struct path_entry {
    const char *path;
    struct path_folder *folder; /* where `path + name` can be opened too; NULL: nowhere. Valid
                                   during the call; hold it to keep it */
    size_t name;
    bool walked;  /* found in a directory, not named: our own summaries among these are skipped */
    bool regular; /* known to be a regular file (from the directory), no fstat needed */
    bool directory_link; /* a link to a directory, found in one: it is not followed */
    int error_number;    /* it is a directory that could not be listed, for this reason; else 0 */
};

/* Takes one file; the path is valid during the call. A status other than STATUS_OK ends the walk
 * and is returned; it must not be STATUS_INPUT. */
typedef enum status path_walk_visit(void *context, const struct path_entry *entry,
                                    struct diag *diag);

/*
 * Visits what one operand stands for: a file, "-" (standard input) or a directory, walked
 * recursively for *.json, *.jsonl and *.ndjson, also with .gz behind, in bytewise order of the
 * paths. Links to directories below it are visited as what they are and not followed, so that there
 * are no loops and nothing is met twice. Neither the depth of the tree nor the length of a path or
 * a directory is limited, and memory grows with the depth alone. STATUS_INPUT naming the path if it
 * does not exist or cannot be looked at; it is visited all the same, so that a caller that goes on
 * sees the reason where it reads the entry. A directory below the operand that cannot be read is
 * visited too, and reading it says why: nothing is passed over silently.
 */
enum status path_walk_operand(const char *operand, path_walk_visit *visit, void *context,
                              struct diag *diag) STATUS_CHECKED;

/*
 * Visits every operand listed in a file ("-": standard input), one a line, or NUL-separated. Empty
 * ones are passed over. STATUS_INPUT if the file cannot be read, or as path_walk_operand for the
 * first operand at fault, after all were visited.
 */
enum status path_walk_list(const char *path, bool nul_separated, path_walk_visit *visit,
                           void *context, struct diag *diag) STATUS_CHECKED;

#endif
