#include "chart_changes.h"

#include <math.h>

#include "chart_changes_panel.h"
#include "chart_lines.h"
#include "chart_plot.h"

/*
 * A row a strategy, a panel a quantity: points around the line of no change. The quantities have
 * changes of different sizes, so that each panel has an axis of its own, symmetric around zero.
 */

#define PANELS_MOST 4
#define LABEL_SHARE 0.19  /* of the content's width */
#define PANEL_LEAST 150.0 /* with its numbers: fewer panels are shown on a narrow page */
#define TEXT_WIDTH 76.0
#define GAP 14.0
#define PADDING 8.0
#define AXIS_HEIGHT 24.0

struct changes_chart {
    struct chart_frame frame;
    const struct changes_group *group; /* NULL: this is no report of a comparison */
    struct chart_changes_panel panels[PANELS_MOST];
    size_t count;
    const char *unchanged; /* quantities that are the same in every strategy, as a list; NULL */
    double label_width;
    bool marks[CHART_CHANGES_PANEL_MARKS];
    bool rounds, within; /* kinds of intervals that are drawn */
};

/* ---- Reading ---- */

static const struct changes_group *group_of(const struct chart_input *input)
{
    const struct changes *changes = input->summary->changes;
    return changes != NULL && input->group < changes->group_count ? &changes->groups[input->group]
                                                                  : NULL;
}

bool chart_changes_has_content(const struct chart_input *input)
{
    const struct changes_group *group = group_of(input);
    size_t count;
    const struct changes_view_quantity *quantities = changes_view_quantities(&count);
    for (size_t i = 0; group != NULL && group->shown && i < count; i++) {
        if (changes_view_drawn(group, quantities[i].name))
            return true;
    }
    return false;
}

static void place_panels(struct changes_chart *chart)
{
    double room = chart->frame.content - chart->label_width;
    double each = room / (double)(chart->count > 0 ? chart->count : 1);
    for (size_t i = 0; i < chart->count; i++) {
        struct chart_changes_panel *panel = &chart->panels[i];
        panel->left = round(CHART_FRAME_MARGIN + chart->label_width + (double)i * each + GAP);
        panel->text_width = TEXT_WIDTH;
        panel->right = round(CHART_FRAME_MARGIN + chart->label_width + (double)(i + 1) * each -
                             TEXT_WIDTH - GAP / 2);
        chart_changes_panel_scale(panel, &chart->frame);
    }
}

/* Those that changed, in their order; the step time, which is the throughput's inverse, only where
 * there is none. What is the same in every strategy is listed instead. */
static void choose_panels(struct changes_chart *chart)
{
    double room = chart->frame.content - chart->label_width;
    size_t most = (size_t)fmin(floor(room / (PANEL_LEAST + GAP)), PANELS_MOST);
    size_t count;
    const struct changes_view_quantity *quantities = changes_view_quantities(&count);
    bool rated = changes_view_drawn(chart->group, "throughput");
    struct text_buffer unchanged = {0};
    for (size_t i = 0; i < count; i++) {
        bool step_time = i == 1;
        if (!changes_view_drawn(chart->group, quantities[i].name) || (step_time && rated))
            continue;
        if (changes_view_changed(chart->group, quantities[i].name)) {
            if (chart->count < most)
                chart->panels[chart->count++].quantity = &quantities[i];
            continue;
        }
        if (unchanged.length > 0)
            text_buffer_puts(&unchanged, texts_get(chart->frame.texts, "word.list_separator"));
        text_buffer_puts(&unchanged, texts_get(chart->frame.texts, quantities[i].title_id));
    }
    chart->frame.scene.failed |= unchanged.failed;
    if (unchanged.length > 0 && !unchanged.failed)
        chart->unchanged =
            chart_frame_say1(&chart->frame, "chart.changes.same", "quantities", unchanged.text);
    text_buffer_fini(&unchanged);
    place_panels(chart);
}

static const struct changes_strategy *strategy_of(const struct changes_chart *chart, size_t row)
{
    const struct chart_frame *frame = &chart->frame;
    return &chart->group->strategies[frame->rows.items[row] - frame->group->candidates];
}

static void note_marks(struct changes_chart *chart, const struct changes_value *value)
{
    double lower;
    double upper;
    if (value == NULL || isnan(changes_view_percent(value)))
        return;
    chart->marks[chart_changes_panel_mark_of(value)] = true;
    changes_view_interval(value, &lower, &upper);
    bool rounds = chart_changes_panel_by_rounds(value);
    chart->rounds |= !isnan(lower) && rounds;
    chart->within |= !isnan(lower) && !rounds;
}

static void read_marks(struct changes_chart *chart)
{
    for (size_t i = 0; i < chart->frame.rows.count; i++)
        for (size_t k = 0; k < chart->count; k++)
            note_marks(chart, changes_find(strategy_of(chart, i), chart->panels[k].quantity->name));
}

/* ---- Head ---- */

