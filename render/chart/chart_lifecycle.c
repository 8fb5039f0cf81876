#include "chart_lifecycle.h"

#include <math.h>
#include <string.h>

#include "chart_grid.h"
#include "chart_marker.h"
#include "chart_phases.h"
#include "chart_plot.h"

/*
 * A panel a candidate, all on one scale from zero: a bar a phase, in the order of the run, from
 * above to below, with the categories that were live at its peak. The amounts stand in a column on
 * the right, clear of bars and limit.
 */

#define PANEL_LEAST 270.0
#define ROW 18.0
#define BAR 12.0
#define NAME_WIDTH 118.0
#define NAME_GAP 7.0
#define VALUE_WIDTH 82.0
#define ABOVE 3.0 /* the first bar */
#define BELOW 9.0 /* the last one: room of a bracket */

struct lifecycle_chart {
    struct chart_frame frame;
    struct chart_grid grid;
    struct chart_phases phases;
    struct chart_plot plot; /* its axis is that of all panels */
    const char **names;     /* of the phases, in the language, cut to their column */
    double names_width;
    bool areas[THEME_AREA_COUNT];
    bool resident, cross; /* what the legend explains */
};

/* ---- Reading ---- */

bool chart_lifecycle_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (chart_phases_peak(&group->candidates[i], false) != NULL ||
            chart_phases_peak(&group->candidates[i], true) != NULL)
            return true;
    }
    return false;
}

static double largest(const struct lifecycle_chart *chart)
{
    double result = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
            const struct summary_phase *peak =
                chart_phases_peak(chart->frame.every.items[i], checkpoint == 1);
            if (peak != NULL)
                result = fmax(result, peak->peak_mb);
        }
    }
    return result;
}

static bool failed_in(const struct summary_candidate *candidate, const char *phase)
{
    return candidate->failure.reason != NULL && candidate->failure.phase != NULL &&
           strcmp(candidate->failure.phase, phase) == 0;
}

/* What stays from step to step: measured at the peak of training, else as the ledger has it. */
static double resident_of(const struct summary_candidate *candidate)
{
    struct memory_stack stack;
    const struct summary_phase *peak = chart_phases_peak(candidate, false);
    if (peak != NULL && peak->by_category.count > 0) {
        memory_stack_of_phase(peak, &stack);
        return stack.resident_mb;
    }
    return candidate->ledger.available ? candidate->ledger.resident_mb : (double)NAN;
}

static enum status read_phases(struct lifecycle_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    chart_phases_of(frame, &chart->phases);
    chart->names = arena_take_array(&frame->scene.arena, CHART_PHASES_MOST, sizeof *chart->names);
    if (chart->names == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < chart->phases.count; i++) {
        struct text_fit fit = scene_fit(&frame->scene, &frame->theme->font[THEME_FONT_SMALL],
                                        texts_word(frame->texts, "phase", chart->phases.names[i]),
                                        (struct text_fit_room){NAME_WIDTH, 1, true});
        chart->names[i] = fit.count > 0 ? fit.lines[0].text : "";
        if (fit.count > 0)
            chart->names_width = fmax(chart->names_width, fit.lines[0].extent.width);
    }
    return STATUS_OK;
}

/* ---- Words ---- */

static const char *amount(struct lifecycle_chart *chart, double mb)
{
    char text[64];
    return scene_format(&chart->frame.scene, "%s",
                        axis_memory_label(chart->plot.axis.unit, mb, false, text, sizeof text));
}

