#include <math.h>

#include "pdf_block.h"

#define GAP 6.0
#define ROOM 9.0 /* inside the banner and the tiles */
#define EDGE 5.0 /* the banner's left edge in the tone of the verdict */
#define MARK 14.0
/* Longer names are cut here, and said in full in the table of the candidates. */
#define HEADLINE_LINES 8
#define TILE_LINES 14
#define TILE_GAP 9.0
#define BELOW_TILES 3.0 /* more than below other blocks: their edges are seen */
#define TILE_EDGE 2.5
#define VALUE_LEAST 9.0 /* points; a longer value is broken into lines */

/* ---- The banner ---- */

struct banner {
    struct canvas_font head_font, text_font;
    struct text_lines head, text;
    double head_line, text_line;
    double room, mark; /* inside the edges; for the sign before the headline */
    double head_height;
};

static struct banner fill_banner(struct pdf_flow *flow, const struct manuscript_block *block)
{
    struct banner banner = {.head_font = pdf_flow_font(flow, PDF_FONT_VERDICT),
                            .text_font = pdf_flow_font(flow, PDF_FONT_TEXT),
                            .room = ROOM * flow->density.gap,
                            .mark = pdf_flow_has_mark(block->tone) ? MARK + 7 : 0};
    double width = flow->width - EDGE - 2 * ROOM;
    banner.text_font.size *= 1.08;
    banner.head = pdf_document_lines_most(flow->document, &banner.head_font, block->text,
                                          (struct text_lines_room){width - banner.mark, false},
                                          HEADLINE_LINES);
    banner.text = pdf_document_lines(flow->document, &banner.text_font, block->detail,
                                     (struct text_lines_room){width, false});
    banner.head_line = pdf_flow_line(flow, &banner.head_font, &banner.head) * 0.94;
    banner.text_line = pdf_flow_line(flow, &banner.text_font, &banner.text);
    banner.head_height =
        (double)banner.head.count * banner.head_line + (banner.text.count > 0 ? 2 : 0);
    return banner;
}

static void draw_ground(struct pdf_flow *flow, enum manuscript_tone tone, double top, double height)
{
    struct scene *scene = pdf_flow_scene(flow);
    struct canvas_paint ground = {pdf_flow_ground(flow, tone), CANVAS_NONE, CANVAS_NONE, 0, 0};
    struct canvas_paint edge = {pdf_flow_tone(flow, tone), CANVAS_NONE, CANVAS_NONE, 0, 0};
    scene_rectangle(scene, (struct canvas_box){flow->left, top, flow->width, height}, &ground);
    scene_rectangle(scene, (struct canvas_box){flow->left, top, EDGE, height}, &edge);
}

static void draw_headline(struct pdf_flow *flow, enum manuscript_tone tone,
                          const struct banner *banner, struct canvas_point corner)
{
    if (banner->mark > 0)
        pdf_flow_mark(
            flow, tone,
            (struct canvas_point){corner.x, corner.y + banner->head_line / 2 - MARK / 2 + 0.5},
            MARK);
    /* not pdf_flow_draw: a headline has closer lines */
    for (size_t i = 0; i < banner->head.count; i++) {
        const struct text_fit_line *line = &banner->head.lines[i];
        struct canvas_point at = {corner.x + banner->mark,
                                  corner.y + (double)i * banner->head_line + line->extent.ascent};
        scene_text(pdf_flow_scene(flow), at, &banner->head_font, pdf_flow_tone(flow, tone),
                   line->text);
    }
}

void pdf_block_verdict(struct pdf_flow *flow, const struct manuscript_block *block)
{
    const struct banner banner = fill_banner(flow, block);
    const struct text_lines *text = &banner.text;
    canvas_colour ink = pdf_flow_ink(flow, THEME_TEXT);
    /* a reason that is longer than a page goes on below the banner */
    double page = flow->bottom - flow->top - 2 * banner.room - banner.head_height;
    size_t shown = (size_t)fmax(fmin((double)text->count, floor(page / banner.text_line)), 0);
    double height = banner.head_height + (double)shown * banner.text_line + 2 * banner.room;
    double top = pdf_flow_take(flow, GAP, height);
    struct canvas_point corner = {flow->left + EDGE + ROOM, top + banner.room};
    draw_ground(flow, block->tone, top, height);
    draw_headline(flow, block->tone, &banner, corner);
    corner.y += banner.head_height;
    pdf_flow_draw(flow, text, 0, shown, corner, &banner.text_font, ink);
    for (size_t i = shown; i < text->count; i++) {
        corner.y = pdf_flow_take(flow, 0, banner.text_line);
        pdf_flow_draw(flow, text, i, i + 1, corner, &banner.text_font, ink);
    }
}

/* ---- The numbers ---- */

struct tile {
    struct canvas_font value_font;
    struct text_lines label, value, detail;
    double label_line, value_line, detail_line, height;
};

