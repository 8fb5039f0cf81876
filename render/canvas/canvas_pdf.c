#include "canvas_pdf.h"

#include <cairo-pdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "canvas_embed.h"
#include "canvas_lines.h"
#include "canvas_shape.h"
#include "canvas_text.h"
#include "pdf_catalog.h"

/* What a page's content is in the document's structure. Cairo 1.16 writes links whole only where
 * there is a structure. */
#define PAGE_TAG "P"

struct canvas_pdf {
    struct canvas canvas; /* first: a canvas is one of these */
    struct canvas_text text;
    struct canvas_lines *lines;
    struct canvas_embed *embed;
    struct canvas_pdf_properties properties;
    struct text_buffer bytes;
    cairo_surface_t *surface;
    cairo_t *target; /* NULL between pages */
    cairo_surface_t *picture;
    size_t page_count;
};

static struct canvas_pdf *self(struct canvas *canvas)
{
    return (struct canvas_pdf *)canvas;
}

/* ---- Drawing ---- */

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    struct canvas_pdf *canvas = self(base);
    const struct canvas_line *line =
        length > 0 ? canvas_lines_get(canvas->lines, font, text, length) : NULL;
    if (line == NULL)
        return canvas_text_measure(&canvas->text, font, text, 0);
    double scale = font->size / CANVAS_LINES_SIZE;
    canvas_text_watch(&canvas->text);
    return (struct canvas_extent){scale * line->extent.width, scale * line->extent.ascent,
                                  scale * line->extent.descent};
}

static void draw_text(struct canvas *base, const struct canvas_point *at,
                      const struct canvas_font *font, canvas_colour colour, const char *text)
{
    struct canvas_pdf *canvas = self(base);
    size_t length = strlen(text);
    if (length == 0 || canvas->target == NULL)
        return;
    const struct canvas_line *line = canvas_lines_get(canvas->lines, font, text, length);
    if (line == NULL)
        return;
    canvas->text.glyphs_missing |= line->glyphs_missing;
    canvas_shape_colour(canvas->target, colour);
    cairo_move_to(canvas->target, at->x, at->y);
    canvas_embed_show(canvas->embed, canvas->target, line, text, font->size);
    cairo_new_path(canvas->target); /* the end of a text stays as the current point */
    canvas_text_watch(&canvas->text);
}

static void draw_rectangle(struct canvas *base, const struct canvas_box *box,
                           const struct canvas_paint *paint)
{
    if (self(base)->target != NULL)
        canvas_shape_rectangle(self(base)->target, box, paint);
}

static void draw_polyline(struct canvas *base, const struct canvas_point *points, size_t count,
                          const struct canvas_paint *paint)
{
    if (self(base)->target != NULL)
        canvas_shape_polyline(self(base)->target, points, count, paint);
}

void canvas_pdf_show_picture(struct canvas_pdf *canvas, const struct canvas_box *box)
{
    cairo_t *target = canvas->target;
    if (target == NULL || canvas->picture == NULL)
        return;
    cairo_save(target);
    cairo_translate(target, box->x, box->y);
    cairo_scale(target, box->width / cairo_image_surface_get_width(canvas->picture),
                box->height / cairo_image_surface_get_height(canvas->picture));
    cairo_set_source_surface(target, canvas->picture, 0, 0);
    cairo_paint(target);
    cairo_restore(target);
}

/* ---- Places ---- */

void canvas_pdf_destination(struct canvas_pdf *canvas, const char *name,
                            const struct canvas_point *at)
{
    char attributes[256];
    if (canvas->target == NULL)
        return;
    snprintf(attributes, sizeof attributes, "name='%s' x=%.2f y=%.2f", name, at->x, at->y);
    cairo_tag_begin(canvas->target, CAIRO_TAG_DEST, attributes);
    cairo_tag_end(canvas->target, CAIRO_TAG_DEST);
}

