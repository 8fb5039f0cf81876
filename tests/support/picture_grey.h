#ifndef RANKLEDGER_PICTURE_GREY_H
#define RANKLEDGER_PICTURE_GREY_H

#include <stdbool.h>
#include <stddef.h>

#include "chart_recorder.h"

/*
 * A picture as the mean grey of its squares of PICTURE_GREY_CELL pixels, kept as a PGM file: small,
 * and what differs by the rounding of an edge is nearly the same. A comment in the file has how
 * wide a probe of text was with the fonts that drew it.
 */

#define PICTURE_GREY_CELL 16 /* of the raster, which has two pixels a CSS pixel */

struct picture_grey {
    unsigned char *cells; /* row by row, 0 black to 255 white */
    size_t width, height; /* in cells */
    double probe;         /* pixels */
};

/* Draws a chart of the recorder's sample with real fonts. Aborts the test if that fails. */
void picture_grey_draw(struct picture_grey *picture, const struct chart_recorder *recorder,
                       const char *chart);
/* False if there is no such file, or it is none that picture_grey_write wrote. */
bool picture_grey_read(struct picture_grey *picture, const char *path);
void picture_grey_write(const struct picture_grey *picture, const char *path);
void picture_grey_fini(struct picture_grey *picture);

struct picture_grey_difference {
    bool same_size;       /* else the rest is 0 */
    double largest, mean; /* levels of 255 */
    size_t column, row;   /* of the largest */
};

struct picture_grey_difference picture_grey_compare(const struct picture_grey *a,
                                                    const struct picture_grey *b);

#endif
