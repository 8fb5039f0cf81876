#ifndef RANKLEDGER_PDF_BLOCK_H
#define RANKLEDGER_PDF_BLOCK_H

#include "pdf_flow.h"

/* The blocks of a manuscript, each set where the flow is (pdf_text.c, pdf_verdict.c, pdf_table.c,
 * pdf_chart.c). None cuts a text; one that is taller than a page goes on over the next. */

void pdf_block_paragraph(struct pdf_flow *flow, const struct manuscript_block *block);
void pdf_block_notice(struct pdf_flow *flow, const struct manuscript_block *block);
void pdf_block_item(struct pdf_flow *flow, const struct manuscript_block *block);
void pdf_block_command(struct pdf_flow *flow, const struct manuscript_block *block);
void pdf_block_verdict(struct pdf_flow *flow, const struct manuscript_block *block);
void pdf_block_figures(struct pdf_flow *flow, const struct manuscript_block *block);
/* With flow->rows_most only so many rows; what is left out is counted in rows_left_out. */
void pdf_block_table(struct pdf_flow *flow, const struct manuscript_block *block);
enum status pdf_block_chart(struct pdf_flow *flow, const struct manuscript_block *block,
                            struct diag *diag) STATUS_CHECKED;

/* Any block. */
enum status pdf_block_put(struct pdf_flow *flow, const struct manuscript_block *block,
                          struct diag *diag) STATUS_CHECKED;

/* To be called before each block: where it begins the words that lead to a chart, plans how wide
 * that chart and those after it are, and begins a page for them if need be, so that words and
 * chart stand together. */
enum status pdf_block_plan_charts(struct pdf_flow *flow, const struct manuscript_block *block,
                                  struct diag *diag) STATUS_CHECKED;

/* Whether it is a heading that begins a part of the report. */
bool pdf_block_begins_part(const struct manuscript_block *block);

/* Whether it is a heading whose chart, the next block, bears the same title. */
bool pdf_block_bears_heading(const struct manuscript_block *block);

/* "7 more: page 3", leading there. */
void pdf_block_more(struct pdf_flow *flow, size_t count);

#endif
