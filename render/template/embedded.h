#ifndef RANKLEDGER_EMBEDDED_H
#define RANKLEDGER_EMBEDDED_H

#include <stddef.h>

/* The files of templates/ that a report needs, as they lay there when the program was built; the
 * source of these tables is written by cmake/embed_files.cmake. */
struct embedded_file {
    const char *name; /* below templates/: "language/en.json" */
    const unsigned char *text;
    size_t size;
};

extern const struct embedded_file embedded_files[]; /* sorted by name */
extern const size_t embedded_file_count;
extern const char *const embedded_languages[]; /* codes, NULL-terminated, sorted */

/* The file of a name, or NULL. */
const struct embedded_file *embedded_find(const char *name);

#endif
