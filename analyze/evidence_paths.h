#ifndef RANKLEDGER_EVIDENCE_PATHS_H
#define RANKLEDGER_EVIDENCE_PATHS_H

#include "path_list.h"

/* A file to load, under the name that it has in the summary. */
struct evidence_path {
    const char *name; /* relative to the base, raw bytes */
    struct path_entry entry;
    bool known; /* `device` and `inode` are */
    unsigned long long device, inode;
};

/*
 * The listed files, each once, sorted bytewise by their names. A file that is reached by several
 * names (a link, a second operand) keeps the first of them, and counts as named unless every way to
 * it was a directory walk. Names are relative to the directory `base`, or as given where it is
 * NULL. A path that cannot be looked at stays in the list: loading it says why. Lives in the arena.
 */
enum status evidence_paths_resolve(const struct path_list *paths, const char *base,
                                   struct arena *arena, struct evidence_path **resolved,
                                   size_t *count, struct diag *diag) STATUS_CHECKED;

#endif
