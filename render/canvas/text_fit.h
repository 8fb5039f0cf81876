#ifndef RANKLEDGER_TEXT_FIT_H
#define RANKLEDGER_TEXT_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "canvas.h"

/*
 * Text made to fit a width: broken into lines at spaces, after separators of names and between
 * Chinese characters, elsewhere only where a word is wider than a line; what does not fit the last
 * line ends with an ellipsis. Never inside a character.
 */

#define TEXT_FIT_LINES 6

struct text_fit_line {
    const char *text; /* NUL-terminated, in the arena */
    struct canvas_extent extent;
};

struct text_fit {
    struct text_fit_line lines[TEXT_FIT_LINES];
    size_t count; /* 0 for a text of spaces only */
    bool cut;     /* something was left out */
};

struct text_fit_room {
    double width; /* at least the width of an ellipsis and one character, or a line may stand out */
    size_t lines; /* 1 to TEXT_FIT_LINES */
    bool keep_end; /* the last line is an ellipsis and the end of the text: for names, whose ends
                      differ */
};

/* A text on as many lines as it needs. */
struct text_lines {
    const struct text_fit_line *lines; /* in the arena */
    size_t count;
};

struct text_lines_room {
    double width;  /* as in text_fit_room */
    bool anywhere; /* a line may end after every character: for digests and paths */
};

/*
 * Breaks a whole text into lines as text_fit does; nothing is left out. `lines` is written on
 * success only. STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status text_lines(struct arena *arena, struct canvas *canvas, const struct canvas_font *font,
                       const char *text, struct text_lines_room room, struct text_lines *lines,
                       struct diag *diag) STATUS_CHECKED;

/*
 * Fits a text (UTF-8 from anywhere: control characters are shown escaped, more than four combining
 * marks in a row are dropped) into `room`. `fit` is written on success only. STATUS_ENVIRONMENT if
 * memory is exhausted. The work does not grow with a text's length beyond what room can hold.
 */
enum status text_fit(struct arena *arena, struct canvas *canvas, const struct canvas_font *font,
                     const char *text, struct text_fit_room room, struct text_fit *fit,
                     struct diag *diag) STATUS_CHECKED;

#endif
