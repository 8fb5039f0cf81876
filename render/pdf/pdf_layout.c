#include "pdf_layout.h"

#include <math.h>
#include <string.h>

#include "pdf_block.h"
#include "pdf_furniture.h"
#include "report_template.h"
#include "texts.h"

/* A part begins on the page of the one before if so much of a page is free. */
#define ROOM_FOR_A_PART 0.4

/* From loose to close; the first with which the decision fits its page is taken. */
static const struct pdf_density densities[] = {
    {1.06, 1.35, 1.42}, {1, 1.1, 1.38}, {1, 0.85, 1.3}, {0.96, 0.7, 1.25}, {0.9, 0.5, 1.22}};
#define DENSITY_COUNT (sizeof densities / sizeof densities[0])

/* Rows of each table and list when all of them do not fit even so. */
static const size_t row_counts[] = {12, 8, 6, 4, 3, 2, 1};

/* Blocks from a heading that begins a page up to the next such. */
struct part {
    const struct manuscript_block *first, *end; /* end is not in it */
    bool has_verdict;
};

bool pdf_block_begins_part(const struct manuscript_block *block)
{
    return block->kind == MANUSCRIPT_SECTION && (block->new_page || block->level == 1);
}

static struct part next_part(const struct manuscript_block *first)
{
    struct part part = {.first = first};
    const struct manuscript_block *block = first;
    /* headings that follow one another begin it together */
    while (block != NULL && block->kind == MANUSCRIPT_SECTION)
        block = block->next;
    for (; block != NULL && !pdf_block_begins_part(block); block = block->next)
        part.has_verdict |= block->kind == MANUSCRIPT_VERDICT;
    part.end = block;
    return part;
}

/* ---- Blocks ---- */

struct list {
    size_t items, left_out;
};

/* Whether the block is shown: of a list with fewer rows, the items after them are not, nor the
 * commands that belong to those. */
static bool is_shown(struct pdf_flow *flow, const struct manuscript_block *block, struct list *list)
{
    if (block->kind == MANUSCRIPT_COMMAND && list->items > 0)
        return list->left_out == 0;
    if (block->kind != MANUSCRIPT_ITEM) {
        if (list->left_out > 0)
            pdf_block_more(flow, list->left_out);
        *list = (struct list){0, 0};
        return true;
    }
    list->items++;
    if (flow->items_most == 0 || list->items <= flow->items_most)
        return true;
    list->left_out++;
    return false;
}

/* Then the heading is for the outline only. */
bool pdf_block_bears_heading(const struct manuscript_block *block)
{
    const struct manuscript_block *next = block->next;
    return block->kind == MANUSCRIPT_SECTION && next != NULL && next->kind == MANUSCRIPT_CHART &&
           strcmp(next->text, block->text) == 0;
}

enum status pdf_block_put(struct pdf_flow *flow, const struct manuscript_block *block,
                          struct diag *diag)
{
    enum status status = STATUS_OK;
    bool bears_heading = pdf_block_bears_heading(block);
    if (block->kind != MANUSCRIPT_CHART)
        flow->chart_bears_heading = bears_heading;
    switch (block->kind) {
    case MANUSCRIPT_SECTION:
        pdf_flow_head(flow, block, !bears_heading);
        break;
    case MANUSCRIPT_VERDICT:
        pdf_block_verdict(flow, block);
        break;
    case MANUSCRIPT_FIGURES:
        pdf_block_figures(flow, block);
        break;
    case MANUSCRIPT_PARAGRAPH:
        pdf_block_paragraph(flow, block);
        break;
    case MANUSCRIPT_NOTICE:
        pdf_block_notice(flow, block);
        break;
    case MANUSCRIPT_ITEM:
        pdf_block_item(flow, block);
        break;
    case MANUSCRIPT_COMMAND:
        pdf_block_command(flow, block);
        break;
    case MANUSCRIPT_TABLE:
        pdf_block_table(flow, block);
        break;
    case MANUSCRIPT_CHART:
        status = pdf_block_chart(flow, block, diag);
        break;
    }
    flow->in_list =
        block->kind == MANUSCRIPT_ITEM || (block->kind == MANUSCRIPT_COMMAND && flow->in_list);
    return status;
}

