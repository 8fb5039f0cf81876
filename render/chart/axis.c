#include "axis.h"

#include <math.h>
#include <stdio.h>

#include "text.h"

#define LARGEST 1e300   /* so that an upper end one step further is still a number */
#define SMALLEST 1e-280 /* so that a power of ten below it is still one */
#define EXACT_DIGITS 6

static const char *const memory_names[] = {"B",   "KiB", "MiB", "GiB", "TiB",
                                           "PiB", "EiB", "ZiB", "YiB"};

struct axis_unit axis_memory_unit(double largest_mb)
{
    double factor = 1.0 / (1024 * 1024);
    size_t i = 0;
    while (i + 1 < sizeof memory_names / sizeof memory_names[0] && largest_mb >= factor * 1024) {
        factor *= 1024;
        i++;
    }
    return (struct axis_unit){factor, memory_names[i]};
}

struct axis_unit axis_plain_unit(double largest)
{
    static const struct axis_unit units[] = {
        {1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (largest >= 10 * units[i].factor)
            return units[i];
    }
    return (struct axis_unit){1, ""};
}

struct axis_unit axis_time_unit(double largest_ms)
{
    if (largest_ms >= 1e4)
        return (struct axis_unit){1e3, "s"};
    if (largest_ms >= 0.1 || !(largest_ms > 0))
        return (struct axis_unit){1, "ms"};
    return largest_ms >= 1e-4 ? (struct axis_unit){1e-3, "\xC2\xB5s"}
                              : (struct axis_unit){1e-6, "ns"};
}

static double clean(double value)
{
    return isfinite(value) && value > 0 ? fmin(value, LARGEST)
           : isnan(value) || value <= 0 ? 0
                                        : LARGEST;
}

struct axis axis_of(double largest, struct axis_unit unit, size_t steps)
{
    static const double multiples[] = {1, 2, 2.5, 5, 10};
    double shown = fmin(clean(largest) / unit.factor, LARGEST);
    if (shown < SMALLEST)
        shown = shown <= 0 ? 1 : SMALLEST;
    double power = pow(10, floor(log10(shown / (double)steps)));
    struct axis axis = {unit, 10 * power, 0, 0, false};
    for (size_t i = 0; i < sizeof multiples / sizeof multiples[0]; i++) {
        /* 1e-9: 0.3 / 0.1 must count as 3 steps */
        if (multiples[i] * power * (double)steps >= shown * (1 - 1e-9)) {
            axis.step = multiples[i] * power;
            break;
        }
    }
    double count = ceil(shown / axis.step - 1e-9);
    axis.count = (size_t)fmax(1, fmin(count, AXIS_TICKS_MAX - 1)) + 1;
    axis.upper = axis.step * (double)(axis.count - 1);
    return axis;
}

double axis_share(const struct axis *axis, double value)
{
    double share = clean(value) / axis->unit.factor / axis->upper;
    return fmin(share, 1);
}

char *axis_tick_label(const struct axis *axis, size_t i, char *out, size_t capacity)
{
    if (axis->exponents && i > 0) {
        snprintf(out, capacity, "%.3g", axis->step * (double)i);
        return out;
    }
    /* 6 digits: a step has at most 2, a tick at most one more than the number of steps needs */
    return text_number(out, capacity, axis->step * (double)i, 6);
}

char *axis_number(double shown, char *out, size_t capacity)
{
    if (fabs(shown) >= 999.995)
        return text_number(out, capacity, shown, shown < 1e15 ? (int)floor(log10(shown)) + 1 : 4);
    snprintf(out, capacity, "%.2f", shown);
    return out;
}

char *axis_memory_label(struct axis_unit unit, double mb, bool exact, char *out, size_t capacity)
{
    char number[64];
    bool lost = mb > 0 && mb < unit.factor / 10;
    struct axis_unit own = lost || mb >= unit.factor * 1e6 ? axis_memory_unit(mb) : unit;
    double shown = mb / own.factor;
    if (exact || (shown > 0 && shown < 0.1))
        text_number(number, sizeof number, shown, EXACT_DIGITS);
    else
        axis_number(shown, number, sizeof number);
    snprintf(out, capacity, "%s %s", number, own.name);
    return out;
}

char *axis_time_label(struct axis_unit unit, double ms, char *out, size_t capacity)
{
    char number[64];
    bool lost = ms > 0 && (ms < unit.factor / 10 || ms >= unit.factor * 1e6);
    struct axis_unit own = lost ? axis_time_unit(ms) : unit;
    double shown = ms / own.factor;
    if (shown > 0 && shown < 0.1)
        text_number(number, sizeof number, shown, EXACT_DIGITS);
    else
        axis_number(shown, number, sizeof number);
    snprintf(out, capacity, "%s %s", number, own.name);
    return out;
}
