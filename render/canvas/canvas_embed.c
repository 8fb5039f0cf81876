#include "canvas_embed.h"

#include <cairo-ft.h>
#include <hb-ot.h>
#include <hb-subset.h>
#include <stdbool.h>
#include <stdlib.h>

/* A document has a regular, a bold and a fixed font, and some more where those lack a script. */
#define FONTS_MOST 16

struct font {
    hb_face_t *whole; /* held, so that no other gets its address */
    hb_set_t *used;
    bool made;               /* or tried to */
    cairo_font_face_t *face; /* the small one; NULL: the whole one is drawn with */
    hb_subset_plan_t *plan;
    const hb_map_t *numbers; /* the plan's: of the whole font's glyphs in the small one */
};

struct canvas_embed {
    struct font fonts[FONTS_MOST];
    size_t count;
    cairo_glyph_t *glyphs; /* of the run that is drawn */
    cairo_text_cluster_t *clusters;
    int capacity;
};

/* ---- Life ---- */

struct canvas_embed *canvas_embed_create(void)
{
    return calloc(1, sizeof(struct canvas_embed));
}

void canvas_embed_destroy(struct canvas_embed *embed)
{
    if (embed == NULL)
        return;
    for (size_t i = 0; i < embed->count; i++) {
        struct font *font = &embed->fonts[i];
        cairo_font_face_destroy(font->face);
        hb_subset_plan_destroy(font->plan);
        hb_set_destroy(font->used);
        hb_face_destroy(font->whole);
    }
    free(embed->glyphs);
    free(embed->clusters);
    free(embed);
}

/* ---- Making a font small ---- */

/* What a face needs as long as Cairo, which keeps faces for a while, has it. */
struct holding {
    FT_Library library; /* of this face alone, so that it ends with it */
    hb_blob_t *bytes;
};

static void release(void *data)
{
    struct holding *holding = data;
    FT_Done_FreeType(holding->library); /* and its face */
    hb_blob_destroy(holding->bytes);
    free(holding);
}

/* A face of the bytes, which it takes; NULL if memory is exhausted. */
static struct holding *hold(hb_blob_t *bytes, FT_Face *face)
{
    unsigned length = 0;
    const char *data = hb_blob_get_data(bytes, &length);
    struct holding *holding = malloc(sizeof *holding);
    if (holding == NULL || FT_Init_FreeType(&holding->library) != 0) {
        hb_blob_destroy(bytes);
        free(holding);
        return NULL;
    }
    holding->bytes = bytes;
    if (FT_New_Memory_Face(holding->library, (const FT_Byte *)data, (FT_Long)length, 0, face) == 0)
        return holding;
    release(holding);
    return NULL;
}

static cairo_font_face_t *face_of(hb_blob_t *bytes)
{
    static const cairo_user_data_key_t key;
    FT_Face opened = NULL;
    struct holding *holding = hold(bytes, &opened);
    if (holding == NULL)
        return NULL;
    cairo_font_face_t *face = cairo_ft_font_face_create_for_ft_face(opened, FT_LOAD_NO_HINTING);
    if (cairo_font_face_set_user_data(face, &key, holding, release) == CAIRO_STATUS_SUCCESS)
        return face;
    cairo_font_face_destroy(face);
    release(holding);
    return NULL;
}

/* What only shaping reads: the glyphs are chosen already. Nor which character a glyph is of: Cairo
 * would take it from the font, where "fi" drawn as one is a character of its own, and not from the
 * text. */
static void drop_layout(hb_subset_input_t *input)
{
    static const hb_tag_t tags[] = {HB_TAG('G', 'S', 'U', 'B'), HB_TAG('G', 'P', 'O', 'S'),
                                    HB_TAG('G', 'D', 'E', 'F'), HB_TAG('B', 'A', 'S', 'E'),
                                    HB_TAG('v', 'h', 'e', 'a'), HB_TAG('v', 'm', 't', 'x'),
                                    HB_TAG('V', 'O', 'R', 'G'), HB_TAG('c', 'm', 'a', 'p')};
    hb_set_t *dropped = hb_subset_input_set(input, HB_SUBSET_SETS_DROP_TABLE_TAG);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        hb_set_add(dropped, tags[i]);
}

