#include "chart_axis.h"

#include <math.h>
#include <stdio.h>

#include "text.h"

#define LARGEST 1e290 /* so that an end one step further is still a number */
#define SMALLEST 1e-280
/* Of values that differ by less than this share of them, ticks could not be told apart in few
 * digits. */
#define SPAN_LEAST 1e-4
#define DIGITS_LEAST 6
/* Powers of ten beyond these are hard to tell apart when they are written out. */
#define PLAIN_MOST 1e7
#define PLAIN_LEAST 1e-4

/* ---- Ranges ---- */

static bool is_logarithmic(enum chart_axis_scale scale)
{
    return scale == CHART_AXIS_LOG2 || scale == CHART_AXIS_LOG10;
}

struct chart_axis_range chart_axis_range_empty(enum chart_axis_scale scale)
{
    return (struct chart_axis_range){INFINITY, -INFINITY, {1, ""}, scale, false};
}

void chart_axis_range_add(struct chart_axis_range *range, double value)
{
    bool logarithmic = is_logarithmic(range->scale);
    if (!isfinite(value) || (logarithmic && value <= 0))
        return;
    range->smallest = fmin(range->smallest, value);
    range->largest = fmax(range->largest, value);
}

static double clamp(double value, double least)
{
    return fmin(fmax(value, least), LARGEST);
}

/* ---- Linear ---- */

static void add_tick(struct chart_axis *axis, double value)
{
    if (axis->count <= AXIS_TICKS_MAX)
        axis->ticks[axis->count++] = value;
}

static void from_zero(struct chart_axis *axis, const struct chart_axis_range *range, size_t steps)
{
    struct axis plain = axis_of(range->largest, range->unit, steps);
    for (size_t i = 0; i < plain.count; i++)
        add_tick(axis, plain.step * (double)i);
    axis->to = plain.upper;
    axis->digits = DIGITS_LEAST;
}

/* The smallest round step of which `steps` hold the span from a tick below to a tick above. */
static double round_step(double smallest, double largest, size_t steps)
{
    static const double multiples[] = {1, 2, 2.5, 5, 10, 20};
    double power = pow(10, floor(log10((largest - smallest) / (double)steps)));
    for (size_t i = 0; i < sizeof multiples / sizeof multiples[0]; i++) {
        double step = multiples[i] * power;
        /* 1e-9: 0.3 / 0.1 must count as 3 steps */
        double ticks = ceil(largest / step - 1e-9) - floor(smallest / step + 1e-9);
        if (ticks <= (double)steps)
            return step;
    }
    return 50 * power;
}

/* Where `largest` is written to the decimals of `step`. */
static int digits_of(double largest, double step)
{
    double digits = floor(log10(fmax(largest, step))) - floor(log10(step)) + 2;
    return (int)fmin(fmax(digits, DIGITS_LEAST), 15);
}

static void over_range(struct chart_axis *axis, const struct chart_axis_range *range, size_t steps)
{
    double factor = range->unit.factor;
    double smallest = clamp(range->smallest / factor, -LARGEST);
    double largest = clamp(range->largest / factor, -LARGEST);
    double size = fmax(fabs(smallest), fabs(largest));
    double least = fmax(size * SPAN_LEAST, SMALLEST);
    if (size < SMALLEST)
        least = 1;
    if (largest - smallest < least) {
        double middle = smallest / 2 + largest / 2;
        smallest = middle - least / 2;
        largest = middle + least / 2;
    }
    double step = round_step(smallest, largest, steps);
    if (range->whole && step < 5) /* 1 and 2 are whole, 2.5 is not */
        step = fmax(1, ceil(step));
    double first = floor(smallest / step + 1e-9);
    double last = ceil(largest / step - 1e-9);
    for (double tick = first; tick <= last && axis->count <= AXIS_TICKS_MAX; tick++)
        add_tick(axis, tick * step);
    axis->from = first * step;
    axis->to = axis->ticks[axis->count - 1];
    axis->digits = digits_of(size, step);
}

