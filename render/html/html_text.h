#ifndef RANKLEDGER_HTML_TEXT_H
#define RANKLEDGER_HTML_TEXT_H

#include <stddef.h>

#include "canvas.h"
#include "text_buffer.h"

/* Appends a text (NULL: nothing) so that it reads literally, between tags and in attributes in
 * double quotes; what cannot stand in a page is written as text_escape does. */
void html_text_put(struct text_buffer *out, const char *text);

/* Appends bytes as base64 (RFC 4648), for a data URL. */
void html_text_base64(struct text_buffer *out, const unsigned char *bytes, size_t size);

/* Appends "#12436d". */
void html_text_colour(struct text_buffer *out, canvas_colour colour);

#endif
