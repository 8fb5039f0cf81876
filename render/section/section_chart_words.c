#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cross_check.h"
#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* What each chart shows, in a sentence made from the same numbers; "" where there is none. */

/* Of the candidates whose number is known the one with the smallest, or the largest; NULL. */
static const struct summary_candidate *extreme(const struct summary_group *group,
                                               double (*number)(const struct summary_candidate *),
                                               bool largest)
{
    const struct summary_candidate *found = NULL;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        double own = number(candidate);
        if (isnan(own) || candidate->failure.reason != NULL)
            continue;
        if (found == NULL || (largest ? own > number(found) : own < number(found)))
            found = candidate;
    }
    return found;
}

static double peak_of(const struct summary_candidate *candidate)
{
    return candidate->peak_memory_mb;
}

static double throughput_of(const struct summary_candidate *candidate)
{
    return candidate->throughput;
}

static double variation_of(const struct summary_candidate *candidate)
{
    return candidate->step_time_variation;
}

/* The largest and the smallest of all, each with its number. */
static const char *say_range(const struct section *section, const char *id, const char *id_one,
                             double (*number)(const struct summary_candidate *))
{
    const struct summary_candidate *most = extreme(section->group, number, true);
    const struct summary_candidate *least = extreme(section->group, number, false);
    if (most == NULL)
        return "";
    const char *unit = number == peak_of ? "MiB" : report_view_unit_of(most);
    const struct sentence_value values[] = {
        {.name = "candidate", .text = most->label},
        {.name = "value",
         .text = section_quantity_beside(section, number(most), number(least), unit)},
        {.name = "other", .text = least->label},
        {.name = "other_value",
         .text = section_quantity_beside(section, number(least), number(most), unit)}};
    return section_fill(section, number(most) == number(least) ? id_one : id, values, 4);
}

static const char *say_memory(const struct section *section)
{
    return say_range(section, "charts.memory", "charts.memory_one", peak_of);
}

static const char *say_throughput(const struct section *section)
{
    if (!section->group->times_count) /* then nothing is faster than another */
        return "";
    for (size_t i = 0; i < section->group->candidate_count; i++) /* unlike units are no range */
        if (report_view_is_tokens(section->group->candidates[i].throughput_unit) !=
            report_view_group_tokens(section->group))
            return "";
    return say_range(section, "charts.throughput", "charts.throughput_one", throughput_of);
}

/* The phases in which the subject peaks: more than one if they reach the same. */
static const char *say_lifecycle(const struct section *section)
{
    const struct summary_candidate *subject = section_view_subject(section->group);
    double highest = (double)NAN;
    struct text_buffer names = {0};
    for (size_t i = 0; i < subject->phase_count; i++)
        highest = fmax(highest, subject->phases[i].peak_mb);
    for (size_t i = 0; i < subject->phase_count; i++) {
        if (subject->phases[i].peak_mb != highest)
            continue;
        section_list(section, &names, section_word(section, "phase", subject->phases[i].name));
    }
    const char *phases = section_take(section, &names);
    if (phases[0] == '\0')
        return "";
    const struct sentence_value values[] = {
        {.name = "candidate", .text = subject->label},
        {.name = "phase", .text = phases},
        {.name = "value", .text = section_quantity(section, highest, "MiB")}};
    return section_fill(section, "charts.lifecycle", values, 3);
}

static const char *say_split(const struct section *section)
{
    const struct summary_candidate *subject = section_view_subject(section->group);
    const struct summary_timing *timing = &subject->timing;
    if (!timing->available || !(timing->step_ms > 0) || isnan(timing->exposed_ms))
        return "";
    const struct sentence_value values[] = {
        {.name = "candidate", .text = subject->label},
        {.name = "step", .text = section_quantity(section, timing->step_ms, "ms")},
        {.name = "ratio", .text = section_number(section, subject->communication_ratio, "ratio")},
        {.name = "exposed", .text = section_quantity(section, timing->exposed_ms, "ms")}};
    return section_fill(section,
                        isnan(subject->communication_ratio) ? "charts.step_split_alone"
                                                            : "charts.step_split",
                        values, 4);
}

