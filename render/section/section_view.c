#include "section_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_view.h"
#include "section_text.h"
#include "text.h"

/* Of the sources that were left out a page has room for so many. */
#define SECTION_VIEW_LEFT_OUT 4

/* A sentence has room for so many names. */
#define SECTION_VIEW_NAMES 8

/* Below it the digits of a difference tell nothing. */
#define SECTION_VIEW_TINY 0.0001

const struct summary_candidate *section_view_subject(const struct summary_group *group)
{
    const struct summary_candidate *selected = report_view_selected(group);
    return selected != NULL ? selected : report_view_closest(group);
}

static const char *points(const struct section *section, double share)
{
    char number[64];
    return manuscript_copy(
        section->out, text_rounded(number, sizeof number, 100 * share, TEXT_ROUNDED_PERCENT, 0));
}

/* Which sentence: of a maximum or a minimum; what is left of it or misses it; in percentage points
 * (of shares), as an amount with its part of the limit, or as an amount alone. */
static const char *margin_id(const struct summary_gate *gate, bool share)
{
    static const char *const ids[2][2][3] = {
        {{"margin.left", "margin.left_share", "margin.left_plain"},
         {"margin.over", "margin.over_share", "margin.over_plain"}},
        {{"margin.above", "margin.above_share", "margin.above_plain"},
         {"margin.below", "margin.below_share", "margin.below_plain"}}};
    bool minimum = strcmp(gate->name, "throughput") == 0;
    return ids[minimum][gate->margin < 0][share ? 1 : isnan(gate->margin_percent) ? 2 : 0];
}

const char *section_view_margin(const struct section *section, const struct summary_gate *gate)
{
    char percent[64];
    if (isnan(gate->margin))
        return "";
    bool share = gate->unit != NULL && strcmp(gate->unit, "ratio") == 0;
    double margin = fabs(gate->margin);
    const struct sentence_value values[] = {
        {.name = "margin",
         .text = share ? points(section, margin) : section_quantity(section, margin, gate->unit)},
        {.name = "percent",
         .text = isnan(gate->margin_percent)
                     ? ""
                     : text_rounded(percent, sizeof percent, fabs(gate->margin_percent),
                                    TEXT_ROUNDED_PERCENT, 0)}};
    const char *text = section_fill(section, margin_id(gate, share), values, 2);
    bool tight = gate->verdict != NULL && strcmp(gate->verdict, "tight") == 0;
    return tight ? section_append(section, text, section_word(section, "verdict", "tight")) : text;
}

const char *section_view_gates(const struct section *section, const struct summary_texts *gates)
{
    struct text_buffer names = {0};
    for (size_t i = 0; i < gates->count; i++) {
        text_buffer_puts(&names, i > 0 ? section_get(section, "word.list_separator") : "");
        text_buffer_puts(&names, section_word(section, "gate", gates->items[i]));
    }
    return section_take(section, &names);
}

const char *section_view_signed_percent(const struct section *section, double fraction)
{
    char number[64];
    text_rounded(number, sizeof number, 100 * fraction, TEXT_ROUNDED_PERCENT, 0);
    return manuscript_format(section->out, "%s%s %%", fraction > 0 ? "+" : "", number);
}

const char *section_view_small_percent(const struct section *section, double fraction)
{
    if (!(fraction > 0 && fraction < SECTION_VIEW_TINY))
        return section_number(section, fraction, "ratio");
    return section_fill1(section, "checks.below", "value",
                         section_number(section, SECTION_VIEW_TINY, "ratio"));
}

const char *section_view_interval(const struct section *section,
                                  const struct summary_candidate *candidate)
{
    if (isnan(candidate->throughput_lower) || isnan(candidate->throughput_upper))
        return "";
    const struct sentence_value values[] = {
        {.name = "lower", .number = candidate->throughput_lower},
        {.name = "upper", .number = candidate->throughput_upper}};
    return section_fill(section, "figure.interval", values, 2);
}

const char *section_view_level_meaning(const struct section *section, const char *level)
{
    char id[96];
    if (level == NULL)
        return "";
    snprintf(id, sizeof id, "level_meaning.%.64s", level);
    const char *text = section_get(section, id);
    return strcmp(text, id) == 0 ? "" : text;
}

const char *section_view_names(const struct section *section,
                               bool (*is_meant)(const struct summary_candidate *candidate),
                               size_t *count)
{
    const struct summary_group *group = section->group;
    struct text_buffer names = {0};
    *count = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        if (!is_meant(candidate) || ++*count > SECTION_VIEW_NAMES)
            continue;
        /* labels have commas of their own */
        text_buffer_puts(&names, *count > 1 ? section_get(section, "word.semicolon") : "");
        text_buffer_puts(&names, candidate->label);
    }
    const char *listed = section_take(section, &names);
    if (*count <= SECTION_VIEW_NAMES)
        return listed;
    const struct sentence_value values[] = {
        {.name = "names", .text = listed},
        {.name = "count", .number = (double)(*count - SECTION_VIEW_NAMES)}};
    return section_fill(section, "word.names_more", values, 2);
}

static bool is_on_front(const struct summary_candidate *candidate)
{
    return candidate->on_front;
}

static bool same_word(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether all of the front were measured alike: numbers of other kinds are not compared. */
static bool front_is_alike(const struct summary_group *group)
{
    const struct summary_candidate *first = NULL;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[i];
        if (!candidate->on_front)
            continue;
        first = first != NULL ? first : candidate;
        if (!same_word(candidate->memory_kind, first->memory_kind) ||
            !same_word(candidate->throughput_unit, first->throughput_unit))
            return false;
    }
    return true;
}

const char *section_view_front(const struct section *section)
{
    size_t count;
    if (!front_is_alike(section->group))
        return "";
    const char *front = section_view_names(section, is_on_front, &count);
    if (count == 0 || section->group->candidate_count == 1)
        return "";
    return section_fill1(section, count == 1 ? "candidates.front_one" : "candidates.front",
                         "candidates", front);
}

void section_view_sources(const struct section *section)
{
    const struct summary *summary = section->summary;
    const struct sentence_value values[] = {
        {.name = "sources", .number = (double)summary->source_count},
        {.name = "rejected", .number = (double)summary->rejected_count},
        {.name = "level", .text = section_word(section, "level", summary->weakest_source_level)}};
    bool level = summary->weakest_source_level != NULL;
    manuscript_paragraph(section->out,
                         summary->rejected_count > 0 ? MANUSCRIPT_WARNING : MANUSCRIPT_QUIET,
                         section_fill(section, level ? "sources.read" : "sources.none", values, 3));
}

void section_view_left_out(const struct section *section)
{
    const struct summary *summary = section->summary;
    if (summary->rejected_count == 0)
        return;
    section_heading(section, "rejected", section_get(section, "heading.left_out"));
    for (size_t i = 0; i < summary->rejected_count && i < SECTION_VIEW_LEFT_OUT; i++) {
        struct text_buffer text = {0};
        report_view_left_out(&text, section->texts, &summary->rejected[i]);
        manuscript_item(section->out, MANUSCRIPT_BAD, section_take(section, &text));
    }
    if (summary->rejected_count > SECTION_VIEW_LEFT_OUT)
        section_more(section, summary->rejected_count - SECTION_VIEW_LEFT_OUT);
}

bool section_view_is(const struct summary_message *message, const char *prefix)
{
    return message->id != NULL && strncmp(message->id, prefix, strlen(prefix)) == 0;
}