static void make_small(struct font *font)
{
    font->made = true;
    hb_subset_input_t *input = hb_subset_input_create_or_fail();
    if (input == NULL)
        return;
    hb_set_set(hb_subset_input_glyph_set(input), font->used);
    hb_subset_input_set_flags(input, HB_SUBSET_FLAGS_DESUBROUTINIZE);
    drop_layout(input);
    hb_subset_plan_t *plan = hb_subset_plan_create_or_fail(font->whole, input);
    hb_subset_input_destroy(input);
    hb_face_t *small = plan != NULL ? hb_subset_plan_execute_or_fail(plan) : NULL;
    if (small != NULL) {
        font->face = face_of(hb_face_reference_blob(small));
        font->numbers = hb_subset_plan_old_to_new_glyph_mapping(plan);
    }
    hb_face_destroy(small);
    font->plan = plan;
}

/* ---- Glyphs in use ---- */

/* Whether the font is one of outlines as its file has them: neither an instance of a variable
 * font nor made bold or slanted from another. */
static bool is_plain(PangoFont *font, hb_face_t *face)
{
    cairo_scaled_font_t *scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font));
    if (scaled == NULL || cairo_scaled_font_get_type(scaled) != CAIRO_FONT_TYPE_FT)
        return false;
    return !hb_ot_var_has_data(face) &&
           cairo_ft_font_face_get_synthesize(cairo_scaled_font_get_font_face(scaled)) == 0;
}

static struct font *find(struct canvas_embed *embed, PangoFont *pango_font, bool add)
{
    hb_face_t *face = hb_font_get_face(pango_font_get_hb_font(pango_font));
    if (!is_plain(pango_font, face))
        return NULL;
    for (size_t i = 0; i < embed->count; i++)
        if (embed->fonts[i].whole == face)
            return &embed->fonts[i];
    if (!add || embed->count == FONTS_MOST)
        return NULL;
    struct font *font = &embed->fonts[embed->count++];
    *font = (struct font){.whole = hb_face_reference(face), .used = hb_set_create()};
    return font;
}

static bool is_drawn(PangoGlyph glyph)
{
    return glyph != PANGO_GLYPH_EMPTY;
}

void canvas_embed_note(struct canvas_embed *embed, const PangoLayoutLine *line)
{
    for (const GSList *list = line->runs; list != NULL; list = list->next) {
        const PangoGlyphItem *run = list->data;
        struct font *font = find(embed, run->item->analysis.font, true);
        for (int i = 0; font != NULL && !font->made && i < run->glyphs->num_glyphs; i++) {
            PangoGlyph glyph = run->glyphs->glyphs[i].glyph;
            if (is_drawn(glyph) && (glyph & PANGO_GLYPH_UNKNOWN_FLAG) == 0)
                hb_set_add(font->used, glyph);
        }
    }
}

/* ---- Drawing ---- */

static bool make_room(struct canvas_embed *embed, int count)
{
    if (count <= embed->capacity)
        return true;
    size_t capacity = (size_t)count + 64;
    cairo_glyph_t *glyphs = realloc(embed->glyphs, capacity * sizeof *glyphs);
    if (glyphs != NULL)
        embed->glyphs = glyphs;
    cairo_text_cluster_t *clusters = realloc(embed->clusters, capacity * sizeof *clusters);
    if (clusters != NULL)
        embed->clusters = clusters;
    if (glyphs == NULL || clusters == NULL)
        return false;
    embed->capacity = (int)capacity;
    return true;
}

/* Points to Pango's unit of a line that is drawn in fonts of `size`. */
static double unit_of(double size)
{
    return size / CANVAS_LINES_SIZE / PANGO_SCALE;
}

