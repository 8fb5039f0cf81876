#include <string.h>

#include "options_forms.h"

/* What may follow an option, or stand as an operand. */
enum value_kind { VALUE_NONE, VALUE_WORDS, VALUE_FILE, VALUE_FOLDER, VALUE_OTHER };

static enum value_kind kind_of_text(const char *argument)
{
    if (argument == NULL || argument[0] == '\0')
        return VALUE_NONE;
    if (strstr(argument, "DIR") != NULL)
        return VALUE_FOLDER;
    if (strstr(argument, "FILE") != NULL || strstr(argument, "PATH") != NULL ||
        strstr(argument, "SUMMARY") != NULL || strstr(argument, "BASE") != NULL)
        return VALUE_FILE;
    return strchr(argument, '|') != NULL ? VALUE_WORDS : VALUE_OTHER;
}

static enum value_kind kind_of(const struct options_row *row)
{
    return row->choices != NULL ? VALUE_WORDS : kind_of_text(row->argument);
}

static const char *dashes(const struct options_row *row)
{
    return row->name[1] == '\0' ? "-" : "--";
}

/* The row's choices, or those that its argument "none|full|both" names. */
static void put_words(const struct options_row *row, FILE *stream)
{
    for (size_t i = 0; row->choices != NULL && row->choices[i] != NULL; i++)
        fprintf(stream, "%s%s", i == 0 ? "" : " ", row->choices[i]);
    for (const char *c = row->argument; row->choices == NULL && *c != '\0'; c++)
        fputc(*c == '|' ? ' ' : *c, stream);
}

static void put_bash_value(const struct options_row *row, FILE *stream)
{
    switch (kind_of(row)) {
    case VALUE_WORDS:
        fputs("kind=words values='", stream);
        put_words(row, stream);
        fputc('\'', stream);
        break;
    case VALUE_FILE:
        fputs("kind=files", stream);
        break;
    case VALUE_FOLDER:
        fputs("kind=folders", stream);
        break;
    case VALUE_NONE:
    case VALUE_OTHER:
        fputs("kind=nothing", stream);
        break;
    }
}

void options_forms_bash(const struct options_command *command, FILE *stream)
{
    fprintf(stream, "    %s)\n        options='", command->name);
    for (size_t i = 0; i < command->row_count; i++)
        fprintf(stream, "%s%s ", dashes(&command->rows[i]), command->rows[i].name);
    fprintf(stream, "--help'\n        kind=%s\n        case $before in\n",
            kind_of_text(command->operands) == VALUE_NONE ? "nothing" : "files");
    for (size_t i = 0; i < command->row_count; i++) {
        const struct options_row *row = &command->rows[i];
        if (row->argument == NULL)
            continue;
        fprintf(stream, "        %s%s) value=yes ", dashes(row), row->name);
        put_bash_value(row, stream);
        fputs(" ;;\n", stream);
    }
    fputs("        esac\n        ;;\n", stream);
}

/* Text inside the brackets of a zsh specification, which stands in single quotes. */
static void put_zsh_text(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++) {
        if (strchr("[]:\\", *text) != NULL)
            fputc('\\', stream);
        if (*text == '\'')
            fputs("'\\'", stream);
        fputc(*text, stream);
    }
}

static void put_zsh_action(const struct options_row *row, FILE *stream)
{
    switch (kind_of(row)) {
    case VALUE_WORDS:
        fputc('(', stream);
        put_words(row, stream);
        fputc(')', stream);
        break;
    case VALUE_FILE:
        fputs("_files", stream);
        break;
    case VALUE_FOLDER:
        fputs("_files -/", stream);
        break;
    case VALUE_NONE:
    case VALUE_OTHER:
        fputc(' ', stream); /* a value is needed, and nothing is known of it */
        break;
    }
}

void options_forms_zsh(const struct options_command *command, FILE *stream)
{
    fprintf(stream, "    %s)\n        _arguments -S \\\n", command->name);
    for (size_t i = 0; i < command->row_count; i++) {
        const struct options_row *row = &command->rows[i];
        fprintf(stream, "            '%s%s%s%s[", row->type == OPTIONS_LIST ? "*" : "", dashes(row),
                row->name, row->argument != NULL ? "=" : "");
        put_zsh_text(row->help, stream);
        fputc(']', stream);
        if (row->argument != NULL) {
            fputc(':', stream);
            put_zsh_text(row->argument, stream);
            fputc(':', stream);
            put_zsh_action(row, stream);
        }
        fputs("' \\\n", stream);
    }
    fputs("            '(- *)'{-h,--help}'[show a summary of the options]'", stream);
    if (kind_of_text(command->operands) != VALUE_NONE)
        fputs(" \\\n            '*:file:_files'", stream);
    fputs("\n        ;;\n", stream);
}
