#ifndef RANKLEDGER_HTML_BLOCK_H
#define RANKLEDGER_HTML_BLOCK_H

#include "manuscript.h"
#include "report_pictures.h"
#include "svg_inline.h"
#include "text_buffer.h"

/* Private to html_write.c and html_block.c: the blocks of a manuscript as HTML. */

struct html_block_page {
    const struct report_pictures *pictures;
    const struct texts *texts;
    struct svg_inline charts;
    struct text_buffer *out;
    const char *anchor; /* of the heading above, which labels a table; NULL: none yet */
    bool in_part;       /* a <section> is open */
    bool decided;       /* and it has a verdict */
};

/* Appends the block and those after it that belong to it, and returns the next one. */
const struct manuscript_block *html_block_put(struct html_block_page *page,
                                              const struct manuscript_block *block);

#endif
