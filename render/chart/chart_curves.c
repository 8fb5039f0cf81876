#include "chart_curves.h"

#include <math.h>
#include <string.h>

/* Lines this close lie on each other: a line is 1.8 pixels thick. */
#define SAME_LINE 1.5

bool chart_curves_any(const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < candidate->losses.count; i++) {
        if (isfinite(candidate->losses.items[i]))
            return true;
    }
    return false;
}

static struct chart_curve curve_of(const struct summary_candidate *candidate, size_t index)
{
    struct chart_curve curve = {
        .candidate = candidate,
        .trace = {candidate->losses.items, candidate->losses.count, 0},
        .not_finite = candidate->losses.count,
        .batch = candidate->global_batch,
        .difference = NAN,
        .leader = index,
    };
    double first = NAN;
    curve.last = chart_trace_last(&curve.trace);
    for (size_t i = curve.trace.count; i > 0; i--) {
        if (isfinite(curve.trace.values[i - 1]))
            first = curve.trace.values[i - 1];
        else
            curve.not_finite = i - 1;
    }
    curve.rises = curve.trace.values[curve.last] > first;
    return curve;
}

/* Where two curves differ most; false if they have no step in common. */
static bool compare(const struct chart_curve *a, const struct chart_curve *b, double *difference,
                    size_t *at)
{
    bool any = false;
    *difference = 0;
    *at = 0;
    for (size_t i = 0; i < a->trace.count && i < b->trace.count; i++) {
        double apart = fabs(a->trace.values[i] - b->trace.values[i]);
        if (!isfinite(apart))
            continue;
        if (!any || apart > *difference) {
            *difference = apart;
            *at = i;
        }
        any = true;
    }
    return any;
}

/* The candidate of the policy's baseline strategy that recorded most steps, the first of equal
 * ones; else the first candidate. One alone has none. */
static size_t find_baseline(const struct chart_curves *curves, const char *strategy)
{
    size_t found = curves->count;
    for (size_t i = 0; strategy != NULL && i < curves->count; i++) {
        const struct chart_curve *curve = &curves->items[i];
        if (curve->candidate->strategy == NULL || strcmp(curve->candidate->strategy, strategy) != 0)
            continue;
        if (found == curves->count || curve->trace.count > curves->items[found].trace.count)
            found = i;
    }
    if (curves->count < 2)
        return curves->count;
    return found == curves->count ? 0 : found;
}

/* What is not told may be the same. */
static bool differs(double a, double b)
{
    return !isnan(a) && !isnan(b) && a != b;
}

static void add_warmup(struct chart_curves *curves, const struct summary_candidate *candidate)
{
    double warmup = isfinite(candidate->warmup) ? candidate->warmup : 0;
    curves->warmup_least = curves->count == 0 ? warmup : fmin(curves->warmup_least, warmup);
    curves->warmup_most = fmax(curves->warmup_most, warmup);
}

enum status chart_curves_of(struct chart_frame *frame, struct chart_curves *curves,
                            struct diag *diag)
{
    size_t rows = frame->rows.count;
    *curves = (struct chart_curves){0};
    curves->items = arena_take_array(&frame->scene.arena, rows + 1, sizeof *curves->items);
    if (curves->items == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < rows; i++) {
        if (!chart_curves_any(frame->rows.items[i]))
            continue;
        add_warmup(curves, frame->rows.items[i]);
        curves->items[curves->count] = curve_of(frame->rows.items[i], curves->count);
        if (isnan(curves->items[curves->count].batch))
            curves->items[curves->count].batch = frame->group->global_batch;
        curves->count++;
    }
    curves->baseline = find_baseline(curves, frame->group->decision.baseline);
    for (size_t i = 0; i < curves->count && curves->baseline < curves->count; i++) {
        struct chart_curve *curve = &curves->items[i];
        double difference;
        curve->other_batch = differs(curve->batch, curves->items[curves->baseline].batch);
        if (i != curves->baseline && !curve->other_batch &&
            compare(curve, &curves->items[curves->baseline], &difference, &curve->difference_at))
            curve->difference = difference;
    }
    return STATUS_OK;
}

static bool on_one_line(const struct chart_panel *panel, const struct chart_curve *a,
                        const struct chart_curve *b)
{
    if (a->trace.count != b->trace.count)
        return false;
    for (size_t i = 0; i < a->trace.count; i++) {
        double one = a->trace.values[i];
        double other = b->trace.values[i];
        if (isfinite(one) != isfinite(other))
            return false;
        if (isfinite(one) &&
            fabs(chart_panel_y(panel, one) - chart_panel_y(panel, other)) > SAME_LINE)
            return false;
    }
    return true;
}

/* A label says of all its runs how they ended. */
static bool ended_alike(const struct chart_curve *a, const struct chart_curve *b)
{
    const char *one = a->candidate->failure.reason;
    const char *other = b->candidate->failure.reason;
    if (one == NULL || other == NULL)
        return one == other;
    return strcmp(one, other) == 0;
}

void chart_curves_join(struct chart_curves *curves, const struct chart_panel *panel)
{
    for (size_t i = 0; i < curves->count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct chart_curve *other = &curves->items[k];
            if (other->leader != k || differs(other->batch, curves->items[i].batch) ||
                !ended_alike(other, &curves->items[i]) ||
                !on_one_line(panel, other, &curves->items[i]))
                continue;
            curves->items[i].leader = k;
            break;
        }
    }
}

size_t chart_curves_members(const struct chart_curves *curves, size_t leader)
{
    size_t count = 0;
    for (size_t i = 0; i < curves->count; i++)
        count += curves->items[i].leader == leader;
    return count;
}

double chart_curves_spread(const struct chart_curves *curves, size_t leader)
{
    double spread = 0;
    for (size_t i = 0; i < curves->count; i++) {
        double difference;
        size_t at;
        for (size_t k = 0; k < i; k++) {
            if (curves->items[i].leader == leader && curves->items[k].leader == leader &&
                compare(&curves->items[i], &curves->items[k], &difference, &at))
                spread = fmax(spread, difference);
        }
    }
    return spread;
}

bool chart_curves_other_batch(const struct chart_curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        if (curves->items[i].other_batch)
            return true;
    }
    return false;
}

size_t chart_curves_farthest(const struct chart_curves *curves)
{
    size_t found = curves->count;
    for (size_t i = 0; i < curves->count; i++) {
        double difference = curves->items[i].difference;
        if (isfinite(difference) &&
            (found == curves->count || difference > curves->items[found].difference))
            found = i;
    }
    return found;
}
