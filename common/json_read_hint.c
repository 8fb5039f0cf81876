#include "json_read_code.h"
#include "json_read_parser.h"

/*
 * Recognisable causes. Each function looks at what stands at the fault, appends "; ..." to the
 * message if it knows the cause, and says whether it did. The first that does is the last asked.
 */

static bool begins(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* `word` in small letters. */
static bool begins_any_case(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - at) < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((at[i] | 0x20) != word[i]) /* not strncasecmp, which depends on the locale */
            return false;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
    return is_letter(c) || json_read_parser_is_digit(c);
}

static size_t name_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && is_name(at[length]))
        length++;
    return length;
}

/* Length of a token for a number that is not finite as Python, C and JavaScript print it, or 0. */
static size_t not_finite(const char *at, const char *end)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    const char *p = at;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (begins(p, end, "1.#")) /* older C libraries on Windows: 1.#INF, 1.#QNAN */
        return (size_t)(p - at) + 3 + name_length(p + 3, end);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (begins_any_case(p, end, words[i]) && name_length(p, end) == strlen(words[i]))
            return (size_t)(p - at) + strlen(words[i]);
    return 0;
}

/* `begin` lies before the fault for -inf and 1.#INF, which begin like numbers. */
static bool hint_not_finite(struct json_read_parser *parser, const char *begin)
{
    size_t length = not_finite(begin, parser->end);
    if (length == 0)
        return false;
    parser->fault->message[0] = '\0';
    json_read_parser_say(parser->fault,
                         "%.*s is no JSON number: Python's json.dump and C's printf "
                         "write it for a result that is not finite; write null for "
                         "what was not measured",
                         (int)(length < 24 ? length : 24), begin);
    parser->fault->offset = (size_t)(begin - parser->document->text);
    return true;
}

/* Length of the name of a call as Python prints objects: tensor( or np.float64(; or 0. */
static size_t call_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && (is_name(at[length]) || at[length] == '.'))
        length++;
    return is_letter(*at) && at + length < end && at[length] == '(' ? length : 0;
}

static bool hint_python(struct json_read_parser *parser, const char *at)
{
    const char *end = parser->end;
    bool word = begins(at, end, "None") || begins(at, end, "True") || begins(at, end, "False");
    bool quote = *at == '\'' || begins(at, end, "u'") || begins(at, end, "b'");
    bool call = call_length(at, end) > 0;
    if (!call && !word && *at != '(' && !(quote && parser->depth > 0))
        return false;
    json_read_parser_say(parser->fault,
                         "; this looks like a printed Python %s: write the file with "
                         "json.dump",
                         call ? "value" : "dict");
    return true;
}

static bool hint_comment(struct json_read_parser *parser, const char *at)
{
    if (*at != '#' && !begins(at, parser->end, "//") && !begins(at, parser->end, "/*"))
        return false;
    json_read_parser_say(parser->fault, "; JSON has no comments");
    return true;
}

static bool hint_quotes(struct json_read_parser *parser, const char *at)
{
    uint32_t code = 0;
    if ((unsigned char)*at >= 0x80)
        json_read_code_next(at, parser->end, &code);
    if (code >= 0x2018 && code <= 0x201F)
        json_read_parser_say(parser->fault,
                             "; a word processor has put typographic quotes: use \"");
    else if (code == 0xFEFF)
        json_read_parser_say(parser->fault, "; a byte order mark in the middle: files were "
                                            "concatenated, or the mark was written twice");
    else if (code == 0xA0 || code == 0x3000 || (code >= 0x2000 && code <= 0x200B))
        json_read_parser_say(parser->fault, "; a space that is not ASCII");
    else if (code >= 0xFF01 && code <= 0xFF5E)
        json_read_parser_say(parser->fault, "; a full-width character: use the ASCII one");
    return code != 0;
}

/* The last character before `at` that is no white space, or NULL. */
static const char *before(const struct json_read_parser *parser, const char *at)
{
    while (at > parser->document->text && json_read_parser_is_space(at[-1]))
        at--;
    return at > parser->document->text ? at - 1 : NULL;
}

