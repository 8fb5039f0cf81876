#include "pdf_flow.h"

#include <math.h>

#include "report_template.h"

/* Above and below a heading, points. */
static const double before_heading[] = {18, 13, 10};
static const double below_heading[] = {7, 4.5, 3.5};

#define HEADING_LINES 8

const struct pdf_density pdf_density_usual = {1, 1, 1.36};

/* Sizes in points: text as in printed reports, tables a little smaller so that they are wide
 * enough, nothing below 6.5 at the closest density. */
static const struct canvas_font fonts[PDF_FONT_COUNT] = {
    [PDF_FONT_TEXT] = {.size = 9},
    [PDF_FONT_STRONG] = {.size = 9, .bold = true},
    [PDF_FONT_SMALL] = {.size = 7.5},
    [PDF_FONT_SMALL_STRONG] = {.size = 7.5, .bold = true},
    [PDF_FONT_TABLE] = {.size = 8},
    [PDF_FONT_TABLE_STRONG] = {.size = 8, .bold = true},
    [PDF_FONT_TABLE_CODE] = {.size = 7.5, .fixed = true},
    [PDF_FONT_CODE] = {.size = 8.5, .fixed = true},
    [PDF_FONT_HEADING_1] = {.size = 17, .bold = true},
    [PDF_FONT_HEADING_2] = {.size = 12.5, .bold = true},
    [PDF_FONT_HEADING_3] = {.size = 10.5, .bold = true},
    [PDF_FONT_VERDICT] = {.size = 16, .bold = true},
    [PDF_FONT_VALUE] = {.size = 15, .bold = true},
};

void pdf_flow_init(struct pdf_flow *flow, const struct report_input *input,
                   struct pdf_document *document)
{
    const struct report_template *template = input->template;
    *flow = (struct pdf_flow){
        .input = input,
        .document = document,
        .density = pdf_density_usual,
        .left = PDF_MARGIN,
        .width = template->page_width - 2 * PDF_MARGIN,
        .top = PDF_MARGIN_TOP,
        .bottom = template->page_height - PDF_MARGIN_BOTTOM,
        .y = PDF_MARGIN_TOP,
        .empty = true,
    };
}

/* ---- Look ---- */

struct canvas_font pdf_flow_font(const struct pdf_flow *flow, enum pdf_font font)
{
    struct canvas_font scaled = fonts[font];
    scaled.size *= flow->density.size;
    return scaled;
}

canvas_colour pdf_flow_ink(const struct pdf_flow *flow, enum theme_ink ink)
{
    return flow->input->theme->ink[ink];
}

canvas_colour pdf_flow_tone(const struct pdf_flow *flow, enum manuscript_tone tone)
{
    static const enum theme_ink inks[] = {
        [MANUSCRIPT_PLAIN] = THEME_TEXT,      [MANUSCRIPT_STRONG] = THEME_TEXT,
        [MANUSCRIPT_QUIET] = THEME_QUIET,     [MANUSCRIPT_GOOD] = THEME_GOOD,
        [MANUSCRIPT_WARNING] = THEME_WARNING, [MANUSCRIPT_BAD] = THEME_BAD};
    return pdf_flow_ink(flow, inks[tone]);
}

static canvas_colour mix(canvas_colour ground, canvas_colour ink, double part)
{
    canvas_colour mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        double a = (double)(ground >> shift & 0xFF);
        double b = (double)(ink >> shift & 0xFF);
        mixed |= (canvas_colour)lround(a + part * (b - a)) << shift;
    }
    return mixed;
}

canvas_colour pdf_flow_ground(const struct pdf_flow *flow, enum manuscript_tone tone)
{
    return mix(pdf_flow_ink(flow, THEME_PAGE), pdf_flow_tone(flow, tone), 0.07);
}

/* ---- Lines ---- */

double pdf_flow_line(const struct pdf_flow *flow, const struct canvas_font *font,
                     const struct text_lines *lines)
{
    double height = flow->density.leading * font->size;
    for (size_t i = 0; i < lines->count; i++)
        height = fmax(height, lines->lines[i].extent.ascent + lines->lines[i].extent.descent);
    return height;
}

void pdf_flow_draw(struct pdf_flow *flow, const struct text_lines *lines, size_t from, size_t to,
                   struct canvas_point corner, const struct canvas_font *font, canvas_colour colour)
{
    double line = pdf_flow_line(flow, font, lines);
    for (size_t i = from; i < to; i++) {
        const struct canvas_extent *extent = &lines->lines[i].extent;
        /* the spare height of the leading is shared above and below */
        double spare = (line - extent->ascent - extent->descent) / 2;
        struct canvas_point at = {corner.x,
                                  corner.y + (double)(i - from) * line + spare + extent->ascent};
        scene_text(pdf_flow_scene(flow), at, font, colour, lines->lines[i].text);
    }
}

/* ---- Pages ---- */

struct scene *pdf_flow_scene(const struct pdf_flow *flow)
{
    struct pdf_document *document = flow->document;
    if (document->last != NULL)
        return &document->last->scene;
    document->spare.scene.canvas = document->canvas;
    return &document->spare.scene;
}

static void begin_page(struct pdf_flow *flow)
{
    (void)pdf_document_add(flow->document);
    flow->y = flow->top;
    flow->empty = true;
    flow->below_heading = false;
}