static void put_legend(struct changes_chart *chart)
{
    static const char *const ids[CHART_CHANGES_PANEL_MARKS] = {
        "chart.changes.better", "chart.changes.worse", "chart.changes.neither"};
    struct theme_series series[CHART_CHANGES_PANEL_MARKS];
    struct chart_frame_key keys[CHART_CHANGES_PANEL_MARKS];
    struct chart_sign_key signs[2];
    size_t count = 0;
    size_t sign_count = 0;
    for (size_t i = 0; i < CHART_CHANGES_PANEL_MARKS; i++) {
        series[i] = chart_changes_panel_mark(chart->frame.theme, i);
        if (chart->marks[i])
            keys[count++] = (struct chart_frame_key){
                THEME_AREA_COUNT, texts_get(chart->frame.texts, ids[i]), &series[i]};
    }
    if (chart->rounds)
        signs[sign_count++] = (struct chart_sign_key){
            CHART_SIGN_WHISKER, texts_get(chart->frame.texts, "chart.throughput.rounds")};
    if (chart->within)
        signs[sign_count++] = (struct chart_sign_key){
            CHART_SIGN_WHISKER_CUT, texts_get(chart->frame.texts, "chart.throughput.within_run")};
    const struct chart_frame_keys all = {keys, count};
    chart_frame_legend_signs(&chart->frame, &all, signs, sign_count);
}

static const char *panel_title(struct changes_chart *chart, const struct chart_changes_panel *panel)
{
    const struct changes_view_quantity *quantity = panel->quantity;
    const struct sentence_value values[] = {
        {.name = "quantity", .text = texts_get(chart->frame.texts, quantity->title_id)},
        {.name = "unit",
         .text = texts_get(chart->frame.texts, quantity->in_points ? "chart.changes.points"
                                                                   : "chart.changes.percent")}};
    return chart_frame_say(&chart->frame,
                           quantity->larger_is_better ? "chart.changes.right_better"
                                                      : "chart.changes.left_better",
                           values, 2);
}

static void put_headings(struct changes_chart *chart)
{
    struct chart_plot_heading headings[PANELS_MOST + 1] = {
        {texts_get(chart->frame.texts, "column.strategy"), CHART_FRAME_MARGIN, chart->label_width}};
    for (size_t i = 0; i < chart->count; i++) {
        const struct chart_changes_panel *panel = &chart->panels[i];
        headings[i + 1] = (struct chart_plot_heading){
            panel_title(chart, panel), panel->left, panel->right + panel->text_width - panel->left};
    }
    chart_plot_put_headings(&chart->frame, headings, chart->count + 1);
}

/* ---- Rows ---- */

struct changes_row {
    struct chart_cell label, cells[PANELS_MOST];
    struct chart_cell note; /* in place of points, where there is none */
    double height;
    canvas_colour ground;
};

static void add_presence(struct changes_chart *chart, const struct changes_strategy *strategy,
                         struct chart_cell *label)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_WARNING, chart->label_width, 2);
    if (strategy->now == NULL)
        chart_cell_add(&frame->scene, label, texts_get(frame->texts, "presence.missing"), &style);
    else if (strategy->base == NULL)
        chart_cell_add(&frame->scene, label, texts_get(frame->texts, "presence.new"), &style);
}

static bool has_point(const struct changes_chart *chart, const struct changes_strategy *strategy)
{
    for (size_t k = 0; k < chart->count; k++) {
        const struct changes_value *value = changes_find(strategy, chart->panels[k].quantity->name);
        if (value != NULL && isfinite(changes_view_percent(value)))
            return true;
    }
    return false;
}

static enum theme_ink ink_of(const struct changes_strategy *strategy)
{
    if (strategy->now == NULL)
        return THEME_WARNING;
    return strategy->now->failure != NULL ? THEME_BAD : THEME_TEXT;
}

/* How it stood in BASE and stands in NEW. */
static struct chart_cell note_of(struct changes_chart *chart,
                                 const struct changes_strategy *strategy)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_cell cell = {0};
    struct text_buffer base = {0};
    struct text_buffer now = {0};
    changes_view_standing(&base, frame->texts, &chart->group->base, strategy->base);
    changes_view_standing(&now, frame->texts, &chart->group->now, strategy->now);
    frame->scene.failed |= base.failed || now.failed;
    if (!frame->scene.failed) {
        const struct sentence_value values[] = {{.name = "base", .text = base.text},
                                                {.name = "now", .text = now.text}};
        double left = chart->panels[0].left;
        struct chart_cell_style style = chart_frame_style(
            frame, THEME_FONT_TEXT, ink_of(strategy), frame->width - CHART_FRAME_MARGIN - left, 3);
        chart_cell_add(&frame->scene, &cell,
                       chart_frame_say(frame, "chart.changes.standing", values, 2), &style);
    }
    text_buffer_fini(&base);
    text_buffer_fini(&now);
    return cell;
}

