#include "chart_steps.h"

#include <math.h>

#include "chart_grid.h"
#include "chart_marker.h"
#include "chart_steps_facts.h"
#include "chart_trace.h"
#include "text.h"

/*
 * A panel a candidate, all on one scale: a line a rank, the slowest rank's on top, or, of many
 * ranks, the area that they cover. The axis need not start at zero: there are no bars.
 */

#define PANEL_LEAST 270.0
#define PANEL_HEIGHT 118.0
#define PANEL_HEIGHT_ALONE 220.0
#define RANKS_AS_LINES 8
/* Times that differ by more than this factor are told apart on a logarithmic axis only. */
#define LOGARITHMIC_FROM 20.0
#define CROSS 4.0

struct steps_chart {
    struct chart_frame frame;
    struct chart_grid grid;
    struct chart_panel panel;               /* its axes are those of all panels */
    struct chart_steps_facts *facts;        /* one a cell */
    double longest;                         /* the last step of any run, warm-up counted */
    double earliest;                        /* where the axis of steps begins */
    bool thin, band, warmup, rounds, cross; /* what the legend explains */
};

/* ---- Reading ---- */

bool chart_steps_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (chart_steps_facts_any(&group->candidates[i]))
            return true;
    }
    return false;
}

/* Steps before the first one with a time, so that one's number: steps count from 0, as in a
 * failure. With several rounds it is not told where each warmed up.
 */
static double warmup_of(const struct summary_candidate *candidate)
{
    bool known = isfinite(candidate->warmup) && candidate->warmup > 0;
    return known && candidate->round_steps.count <= 1 ? candidate->warmup : 0;
}

static void read_candidate(struct steps_chart *chart, const struct summary_candidate *candidate,
                           struct chart_axis_range *times)
{
    double offset = warmup_of(candidate);
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++) {
        const struct summary_numbers *ms = &candidate->step_times.ranks[rank];
        for (size_t i = 0; i < ms->count; i++)
            chart_axis_range_add(times, ms->items[i]);
        if (ms->count == 0)
            continue;
        chart->longest = fmax(chart->longest, offset + (double)(ms->count - 1));
        chart->earliest = fmin(chart->earliest, offset);
    }
}

static void choose_scale(struct chart_axis_range *times)
{
    times->unit = axis_time_unit(times->largest);
    if (times->smallest > 0 && times->largest > LOGARITHMIC_FROM * times->smallest)
        times->scale = CHART_AXIS_LOG10;
}

static void scale(struct steps_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_axis_range times = chart_axis_range_empty(CHART_AXIS_RANGE);
    struct chart_axis_range steps = chart_axis_range_empty(CHART_AXIS_RANGE);
    chart->earliest = INFINITY;
    for (size_t i = 0; i < frame->every.count; i++)
        read_candidate(chart, frame->every.items[i], &times);
    choose_scale(&times);
    /* A warm-up much longer than what was measured would leave no room for that. */
    double measured = chart->longest - chart->earliest + 1;
    if (chart->earliest <= measured)
        chart->earliest = 0;
    steps.whole = true;
    chart_axis_range_add(&steps, chart->earliest);
    chart_axis_range_add(&steps, chart->longest);
    bool alone = frame->every.count == 1;
    chart->panel.box.height = alone ? PANEL_HEIGHT_ALONE : PANEL_HEIGHT;
    chart->panel.box.width = chart->grid.width > 0 ? chart->grid.width : PANEL_LEAST;
    chart_panel_scale(frame, &chart->panel, &steps, &times);
}

/* ---- Words ---- */

static const char *time_text(struct steps_chart *chart, double ms)
{
    char text[64];
    return scene_format(&chart->frame.scene, "%s",
                        axis_time_label(chart->panel.y.unit, ms, text, sizeof text));
}

