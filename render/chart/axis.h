#ifndef RANKLEDGER_AXIS_H
#define RANKLEDGER_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* An axis from zero with round steps, and the unit in which its numbers are written. */

#define AXIS_TICKS_MAX 12

/* A unit as a factor: a value in the base unit divided by `factor` is shown with `name`. */
struct axis_unit {
    double factor;
    const char *name; /* "GiB"; for plain numbers an SI prefix, "" for one */
};

/* The unit for amounts of memory up to `largest_mb` MiB: B and KiB below one MiB, then MiB to YiB.
 */
struct axis_unit axis_memory_unit(double largest_mb);

/* The SI prefix for a plain number up to `largest`: none below 10 million, then M, G, T, P, E. */
struct axis_unit axis_plain_unit(double largest);

/* The unit for times up to `largest_ms`: ns and µs below a tenth of the next one, ms, from ten
 * thousand ms on s. */
struct axis_unit axis_time_unit(double largest_ms);

/* Ticks in the shown unit: 0, step, ..., at most `upper`, which is `count - 1` steps. */
struct axis {
    struct axis_unit unit;
    double step, upper;
    size_t count;
    bool exponents; /* labels as "5e+10": set where those written out are too wide */
};

/*
 * The axis that holds `largest` (in the base unit; not finite or below 0 counts as 0, above 1e300
 * as 1e300) with at most `steps` steps (2 to AXIS_TICKS_MAX - 1) of 1, 2, 2.5 or 5 times a power
 * of ten.
 */
struct axis axis_of(double largest, struct axis_unit unit, size_t steps);

/* Where a value (base unit) lies, 0 at zero to 1 at the upper end; clamped. */
double axis_share(const struct axis *axis, double value);

/* The label of tick `i` without unit, as in "1,500" or "0.25". Returns `out`. */
char *axis_tick_label(const struct axis *axis, size_t i, char *out, size_t capacity);

/*
 * A number of a chart with two decimals, so that numbers below each other compare at a glance:
 * "7.60"; an integer from 1,000 on. Returns `out`.
 */
char *axis_number(double shown, char *out, size_t capacity);

/*
 * An amount of memory with its unit's name: "23.40 GiB"; "24 GiB" with `exact`, which drops zeros
 * and is for limits. An amount that would be lost in the axis' unit (below a tenth of one), or
 * has over six digits in it, is written in its own. Returns `out`.
 */
char *axis_memory_label(struct axis_unit unit, double mb, bool exact, char *out, size_t capacity);

/* A time with its unit's name: "220.95 ms"; as axis_memory_label, one that would be lost in the
 * axis' unit is written in its own. Returns `out`. */
char *axis_time_label(struct axis_unit unit, double ms, char *out, size_t capacity);

#endif
