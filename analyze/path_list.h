#ifndef RANKLEDGER_PATH_LIST_H
#define RANKLEDGER_PATH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "path_walk.h"
#include "progress_line.h"

/* The files that the operands of a command stand for. */
struct path_list {
    struct path_entry *entries; /* in the order of path_walk.h */
    size_t count, capacity;
    size_t directory_links; /* met and not followed */
    struct arena arena;
    struct progress_line *progress; /* loading shows how far it is, and ends it; NULL: nowhere */
};

/* Adds what path_walk_operand visits, with its status. */
enum status path_list_add(struct path_list *list, const char *operand,
                          struct diag *diag) STATUS_CHECKED;

/* Adds what path_walk_list visits, with its status. */
enum status path_list_add_from(struct path_list *list, const char *path, bool nul_separated,
                               struct diag *diag) STATUS_CHECKED;

void path_list_fini(struct path_list *list);

#endif
