#ifndef RANKLEDGER_CANVAS_TEXT_H
#define RANKLEDGER_CANVAS_TEXT_H

#include <pango/pangocairo.h>
#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

/*
 * Shaping of texts for the canvases that draw with Cairo: fonts, glyphs and their places. Nothing
 * is taken from the locale, from the environment or from desktop settings. For the canvases alone;
 * this is the one header that shows Pango's types.
 */

/* Which fonts: the first of the families that has a character gives its glyph. Families are in
 * fontconfig's form and live as long as the canvas. */
struct canvas_text_fonts {
    const char *language;       /* "en", "zh" */
    const char *families;       /* theme.h */
    const char *fixed_families; /* for fonts of fixed width; NULL: the built-in theme's */
};

/* A zeroed one is safe to fini. */
struct canvas_text {
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *proportional, *fixed;
    struct canvas_font font; /* what the layout is set to; size 0: nothing yet */
    bool glyphs_missing;     /* a drawn text had a character without a glyph in any font */
    /* Gets every line that is shaped; NULL: nobody. */
    void (*seen)(void *context, const PangoLayoutLine *line);
    void *seen_context;
    bool memory_ended; /* once in the life of the canvas, also while texts were measured */
};

enum status canvas_text_init(struct canvas_text *text, const struct canvas_text_fonts *fonts,
                             struct diag *diag) STATUS_CHECKED;
void canvas_text_fini(struct canvas_text *text);

struct canvas_extent canvas_text_measure(struct canvas_text *text, const struct canvas_font *font,
                                         const char *string, size_t length);

/* The same in two steps: a text as one line, borrowed until the next call; its box; and whether it
 * has a character without a glyph. */
PangoLayoutLine *canvas_text_shape(struct canvas_text *text, const struct canvas_font *font,
                                   const char *string, size_t length);
struct canvas_extent canvas_text_extent(const struct canvas_font *font, PangoLayoutLine *line);
bool canvas_text_lacks_glyphs(const struct canvas_text *text);

/* A text that is going to be drawn. */
PangoLayoutLine *canvas_text_line(struct canvas_text *text, const struct canvas_font *font,
                                  const char *string, size_t length);

/*
 * FreeType, HarfBuzz and pixman leave out a glyph or a shape that they had no memory for, and say
 * nothing. What tells is errno, which malloc leaves at ENOMEM. To be called after each use.
 */
void canvas_text_watch(struct canvas_text *text);

#endif