void pdf_flow_break(struct pdf_flow *flow)
{
    if (!flow->empty)
        begin_page(flow);
}

/* From where the last block ends to where the next begins, both without headings that wait. */
static double gap_above(const struct pdf_flow *flow, double gap)
{
    return flow->empty || flow->below_heading ? 0 : gap * flow->density.gap;
}

static double waiting_height(const struct pdf_flow *flow, double gap)
{
    double height = flow->waiting_count == 0 ? gap_above(flow, gap) : 0;
    for (size_t i = 0; i < flow->waiting_count; i++) {
        const struct pdf_heading *heading = &flow->waiting[i];
        height += (i == 0 ? gap_above(flow, heading->before) : 0) + heading->height;
    }
    return height;
}

bool pdf_flow_fits(const struct pdf_flow *flow, double gap, double height)
{
    return flow->y + waiting_height(flow, gap) + height <= flow->bottom;
}

size_t pdf_flow_lines_fit(const struct pdf_flow *flow, double gap, double line)
{
    double room = flow->bottom - flow->y - waiting_height(flow, gap);
    if (flow->document->last == NULL)
        room = flow->bottom - flow->top;
    return room >= line ? (size_t)fmin(floor(room / line), 1e6) : 0;
}

static void draw_heading(struct pdf_flow *flow, const struct pdf_heading *heading, bool first)
{
    const struct manuscript_block *block = heading->block;
    flow->y += first ? gap_above(flow, heading->before) : 0;
    if (block->anchor != NULL)
        pdf_document_target(flow->document, block->anchor,
                            (struct canvas_point){flow->left, fmax(flow->y - 8, 0)}, block->level,
                            block->text);
    pdf_flow_draw(flow, &heading->lines, 0, heading->lines.count,
                  (struct canvas_point){flow->left, flow->y}, &heading->font,
                  pdf_flow_ink(flow, THEME_TEXT));
    flow->y += heading->height;
}

double pdf_flow_take(struct pdf_flow *flow, double gap, double height)
{
    if (flow->document->last == NULL || (!flow->empty && !pdf_flow_fits(flow, gap, height)))
        begin_page(flow);
    if (flow->document->last == NULL)
        return flow->top; /* memory is exhausted */
    for (size_t i = 0; i < flow->waiting_count; i++)
        draw_heading(flow, &flow->waiting[i], i == 0);
    if (flow->waiting_count == 0)
        flow->y += gap_above(flow, gap);
    flow->waiting_count = 0;
    flow->empty = flow->below_heading = false;
    double top = flow->y;
    flow->y += height;
    return top;
}

void pdf_flow_head(struct pdf_flow *flow, const struct manuscript_block *block, bool shown)
{
    unsigned level = block->level < 1 ? 1 : block->level > 3 ? 3 : block->level;
    if (flow->waiting_count == PDF_HEADINGS_MOST) /* never so many in a row: set them */
        (void)pdf_flow_take(flow, 0, 0);
    struct pdf_heading *heading = &flow->waiting[flow->waiting_count++];
    *heading = (struct pdf_heading){.block = block,
                                    .font = pdf_flow_font(flow, PDF_FONT_HEADING_1 + level - 1),
                                    .before = before_heading[level - 1]};
    if (!shown)
        return;
    heading->lines =
        pdf_document_lines_most(flow->document, &heading->font, block->text,
                                (struct text_lines_room){flow->width, false}, HEADING_LINES);
    heading->height =
        (double)heading->lines.count * pdf_flow_line(flow, &heading->font, &heading->lines) +
        below_heading[level - 1] * flow->density.gap;
}

/* ---- Marks ---- */

bool pdf_flow_has_mark(enum manuscript_tone tone)
{
    return tone == MANUSCRIPT_GOOD || tone == MANUSCRIPT_WARNING || tone == MANUSCRIPT_BAD;
}

void pdf_flow_mark(struct pdf_flow *flow, enum manuscript_tone tone, struct canvas_point corner,
                   double size)
{
    struct scene *scene = pdf_flow_scene(flow);
    canvas_colour ink = pdf_flow_tone(flow, tone);
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, ink, 0.19 * size, 0};
    struct canvas_paint solid = {ink, CANVAS_NONE, CANVAS_NONE, 0, 0};
    double x = corner.x;
    double y = corner.y;
    double s = size;
    if (tone == MANUSCRIPT_GOOD) {
        scene_polyline(scene,
                       (struct canvas_point[]){
                           {x, y + 0.55 * s}, {x + 0.38 * s, y + 0.92 * s}, {x + s, y + 0.1 * s}},
                       3, &line);
    } else if (tone == MANUSCRIPT_BAD) {
        scene_line(scene, (struct canvas_point){x + 0.05 * s, y + 0.05 * s},
                   (struct canvas_point){x + 0.95 * s, y + 0.95 * s}, &line);
        scene_line(scene, (struct canvas_point){x + 0.05 * s, y + 0.95 * s},
                   (struct canvas_point){x + 0.95 * s, y + 0.05 * s}, &line);
    } else if (tone == MANUSCRIPT_WARNING) {
        scene_polyline(
            scene,
            (struct canvas_point[]){{x + s / 2, y}, {x + s, y + 0.95 * s}, {x, y + 0.95 * s}}, 3,
            &solid);
    }
}