static enum status put_part(struct pdf_flow *flow, const struct part *part, struct diag *diag)
{
    struct list list = {0, 0};
    enum status status = STATUS_OK;
    for (const struct manuscript_block *block = part->first;
         block != part->end && status == STATUS_OK && !flow->document->failed;
         block = block->next) {
        if (!is_shown(flow, block, &list))
            continue;
        status = pdf_block_plan_charts(flow, block, diag);
        if (status == STATUS_OK)
            status = pdf_block_put(flow, block, diag);
    }
    if (list.left_out > 0)
        pdf_block_more(flow, list.left_out);
    return status;
}

/* ---- The decision on one page ---- */

void pdf_block_more(struct pdf_flow *flow, size_t count)
{
    struct text_buffer text = {0};
    struct sentence_value values[] = {{"count", NULL, (double)count},
                                      {"page", NULL, (double)flow->rest_page}};
    texts_fill(&text, flow->input->texts, "pdf.more", values, 2);
    const char *kept = pdf_document_take(flow->document, &text);
    if (flow->document->failed)
        return;
    struct canvas_font font = pdf_flow_font(flow, PDF_FONT_SMALL);
    struct text_lines lines = pdf_document_lines(flow->document, &font, kept,
                                                 (struct text_lines_room){flow->width, false});
    double height = pdf_flow_line(flow, &font, &lines) * (double)lines.count;
    double top = pdf_flow_take(flow, 2, height);
    pdf_flow_draw(flow, &lines, 0, lines.count, (struct canvas_point){flow->left, top}, &font,
                  pdf_flow_ink(flow, THEME_QUIET));
    if (lines.count > 0)
        pdf_document_link(
            flow->document, flow->rest,
            (struct canvas_box){flow->left, top, lines.lines[0].extent.width, height});
    flow->rows_left_out += count;
}

/* Sets the part on a page of its own; false, with nothing set, if it does not fit. */
static enum status try_page(struct pdf_flow *flow, const struct part *part, bool *fits,
                            struct diag *diag)
{
    struct pdf_mark mark = pdf_document_mark(flow->document);
    size_t pages = flow->document->page_count;
    struct pdf_flow trial = *flow;
    (void)pdf_document_add(trial.document);
    trial.y = trial.top;
    trial.empty = true;
    enum status status = put_part(&trial, part, diag);
    *fits = status == STATUS_OK && trial.document->page_count == pages + 1;
    if (*fits || status != STATUS_OK || flow->document->failed) {
        *flow = trial;
        return status;
    }
    pdf_document_return(flow->document, mark);
    return STATUS_OK;
}

/* The items of the list that begins here. */
static size_t list_length(const struct manuscript_block *block)
{
    size_t count = 0;
    for (; block != NULL &&
           (block->kind == MANUSCRIPT_ITEM || (count > 0 && block->kind == MANUSCRIPT_COMMAND));
         block = block->next)
        count += block->kind == MANUSCRIPT_ITEM;
    return count;
}

/* Whether the block is a table or belongs to a list that the page before shows in part. */
static bool was_shortened(const struct pdf_flow *page, const struct manuscript_block *block,
                          bool *in_list)
{
    bool item = block->kind == MANUSCRIPT_ITEM || block->kind == MANUSCRIPT_COMMAND;
    if (block->kind == MANUSCRIPT_TABLE)
        return page->rows_most > 0 && block->table->row_count > page->rows_most;
    if (!item)
        *in_list = false;
    else if (list_length(block) > page->items_most && page->items_most > 0)
        *in_list = true;
    return item && *in_list;
}

/* A heading that leads nowhere: the outline has its place once. */
static enum status head_again(struct pdf_flow *flow, const struct manuscript_block *block,
                              struct diag *diag)
{
    struct manuscript_block *copy = arena_take(&flow->document->arena, sizeof *copy);
    if (copy == NULL)
        return diag_no_memory(diag);
    *copy = *block;
    copy->anchor = NULL;
    flow->waiting_count = flow->waiting_count > 1 ? 1 : flow->waiting_count;
    pdf_flow_head(flow, copy, true);
    return STATUS_OK;
}

/* What follows the decision's page is set as usual. */
static void leave_page(struct pdf_flow *flow)
{
    flow->density = pdf_density_usual;
    flow->rows_most = flow->items_most = flow->rows_left_out = 0;
}

