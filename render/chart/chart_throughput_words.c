#include "chart_throughput_words.h"

#include <math.h>

#include "report_view.h"
#include "text.h"

#define NOTE_INSET 16.0
/* From ten times on a multiple says more than a percentage. */
#define TIMES_FROM 10

/* An integer part is never rounded to tens. */
static char *rate_number(double shown, char *out, size_t capacity)
{
    int digits = shown >= 10000 && shown < 1e15 ? (int)floor(log10(shown)) + 1 : 5;
    return text_number(out, capacity, shown, digits);
}

const char *chart_throughput_words_rate(struct chart_frame *frame, double value, const char *unit)
{
    char number[64];
    struct axis_unit prefix = axis_plain_unit(value);
    return scene_format(&frame->scene, "%s %s%s%s",
                        rate_number(value / prefix.factor, number, sizeof number), prefix.name,
                        prefix.name[0] != '\0' ? " " : "", unit != NULL ? unit : "");
}

const char *chart_throughput_words_axis(struct chart_frame *frame, const char *prefix,
                                        const char *unit)
{
    const char *name = unit != NULL ? unit : "";
    if (name[0] == '\0' && prefix[0] == '\0')
        return texts_get(frame->texts, "chart.throughput.axis_plain");
    return chart_frame_say1(frame, "chart.throughput.axis", "unit",
                            scene_format(&frame->scene, "%s%s%s", prefix,
                                         prefix[0] != '\0' && name[0] != '\0' ? " " : "", name));
}

static struct chart_cell_style style_of(const struct chart_frame *frame, enum theme_font font,
                                        enum theme_ink ink, enum chart_mark mark)
{
    struct chart_cell_style style =
        chart_frame_style(frame, font, ink, CHART_THROUGHPUT_VALUE_WIDTH, 3);
    style.mark = mark;
    return style;
}

/* `ratio` is the throughput over the minimum, less 1. */
static const char *above_minimum(struct chart_frame *frame, double ratio)
{
    char number[64];
    if (ratio == 0)
        return texts_get(frame->texts, "chart.throughput.equal");
    if (ratio < TIMES_FROM - 1)
        return chart_frame_say1(frame, "chart.throughput.pass", "percent",
                                chart_frame_percent(frame, ratio, false));
    return chart_frame_say1(frame, "chart.throughput.pass_times", "times",
                            text_number(number, sizeof number, floor(ratio + 1), 15));
}

static void add_verdict(struct chart_frame *frame, struct chart_line *line)
{
    const struct summary_gate *gate = report_view_gate(line->candidate, "throughput");
    struct chart_cell_style style = style_of(frame, THEME_FONT_SMALL, THEME_BAD, CHART_MARK_CROSS);
    const char *text;
    double ratio = gate != NULL ? line->candidate->throughput / gate->limit - 1 : NAN;
    if (chart_frame_is(gate, "unit_differs")) {
        text = texts_get(frame->texts, "chart.throughput.unit_differs");
    } else if (gate != NULL && gate->failed && isfinite(ratio)) {
        text = chart_frame_say1(frame, "chart.throughput.fail", "percent",
                                chart_frame_percent(frame, -ratio, false));
    } else if (gate != NULL && gate->failed) {
        text = texts_get(frame->texts, "chart.throughput.fail_unmeasured");
    } else if (isfinite(ratio) && chart_frame_is(gate, "pass")) {
        style = style_of(frame, THEME_FONT_SMALL, THEME_GOOD, CHART_MARK_CHECK);
        text = above_minimum(frame, ratio);
    } else {
        return;
    }
    chart_cell_add(&frame->scene, &line->value, text, &style);
}

