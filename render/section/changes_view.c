#include "changes_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const struct changes_view_quantity quantities[] = {
    {"throughput", "quantity.throughput", true, false},
    {"step_time_ms", "quantity.step_time_ms", false, false},
    {"peak_memory_mb", "quantity.peak_memory_mb", false, false},
    {"communication_ratio", "quantity.communication_ratio", false, true},
    {"communication_payload_mb", "quantity.communication_payload_mb", false, false},
    {"resident_mb", "quantity.resident_mb", false, false},
    {"checkpoint_peak_memory_mb", "quantity.checkpoint_peak_memory_mb", false, false},
};

const struct changes_view_quantity *changes_view_quantities(size_t *count)
{
    *count = sizeof quantities / sizeof quantities[0];
    return quantities;
}

const struct changes_view_quantity *changes_view_quantity(const char *name)
{
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        if (strcmp(quantities[i].name, name) == 0)
            return &quantities[i];
    return NULL;
}

static bool in_points(const struct changes_value *value)
{
    const struct changes_view_quantity *quantity = changes_view_quantity(value->name);
    return quantity != NULL && quantity->in_points;
}

static bool was_compared(const struct changes_value *value)
{
    static const char *const verdicts[] = {"same", "within_noise", "within_tolerance", "better",
                                           "worse"};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        if (strcmp(value->verdict, verdicts[i]) == 0)
            return true;
    return false;
}

double changes_view_percent(const struct changes_value *value)
{
    if (!was_compared(value))
        return (double)NAN;
    return 100 * (in_points(value) ? value->change : value->relative);
}

void changes_view_interval(const struct changes_value *value, double *lower, double *upper)
{
    bool drawn = was_compared(value) && !in_points(value);
    *lower = drawn ? 100 * (value->lower - 1) : (double)NAN;
    *upper = drawn ? 100 * (value->upper - 1) : (double)NAN;
}

bool changes_view_drawn(const struct changes_group *group, const char *name)
{
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_value *value = changes_find(&group->strategies[i], name);
        if (value != NULL && isfinite(changes_view_percent(value)))
            return true;
    }
    return false;
}

bool changes_view_changed(const struct changes_group *group, const char *name)
{
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_value *value = changes_find(&group->strategies[i], name);
        if (value != NULL && isfinite(changes_view_percent(value)) &&
            strcmp(value->verdict, "same") != 0)
            return true;
    }
    return false;
}

static void put_signed(struct text_buffer *out, double percent)
{
    char number[64];
    text_rounded(number, sizeof number, fabs(percent), TEXT_ROUNDED_PERCENT, 0);
    const char *sign = percent < 0 ? "-" : percent > 0 ? "+" : "";
    text_buffer_printf(out, "%s%s", sign, number);
}

void changes_view_change(struct text_buffer *out, const struct texts *texts,
                         const struct changes_value *value)
{
    double percent = changes_view_percent(value);
    if (!was_compared(value)) {
        text_buffer_puts(out, value->unlike != NULL ? texts_word(texts, "unlike", value->unlike)
                                                    : texts_word(texts, "change", value->verdict));
    } else if (isnan(percent)) {
        text_buffer_puts(out, texts_get(texts, "change.from_nothing"));
    } else {
        put_signed(out, percent);
        text_buffer_puts(out, in_points(value) ? texts_get(texts, "change.points") : " %");
    }
}

void changes_view_bounds(struct text_buffer *out, const struct texts *texts,
                         const struct changes_value *value)
{
    double lower;
    double upper;
    struct text_buffer from = {0};
    struct text_buffer to = {0};
    changes_view_interval(value, &lower, &upper);
    if (isnan(lower) || isnan(upper))
        return;
    put_signed(&from, lower);
    put_signed(&to, upper);
    if (!from.failed && !to.failed) {
        const struct sentence_value values[] = {{.name = "lower", .text = from.text},
                                                {.name = "upper", .text = to.text}};
        texts_fill(out, texts, "change.bounds", values, 2);
    }
    out->failed |= from.failed || to.failed;
    text_buffer_fini(&from);
    text_buffer_fini(&to);
}

const char *changes_view_verdict(const struct texts *texts, const struct changes_value *value)
{
    return value->beyond ? texts_get(texts, "change.beyond")
                         : texts_word(texts, "change", value->verdict);
}

