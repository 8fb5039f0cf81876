#include "json_read_hint.h"

/* Causes that concern the file as a whole: it is of another kind, or something stands before the
 * JSON. */

/* Other kinds of file, told by their first bytes. */
bool json_read_hint_file(struct json_read_parser *parser)
{
    static const struct {
        const char *begin;
        const char *what;
    } rows[] = {
        {"<<<<<<<", "an unresolved merge conflict"},
        {"<", "HTML or XML, perhaps an error page that was saved in place of the file"},
        {"PK\x03\x04", "a ZIP archive"},
        {"\x1F\x8B", "gzip data: decompress it first"},
        {"\x28\xB5\x2F\xFD", "Zstandard data: decompress it first"},
        {"\xFD"
         "7zXZ",
         "xz data: decompress it first"},
        {"BZh", "bzip2 data: decompress it first"},
        {"\x7F"
         "ELF",
         "a program"},
        {"%PDF", "a PDF file"},
        {"---", "YAML"},
        {"version https://git-lfs", "a Git LFS pointer: run git lfs pull"},
        {"Traceback (most", "a Python traceback"},
        {"diff --git", "a patch"},
    };
    const char *text = parser->document->text + (parser->document->has_bom ? 3 : 0);
    while (text < parser->end && json_read_parser_is_space(*text))
        text++;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (json_read_hint_begins(text, parser->end, rows[i].begin)) {
            json_read_parser_say(parser->fault, "; this looks like %s", rows[i].what);
            return true;
        }
    return false;
}

/* True if a line after the first one that has text begins like a JSON document. */
static const char *later_document(const char *text, const char *end)
{
    while (text < end && json_read_parser_is_space(*text))
        text++;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        while (text < end && json_read_parser_is_space(*text))
            text++;
        if (text + 1 < end && *text == '{' &&
            (text[1] == '"' || text[1] == '}' || json_read_parser_is_space(text[1])))
            return text;
    }
    return NULL;
}

/* Text before the JSON: the file begins with something else, the fault lies in its first line. */
bool json_read_hint_log_line(struct json_read_parser *parser, const char *at)
{
    const char *text = parser->document->text + (parser->document->has_bom ? 3 : 0);
    while (text < parser->end && json_read_parser_is_space(*text))
        text++;
    if (parser->depth > 1 || *text == '{' || memchr(text, '\n', (size_t)(at - text)) != NULL)
        return false;
    const char *document = later_document(text, parser->end);
    const char *line_end = memchr(at, '\n', (size_t)(parser->end - at));
    const char *same_line =
        memchr(at, '{', (size_t)((line_end == NULL ? parser->end : line_end) - at));
    size_t line, column;
    if (document == NULL && (same_line == NULL || parser->depth > 0))
        return false;
    if (document == NULL)
        document = same_line;
    json_read_position(parser->document, (size_t)(document - parser->document->text), &line,
                       &column);
    json_read_parser_say(parser->fault,
                         "; the file begins with a log line or other text, and JSON "
                         "may begin in line %zu: write nothing else into the file",
                         line);
    return true;
}

bool json_read_hint_yaml(struct json_read_parser *parser, const char *at)
{
    size_t length = json_read_hint_name_length(at, parser->end);
    if (parser->depth > 0 || length == 0 || at + length + 1 >= parser->end || at[length] != ':' ||
        !json_read_parser_is_space(at[length + 1]))
        return false;
    json_read_parser_say(parser->fault, "; this looks like YAML or plain text");
    return true;
}
