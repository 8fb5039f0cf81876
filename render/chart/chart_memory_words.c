#include "chart_memory_words.h"

#include <math.h>
#include <string.h>

#include "report_view.h"

#define NOTE_INSET 16.0

double chart_memory_words_width(const struct chart_frame *frame)
{
    return frame->width >= CHART_WIDTH ? 218 : 176;
}

const char *chart_memory_words_amount(struct chart_frame *frame, double mb)
{
    char label[96];
    return scene_format(&frame->scene, "%s",
                        axis_memory_label(axis_memory_unit(mb), mb, true, label, sizeof label));
}

/* A difference: two decimals will do. */
static const char *own_amount(struct chart_frame *frame, double mb)
{
    char label[96];
    return scene_format(&frame->scene, "%s",
                        axis_memory_label(axis_memory_unit(mb), mb, false, label, sizeof label));
}

static const char *axis_amount(const struct chart_memory_words *words, double mb)
{
    char label[96];
    return scene_format(&words->frame->scene, "%s",
                        axis_memory_label(words->unit, mb, false, label, sizeof label));
}

static struct chart_cell_style style_of(const struct chart_frame *frame, enum theme_font font,
                                        enum theme_ink ink, enum chart_mark mark)
{
    struct chart_cell_style style =
        chart_frame_style(frame, font, ink, chart_memory_words_width(frame), 3);
    style.mark = mark;
    return style;
}

/* A margin of this many limits, or over a limit of 0, is no percentage that anybody reads. */
#define LIMITS_MOST 10.0

/* An amount with its share of the limit. */
static const char *say_margin(const struct chart_memory_words *words, const char *id, double mb)
{
    struct chart_frame *frame = words->frame;
    if (mb > 0 && mb >= LIMITS_MOST * words->limit_mb)
        return chart_frame_say1(frame, "chart.memory.fail_plain", "value", own_amount(frame, mb));
    double share = mb > 0 ? mb / words->limit_mb : 0;
    struct sentence_value values[] = {{"value", own_amount(frame, mb), NAN},
                                      {"percent", chart_frame_percent(frame, share, false), NAN}};
    return chart_frame_say(frame, id, values, 2);
}

static void add_verdict(const struct chart_memory_words *words, struct chart_line *line,
                        const struct memory_stack *stack)
{
    struct chart_frame *frame = words->frame;
    const struct summary_gate *gate = report_view_gate(line->candidate, "memory");
    double room = words->limit_mb - stack->peak_mb;
    struct chart_cell_style style;
    const char *text;
    /* What a failed run reached did not pass, however little it is. */
    if (line->failed && (gate == NULL || !gate->failed))
        return;
    if (chart_frame_is(gate, "pass") && !isnan(room)) {
        style = style_of(words->frame, THEME_FONT_SMALL, THEME_GOOD, CHART_MARK_CHECK);
        text = say_margin(words, "chart.memory.pass", room);
    } else if (chart_frame_is(gate, "tight") && !isnan(room)) {
        style = style_of(words->frame, THEME_FONT_SMALL, THEME_WARNING, CHART_MARK_WARNING);
        text = say_margin(words, "chart.memory.tight", room);
    } else if (gate != NULL && gate->failed) {
        style = style_of(words->frame, THEME_FONT_SMALL, THEME_BAD, CHART_MARK_CROSS);
        text = isnan(room) ? texts_get(frame->texts, "chart.memory.fail_unmeasured")
                           : say_margin(words, "chart.memory.fail", -room);
    } else {
        return;
    }
    chart_cell_add(&frame->scene, &line->value, text, &style);
}

