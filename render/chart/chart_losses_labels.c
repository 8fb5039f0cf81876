#include "chart_losses_labels.h"

#include <math.h>
#include <string.h>

#include "text.h"

#define SHORT_FROM 13 /* so many labels have one line each */
#define NAME_LINES 3
#define FEW 4 /* more names are counted, too */
#define FAILURES_MOST 6
#define DIGITS 3
#define BASELINE_COLUMNS 24
#define PADDING 7.0 /* below a label of several lines */

/* ---- Words ---- */

static const char *number(struct chart_frame *frame, double value)
{
    char text[64];
    return scene_format(&frame->scene, "%s", text_number(text, sizeof text, value, DIGITS));
}

/* "largest difference from ddp: 0.0021 (step 7)" */
static const char *difference_words(struct chart_frame *frame, const struct chart_curves *curves,
                                    const struct chart_curve *curve, const char *id)
{
    struct sentence_value values[] = {
        {"baseline", chart_frame_name(frame, curves->items[curves->baseline].candidate), NAN},
        {"label", chart_frame_name(frame, curve->candidate), NAN},
        {"difference", number(frame, curve->difference), NAN},
        {"step", NULL, (double)curve->difference_at},
    };
    return chart_frame_say(frame, id, values, 4);
}

static const char *step_words(struct chart_frame *frame, const char *id, size_t index)
{
    struct sentence_value value = {"step", NULL, (double)index};
    return chart_frame_say(frame, id, &value, 1);
}

/* Names may have commas in them: "zero1, micro-batch 2". */
static void put_name(struct text_buffer *list, const struct chart_frame *frame,
                     const struct summary_candidate *candidate)
{
    if (list->length > 0)
        text_buffer_puts(list, texts_get(frame->texts, "chart.losses.separator"));
    text_buffer_puts(list, chart_frame_name(frame, candidate));
}

/* The names of the curves that share a line. */
static const char *names(struct chart_frame *frame, const struct chart_curves *curves,
                         size_t leader)
{
    struct text_buffer list = {0};
    for (size_t i = 0; i < curves->count; i++) {
        if (curves->items[i].leader != leader)
            continue;
        put_name(&list, frame, curves->items[i].candidate);
    }
    struct sentence_value values[] = {
        {"count", NULL, (double)chart_curves_members(curves, leader)},
        {"labels", list.text, NAN},
    };
    const char *text = list.failed ? ""
                       : values[0].number <= FEW
                           ? scene_format(&frame->scene, "%s", list.text)
                           : chart_frame_say(frame, "chart.losses.many", values, 2);
    frame->scene.failed = frame->scene.failed || list.failed;
    text_buffer_fini(&list);
    return text;
}

/* The curve of a line that lies farthest from the baseline; NULL: none is compared. */
static const struct chart_curve *farthest_of(const struct chart_curves *curves, size_t leader)
{
    const struct chart_curve *found = NULL;
    for (size_t i = 0; i < curves->count; i++) {
        const struct chart_curve *curve = &curves->items[i];
        if (curve->leader == leader && isfinite(curve->difference) &&
            (found == NULL || curve->difference > found->difference))
            found = curve;
    }
    return found;
}

static const char *spread_words(struct chart_frame *frame, const struct chart_curves *curves,
                                size_t leader)
{
    double spread = chart_curves_spread(curves, leader);
    if (spread == 0)
        return texts_get(frame->texts, "chart.losses.equal");
    return chart_frame_say1(frame, "chart.losses.coincide", "spread", number(frame, spread));
}

/* ---- Labels ---- */

struct writer {
    struct chart_frame *frame;
    const struct chart_curves *curves;
    double width;
    bool brief;
};

static void add(const struct writer *writer, struct chart_cell *cell, enum theme_ink ink,
                const char *text)
{
    struct chart_cell_style style = chart_frame_style(writer->frame, THEME_FONT_SMALL, ink,
                                                      writer->width, writer->brief ? 1 : 2);
    chart_cell_add(&writer->frame->scene, cell, text, &style);
}

static void add_name(const struct writer *writer, struct chart_cell *cell, size_t leader)
{
    struct chart_frame *frame = writer->frame;
    bool shared = chart_curves_members(writer->curves, leader) > 1;
    struct chart_cell_style style =
        chart_frame_style(frame, writer->brief ? THEME_FONT_SMALL : THEME_FONT_TEXT, THEME_TEXT,
                          writer->width, writer->brief && !shared ? 1 : NAME_LINES);
    style.keep_end = !shared;
    chart_cell_add(&frame->scene, cell, names(frame, writer->curves, leader), &style);
}

/* What went wrong with the runs of a line. */
static void add_faults(const struct writer *writer, struct chart_cell *cell,
                       const struct chart_curve *curve)
{
    struct chart_frame *frame = writer->frame;
    if (curve->candidate->failure.reason != NULL)
        add(writer, cell, THEME_BAD,
            chart_frame_say1(frame, "chart.failed", "reason", curve->candidate->failure.reason));
    if (curve->not_finite < curve->trace.count)
        add(writer, cell, THEME_BAD,
            step_words(frame, "chart.losses.not_finite", curve->not_finite));
    if (curve->rises)
        add(writer, cell, THEME_WARNING, texts_get(frame->texts, "chart.losses.rises"));
}

