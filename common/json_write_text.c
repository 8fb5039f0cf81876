#include "json_write.h"

#include <string.h>

#include "json_write_mark.h"
#include "output.h"
#include "text.h"

#define INDENT 2 /* spaces a level */
#define MARK_LENGTH (sizeof JSON_WRITE_MARK_DUMPED - 1)

/* The pass over jansson's text, which has no white space: what stays is copied, what changes is
 * written, lines are indented. */
struct rewriting {
    const char *text; /* NUL-terminated */
    size_t kept;      /* start of what is not yet written */
    size_t at;
    size_t depth; /* containers that are open */
    struct text_buffer *out;
};

static void flush_kept(struct rewriting *rewriting)
{
    text_buffer_append(rewriting->out, rewriting->text + rewriting->kept,
                       rewriting->at - rewriting->kept);
}

/* Offset behind the closing quote of the string whose opening quote stands at `at`. */
static size_t string_end(const char *text, size_t at)
{
    for (at++; text[at] != '"' && text[at] != '\0'; at++) {
        if (text[at] == '\\' && text[at + 1] != '\0')
            at++;
    }
    return text[at] == '"' ? at + 1 : at;
}

/* A marked string becomes its number or the string without the mark; false if it is neither. */
static bool rewrite_marked(struct rewriting *rewriting, size_t end)
{
    const char *content = rewriting->text + rewriting->at + 1 + MARK_LENGTH;
    const char *close = rewriting->text + end - 1;
    char kind = content < close ? *content++ : '\0';
    size_t length = (size_t)(close - content);
    flush_kept(rewriting);
    if (kind == JSON_WRITE_MARK_STRING) {
        text_buffer_puts(rewriting->out, "\"");
        text_buffer_append(rewriting->out, content, length + 1);
    } else if (kind == JSON_WRITE_MARK_NUMBER && length > 0 &&
               strspn(content, "0123456789+-.eE") == length) {
        text_buffer_append(rewriting->out, content, length);
    } else {
        return false;
    }
    rewriting->at = rewriting->kept = end;
    return true;
}

/* Looks at the token alone: a search to the next point of the text would read it over and over. */
static bool is_real(const char *token, size_t length)
{
    return memchr(token, '.', length) != NULL || memchr(token, 'e', length) != NULL;
}

/* jansson writes reals with a fixed number of digits; ours are the shortest that suffice. */
static bool rewrite_number(struct rewriting *rewriting, size_t length)
{
    const char *token = rewriting->text + rewriting->at;
    if (is_real(token, length)) {
        char digits[64];
        double value = 0;
        if (length >= sizeof digits)
            return false;
        memcpy(digits, token, length);
        digits[length] = '\0';
        if (!text_parse_number(digits, &value))
            return false;
        flush_kept(rewriting);
        text_buffer_puts(rewriting->out, text_number_exact(digits, sizeof digits, value));
        rewriting->kept = rewriting->at + length;
    }
    rewriting->at += length;
    return true;
}

/* Begins a line. */
static void indent(struct rewriting *rewriting)
{
    static const char line[] = "\n                                ";
    size_t spaces = rewriting->depth * INDENT;
    if (spaces < sizeof line - 1) {
        text_buffer_append(rewriting->out, line, spaces + 1);
        return;
    }
    text_buffer_puts(rewriting->out, "\n");
    text_buffer_fill(rewriting->out, ' ', spaces);
}

/* Ends the piece that is copied behind `size` further characters. */
static void pass(struct rewriting *rewriting, size_t size)
{
    rewriting->at += size;
    flush_kept(rewriting);
    rewriting->kept = rewriting->at;
}

/* A character outside texts and numbers. An empty container stays in its line. */
static void rewrite_structure(struct rewriting *rewriting)
{
    char c = rewriting->text[rewriting->at];
    char next = rewriting->text[rewriting->at + 1];
    if ((c == '{' && next == '}') || (c == '[' && next == ']')) {
        rewriting->at += 2;
    } else if (c == '{' || c == '[') {
        pass(rewriting, 1);
        rewriting->depth++;
        indent(rewriting);
    } else if (c == '}' || c == ']') {
        pass(rewriting, 0);
        rewriting->depth--;
        indent(rewriting);
        rewriting->at++;
    } else if (c == ',') {
        pass(rewriting, 1);
        indent(rewriting);
    } else if (c == ':') {
        pass(rewriting, 1);
        text_buffer_append(rewriting->out, " ", 1);
    } else {
        rewriting->at++; /* of true, false, null */
    }
}

