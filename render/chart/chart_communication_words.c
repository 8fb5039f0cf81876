#include "chart_communication_words.h"

#include <math.h>
#include <string.h>

#include "text.h"

static const char *say_amount(struct chart_frame *frame, double mb)
{
    char label[96];
    return scene_format(&frame->scene, "%s",
                        axis_memory_label(axis_memory_unit(mb), mb, false, label, sizeof label));
}

/* Few bytes, and the round payloads of a calibration. */
static const char *say_payload(struct chart_frame *frame, double mb)
{
    char label[96];
    return scene_format(&frame->scene, "%s",
                        axis_memory_label(axis_memory_unit(mb), mb, true, label, sizeof label));
}

/* Bandwidths of one chart lie decades apart: three digits each. */
static const char *say_number(struct chart_frame *frame, double gb_per_s)
{
    char number[64];
    return scene_format(&frame->scene, "%s",
                        text_number(number, sizeof number, gb_per_s, gb_per_s >= 1000 ? 6 : 3));
}

static const char *say_name(struct chart_frame *frame, const struct communication_bar *bar)
{
    const char *collective = texts_word(frame->texts, "collective", bar->collective);
    if (bar->purpose == NULL)
        return collective;
    return scene_format(&frame->scene, "%s%s%s", collective,
                        texts_get(frame->texts, "word.list_separator"),
                        texts_word(frame->texts, "purpose", bar->purpose));
}

/* "equal to the byte", or by how many bytes not. */
static const char *say_agreement(struct chart_frame *frame, const struct communication_bar *bar)
{
    char number[64];
    double difference = communication_bars_difference(bar);
    if (isnan(difference))
        return texts_get(frame->texts, "chart.communication.no_formula");
    if (difference == 0)
        return texts_get(frame->texts, "chart.communication.equal");
    return chart_frame_say1(
        frame, difference > 0 ? "chart.communication.more" : "chart.communication.less", "bytes",
        text_number(number, sizeof number, fabs(difference), 15));
}

static void fill_name(struct chart_frame *frame, struct chart_communication_bar *bar, double width)
{
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_TEXT, width, 2);
    chart_cell_add(&frame->scene, &bar->name, say_name(frame, bar->data), &style);
}

/* "30.27 MiB, calls: 14". */
static const char *say_counted(struct chart_frame *frame, const struct communication_bar *bar)
{
    const char *amount = say_amount(frame, bar->counted_mb);
    struct sentence_value values[] = {{"value", amount, NAN}, {"calls", NULL, bar->calls}};
    return isnan(bar->calls) ? amount
                             : chart_frame_say(frame, "chart.communication.calls", values, 2);
}

static void add_formula(struct chart_frame *frame, struct chart_communication_bar *bar,
                        const struct chart_cell_style *style)
{
    chart_cell_add(&frame->scene, &bar->amount,
                   texts_get(frame->texts, "chart.communication.not_counted"), style);
    chart_cell_add(&frame->scene, &bar->amount,
                   chart_frame_say1(frame, "chart.communication.formula", "value",
                                    say_amount(frame, bar->data->expected_mb)),
                   style);
}

static void fill_amount(struct chart_frame *frame, struct chart_communication_bar *bar,
                        double width)
{
    struct chart_cell_style strong =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, width, 2);
    struct chart_cell_style small =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, width, 3);
    const struct communication_bar *data = bar->data;
    double difference = communication_bars_difference(data);
    bool calls =
        !isnan(data->calls) && !isnan(data->expected_calls) && data->calls != data->expected_calls;
    if (isnan(data->counted_mb)) {
        add_formula(frame, bar, &small);
        return;
    }
    chart_cell_add(&frame->scene, &bar->amount, say_counted(frame, data), &strong);
    if (!isnan(difference)) {
        small.mark = difference == 0 ? CHART_MARK_CHECK : CHART_MARK_WARNING;
        small.colour = frame->theme->ink[difference == 0 ? THEME_GOOD : THEME_WARNING];
    }
    chart_cell_add(&frame->scene, &bar->amount, say_agreement(frame, data), &small);
    small.mark = CHART_MARK_WARNING;
    small.colour = frame->theme->ink[THEME_WARNING];
    struct sentence_value expected = {"calls", NULL, data->expected_calls};
    if (calls)
        chart_cell_add(&frame->scene, &bar->amount,
                       chart_frame_say(frame, "chart.communication.calls_differ", &expected, 1),
                       &small);
}

