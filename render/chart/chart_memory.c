#include "chart_memory.h"

#include <math.h>
#include <string.h>

#include "chart_memory_words.h"

/*
 * Peak memory per candidate as a bar from zero, inside it the categories measured at the peak or
 * else what the ledger explains, below it a bracket over what stays between steps, the limit as a
 * line. A failed run has no bar: its reason stands where the bar would be.
 */

#define LABEL_WIDTH 220.0
#define BAR CHART_LINES_BAR
#define BRACKET_GAP 2.0
#define BRACKET_LEAST 4.0 /* a narrower one is a blot */

struct memory_chart {
    struct chart_frame frame;
    struct chart_plot plot;
    struct chart_lines lines;
    struct memory_stack *stacks; /* one a line */
    struct chart_memory_words words;
    bool areas[THEME_AREA_COUNT]; /* which are seen */
    bool measured, predicted;     /* the temporary memory that is seen, not told apart */
    bool resident;                /* some bar has a bracket */
};

/* ---- Reading ---- */

static void note_areas(struct memory_chart *chart, const struct chart_line *line,
                       const struct memory_stack *stack)
{
    bool bar = !isnan(stack->peak_mb) && !line->failed;
    const char *source = line->candidate->ledger.temporary_source;
    bool measured = stack->measured || (source != NULL && strcmp(source, "measured") == 0);
    for (size_t p = 0; bar && p < stack->count; p++) {
        if (stack->parts[p].from_mb >= stack->peak_mb)
            continue;
        chart->areas[stack->parts[p].area] = true;
        bool temporary = stack->parts[p].area == THEME_TEMPORARY;
        chart->measured = chart->measured || (temporary && measured);
        chart->predicted = chart->predicted || (temporary && !measured);
    }
    if (stack->known_mb > 0 && !stack->measured && (!bar || stack->excess_mb > 0))
        chart->areas[THEME_BEYOND] = true;
}

/* Where its parts come from, which the subtitle says. */
static void note_source(struct memory_chart *chart, const struct chart_line *line,
                        const struct memory_stack *stack)
{
    if (isnan(stack->peak_mb) || line->failed || stack->known_mb <= 0)
        return;
    if (stack->measured)
        chart->words.parts_measured = true;
    else
        chart->words.parts_computed = true;
}

/* The bracket, which needs a bar above it. */
static bool has_bracket(const struct chart_line *line, const struct memory_stack *stack)
{
    return !line->failed && !isnan(stack->peak_mb) && !isnan(stack->resident_mb);
}

static enum status read_stacks(struct memory_chart *chart, struct diag *diag)
{
    size_t count = chart->lines.count;
    bool named = false;
    chart->words.frame = &chart->frame;
    chart->words.kind = "";
    chart->stacks = arena_take_array(&chart->frame.scene.arena, count + 1, sizeof *chart->stacks);
    if (chart->stacks == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        struct chart_line *line = &chart->lines.items[i];
        memory_stack_of(line->candidate, &chart->stacks[i]);
        line->has_mark = memory_stack_reach(&chart->stacks[i]) > 0;
        note_areas(chart, line, &chart->stacks[i]);
        note_source(chart, line, &chart->stacks[i]);
        if (has_bracket(line, &chart->stacks[i])) {
            line->below = BRACKET_GAP + CHART_SIGN_BRACKET_HEIGHT;
            chart->resident = true;
        }
        const char *kind = line->candidate->memory_kind;
        if (isnan(chart->stacks[i].peak_mb))
            continue;
        if (!named)
            chart->words.kind = kind != NULL ? kind : "";
        else if (chart->words.kind != NULL &&
                 strcmp(chart->words.kind, kind != NULL ? kind : "") != 0)
            chart->words.kind = NULL;
        named = true;
    }
    return STATUS_OK;
}

static double largest(const struct memory_chart *chart)
{
    double result = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        struct memory_stack stack;
        memory_stack_of(chart->frame.every.items[i], &stack);
        result = fmax(result, memory_stack_reach(&stack));
    }
    return result;
}

/* ---- Bars ---- */

static void put_part_label(struct memory_chart *chart, const struct memory_stack_part *part,
                           const struct canvas_box *box)
{
    char number[64];
    axis_number((part->to_mb - part->from_mb) / chart->plot.axis.unit.factor, number,
                sizeof number);
    chart_lines_put_number(&chart->frame, &chart->plot, box, part->area, number);
}

