#include "svg_write.h"

#include <math.h>

#include "canvas_hatch.h"

/* Far beyond any page; keeps the conversion to an integer defined. */
#define FARTHEST 1e7

/* At most two decimals, no trailing zeros, no exponent, no locale. */
static void put_number(struct text_buffer *out, double value)
{
    char text[24];
    char *to = text + sizeof text;
    double bounded = isnan(value) ? 0 : fmax(-FARTHEST, fmin(value, FARTHEST));
    long long hundredths = llround(bounded * 100);
    bool negative = hundredths < 0;
    unsigned long long rest = (unsigned long long)(negative ? -hundredths : hundredths);
    int decimals = rest % 100 == 0 ? 0 : rest % 10 == 0 ? 1 : 2;
    rest /= decimals == 0 ? 100 : decimals == 1 ? 10 : 1;
    for (int i = 0; i == 0 || rest > 0 || i <= decimals; i++) {
        if (i == decimals && decimals > 0)
            *--to = '.';
        *--to = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (negative)
        *--to = '-';
    text_buffer_append(out, to, (size_t)(text + sizeof text - to));
}

static void put_attribute(struct text_buffer *out, const char *name, double value)
{
    text_buffer_puts(out, " ");
    text_buffer_puts(out, name);
    text_buffer_puts(out, "=\"");
    put_number(out, value);
    text_buffer_puts(out, "\"");
}

static void put_colour(struct text_buffer *out, const char *name, canvas_colour colour)
{
    if (colour == CANVAS_NONE)
        text_buffer_printf(out, " %s=\"none\"", name);
    else
        text_buffer_printf(out, " %s=\"#%06x\"", name, (unsigned)(colour & 0xFFFFFF));
}

static void put_stroke(struct text_buffer *out, const struct canvas_paint *paint)
{
    if (paint->stroke == CANVAS_NONE || paint->width <= 0)
        return;
    put_colour(out, "stroke", paint->stroke);
    put_attribute(out, "stroke-width", paint->width);
    if (paint->dash > 0)
        put_attribute(out, "stroke-dasharray", paint->dash);
}

static void put_point(struct text_buffer *out, char letter, struct canvas_point point)
{
    text_buffer_append(out, &letter, 1);
    put_number(out, point.x);
    text_buffer_puts(out, " ");
    put_number(out, point.y);
}

void svg_write_clear(struct svg_write *svg)
{
    text_buffer_clear(&svg->glyphs);
    text_buffer_clear(&svg->body);
    svg->glyph_count = 0;
}

void svg_write_fini(struct svg_write *svg)
{
    text_buffer_fini(&svg->glyphs);
    text_buffer_fini(&svg->body);
}

/* ---- Shapes ---- */

static void put_box(struct text_buffer *out, const struct canvas_box *box)
{
    text_buffer_puts(out, "<rect");
    put_attribute(out, "x", box->x);
    put_attribute(out, "y", box->y);
    put_attribute(out, "width", fmax(box->width, 0));
    put_attribute(out, "height", fmax(box->height, 0));
}

static void put_hatch(struct text_buffer *out, const struct canvas_box *box, canvas_colour colour)
{
    struct canvas_point line[2];
    text_buffer_puts(out, "<path d=\"");
    for (size_t i = 0; canvas_hatch_line(box, i, line); i++) {
        put_point(out, 'M', line[0]);
        put_point(out, 'L', line[1]);
    }
    text_buffer_puts(out, "\"");
    put_colour(out, "stroke", colour);
    put_attribute(out, "stroke-width", CANVAS_HATCH_WIDTH);
    text_buffer_puts(out, "/>\n");
}

void svg_write_rectangle(struct svg_write *svg, const struct canvas_box *box,
                         const struct canvas_paint *paint)
{
    struct text_buffer *out = &svg->body;
    bool stroked = paint->stroke != CANVAS_NONE && paint->width > 0;
    if (paint->fill != CANVAS_NONE) {
        put_box(out, box);
        put_colour(out, "fill", paint->fill);
        text_buffer_puts(out, "/>\n");
    }
    if (paint->hatch != CANVAS_NONE)
        put_hatch(out, box, paint->hatch);
    if (!stroked)
        return;
    double inset = fmin(paint->width, fmin(box->width, box->height)) / 2;
    struct canvas_box edge = {box->x + inset, box->y + inset, box->width - 2 * inset,
                              box->height - 2 * inset};
    put_box(out, &edge);
    text_buffer_puts(out, " fill=\"none\"");
    put_stroke(out, paint);
    text_buffer_puts(out, "/>\n");
}

void svg_write_polyline(struct svg_write *svg, const struct canvas_point *points, size_t count,
                        const struct canvas_paint *paint)
{
    struct text_buffer *out = &svg->body;
    text_buffer_puts(out, "<path d=\"");
    for (size_t i = 0; i < count; i++)
        put_point(out, i == 0 ? 'M' : 'L', points[i]);
    text_buffer_puts(out, paint->fill != CANVAS_NONE ? "Z\"" : "\"");
    put_colour(out, "fill", paint->fill);
    put_stroke(out, paint);
    text_buffer_puts(out, "/>\n");
}

/* ---- Text ---- */

void svg_write_glyph_begin(struct svg_write *svg)
{
    text_buffer_printf(&svg->glyphs, "<path id=\"g%zu\" d=\"", svg->glyph_count);
}

void svg_write_glyph_piece(struct svg_write *svg, char letter, const struct canvas_point *points)
{
    struct text_buffer *out = &svg->glyphs;
    if (letter == 'Z') {
        text_buffer_puts(out, "Z");
        return;
    }
    put_point(out, letter, points[0]);
    for (size_t i = 1; letter == 'C' && i < 3; i++)
        put_point(out, ' ', points[i]);
}

size_t svg_write_glyph_end(struct svg_write *svg)
{
    text_buffer_puts(&svg->glyphs, "\"/>\n");
    return svg->glyph_count++;
}

void svg_write_text_begin(struct svg_write *svg, const struct canvas_point *at,
                          canvas_colour colour)
{
    text_buffer_puts(&svg->body, "<g transform=\"translate(");
    put_number(&svg->body, at->x);
    text_buffer_puts(&svg->body, " ");
    put_number(&svg->body, at->y);
    text_buffer_puts(&svg->body, ")\"");
    put_colour(&svg->body, "fill", colour);
    text_buffer_puts(&svg->body, ">");
}

void svg_write_text_glyph(struct svg_write *svg, size_t glyph, const struct canvas_point *offset)
{
    text_buffer_printf(&svg->body, "<use xlink:href=\"#g%zu\"", glyph);
    if (offset->x != 0)
        put_attribute(&svg->body, "x", offset->x);
    if (offset->y != 0)
        put_attribute(&svg->body, "y", offset->y);
    text_buffer_puts(&svg->body, "/>");
}

void svg_write_text_missing(struct svg_write *svg, const struct canvas_box *box,
                            canvas_colour colour)
{
    put_box(&svg->body, box);
    text_buffer_puts(&svg->body, " fill=\"none\"");
    put_colour(&svg->body, "stroke", colour);
    text_buffer_puts(&svg->body, "/>");
}

void svg_write_text_end(struct svg_write *svg)
{
    text_buffer_puts(&svg->body, "</g>\n");
}

/* ---- Document ---- */

static void put_element(struct text_buffer *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    text_buffer_printf(out, "<%s>", name);
    for (; *text != '\0'; text++) {
        if (*text == '<')
            text_buffer_puts(out, "&lt;");
        else if (*text == '>')
            text_buffer_puts(out, "&gt;");
        else if (*text == '&')
            text_buffer_puts(out, "&amp;");
        else
            text_buffer_append(out, text, 1);
    }
    text_buffer_printf(out, "</%s>\n", name);
}

void svg_write_finish(const struct svg_write *svg, const struct canvas_page *page,
                      struct text_buffer *out)
{
    text_buffer_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                          "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\"");
    put_attribute(out, "width", page->width);
    put_attribute(out, "height", page->height);
    text_buffer_puts(out, " viewBox=\"0 0 ");
    put_number(out, page->width);
    text_buffer_puts(out, " ");
    put_number(out, page->height);
    text_buffer_puts(out, "\" role=\"img\">\n");
    put_element(out, "title", page->title);
    put_element(out, "desc", page->description);
    if (svg->glyphs.length > 0) {
        text_buffer_puts(out, "<defs>\n");
        text_buffer_append(out, svg->glyphs.text, svg->glyphs.length);
        text_buffer_puts(out, "</defs>\n");
    }
    if (svg->body.length > 0)
        text_buffer_append(out, svg->body.text, svg->body.length);
    text_buffer_puts(out, "</svg>\n");
    if (svg->glyphs.failed || svg->body.failed)
        out->failed = true;
}