/* A long name would leave no room for the difference from it. */
static bool has_long_baseline(const struct writer *writer)
{
    const struct chart_curves *curves = writer->curves;
    if (curves->baseline >= curves->count)
        return false;
    const char *name = chart_frame_name(writer->frame, curves->items[curves->baseline].candidate);
    return text_width(name, strlen(name)) > BASELINE_COLUMNS;
}

static void fill(const struct writer *writer, struct chart_cell *cell, size_t leader)
{
    const struct chart_curves *curves = writer->curves;
    const struct chart_curve *far = farthest_of(curves, leader);
    bool shared = chart_curves_members(curves, leader) > 1;
    bool brief = writer->brief || has_long_baseline(writer);
    bool baseline =
        curves->baseline < curves->count && curves->items[curves->baseline].leader == leader;
    add_name(writer, cell, leader);
    if (shared)
        add(writer, cell, THEME_QUIET, spread_words(writer->frame, curves, leader));
    else if (baseline)
        add(writer, cell, THEME_QUIET, texts_get(writer->frame->texts, "chart.losses.baseline"));
    if (curves->items[leader].other_batch)
        add(writer, cell, THEME_QUIET, texts_get(writer->frame->texts, "chart.losses.other_batch"));
    if (far != NULL && !baseline)
        add(writer, cell, THEME_QUIET,
            difference_words(writer->frame, curves, far,
                             brief ? "chart.losses.difference_brief" : "chart.losses.difference"));
    add_faults(writer, cell, &curves->items[leader]);
}

enum status chart_losses_labels_of(struct chart_losses_labels *labels, struct chart_frame *frame,
                                   const struct chart_curves *curves, double width,
                                   struct diag *diag)
{
    struct arena *arena = &frame->scene.arena;
    *labels = (struct chart_losses_labels){
        arena_take_array(arena, curves->count + 1, sizeof *labels->items),
        arena_take_array(arena, curves->count + 1, sizeof *labels->leaders), 0};
    if (labels->items == NULL || labels->leaders == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < curves->count; i++) {
        if (curves->items[i].leader == i)
            labels->leaders[labels->count++] = i;
    }
    struct writer writer = {frame, curves, width, labels->count >= SHORT_FROM};
    for (size_t i = 0; i < labels->count; i++) {
        fill(&writer, &labels->items[i].cell, labels->leaders[i]);
        labels->items[i].cell.height += writer.brief ? 0 : PADDING;
    }
    return STATUS_OK;
}

double chart_losses_labels_height(const struct chart_losses_labels *labels)
{
    double height = 0;
    for (size_t i = 0; i < labels->count; i++)
        height += labels->items[i].cell.height + CHART_LABELS_GAP;
    return height;
}

const char *chart_losses_labels_subtitle(struct chart_frame *frame,
                                         const struct chart_curves *curves)
{
    size_t far = chart_curves_farthest(curves);
    if (curves->count == 0)
        return texts_get(frame->texts, "chart.losses.nothing");
    if (far == curves->count && chart_curves_other_batch(curves))
        return texts_get(frame->texts, "chart.losses.other_batches");
    if (far == curves->count)
        return texts_get(frame->texts, "chart.losses.one");
    if (curves->items[far].difference == 0 && !chart_curves_other_batch(curves))
        return texts_get(frame->texts, "chart.losses.all_equal");
    return difference_words(frame, curves, &curves->items[far], "chart.losses.largest");
}

/* ---- Runs without losses ---- */

static void put_line(struct chart_frame *frame, enum theme_ink ink, const char *text, size_t lines)
{
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, ink, frame->content, lines);
    chart_cell_add(&frame->scene, &cell, text, &style);
    chart_cell_draw(&frame->scene, &cell, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    frame->y += cell.height + 3;
}

/* "zero3: failed: ..." for the first few; the rest is counted. */
static void put_failures(struct chart_frame *frame)
{
    size_t shown = 0;
    size_t more = 0;
    for (size_t i = 0; i < frame->rows.count; i++) {
        const struct summary_candidate *candidate = frame->rows.items[i];
        if (candidate->failure.reason == NULL || chart_curves_any(candidate))
            continue;
        if (shown == FAILURES_MOST) {
            more++;
            continue;
        }
        shown++;
        struct sentence_value values[] = {
            {"label", chart_frame_name(frame, candidate), NAN},
            {"reason", candidate->failure.reason, NAN},
        };
        put_line(frame, THEME_BAD, chart_frame_say(frame, "chart.losses.failed", values, 2), 2);
    }
    struct sentence_value value = {"count", NULL, (double)more};
    if (more > 0)
        put_line(frame, THEME_BAD, chart_frame_say(frame, "chart.losses.more_failed", &value, 1),
                 1);
}

void chart_losses_labels_absent(struct chart_frame *frame)
{
    struct text_buffer list = {0};
    put_failures(frame);
    for (size_t i = 0; i < frame->rows.count; i++) {
        const struct summary_candidate *candidate = frame->rows.items[i];
        if (candidate->failure.reason != NULL || chart_curves_any(candidate))
            continue;
        put_name(&list, frame, candidate);
    }
    if (list.failed)
        frame->scene.failed = true;
    else if (list.length > 0)
        put_line(frame, THEME_QUIET,
                 chart_frame_say1(frame, "chart.losses.absent", "labels", list.text), 3);
    text_buffer_fini(&list);
}