/* ---- Logarithmic ---- */

/* Ticks at every `stride`-th power, so that there are few enough. */
static void at_powers(struct chart_axis *axis, double base, double first, double last, size_t steps)
{
    double stride = ceil((last - first) / (double)steps);
    last = first + stride * ceil((last - first) / stride);
    for (double power = first; power <= last; power += stride)
        add_tick(axis, pow(base, power));
    axis->from = pow(base, first);
    axis->to = pow(base, last);
    axis->exponents = base == 10 && (axis->to > PLAIN_MOST || axis->from < PLAIN_LEAST);
}

/* 1, 2, 5, 10 times the power below `smallest`, as far as they are needed. */
static void within_decades(struct chart_axis *axis, double smallest, double largest)
{
    static const double multiples[] = {1, 2, 5};
    double power = pow(10, floor(log10(smallest) + 1e-9));
    for (size_t i = 0; i < 12; i++) {
        double tick = multiples[i % 3] * power * pow(10, (double)(i / 3));
        double next = multiples[(i + 1) % 3] * power * pow(10, (double)((i + 1) / 3));
        if (next <= smallest * (1 + 1e-9))
            continue;
        add_tick(axis, tick);
        if (tick >= largest * (1 - 1e-9) && axis->count > 1)
            break;
    }
    axis->from = axis->ticks[0];
    axis->to = axis->ticks[axis->count - 1];
}

static void over_magnitudes(struct chart_axis *axis, const struct chart_axis_range *range,
                            size_t steps)
{
    double base = range->scale == CHART_AXIS_LOG2 ? 2 : 10;
    double smallest = clamp(range->smallest / range->unit.factor, SMALLEST);
    double largest = clamp(range->largest / range->unit.factor, SMALLEST);
    double first = floor(log2(smallest) / log2(base) + 1e-9);
    double last = ceil(log2(largest) / log2(base) - 1e-9);
    axis->digits = DIGITS_LEAST;
    /* three steps a decade, and ends that may lie one further */
    if (base == 10 && 3 * log10(largest / smallest) + 1.5 <= (double)steps)
        within_decades(axis, smallest, largest);
    else
        at_powers(axis, base, first, fmax(last, first + 1), steps);
}

/* ---- Axes ---- */

struct chart_axis chart_axis_of(const struct chart_axis_range *range, size_t steps)
{
    struct chart_axis axis = {.unit = range->unit, .scale = range->scale};
    struct chart_axis_range sound = *range;
    if (!(isfinite(range->smallest) && isfinite(range->largest)))
        sound.smallest = sound.largest = range->scale == CHART_AXIS_ZERO ? 0 : range->unit.factor;
    if (range->scale == CHART_AXIS_ZERO)
        from_zero(&axis, &sound, steps);
    else if (range->scale == CHART_AXIS_RANGE)
        over_range(&axis, &sound, steps);
    else
        over_magnitudes(&axis, &sound, steps);
    return axis;
}

double chart_axis_share(const struct chart_axis *axis, double value)
{
    double shown = fmin(value / axis->unit.factor, LARGEST);
    bool logarithmic = is_logarithmic(axis->scale);
    if (isnan(value) || (logarithmic && shown <= axis->from))
        return 0;
    /* of logarithms, for the ratio of the ends may be no number */
    double share = logarithmic ? (log(shown) - log(axis->from)) / (log(axis->to) - log(axis->from))
                               : (shown - axis->from) / (axis->to - axis->from);
    return fmin(fmax(share, 0), 1);
}

char *chart_axis_label(const struct chart_axis *axis, size_t i, char *out, size_t capacity)
{
    if (!axis->exponents)
        return text_number(out, capacity, axis->ticks[i], axis->digits);
    bool powers = is_logarithmic(axis->scale);
    snprintf(out, capacity, powers ? "%.0e" : "%.3g", axis->ticks[i]);
    return out;
}
