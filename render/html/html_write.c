#include "html_write.h"

#include "html_block.h"
#include "html_style.h"
#include "html_text.h"
#include "report_template.h"
#include "report_view.h"
#include "sentence.h"
#include "texts.h"

static void put_text(struct text_buffer *out, const struct texts *texts, const char *id)
{
    html_text_put(out, texts_get(texts, id));
}

/* No script, nothing fetched: said so that a browser holds the page to it. */
static void put_head(struct text_buffer *out, const struct report_input *input)
{
    text_buffer_puts(out, "<!DOCTYPE html>\n<html lang=\"");
    html_text_put(out, input->texts->language);
    text_buffer_puts(out, "\">\n<head>\n<meta charset=\"utf-8\" />\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; style-src 'unsafe-inline'; img-src data:\" />\n"
                          "<meta name=\"viewport\" content=\"width=device-width, "
                          "initial-scale=1\" />\n"
                          "<meta name=\"color-scheme\" content=\"light dark\" />\n"
                          "<meta name=\"generator\" content=\"rankledger " RANKLEDGER_VERSION
                          "\" />\n<title>");
    html_text_put(out, report_view_name(input->texts, input->summary));
    text_buffer_puts(out, "</title>\n<style>\n");
    html_style_put(out, input->template);
    text_buffer_puts(out, "</style>\n</head>\n<body>\n");
}

static void put_logo(struct text_buffer *out, const struct report_template *template)
{
    if (template->logo.png == NULL)
        return;
    /* its words are the organisation's name, which stands beside it */
    text_buffer_puts(out, "<img class=\"logo\" alt=\"\" src=\"data:image/png;base64,");
    html_text_base64(out, template->logo.png, template->logo.size);
    text_buffer_printf(out, "\" width=\"%u\" height=\"%u\" />\n", template->logo.width,
                       template->logo.height);
}

static void put_header(struct text_buffer *out, const struct report_input *input)
{
    text_buffer_puts(out, "<a class=\"skip\" href=\"#report\">");
    put_text(out, input->texts, "html.skip");
    text_buffer_puts(out, "</a>\n<header>\n<div>");
    if (input->template->organisation != NULL) {
        text_buffer_puts(out, "<p class=\"organisation\">");
        html_text_put(out, input->template->organisation);
        text_buffer_puts(out, "</p>");
    }
    text_buffer_puts(out, "<h1>");
    html_text_put(out, report_view_name(input->texts, input->summary));
    text_buffer_puts(out, "</h1></div>\n");
    put_logo(out, input->template);
    text_buffer_puts(out, "</header>\n");
}

/* ---- Contents ---- */

/* More entries than a reader takes in are cut to the parts alone. */
#define CONTENTS_MOST 60

static size_t count_headings(const struct manuscript *manuscript, unsigned level)
{
    size_t count = 0;
    for (const struct manuscript_block *block = manuscript->first; block != NULL;
         block = block->next)
        count += block->kind == MANUSCRIPT_SECTION && block->level <= level;
    return count;
}

static void put_entry(struct text_buffer *out, const struct manuscript_block *block)
{
    text_buffer_puts(out, "<a href=\"#");
    html_text_put(out, block->anchor);
    text_buffer_puts(out, "\">");
    html_text_put(out, block->text);
    text_buffer_puts(out, "</a>");
}

/* Headings of two levels as a list in a list. */
static void put_entries(struct text_buffer *out, const struct manuscript *manuscript,
                        unsigned level)
{
    unsigned open = 0;
    for (const struct manuscript_block *block = manuscript->first; block != NULL;
         block = block->next) {
        if (block->kind != MANUSCRIPT_SECTION || block->level > level)
            continue;
        unsigned wanted = block->level > 1 && open > 0 ? 2 : 1;
        if (wanted > open) {
            text_buffer_puts(out, open > 0 ? "\n<ul>\n<li>" : "<ul>\n<li>");
        } else {
            text_buffer_puts(out, wanted < open ? "</li>\n</ul></li>\n<li>" : "</li>\n<li>");
        }
        put_entry(out, block);
        open = wanted;
    }
    text_buffer_puts(out, open == 2   ? "</li>\n</ul></li>\n</ul>\n"
                          : open == 1 ? "</li>\n</ul>\n"
                                      : "");
}

static void put_contents(struct text_buffer *out, const struct manuscript *manuscript,
                         const struct texts *texts)
{
    if (count_headings(manuscript, 1) < 2)
        return;
    text_buffer_puts(out, "<nav aria-labelledby=\"contents_title\">\n<h2 id=\"contents_title\">");
    put_text(out, texts, "html.contents");
    text_buffer_puts(out, "</h2>\n");
    put_entries(out, manuscript, count_headings(manuscript, 2) <= CONTENTS_MOST ? 2 : 1);
    text_buffer_puts(out, "</nav>\n");
}

/* ---- The page ---- */

static void put_footer(struct text_buffer *out, const struct texts *texts)
{
    const struct sentence_value version = {.name = "version", .text = RANKLEDGER_VERSION};
    struct text_buffer line = {0};
    texts_fill(&line, texts, "report.version", &version, 1);
    text_buffer_puts(out, "<footer>");
    html_text_put(out, line.text);
    text_buffer_puts(out, "</footer>\n");
    out->failed |= line.failed;
    text_buffer_fini(&line);
}

enum status html_write(const struct manuscript *manuscript, const struct report_input *input,
                       const struct report_pictures *pictures, struct text_buffer *out,
                       struct diag *diag)
{
    struct html_block_page page = {.pictures = pictures, .texts = input->texts, .out = out};
    enum status status = manuscript_check(manuscript, diag);
    if (status != STATUS_OK)
        return status;
    put_head(out, input);
    put_header(out, input);
    put_contents(out, manuscript, input->texts);
    text_buffer_puts(out, "<main id=\"report\">\n");
    for (const struct manuscript_block *block = manuscript->first; block != NULL;)
        block = html_block_put(&page, block);
    text_buffer_puts(out, page.in_part ? "</section>\n</main>\n" : "</main>\n");
    put_footer(out, input->texts);
    svg_inline_finish(&page.charts, out);
    text_buffer_puts(out, "</body>\n</html>\n");
    svg_inline_fini(&page.charts);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}
