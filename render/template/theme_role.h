#ifndef RANKLEDGER_THEME_ROLE_H
#define RANKLEDGER_THEME_ROLE_H

#include <stdbool.h>
#include <stddef.h>

#include "theme.h"

/* What the parts of a theme are called in theme.json, and all its colours in one list. */

const char *theme_role_ink(size_t ink);       /* "notice_edge" */
const char *theme_role_area(size_t area);     /* "gradients" */
const char *theme_role_font(size_t font);     /* "small_strong" */
const char *theme_role_marker(size_t marker); /* "diamond" */
const char *theme_role_series(size_t series); /* "zero1"; the last one is "other" */
#define THEME_ROLE_MARKERS 6

/* The three colours of an area. */
enum theme_role_part { THEME_ROLE_FILL, THEME_ROLE_HATCH, THEME_ROLE_STROKE, THEME_ROLE_PARTS };
const char *theme_role_part(size_t part); /* "fill" */

/* All colours are counted: inks, then the parts of each area, then series. */
#define THEME_ROLE_AREAS ((size_t)THEME_INK_COUNT)
#define THEME_ROLE_SERIES (THEME_ROLE_AREAS + (size_t)THEME_AREA_COUNT * THEME_ROLE_PARTS)
#define THEME_ROLE_COUNT (THEME_ROLE_SERIES + (size_t)THEME_SERIES_COUNT)

canvas_colour theme_role_get(const struct theme *theme, size_t role);
void theme_role_set(struct theme *theme, size_t role, canvas_colour colour);

/* Whether texts have this colour; whether lines and areas do. Some inks are for both. */
bool theme_role_is_text(size_t role);
bool theme_role_is_shape(size_t role);

#endif
