#include "chart_margins_axis.h"

#include <math.h>

/* Room beyond the outermost value, so that the region behind it can be seen; where a bound is
 * nearer than that, at least the second, so that a region of no width still has a place. */
#define ROOM 0.12
#define ROOM_LEAST 0.06
/* From this ratio on the smaller values would crowd at one end of a linear axis. */
#define RATIO_LINEAR 12.0
/* Beyond this a sum of two values might be no number any more. */
#define LARGEST 1e280

struct chart_axis_range chart_margins_axis_range(const double *values, size_t count,
                                                 struct chart_margins_bounds bounds)
{
    struct chart_axis_range range = chart_axis_range_empty(CHART_AXIS_RANGE);
    for (size_t i = 0; i < count; i++)
        chart_axis_range_add(&range, isfinite(values[i]) ? fmin(fmax(values[i], -LARGEST), LARGEST)
                                                         : values[i]);
    double least = range.smallest;
    double most = range.largest;
    if (least > most)
        return range;
    if (least > 0 && most / least > RATIO_LINEAR) {
        range.scale = CHART_AXIS_LOG10;
        double room = pow(most / least, ROOM);
        range.smallest = least / room;
        range.largest = fmin(most * room, fmax(bounds.most, most));
        return range;
    }
    /* A single value has no spread to take the room from. */
    double spread = most > least ? most - least : most != 0 ? fabs(most) : 1;
    double room = ROOM * spread;
    double room_least = ROOM_LEAST * (most > least ? spread : spread / 5);
    range.smallest = fmax(least - room, fmin(bounds.least, least - room_least));
    range.largest = fmin(most + room, fmax(bounds.most, most + room_least));
    return range;
}
