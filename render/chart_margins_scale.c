#include "chart_margins_scale.h"

#include <math.h>

#include "axis.h"

/* Room beyond the outermost value, so that the region behind it can be seen; where a bound is
 * nearer than that, at least the second, so that a region of no width still has a place. */
#define ROOM 0.18
#define ROOM_LEAST 0.06
/* From this ratio on the smaller values would crowd at one end of a linear scale. */
#define RATIO_LINEAR 12.0
/* Beyond this a sum of two values might be no number any more. */
#define LARGEST 1e300

static void scale_range(struct chart_margins_scale *scale, double least, double most)
{
    scale->logarithmic = least > 0 && most / least > RATIO_LINEAR;
    if (scale->logarithmic) {
        double room = ROOM * (log10(most) - log10(least));
        scale->from = pow(10, fmax(log10(least) - room, -300)); /* a double ends soon after */
        scale->to = pow(10, fmin(log10(most) + room, 300));
        return;
    }
    /* A single value has no spread to take the room from. */
    double spread = most > least ? most - least : most != 0 ? fabs(most) : 1;
    scale->from =
        fmax(least - ROOM * spread, fmin(scale->bounds.least, least - ROOM_LEAST * spread));
    scale->to = fmin(most + ROOM * spread, fmax(scale->bounds.most, most + ROOM_LEAST * spread));
}

struct chart_margins_scale chart_margins_scale_of(const double *values, size_t count,
                                                  struct chart_margins_bounds bounds)
{
    struct chart_margins_scale scale = {.empty = true, .bounds = bounds};
    double least = INFINITY;
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        double value = fmin(fmax(values[i], -LARGEST), LARGEST);
        least = fmin(least, value);
        most = fmax(most, value);
        scale.empty = false;
    }
    if (!scale.empty)
        scale_range(&scale, least, most);
    return scale;
}

static void linear_ticks(struct chart_margins_scale *scale, size_t most)
{
    double from = fmax(scale->from, scale->bounds.least);
    double to = fmin(scale->to, scale->bounds.most);
    struct axis axis = axis_of(scale->to - scale->from, (struct axis_unit){1, ""},
                               most > 3 ? most - 1 : 2); /* n steps have n + 1 ends */
    double largest = fmax(fabs(from), fabs(to));
    double first = ceil(from / axis.step - 1e-9);
    for (size_t i = 0; i < most && i < CHART_MARGINS_TICKS; i++) {
        double tick = (first + (double)i) * axis.step;
        if (tick > to + 1e-9 * axis.step)
            break;
        scale->ticks[scale->tick_count++] = tick;
    }
    /* A step of 2.5 needs one digit more than its power of ten. */
    double digits = floor(log10(largest)) - floor(log10(axis.step)) + 2;
    scale->digits = (int)fmin(fmax(digits, 3), 15);
}

/* Ticks at every `stride`-th power of ten times the multiples that are asked for; how many there
 * would be, of which as many are set as there is place for. */
static size_t add_powers(struct chart_margins_scale *scale, double stride, bool multiples)
{
    static const double factors[] = {1, 2, 5};
    double to = fmin(scale->to, scale->bounds.most) * (1 + 1e-9);
    size_t count = 0;
    scale->tick_count = 0;
    for (double power = floor(log10(scale->from)); power <= log10(to); power += stride) {
        for (size_t i = 0; i < (multiples ? 3 : 1); i++) {
            double tick = factors[i] * pow(10, power);
            if (tick < scale->from * (1 - 1e-9) || tick > to)
                continue;
            if (scale->tick_count < CHART_MARGINS_TICKS)
                scale->ticks[scale->tick_count++] = tick;
            count++;
        }
    }
    return count;
}

static void logarithmic_ticks(struct chart_margins_scale *scale, size_t most)
{
    scale->digits = 3;
    if (add_powers(scale, 1, true) <= most)
        return;
    for (double stride = 1; add_powers(scale, stride, false) > most; stride++)
        ;
}

void chart_margins_scale_ticks(struct chart_margins_scale *scale, size_t most)
{
    scale->tick_count = 0;
    if (scale->empty || most == 0)
        return;
    if (scale->logarithmic)
        logarithmic_ticks(scale, most);
    else
        linear_ticks(scale, most);
}

double chart_margins_scale_share(const struct chart_margins_scale *scale, double value)
{
    double share = scale->logarithmic ? (log10(fmax(value, 1e-300)) - log10(scale->from)) /
                                            (log10(scale->to) - log10(scale->from))
                                      : (value - scale->from) / (scale->to - scale->from);
    return fmin(fmax(share, 0), 1);
}
