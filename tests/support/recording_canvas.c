#include "recording_canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static struct recording_canvas *self(struct canvas *canvas)
{
    return (struct recording_canvas *)canvas;
}

static struct recording_item *add(struct recording_canvas *recording, enum recording_kind kind)
{
    if (recording->count == recording->capacity) {
        recording->capacity = recording->capacity > 0 ? 2 * recording->capacity : 256;
        recording->items =
            realloc(recording->items, recording->capacity * sizeof *recording->items);
        if (recording->items == NULL)
            abort();
    }
    struct recording_item *item = &recording->items[recording->count++];
    *item = (struct recording_item){.kind = kind};
    return item;
}

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    struct recording_canvas *recording = self(base);
    recording->measured++;
    if (length > recording->longest_measured)
        recording->longest_measured = length;
    if (recording->measuring != NULL)
        return recording->measuring->backend->measure(recording->measuring, font, text, length);
    double em = font->size * (font->bold ? 1.05 : 1);
    return (struct canvas_extent){0.5 * em * (double)text_width(text, length), 0.88 * font->size,
                                  0.24 * font->size};
}

static void begin(struct canvas *base, const struct canvas_page *page)
{
    self(base)->page = *page;
    self(base)->page.title = self(base)->page.description = NULL; /* borrowed until the end only */
    self(base)->pages++;
}

static void rectangle(struct canvas *base, const struct canvas_box *box,
                      const struct canvas_paint *paint)
{
    struct recording_item *item = add(self(base), RECORDING_RECTANGLE);
    item->box = *box;
    item->paint = *paint;
}

static void polyline(struct canvas *base, const struct canvas_point *points, size_t count,
                     const struct canvas_paint *paint)
{
    struct recording_item *item = add(self(base), RECORDING_POLYLINE);
    double left = INFINITY;
    double top = INFINITY;
    double right = -INFINITY;
    double bottom = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        left = fmin(left, points[i].x);
        right = fmax(right, points[i].x);
        top = fmin(top, points[i].y);
        bottom = fmax(bottom, points[i].y);
    }
    item->box = (struct canvas_box){left, top, right - left, bottom - top};
    item->paint = *paint;
    item->points = count;
    item->places = malloc(count * sizeof *points);
    if (item->places == NULL)
        abort();
    memcpy(item->places, points, count * sizeof *points);
}

static void text(struct canvas *base, const struct canvas_point *at, const struct canvas_font *font,
                 canvas_colour colour, const char *string)
{
    struct canvas_extent extent = measure(base, font, string, strlen(string));
    struct recording_item *item = add(self(base), RECORDING_TEXT);
    item->box = (struct canvas_box){at->x, at->y - extent.ascent, extent.width,
                                    extent.ascent + extent.descent};
    item->font = *font;
    item->colour = colour;
    item->text = strdup(string);
    if (item->text == NULL)
        abort();
}

static enum status end(struct canvas *base, struct diag *diag)
{
    (void)base;
    (void)diag;
    return STATUS_OK;
}

void recording_canvas_init(struct recording_canvas *recording, struct canvas *measuring)
{
    static const struct canvas_backend backend = {measure, begin, rectangle, polyline, text, end};
    *recording = (struct recording_canvas){.canvas = {&backend}, .measuring = measuring};
}

void recording_canvas_fini(struct recording_canvas *recording)
{
    for (size_t i = 0; i < recording->count; i++) {
        free(recording->items[i].text);
        free(recording->items[i].places);
    }
    free(recording->items);
    *recording = (struct recording_canvas){0};
}

static void print_colour(struct text_buffer *out, const char *name, canvas_colour colour)
{
    if (colour != CANVAS_NONE)
        text_buffer_printf(out, " %s=%06x", name, (unsigned)colour);
}

void recording_canvas_print(const struct recording_canvas *recording, struct text_buffer *out)
{
    static const char *const kinds[] = {"rectangle", "line", "text"};
    text_buffer_printf(out, "page %.0f x %.0f\n", recording->page.width, recording->page.height);
    for (size_t i = 0; i < recording->count; i++) {
        const struct recording_item *item = &recording->items[i];
        text_buffer_printf(out, "%s %.1f,%.1f %.1fx%.1f", kinds[item->kind], item->box.x,
                           item->box.y, item->box.width, item->box.height);
        if (item->kind == RECORDING_TEXT) {
            text_buffer_printf(out, " %.1f%s", item->font.size, item->font.bold ? " bold" : "");
            print_colour(out, "colour", item->colour);
            text_buffer_printf(out, " \"%s\"\n", item->text);
            continue;
        }
        print_colour(out, "fill", item->paint.fill);
        print_colour(out, "hatch", item->paint.hatch);
        print_colour(out, "stroke", item->paint.stroke);
        text_buffer_puts(out, item->paint.dash > 0 ? " dashed\n" : "\n");
    }
}

const struct recording_item *recording_canvas_find(const struct recording_canvas *recording,
                                                   const char *string)
{
    for (size_t i = 0; i < recording->count; i++) {
        const struct recording_item *item = &recording->items[i];
        if (item->kind == RECORDING_TEXT && strcmp(item->text, string) == 0)
            return item;
    }
    return NULL;
}

bool recording_canvas_says(const struct recording_canvas *recording, const char *part)
{
    for (size_t i = 0; i < recording->count; i++) {
        if (recording->items[i].kind == RECORDING_TEXT &&
            strstr(recording->items[i].text, part) != NULL)
            return true;
    }
    return false;
}