static bool rewrite_text(struct rewriting *rewriting)
{
    const char *text = rewriting->text;
    while (text[rewriting->at] != '\0') {
        size_t at = rewriting->at;
        bool good = true;
        if (text[at] == '"') {
            size_t end = string_end(text, at);
            bool is_key = text[end] == ':';
            if (!is_key && strncmp(text + at + 1, JSON_WRITE_MARK_DUMPED, MARK_LENGTH) == 0)
                good = rewrite_marked(rewriting, end);
            else
                rewriting->at = end;
        } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
            good = rewrite_number(rewriting, strspn(text + at, "0123456789+-.eE"));
        } else {
            rewrite_structure(rewriting);
        }
        if (!good)
            return false;
    }
    flush_kept(rewriting);
    return true;
}

static enum status report_failure(const struct json_write *writer, struct diag *diag)
{
    if (writer->status == STATUS_ENVIRONMENT)
        return diag_no_memory(diag);
    return diag_set(diag, writer->status,
                    "a value that JSON cannot hold (such as NaN) reached a document");
}

static int append_piece(const char *text, size_t size, void *data)
{
    struct text_buffer *dumped = data;
    text_buffer_append(dumped, text, size);
    return dumped->failed ? -1 : 0;
}

/*
 * jansson's text, without white space: it would hand every line's out in pieces. Through a
 * callback, because json_dumps in jansson 2.14 does not look whether there was memory for a key: it
 * would leave out the rest of the key and report success. Our buffer remembers that it failed.
 */
static bool dump_tree(const json_t *root, struct text_buffer *dumped)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    return json_dump_callback(root, append_piece, dumped, flags) == 0 && !dumped->failed;
}

/* Appends jansson's text rewritten; what was there before stays if that fails. */
static enum status append_rewritten(const struct text_buffer *dumped, struct text_buffer *out,
                                    struct diag *diag)
{
    size_t before = out->length;
    struct rewriting rewriting = {.text = dumped->text, .out = out};
    bool good = rewrite_text(&rewriting);
    text_buffer_puts(out, "\n");
    if (good && !out->failed)
        return STATUS_OK;
    out->length = before;
    if (out->text != NULL)
        out->text[before] = '\0';
    return out->failed ? diag_no_memory(diag)
                       : diag_set(diag, STATUS_BUG, "a document holds a string of unknown origin");
}

enum status json_write_text(struct json_write *writer, const json_t *root, struct text_buffer *out,
                            struct diag *diag)
{
    struct text_buffer dumped = {0};
    if (writer->status != STATUS_OK)
        return report_failure(writer, diag);
    enum status status = root == NULL || !dump_tree(root, &dumped)
                             ? diag_no_memory(diag)
                             : append_rewritten(&dumped, out, diag);
    text_buffer_fini(&dumped);
    return status;
}

enum status json_write_text_take(struct json_write *writer, json_t *root, struct text_buffer *out,
                                 struct diag *diag)
{
    struct text_buffer dumped = {0};
    bool good = writer->status == STATUS_OK && root != NULL && dump_tree(root, &dumped);
    json_decref(root); /* before the second text is made: a tree is several times as large */
    enum status status = STATUS_OK;
    if (writer->status != STATUS_OK)
        status = report_failure(writer, diag);
    else if (!good)
        status = diag_no_memory(diag);
    else
        status = append_rewritten(&dumped, out, diag);
    text_buffer_fini(&dumped);
    return status;
}

enum status json_write_file(struct json_write *writer, const json_t *root, const char *path,
                            struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = json_write_text(writer, root, &text, diag);
    if (status == STATUS_OK)
        status = output_write_file(path, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}
