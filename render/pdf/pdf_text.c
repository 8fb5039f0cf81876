#include <math.h>
#include <string.h>

#include "pdf_block.h"
#include "pdf_command.h"

#define GAP 5.0
#define ITEM_GAP 2.5
#define INDENT 11.0
#define BOX_ROOM 6.0 /* between a box and its text */
#define BOX_EDGE 3.0 /* the coloured edge of a notice */
#define TOGETHER 3   /* so many lines are not parted */

/* How lines are set: where, and what stands behind them. */
struct setting {
    struct canvas_font font;
    canvas_colour colour;
    double indent, gap;
    double room;          /* above and below the lines, inside a box */
    canvas_colour ground; /* CANVAS_NONE: no box */
    canvas_colour edge;   /* of the box; CANVAS_NONE: none */
    enum manuscript_tone tone;
    /* What stands before the first line, whose corner it gets; NULL: nothing. */
    void (*mark)(struct pdf_flow *flow, enum manuscript_tone tone, struct canvas_point corner,
                 double line);
};

static void draw_box(struct pdf_flow *flow, const struct setting *setting, double top,
                     double height)
{
    struct scene *scene = pdf_flow_scene(flow);
    struct canvas_paint paint = {setting->ground, CANVAS_NONE, CANVAS_NONE, 0, 0};
    double left = flow->left + (setting->edge != CANVAS_NONE ? 0 : setting->indent - BOX_ROOM);
    double right = flow->left + flow->width;
    if (setting->ground == CANVAS_NONE)
        return;
    scene_rectangle(scene, (struct canvas_box){left, top, right - left, height}, &paint);
    paint.fill = setting->edge;
    if (setting->edge != CANVAS_NONE)
        scene_rectangle(scene, (struct canvas_box){left, top, BOX_EDGE, height}, &paint);
}

/* How many of the lines that are left the next piece has; 0: none before the next page. */
static size_t piece(const struct pdf_flow *flow, size_t left, double line, double gap)
{
    size_t fit = pdf_flow_lines_fit(flow, gap, line);
    if (fit >= left)
        return left;
    if (left <= TOGETHER && !flow->empty)
        return 0;
    /* neither the first line of a text alone at a page's end nor the last at a page's beginning */
    size_t count = left - fit == 1 ? fit - (fit > 0) : fit;
    if (count < 2 && !flow->empty)
        return 0;
    return count > 0 ? count : 1;
}

/* Sets lines, over several pages if need be. */
static void set(struct pdf_flow *flow, const struct text_lines *lines,
                const struct setting *setting)
{
    double line = pdf_flow_line(flow, &setting->font, lines);
    for (size_t done = 0, count = 0; done < lines->count; done += count) {
        count = piece(flow, lines->count - done, line, setting->gap + 2 * setting->room);
        if (count == 0) {
            pdf_flow_break(flow);
            count = piece(flow, lines->count - done, line, setting->gap + 2 * setting->room);
        }
        double height = (double)count * line + 2 * setting->room;
        double top = pdf_flow_take(flow, done == 0 ? setting->gap : 0, height);
        struct canvas_point corner = {flow->left + setting->indent, top + setting->room};
        draw_box(flow, setting, top, height);
        pdf_flow_draw(flow, lines, done, done + count, corner, &setting->font, setting->colour);
        if (done == 0 && setting->mark != NULL)
            setting->mark(flow, setting->tone, corner, line);
    }
}

static struct text_lines break_text(struct pdf_flow *flow, const struct setting *setting,
                                    const char *text, double right)
{
    return pdf_document_lines(
        flow->document, &setting->font, text,
        (struct text_lines_room){flow->width - setting->indent - right, false});
}

static void mark_notice(struct pdf_flow *flow, enum manuscript_tone tone,
                        struct canvas_point corner, double line)
{
    struct canvas_point at = {corner.x - 12, corner.y + line / 2 - 4};
    pdf_flow_mark(flow, pdf_flow_has_mark(tone) ? tone : MANUSCRIPT_WARNING, at, 7.5);
}