static struct text_lines wrap(struct pdf_flow *flow, const struct canvas_font *font,
                              const char *text, double width)
{
    return pdf_document_lines_most(flow->document, font, text,
                                   (struct text_lines_room){width, false}, TILE_LINES);
}

/* A value on one line, in a smaller font if need be. */
static void fit_value(struct pdf_flow *flow, struct tile *tile, const char *text, double width)
{
    tile->value_font = pdf_flow_font(flow, PDF_FONT_VALUE);
    tile->value = wrap(flow, &tile->value_font, text, width);
    while (tile->value.count > 1 && tile->value_font.size > VALUE_LEAST) {
        tile->value_font.size = fmax(tile->value_font.size * 0.9, VALUE_LEAST);
        tile->value = wrap(flow, &tile->value_font, text, width);
    }
}

static struct tile fill_tile(struct pdf_flow *flow, const struct manuscript_figure *figure,
                             double width)
{
    struct tile tile = {.height = 0};
    struct canvas_font label = pdf_flow_font(flow, PDF_FONT_SMALL_STRONG);
    struct canvas_font detail = pdf_flow_font(flow, PDF_FONT_SMALL);
    double mark = pdf_flow_has_mark(figure->tone) ? 13 : 0;
    tile.label = wrap(flow, &label, figure->label, width);
    tile.detail = wrap(flow, &detail, figure->detail, width);
    fit_value(flow, &tile, figure->value, width - mark);
    tile.label_line = pdf_flow_line(flow, &label, &tile.label);
    tile.detail_line = pdf_flow_line(flow, &detail, &tile.detail);
    tile.value_line = pdf_flow_line(flow, &tile.value_font, &tile.value);
    tile.height = (double)tile.label.count * tile.label_line +
                  (double)tile.value.count * tile.value_line +
                  (double)tile.detail.count * tile.detail_line;
    return tile;
}

static void draw_tile(struct pdf_flow *flow, const struct manuscript_figure *figure,
                      const struct tile *tile, const struct canvas_box *box)
{
    const struct canvas_font label = pdf_flow_font(flow, PDF_FONT_SMALL_STRONG);
    const struct canvas_font detail = pdf_flow_font(flow, PDF_FONT_SMALL);
    canvas_colour tone = pdf_flow_tone(flow, figure->tone);
    struct canvas_paint frame = {pdf_flow_ink(flow, THEME_PAGE), CANVAS_NONE,
                                 pdf_flow_ink(flow, THEME_GRID), 0.8, 0};
    struct canvas_paint edge = {tone, CANVAS_NONE, CANVAS_NONE, 0, 0};
    scene_rectangle(pdf_flow_scene(flow), *box, &frame);
    scene_rectangle(pdf_flow_scene(flow),
                    (struct canvas_box){box->x, box->y, box->width, TILE_EDGE}, &edge);
    struct canvas_point at = {box->x + ROOM, box->y + TILE_EDGE + ROOM * 0.7 * flow->density.gap};
    pdf_flow_draw(flow, &tile->label, 0, tile->label.count, at, &label,
                  pdf_flow_ink(flow, THEME_QUIET));
    at.y += (double)tile->label.count * tile->label_line;
    struct canvas_point value = at;
    if (pdf_flow_has_mark(figure->tone) && tile->value.count > 0) {
        pdf_flow_mark(flow, figure->tone,
                      (struct canvas_point){at.x, at.y + tile->value_line / 2 - 4.2}, 9);
        value.x += 13;
    }
    pdf_flow_draw(flow, &tile->value, 0, tile->value.count, value, &tile->value_font,
                  pdf_flow_ink(flow, THEME_TEXT));
    at.y += (double)tile->value.count * tile->value_line;
    pdf_flow_draw(flow, &tile->detail, 0, tile->detail.count, at, &detail,
                  pdf_flow_ink(flow, THEME_QUIET));
}

void pdf_block_figures(struct pdf_flow *flow, const struct manuscript_block *block)
{
    struct tile tiles[MANUSCRIPT_FIGURES_MOST];
    double count = (double)block->figure_count;
    double height = 0;
    if (block->figure_count == 0)
        return;
    double width = (flow->width - (count - 1) * TILE_GAP) / count;
    for (size_t i = 0; i < block->figure_count; i++) {
        tiles[i] = fill_tile(flow, &block->figures[i], width - 2 * ROOM);
        height = fmax(height, tiles[i].height);
    }
    height += TILE_EDGE + 2 * ROOM * 0.7 * flow->density.gap;
    double top = pdf_flow_take(flow, GAP + 3, height);
    flow->y += BELOW_TILES * flow->density.gap;
    for (size_t i = 0; i < block->figure_count; i++) {
        struct canvas_box box = {flow->left + (double)i * (width + TILE_GAP), top, width, height};
        draw_tile(flow, &block->figures[i], &tiles[i], &box);
    }
}
