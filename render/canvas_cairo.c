#include "canvas_cairo.h"

#include <cairo-svg.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

#include "theme.h"

/* The em box of CJK fonts: 0.88 above the baseline, 0.12 below; Latin descenders need a little
 * more (OpenType specification, "Baseline tags", ideographic em-box). */
#define ASCENT_OF_SIZE 0.88
#define DESCENT_OF_SIZE 0.24
#define HATCH_SPACING 5.0
#define TARGETS 2

struct canvas_cairo {
    struct canvas canvas; /* first: a canvas is one of these */
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *description;
    struct canvas_font font; /* what the description says now */
    cairo_surface_t *surfaces[TARGETS];
    cairo_t *targets[TARGETS]; /* SVG, pixels */
    cairo_status_t fault;      /* the first of the page */
    bool page_open, glyphs_missing, no_memory;
    struct canvas_page page;
    struct text_buffer stream; /* as Cairo writes it */
    struct text_buffer svg;    /* with title and description */
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

static void set_text(struct canvas_cairo *canvas, const struct canvas_font *font, const char *text,
                     size_t length)
{
    if (font->size != canvas->font.size || font->bold != canvas->font.bold) {
        pango_font_description_set_absolute_size(canvas->description, font->size * PANGO_SCALE);
        pango_font_description_set_weight(canvas->description,
                                          font->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
        pango_layout_set_font_description(canvas->layout, canvas->description);
        canvas->font = *font;
    }
    pango_layout_set_text(canvas->layout, text, (int)length);
}

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    struct canvas_cairo *canvas = self(base);
    struct canvas_extent extent = {0, ASCENT_OF_SIZE * font->size, DESCENT_OF_SIZE * font->size};
    if (length == 0)
        return extent;
    set_text(canvas, font, text, length);
    PangoRectangle ink;
    PangoRectangle logical;
    pango_layout_line_get_extents(pango_layout_get_line_readonly(canvas->layout, 0), &ink,
                                  &logical);
    extent.width = (double)logical.width / PANGO_SCALE;
    extent.ascent = fmax(extent.ascent, -(double)ink.y / PANGO_SCALE);
    extent.descent = fmax(extent.descent, (double)(ink.y + ink.height) / PANGO_SCALE);
    return extent;
}

static void set_colour(cairo_t *target, canvas_colour colour)
{
    cairo_set_source_rgb(target, (double)(colour >> 16 & 0xFF) / 255,
                         (double)(colour >> 8 & 0xFF) / 255, (double)(colour & 0xFF) / 255);
}

static void draw_text(struct canvas *base, const struct canvas_point *at,
                      const struct canvas_font *font, canvas_colour colour, const char *text)
{
    struct canvas_cairo *canvas = self(base);
    size_t length = strlen(text);
    if (length == 0 || !canvas->page_open)
        return;
    set_text(canvas, font, text, length);
    PangoLayoutLine *line = pango_layout_get_line_readonly(canvas->layout, 0);
    if (pango_layout_get_unknown_glyphs_count(canvas->layout) > 0)
        canvas->glyphs_missing = true;
    for (size_t i = 0; i < TARGETS; i++) {
        set_colour(canvas->targets[i], colour);
        cairo_move_to(canvas->targets[i], at->x, at->y);
        pango_cairo_show_layout_line(canvas->targets[i], line);
    }
}

/* ---- Shapes ---- */

static void rounded_path(cairo_t *target, const struct canvas_box *box, double radius)
{
    double limit = fmin(box->width, box->height) / 2;
    double r = fmin(radius, limit);
    if (r <= 0) {
        cairo_rectangle(target, box->x, box->y, box->width, box->height);
        return;
    }
    double right = box->x + box->width;
    double bottom = box->y + box->height;
    cairo_new_sub_path(target);
    cairo_arc(target, right - r, box->y + r, r, -M_PI_2, 0);
    cairo_arc(target, right - r, bottom - r, r, 0, M_PI_2);
    cairo_arc(target, box->x + r, bottom - r, r, M_PI_2, M_PI);
    cairo_arc(target, box->x + r, box->y + r, r, M_PI, M_PI + M_PI_2);
    cairo_close_path(target);
}

/* Lines from lower left to upper right, at places that depend on the box alone. */
static void hatch_box(cairo_t *target, const struct canvas_box *box, canvas_colour colour)
{
    cairo_save(target);
    cairo_rectangle(target, box->x, box->y, box->width, box->height);
    cairo_clip(target);
    set_colour(target, colour);
    cairo_set_line_width(target, 1.2);
    double bottom = box->y + box->height;
    for (double x = HATCH_SPACING / 2; x < box->width + box->height; x += HATCH_SPACING) {
        cairo_move_to(target, box->x + x - box->height - 1, bottom + 1);
        cairo_line_to(target, box->x + x + 1, box->y - 1);
    }
    cairo_stroke(target);
    cairo_restore(target);
}

static void set_stroke(cairo_t *target, const struct canvas_paint *paint)
{
    set_colour(target, paint->stroke);
    cairo_set_line_width(target, paint->width);
    if (paint->dash > 0)
        cairo_set_dash(target, &paint->dash, 1, 0);
    else
        cairo_set_dash(target, NULL, 0, 0);
}

static void draw_rectangle(struct canvas *base, const struct canvas_box *box,
                           const struct canvas_paint *paint)
{
    struct canvas_cairo *canvas = self(base);
    for (size_t i = 0; canvas->page_open && i < TARGETS; i++) {
        cairo_t *target = canvas->targets[i];
        if (paint->fill != CANVAS_NONE) {
            rounded_path(target, box, paint->radius);
            set_colour(target, paint->fill);
            cairo_fill(target);
        }
        if (paint->hatch != CANVAS_NONE)
            hatch_box(target, box, paint->hatch);
        if (paint->stroke == CANVAS_NONE || paint->width <= 0)
            continue;
        double inset = fmin(paint->width, fmin(box->width, box->height)) / 2;
        struct canvas_box edge = {box->x + inset, box->y + inset, box->width - 2 * inset,
                                  box->height - 2 * inset};
        set_stroke(target, paint);
        rounded_path(target, &edge, paint->radius);
        cairo_stroke(target);
    }
}

static void draw_polyline(struct canvas *base, const struct canvas_point *points, size_t count,
                          const struct canvas_paint *paint)
{
    struct canvas_cairo *canvas = self(base);
    for (size_t i = 0; canvas->page_open && i < TARGETS; i++) {
        cairo_t *target = canvas->targets[i];
        cairo_new_path(target); /* a text leaves its end as the current point */
        for (size_t p = 0; p < count; p++)
            cairo_line_to(target, points[p].x, points[p].y);
        if (paint->fill != CANVAS_NONE) {
            cairo_close_path(target);
            set_colour(target, paint->fill);
            cairo_fill_preserve(target);
        }
        if (paint->stroke != CANVAS_NONE && paint->width > 0) {
            set_stroke(target, paint);
            cairo_stroke_preserve(target);
        }
        cairo_new_path(target);
    }
}

/* ---- Page ---- */

static cairo_status_t write_stream(void *closure, const unsigned char *data, unsigned length)
{
    struct text_buffer *stream = closure;
    text_buffer_append(stream, (const char *)data, length);
    return stream->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void close_page(struct canvas_cairo *canvas)
{
    for (size_t i = 0; i < TARGETS; i++) {
        cairo_destroy(canvas->targets[i]);
        cairo_surface_destroy(canvas->surfaces[i]);
        canvas->targets[i] = NULL;
        canvas->surfaces[i] = NULL;
    }
    canvas->page_open = false;
}

static void begin(struct canvas *base, const struct canvas_page *page)
{
    struct canvas_cairo *canvas = self(base);
    close_page(canvas);
    text_buffer_clear(&canvas->stream);
    text_buffer_clear(&canvas->svg);
    canvas->fault = CAIRO_STATUS_SUCCESS;
    canvas->page = *page;
    canvas->page_open = true;
    canvas->surfaces[0] = cairo_svg_surface_create_for_stream(write_stream, &canvas->stream,
                                                              page->width, page->height);
    if (cairo_surface_status(canvas->surfaces[0]) == CAIRO_STATUS_SUCCESS)
        cairo_svg_surface_set_document_unit(canvas->surfaces[0], CAIRO_SVG_UNIT_PX);
    canvas->surfaces[1] =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(page->width * CANVAS_CAIRO_SCALE),
                                   (int)ceil(page->height * CANVAS_CAIRO_SCALE));
    for (size_t i = 0; i < TARGETS; i++)
        canvas->targets[i] = cairo_create(canvas->surfaces[i]);
    cairo_scale(canvas->targets[1], CANVAS_CAIRO_SCALE, CANVAS_CAIRO_SCALE);
    struct canvas_box whole = {0, 0, page->width, page->height};
    struct canvas_paint paint = {page->background, CANVAS_NONE, CANVAS_NONE, 0, 0, 0};
    draw_rectangle(base, &whole, &paint);
}

static void put_element(struct text_buffer *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    text_buffer_printf(out, "<%s>", name);
    for (; *text != '\0'; text++) {
        if (*text == '<')
            text_buffer_puts(out, "&lt;");
        else if (*text == '&')
            text_buffer_puts(out, "&amp;");
        else if (*text == '>')
            text_buffer_puts(out, "&gt;");
        else
            text_buffer_append(out, text, 1);
    }
    text_buffer_printf(out, "</%s>\n", name);
}

/*
 * Cairo says neither what a picture is about, nor the same name for a group on every run: it
 * counts the surfaces of the process. Both are set right here, in the text that it wrote.
 */
static void finish_svg(struct canvas_cairo *canvas)
{
    static const char counted[] = " id=\"surface";
    const struct text_buffer *from = &canvas->stream;
    struct text_buffer *to = &canvas->svg;
    const char *root = from->text != NULL ? strstr(from->text, "<svg") : NULL;
    const char *inside = root != NULL ? strchr(root, '>') : NULL;
    if (inside == NULL) {
        note_fault(canvas, CAIRO_STATUS_WRITE_ERROR);
        return;
    }
    text_buffer_append(to, from->text, (size_t)(inside - from->text));
    text_buffer_puts(to, " role=\"img\">\n");
    put_element(to, "title", canvas->page.title);
    put_element(to, "desc", canvas->page.description);
    const char *rest = inside + 1 + (inside[1] == '\n' ? 1 : 0);
    for (const char *id = strstr(rest, counted); id != NULL; id = strstr(rest, counted)) {
        text_buffer_append(to, rest, (size_t)(id - rest));
        rest = strchr(id + sizeof counted - 1, '"') + 1;
    }
    text_buffer_puts(to, rest);
}

static enum status end(struct canvas *base, struct diag *diag)
{
    struct canvas_cairo *canvas = self(base);
    for (size_t i = 0; i < TARGETS; i++) {
        note_fault(canvas, cairo_status(canvas->targets[i]));
        cairo_destroy(canvas->targets[i]);
        canvas->targets[i] = NULL;
    }
    canvas->page_open = false;
    cairo_surface_finish(canvas->surfaces[0]);
    cairo_surface_flush(canvas->surfaces[1]);
    for (size_t i = 0; i < TARGETS; i++)
        note_fault(canvas, cairo_surface_status(canvas->surfaces[i]));
    if (canvas->fault == CAIRO_STATUS_SUCCESS)
        finish_svg(canvas);
    if (canvas->stream.failed || canvas->svg.failed || canvas->fault == CAIRO_STATUS_NO_MEMORY)
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

/* Everything that fontconfig or a desktop could choose is chosen here: glyphs are outlines that
 * scale, with fractional advances, so that SVG and pixels agree. */
static enum status set_rendering(PangoContext *context, struct diag *diag)
{
    cairo_font_options_t *options = cairo_font_options_create();
    if (cairo_font_options_status(options) != CAIRO_STATUS_SUCCESS) {
        cairo_font_options_destroy(options);
        return diag_no_memory(diag);
    }
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_subpixel_order(options, CAIRO_SUBPIXEL_ORDER_RGB);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    pango_cairo_context_set_resolution(context, 96);
    pango_context_set_round_glyph_positions(context, FALSE);
    pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
    cairo_font_options_destroy(options);
    return STATUS_OK;
}

enum status canvas_cairo_create(const char *language, struct canvas_cairo **out, struct diag *diag)
{
    struct canvas_cairo *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL)
        return diag_no_memory(diag);
    canvas->canvas.backend = &backend;
    /* The default font map of this thread is kept by Pango: a second canvas finds its fonts. */
    canvas->context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    enum status status = set_rendering(canvas->context, diag);
    if (status != STATUS_OK) {
        canvas_cairo_destroy(canvas);
        return status;
    }
    /* "zh" alone would leave open which of the Chinese shapes of a character is meant. */
    const char *tag = strcmp(language, "zh") == 0 ? "zh-cn" : language;
    pango_context_set_language(canvas->context, pango_language_from_string(tag));
    canvas->layout = pango_layout_new(canvas->context);
    pango_layout_set_single_paragraph_mode(canvas->layout, TRUE);
    pango_layout_set_auto_dir(canvas->layout, FALSE);
    canvas->description = pango_font_description_new();
    pango_font_description_set_family_static(canvas->description, theme_font_families());
    *out = canvas;
    return STATUS_OK;
}

void canvas_cairo_destroy(struct canvas_cairo *canvas)
{
    if (canvas == NULL)
        return;
    close_page(canvas);
    if (canvas->description != NULL)
        pango_font_description_free(canvas->description);
    if (canvas->layout != NULL)
        g_object_unref(canvas->layout);
    if (canvas->context != NULL)
        g_object_unref(canvas->context);
    text_buffer_fini(&canvas->stream);
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
    cairo_surface_t *surface = canvas->surfaces[1];
    return (struct canvas_pixels){cairo_image_surface_get_data(surface),
                                  (size_t)cairo_image_surface_get_width(surface),
                                  (size_t)cairo_image_surface_get_height(surface),
                                  (size_t)cairo_image_surface_get_stride(surface)};
}

bool canvas_cairo_glyphs_missing(const struct canvas_cairo *canvas)
{
    return canvas->glyphs_missing;
}
