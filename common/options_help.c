#include "options_forms.h"

#include <string.h>

#include "text.h"

#define COLUMNS 80
#define WIDEST_LABEL 32 /* a longer one puts its help on the next line */

#define LABEL_CAPACITY                                                                             \
    128 /* labels are our own texts; help needs no memory that could be missing */

/* Writes "  --format text|json|junit" and returns its width. */
static size_t write_label(char label[LABEL_CAPACITY], const struct options_row *row)
{
    snprintf(label, LABEL_CAPACITY, "  %s%s%s%s", row->name[1] == '\0' ? "-" : "--", row->name,
             row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    return text_width(label, strlen(label));
}

/* Words at `indent`, wrapped before the last column; the cursor stands at the indent. */
static void print_wrapped(FILE *stream, const char *text, size_t indent)
{
    size_t column = indent;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        size_t width = text_width(text, word);
        if (column > indent && column + 1 + width >= COLUMNS) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, word, stream);
        column += width;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_row(FILE *stream, const char *label, const char *help, size_t column)
{
    size_t width = text_width(label, strlen(label));
    fputs(label, stream);
    if (width + 2 > column) {
        fputc('\n', stream);
        width = 0;
    }
    fprintf(stream, "%*s", (int)(column - width), "");
    print_wrapped(stream, help, column);
}

#define HELP_LABEL "  -h, --help"

/* The column of the help texts: two after the widest label that is not too wide. */
static size_t help_column(const struct options_command *command)
{
    char label[LABEL_CAPACITY];
    size_t widest = strlen(HELP_LABEL);
    for (size_t i = 0; i < command->row_count; i++) {
        size_t width = write_label(label, &command->rows[i]);
        if (width > widest && width <= WIDEST_LABEL)
            widest = width;
    }
    return widest + 2;
}

/* "Usage: rankledger validate [OPTION...] PATH..." */
static void print_usage(const struct options_command *command, FILE *stream)
{
    fprintf(stream, "Usage: %s", command->program);
    if (command->name != NULL && command->name[0] != '\0')
        fprintf(stream, " %s", command->name);
    if (command->row_count > 0)
        fputs(" [OPTION...]", stream);
    if (command->operands != NULL && command->operands[0] != '\0')
        fprintf(stream, " %s", command->operands);
    fputc('\n', stream);
}

static void print_text(const struct options_command *command, FILE *stream)
{
    print_usage(command, stream);
    print_wrapped(stream, command->summary, 0);
    fputs("\nOptions:\n", stream);
    char label[LABEL_CAPACITY];
    size_t column = help_column(command);
    for (size_t i = 0; i < command->row_count; i++) {
        write_label(label, &command->rows[i]);
        print_row(stream, label, command->rows[i].help, column);
    }
    print_row(stream, HELP_LABEL, "show this text and exit", column);
    if (command->notes != NULL && command->notes[0] != '\0') {
        size_t length = strlen(command->notes);
        fprintf(stream, "\n%s%s", command->notes, command->notes[length - 1] == '\n' ? "" : "\n");
    }
}

void options_print_help(const struct options_command *command, enum options_help help, FILE *stream)
{
    switch (help) {
    case OPTIONS_HELP_NONE:
        break;
    case OPTIONS_HELP_TEXT:
        print_text(command, stream);
        break;
    case OPTIONS_HELP_MAN:
        options_forms_man(command, stream);
        break;
    case OPTIONS_HELP_BASH:
        options_forms_bash(command, stream);
        break;
    case OPTIONS_HELP_ZSH:
        options_forms_zsh(command, stream);
        break;
    }
}

enum status options_run(const struct options_command *command, int argc, char **argv,
                        struct diag *diag)
{
    struct options_list operands = {0};
    enum options_help help = OPTIONS_HELP_NONE;
    enum status status = options_parse(command, argc, argv, &operands, &help, diag);
    if (status == STATUS_OK && help != OPTIONS_HELP_NONE)
        options_print_help(command, help, stdout);
    else if (status == STATUS_OK)
        status = command->act(command->context, &operands, diag);
    options_fini(command, &operands);
    return status;
}
