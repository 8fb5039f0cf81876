#include "canvas_cairo.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

#include "canvas_shape.h"
#include "canvas_text.h"
#include "glyph_table.h"
#include "svg_write.h"

struct canvas_cairo {
    struct canvas canvas; /* first: a canvas is one of these */
    struct canvas_text text;
    cairo_surface_t *surface;
    cairo_t *target;   /* the pixels, scaled; NULL between pages */
    cairo_t *outlines; /* has no other use than to give the outlines of glyphs */
    struct glyph_table glyphs;
    GSList *fonts; /* those in the table, held so that no other gets the address of one */
    struct canvas_page page;
    struct svg_write drawing;
    struct text_buffer svg;
    cairo_status_t fault; /* the first of the page */
    bool no_memory;
};

static struct canvas_cairo *self(struct canvas *canvas)
{
    return (struct canvas_cairo *)canvas;
}

static void note_fault(struct canvas_cairo *canvas, cairo_status_t status)
{
    if (canvas->fault == CAIRO_STATUS_SUCCESS)
        canvas->fault = status;
}

/* ---- Text ---- */

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    return canvas_text_measure(&self(base)->text, font, text, length);
}

static void write_outline(struct canvas_cairo *canvas, cairo_scaled_font_t *font, PangoGlyph glyph)
{
    cairo_glyph_t one = {glyph, 0, 0};
    cairo_new_path(canvas->outlines);
    cairo_set_scaled_font(canvas->outlines, font);
    cairo_glyph_path(canvas->outlines, &one, 1);
    cairo_path_t *path = cairo_copy_path(canvas->outlines);
    note_fault(canvas, path->status);
    for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
        const cairo_path_data_t *data = &path->data[i];
        struct canvas_point points[3] = {{0, 0}};
        for (int p = 1; p < data->header.length && p <= 3; p++)
            points[p - 1] = (struct canvas_point){data[p].point.x, data[p].point.y};
        svg_write_glyph_piece(&canvas->drawing, "MLCZ"[data->header.type], points);
    }
    cairo_path_destroy(path);
}

/* The number of a glyph in the SVG, whose outline is written when it is first met. */
static size_t glyph_number(struct canvas_cairo *canvas, PangoFont *font, PangoGlyph glyph)
{
    size_t *number = glyph_table_find(&canvas->glyphs, font, glyph);
    if (number == NULL) {
        canvas->no_memory = true;
        return 0;
    }
    if (*number == GLYPH_TABLE_NEW) {
        if (g_slist_find(canvas->fonts, font) == NULL)
            canvas->fonts = g_slist_prepend(canvas->fonts, g_object_ref(font));
        svg_write_glyph_begin(&canvas->drawing);
        write_outline(canvas, pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font)), glyph);
        *number = svg_write_glyph_end(&canvas->drawing);
    }
    return *number;
}

static void write_run(struct canvas_cairo *canvas, const PangoGlyphItem *run, int *x,
                      canvas_colour colour)
{
    for (int i = 0; i < run->glyphs->num_glyphs; i++) {
        const PangoGlyphInfo *info = &run->glyphs->glyphs[i];
        struct canvas_point offset = {(double)(*x + info->geometry.x_offset) / PANGO_SCALE,
                                      (double)info->geometry.y_offset / PANGO_SCALE};
        *x += info->geometry.width;
        if ((info->glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0) {
            double size = canvas->text.font.size;
            double width = (double)info->geometry.width / PANGO_SCALE;
            struct canvas_box box = {offset.x + 0.1 * width, -0.75 * size, 0.8 * width,
                                     0.75 * size};
            svg_write_text_missing(&canvas->drawing, &box, colour);
        } else if (info->glyph != PANGO_GLYPH_EMPTY) {
            size_t number = glyph_number(canvas, run->item->analysis.font, info->glyph);
            svg_write_text_glyph(&canvas->drawing, number, &offset);
        }
    }
}

static void draw_text(struct canvas *base, const struct canvas_point *at,
                      const struct canvas_font *font, canvas_colour colour, const char *text)
{
    struct canvas_cairo *canvas = self(base);
    size_t length = strlen(text);
    if (length == 0 || canvas->target == NULL)
        return;
    PangoLayoutLine *line = canvas_text_line(&canvas->text, font, text, length);
    canvas_shape_colour(canvas->target, colour);
    cairo_move_to(canvas->target, at->x, at->y);
    pango_cairo_show_layout_line(canvas->target, line);
    cairo_new_path(canvas->target); /* the end of a text stays as the current point */
    int x = 0;
    svg_write_text_begin(&canvas->drawing, at, colour);
    for (GSList *run = line->runs; run != NULL; run = run->next)
        write_run(canvas, run->data, &x, colour);
    svg_write_text_end(&canvas->drawing);
    canvas_text_watch(&canvas->text);
}

/* ---- Shapes ---- */

static void draw_rectangle(struct canvas *base, const struct canvas_box *box,
                           const struct canvas_paint *paint)
{
    struct canvas_cairo *canvas = self(base);
    if (canvas->target == NULL)
        return;
    svg_write_rectangle(&canvas->drawing, box, paint);
    canvas_shape_rectangle(canvas->target, box, paint);
}

static void draw_polyline(struct canvas *base, const struct canvas_point *points, size_t count,
                          const struct canvas_paint *paint)
{
    struct canvas_cairo *canvas = self(base);
    if (canvas->target == NULL)
        return;
    svg_write_polyline(&canvas->drawing, points, count, paint);
    canvas_shape_polyline(canvas->target, points, count, paint);
}

/* ---- Page ---- */

static void close_page(struct canvas_cairo *canvas)
{
    cairo_destroy(canvas->target);
    cairo_destroy(canvas->outlines);
    cairo_surface_destroy(canvas->surface);
    canvas->target = canvas->outlines = NULL;
    canvas->surface = NULL;
    glyph_table_clear(&canvas->glyphs);
    g_slist_free_full(canvas->fonts, g_object_unref);
    canvas->fonts = NULL;
}

static void begin(struct canvas *base, const struct canvas_page *page)
{
    struct canvas_cairo *canvas = self(base);
    close_page(canvas);
    svg_write_clear(&canvas->drawing);
    text_buffer_clear(&canvas->svg);
    canvas->fault = CAIRO_STATUS_SUCCESS;
    canvas->no_memory = false;
    canvas->page = *page;
    canvas->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(page->width * CANVAS_CAIRO_SCALE),
                                   (int)ceil(page->height * CANVAS_CAIRO_SCALE));
    canvas->target = cairo_create(canvas->surface);
    canvas->outlines = cairo_create(canvas->surface);
    cairo_scale(canvas->target, CANVAS_CAIRO_SCALE, CANVAS_CAIRO_SCALE);
    struct canvas_box whole = {0, 0, page->width, page->height};
    struct canvas_paint paint = {page->background, CANVAS_NONE, CANVAS_NONE, 0, 0};
    draw_rectangle(base, &whole, &paint);
}

