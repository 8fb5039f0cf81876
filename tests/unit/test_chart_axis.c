#include <criterion/criterion.h>
#include <math.h>

#include "chart_axis.h"
#include "chart_labels.h"

static const struct axis_unit plain = {1, ""};

static struct chart_axis axis(enum chart_axis_scale scale, double smallest, double largest)
{
    struct chart_axis_range range = {smallest, largest, plain, scale, false};
    return chart_axis_of(&range, 6);
}

static void expect_ticks(const struct chart_axis *axis, size_t count, double first, double last)
{
    cr_assert_eq(axis->count, count, "%zu ticks", axis->count);
    cr_assert_float_eq(axis->ticks[0], first, 1e-9 * fabs(first) + 1e-12, "%g", axis->ticks[0]);
    cr_assert_float_eq(axis->ticks[count - 1], last, 1e-9 * fabs(last), "%g",
                       axis->ticks[count - 1]);
    cr_assert_eq(axis->from, axis->ticks[0]);
    cr_assert_eq(axis->to, axis->ticks[count - 1]);
}

Test(chart_axis, from_zero_ends_at_a_round_tick)
{
    struct chart_axis a = axis(CHART_AXIS_ZERO, 0, 23.4);
    expect_ticks(&a, 6, 0, 25);
    cr_assert_float_eq(chart_axis_share(&a, 12.5), 0.5, 1e-12);
    cr_assert_eq(chart_axis_share(&a, -1), 0);
    cr_assert_eq(chart_axis_share(&a, 1e300), 1);
}

Test(chart_axis, over_a_range_holds_both_ends_between_round_ticks)
{
    struct chart_axis a = axis(CHART_AXIS_RANGE, 10.32, 10.87);
    expect_ticks(&a, 7, 10.3, 10.9);
    a = axis(CHART_AXIS_RANGE, -3, 5);
    expect_ticks(&a, 6, -4, 6);
}

Test(chart_axis, equal_values_and_no_values_still_make_an_axis)
{
    static const double values[] = {0, 7, -7, 1e15, 1e-9, 1e300, -1e300, 1e-300};
    static const enum chart_axis_scale scales[] = {CHART_AXIS_ZERO, CHART_AXIS_RANGE,
                                                   CHART_AXIS_LOG2, CHART_AXIS_LOG10};
    for (size_t s = 0; s < 4; s++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            struct chart_axis a = axis(scales[s], values[i], values[i]);
            cr_assert(a.count >= 2 && a.from < a.to, "%g on scale %zu", values[i], s);
            double share = chart_axis_share(&a, values[i]);
            cr_assert(share >= 0 && share <= 1);
        }
        struct chart_axis_range empty = chart_axis_range_empty(scales[s]);
        empty.unit = plain;
        struct chart_axis a = chart_axis_of(&empty, 6);
        cr_assert(a.count >= 2 && a.from < a.to);
    }
}

Test(chart_axis, ticks_rise_and_few_enough_are_made_whatever_the_values)
{
    static const double ends[] = {-1e300, -1e9, -3.7, -1e-9, 0, 1e-12, 0.3, 1, 2, 1000, 1e6, 1e300};
    size_t count = sizeof ends / sizeof ends[0];
    for (int scale = CHART_AXIS_ZERO; scale <= CHART_AXIS_LOG10; scale++) {
        for (size_t i = 0; i < count * count; i++) {
            double low = fmin(ends[i / count], ends[i % count]);
            double high = fmax(ends[i / count], ends[i % count]);
            struct chart_axis a = axis((enum chart_axis_scale)scale, low, high);
            cr_assert(a.count >= 2 && a.count <= AXIS_TICKS_MAX + 1, "%g to %g, scale %d", low,
                      high, scale);
            for (size_t t = 1; t < a.count; t++)
                cr_assert(a.ticks[t] > a.ticks[t - 1], "%g to %g, scale %d", low, high, scale);
        }
    }
}

Test(chart_axis, logarithmic_axes_tick_at_powers)
{
    struct chart_axis_range range = {1, 1024, plain, CHART_AXIS_LOG2, false};
    struct chart_axis a = chart_axis_of(&range, 10);
    expect_ticks(&a, 11, 1, 1024);
    cr_assert_float_eq(chart_axis_share(&a, 32), 0.5, 1e-12);
    a = axis(CHART_AXIS_LOG10, 3, 2e6);
    expect_ticks(&a, 5, 1, 1e8);
    a = axis(CHART_AXIS_LOG10, 3, 25);
    expect_ticks(&a, 5, 2, 50);
    cr_assert_eq(chart_axis_share(&a, 0), 0);
    cr_assert_eq(chart_axis_share(&a, NAN), 0);
}

