#ifndef RANKLEDGER_CANVAS_H
#define RANKLEDGER_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/*
 * What a chart draws on. Units are CSS pixels, the origin is the upper left corner, y grows
 * downwards. Texts are UTF-8, one line, already free of control characters. Drawing calls do not
 * fail: a canvas remembers its first fault and `end` reports it.
 *
 * Measure first, draw second: `measure` works before `begin`, so a chart knows the size of its page
 * and the place of every text before it draws anything.
 */

struct canvas_point {
    double x, y;
};

struct canvas_box {
    double x, y, width, height;
};

/* A colour as 0xRRGGBB; CANVAS_NONE is no paint at all. */
typedef uint32_t canvas_colour;
#define CANVAS_NONE UINT32_C(0xFF000000)

struct canvas_paint {
    canvas_colour fill;
    canvas_colour hatch; /* diagonal lines over the fill, CANVAS_NONE: none */
    canvas_colour stroke;
    double width; /* of the stroke; drawn inside the edges of a rectangle */
    double dash;  /* length of dashes and gaps, 0: solid */
};

struct canvas_font {
    double size; /* pixels */
    bool bold;
    bool fixed; /* all Latin characters of one width: commands, digests */
};

/*
 * The box of a text around the left end of its baseline. Ascent and descent are at least the em box
 * of the font and grow with taller glyphs, so that boxes that do not overlap mean texts that do
 * not.
 */
struct canvas_extent {
    double width, ascent, descent;
};

/* What a page is about, for formats that can say it (SVG title and description). */
struct canvas_page {
    double width, height;
    const char *title, *description; /* NULL: none */
    canvas_colour background;
    double head; /* so much of the height is for the title alone: below a heading that says what the
                    page is, it may be cut off */
};

struct canvas;

/* The six slots that a backend fills. */
struct canvas_backend {
    struct canvas_extent (*measure)(struct canvas *canvas, const struct canvas_font *font,
                                    const char *text, size_t length);
    void (*begin)(struct canvas *canvas, const struct canvas_page *page);
    void (*rectangle)(struct canvas *canvas, const struct canvas_box *box,
                      const struct canvas_paint *paint);
    /* An open line, or with a fill a closed polygon. */
    void (*polyline)(struct canvas *canvas, const struct canvas_point *points, size_t count,
                     const struct canvas_paint *paint);
    /* `at` is the left end of the baseline. */
    void (*text)(struct canvas *canvas, const struct canvas_point *at,
                 const struct canvas_font *font, canvas_colour colour, const char *text);
    enum status (*end)(struct canvas *canvas, struct diag *diag);
};

/* A backend's own canvas starts with this. */
struct canvas {
    const struct canvas_backend *backend;
};

#endif
