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

/* What a shell is in the middle of. */
struct quoting {
    bool single, twofold; /* quotes */
    bool escaped;         /* the last character was a backslash that keeps the next one */
};

/* Where a line may end: after `bytes` bytes. */
struct end {
    size_t bytes;
    bool between_words;
    struct quoting quoting;
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

/* Follows a shell over one character. */
static void follow(char c, struct quoting *quoting)
{
    bool escaped = quoting->escaped;
    quoting->escaped = c == '\\' && !escaped && !quoting->single;
    if (escaped)
        return;
    if (c == '\'' && !quoting->twofold)
        quoting->single = !quoting->single;
    else if (c == '"' && !quoting->single)
        quoting->twofold = !quoting->twofold;
}

/* The best end of a line of at most `columns`: before an option, so that its value stands with it,
 * unless that leaves half the line empty; between two words; else inside the word. */
static struct end find_end(const char *text, size_t columns, struct quoting quoting)
{
    struct end word = {0};
    struct end inside = {0};
    struct end option = {0};
    size_t used = 0;
    size_t size = 0;
    for (size_t i = 0; text[i] != '\0'; i += size) {
        uint32_t code;
        size = text_decode(text + i, strnlen(text + i, 4), &code);
        size = size > 0 ? size : 1;
        used += text_width(text + i, size);
        if (used > columns && inside.bytes > 0)
            break;
        bool blank = text[i] == ' ' && !quoting.escaped;
        follow(text[i], &quoting);
        bool in_word = quoting.single || quoting.twofold || quoting.escaped;
        if (text[i + size] == ' ' && !blank && !in_word)
            word = (struct end){i + size, true, quoting};
        if (word.bytes == i + size && text[i + size + 1] == '-' && used > columns / 2)
            option = word;
        /* the two characters of an escape stay together, and quotes are not closed twice */
        if (!quoting.escaped && text[i] != '\'')
            inside = (struct end){i + size, false, quoting};
    }
    return option.bytes > 0 ? option : word.bytes > 0 ? word : inside;
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
    struct quoting quoting = {false, false, false};
    while (!document->failed) {
        size_t taken = strlen(head);
        if (text_width(command, strlen(command)) + taken <= work.columns) {
            add(&work, head, command, strlen(command), "");
            break;
        }
        struct end end = find_end(command, work.columns - taken - 3, quoting);
        if (end.bytes == 0) { /* nothing but quotes is left: the line stands out a little */
            add(&work, head, command, strlen(command), "");
            break;
        }
        quoting = end.quoting;
        add(&work, head, command, end.bytes,
            end.between_words ? " \\"
            : quoting.single  ? "'\\"
                              : "\\");
        command += end.bytes;
        command += end.between_words ? strspn(command, " ") : 0;
        head = end.between_words ? indent : quoting.single ? "'" : "";
    }
    return (struct text_lines){work.lines, work.count};
}