static void fill_rate(struct chart_frame *frame, struct chart_communication_bar *bar, double width)
{
    const struct communication_bar *data = bar->data;
    struct chart_cell_style strong =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, width, 2);
    struct chart_cell_style small =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, width, 3);
    if (isnan(data->bus_gb_per_s))
        chart_cell_add(&frame->scene, &bar->rate, texts_get(frame->texts, "word.not_measured"),
                       &small);
    else
        chart_cell_add(
            &frame->scene, &bar->rate,
            scene_format(&frame->scene, "%s GB/s", say_number(frame, data->bus_gb_per_s)), &strong);
    if (isnan(data->alone_gb_per_s))
        return;
    struct sentence_value values[] = {{"value", say_number(frame, data->alone_gb_per_s), NAN},
                                      {"payload", say_payload(frame, data->alone_mb), NAN}};
    chart_cell_add(&frame->scene, &bar->rate,
                   chart_frame_say(frame, "chart.communication.alone", values, 2), &small);
}

static void add_scalars(struct chart_frame *frame, struct chart_communication_row *row,
                        const struct chart_cell_style *style)
{
    for (size_t i = 0; i < row->data.scalar_count; i++) {
        const struct communication_bar *bar = &row->data.scalars[i];
        struct sentence_value values[] = {{"name", say_name(frame, bar), NAN},
                                          {"value", say_payload(frame, bar->counted_mb), NAN},
                                          {"agreement", say_agreement(frame, bar), NAN}};
        if (isnan(bar->counted_mb))
            continue;
        chart_cell_add(&frame->scene, &row->note,
                       chart_frame_say(frame, "chart.communication.scalar", values, 3), style);
    }
}

static void fill_note(struct chart_frame *frame, struct chart_communication_row *row, double width)
{
    struct chart_cell_style small =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, width, 2);
    struct chart_cell_style bad = chart_frame_style(frame, THEME_FONT_SMALL, THEME_BAD, width, 2);
    add_scalars(frame, row, &small);
    if (row->data.left_out > 0) {
        struct sentence_value value = {"count", NULL, (double)row->data.left_out};
        chart_cell_add(&frame->scene, &row->note,
                       chart_frame_say(frame, "chart.communication.more_rows", &value, 1), &small);
    }
    if (row->data.count + row->data.scalar_count == 0)
        chart_cell_add(&frame->scene, &row->note,
                       texts_get(frame->texts, "chart.communication.unknown"), &small);
    if (row->candidate->failure.reason != NULL)
        chart_cell_add(
            &frame->scene, &row->note,
            chart_frame_say1(frame, "chart.failed", "reason", row->candidate->failure.reason),
            &bad);
}

void chart_communication_words_fill(struct chart_frame *frame, struct chart_communication_row *row,
                                    const struct chart_communication_columns *columns)
{
    double panel = columns->amount.right - columns->amount.left - 8;
    for (size_t i = 0; i < row->data.count; i++) {
        fill_name(frame, &row->bars[i], panel);
        fill_amount(frame, &row->bars[i], columns->amount_width);
        if (columns->rates)
            fill_rate(frame, &row->bars[i], columns->rate_width);
    }
    fill_note(frame, row, columns->note_width);
}

/* ---- Subtitle ---- */

struct tally {
    double equal, compared;
};

static void count_bars(struct tally *tally, const struct communication_bar *bars, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double difference = communication_bars_difference(&bars[i]);
        tally->compared += isnan(difference) ? 0 : 1;
        tally->equal += difference == 0 ? 1 : 0;
    }
}

const char *chart_communication_words_subtitle(struct chart_frame *frame)
{
    struct tally tally = {0, 0};
    for (size_t i = 0; i < frame->group->candidate_count; i++) {
        struct communication_bars bars;
        communication_bars_of(&frame->group->candidates[i], &bars);
        count_bars(&tally, bars.items, bars.count);
        count_bars(&tally, bars.scalars, bars.scalar_count);
    }
    struct sentence_value values[] = {{"count", NULL, tally.equal},
                                      {"total", NULL, tally.compared}};
    if (tally.compared == 0)
        return texts_get(frame->texts, "chart.communication.not_compared");
    return chart_frame_say(frame,
                           tally.equal == tally.compared ? "chart.communication.all_equal"
                                                         : "chart.communication.some_equal",
                           values, 2);
}
