#include "chart_frontier_names.h"

#include <math.h>
#include <stdlib.h>

#include "chart_marker.h"
#include "chart_throughput_words.h"

#define NAME_WIDTH 150.0
#define NUMBERS_WIDTH 90.0
#define TOGETHER 4.0 /* signs nearer than this are one place, named once */
#define REACH (CHART_FRONTIER_RADIUS + 3)
#define THIN 1.5 /* kept clear on each side of a line */
#define KEY_LINE 17.0
#define KEY_COLUMN_LEAST 330.0
#define KEY_NUMBER 22.0
#define KEY_SIGN 16.0
#define KEY_GAP 24.0

/* ---- Boxes ---- */

enum status chart_frontier_boxes_init(struct chart_frontier_boxes *boxes, struct chart_frame *frame,
                                      size_t capacity, struct diag *diag)
{
    *boxes = (struct chart_frontier_boxes){
        .items = arena_take_array(&frame->scene.arena, capacity + 1, sizeof *boxes->items),
        .capacity = capacity};
    return boxes->items != NULL ? STATUS_OK : diag_no_memory(diag);
}

void chart_frontier_boxes_add(struct chart_frontier_boxes *boxes, struct canvas_box box)
{
    if (boxes->count < boxes->capacity)
        boxes->items[boxes->count++] = box;
}

void chart_frontier_boxes_add_line(struct chart_frontier_boxes *boxes,
                                   const struct canvas_point *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double left = fmin(points[i - 1].x, points[i].x);
        double top = fmin(points[i - 1].y, points[i].y);
        double width = fabs(points[i - 1].x - points[i].x);
        double height = fabs(points[i - 1].y - points[i].y);
        chart_frontier_boxes_add(boxes, (struct canvas_box){left - THIN, top - THIN,
                                                            width + 2 * THIN, height + 2 * THIN});
    }
}

bool chart_frontier_boxes_meet(const struct chart_frontier_boxes *boxes,
                               const struct canvas_box *box)
{
    for (size_t i = 0; i < boxes->count; i++) {
        const struct canvas_box *other = &boxes->items[i];
        if (box->x < other->x + other->width && other->x < box->x + box->width &&
            box->y < other->y + other->height && other->y < box->y + box->height)
            return true;
    }
    return false;
}

/* ---- Words ---- */

const char *chart_frontier_value(struct chart_frame *frame,
                                 const struct summary_candidate *candidate)
{
    char memory[64];
    axis_memory_label(axis_memory_unit(candidate->peak_memory_mb), candidate->peak_memory_mb, false,
                      memory, sizeof memory);
    return scene_format(
        &frame->scene, "%s%s%s",
        chart_throughput_words_rate(frame, candidate->throughput, candidate->throughput_unit),
        texts_get(frame->texts, "word.list_separator"), memory);
}

/* ---- Choosing ---- */

/* The chosen one first, then the front, then the others by rank. */
static int importance(const struct chart_frontier_point *point)
{
    return point->first ? 0 : point->candidate->on_front ? 1 : point->candidate->eligible ? 2 : 3;
}

static int by_importance(const void *left, const void *right)
{
    const struct chart_frontier_point *a = *(const struct chart_frontier_point *const *)left;
    const struct chart_frontier_point *b = *(const struct chart_frontier_point *const *)right;
    int difference = importance(a) - importance(b);
    if (difference != 0)
        return difference;
    return (a > b) - (a < b); /* as they stand */
}

static void fill_name(struct chart_frame *frame, struct chart_label *label,
                      const struct chart_frontier_point *point)
{
    struct chart_cell_style style =
        chart_frame_style(frame, point->first ? THEME_FONT_SMALL_STRONG : THEME_FONT_SMALL,
                          THEME_TEXT, NAME_WIDTH, 2);
    style.keep_end = true;
    *label = (struct chart_label){.anchor = point->at, .colour = point->series->colour};
    chart_cell_add(&frame->scene, &label->cell, chart_frame_name(frame, point->candidate), &style);
    if (!point->first)
        return;
    style = chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_GOOD, NAME_WIDTH, 1);
    style.mark = CHART_MARK_CHECK;
    chart_cell_add(
        &frame->scene, &label->cell,
        texts_get(frame->texts, point->chosen ? "chart.status.selected" : "chart.status.best"),
        &style);
}

/* ---- Numbers ---- */