static void add_peak_fact(struct lifecycle_chart *chart, struct chart_grid_cell *cell,
                          bool checkpoint)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_phase *peak = chart_phases_peak(cell->candidate, checkpoint);
    double resident = resident_of(cell->candidate);
    if (peak == NULL)
        return;
    struct sentence_value values[] = {
        {"value", amount(chart, peak->peak_mb), NAN},
        {"phase", texts_word(frame->texts, "phase", peak->name), NAN},
        {"resident", isfinite(resident) ? amount(chart, resident) : "", NAN},
    };
    const char *id = checkpoint ? "chart.lifecycle.checkpoint"
                     : cell->candidate->failure.reason != NULL
                         ? "chart.lifecycle.reached" /* it might have needed more */
                     : isfinite(resident) ? "chart.lifecycle.peak_resident"
                                          : "chart.lifecycle.peak";
    chart_grid_fact(cell, frame, THEME_QUIET, chart_frame_say(frame, id, values, 3));
}

static void fill_cells(struct lifecycle_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < chart->grid.count; i++) {
        struct chart_grid_cell *cell = &chart->grid.items[i];
        const struct summary_phase *training = chart_phases_peak(cell->candidate, false);
        const struct summary_phase *checkpoint = chart_phases_peak(cell->candidate, true);
        chart_grid_failure(cell, frame);
        cell->empty = training == NULL && checkpoint == NULL;
        if (cell->empty) {
            struct chart_cell_style style =
                chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, cell->plot.width, 3);
            chart_cell_add(&frame->scene, &cell->note,
                           texts_get(frame->texts, "chart.lifecycle.none"), &style);
            continue;
        }
        add_peak_fact(chart, cell, false);
        if (training == NULL || (checkpoint != NULL && checkpoint->peak_mb > training->peak_mb))
            add_peak_fact(chart, cell, true);
    }
}

/* What of the panels needs a key. */
static void note_keys(struct lifecycle_chart *chart)
{
    for (size_t i = 0; i < chart->grid.count; i++) {
        const struct summary_candidate *candidate = chart->grid.items[i].candidate;
        for (size_t p = 0; p < chart->phases.count; p++) {
            struct memory_stack stack;
            const struct summary_phase *phase =
                chart_phases_find(candidate, chart->phases.names[p]);
            if (failed_in(candidate, chart->phases.names[p]) && !chart->grid.items[i].empty)
                chart->cross = true;
            if (phase == NULL)
                continue;
            memory_stack_of_phase(phase, &stack);
            for (size_t k = 0; k < stack.count; k++)
                chart->areas[stack.parts[k].area] = true;
        }
        if (!chart->grid.items[i].empty && isfinite(resident_of(candidate)))
            chart->resident = true;
    }
}

/* ---- Drawing ---- */

static double row_y(const struct lifecycle_chart *chart, size_t phase)
{
    return chart->plot.top + ABOVE + (double)phase * ROW;
}

static void put_bar(struct lifecycle_chart *chart, const struct summary_phase *phase, double y)
{
    struct memory_stack stack;
    memory_stack_of_phase(phase, &stack);
    for (size_t i = 0; i < stack.count; i++) {
        const struct memory_stack_part *part = &stack.parts[i];
        double end = fmin(part->to_mb, stack.peak_mb);
        if (end <= part->from_mb)
            continue;
        double from = chart_plot_x(&chart->plot, part->from_mb);
        double to = chart_plot_x(&chart->plot, end);
        scene_rectangle(&chart->frame.scene,
                        (struct canvas_box){from, y, fmax(to - from, 0.75), BAR},
                        &chart->frame.theme->area[part->area]);
    }
}

/* The amount of a phase, bold where it is the peak of training. */
static void put_value(struct lifecycle_chart *chart, const struct summary_candidate *candidate,
                      const struct summary_phase *phase, double y)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_phase *peak = chart_phases_peak(candidate, false);
    bool is_peak = phase != NULL && peak != NULL && phase->peak_mb == peak->peak_mb &&
                   !chart_phases_is_checkpoint(phase->name);
    bool over = phase != NULL && phase->peak_mb > chart->plot.limit;
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, is_peak ? THEME_FONT_SMALL_STRONG : THEME_FONT_SMALL,
                          over            ? THEME_BAD
                          : phase != NULL ? THEME_TEXT
                                          : THEME_QUIET,
                          VALUE_WIDTH, 1);
    style.mark = over ? CHART_MARK_CROSS : CHART_MARK_NONE;
    chart_cell_add(&frame->scene, &cell,
                   phase != NULL ? amount(chart, phase->peak_mb)
                                 : texts_get(frame->texts, "chart.lifecycle.absent"),
                   &style);
    chart_cell_draw(
        &frame->scene, &cell,
        (struct canvas_point){chart->plot.right + NAME_GAP, y + (BAR - cell.height) / 2});
}

