#ifndef RANKLEDGER_VERIFY_SOURCES_H
#define RANKLEDGER_VERIFY_SOURCES_H

#include "arena.h"
#include "diag.h"
#include "json_read.h"
#include "path_list.h"

/* Finding the sources of a summary again. Texts live in `arena`. */
struct verify_sources {
    struct json_read_source summary; /* parsed, and its name for messages */
    const char *base;                /* the summary's directory */
    struct arena *arena;
    struct path_list paths; /* the files, as they are opened from here */
    const char **only;      /* the names of the sources, sorted, where only those count; or NULL */
    size_t only_count;
    bool out_of_memory; /* set by verify_sources_text */
};

/* A string member as text; NULL if it is absent or memory is exhausted. */
const char *verify_sources_text(struct verify_sources *sources, uint32_t object, const char *name);

/* Whether the summary is of one group of an archive, of whose files only the sources that it names
 * are its own: read from its `options`. Before verify_sources_find. */
enum status verify_sources_read_choice(struct verify_sources *sources, uint32_t options,
                                       struct diag *diag) STATUS_CHECKED;

/* Fills `paths` and `only`. STATUS_INPUT if sources are missing (the first are named). */
enum status verify_sources_find(struct verify_sources *sources, struct diag *diag) STATUS_CHECKED;

void verify_sources_fini(struct verify_sources *sources);

#endif
