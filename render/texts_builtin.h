#ifndef RANKLEDGER_TEXTS_BUILTIN_H
#define RANKLEDGER_TEXTS_BUILTIN_H

#include <stddef.h>

/* The language files as they lay in templates/language when the program was built; the source of
 * this table is written by cmake/embed_languages.cmake. */
struct texts_builtin_language {
    const char *code;
    const unsigned char *text;
    size_t size;
};

extern const struct texts_builtin_language texts_builtin_languages[];
extern const size_t texts_builtin_language_count;
extern const char *const texts_builtin_codes[]; /* NULL-terminated, sorted */

#endif
