#include "canvas_hatch.h"

#include <math.h>

bool canvas_hatch_line(const struct canvas_box *box, size_t index, struct canvas_point line[2])
{
    /* From the lower right corner: what lies `along` of it on the bottom edge and on the right
     * edge is joined; the left and the top edge cut the rest off. */
    double along = CANVAS_HATCH_SPACING * ((double)index + 0.5);
    double right = box->x + box->width;
    double bottom = box->y + box->height;
    if (!(along < box->width + box->height))
        return false;
    double upper = fmax(0, along - box->height);
    double lower = fmin(along, box->width);
    line[0] = (struct canvas_point){right - lower, bottom - (along - lower)};
    line[1] = (struct canvas_point){right - upper, bottom - (along - upper)};
    return true;
}