/* Finds for each numbered point the first one at its place, which has the numbers of all there. */
static void find_leaders(struct chart_frontier_names *names,
                         const struct chart_frontier_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        struct canvas_point at = points->items[i].at;
        names->leaders[i] = i;
        for (size_t k = 0; k < i && names->leaders[i] == i; k++) {
            struct canvas_point other = points->items[k].at;
            if (names->numbers[k] > 0 && names->leaders[k] == k &&
                hypot(other.x - at.x, other.y - at.y) < TOGETHER)
                names->leaders[i] = k;
        }
    }
}

/* "3", "3, 5", "3-9": the numbers at the place of a point. */
static const char *numbers_at(const struct chart_frontier_names *names,
                              const struct chart_frontier_points *points, struct chart_frame *frame,
                              size_t leader)
{
    struct text_buffer out = {0};
    size_t first = 0;
    size_t last = 0;
    for (size_t i = leader; i <= points->count; i++) {
        bool here = i < points->count && names->numbers[i] > 0 && names->leaders[i] == leader;
        size_t number = here ? names->numbers[i] : 0;
        if (here && first > 0 && number == last + 1) {
            last = number;
            continue;
        }
        if (first > 0 && (here || i == points->count)) {
            text_buffer_printf(&out, "%s%zu", out.length > 0 ? ", " : "", first);
            if (last > first) /* an en dash */
                text_buffer_printf(&out, "%s%zu", last > first + 1 ? "\xE2\x80\x93" : ", ", last);
        }
        if (here)
            first = last = number;
    }
    return chart_frame_take(frame, &out);
}

static void fill_number(const struct chart_frontier_names *names,
                        const struct chart_frontier_points *points, struct chart_frame *frame,
                        size_t index, struct chart_label *label)
{
    const struct chart_frontier_point *point = &points->items[index];
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_TEXT, NUMBERS_WIDTH, 6);
    *label = (struct chart_label){.anchor = point->at, .colour = point->series->colour};
    chart_cell_add(&frame->scene, &label->cell, numbers_at(names, points, frame, index), &style);
}

/* Gives numbers in the points' order to those without a name, and fills the labels. */
static void fill(struct chart_frontier_names *names, const struct chart_frontier_points *points,
                 struct chart_frame *frame)
{
    names->number_count = 0;
    for (size_t i = 0; i < points->count; i++)
        names->numbers[i] = names->numbers[i] > 0 ? ++names->number_count : 0;
    find_leaders(names, points);
    names->count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct chart_frontier_point *point = names->order[i];
        size_t index = (size_t)(point - points->items);
        struct chart_label *label = &names->labels[names->count];
        bool numbered = names->numbers[index] > 0;
        if (numbered && names->leaders[index] != index)
            continue;
        names->count++;
        if (numbered)
            fill_number(names, points, frame, index, label);
        else
            fill_name(frame, label, point);
        label->tag = index;
    }
}

/* Takes the names that found no place, and if there are any also those of the points that matter
 * less than the front; whether there were any. */
static bool take_names(struct chart_frontier_names *names,
                       const struct chart_frontier_points *points)
{
    bool any = false;
    for (size_t i = 0; i < names->count; i++) {
        size_t *number = &names->numbers[names->labels[i].tag];
        if (*number > 0 || names->labels[i].placed)
            continue;
        *number = 1;
        any = true;
    }
    for (size_t i = 0; any && i < points->count; i++) {
        if (importance(&points->items[i]) > 1)
            names->numbers[i] = 1;
    }
    return any;
}

static enum status take_arrays(struct chart_frontier_names *names, struct arena *arena,
                               size_t count, struct diag *diag)
{
    *names = (struct chart_frontier_names){
        .labels = arena_take_array(arena, count + 1, sizeof *names->labels),
        .order = arena_take_array(arena, count + 1, sizeof *names->order),
        .numbers = arena_take_array(arena, count + 1, sizeof *names->numbers),
        .leaders = arena_take_array(arena, count + 1, sizeof *names->leaders)};
    bool all = names->labels != NULL && names->order != NULL && names->numbers != NULL &&
               names->leaders != NULL;
    return all ? STATUS_OK : diag_no_memory(diag);
}

enum status chart_frontier_names_place(struct chart_frontier_names *names,
                                       const struct chart_frontier_points *points,
                                       struct chart_frame *frame, const struct chart_panel *panel,
                                       struct chart_frontier_boxes *boxes, struct diag *diag)
{
    enum status status = take_arrays(names, &frame->scene.arena, points->count, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < points->count; i++)
        names->order[i] = &points->items[i];
    qsort(names->order, points->count, sizeof *names->order, by_importance);
    const struct chart_labels_room room = {panel->box, boxes->items, boxes->count, REACH};
    do { /* at most once a point: each round takes a name */
        fill(names, points, frame);
        chart_labels_beside(names->labels, names->count, &room);
    } while (take_names(names, points));
    return STATUS_OK;
}

