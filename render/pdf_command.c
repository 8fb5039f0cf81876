#include "pdf_command.h"

#include <math.h>
#include <string.h>

#include "text.h"

static const char indent[] = "    ";

struct work {
    struct pdf_document *document;
    const struct canvas_font *font;
    size_t columns; /* of a line */
    struct text_fit_line *lines;
    size_t count, capacity;
};

/* Where a line may end: after `bytes` bytes, in which state of quoting. */
struct end {
    size_t bytes;
    bool between_words, quoted;
};

static void add(struct work *work, const char *head, const char *text, size_t length,
                const char *tail)
{
    struct pdf_document *document = work->document;
    char *line = arena_printf(&document->arena, "%s%.*s%s", head, (int)length, text, tail);
    struct text_fit_line *room =
        arena_room(&document->arena, work->lines, work->count, &work->capacity, sizeof *room);
    document->failed |= line == NULL || room == NULL;
    if (document->failed)
        return;
    work->lines = room;
    work->lines[work->count++] = (struct text_fit_line){
        line, document->canvas->backend->measure(document->canvas, work->font, line, strlen(line))};
}

/* Follows the quotes of a shell over one character. */
static void follow(char c, char before, bool *single, bool *twofold)
{
    bool escaped = before == '\\' && !*single;
    if (c == '\'' && !*twofold && !escaped)
        *single = !*single;
    else if (c == '"' && !*single && !escaped)
        *twofold = !*twofold;
}

/* The best end of a line of at most `columns`: between two words, else inside the word. */
static struct end find_end(const char *text, size_t columns, bool single)
{
    struct end word = {0};
    struct end inside = {0};
    bool twofold = false;
    size_t used = 0;
    size_t size = 0;
    for (size_t i = 0; text[i] != '\0'; i += size) {
        uint32_t code;
        size = text_decode(text + i, strnlen(text + i, 4), &code);
        size = size > 0 ? size : 1;
        used += text_width(text + i, size);
        if (used > columns)
            break;
        follow(text[i], i > 0 ? text[i - 1] : ' ', &single, &twofold);
        if (text[i + size] == ' ' && text[i] != ' ' && !single && !twofold)
            word = (struct end){i + size, true, false};
        /* a backslash must keep what follows it */
        if (text[i] != '\\' && text[i] != '\'')
            inside = (struct end){i + size, false, single};
    }
    if (word.bytes > 0)
        return word;
    return inside.bytes > 0 ? inside : (struct end){size > 0 ? size : 1, false, single};
}

struct text_lines pdf_command_lines(struct pdf_document *document, const struct canvas_font *font,
                                    const char *command, double width)
{
    struct work work = {.document = document, .font = font};
    command = pdf_document_clean(document, command);
    double column = document->canvas->backend->measure(document->canvas, font, "M", 1).width;
    /* room for an indent, a closing quote, a space and the backslash */
    work.columns = (size_t)fmax(floor(width / fmax(column, 0.1)), 20);
    const char *head = "";
    bool quoted = false;
    while (!document->failed) {
        size_t taken = strlen(head);
        if (text_width(command, strlen(command)) + taken <= work.columns) {
            add(&work, head, command, strlen(command), "");
            break;
        }
        struct end end = find_end(command, work.columns - taken - 3, quoted);
        add(&work, head, command, end.bytes, end.between_words ? " \\" : end.quoted ? "'\\" : "\\");
        command += end.bytes;
        command += end.between_words ? strspn(command, " ") : 0;
        head = end.between_words ? indent : end.quoted ? "'" : "";
        quoted = end.quoted;
    }
    return (struct text_lines){work.lines, work.count};
}