static void add_value(const struct chart_memory_words *words, struct chart_line *line,
                      const struct memory_stack *stack)
{
    struct scene *scene = &words->frame->scene;
    const struct texts *texts = words->frame->texts;
    bool measured = !isnan(stack->peak_mb);
    struct chart_cell_style strong =
        style_of(words->frame, THEME_FONT_STRONG, THEME_TEXT, CHART_MARK_NONE);
    struct chart_cell_style bad =
        style_of(words->frame, THEME_FONT_STRONG, THEME_BAD, CHART_MARK_CROSS);
    struct chart_cell_style absent =
        style_of(words->frame, THEME_FONT_TEXT, THEME_QUIET, CHART_MARK_NONE);
    struct chart_cell_style small =
        style_of(words->frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    if (line->failed) {
        chart_cell_add(scene, &line->value, texts_get(texts, "verdict.failed_run"), &bad);
        if (measured)
            chart_cell_add(scene, &line->value,
                           chart_frame_say1(words->frame, "chart.memory.reached", "value",
                                            axis_amount(words, stack->peak_mb)),
                           &small);
    } else if (measured) {
        chart_cell_add(scene, &line->value, axis_amount(words, stack->peak_mb), &strong);
    } else {
        chart_cell_add(scene, &line->value, texts_get(texts, "word.not_measured"), &absent);
    }
    if (measured && words->kind == NULL && line->candidate->memory_kind != NULL)
        chart_cell_add(scene, &line->value, texts_word(texts, "kind", line->candidate->memory_kind),
                       &small);
}

void chart_memory_words_fill(const struct chart_memory_words *words, struct chart_line *line,
                             const struct memory_stack *stack, double width)
{
    struct scene *scene = &words->frame->scene;
    struct chart_cell_style small =
        style_of(words->frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    add_value(words, line, stack);
    add_verdict(words, line, stack);
    if (stack->known_mb > 0 && (line->failed || isnan(stack->peak_mb)))
        chart_cell_add(scene, &line->value,
                       chart_frame_say1(words->frame, "chart.memory.ledger_only", "value",
                                        axis_amount(words, stack->known_mb)),
                       &small);
    else if (!isnan(stack->resident_mb))
        chart_cell_add(scene, &line->value,
                       chart_frame_say1(words->frame, "chart.memory.resident", "value",
                                        axis_amount(words, stack->resident_mb)),
                       &small);
    small.width = width - NOTE_INSET;
    if (line->failed)
        chart_lines_note_failure(line, words->frame, width);
    else if (stack->excess_mb > 0)
        chart_cell_add(scene, &line->note,
                       chart_frame_say1(words->frame,
                                        stack->measured ? "chart.memory.excess_measured"
                                                        : "chart.memory.excess",
                                        "value", own_amount(words->frame, stack->excess_mb)),
                       &small);
}

static size_t count_within(const struct summary_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_gate *gate = report_view_gate(&group->candidates[i], "memory");
        bool passes = chart_frame_is(gate, "pass") || chart_frame_is(gate, "tight");
        count += passes && group->candidates[i].failure.reason == NULL;
    }
    return count;
}

static const char *say_parts(const struct chart_memory_words *words)
{
    const char *id = words->parts_measured && words->parts_computed ? "chart.memory.parts_mixed"
                     : words->parts_measured                        ? "chart.memory.parts_measured"
                                                                    : "chart.memory.parts_ledger";
    return texts_get(words->frame->texts, id);
}

const char *chart_memory_words_subtitle(const struct chart_memory_words *words, double limit_mb)
{
    struct chart_frame *frame = words->frame;
    struct sentence_value values[] = {
        {"limit", NULL, NAN},
        {"count", NULL, (double)count_within(frame->group)},
        {"total", NULL, (double)frame->group->candidate_count},
    };
    const char *text = texts_get(frame->texts, "chart.memory.no_limit");
    if (!isnan(limit_mb)) {
        values[0].text = chart_memory_words_amount(frame, limit_mb);
        text = chart_frame_say(frame, "chart.memory.within", values, 3);
    }
    if (!words->parts_measured && !words->parts_computed)
        return text;
    return scene_format(&frame->scene, "%s  \xC2\xB7  %s", text,
                        say_parts(words)); /* a middle dot */
}

const char *chart_memory_words_axis(const struct chart_memory_words *words)
{
    if (words->kind == NULL)
        return chart_frame_say1(words->frame, "chart.memory.axis_kinds", "unit", words->unit.name);
    if (words->kind[0] == '\0')
        return chart_frame_say1(words->frame, "chart.memory.axis", "unit", words->unit.name);
    struct sentence_value values[] = {
        {"unit", words->unit.name, NAN},
        {"kind", texts_word(words->frame->texts, "kind", words->kind), NAN}};
    return chart_frame_say(words->frame, "chart.memory.axis_kind", values, 2);
}