/* ---- Key ---- */

/* Entries side by side, each with the numbers of its point or without them. */
struct key_form {
    size_t columns;
    bool values;
};

static double key_width(const struct chart_frame *frame, const struct key_form *form)
{
    return (frame->content - (double)(form->columns - 1) * KEY_GAP) / (double)form->columns;
}

/* What an entry leaves of its width to the name. */
static double name_room(const struct chart_frame *frame, const struct key_form *form,
                        const char *value)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double used = form->values ? scene_width(&frame->scene, font, value) + 10 : 0;
    return fmax(40, key_width(frame, form) - KEY_NUMBER - KEY_SIGN - used);
}

static struct text_fit fit_name(struct chart_frame *frame, const struct key_form *form,
                                const struct chart_frontier_point *point, const char *value)
{
    return scene_fit(&frame->scene, &frame->theme->font[THEME_FONT_SMALL],
                     chart_frame_name(frame, point->candidate),
                     (struct text_fit_room){name_room(frame, form, value), 1, true});
}

static bool names_fit(const struct chart_frontier_names *names,
                      const struct chart_frontier_points *points, struct chart_frame *frame,
                      const struct key_form *form)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct chart_frontier_point *point = &points->items[i];
        if (names->numbers[i] == 0)
            continue;
        const char *value = chart_frontier_value(frame, point->candidate);
        if (fit_name(frame, form, point, value).cut)
            return false;
    }
    return true;
}

/* A name tells more than the numbers, which stand in the panel and in every table. */
static struct key_form key_form_of(const struct chart_frontier_names *names,
                                   const struct chart_frontier_points *points,
                                   struct chart_frame *frame)
{
    double most = floor((frame->content + KEY_GAP) / (KEY_COLUMN_LEAST + KEY_GAP));
    size_t columns = (size_t)fmax(1, most);
    const struct key_form forms[] = {{columns, true}, {columns, false}, {1, true}, {1, false}};
    size_t last = sizeof forms / sizeof forms[0] - 1;
    for (size_t i = 0; i < last; i++)
        if (names_fit(names, points, frame, &forms[i]))
            return forms[i];
    return forms[last];
}

static void put_entry(struct chart_frame *frame, const struct key_form *form,
                      const struct chart_frontier_point *point, size_t number,
                      struct canvas_point corner)
{
    struct scene *scene = &frame->scene;
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double baseline = corner.y + 12;
    const char *digits = scene_format(scene, "%zu", number);
    const char *value = chart_frontier_value(frame, point->candidate);
    struct text_fit name = fit_name(frame, form, point, value);
    double digits_x = corner.x + KEY_NUMBER - 6 - scene_width(scene, font, digits);
    scene_text(scene, (struct canvas_point){digits_x, baseline}, font,
               frame->theme->ink[THEME_TEXT], digits);
    chart_marker(scene, point->series,
                 (struct canvas_point){corner.x + KEY_NUMBER + 4, corner.y + 8}, 4, CANVAS_NONE);
    if (name.count > 0)
        scene_text(scene, (struct canvas_point){corner.x + KEY_NUMBER + KEY_SIGN, baseline}, font,
                   frame->theme->ink[THEME_TEXT], name.lines[0].text);
    if (!form->values)
        return;
    double value_x = corner.x + key_width(frame, form) - scene_width(scene, font, value);
    scene_text(scene, (struct canvas_point){value_x, baseline}, font,
               frame->theme->ink[THEME_QUIET], value);
}

void chart_frontier_names_key(const struct chart_frontier_names *names,
                              const struct chart_frontier_points *points, struct chart_frame *frame)
{
    if (names->number_count == 0)
        return;
    struct key_form form = key_form_of(names, points, frame);
    size_t rows = (names->number_count + form.columns - 1) / form.columns;
    for (size_t i = 0; i < points->count; i++) {
        if (names->numbers[i] == 0)
            continue;
        size_t index = names->numbers[i] - 1;
        double column = (double)(index / rows);
        struct canvas_point corner = {CHART_FRAME_MARGIN +
                                          column * (key_width(frame, &form) + KEY_GAP),
                                      frame->y + KEY_LINE * (double)(index % rows)};
        put_entry(frame, &form, &points->items[i], names->numbers[i], corner);
    }
    frame->y += KEY_LINE * (double)rows + 10;
}
