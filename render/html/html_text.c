#include "html_text.h"

#include <string.h>

#include "text.h"

void html_text_put(struct text_buffer *out, const char *text)
{
    if (text == NULL)
        return;
    struct text_buffer safe = {0};
    text_escape(&safe, text, strlen(text));
    out->failed |= safe.failed;
    const char *at = safe.length > 0 && !safe.failed ? safe.text : "";
    while (*at != '\0') {
        size_t plain = strcspn(at, "<>&\"'");
        text_buffer_append(out, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        text_buffer_puts(out, *at == '<'   ? "&lt;"
                              : *at == '>' ? "&gt;"
                              : *at == '&' ? "&amp;"
                              : *at == '"' ? "&quot;"
                                           : "&#39;");
        at++;
    }
    text_buffer_fini(&safe);
}

void html_text_base64(struct text_buffer *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t count = size - i < 3 ? size - i : 3;
        unsigned bits = (unsigned)bytes[i] << 16;
        bits |= count > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        bits |= count > 2 ? bytes[i + 2] : 0;
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              count > 1 ? digits[bits >> 6 & 63] : '=',
                              count > 2 ? digits[bits & 63] : '='};
        text_buffer_append(out, four, 4);
    }
}

void html_text_colour(struct text_buffer *out, canvas_colour colour)
{
    text_buffer_printf(out, "#%06x", (unsigned)(colour & 0xFFFFFF));
}