static void add_time_fact(struct steps_chart *chart, struct chart_grid_cell *cell,
                          const struct chart_steps_facts *facts)
{
    struct sentence_value values[] = {
        {"median", time_text(chart, facts->median), NAN},
        {"largest", time_text(chart, facts->largest), NAN},
        {"step", NULL, warmup_of(cell->candidate) + (double)facts->largest_step},
        {"rank", NULL, (double)facts->largest_rank},
    };
    chart_grid_fact(cell, &chart->frame, THEME_QUIET,
                    chart_frame_say(&chart->frame, "chart.steps.times", values, 4));
}

static const char *rank_words(struct chart_frame *frame, const struct chart_steps_facts *facts)
{
    double ratio = facts->slowest_median / facts->fastest_median - 1;
    const char *percent = isfinite(ratio) ? chart_frame_percent(frame, ratio, false)
                                          : texts_get(frame->texts, "chart.unknown");
    struct sentence_value values[] = {
        {"ranks", NULL, (double)facts->ranks},
        {"rank", NULL, (double)facts->slowest},
        {"percent", percent, NAN},
    };
    const char *id = facts->ranks == 1  ? "chart.steps.one_rank"
                     : facts->straggles ? "chart.steps.slowest"
                                        : "chart.steps.even";
    return chart_frame_say(frame, id, values, 3);
}

static void add_rank_fact(struct steps_chart *chart, struct chart_grid_cell *cell,
                          const struct chart_steps_facts *facts)
{
    struct chart_frame *frame = &chart->frame;
    const char *words = rank_words(frame, facts);
    if (isfinite(facts->drift)) {
        const char *percent = chart_frame_percent(frame, facts->drift, false);
        const char *drift = chart_frame_say1(
            frame, "chart.steps.drift", "percent",
            facts->drift > 0 ? scene_format(&frame->scene, "+%s", percent) : percent);
        struct sentence_value values[] = {{"ranks", words, NAN}, {"drift", drift, NAN}};
        words = chart_frame_say(frame, "chart.steps.both", values, 2);
    }
    chart_grid_fact(cell, frame, facts->straggles ? THEME_WARNING : THEME_QUIET, words);
}

/* What of a panel needs a key. */
static void note_keys(struct steps_chart *chart, const struct summary_candidate *candidate,
                      const struct chart_steps_facts *facts)
{
    chart->warmup = chart->warmup || warmup_of(candidate) > chart->earliest;
    chart->rounds = chart->rounds || candidate->round_steps.count > 1;
    chart->band = chart->band || facts->ranks > RANKS_AS_LINES;
    chart->thin = chart->thin || (facts->ranks > 1 && facts->ranks <= RANKS_AS_LINES);
    chart->cross = chart->cross || candidate->failure.reason != NULL;
}

static enum status fill_cells(struct steps_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    chart->facts =
        arena_take_array(&frame->scene.arena, chart->grid.count + 1, sizeof *chart->facts);
    if (chart->facts == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < chart->grid.count; i++) {
        struct chart_grid_cell *cell = &chart->grid.items[i];
        struct chart_steps_facts *facts = &chart->facts[i];
        if (!chart_steps_facts_of(cell->candidate, &frame->scene.arena, facts))
            return diag_no_memory(diag);
        chart_grid_failure(cell, frame);
        cell->empty = facts->ranks == 0;
        if (cell->empty) {
            struct chart_cell_style style =
                chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, cell->plot.width, 3);
            chart_cell_add(&frame->scene, &cell->note, texts_get(frame->texts, "chart.steps.none"),
                           &style);
            continue;
        }
        note_keys(chart, cell->candidate, facts);
        add_time_fact(chart, cell, facts);
        add_rank_fact(chart, cell, facts);
    }
    return STATUS_OK;
}

/* ---- Drawing ---- */

static struct canvas_paint stroke(canvas_colour colour, double width, double dash)
{
    return (struct canvas_paint){CANVAS_NONE, CANVAS_NONE, colour, width, dash};
}