static void put_outline(struct memory_chart *chart, double bar_y, double from_mb, double to_mb)
{
    double from = chart_plot_x(&chart->plot, from_mb);
    double to = chart_plot_x(&chart->plot, to_mb);
    scene_rectangle(&chart->frame.scene, (struct canvas_box){from, bar_y, fmax(to - from, 2), BAR},
                    &chart->frame.theme->area[THEME_BEYOND]);
}

static void put_bar(struct memory_chart *chart, double bar_y, const struct memory_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        const struct memory_stack_part *part = &stack->parts[i];
        double end = fmin(part->to_mb, stack->peak_mb);
        if (end <= part->from_mb)
            continue;
        double from = chart_plot_x(&chart->plot, part->from_mb);
        double to = chart_plot_x(&chart->plot, end);
        /* A sliver of a pixel still says that there is something. */
        struct canvas_box box = {from, bar_y, fmax(to - from, 0.75), BAR};
        scene_rectangle(&chart->frame.scene, box, &chart->frame.theme->area[part->area]);
        if (end >= part->to_mb)
            put_part_label(chart, part, &box);
    }
    if (stack->excess_mb > 0 && !stack->measured)
        put_outline(chart, bar_y, stack->peak_mb, stack->known_mb);
}

static void put_bracket(struct memory_chart *chart, double bar_y, double resident_mb)
{
    double y = bar_y + BAR + BRACKET_GAP + CHART_SIGN_BRACKET_HEIGHT / 2;
    double to = chart_plot_x(&chart->plot, resident_mb);
    if (to >= chart->plot.left + BRACKET_LEAST)
        chart_sign_put(&chart->frame.scene, chart->frame.theme, CHART_SIGN_BRACKET,
                       (struct canvas_point){chart->plot.left, y}, to);
}

/* How far a failed run got: a line, so that nobody takes it for a result. */
static void put_reached(struct memory_chart *chart, double bar_y, double peak_mb)
{
    struct scene *scene = &chart->frame.scene;
    double x = chart_plot_x(&chart->plot, peak_mb);
    double y = bar_y + BAR / 2;
    struct canvas_paint dashed = {CANVAS_NONE, CANVAS_NONE, chart->frame.theme->ink[THEME_BAD], 1.6,
                                  4};
    struct canvas_paint solid = {CANVAS_NONE, CANVAS_NONE, chart->frame.theme->ink[THEME_BAD], 1.8,
                                 0};
    scene_line(scene, (struct canvas_point){chart->plot.left, y}, (struct canvas_point){x, y},
               &dashed);
    scene_line(scene, (struct canvas_point){x - 4, y - 4}, (struct canvas_point){x + 4, y + 4},
               &solid);
    scene_line(scene, (struct canvas_point){x - 4, y + 4}, (struct canvas_point){x + 4, y - 4},
               &solid);
}

static void put_marks(struct memory_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        const struct memory_stack *stack = &chart->stacks[i];
        bool measured = !isnan(stack->peak_mb);
        if (measured && !line->failed) {
            put_bar(chart, line->bar_y, stack);
            if (has_bracket(line, stack))
                put_bracket(chart, line->bar_y, stack->resident_mb);
            continue;
        }
        if (stack->known_mb > 0)
            put_outline(chart, line->bar_y, 0, stack->known_mb);
        if (measured)
            put_reached(chart, line->bar_y, stack->peak_mb);
    }
}

static void put_tight_band(struct memory_chart *chart)
{
    double fraction = chart->frame.input->summary->policy.tight_memory_fraction;
    if (!chart->areas[THEME_TIGHT])
        return;
    double from = chart_plot_x(&chart->plot, fraction * chart->plot.limit);
    double to = chart_plot_x(&chart->plot, chart->plot.limit);
    scene_rectangle(
        &chart->frame.scene,
        (struct canvas_box){from, chart->plot.top, to - from, chart->plot.bottom - chart->plot.top},
        &chart->frame.theme->area[THEME_TIGHT]);
}

/* ---- Head ---- */

static const char *temporary_id(const struct memory_chart *chart)
{
    if (!chart->measured)
        return "chart.memory.temporary";
    return chart->predicted ? "chart.memory.temporary_mixed" : "chart.memory.temporary_measured";
}

