#ifndef RANKLEDGER_CANVAS_EMBED_H
#define RANKLEDGER_CANVAS_EMBED_H

#include "canvas_lines.h"

/*
 * The fonts of a document, each made small before it is drawn with: HarfBuzz takes the glyphs that
 * are used out of it, with their subroutines written out. Cairo, which embeds what it drew with,
 * loses track of the subroutines of large fonts (it follows each only once, so that it miscounts
 * hints): it then embeds all of a font's subroutines, a megabyte of a Chinese font, or might leave
 * out some that are needed. For the canvas that draws documents alone; this header shows Pango's
 * types.
 */
struct canvas_embed;

/* NULL if memory is exhausted. */
struct canvas_embed *canvas_embed_create(void);
void canvas_embed_destroy(struct canvas_embed *embed);

/* Notes the glyphs of a line, until the first of them is drawn. */
void canvas_embed_note(struct canvas_embed *embed, const PangoLayoutLine *line);

/*
 * Draws a line of `text` in fonts of `size` from the current point of `target`. What was not noted
 * before the first drawing, and what cannot be taken out of its font, is drawn with the whole font.
 */
void canvas_embed_show(struct canvas_embed *embed, cairo_t *target, const struct canvas_line *line,
                       const char *text, double size);

#endif