static void put_warmup(struct steps_chart *chart, const struct summary_candidate *candidate)
{
    struct chart_panel *panel = &chart->panel;
    struct canvas_paint grey = {chart->frame.theme->ink[THEME_GRID], CANVAS_NONE, CANVAS_NONE, 0,
                                0};
    double to = chart_panel_x(panel, warmup_of(candidate) - 0.5);
    if (warmup_of(candidate) <= 0 || to <= panel->box.x)
        return;
    scene_rectangle(
        &chart->frame.scene,
        (struct canvas_box){panel->box.x, panel->box.y, to - panel->box.x, panel->box.height},
        &grey);
}

static void put_rounds(struct steps_chart *chart, const struct summary_candidate *candidate)
{
    struct chart_panel *panel = &chart->panel;
    struct canvas_paint line = stroke(chart->frame.theme->ink[THEME_AXIS], 1, 2);
    double step = warmup_of(candidate) - 0.5;
    for (size_t i = 0; i + 1 < candidate->round_steps.count; i++) {
        step += candidate->round_steps.items[i];
        double x = chart_panel_x(panel, step);
        if (!(x > panel->box.x && x < panel->box.x + panel->box.width))
            break;
        scene_line(&chart->frame.scene, (struct canvas_point){x, panel->box.y},
                   (struct canvas_point){x, panel->box.y + panel->box.height}, &line);
    }
}

static struct chart_trace trace_of(const struct summary_candidate *candidate,
                                   const struct summary_numbers *times)
{
    return (struct chart_trace){times->items, times->count, warmup_of(candidate)};
}

static void put_other_ranks(struct steps_chart *chart, const struct summary_candidate *candidate,
                            const struct chart_steps_facts *facts)
{
    const struct theme *theme = chart->frame.theme;
    struct canvas_paint thin = stroke(theme->ink[THEME_AXIS], 0.9, 0);
    if (facts->ranks > RANKS_AS_LINES) {
        double first = warmup_of(candidate);
        struct chart_trace low = {facts->low, facts->steps, first};
        struct chart_trace high = {facts->high, facts->steps, first};
        chart_trace_band(&chart->frame, &chart->panel, &low, &high,
                         theme->area[THEME_ELIGIBLE].fill);
        return;
    }
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++) {
        struct chart_trace trace = trace_of(candidate, &candidate->step_times.ranks[rank]);
        if (rank == facts->slowest || chart_trace_last(&trace) == trace.count)
            continue;
        chart_trace_line(&chart->frame, &chart->panel, &trace, &thin);
    }
}

static void put_slowest(struct steps_chart *chart, const struct summary_candidate *candidate,
                        const struct chart_steps_facts *facts)
{
    const struct theme *theme = chart->frame.theme;
    const struct theme_series *series = theme_series_of(theme, candidate->strategy);
    struct chart_trace trace = trace_of(candidate, &candidate->step_times.ranks[facts->slowest]);
    struct canvas_paint strong = stroke(series->colour, 1.8, 0);
    chart_trace_line(&chart->frame, &chart->panel, &trace, &strong);
    size_t last = chart_trace_last(&trace);
    if (candidate->failure.reason == NULL || last == trace.count)
        return;
    chart_marker_cross(&chart->frame.scene, chart_trace_at(&chart->panel, &trace, last), CROSS,
                       theme->ink[THEME_BAD], theme->ink[THEME_PAGE]);
}

static void put_cell(struct steps_chart *chart, size_t i)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_candidate *candidate = chart->grid.items[i].candidate;
    const struct chart_steps_facts *facts = &chart->facts[i];
    struct canvas_paint median = stroke(frame->theme->ink[THEME_TEXT], 1, 4);
    chart->panel.box = chart->grid.items[i].plot;
    if (facts->ranks == 0)
        return;
    put_warmup(chart, candidate);
    chart_panel_grid(frame, &chart->panel);
    put_rounds(chart, candidate);
    put_other_ranks(chart, candidate, facts);
    put_slowest(chart, candidate, facts);
    double y = chart_panel_y(&chart->panel, facts->median);
    scene_line(&frame->scene, (struct canvas_point){chart->panel.box.x, y},
               (struct canvas_point){chart->panel.box.x + chart->panel.box.width, y}, &median);
    chart_panel_numbers(frame, &chart->panel,
                        CHART_PANEL_X | (chart->grid.items[i].leftmost ? CHART_PANEL_Y : 0));
}

