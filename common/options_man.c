#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "options_forms.h"

void options_forms_roff(const char *text, size_t length, FILE *stream)
{
    bool line_start = true;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (line_start && (c == '.' || c == '\''))
            fputs("\\&", stream);
        if (c == '\\')
            fputs("\\e", stream);
        else if (c == '-')
            fputs("\\-", stream); /* what is typed must be an ASCII dash when it is copied */
        else if (c == '\'')
            fputs("\\(aq", stream);
        else if (c == '`')
            fputs("\\(ga", stream);
        else
            fputc(c, stream);
        line_start = c == '\n';
    }
}

static void put(const char *text, FILE *stream)
{
    options_forms_roff(text, strlen(text), stream);
}

/* Whether the paragraph is a command to type. */
static bool is_command(const char *text, size_t length)
{
    return length > 10 && strncmp(text, "rankledger", 10) == 0 && strchr(" -", text[10]) != NULL;
}

/* Whether a line of the paragraph is indented, or it is a command. */
static bool is_verbatim(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if ((i == 0 || text[i - 1] == '\n') && text[i] == ' ')
            return true;
    return is_command(text, length);
}

static size_t paragraph_length(const char *text)
{
    const char *end = strstr(text, "\n\n");
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

/* Where a line of the text says "Exit codes:" in it, or its length. */
static size_t before_exit_codes(const char *text, size_t length)
{
    static const char title[] = "exit codes:";
    for (size_t i = 0; i + sizeof title - 1 <= length; i++)
        if ((i == 0 || text[i - 1] == '\n') && strncasecmp(text + i, title, sizeof title - 1) == 0)
            return i;
    return length;
}

static void print_paragraph(const char *text, size_t length, FILE *stream)
{
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length == 0)
        return;
    bool verbatim = is_verbatim(text, length);
    if (is_command(text, length))
        fputs(".SH EXAMPLE\n", stream);
    fputs(verbatim ? ".PP\n.nf\n" : ".PP\n", stream);
    options_forms_roff(text, length, stream);
    fputs(verbatim ? "\n.fi\n" : "\n", stream);
}

/* "0 all valid, 1 some invalid": a code as a tag, its meaning beside it. */
static void print_exit_codes(const char *text, size_t length, FILE *stream)
{
    fputs(".SH \"EXIT STATUS\"\n", stream);
    while (length > 0) {
        size_t end = 1;
        while (end < length &&
               !(end >= 2 && text[end - 2] == ',' && isdigit((unsigned char)text[end])))
            end++;
        size_t code = strspn(text, "0123456789");
        size_t stop = end < length ? end - 2 : end;
        while (stop > code && strchr(".\n", text[stop - 1]) != NULL)
            stop--;
        fprintf(stream, ".TP\n\\fB%.*s\\fR\n", (int)code, text);
        options_forms_roff(text + code + 1, stop - code - 1, stream);
        fputc('\n', stream);
        text += end;
        length -= end;
    }
}

void options_forms_paragraphs(const char *text, FILE *stream)
{
    while (*text != '\0') {
        size_t length = paragraph_length(text);
        size_t before = before_exit_codes(text, length);
        print_paragraph(text, before, stream);
        if (before < length) {
            const char *codes = text + before + strlen("exit codes:");
            codes += strspn(codes, " \n");
            print_exit_codes(codes, (size_t)(text + length - codes), stream);
        }
        text += length;
        text += strspn(text, "\n");
    }
}

static void print_option(const struct options_row *row, FILE *stream)
{
    fprintf(stream, ".TP\n\\fB%s", row->name[1] == '\0' ? "\\-" : "\\-\\-");
    put(row->name, stream);
    fputs("\\fR", stream);
    if (row->argument != NULL) {
        fputs(" \\fI", stream);
        put(row->argument, stream);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    put(row->help, stream);
    fputc('\n', stream);
}

/* Up to what ends the sentence or begins an addition; the point of "report.xlsx" does neither. */
static size_t clause_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ';' && text[length] != ':' &&
           !(text[length] == '.' && (text[length + 1] == ' ' || text[length + 1] == '\0')))
        length++;
    return length;
}

/* "Checks evidence files." as man's NAME has it: "checks evidence files". */
static void print_purpose(const char *summary, FILE *stream)
{
    size_t length = clause_length(summary);
    char first = (char)tolower((unsigned char)summary[0]);
    options_forms_roff(&first, 1, stream);
    options_forms_roff(summary + 1, length - 1, stream);
    fputc('\n', stream);
}

static void print_synopsis(const struct options_command *command, FILE *stream)
{
    fputs(".SH SYNOPSIS\n\\fB", stream);
    put(command->program, stream);
    fputc(' ', stream);
    put(command->name, stream);
    fputs("\\fR", stream);
    if (command->row_count > 0)
        fputs(" [\\fIOPTION\\fR]...", stream);
    if (command->operands != NULL && command->operands[0] != '\0') {
        fputs(" \\fI", stream);
        put(command->operands, stream);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
}

void options_forms_man(const struct options_command *command, FILE *stream)
{
    fputs(".TH \"", stream);
    for (const char *c = command->program; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), stream);
    fputc('-', stream);
    for (const char *c = command->name; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), stream);
    fputs("\" 1 \"\" \"rankledger " RANKLEDGER_VERSION "\" \"User Commands\"\n.SH NAME\n", stream);
    put(command->program, stream);
    fputs("\\-", stream);
    put(command->name, stream);
    fputs(" \\- ", stream);
    print_purpose(command->summary, stream);
    print_synopsis(command, stream);
    fputs(".SH DESCRIPTION\n", stream);
    put(command->summary, stream);
    fputs("\n.SH OPTIONS\n", stream);
    for (size_t i = 0; i < command->row_count; i++)
        print_option(&command->rows[i], stream);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow a summary of the options and exit\n",
          stream);
    if (command->notes != NULL && command->notes[0] != '\0') {
        fputs(".SH NOTES\n", stream);
        options_forms_paragraphs(command->notes, stream);
    }
    fputs(".SH \"SEE ALSO\"\n.BR ", stream);
    put(command->program, stream);
    fputs(" (1)\n", stream);
}