static bool has_all(const struct font *font, const PangoGlyphString *string)
{
    for (int i = 0; i < string->num_glyphs; i++)
        if (is_drawn(string->glyphs[i].glyph) &&
            !hb_map_has(font->numbers, string->glyphs[i].glyph))
            return false;
    return true;
}

/* The glyphs that are drawn, in the order of the line, `unit` to Pango's unit; returns how many. */
static int place_glyphs(struct canvas_embed *embed, const struct font *font,
                        const PangoGlyphString *string, const double at[2], double unit)
{
    int count = 0;
    double x = at[0];
    for (int i = 0; i < string->num_glyphs; i++) {
        const PangoGlyphInfo *info = &string->glyphs[i];
        if (is_drawn(info->glyph))
            embed->glyphs[count++] = (cairo_glyph_t){
                hb_map_get(font->numbers, info->glyph), x + unit * (double)info->geometry.x_offset,
                at[1] + unit * (double)info->geometry.y_offset};
        x += unit * (double)info->geometry.width;
    }
    return count;
}

/* Which bytes of the text the glyphs stand for, in the order of the text; returns how many. */
static int place_clusters(struct canvas_embed *embed, PangoGlyphItem *run, const char *text)
{
    PangoGlyphItemIter iter;
    int count = 0;
    for (gboolean more = pango_glyph_item_iter_init_start(&iter, run, text); more;
         more = pango_glyph_item_iter_next_cluster(&iter)) {
        int step = iter.start_glyph < iter.end_glyph ? 1 : -1;
        int drawn = 0;
        for (int i = iter.start_glyph; i != iter.end_glyph; i += step)
            drawn += is_drawn(run->glyphs->glyphs[i].glyph);
        embed->clusters[count++] = (cairo_text_cluster_t){iter.end_index - iter.start_index, drawn};
    }
    return count;
}

/* False, with nothing drawn, if the small font does not have the run. */
static bool show_run(struct canvas_embed *embed, cairo_t *target, PangoGlyphItem *run,
                     const char *text, double size)
{
    struct font *font = find(embed, run->item->analysis.font, false);
    if (font != NULL && !font->made)
        make_small(font);
    if (font == NULL || font->face == NULL || !has_all(font, run->glyphs) ||
        !make_room(embed, run->glyphs->num_glyphs))
        return false;
    double at[2];
    cairo_get_current_point(target, &at[0], &at[1]);
    int glyphs = place_glyphs(embed, font, run->glyphs, at, unit_of(size));
    int clusters = place_clusters(embed, run, text);
    bool backward = run->item->analysis.level % 2 != 0;
    cairo_set_font_face(target, font->face);
    cairo_set_font_size(target, size);
    cairo_show_text_glyphs(target, text + run->item->offset, run->item->length, embed->glyphs,
                           glyphs, embed->clusters, clusters,
                           backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : 0);
    return true;
}

static void show_whole(cairo_t *target, PangoGlyphItem *run, const char *text, double size)
{
    double x;
    double y;
    cairo_get_current_point(target, &x, &y);
    cairo_save(target);
    cairo_translate(target, x, y);
    cairo_scale(target, size / CANVAS_LINES_SIZE, size / CANVAS_LINES_SIZE);
    cairo_move_to(target, 0, 0);
    pango_cairo_show_glyph_item(target, text, run);
    cairo_restore(target);
}

void canvas_embed_show(struct canvas_embed *embed, cairo_t *target, const struct canvas_line *line,
                       const char *text, double size)
{
    double x;
    double y;
    cairo_get_current_point(target, &x, &y);
    for (const GSList *list = line->line->runs; list != NULL; list = list->next) {
        PangoGlyphItem *run = list->data;
        cairo_move_to(target, x, y);
        if (!show_run(embed, target, run, text, size))
            show_whole(target, run, text, size);
        x += unit_of(size) * pango_glyph_string_get_width(run->glyphs);
    }
}
