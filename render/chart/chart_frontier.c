#include "chart_frontier.h"

#include <math.h>

#include "chart_frontier_legend.h"
#include "chart_frontier_panel.h"
#include "chart_throughput_words.h"

/*
 * A sign a candidate: the more to the left and the higher the better. Below the panel what its
 * signs mean, whose the numbers are, and who is no point.
 */

#define OTHERS_FEW 8

struct frontier_chart {
    struct chart_frame frame;
    struct chart_frontier_points points;
    struct chart_frontier_panel panel;
};

/* ---- Words ---- */

static const char *subtitle(struct frontier_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < chart->points.count; i++) {
        const struct chart_frontier_point *point = &chart->points.items[i];
        struct sentence_value values[] = {
            {"label", chart_frame_name(frame, point->candidate), NAN},
            {"value", chart_frontier_value(frame, point->candidate), NAN},
        };
        if (point->first)
            return chart_frame_say(
                frame, point->chosen ? "chart.frontier.selected" : "chart.frontier.best", values,
                2);
    }
    return texts_get(frame->texts, "chart.frontier.subtitle");
}

static void put_notices(struct frontier_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_policy *policy = &frame->input->summary->policy;
    if (!frame->group->times_count)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.times"));
    if (!isnan(policy->min_throughput) && isnan(chart->points.least))
        chart_frame_notice(
            frame, chart_frame_say1(frame, "chart.notice.unit", "limit",
                                    chart_throughput_words_rate(frame, policy->min_throughput,
                                                                policy->throughput_unit)));
}

/* The candidates that are no point, with the reason. */
static void put_others(struct frontier_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    size_t count = chart->points.other_count;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, frame->content, 1);
    struct chart_cell head = {0};
    if (count == 0)
        return;
    chart_cell_add(&frame->scene, &head, texts_get(frame->texts, "chart.frontier.others"), &style);
    chart_cell_draw(&frame->scene, &head, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    frame->y += head.height + 4;
    for (size_t i = 0; i < count; i++) {
        const struct summary_candidate *candidate = chart->points.others[i];
        bool failed = candidate->failure.reason != NULL;
        struct chart_cell cell = {0};
        style = chart_frame_style(frame, THEME_FONT_SMALL, failed ? THEME_BAD : THEME_QUIET,
                                  frame->content, count <= OTHERS_FEW ? 2 : 1);
        style.mark = failed ? CHART_MARK_CROSS : CHART_MARK_NONE;
        const char *text = scene_format(&frame->scene, "%s%s%s", chart_frame_name(frame, candidate),
                                        texts_get(frame->texts, "word.colon"),
                                        chart_frontier_reason(frame, &chart->points, candidate));
        chart_cell_add(&frame->scene, &cell, text, &style);
        chart_cell_draw(&frame->scene, &cell, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
        text_buffer_printf(&frame->description, "\n%s", text);
        frame->y += cell.height + 3;
    }
    frame->y += 8;
}

static void describe(struct frontier_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < chart->points.count; i++) {
        const struct chart_frontier_point *point = &chart->points.items[i];
        text_buffer_printf(
            &frame->description, "\n%s%s%s%s%s", chart_frame_name(frame, point->candidate),
            texts_get(frame->texts, "word.colon"), chart_frontier_value(frame, point->candidate),
            point->candidate->on_front ? texts_get(frame->texts, "word.list_separator") : "",
            point->candidate->on_front ? texts_get(frame->texts, "chart.frontier.front") : "");
    }
}

bool chart_frontier_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (chart_frontier_is_point(&group->candidates[i]))
            return true;
    }
    return false;
}

static enum status put_chart(struct frontier_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_frontier_panel *panel = &chart->panel;
    panel->frame = frame;
    panel->points = &chart->points;
    enum status status = chart_frontier_panel_place(panel, diag);
    if (status != STATUS_OK)
        return status;
    const struct chart_frontier_legend legend = {
        .region = panel->has_region && !panel->within_placed,
        .front = panel->step_count > 0 && !panel->front_placed,
    };
    chart_frontier_panel_put(panel);
    chart_frontier_legend_put(frame, &chart->points, &legend);
    chart_frontier_names_key(&panel->names, &chart->points, frame);
    describe(chart);
    return STATUS_OK;
}

static enum status draw(struct frontier_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    const char *title = texts_get(frame->texts, "chart.frontier.title");
    enum status status = chart_frontier_read(&chart->points, frame, diag);
    if (status != STATUS_OK)
        return status;
    chart_frame_header(frame, title, subtitle(chart));
    put_notices(chart);
    if (chart->points.count > 0)
        status = put_chart(chart, diag);
    if (status != STATUS_OK)
        return status;
    put_others(chart);
    return chart_frame_finish(frame, title, diag);
}

enum status chart_frontier_draw(const struct chart_input *input, struct canvas *canvas,
                                struct diag *diag)
{
    struct frontier_chart chart = {.points = {.count = 0}};
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = draw(&chart, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
