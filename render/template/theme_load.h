#ifndef RANKLEDGER_THEME_LOAD_H
#define RANKLEDGER_THEME_LOAD_H

#include <stdbool.h>

#include "arena.h"
#include "template_file.h"
#include "theme_role.h"

/* A theme with both its schemes, and where in the last file that was read its colours stand. */
struct theme_load {
    struct theme light, dark;
    uint32_t places[THEME_ROLE_COUNT]; /* node of the role's value, JSON_READ_NONE: not there */
    bool complete;                     /* to demand all: of the built-in theme */
};

/*
 * Puts what a theme.json says over the theme so far; texts go to the arena. STATUS_INPUT names
 * file, line, column and pointer, what was found and what is expected.
 */
enum status theme_load_file(struct theme_load *load, const struct template_file *file,
                            struct arena *arena, struct diag *diag) STATUS_CHECKED;

#endif
