#ifndef RANKLEDGER_PNG_WRITE_H
#define RANKLEDGER_PNG_WRITE_H

#include "canvas_cairo.h"
#include "text_buffer.h"

/*
 * Appends the pixels as a PNG (8-bit RGB, no date, no comment). Set up for charts, which are flat
 * areas and little text, and for speed; see the constants in png_write.c.
 */
enum status png_write(struct text_buffer *out, const struct canvas_pixels *pixels,
                      struct diag *diag) STATUS_CHECKED;

#endif