void chart_throughput_words_fill(struct chart_frame *frame, struct chart_line *line,
                                 bool other_unit, double width)
{
    const struct summary_candidate *candidate = line->candidate;
    struct chart_cell_style strong =
        style_of(frame, THEME_FONT_STRONG, THEME_TEXT, CHART_MARK_NONE);
    struct chart_cell_style bad = style_of(frame, THEME_FONT_STRONG, THEME_BAD, CHART_MARK_CROSS);
    struct chart_cell_style quiet = style_of(frame, THEME_FONT_TEXT, THEME_QUIET, CHART_MARK_NONE);
    struct chart_cell_style small = style_of(frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    bool measured = isfinite(candidate->throughput);
    const char *rate = measured ? chart_throughput_words_rate(frame, candidate->throughput,
                                                              candidate->throughput_unit)
                                : texts_get(frame->texts, "word.not_measured");
    if (line->failed) {
        chart_cell_add(&frame->scene, &line->value, texts_get(frame->texts, "verdict.failed_run"),
                       &bad);
        if (measured)
            chart_cell_add(&frame->scene, &line->value,
                           chart_frame_say1(frame, "chart.throughput.reached", "value", rate),
                           &small);
        chart_lines_note_failure(line, frame, width);
    } else {
        chart_cell_add(&frame->scene, &line->value, rate, measured ? &strong : &quiet);
    }
    add_verdict(frame, line);
    small.width = width - NOTE_INSET;
    if (other_unit && !line->failed)
        chart_cell_add(&frame->scene, &line->note,
                       texts_get(frame->texts, "chart.throughput.other_unit"), &small);
}

/* In the prefix of the value above it, without its unit. */
void chart_throughput_words_spread(struct chart_frame *frame, struct chart_line *line,
                                   const struct chart_throughput_spread *spread)
{
    char lower[64];
    char upper[64];
    struct axis_unit prefix = axis_plain_unit(line->candidate->throughput);
    struct sentence_value values[] = {
        {"lower", rate_number(spread->lower / prefix.factor, lower, sizeof lower), NAN},
        {"upper", rate_number(spread->upper / prefix.factor, upper, sizeof upper), NAN}};
    struct chart_cell_style small = style_of(frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    if (spread->sign == CHART_SIGN_NONE)
        return;
    const char *text = chart_frame_say(
        frame,
        spread->sign == CHART_SIGN_RANGE ? "chart.throughput.range" : "chart.throughput.interval",
        values, 2);
    chart_cell_add(
        &frame->scene, &line->value,
        scene_format(&frame->scene, "%s%s%s", text, prefix.name[0] != '\0' ? " " : "", prefix.name),
        &small);
}

void chart_throughput_words_beyond(struct chart_frame *frame, struct chart_line *line, size_t count,
                                   double width)
{
    struct sentence_value value = {"count", NULL, (double)count};
    struct chart_cell_style small = style_of(frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    small.width = width - NOTE_INSET;
    chart_cell_add(&frame->scene, &line->note,
                   chart_frame_say(frame, "chart.throughput.beyond", &value, 1), &small);
}

void chart_throughput_words_share(struct chart_frame *frame, struct chart_line *line)
{
    const struct summary_gate *gate = report_view_gate(line->candidate, "communication");
    double ratio = line->candidate->communication_ratio;
    bool failed = gate != NULL && gate->failed;
    struct chart_cell_style style =
        isfinite(ratio) ? style_of(frame, THEME_FONT_STRONG, THEME_TEXT, CHART_MARK_NONE)
                        : style_of(frame, THEME_FONT_SMALL, THEME_QUIET, CHART_MARK_NONE);
    if (failed) {
        style.colour = frame->theme->ink[THEME_BAD];
        style.mark = CHART_MARK_CROSS;
    } else if (isfinite(ratio) && chart_frame_is(gate, "pass")) {
        style.colour = frame->theme->ink[THEME_GOOD];
        style.mark = CHART_MARK_CHECK;
    }
    style.width = CHART_THROUGHPUT_SHARE_WIDTH;
    chart_cell_add(&frame->scene, &line->side,
                   isfinite(ratio) ? chart_frame_percent(frame, ratio, false)
                                   : texts_get(frame->texts, "word.not_measured"),
                   &style);
    if (!failed || !isfinite(ratio))
        return;
    style.font = &frame->theme->font[THEME_FONT_SMALL];
    style.mark = CHART_MARK_NONE;
    chart_cell_add(&frame->scene, &line->side, texts_get(frame->texts, "chart.throughput.over"),
                   &style);
}

const char *chart_throughput_words_subtitle(struct chart_frame *frame)
{
    const struct summary_group *group = frame->group;
    const struct summary_decision *decision = &group->decision;
    const struct summary_candidate *best = NULL;
    for (size_t i = 0; i < group->candidate_count && best == NULL; i++) {
        if (group->candidates[i].rank == 1)
            best = &group->candidates[i];
    }
    if (best == NULL)
        return texts_get(frame->texts, "chart.throughput.none");
    const char *label = best->label != NULL ? best->label : "";
    if (!isfinite(best->throughput))
        return chart_frame_say1(frame, "chart.throughput.best_unmeasured", "label", label);
    struct sentence_value values[] = {
        {"label", label, NAN},
        {"value", chart_throughput_words_rate(frame, best->throughput, best->throughput_unit), NAN},
        {"gain",
         scene_format(&frame->scene, "%s%s", decision->gain >= 0 ? "+" : "",
                      chart_frame_percent(frame, decision->gain, false)),
         NAN},
        {"baseline", decision->baseline != NULL ? report_view_baseline_name(group) : "", NAN},
    };
    bool gain = decision->gain_applicable && isfinite(decision->gain) &&
                decision->baseline != NULL && decision->candidate >= 0 &&
                best - group->candidates == (ptrdiff_t)decision->candidate &&
                (decision->goal == NULL || decision->goal[0] == 't');
    bool chosen = chart_frame_chosen(frame, best);
    const char *id = chosen
                         ? (gain ? "chart.throughput.selected_gain" : "chart.throughput.selected")
                         : (gain ? "chart.throughput.best_gain" : "chart.throughput.best");
    return chart_frame_say(frame, id, values, 4);
}