static void put_legend(struct memory_chart *chart)
{
    const struct chart_frame_meaning known[] = {
        {THEME_PARAMETERS, "category.parameters"},
        {THEME_GRADIENTS, "category.gradients"},
        {THEME_OPTIMIZER, "category.optimizer_state"},
        {THEME_KEPT_WHOLE, "chart.memory.kept_whole"},
        {THEME_GATHERED, "category.gathered_parameters"},
        {THEME_GRADIENTS_WHOLE, "category.gradients_unsharded"},
        {THEME_BUFFERS, "category.communication_buffers"},
        {THEME_ACTIVATIONS, "category.activations"},
        {THEME_WORKSPACE, "category.workspace"},
        {THEME_TEMPORARY, temporary_id(chart)},
        {THEME_NOT_ATTRIBUTED, "chart.memory.not_attributed"},
        {THEME_BEYOND, "chart.memory.beyond"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0] + 1]; /* and the band's */
    const struct chart_frame_meanings meanings = {known, sizeof known / sizeof known[0]};
    size_t count = chart_frame_keys_of(&chart->frame, chart->areas, &meanings, keys);
    const char *tight = chart_frame_percent(
        &chart->frame, chart->frame.input->summary->policy.tight_memory_fraction, true);
    if (chart->areas[THEME_TIGHT])
        keys[count++] = (struct chart_frame_key){
            THEME_TIGHT,
            chart_frame_say1(&chart->frame, "chart.memory.tight_band", "percent", tight), NULL};
    struct chart_frame_keys all = {keys, count};
    struct chart_sign_key bracket = {CHART_SIGN_BRACKET,
                                     texts_get(chart->frame.texts, "chart.memory.resident_key")};
    chart_frame_legend_signs(&chart->frame, &all, &bracket, chart->resident ? 1 : 0);
}

static void put_headings(struct memory_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_plot *plot = &chart->plot;
    struct chart_plot_heading headings[] = {
        {texts_get(frame->texts, "column.strategy"), CHART_FRAME_MARGIN, chart->lines.label_width},
        {chart_memory_words_axis(&chart->words), plot->left, plot->right - plot->left},
        {texts_get(frame->texts, "chart.memory.value"), plot->right + CHART_LINES_GAP,
         chart_memory_words_width(&chart->frame)},
    };
    chart_plot_put_headings(frame, headings, sizeof headings / sizeof headings[0]);
    frame->y += chart_plot_limit_height(plot);
    chart_plot_limit_label(frame, plot, frame->y);
}

/* ---- The whole ---- */

static void scale(struct memory_chart *chart, double limit_mb)
{
    struct chart_plot *plot = &chart->plot;
    plot->left = ceil(CHART_FRAME_MARGIN + chart->lines.label_width + CHART_LINES_GAP);
    plot->right = chart->frame.width - CHART_FRAME_MARGIN -
                  chart_memory_words_width(&chart->frame) - CHART_LINES_GAP;
    plot->label_end = chart->frame.width - CHART_FRAME_MARGIN;
    plot->limit = limit_mb;
    if (!isnan(limit_mb))
        plot->limit_text = chart_frame_say1(&chart->frame, "chart.limit", "limit",
                                            chart_memory_words_amount(&chart->frame, limit_mb));
    chart_plot_scale(&chart->frame, plot, largest(chart), axis_memory_unit);
    chart->words.unit = plot->axis.unit;
    chart->words.limit_mb = limit_mb;
    double fraction = chart->frame.input->summary->policy.tight_memory_fraction;
    chart->areas[THEME_TIGHT] = plot->limit_inside && fraction > 0 && fraction < 1;
}

static void lay_out(struct memory_chart *chart, double limit_mb)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_plot *plot = &chart->plot;
    scale(chart, limit_mb);
    for (size_t i = 0; i < chart->lines.count; i++)
        chart_memory_words_fill(&chart->words, &chart->lines.items[i], &chart->stacks[i],
                                plot->right - plot->left);
    put_legend(chart);
    put_headings(chart);
    chart_lines_place(&chart->lines, frame, plot);
    chart_plot_grid(frame, plot);
    put_tight_band(chart);
    chart_lines_put_grounds(&chart->lines, frame, plot);
    put_marks(chart);
    chart_lines_put_limit(&chart->lines, frame, plot);
    chart_lines_put_texts(&chart->lines, frame, plot);
    chart_plot_numbers(frame, plot);
    frame->y += chart_plot_numbers_height();
}

enum status chart_memory_draw(const struct chart_input *input, struct canvas *canvas,
                              struct diag *diag)
{
    struct memory_chart chart = {0};
    double limit_mb = input->summary->policy.memory_limit_mb;
    const char *title = texts_get(input->texts, "chart.memory.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = chart_lines_init(&chart.lines, &chart.frame, LABEL_WIDTH, diag);
    if (status == STATUS_OK)
        status = read_stacks(&chart, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title,
                           chart_memory_words_subtitle(&chart.words, limit_mb));
        lay_out(&chart, limit_mb);
        status = chart_frame_finish(&chart.frame, title, diag);
    }
    chart_frame_fini(&chart.frame);
    return status;
}
