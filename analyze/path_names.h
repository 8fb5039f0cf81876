#ifndef RANKLEDGER_PATH_NAMES_H
#define RANKLEDGER_PATH_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "text_buffer.h"

/* The names in directories that a walk has entered, those of the innermost one last. Zeroed is
 * ready; always path_names_fini. */

enum path_name_kind {
    PATH_NAME_DIRECTORY,
    PATH_NAME_REGULAR,
    PATH_NAME_OTHER, /* has to be looked at: a link, a pipe, ... */
    PATH_NAME_DIRECTORY_LINK
};

struct path_name {
    uint64_t begin;  /* the first eight bytes, most significant first: decides most comparisons */
    uint32_t offset; /* of the name, from the `text` of its directory */
    uint8_t kind;    /* enum path_name_kind */
};

struct path_names {
    struct text_buffer text; /* each with its NUL; those of directories end in "/" */
    struct path_name *items;
    size_t count, capacity;
    char *entries;             /* as the system writes them */
    struct text_buffer cutoff; /* names from here on are for another turn */
    size_t limit;              /* bytes of memory for one directory; 0: PATH_NAMES_LIMIT */
};

/* One directory's share of them. */
struct path_names_part {
    size_t text;       /* where its names begin */
    size_t begin, end; /* its items */
    bool more;         /* it has names behind these */
    int error_number;  /* of the system if reading stopped, or 0 */
};

/* Some 350,000 names: what a directory has beyond that is read again, in further turns. */
#define PATH_NAMES_LIMIT ((size_t)16 << 20)

/*
 * Reads the open directory's names that stand for evidence or directories and puts the least ones
 * behind `after` ("": all) on top, sorted bytewise, those of directories as if they ended in "/",
 * so that a walk in this order visits whole paths in bytewise order. STATUS_ENVIRONMENT if memory
 * is exhausted.
 */
enum status path_names_push(struct path_names *names, int directory, const char *after,
                            struct path_names_part *part, struct diag *diag) STATUS_CHECKED;

/* Takes the uppermost directory's names away. */
void path_names_pop(struct path_names *names, const struct path_names_part *part);

static inline const char *path_names_text(const struct path_names *names,
                                          const struct path_names_part *part, size_t item)
{
    return names->text.text + part->text + names->items[item].offset;
}

void path_names_fini(struct path_names *names);

#endif
