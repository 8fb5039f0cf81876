#ifndef RANKLEDGER_CANVAS_FONTS_H
#define RANKLEDGER_CANVAS_FONTS_H

#include "diag.h"

/*
 * Reads which fonts there are, once a process before the first canvas. Pango would do it in a
 * thread of its own, where fontconfig tries again without end when memory is exhausted; here that
 * is STATUS_ENVIRONMENT. Canvases work without it, but for that.
 */
enum status canvas_fonts_load(struct diag *diag) STATUS_CHECKED;

#endif
