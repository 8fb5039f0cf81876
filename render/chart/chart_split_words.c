#include "chart_split_words.h"

#include <math.h>

double chart_split_words_width(const struct chart_frame *frame)
{
    return frame->width >= CHART_WIDTH ? 218 : 176;
}

static const char *say_time(struct chart_frame *frame, struct axis_unit unit, double ms)
{
    char label[96];
    return scene_format(&frame->scene, "%s", axis_time_label(unit, ms, label, sizeof label));
}

static struct chart_cell_style style_of(const struct chart_frame *frame, enum theme_font font,
                                        enum theme_ink ink)
{
    return chart_frame_style(frame, font, ink, chart_split_words_width(frame), 3);
}

/* "239.44 ms (rank 1)". */
static const char *say_step(struct chart_frame *frame, const struct step_stack *stack,
                            struct axis_unit unit)
{
    struct sentence_value values[] = {{"value", say_time(frame, unit, stack->step_ms), NAN},
                                      {"rank", NULL, stack->rank}};
    if (isnan(stack->rank))
        return values[0].text;
    return chart_frame_say(frame, "chart.split.step", values, 2);
}

static void add_communication(struct chart_frame *frame, struct chart_line *line,
                              const struct step_stack *stack, struct axis_unit unit)
{
    struct chart_cell_style small = style_of(frame, THEME_FONT_SMALL, THEME_QUIET);
    double share = stack->step_ms > 0 ? stack->exposed_ms / stack->step_ms : NAN;
    struct sentence_value values[] = {
        {"value", say_time(frame, unit, stack->exposed_ms), NAN},
        {"percent", isnan(share) ? "" : chart_frame_percent(frame, share, false), NAN}};
    if (!isnan(share))
        chart_cell_add(&frame->scene, &line->value,
                       chart_frame_say(frame, "chart.split.exposed", values, 2), &small);
    if (isnan(stack->hidden_ms))
        return;
    struct sentence_value hidden[] = {{"value", say_time(frame, unit, stack->hidden_ms), NAN},
                                      {"all", say_time(frame, unit, stack->in_flight_ms), NAN}};
    chart_cell_add(&frame->scene, &line->value,
                   chart_frame_say(frame, "chart.split.hidden", hidden, 2), &small);
}

void chart_split_words_fill(struct chart_frame *frame, struct chart_line *line,
                            const struct step_stack *stack, struct axis_unit unit, double width)
{
    struct chart_cell_style strong = style_of(frame, THEME_FONT_STRONG, THEME_TEXT);
    struct chart_cell_style quiet = style_of(frame, THEME_FONT_TEXT, THEME_QUIET);
    struct chart_cell_style small = style_of(frame, THEME_FONT_SMALL, THEME_QUIET);
    if (line->failed) {
        struct chart_cell_style bad = style_of(frame, THEME_FONT_STRONG, THEME_BAD);
        bad.mark = CHART_MARK_CROSS;
        chart_cell_add(&frame->scene, &line->value, texts_get(frame->texts, "verdict.failed_run"),
                       &bad);
        chart_lines_note_failure(line, frame, width);
        return;
    }
    if (isnan(stack->step_ms))
        chart_cell_add(&frame->scene, &line->value, texts_get(frame->texts, "word.not_measured"),
                       &quiet);
    else
        chart_cell_add(&frame->scene, &line->value, say_step(frame, stack, unit), &strong);
    if (stack->split)
        add_communication(frame, line, stack, unit);
    else if (!isnan(stack->step_ms))
        chart_cell_add(&frame->scene, &line->value,
                       texts_get(frame->texts, "chart.split.not_split"), &small);
}

const char *chart_split_words_subtitle(struct chart_frame *frame)
{
    const struct summary_group *group = frame->group;
    const struct summary_candidate *least = NULL;
    const char *means = texts_get(frame->texts, "chart.split.means");
    double smallest = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct step_stack stack;
        step_stack_of(&group->candidates[i], &stack);
        double share = stack.step_ms > 0 ? stack.exposed_ms / stack.step_ms : NAN;
        count += isnan(share) ? 0U : 1U;
        if (share < smallest) {
            smallest = share;
            least = &group->candidates[i];
        }
    }
    if (least == NULL || count < 2 || least->label == NULL)
        return means;
    struct sentence_value values[] = {
        {"label", least->label, NAN},
        {"percent", chart_frame_percent(frame, smallest, false), NAN}};
    return scene_format(&frame->scene, "%s  \xC2\xB7  %s", means, /* a middle dot */
                        chart_frame_say(frame, "chart.split.least", values, 2));
}