static void put_names(struct lifecycle_chart *chart)
{
    const struct canvas_font *font = &chart->frame.theme->font[THEME_FONT_SMALL];
    for (size_t i = 0; i < chart->phases.count; i++) {
        double width = scene_width(&chart->frame.scene, font, chart->names[i]);
        /* the middle of a capital letter, 0.72 em high */
        struct canvas_point at = {chart->plot.left - NAME_GAP - width,
                                  row_y(chart, i) + BAR / 2 + 0.36 * font->size};
        scene_text(&chart->frame.scene, at, font, chart->frame.theme->ink[THEME_QUIET],
                   chart->names[i]);
    }
}

static void put_resident(struct lifecycle_chart *chart, const struct summary_candidate *candidate)
{
    double resident = resident_of(candidate);
    if (isfinite(resident) && resident > 0)
        chart_sign_put(&chart->frame.scene, chart->frame.theme, CHART_SIGN_BRACKET,
                       (struct canvas_point){chart->plot.left, chart->plot.bottom - BELOW / 2 - 1},
                       chart_plot_x(&chart->plot, resident));
}

static void put_phases(struct lifecycle_chart *chart, const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < chart->phases.count; i++) {
        const char *name = chart->phases.names[i];
        const struct summary_phase *phase = chart_phases_find(candidate, name);
        double y = row_y(chart, i);
        double reach = chart_plot_x(&chart->plot, phase != NULL ? phase->peak_mb : 0);
        if (phase != NULL)
            put_bar(chart, phase, y);
        put_value(chart, candidate, phase, y);
        if (failed_in(candidate, name))
            chart_marker_cross(
                &chart->frame.scene,
                (struct canvas_point){fmin(reach + 8, chart->plot.right - 6), y + BAR / 2}, 4,
                chart->frame.theme->ink[THEME_BAD], chart->frame.theme->ink[THEME_PAGE]);
    }
}

static void put_cell(struct lifecycle_chart *chart, const struct chart_grid_cell *cell)
{
    struct chart_plot *plot = &chart->plot;
    plot->left = cell->plot.x;
    plot->right = cell->plot.x + cell->plot.width - VALUE_WIDTH - NAME_GAP;
    plot->top = cell->plot.y;
    plot->bottom = cell->plot.y + cell->plot.height;
    if (cell->empty)
        return;
    chart_plot_grid(&chart->frame, plot);
    put_resident(chart, cell->candidate);
    put_phases(chart, cell->candidate);
    chart_plot_limit(&chart->frame, plot);
    chart_plot_numbers(&chart->frame, plot);
    if (cell->leftmost)
        put_names(chart);
}

/* ---- Head ---- */

static const char *const area_ids[THEME_AREA_COUNT] = {
    [THEME_PARAMETERS] = "category.parameters",
    [THEME_GRADIENTS] = "category.gradients",
    [THEME_OPTIMIZER] = "category.optimizer_state",
    [THEME_KEPT_WHOLE] = "chart.memory.kept_whole",
    [THEME_GATHERED] = "category.gathered_parameters",
    [THEME_GRADIENTS_WHOLE] = "category.gradients_unsharded",
    [THEME_BUFFERS] = "category.communication",
    [THEME_ACTIVATIONS] = "category.activations",
    [THEME_WORKSPACE] = "category.workspace",
    [THEME_TEMPORARY] = "category.temporary",
    [THEME_NOT_ATTRIBUTED] = "chart.memory.not_attributed",
};