static bool hint_comma(struct json_read_parser *parser, const char *at)
{
    const char *last = before(parser, at);
    if (last == NULL || *last != ',' || (*at != '}' && *at != ']' && *at != ','))
        return false;
    if (*at == ',')
        json_read_parser_say(parser->fault, "; one comma too many");
    else
        json_read_parser_say(parser->fault, "; a trailing comma: remove the comma before '%c'",
                             *at);
    if (*at != ',')
        parser->fault->offset = (size_t)(last - parser->document->text);
    return true;
}

/* Other kinds of file, told by their first bytes. */
static bool hint_file(struct json_read_parser *parser)
{
    static const struct {
        const char *begin;
        const char *what;
    } rows[] = {
        {"<<<<<<<", "an unresolved merge conflict"},
        {"<", "HTML or XML, perhaps an error page that was saved in place of the file"},
        {"PK\x03\x04", "a ZIP archive"},
        {"\x1F\x8B", "gzip data: decompress it first"},
        {"---", "YAML"},
        {"version https://git-lfs", "a Git LFS pointer: run git lfs pull"},
        {"Traceback (most", "a Python traceback"},
        {"diff --git", "a patch"},
    };
    const char *text = parser->document->text + (parser->document->has_bom ? 3 : 0);
    while (text < parser->end && json_read_parser_is_space(*text))
        text++;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (begins(text, parser->end, rows[i].begin)) {
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
static bool hint_log_line(struct json_read_parser *parser, const char *at)
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

static bool hint_yaml(struct json_read_parser *parser, const char *at)
{
    size_t length = name_length(at, parser->end);
    if (parser->depth > 0 || length == 0 || at + length + 1 >= parser->end || at[length] != ':' ||
        !json_read_parser_is_space(at[length + 1]))
        return false;
    json_read_parser_say(parser->fault, "; this looks like YAML or plain text");
    return true;
}

static bool hint_value(struct json_read_parser *parser, const char *at)
{
    if (hint_not_finite(parser, at) || hint_comma(parser, at) || hint_comment(parser, at) ||
        hint_quotes(parser, at))
        return true;
    if (parser->depth == 0 && (hint_file(parser) || hint_log_line(parser, at)))
        return true;
    if (hint_python(parser, at) || hint_log_line(parser, at) || hint_yaml(parser, at))
        return true;
    const char *hint = NULL;
    if (*at == '+')
        hint = "a number has no plus sign";
    else if (*at == '.')
        hint = "a number has a digit before the point";
    else if (begins_any_case(at, parser->end, "true") ||
             begins_any_case(at, parser->end, "false") || begins_any_case(at, parser->end, "null"))
        hint = "true, false and null are written in small letters";
    else if (begins(at, parser->end, "undefined"))
        hint = "write null for what was not measured";
    else if (*at == ',' || *at == '}')
        hint = "the value is missing";
    else if (is_letter(*at))
        hint = "a text is written in double quotes";
    if (hint != NULL)
        json_read_parser_say(parser->fault, "; %s", hint);
    return hint != NULL;
}

static bool hint_key(struct json_read_parser *parser, const char *at)
{
    if (hint_comma(parser, at) || hint_comment(parser, at) || hint_python(parser, at) ||
        hint_quotes(parser, at))
        return true;
    if (!is_name(*at))
        return false;
    /* The comma before it stands in the text, after a digit or an opening brace at least. */
    bool decimal =
        json_read_parser_is_digit(*at) && at[-1] == ',' && json_read_parser_is_digit(at[-2]);
    json_read_parser_say(parser->fault, decimal ? "; a decimal comma is written as a point"
                                                : "; a name is written in double quotes");
    return true;
}

static bool hint_after_number(struct json_read_parser *parser, const char *at)
{
    const char *text = parser->document->text;
    if (at == text || !json_read_parser_is_digit(at[-1]) ||
        parser->document->nodes[parser->document->count - 1].type != JSON_READ_NUMBER)
        return false;
    const char *hint = NULL;
    bool zero = at[-1] == '0' && (at - 1 == text || !json_read_parser_is_digit(at[-2]));
    if (json_read_parser_is_digit(*at))
        hint = "a number has no leading zeros";
    else if (zero && (*at == 'x' || *at == 'X'))
        hint = "a number is decimal";
    else if (*at == '_')
        hint = "a number has no digit separators";
    else if (*at == '.')
        hint = "a number has one point";
    else if (is_letter(*at) || *at == '%')
        hint = "a number has no unit or suffix";
    if (hint != NULL)
        json_read_parser_say(parser->fault, "; %s", hint);
    return hint != NULL;
}

static bool hint_after(struct json_read_parser *parser, const char *at)
{
    if (hint_comment(parser, at) || hint_quotes(parser, at) || hint_log_line(parser, at) ||
        hint_after_number(parser, at))
        return true;
    const char *hint = NULL;
    if (*at == '"' || *at == '{' || *at == '[' || *at == '-' || is_name(*at))
        hint = "a comma is missing, or a quote inside a text has no backslash";
    else if (*at == '}' || *at == ']')
        hint = "the brackets do not match";
    else if (*at == ':')
        hint = "names and values stand in braces { }";
    else if (*at == ';')
        hint = "members and elements are separated by commas";
    if (hint != NULL)
        json_read_parser_say(parser->fault, "; %s", hint);
    return hint != NULL;
}

static bool hint_end(struct json_read_parser *parser, const char *at)
{
    const char *last = before(parser, at);
    bool new_line = memchr(last, '\n', (size_t)(at - last)) != NULL;
    if (*at == '\0') {
        const char *p = at;
        while (p < parser->end && *p == '\0')
            p++;
        json_read_parser_say(parser->fault,
                             p == parser->end ? "; only NUL bytes follow: the machine or its disk "
                                                "failed while the file was written"
                                              : "; NUL bytes follow");
        return true;
    }
    if ((*at == '{' || *at == '[') && (*last == '}' || *last == ']')) {
        json_read_parser_say(parser->fault, new_line
                                                ? "; a second document begins: a file with one "
                                                  "record a line is named .jsonl"
                                                : "; a second document begins: two files were "
                                                  "concatenated, or two jobs wrote to one");
        return true;
    }
    if (hint_comment(parser, at) || hint_quotes(parser, at) || hint_log_line(parser, at) ||
        hint_after_number(parser, at))
        return true;
    if (*at != '}' && *at != ']')
        return false;
    json_read_parser_say(parser->fault, "; one closing bracket too many");
    return true;
}

static bool hint_string(struct json_read_parser *parser, const char *at)
{
    const char *hint = "it is written as \\u00XX";
    if (*at == '\n' || *at == '\r')
        hint = "a line break inside a text is written \\n; or its closing quote is missing";
    else if (*at == '\t')
        hint = "a tab inside a text is written \\t";
    else if (*at == '\0')
        hint = "the file was damaged, or written from a buffer longer than its text";
    else if (*at == '\x1b')
        hint = "a terminal's colour code got into the text";
    json_read_parser_say(parser->fault, "; %s", hint);
    return true;
}

static bool hint_escape(struct json_read_parser *parser)
{
    json_read_parser_say(parser->fault, "; a backslash, as in a Windows path, is written \\\\");
    return true;
}

bool json_read_parser_hint(struct json_read_parser *parser, const char *at,
                           enum json_read_parser_expect expect)
{
    switch (expect) {
    case JSON_READ_EXPECT_VALUE:
    case JSON_READ_EXPECT_FIRST_ELEMENT:
        return hint_value(parser, at);
    case JSON_READ_EXPECT_FIRST_KEY:
    case JSON_READ_EXPECT_KEY:
        return hint_key(parser, at);
    case JSON_READ_EXPECT_COMMA:
        return hint_after(parser, at);
    case JSON_READ_EXPECT_DIGIT:
        return hint_not_finite(parser, parser->token) || (parser->depth == 0 && hint_file(parser));
    case JSON_READ_EXPECT_CHARACTER:
        return hint_string(parser, at);
    case JSON_READ_EXPECT_ESCAPE:
    case JSON_READ_EXPECT_HEX:
        return hint_escape(parser);
    case JSON_READ_EXPECT_END:
        return hint_end(parser, at);
    default:
        return false;
    }
}