static void put_failed_gates(struct text_buffer *out, const struct texts *texts,
                             const struct changes_candidate *candidate)
{
    struct text_buffer gates = {0};
    for (size_t i = 0; i < candidate->gate_count; i++) {
        if (!candidate->gates[i].failed)
            continue;
        if (gates.length > 0)
            text_buffer_puts(&gates, texts_get(texts, "word.list_separator"));
        text_buffer_puts(&gates, texts_word(texts, "gate", candidate->gates[i].name));
    }
    const struct sentence_value value = {
        .name = "gates", .text = gates.failed || gates.text == NULL ? "" : gates.text};
    texts_fill(out, texts, "standing.fails", &value, 1);
    out->failed |= gates.failed;
    text_buffer_fini(&gates);
}

void changes_view_standing(struct text_buffer *out, const struct texts *texts,
                           const struct changes_choice *choice,
                           const struct changes_candidate *candidate)
{
    if (candidate == NULL) {
        text_buffer_puts(out, texts_get(texts, "standing.absent"));
    } else if (candidate->failure != NULL) {
        const struct sentence_value value = {.name = "failure", .text = candidate->failure};
        texts_fill(out, texts, "standing.failed", &value, 1);
    } else if (!candidate->eligible) {
        put_failed_gates(out, texts, candidate);
    } else {
        bool selected = candidate->rank == 1 && choice->strategy != NULL;
        text_buffer_puts(out, texts_get(texts, selected ? "standing.selected" : "standing.passes"));
    }
}

enum changes_view_rank changes_view_rank(const struct changes_group *group)
{
    enum changes_view_rank worst = CHANGES_VIEW_UNCHANGED;
    for (size_t i = 0; i < group->findings.count; i++) {
        const struct changes_finding *finding = &group->findings.items[i];
        enum changes_view_rank own =
            finding->beyond                                 ? CHANGES_VIEW_BEYOND
            : strcmp(finding->tendency, "regression") == 0  ? CHANGES_VIEW_WORSE
            : strcmp(finding->tendency, "improvement") == 0 ? CHANGES_VIEW_BETTER
                                                            : CHANGES_VIEW_UNCHANGED;
        worst = own < worst ? own : worst;
    }
    return worst;
}

void changes_view_choose(struct changes *changes, struct changes_group *groups)
{
    bool few = changes->group_count <= CHANGES_FEW_GROUPS;
    for (int rank = CHANGES_VIEW_BEYOND; rank <= CHANGES_VIEW_UNCHANGED; rank++)
        for (size_t i = 0; i < changes->group_count; i++) {
            if (changes_view_rank(&groups[i]) != (enum changes_view_rank)rank)
                continue;
            if (rank == CHANGES_VIEW_UNCHANGED && !few) {
                changes->more_unchanged++;
            } else if (changes->shown_count == CHANGES_SHOWN_MOST) {
                changes->more_changed++;
            } else {
                changes->shown[changes->shown_count++] = i;
                groups[i].shown = true;
            }
        }
}

enum changes_view_rank changes_view_whole(const struct changes *changes)
{
    if (changes->beyond > 0)
        return CHANGES_VIEW_BEYOND;
    if (changes->regressions > 0)
        return CHANGES_VIEW_WORSE;
    return changes->improvements > 0 ? CHANGES_VIEW_BETTER : CHANGES_VIEW_UNCHANGED;
}

size_t changes_view_compared(const struct changes *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < changes->group_count; i++)
        for (size_t k = 0; k < changes->groups[i].strategy_count; k++)
            count += strcmp(changes->groups[i].strategies[k].presence, "both") == 0;
    return count;
}

const char *changes_view_headline(const struct changes *changes)
{
    static const char *const ids[] = {[CHANGES_VIEW_BEYOND] = "changes.beyond",
                                      [CHANGES_VIEW_WORSE] = "changes.regressions",
                                      [CHANGES_VIEW_BETTER] = "changes.improvements",
                                      [CHANGES_VIEW_UNCHANGED] = "changes.none"};
    enum changes_view_rank rank = changes_view_whole(changes);
    if (changes_view_compared(changes) == 0)
        return "changes.not_compared";
    if (rank == CHANGES_VIEW_WORSE && !isnan(changes->max_regression))
        return "changes.within";
    return ids[rank];
}