void canvas_pdf_link(struct canvas_pdf *canvas, const char *name, const struct canvas_box *area)
{
    char attributes[256];
    if (canvas->target == NULL)
        return;
    snprintf(attributes, sizeof attributes, "dest='%s' rect=[%.2f %.2f %.2f %.2f]", name, area->x,
             area->y, area->width, area->height);
    cairo_tag_begin(canvas->target, CAIRO_TAG_LINK, attributes);
    cairo_tag_end(canvas->target, CAIRO_TAG_LINK);
}

int canvas_pdf_outline(struct canvas_pdf *canvas, int parent, const char *text, const char *name)
{
    char attributes[256];
    snprintf(attributes, sizeof attributes, "dest='%s'", name);
    return cairo_pdf_surface_add_outline(canvas->surface, parent, text, attributes,
                                         CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

/* ---- Pages ---- */

static void begin(struct canvas *base, const struct canvas_page *page)
{
    struct canvas_pdf *canvas = self(base);
    char label[32];
    cairo_pdf_surface_set_size(canvas->surface, page->width, page->height);
    snprintf(label, sizeof label, "%zu", ++canvas->page_count);
    cairo_pdf_surface_set_page_label(canvas->surface, label);
    canvas->target = cairo_create(canvas->surface);
    struct canvas_box whole = {0, 0, page->width, page->height};
    struct canvas_paint paint = {page->background, CANVAS_NONE, CANVAS_NONE, 0, 0};
    if (page->background != 0xFFFFFF) /* paper is white already */
        draw_rectangle(base, &whole, &paint);
    /* After the background: what covers a whole page makes Cairo forget all that was before it. */
    cairo_tag_begin(canvas->target, PAGE_TAG, NULL);
}

static enum status check(const struct canvas_pdf *canvas, cairo_status_t status, struct diag *diag)
{
    if (canvas->text.memory_ended || canvas->bytes.failed || status == CAIRO_STATUS_NO_MEMORY)
        return diag_no_memory(diag);
    if (status != CAIRO_STATUS_SUCCESS)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot draw a page: %s",
                        cairo_status_to_string(status));
    return STATUS_OK;
}

static enum status end(struct canvas *base, struct diag *diag)
{
    struct canvas_pdf *canvas = self(base);
    cairo_tag_end(canvas->target, PAGE_TAG);
    cairo_show_page(canvas->target);
    canvas_text_watch(&canvas->text);
    cairo_status_t status = cairo_status(canvas->target);
    cairo_destroy(canvas->target);
    canvas->target = NULL;
    return check(canvas, status, diag);
}

/* ---- The document ---- */

static cairo_status_t take_bytes(void *context, const unsigned char *data, unsigned length)
{
    struct text_buffer *bytes = context;
    text_buffer_append(bytes, (const char *)data, length);
    return bytes->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

enum status canvas_pdf_finish(struct canvas_pdf *canvas, struct text_buffer *out, struct diag *diag)
{
    char entries[128];
    cairo_surface_finish(canvas->surface);
    canvas_text_watch(&canvas->text);
    enum status status = check(canvas, cairo_surface_status(canvas->surface), diag);
    /* RFC 3066 (PDF 32000-1:2008, 14.9.2); the texts of "zh" are in simplified characters. */
    const char *language = canvas->properties.language;
    snprintf(entries, sizeof entries,
             "\n   /Lang (%.32s)\n   /ViewerPreferences << /DisplayDocTitle true >>",
             strcmp(language, "zh") == 0 ? "zh-CN" : language);
    if (status == STATUS_OK)
        status = pdf_catalog_extend(&canvas->bytes, entries, diag);
    if (status != STATUS_OK)
        return status;
    text_buffer_append(out, canvas->bytes.text, canvas->bytes.length);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}

bool canvas_pdf_glyphs_missing(const struct canvas_pdf *canvas)
{
    return canvas->text.glyphs_missing;
}

/* ---- Pictures ---- */

struct picture_reader {
    const struct canvas_pdf_picture *picture;
    size_t used;
};

static cairo_status_t give_bytes(void *context, unsigned char *data, unsigned length)
{
    struct picture_reader *reader = context;
    if (length > reader->picture->size - reader->used)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, reader->picture->png + reader->used, length);
    reader->used += length;
    return CAIRO_STATUS_SUCCESS;
}

enum status canvas_pdf_set_picture(struct canvas_pdf *canvas,
                                   const struct canvas_pdf_picture *picture, struct diag *diag)
{
    struct picture_reader reader = {picture, 0};
    cairo_surface_t *decoded = cairo_image_surface_create_from_png_stream(give_bytes, &reader);
    cairo_status_t status = cairo_surface_status(decoded);
    if (status != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(decoded);
        if (status == CAIRO_STATUS_NO_MEMORY)
            return diag_no_memory(diag);
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot read the picture: %s",
                        cairo_status_to_string(status));
    }
    cairo_surface_destroy(canvas->picture);
    canvas->picture = decoded;
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

static void note_line(void *context, const PangoLayoutLine *line)
{
    canvas_embed_note(context, line);
}

static void describe(struct canvas_pdf *canvas)
{
    const struct canvas_pdf_properties *properties = &canvas->properties;
    cairo_surface_t *surface = canvas->surface;
    char date[64];
    struct tm parts;
    time_t created = (time_t)properties->created;
    if (gmtime_r(&created, &parts) == NULL || parts.tm_year < -1899 || parts.tm_year > 8099)
        parts = (struct tm){.tm_year = 70, .tm_mday = 1};
    snprintf(date, sizeof date, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, properties->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, properties->subject);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_AUTHOR, properties->author);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, properties->creator);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, date);
}

