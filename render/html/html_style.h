#ifndef RANKLEDGER_HTML_STYLE_H
#define RANKLEDGER_HTML_STYLE_H

#include "report_template.h"
#include "text_buffer.h"

/* Appends the style sheet of an HTML report: the template's colours, light and dark, and its
 * paper. Pictures, which are drawn in light colours, get a rule for each colour that is another in
 * the dark. */
void html_style_put(struct text_buffer *out, const struct report_template *template);

#endif