static struct changes_row row_of(struct changes_chart *chart, size_t index)
{
    struct chart_frame *frame = &chart->frame;
    const struct changes_strategy *strategy = strategy_of(chart, index);
    struct changes_row row = {
        .label = chart_frame_label(frame, frame->rows.items[index], chart->label_width)};
    add_presence(chart, strategy, &row.label);
    double height = row.label.height;
    if (!has_point(chart, strategy))
        row.note = note_of(chart, strategy);
    for (size_t k = 0; row.note.count == 0 && k < chart->count; k++) {
        row.cells[k] = chart_changes_panel_cell(
            &chart->panels[k], frame, changes_find(strategy, chart->panels[k].quantity->name));
        height = fmax(height, row.cells[k].height);
    }
    height = fmax(height, row.note.height);
    row.height = ceil(height + 2 * PADDING);
    return row;
}

static void describe(struct changes_chart *chart, const struct changes_row *row)
{
    const struct chart_cell empty = {0};
    if (row->note.count > 0)
        chart_frame_describe(&chart->frame, &row->label, &row->note, &empty);
    for (size_t k = 0; k < chart->count; k++)
        if (row->cells[k].count > 0)
            chart_frame_describe(&chart->frame, &row->label, &row->cells[k], &empty);
}

/* On a ground of its own, because the lines of the panels would cross it. */
static void put_note(struct changes_chart *chart, const struct changes_row *row, double y,
                     double middle)
{
    struct chart_frame *frame = &chart->frame;
    double left = chart->panels[0].left - 1;
    struct canvas_box box = {left, y, frame->width - CHART_FRAME_MARGIN + 8 - left, row->height};
    struct canvas_paint ground = chart_lines_fill(row->ground);
    if (row->note.count == 0)
        return;
    scene_rectangle(&frame->scene, box, &ground);
    chart_cell_draw(&frame->scene, &row->note,
                    (struct canvas_point){box.x + 1, middle - row->note.height / 2});
}

static void put_row(struct changes_chart *chart, const struct changes_row *row, size_t index,
                    double y)
{
    struct chart_frame *frame = &chart->frame;
    const struct changes_strategy *strategy = strategy_of(chart, index);
    double middle = y + row->height / 2;
    chart_cell_draw(&frame->scene, &row->label,
                    (struct canvas_point){CHART_FRAME_MARGIN, middle - row->label.height / 2});
    put_note(chart, row, y, middle);
    for (size_t k = 0; row->note.count == 0 && k < chart->count; k++) {
        const struct chart_changes_panel *panel = &chart->panels[k];
        chart_changes_panel_point(panel, frame, changes_find(strategy, panel->quantity->name),
                                  middle);
        chart_cell_draw(
            &frame->scene, &row->cells[k],
            (struct canvas_point){panel->right + GAP / 2, middle - row->cells[k].height / 2});
    }
    describe(chart, row);
}

static enum status put_rows(struct changes_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    size_t count = frame->rows.count;
    struct changes_row *rows = arena_take_array(&frame->scene.arena, count + 1, sizeof *rows);
    double top = frame->y;
    double bottom = top;
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        rows[i] = row_of(chart, i);
        rows[i].ground = chart_lines_ground(frame, i);
        chart_lines_put_stripe(frame, i, bottom, rows[i].height);
        bottom += rows[i].height;
    }
    for (size_t k = 0; k < chart->count; k++)
        chart_changes_panel_grid(&chart->panels[k], frame, top, bottom);
    for (size_t i = 0; i < count; i++) {
        put_row(chart, &rows[i], i, top);
        top += rows[i].height;
    }
    frame->y = bottom + AXIS_HEIGHT;
    return STATUS_OK;
}

/* ---- The whole ---- */

static const char *subtitle(struct changes_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct changes *changes = frame->input->summary->changes;
    if (changes == NULL)
        return texts_get(frame->texts, "chart.changes.nothing");
    return chart_frame_say1(frame, "chart.changes.subtitle", "tolerance",
                            chart_frame_percent(frame, changes->tolerance, true));
}

static enum status draw(struct changes_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    const char *title = texts_get(frame->texts, "chart.changes.title");
    chart->label_width = round(LABEL_SHARE * frame->content);
    chart->group = group_of(frame->input);
    chart_frame_header(frame, title, subtitle(chart));
    if (chart->group != NULL)
        choose_panels(chart);
    enum status status = STATUS_OK;
    if (chart->count > 0) {
        read_marks(chart);
        put_legend(chart);
        put_headings(chart);
        status = put_rows(chart, diag);
    }
    if (chart->unchanged != NULL)
        chart_frame_sentence(frame, THEME_FONT_TEXT, chart->unchanged, 12);
    else if (chart->count == 0)
        chart_frame_sentence(frame, THEME_FONT_TEXT,
                             texts_get(frame->texts, "chart.changes.nothing"), 12);
    return status != STATUS_OK ? status : chart_frame_finish(frame, title, diag);
}

enum status chart_changes_draw(const struct chart_input *input, struct canvas *canvas,
                               struct diag *diag)
{
    struct changes_chart chart = {0};
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = draw(&chart, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