/* ---- The whole ---- */

static bool any_drift(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (chart_steps_facts_has_drift(&group->candidates[i]))
            return true;
    }
    return false;
}

static const char *subtitle(struct steps_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    if (!chart_steps_has_content(frame->input))
        return texts_get(frame->texts, "chart.steps.nothing");
    return texts_get(frame->texts, any_drift(frame->input) ? "chart.steps.subtitle_drift"
                                                           : "chart.steps.subtitle");
}

static void put_legend(struct steps_chart *chart)
{
    const struct {
        bool shown;
        enum chart_sign sign;
        const char *id;
    } known[] = {
        {true, CHART_SIGN_LINE, "chart.steps.key_slowest"},
        {chart->thin, CHART_SIGN_LINE_THIN, "chart.steps.key_others"},
        {chart->band, CHART_SIGN_BAND, "chart.steps.key_band"},
        {true, CHART_SIGN_LINE_DASHED, "chart.steps.key_median"},
        {chart->rounds, CHART_SIGN_UPRIGHT, "chart.steps.key_rounds"},
        {chart->warmup, CHART_SIGN_GREY, "chart.steps.key_warmup"},
        {chart->cross, CHART_SIGN_CROSS, "chart.steps.key_failed"},
    };
    struct chart_sign_key keys[sizeof known / sizeof known[0]];
    struct chart_frame_keys none = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].shown)
            keys[count++] =
                (struct chart_sign_key){known[i].sign, texts_get(chart->frame.texts, known[i].id)};
    }
    chart_frame_legend_signs(&chart->frame, &none, keys, count);
}

/* Of an axis that does not begin at zero that it does not: distances are no ratios there. */
static const char *axis_title(struct steps_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_axis *axis = &chart->panel.y;
    char from[64];
    text_number(from, sizeof from, axis->from, 6);
    struct sentence_value values[] = {{"unit", axis->unit.name, NAN}, {"from", from, NAN}};
    if (axis->scale == CHART_AXIS_LOG10)
        return chart_frame_say(frame, "chart.steps.axis_log", values, 1);
    if (axis->from > 0)
        return chart_frame_say(frame, "chart.steps.axis_from", values, 2);
    return chart_frame_say(frame, "chart.steps.axis", values, 1);
}

static enum status lay_out(struct steps_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    scale(chart); /* the numbers' width first, then with the panels' */
    double numbers = chart_panel_numbers_width(frame, &chart->panel.y);
    enum status status = chart_grid_init(&chart->grid, frame, PANEL_LEAST, numbers, diag);
    if (status != STATUS_OK)
        return status;
    scale(chart);
    chart->grid.height = chart->panel.box.height;
    chart->grid.foot = CHART_PANEL_NUMBERS;
    status = fill_cells(chart, diag);
    if (status != STATUS_OK)
        return status;
    put_legend(chart);
    chart_grid_heading(frame, axis_title(chart), NULL);
    chart_grid_place(&chart->grid, frame);
    for (size_t i = 0; i < chart->grid.count; i++)
        put_cell(chart, i);
    return STATUS_OK;
}

enum status chart_steps_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag)
{
    struct steps_chart chart = {0};
    const char *title = texts_get(input->texts, "chart.steps.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title, subtitle(&chart));
        if (chart_steps_has_content(input)) {
            if (!chart.frame.group->times_count)
                chart_frame_notice(&chart.frame,
                                   texts_get(chart.frame.texts, "chart.notice.times"));
            status = lay_out(&chart, diag);
        }
    }
    if (status == STATUS_OK)
        status = chart_frame_finish(&chart.frame, title, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
