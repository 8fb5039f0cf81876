#ifndef RANKLEDGER_LAYOUT_CHECK_H
#define RANKLEDGER_LAYOUT_CHECK_H

#include "recording_canvas.h"

/*
 * Whether a recorded page can be read, by geometry: nothing leaves the page; no text touches
 * another, is crossed by a line or by the edge of an area, or is hidden; every text has a contrast
 * of at least 4.5:1 (WCAG 2.1, criterion 1.4.3) against what it stands on.
 */
struct layout_check {
    size_t faults;
    char first[512]; /* in words */
};

struct layout_check layout_check_page(const struct recording_canvas *canvas);

/* The first text that ends in an ellipsis, or NULL: nothing is cut. */
const char *layout_check_cut(const struct recording_canvas *canvas);

#endif