static void put_legend(struct lifecycle_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_frame_key areas[THEME_AREA_COUNT];
    struct chart_frame_keys keys = {areas, 0};
    struct chart_sign_key signs[3];
    size_t count = 0;
    for (int area = 0; area < THEME_AREA_COUNT; area++) {
        if (chart->areas[area] && area_ids[area] != NULL)
            areas[keys.count++] = (struct chart_frame_key){
                (enum theme_area)area, texts_get(frame->texts, area_ids[area]), NULL};
    }
    if (chart->resident)
        signs[count++] = (struct chart_sign_key){
            CHART_SIGN_BRACKET, texts_get(frame->texts, "chart.memory.resident_key")};
    if (chart->plot.limit_inside)
        signs[count++] = (struct chart_sign_key){CHART_SIGN_LIMIT, chart->plot.limit_text};
    if (chart->cross)
        signs[count++] = (struct chart_sign_key){
            CHART_SIGN_CROSS, texts_get(frame->texts, "chart.lifecycle.key_failed")};
    chart_frame_legend_signs(frame, &keys, signs, count);
}

static void put_heading(struct lifecycle_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const char *beyond = NULL;
    if (chart->plot.limit_text != NULL && !chart->plot.limit_inside)
        beyond = chart_frame_say1(frame, "chart.limit_beyond", "limit", chart->plot.limit_text);
    chart_grid_heading(
        frame, chart_frame_say1(frame, "chart.lifecycle.axis", "unit", chart->plot.axis.unit.name),
        beyond);
}

/* ---- The whole ---- */

static void scale(struct lifecycle_chart *chart)
{
    struct chart_plot *plot = &chart->plot;
    char text[64];
    plot->left = 0;
    plot->right = chart->grid.width - VALUE_WIDTH - NAME_GAP;
    plot->limit = chart->frame.input->summary->policy.memory_limit_mb;
    if (isfinite(plot->limit))
        plot->limit_text = chart_frame_say1(
            &chart->frame, "chart.limit", "limit",
            axis_memory_label(axis_memory_unit(plot->limit), plot->limit, true, text, sizeof text));
    chart_plot_scale(&chart->frame, plot, largest(chart), axis_memory_unit);
}

static enum status lay_out(struct lifecycle_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    enum status status = read_phases(chart, diag);
    if (status == STATUS_OK)
        status = chart_grid_init(&chart->grid, frame, PANEL_LEAST,
                                 ceil(chart->names_width + NAME_GAP), diag);
    if (status != STATUS_OK)
        return status;
    if (chart->phases.left_out > 0) {
        struct sentence_value value = {"count", NULL, (double)chart->phases.left_out};
        chart_frame_notice(frame, chart_frame_say(frame, "chart.lifecycle.more", &value, 1));
    }
    scale(chart);
    chart->grid.height = ABOVE + ROW * (double)chart->phases.count + BELOW - (ROW - BAR) / 2;
    chart->grid.foot = chart_plot_numbers_height();
    fill_cells(chart);
    note_keys(chart);
    put_legend(chart);
    put_heading(chart);
    chart_grid_place(&chart->grid, frame);
    for (size_t i = 0; i < chart->grid.count; i++)
        put_cell(chart, &chart->grid.items[i]);
    return STATUS_OK;
}

enum status chart_lifecycle_draw(const struct chart_input *input, struct canvas *canvas,
                                 struct diag *diag)
{
    struct lifecycle_chart chart = {0};
    const char *title = texts_get(input->texts, "chart.lifecycle.title");
    bool content = chart_lifecycle_has_content(input);
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title,
                           texts_get(input->texts, content ? "chart.lifecycle.subtitle"
                                                           : "chart.lifecycle.nothing"));
        if (content)
            status = lay_out(&chart, diag);
    }
    if (status == STATUS_OK)
        status = chart_frame_finish(&chart.frame, title, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
