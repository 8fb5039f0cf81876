#ifndef RANKLEDGER_OUTPUT_FOLDER_H
#define RANKLEDGER_OUTPUT_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "diag.h"

/*
 * A folder of files that appears whole or not at all: the files are written into a temporary folder
 * beside the target (.NAME.rankledger-PID.tmp), which is renamed at the end. One process does this;
 * others may write files into the temporary folder in between.
 *
 * Replaced and removed are only folders in which every entry is a file whose name `is_ours`
 * accepts: what a user keeps there is never deleted.
 */
struct output_folder {
    char *target;    /* without a slash at the end; heap */
    char *temporary; /* heap */
    bool (*is_ours)(const char *name);
    bool force;  /* an existing folder is replaced */
    char *first; /* the outermost folder above the target that was missing and is ours as well; heap
                  */
};

/* What may be asked before a run starts: STATUS_USAGE if the target exists (with `force`: if it is
 * not such a folder) or can be no folder's name. */
enum status output_folder_check(const char *target, bool (*is_ours)(const char *name), bool force,
                                struct diag *diag) STATUS_CHECKED;

/* Checks, then makes the temporary folder (and those above the target that are missing). Followed
 * by abandon it is a trial of whether the folder can be written. STATUS_ENVIRONMENT if the system
 * refuses. After a failure there is nothing to abandon. */
enum status output_folder_begin(struct output_folder *folder, const char *target,
                                bool (*is_ours)(const char *name), bool force,
                                struct diag *diag) STATUS_CHECKED;
/* The path of a file in the temporary folder, from the heap; NULL without memory. */
char *output_folder_path(const char *folder, const char *name);
/* Puts the folder in its place, on the disk too (its files must have been fsynced). An existing one
 * is exchanged in one step where the file system can, and then removed. Ends as abandon does, also
 * on failure. */
enum status output_folder_commit(struct output_folder *folder, struct diag *diag) STATUS_CHECKED;
/* Removes the temporary folder and, where nothing else is in them, those that were made above. A
 * zeroed folder and NULL are allowed. */
void output_folder_abandon(struct output_folder *folder);

/* Removes what process `pid`, which is no more, left of its folder for this target; a folder that
 * it was about to replace is there afterwards. */
void output_folder_discard(const char *target, pid_t pid, bool (*is_ours)(const char *name));

#endif