static const char *say_check(const struct section *section, const char *name, const char *equal,
                             const char *apart)
{
    size_t count;
    const struct cross_check *checks = cross_check_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(checks[i].name, name) != 0)
            continue;
        const struct cross_check_result result = section_check(section, &checks[i]);
        if (result.worst == NULL)
            return "";
        const struct sentence_value values[] = {
            {.name = "candidate", .text = result.worst->label},
            {.name = "difference",
             .text = section_view_small_percent(section, result.pair.difference)}};
        return section_fill(section, result.pair.difference == 0 ? equal : apart, values, 2);
    }
    return "";
}

static const char *say_communication(const struct section *section)
{
    return say_check(section, "payload", "charts.communication_equal", "charts.communication");
}

static const char *say_losses(const struct section *section)
{
    return say_check(section, "correctness", "charts.losses_equal", "charts.losses");
}

static const char *say_steps(const struct section *section)
{
    const struct summary_candidate *most = extreme(section->group, variation_of, true);
    if (most == NULL)
        return "";
    const struct sentence_value values[] = {
        {.name = "candidate", .text = most->label},
        {.name = "variation", .text = section_number(section, most->step_time_variation, "ratio")}};
    return section_fill(section, "charts.step_times", values, 2);
}

static const char *say_scale(const struct section *section)
{
    const struct summary_candidate *subject = section_view_subject(section->group);
    if (subject->scale.count < 2 || subject->scale.items[0].world_size != 1)
        return "";
    const struct summary_scale_point *first = &subject->scale.items[0];
    const struct summary_scale_point *last = &subject->scale.items[subject->scale.count - 1];
    const struct sentence_value values[] = {
        {.name = "candidate", .text = subject->label},
        {.name = "value", .text = section_quantity(section, first->resident_mb, "MiB")},
        {.name = "other_value", .text = section_quantity(section, last->resident_mb, "MiB")},
        {.name = "other_ranks", .text = section_count(section, last->world_size)}};
    return section_fill(section, "charts.ledger_scale", values, 4);
}

/* The change of a limit that is set that needs the smallest move, in parts of it. */
static const char *say_margins(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    const struct summary_sensitivity *limit = NULL;
    const struct summary_change *nearest = NULL;
    double least = (double)INFINITY;
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        const struct summary_sensitivity *item = &decision->sensitivity[i];
        for (size_t k = 0; k < item->change_count; k++) {
            double move = fabs(item->changes[k].value / item->current - 1);
            if (!(move < least))
                continue;
            least = move;
            limit = item;
            nearest = &item->changes[k];
        }
    }
    if (nearest == NULL)
        return "";
    struct text_buffer change = {0};
    struct text_buffer answer = {0};
    report_view_change(&change, section->texts, limit, nearest);
    report_view_change_answer(&answer, section->texts, nearest);
    const struct sentence_value values[] = {
        {.name = "limit", .text = section_word(section, "limit", limit->limit)},
        {.name = "change", .text = section_take(section, &change)},
        {.name = "move", .text = section_view_small_percent(section, least)},
        {.name = "answer", .text = section_take(section, &answer)}};
    return section_fill(section, "charts.margins", values, 4);
}

const char *section_chart_words(const struct section *section, const char *chart)
{
    static const struct {
        const char *chart;
        const char *(*say)(const struct section *section);
    } rows[] = {{"memory", say_memory},         {"lifecycle", say_lifecycle},
                {"throughput", say_throughput}, {"frontier", section_view_front},
                {"step_split", say_split},      {"communication", say_communication},
                {"step_times", say_steps},      {"losses", say_losses},
                {"ledger_scale", say_scale},    {"margins", say_margins}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].chart, chart) == 0)
            return rows[i].say(section);
    return "";
}
