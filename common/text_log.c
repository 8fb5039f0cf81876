#include <string.h>

#include "text.h"

/* The runner passes over white space before it looks for "::" (actions/runner, ActionCommand.cs).
 */
static size_t indentation(const char *line)
{
    return strspn(line, " \t");
}

void text_log_append(struct text_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (i >= 2 && text[i] == '[' && text[i - 1] == '#' && text[i - 2] == '#')
            text_buffer_puts(out, "\\x5b");
        else
            text_buffer_append(out, text + i, 1);
}

static void append_line(struct text_buffer *out, const char *line, size_t length)
{
    size_t indent = indentation(line);
    if (indent + 2 <= length && strncmp(line + indent, "::", 2) == 0) {
        text_buffer_append(out, line, indent);
        text_buffer_puts(out, "\\x3a");
        line += indent + 1;
        length -= indent + 1;
    }
    text_log_append(out, line, length);
}

void text_log_tame(struct text_buffer *lines)
{
    struct text_buffer tame = {0};
    if (lines->text == NULL ||
        (strstr(lines->text, "::") == NULL && strstr(lines->text, "##[") == NULL))
        return;
    for (const char *line = lines->text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        size_t length = end != NULL ? (size_t)(end - line) + 1 : strlen(line);
        append_line(&tame, line, length);
        line += length;
    }
    tame.failed = tame.failed || lines->failed;
    text_buffer_fini(lines);
    *lines = tame;
}