/* All rows of what was shortened on the page before. */
static enum status put_rest(struct pdf_flow *flow, const struct part *part,
                            struct manuscript_block *heading, struct diag *diag)
{
    const struct pdf_flow page = *flow;
    const struct manuscript_block *block = part->first;
    enum status status = STATUS_OK;
    bool in_list = false;
    leave_page(flow);
    pdf_flow_break(flow);
    pdf_flow_head(flow, heading, true);
    while (block != part->end && block->kind != MANUSCRIPT_VERDICT)
        block = block->next;
    for (; block != part->end && status == STATUS_OK; block = block->next) {
        if (block->kind == MANUSCRIPT_SECTION)
            status = head_again(flow, block, diag);
        else if (was_shortened(&page, block, &in_list))
            status = pdf_block_put(flow, block, diag);
    }
    flow->waiting_count = 0;
    return status;
}

/* The loosest density with which the part fits its page. */
static enum status try_densities(struct pdf_flow *page, const struct part *part, bool *fits,
                                 struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < DENSITY_COUNT && !*fits && status == STATUS_OK; i++) {
        page->density = densities[i];
        status = try_page(page, part, fits, diag);
    }
    return status;
}

/* First the lists become shorter, whose items are long, then the tables with them. */
static enum status try_shorter(struct pdf_flow *page, const struct part *part, bool *fits,
                               struct diag *diag)
{
    const size_t count = sizeof row_counts / sizeof row_counts[0];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 * count && !*fits && status == STATUS_OK; i++) {
        page->items_most = row_counts[i % count];
        page->rows_most = i < count ? 0 : row_counts[i % count];
        page->density = densities[DENSITY_COUNT - 1];
        struct pdf_mark mark = pdf_document_mark(page->document);
        struct pdf_flow closest = *page;
        status = try_page(&closest, part, fits, diag);
        if (!*fits || status != STATUS_OK)
            continue;
        pdf_document_return(page->document, mark);
        *fits = false;
        status = try_densities(page, part, fits, diag);
    }
    return status;
}

static enum status put_decision(struct pdf_flow *flow, const struct part *part, struct diag *diag)
{
    struct pdf_flow page = *flow;
    struct manuscript_block *heading = arena_take(&flow->document->arena, sizeof *heading);
    if (heading == NULL)
        return diag_no_memory(diag);
    *heading = (struct manuscript_block){
        .kind = MANUSCRIPT_SECTION,
        .level = 2,
        .text = texts_get(flow->input->texts, "pdf.rest"),
        .anchor = arena_printf(&flow->document->arena, "rest-%zu", flow->document->page_count + 2)};
    if (heading->anchor == NULL)
        return diag_no_memory(diag);
    page.rest = heading->anchor;
    page.rest_page = flow->document->page_count + 2;
    bool fits = false;
    enum status status = try_densities(&page, part, &fits, diag);
    if (!fits && status == STATUS_OK)
        status = try_shorter(&page, part, &fits, diag);
    if (!fits && status == STATUS_OK) { /* a reason of a page's length goes on over the next */
        page.rows_most = page.items_most = 0;
        pdf_flow_break(&page);
        status = put_part(&page, part, diag);
    }
    if (page.rows_left_out > 0 && status == STATUS_OK)
        status = put_rest(&page, part, heading, diag);
    *flow = page;
    leave_page(flow);
    return status;
}

/* ---- The whole ---- */

static bool has_room(const struct pdf_flow *flow)
{
    return (flow->bottom - flow->y) > ROOM_FOR_A_PART * (flow->bottom - flow->top);
}

enum status pdf_layout(const struct manuscript *manuscript, const struct report_input *input,
                       struct pdf_document *document, struct diag *diag)
{
    struct pdf_flow flow;
    enum status status = STATUS_OK;
    pdf_flow_init(&flow, input, document);
    bool alone = false; /* the page belongs to a decision */
    for (const struct manuscript_block *block = manuscript->first;
         block != NULL && status == STATUS_OK && !document->failed;) {
        struct part part = next_part(block);
        if (part.has_verdict) {
            status = put_decision(&flow, &part, diag);
        } else {
            if (alone || !has_room(&flow))
                pdf_flow_break(&flow);
            status = put_part(&flow, &part, diag);
        }
        alone = part.has_verdict;
        block = part.end;
    }
    if (document->page_count == 0 && !document->failed)
        (void)pdf_flow_take(&flow, 0, 1); /* a manuscript of nothing is an empty page */
    if (status == STATUS_OK && !document->failed)
        pdf_furniture_add(input, document);
    if (document->failed && status == STATUS_OK)
        return diag_no_memory(diag);
    return status;
}