enum status canvas_pdf_create(const struct canvas_pdf_properties *properties,
                              struct canvas_pdf **out, struct diag *diag)
{
    struct canvas_pdf *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL)
        return diag_no_memory(diag);
    canvas->canvas.backend = &backend;
    canvas->properties = *properties;
    struct canvas_text_fonts fonts = {.language = properties->language,
                                      .families = properties->families};
    enum status status = canvas_text_init(&canvas->text, &fonts, diag);
    if (status != STATUS_OK) {
        free(canvas);
        return status;
    }
    canvas->embed = canvas_embed_create();
    canvas->lines = canvas_lines_create(&canvas->text);
    if (canvas->embed == NULL || canvas->lines == NULL) {
        canvas_pdf_destroy(canvas);
        return diag_no_memory(diag);
    }
    canvas->text.seen = note_line;
    canvas->text.seen_context = canvas->embed;
    /* 1.4 has the cross-reference table that pdf_catalog.h reads, and is read everywhere. */
    canvas->surface = cairo_pdf_surface_create_for_stream(take_bytes, &canvas->bytes, 1, 1);
    cairo_pdf_surface_restrict_to_version(canvas->surface, CAIRO_PDF_VERSION_1_4);
    describe(canvas);
    status = check(canvas, cairo_surface_status(canvas->surface), diag);
    if (status != STATUS_OK) {
        canvas_pdf_destroy(canvas);
        return status;
    }
    *out = canvas;
    return STATUS_OK;
}

void canvas_pdf_destroy(struct canvas_pdf *canvas)
{
    if (canvas == NULL)
        return;
    cairo_destroy(canvas->target);
    cairo_surface_destroy(canvas->surface);
    cairo_surface_destroy(canvas->picture);
    canvas_lines_destroy(canvas->lines);
    canvas_embed_destroy(canvas->embed);
    canvas_text_fini(&canvas->text);
    text_buffer_fini(&canvas->bytes);
    free(canvas);
}

struct canvas *canvas_pdf_canvas(struct canvas_pdf *canvas)
{
    return &canvas->canvas;
}
