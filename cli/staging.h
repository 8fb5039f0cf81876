#ifndef RANKLEDGER_STAGING_H
#define RANKLEDGER_STAGING_H

#include <stddef.h>

#include "diag.h"

/*
 * Several files that appear together or not at all: they are made in a hidden folder inside the
 * target folder and renamed into place when all are complete. If a rename fails, the files renamed
 * before it are put back. Every error is STATUS_ENVIRONMENT and names the path.
 */
struct staging {
    char *target;   /* as the user wrote it */
    char *folder;   /* where the files are made; NULL: nothing to clean up */
    char *kept;     /* inside `folder`: the files that were there before */
    size_t created; /* length of the part of `target` that existed already */
};

/* Creates the target folder (and its parents) if necessary and the folder in it. */
enum status staging_begin(struct staging *staging, const char *target,
                          struct diag *diag) STATUS_CHECKED;

/* Moves files into place: `names` are relative to the folder and may have one folder in front,
 * which is created in the target if necessary. */
enum status staging_commit(struct staging *staging, const char *const *names, size_t count,
                           struct diag *diag) STATUS_CHECKED;

/* Removes what is temporary, and the folders that staging_begin created if they are empty. */
enum status staging_end(struct staging *staging, struct diag *diag) STATUS_CHECKED;

#endif