void pdf_block_notice(struct pdf_flow *flow, const struct manuscript_block *block)
{
    bool warns = block->tone == MANUSCRIPT_WARNING || block->tone == MANUSCRIPT_PLAIN;
    struct setting setting = {
        .font = pdf_flow_font(flow, PDF_FONT_TEXT),
        .colour = pdf_flow_ink(flow, THEME_TEXT),
        .indent = BOX_EDGE + 16,
        .gap = GAP + 2,
        .room = BOX_ROOM * 0.75 * flow->density.gap,
        .ground = warns ? pdf_flow_ink(flow, THEME_NOTICE) : pdf_flow_ground(flow, block->tone),
        .edge = warns ? pdf_flow_ink(flow, THEME_NOTICE_EDGE) : pdf_flow_tone(flow, block->tone),
        .tone = block->tone,
        .mark = mark_notice};
    struct text_lines lines = break_text(flow, &setting, block->text, BOX_ROOM);
    set(flow, &lines, &setting);
}

static void mark_item(struct pdf_flow *flow, enum manuscript_tone tone, struct canvas_point corner,
                      double line)
{
    double middle = corner.y + line / 2;
    if (pdf_flow_has_mark(tone)) {
        pdf_flow_mark(flow, tone, (struct canvas_point){corner.x - INDENT, middle - 3.5}, 7);
        return;
    }
    struct canvas_paint paint = {pdf_flow_ink(flow, THEME_AXIS), CANVAS_NONE, CANVAS_NONE, 0, 0};
    scene_rectangle(pdf_flow_scene(flow),
                    (struct canvas_box){corner.x - INDENT + 2, middle - 1.25, 2.5, 2.5}, &paint);
}

void pdf_block_paragraph(struct pdf_flow *flow, const struct manuscript_block *block)
{
    bool strong = block->tone == MANUSCRIPT_STRONG || pdf_flow_has_mark(block->tone);
    struct setting setting = {.font = pdf_flow_font(flow, strong ? PDF_FONT_STRONG : PDF_FONT_TEXT),
                              .colour = pdf_flow_tone(flow, block->tone),
                              .indent = pdf_flow_has_mark(block->tone) ? INDENT : 0,
                              .gap = GAP,
                              .ground = CANVAS_NONE,
                              .edge = CANVAS_NONE,
                              .tone = block->tone,
                              .mark = pdf_flow_has_mark(block->tone) ? mark_item : NULL};
    struct text_lines lines = break_text(flow, &setting, block->text, 0);
    set(flow, &lines, &setting);
}

void pdf_block_item(struct pdf_flow *flow, const struct manuscript_block *block)
{
    struct setting setting = {
        .font =
            pdf_flow_font(flow, block->tone == MANUSCRIPT_STRONG ? PDF_FONT_STRONG : PDF_FONT_TEXT),
        .colour = pdf_flow_has_mark(block->tone) ? pdf_flow_ink(flow, THEME_TEXT)
                                                 : pdf_flow_tone(flow, block->tone),
        .indent = INDENT,
        .gap = flow->in_list ? ITEM_GAP : GAP,
        .ground = CANVAS_NONE,
        .edge = CANVAS_NONE,
        .tone = block->tone,
        .mark = mark_item};
    struct text_lines lines = break_text(flow, &setting, block->text, 0);
    set(flow, &lines, &setting);
}

void pdf_block_command(struct pdf_flow *flow, const struct manuscript_block *block)
{
    struct setting setting = {.font = pdf_flow_font(flow, PDF_FONT_CODE),
                              .colour = pdf_flow_ink(flow, THEME_TEXT),
                              .indent = INDENT + BOX_ROOM,
                              .gap = 2,
                              .room = 2.5,
                              .ground = pdf_flow_ink(flow, THEME_STRIPE),
                              .edge = CANVAS_NONE};
    double width = flow->width - setting.indent - BOX_ROOM;
    struct text_lines lines = pdf_command_lines(flow->document, &setting.font, block->text, width);
    set(flow, &lines, &setting);
}
