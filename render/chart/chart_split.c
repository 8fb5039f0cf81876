#include "chart_split.h"

#include <math.h>

#include "chart_split_words.h"

/*
 * The time of a step as a bar from zero in its parts, which add up to it. Hidden communication
 * runs beside computing, so it has a thin bar of its own below and is added to nothing. Times that
 * do not count are hatched over, in words and in the legend.
 */

#define LABEL_WIDTH 196.0
#define BAR CHART_LINES_BAR
#define HIDDEN_GAP 3.0
#define HIDDEN_BAR 9.0

struct split_chart {
    struct chart_frame frame;
    struct chart_plot plot;
    struct chart_lines lines;
    struct step_stack *stacks; /* one a line */
    bool areas[THEME_AREA_COUNT];
};

bool chart_split_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct step_stack stack;
        step_stack_of(&group->candidates[i], &stack);
        if (stack.split)
            return true;
    }
    return false;
}

/* ---- Reading ---- */

static enum status read_stacks(struct split_chart *chart, struct diag *diag)
{
    size_t count = chart->lines.count;
    chart->stacks = arena_take_array(&chart->frame.scene.arena, count + 1, sizeof *chart->stacks);
    if (chart->stacks == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        struct chart_line *line = &chart->lines.items[i];
        struct step_stack *stack = &chart->stacks[i];
        step_stack_of(line->candidate, stack);
        line->has_mark = stack->count > 0;
        for (size_t p = 0; p < stack->count; p++)
            chart->areas[stack->parts[p].area] = true;
        if (stack->hidden_ms > 0) {
            line->has_mark = true;
            line->below = HIDDEN_GAP + HIDDEN_BAR;
            chart->areas[THEME_HIDDEN] = true;
        }
    }
    chart->areas[THEME_NOT_COUNTED] = !chart->frame.group->times_count && count > 0;
    return STATUS_OK;
}

static double largest(const struct split_chart *chart)
{
    double result = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        struct step_stack stack;
        step_stack_of(chart->frame.every.items[i], &stack);
        result = fmax(result, step_stack_reach(&stack));
    }
    return result;
}

/* ---- Bars ---- */

/* Over a bar whose time does not count. */
static void put_not_counted(struct split_chart *chart, const struct canvas_box *box)
{
    struct canvas_paint over = {CANVAS_NONE, chart->frame.theme->ink[THEME_PAGE], CANVAS_NONE, 0,
                                0};
    if (chart->areas[THEME_NOT_COUNTED])
        scene_rectangle(&chart->frame.scene, *box, &over);
}

static void put_part(struct split_chart *chart, double bar_y, const struct step_stack_part *part)
{
    char number[64];
    double from = chart_plot_x(&chart->plot, part->from_ms);
    double to = chart_plot_x(&chart->plot, part->to_ms);
    /* A sliver of a pixel still says that there is something. */
    struct canvas_box box = {from, bar_y, fmax(to - from, 0.75), BAR};
    scene_rectangle(&chart->frame.scene, box, &chart->frame.theme->area[part->area]);
    put_not_counted(chart, &box);
    if (chart->areas[THEME_NOT_COUNTED])
        return;
    axis_number((part->to_ms - part->from_ms) / chart->plot.axis.unit.factor, number,
                sizeof number);
    chart_lines_put_number(&chart->frame, &chart->plot, &box, part->area, number);
}

static void put_bars(struct split_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        const struct step_stack *stack = &chart->stacks[i];
        for (size_t p = 0; p < stack->count; p++)
            put_part(chart, line->bar_y, &stack->parts[p]);
        if (!(stack->hidden_ms > 0))
            continue;
        double to = chart_plot_x(&chart->plot, stack->hidden_ms);
        struct canvas_box box = {chart->plot.left, line->bar_y + BAR + HIDDEN_GAP,
                                 fmax(to - chart->plot.left, 0.75), HIDDEN_BAR};
        scene_rectangle(&chart->frame.scene, box, &chart->frame.theme->area[THEME_HIDDEN]);
    }
}

/* ---- Head ---- */

static void put_notices(struct split_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    if (chart->areas[THEME_NOT_COUNTED])
        chart_frame_notice(frame, texts_get(frame->texts, "chart.split.times"));
    if (!chart_split_has_content(frame->input) && frame->every.count > 0)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.split.none"));
}

static void put_legend(struct split_chart *chart)
{
    static const struct chart_frame_meaning known[] = {
        {THEME_FORWARD, "phase.forward"},
        {THEME_BACKWARD, "phase.backward"},
        {THEME_UPDATE, "phase.optimizer"},
        {THEME_COMMUNICATION, "chart.split.exposed_key"},
        {THEME_OTHER_TIME, "category.other"},
        {THEME_NOT_ATTRIBUTED, "chart.split.not_split_key"},
        {THEME_HIDDEN, "chart.split.hidden_key"},
        {THEME_NOT_COUNTED, "chart.throughput.not_counted"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0]];
    const struct chart_frame_meanings all = {known, sizeof known / sizeof known[0]};
    chart_frame_legend(&chart->frame, keys,
                       chart_frame_keys_of(&chart->frame, chart->areas, &all, keys));
}

static void put_headings(struct split_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_plot *plot = &chart->plot;
    struct chart_plot_heading headings[] = {
        {texts_get(frame->texts, "column.strategy"), CHART_FRAME_MARGIN, chart->lines.label_width},
        {chart_frame_say1(frame, "chart.split.axis", "unit", plot->axis.unit.name), plot->left,
         plot->right - plot->left},
        {texts_get(frame->texts, "chart.split.value"), plot->right + CHART_LINES_GAP,
         chart_split_words_width(frame)},
    };
    chart_plot_put_headings(frame, headings, sizeof headings / sizeof headings[0]);
}

/* ---- The whole ---- */

static void lay_out(struct split_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_plot *plot = &chart->plot;
    plot->left = ceil(CHART_FRAME_MARGIN + chart->lines.label_width + CHART_LINES_GAP);
    plot->right =
        frame->width - CHART_FRAME_MARGIN - chart_split_words_width(frame) - CHART_LINES_GAP;
    plot->limit = NAN;
    chart_plot_scale(frame, plot, largest(chart), axis_time_unit);
    for (size_t i = 0; i < chart->lines.count; i++)
        chart_split_words_fill(frame, &chart->lines.items[i], &chart->stacks[i], plot->axis.unit,
                               plot->right - plot->left);
    put_notices(chart);
    put_legend(chart);
    put_headings(chart);
    chart_lines_place(&chart->lines, frame, plot);
    chart_plot_grid(frame, plot);
    chart_lines_put_grounds(&chart->lines, frame, plot);
    put_bars(chart);
    chart_lines_put_texts(&chart->lines, frame, plot);
    chart_plot_numbers(frame, plot);
    frame->y += chart_plot_numbers_height();
}

enum status chart_split_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag)
{
    struct split_chart chart = {0};
    const char *title = texts_get(input->texts, "chart.split.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = chart_lines_init(&chart.lines, &chart.frame, LABEL_WIDTH, diag);
    if (status == STATUS_OK)
        status = read_stacks(&chart, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title, chart_split_words_subtitle(&chart.frame));
        lay_out(&chart);
        status = chart_frame_finish(&chart.frame, title, diag);
    }
    chart_frame_fini(&chart.frame);
    return status;
}
