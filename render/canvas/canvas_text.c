#include "canvas_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The em box of CJK fonts: 0.88 above the baseline, 0.12 below; Latin descenders need a little
 * more (OpenType specification, "Baseline tags", ideographic em-box). */
#define ASCENT_OF_SIZE 0.88
#define DESCENT_OF_SIZE 0.24

/* Half as wide as a Chinese character and drawn to stand beside the proportional family. */
static const char fixed_families[] =
    "Noto Sans Mono CJK SC,Source Han Mono SC,DejaVu Sans Mono,monospace";

void canvas_text_watch(struct canvas_text *text)
{
    if (errno == ENOMEM)
        text->memory_ended = true;
}

/* ---- Shaping ---- */

static void set_font(struct canvas_text *text, const struct canvas_font *font)
{
    if (font->size == text->font.size && font->bold == text->font.bold &&
        font->fixed == text->font.fixed)
        return;
    PangoFontDescription *description = font->fixed ? text->fixed : text->proportional;
    pango_font_description_set_absolute_size(description, font->size * PANGO_SCALE);
    pango_font_description_set_weight(description,
                                      font->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(text->layout, description);
    text->font = *font;
}

/* A font for whose glyphs Pango had no memory it measures by guess, after a warning. */
static void check_fonts(struct canvas_text *text, const PangoLayoutLine *line)
{
    for (const GSList *list = line->runs; list != NULL; list = list->next) {
        const PangoGlyphItem *run = list->data;
        PangoCairoFont *font = PANGO_CAIRO_FONT(run->item->analysis.font);
        cairo_scaled_font_t *scaled = pango_cairo_font_get_scaled_font(font);
        if (scaled == NULL || cairo_scaled_font_status(scaled) != CAIRO_STATUS_SUCCESS)
            text->memory_ended = true;
    }
}

PangoLayoutLine *canvas_text_shape(struct canvas_text *text, const struct canvas_font *font,
                                   const char *string, size_t length)
{
    set_font(text, font);
    pango_layout_set_text(text->layout, string, (int)length);
    PangoLayoutLine *line = pango_layout_get_line_readonly(text->layout, 0);
    check_fonts(text, line);
    if (text->seen != NULL)
        text->seen(text->seen_context, line);
    return line;
}

/* The em box at the least; see canvas.h. */
static struct canvas_extent em_box(const struct canvas_font *font)
{
    return (struct canvas_extent){0, ASCENT_OF_SIZE * font->size, DESCENT_OF_SIZE * font->size};
}

struct canvas_extent canvas_text_extent(const struct canvas_font *font, PangoLayoutLine *line)
{
    struct canvas_extent extent = em_box(font);
    PangoRectangle ink;
    PangoRectangle logical;
    pango_layout_line_get_extents(line, &ink, &logical);
    extent.width = (double)logical.width / PANGO_SCALE;
    extent.ascent = fmax(extent.ascent, -(double)ink.y / PANGO_SCALE);
    extent.descent = fmax(extent.descent, (double)(ink.y + ink.height) / PANGO_SCALE);
    return extent;
}

bool canvas_text_lacks_glyphs(const struct canvas_text *text)
{
    return pango_layout_get_unknown_glyphs_count(text->layout) > 0;
}

struct canvas_extent canvas_text_measure(struct canvas_text *text, const struct canvas_font *font,
                                         const char *string, size_t length)
{
    if (length == 0)
        return em_box(font);
    struct canvas_extent extent =
        canvas_text_extent(font, canvas_text_shape(text, font, string, length));
    canvas_text_watch(text);
    return extent;
}

PangoLayoutLine *canvas_text_line(struct canvas_text *text, const struct canvas_font *font,
                                  const char *string, size_t length)
{
    PangoLayoutLine *line = canvas_text_shape(text, font, string, length);
    text->glyphs_missing |= canvas_text_lacks_glyphs(text);
    return line;
}

/* ---- Life ---- */

/* Everything that fontconfig or a desktop could choose is chosen here: glyphs are outlines that
 * scale, with fractional advances, so that vectors and pixels agree. */
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

static PangoFontDescription *describe(const char *families)
{
    PangoFontDescription *description = pango_font_description_new();
    pango_font_description_set_family_static(description, families);
    return description;
}

enum status canvas_text_init(struct canvas_text *text, const struct canvas_text_fonts *fonts,
                             struct diag *diag)
{
    errno = 0;
    /* For a script that the context's language does not have (Chinese names in an English report)
     * Pango asks the environment which language is preferred, and takes that one's shapes. This is
     * the only way to answer for it. */
    if (setenv("PANGO_LANGUAGE", "en:zh-cn", 1) != 0)
        return diag_no_memory(diag);
    /* The default font map of this thread is kept by Pango: a second canvas finds its fonts. */
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    enum status status = set_rendering(context, diag);
    if (status != STATUS_OK) {
        g_object_unref(context);
        return status;
    }
    /* "zh" alone would leave open which of the Chinese shapes of a character is meant. */
    const char *tag = strcmp(fonts->language, "zh") == 0 ? "zh-cn" : fonts->language;
    pango_context_set_language(context, pango_language_from_string(tag));
    *text = (struct canvas_text){.context = context};
    text->layout = pango_layout_new(context);
    pango_layout_set_single_paragraph_mode(text->layout, TRUE);
    pango_layout_set_auto_dir(text->layout, FALSE);
    text->proportional = describe(fonts->families);
    text->fixed = describe(fonts->fixed_families != NULL ? fonts->fixed_families : fixed_families);
    return STATUS_OK;
}

void canvas_text_fini(struct canvas_text *text)
{
    if (text->proportional != NULL)
        pango_font_description_free(text->proportional);
    if (text->fixed != NULL)
        pango_font_description_free(text->fixed);
    if (text->layout != NULL)
        g_object_unref(text->layout);
    if (text->context != NULL)
        g_object_unref(text->context);
    *text = (struct canvas_text){0};
}
