#include "json_read_hint.h"
#include "json_read_code.h"
#include "json_read_parser.h"

/*
 * Recognisable causes. Each function looks at what stands at the fault, appends "; ..." to the
 * message if it knows the cause, and says whether it did. The first that does is the last asked.
 */

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

/* Length of a token for a number that is not finite as Python, C and JavaScript print it, or 0. */
static size_t not_finite(const char *at, const char *end)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    const char *p = at;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (json_read_hint_begins(p, end, "1.#")) /* older C libraries on Windows: 1.#INF, 1.#QNAN */
        return (size_t)(p - at) + 3 + json_read_hint_name_length(p + 3, end);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (begins_any_case(p, end, words[i]) &&
            json_read_hint_name_length(p, end) == strlen(words[i]))
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
    while (at + length < end && (json_read_hint_is_name(at[length]) || at[length] == '.'))
        length++;
    return json_read_hint_is_letter(*at) && at + length < end && at[length] == '(' ? length : 0;
}

static bool hint_python(struct json_read_parser *parser, const char *at)
{
    const char *end = parser->end;
    bool word = json_read_hint_begins(at, end, "None") || json_read_hint_begins(at, end, "True") ||
                json_read_hint_begins(at, end, "False");
    bool quote =
        *at == '\'' || json_read_hint_begins(at, end, "u'") || json_read_hint_begins(at, end, "b'");
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
    if (*at != '#' && !json_read_hint_begins(at, parser->end, "//") &&
        !json_read_hint_begins(at, parser->end, "/*"))
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

/* What a crashed file system leaves of a file that was being written. */
static bool hint_zeros(struct json_read_parser *parser, const char *at)
{
    const char *p = at;
    while (p < parser->end && *p == '\0')
        p++;
    if (p == at)
        return false;
    bool all = p == parser->end;
    json_read_parser_say(parser->fault, "; %sNUL bytes follow%s", all ? "only " : "",
                         all ? ": the machine or its disk failed while the file was written" : "");
    return true;
}

static bool hint_value(struct json_read_parser *parser, const char *at)
{
    if (hint_not_finite(parser, at) || hint_comma(parser, at) || hint_comment(parser, at) ||
        hint_quotes(parser, at))
        return true;
    if (parser->depth == 0 && (json_read_hint_file(parser) || json_read_hint_log_line(parser, at) ||
                               hint_zeros(parser, at)))
        return true;
    if (hint_python(parser, at) || json_read_hint_log_line(parser, at) ||
        json_read_hint_yaml(parser, at))
        return true;
    const char *hint = NULL;
    if (*at == '+')
        hint = "a number has no plus sign";
    else if (*at == '.')
        hint = "a number has a digit before the point";
    else if (begins_any_case(at, parser->end, "true") ||
             begins_any_case(at, parser->end, "false") || begins_any_case(at, parser->end, "null"))
        hint = "true, false and null are written in small letters";
    else if (json_read_hint_begins(at, parser->end, "undefined"))
        hint = "write null for what was not measured";
    else if (*at == ',' || *at == '}')
        hint = "the value is missing";
    else if (json_read_hint_is_letter(*at))
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
    if (!json_read_hint_is_name(*at))
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
    else if (json_read_hint_is_letter(*at) || *at == '%')
        hint = "a number has no unit or suffix";
    if (hint != NULL)
        json_read_parser_say(parser->fault, "; %s", hint);
    return hint != NULL;
}

static bool hint_after(struct json_read_parser *parser, const char *at)
{
    if (hint_comment(parser, at) || hint_quotes(parser, at) ||
        json_read_hint_log_line(parser, at) || hint_after_number(parser, at))
        return true;
    const char *hint = NULL;
    if (*at == '"' || *at == '{' || *at == '[' || *at == '-' || json_read_hint_is_name(*at))
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

/* True if a bracket begins an array rather than "[rank0]: warning". */
static bool opens_value(const char *at, const char *end)
{
    for (at++; at < end && json_read_parser_is_space(*at);)
        at++;
    return at < end &&
           (strchr("\"{[]-", *at) != NULL || json_read_parser_is_digit(*at) ||
            json_read_hint_begins(at, end, "true") || json_read_hint_begins(at, end, "false") ||
            json_read_hint_begins(at, end, "null"));
}

static void hint_text_after(struct json_read_parser *parser)
{
    json_read_parser_say(parser->fault, "; a log line or other text follows the JSON: write "
                                        "nothing else into the file");
}

static bool hint_end(struct json_read_parser *parser, const char *at)
{
    const char *last = before(parser, at);
    bool new_line = memchr(last, '\n', (size_t)(at - last)) != NULL;
    if (hint_zeros(parser, at))
        return true;
    if (*at == '[' && !opens_value(at, parser->end)) {
        hint_text_after(parser);
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
    if (hint_comment(parser, at) || hint_quotes(parser, at) ||
        json_read_hint_log_line(parser, at) || hint_after_number(parser, at))
        return true;
    if (*at == '}' || *at == ']') {
        json_read_parser_say(parser->fault, "; one closing bracket too many");
        return true;
    }
    if (!new_line)
        return false;
    if (*at == '{' || *at == '[')
        json_read_parser_say(parser->fault, "; text stands before the JSON: write nothing else "
                                            "into the file");
    else
        hint_text_after(parser);
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
        return hint_not_finite(parser, parser->token) ||
               (parser->depth == 0 && json_read_hint_file(parser));
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
