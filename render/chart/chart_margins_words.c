#include "chart_margins_words.h"

#include <math.h>
#include <string.h>

#include "report_view.h"
#include "text.h"

static bool is_ratio(const struct summary_sensitivity *item)
{
    return item->unit != NULL && strcmp(item->unit, "ratio") == 0;
}

static const char *number(struct chart_frame *frame, const struct summary_sensitivity *item,
                          double value)
{
    struct text_buffer out = {0};
    report_view_number(&out, frame->texts, value, item->unit);
    return chart_frame_take(frame, &out);
}

/* The limit and its unit; a unit that does not fit beside the name stands below it, since a line
 * may end after the stroke of "tokens/s". */
static void add_name(struct chart_frame *frame, struct chart_cell *cell,
                     const struct summary_sensitivity *item, const struct chart_cell_style *style)
{
    const char *name = texts_word(frame->texts, "limit", item->limit);
    const char *unit = item->unit != NULL ? texts_word(frame->texts, "unit", item->unit) : "";
    if (is_ratio(item) || unit[0] == '\0') { /* its numbers say that they are percentages */
        chart_cell_add(&frame->scene, cell, name, style);
        return;
    }
    struct sentence_value values[] = {{"limit", name, NAN}, {"unit", unit, NAN}};
    const char *both = chart_frame_say(frame, "chart.margins.limit", values, 2);
    if (scene_width(&frame->scene, style->font, both) <= style->width) {
        chart_cell_add(&frame->scene, cell, both, style);
        return;
    }
    chart_cell_add(&frame->scene, cell, name, style);
    chart_cell_add(&frame->scene, cell, chart_frame_say1(frame, "chart.margins.unit", "unit", unit),
                   style);
}

void chart_margins_words_limit(struct chart_frame *frame, struct chart_cell *cell,
                               const struct summary_sensitivity *item,
                               const struct summary_candidate *selected, double measured,
                               double width)
{
    const struct theme *theme = frame->theme;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_STRONG, THEME_TEXT, width, 3);
    add_name(frame, cell, item, &style);
    style.font = &theme->font[THEME_FONT_SMALL];
    style.colour = theme->ink[THEME_QUIET];
    if (isnan(item->current)) {
        chart_cell_add(&frame->scene, cell, texts_get(frame->texts, "chart.margins.unset"), &style);
    } else {
        style.mark = CHART_MARK_LIMIT;
        style.colour = theme->ink[THEME_LIMIT];
        chart_cell_add(&frame->scene, cell,
                       chart_frame_say1(frame, "chart.margins.now", "value",
                                        number(frame, item, item->current)),
                       &style);
    }
    if (selected == NULL || isnan(measured))
        return;
    struct sentence_value values[] = {
        {"label", chart_frame_name(frame, selected), NAN},
        {"value", number(frame, item, measured), NAN},
    };
    style.mark = CHART_MARK_POINTER;
    style.colour = theme->ink[THEME_TEXT];
    style.lines = 3;
    style.keep_end = true; /* the number stands there */
    chart_cell_add(&frame->scene, cell, chart_frame_say(frame, "chart.margins.measured", values, 2),
                   &style);
}

/* "-791 MiB (-4.8 %)", of a share "-3.2 percentage points"; NULL without a present value. */
static const char *distance(struct chart_frame *frame, const struct summary_sensitivity *item,
                            const struct summary_change *change)
{
    char moved[64];
    char relative[64];
    double far = change->value - item->current;
    if (isnan(far) || !isfinite(far))
        return NULL;
    const char *sign = far > 0 ? "+" : far < 0 ? "\xE2\x88\x92" : ""; /* a minus */
    if (is_ratio(item)) {
        text_rounded(moved, sizeof moved, 100 * fabs(far), TEXT_ROUNDED_PERCENT, 0);
        return chart_frame_say1(frame, "chart.margins.points", "value",
                                scene_format(&frame->scene, "%s%s", sign, moved));
    }
    text_rounded(moved, sizeof moved, fabs(far), TEXT_ROUNDED_PLAIN, 0);
    if (item->current <= 0)
        return scene_format(&frame->scene, "%s%s", sign, moved);
    text_rounded(relative, sizeof relative, 100 * fabs(far) / item->current, TEXT_ROUNDED_PERCENT,
                 0);
    return scene_format(&frame->scene, "%s%s (%s%s %%)", sign, moved, sign, relative);
}

const char *chart_margins_words_answer(struct chart_frame *frame,
                                       const struct summary_change *change)
{
    const struct summary_decision *decision = &frame->group->decision;
    struct text_buffer out = {0};
    if (change != NULL)
        report_view_change_answer(&out, frame->texts, change);
    else
        report_view_answer(&out, frame->texts, decision->decision,
                           decision->label != NULL ? decision->label : decision->strategy);
    return chart_frame_take(frame, &out);
}

void chart_margins_words_change(struct chart_frame *frame, struct chart_cell *cell,
                                const struct summary_sensitivity *item,
                                const struct summary_change *change, double width)
{
    const struct theme *theme = frame->theme;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, width, 3);
    if (change == NULL) {
        chart_cell_add(&frame->scene, cell, texts_get(frame->texts, "sensitivity.never"), &style);
        return;
    }
    struct text_buffer where = {0};
    report_view_change(&where, frame->texts, item, change);
    style.font = &theme->font[THEME_FONT_SMALL_STRONG];
    style.colour = theme->ink[THEME_TEXT];
    chart_cell_add(&frame->scene, cell, chart_frame_take(frame, &where), &style);
    style.font = &theme->font[THEME_FONT_SMALL];
    chart_cell_add(&frame->scene, cell, chart_margins_words_answer(frame, change), &style);
    const char *far = distance(frame, item, change);
    style.colour = theme->ink[THEME_QUIET];
    if (far != NULL)
        chart_cell_add(&frame->scene, cell, far, &style);
}

const char *chart_margins_words_others(struct chart_frame *frame)
{
    const struct summary_decision *decision = &frame->group->decision;
    struct text_buffer names = {0};
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count > 0)
            continue;
        if (names.length > 0)
            text_buffer_puts(&names, texts_get(frame->texts, "word.list_separator"));
        text_buffer_puts(&names, texts_word(frame->texts, "limit", decision->sensitivity[i].limit));
    }
    bool none = names.length == 0 && !names.failed;
    const char *list = chart_frame_take(frame, &names);
    return none ? NULL : chart_frame_say1(frame, "sensitivity.others", "limits", list);
}