Test(chart_axis, whole_numbers_tick_at_integers)
{
    for (int last = 1; last < 40; last++) {
        struct chart_axis_range range = {1, last, plain, CHART_AXIS_RANGE, true};
        struct chart_axis a = chart_axis_of(&range, 10);
        cr_assert(a.from <= 1 && a.to >= last);
        for (size_t i = 0; i < a.count; i++)
            cr_assert_eq(a.ticks[i], round(a.ticks[i]), "1 to %d", last);
    }
}

Test(chart_axis, very_different_magnitudes_are_labelled_as_powers)
{
    char label[64];
    struct chart_axis a = axis(CHART_AXIS_LOG10, 1e-9, 1e12);
    cr_assert_str_eq(chart_axis_label(&a, 0, label, sizeof label), "1e-09");
    a = axis(CHART_AXIS_LOG10, 1, 1e4);
    cr_assert_str_eq(chart_axis_label(&a, a.count - 1, label, sizeof label), "10,000");
}

Test(chart_axis, values_keep_their_places_over_all_magnitudes)
{
    struct chart_axis a = axis(CHART_AXIS_LOG10, 1e-280, 1e290);
    cr_assert_eq(chart_axis_share(&a, 1e-280), 0);
    cr_assert_float_eq(chart_axis_share(&a, 1), 280.0 / 570, 0.01); /* its ends are rounded */
    cr_assert_gt(chart_axis_share(&a, 1e280), 0.9);
}

/* ---- Labels ---- */

static struct chart_label label(double y)
{
    return (struct chart_label){.cell = {.width = 60, .height = 14}, .anchor = {100, y}};
}

Test(chart_labels, of_a_column_stay_where_they_are_when_they_fit)
{
    struct chart_label labels[] = {label(100), label(30)};
    cr_assert(chart_labels_column(labels, 2, 114, 0, 200));
    cr_assert_float_eq(labels[0].at.y, 30 - 7, 1e-9);
    cr_assert_float_eq(labels[1].at.y, 100 - 7, 1e-9);
    cr_assert_eq(labels[1].at.x, 114);
}

Test(chart_labels, of_one_height_spread_around_it_and_stay_inside)
{
    struct chart_label labels[10];
    for (size_t i = 0; i < 10; i++)
        labels[i] = label(i < 5 ? 50 : 195);
    cr_assert(chart_labels_column(labels, 10, 114, 0, 200));
    for (size_t i = 1; i < 10; i++)
        cr_assert(labels[i].at.y >= labels[i - 1].at.y + 14, "label %zu", i);
    cr_assert(labels[0].at.y >= 0 && labels[9].at.y + 14 <= 200);
    cr_assert_float_eq((labels[0].at.y + labels[4].at.y + 14) / 2, 50, 1e-9);
}

Test(chart_labels, too_many_for_a_column_are_not_placed)
{
    struct chart_label labels[20];
    for (size_t i = 0; i < 20; i++)
        labels[i] = label(10);
    cr_assert_not(chart_labels_column(labels, 20, 114, 0, 200));
    cr_assert_not(labels[3].placed);
}

static bool apart(const struct chart_label *a, const struct chart_label *b)
{
    return a->at.x + a->cell.width <= b->at.x || b->at.x + b->cell.width <= a->at.x ||
           a->at.y + a->cell.height <= b->at.y || b->at.y + b->cell.height <= a->at.y;
}

Test(chart_labels, beside_points_never_overlap_each_other_or_an_obstacle)
{
    struct chart_label labels[12];
    struct canvas_box obstacle = {110, 90, 80, 20};
    struct chart_labels_room room = {{0, 0, 300, 200}, &obstacle, 1, 8};
    for (size_t i = 0; i < 12; i++)
        labels[i] = label(100);
    size_t placed = chart_labels_beside(labels, 12, &room);
    cr_assert(placed > 3 && placed <= 12);
    struct chart_label wall = {.cell = {.width = 80, .height = 20}, .at = {110, 90}};
    for (size_t i = 0; i < 12; i++) {
        cr_assert(!labels[i].placed || apart(&labels[i], &wall));
        for (size_t j = 0; j < i; j++)
            cr_assert(!labels[i].placed || !labels[j].placed || apart(&labels[i], &labels[j]));
    }
}