static enum status end(struct canvas *base, struct diag *diag)
{
    struct canvas_cairo *canvas = self(base);
    canvas_text_watch(&canvas->text);
    note_fault(canvas, cairo_status(canvas->target));
    note_fault(canvas, cairo_status(canvas->outlines));
    cairo_destroy(canvas->target);
    canvas->target = NULL;
    cairo_surface_flush(canvas->surface);
    note_fault(canvas, cairo_surface_status(canvas->surface));
    svg_write_finish(&canvas->drawing, &canvas->page, &canvas->svg);
    canvas_text_watch(&canvas->text);
    if (canvas->no_memory || canvas->text.memory_ended || canvas->svg.failed ||
        canvas->fault == CAIRO_STATUS_NO_MEMORY)
        return diag_no_memory(diag);
    if (canvas->fault != CAIRO_STATUS_SUCCESS)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot draw: %s",
                        cairo_status_to_string(canvas->fault));
    return STATUS_OK;
}

/* ---- Life ---- */

static const struct canvas_backend backend = {
    .measure = measure,
    .begin = begin,
    .rectangle = draw_rectangle,
    .polyline = draw_polyline,
    .text = draw_text,
    .end = end,
};

enum status canvas_cairo_create(const char *language, const char *families,
                                struct canvas_cairo **out, struct diag *diag)
{
    struct canvas_cairo *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL)
        return diag_no_memory(diag);
    struct canvas_text_fonts fonts = {.language = language, .families = families};
    enum status status = canvas_text_init(&canvas->text, &fonts, diag);
    if (status != STATUS_OK) {
        canvas_cairo_destroy(canvas);
        return status;
    }
    canvas->canvas.backend = &backend;
    *out = canvas;
    return STATUS_OK;
}

void canvas_cairo_destroy(struct canvas_cairo *canvas)
{
    if (canvas == NULL)
        return;
    close_page(canvas);
    canvas_text_fini(&canvas->text);
    glyph_table_fini(&canvas->glyphs);
    svg_write_fini(&canvas->drawing);
    text_buffer_fini(&canvas->svg);
    free(canvas);
}

struct canvas *canvas_cairo_canvas(struct canvas_cairo *canvas)
{
    return &canvas->canvas;
}

const struct text_buffer *canvas_cairo_svg(const struct canvas_cairo *canvas)
{
    return &canvas->svg;
}

struct canvas_pixels canvas_cairo_pixels(const struct canvas_cairo *canvas)
{
    return (struct canvas_pixels){cairo_image_surface_get_data(canvas->surface),
                                  (size_t)cairo_image_surface_get_width(canvas->surface),
                                  (size_t)cairo_image_surface_get_height(canvas->surface),
                                  (size_t)cairo_image_surface_get_stride(canvas->surface)};
}

double canvas_cairo_head(const struct canvas_cairo *canvas)
{
    return canvas->page.head;
}

bool canvas_cairo_glyphs_missing(const struct canvas_cairo *canvas)
{
    return canvas->text.glyphs_missing;
}
