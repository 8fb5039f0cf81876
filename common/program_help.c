#include "program_help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options_forms.h"

static void print_text(const struct program *program)
{
    const char *name = program->name;
    printf("%s\n"
           "Usage: %s COMMAND %s\n"
           "       %s COMMAND --help\n"
           "       %s --help | --version\n\n"
           "Commands:\n",
           program->about, name, program->operands, name, name);
    for (size_t i = 0; i < program->command_count; i++)
        printf("  %-10s %s\n", program->commands[i].name, program->commands[i].summary);
    printf("\nExit codes:\n%s", program->exit_codes);
}

static void put(const char *text)
{
    options_forms_roff(text, strlen(text), stdout);
}

static void print_synopsis(const struct program *program)
{
    fputs(".SH SYNOPSIS\n\\fB", stdout);
    put(program->name);
    fputs("\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n.br\n\\fB", stdout);
    put(program->name);
    fputs("\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.br\n\\fB", stdout);
    put(program->name);
    fputs("\\fR \\fB\\-\\-version\\fR\n", stdout);
}

static void print_commands(const struct program *program)
{
    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; i < program->command_count; i++) {
        fputs(".TP\n.BR ", stdout);
        put(program->name);
        fputs("\\-", stdout);
        put(program->commands[i].name);
        fputs(" (1)\n", stdout);
        put(program->commands[i].summary);
        fputc('\n', stdout);
    }
}

/* "  0  done": the code as a tag, the rest beside it. */
static void print_exit_codes(const char *codes)
{
    fputs(".SH \"EXIT STATUS\"\n", stdout);
    while (*codes != '\0') {
        codes += strspn(codes, " ");
        size_t code = strcspn(codes, " \n");
        size_t line = strcspn(codes, "\n");
        size_t text = code + strspn(codes + code, " ");
        printf(".TP\n\\fB%.*s\\fR\n", (int)code, codes);
        options_forms_roff(codes + text, line - text, stdout);
        fputc('\n', stdout);
        codes += line + (codes[line] == '\n');
    }
}

static void print_man(const struct program *program)
{
    fputs(".TH \"", stdout);
    for (const char *c = program->name; *c != '\0'; c++)
        putchar(toupper((unsigned char)*c));
    fputs("\" 1 \"\" \"rankledger " RANKLEDGER_VERSION "\" \"User Commands\"\n.SH NAME\n", stdout);
    put(program->name);
    fputs(" \\- ", stdout);
    put(program->purpose);
    fputc('\n', stdout);
    print_synopsis(program);
    fputs(".SH DESCRIPTION\n", stdout);
    put(program->about);
    print_commands(program);
    print_exit_codes(program->exit_codes);
}

/* Every command's branch, by the command itself, which alone knows its table. */
static enum status print_branches(const struct program *program, const char *form,
                                  struct diag *diag)
{
    for (size_t i = 0; i < program->command_count; i++) {
        char name[64];
        char command[64];
        char option[64];
        snprintf(name, sizeof name, "%s", program->name);
        snprintf(command, sizeof command, "%s", program->commands[i].name);
        snprintf(option, sizeof option, "--help=%s", form);
        char *argv[] = {name, command, option, NULL};
        enum status status = program_run(program, &program->commands[i], 3, argv, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* What stands between the branches and after them is the same for every program. An option's value
 * may follow in the next word or after "=", which Bash makes a word of its own. */
static const char bash_end[] =
    "    *) kind=nothing ;;\n"
    "    esac\n"
    "    if [[ $word == -* && $value == no ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    case $kind in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\") ;;\n"
    "    folders) compopt -o filenames 2>/dev/null || true\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
    "    files) compopt -o filenames 2>/dev/null || true\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
    "    esac\n"
    "}\n";

static void function_name(const struct program *program, char *name, size_t size)
{
    snprintf(name, size, "_%s", program->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '-')
            *c = '_';
}

static enum status print_bash(const struct program *program, struct diag *diag)
{
    char function[64];
    function_name(program, function, sizeof function);
    printf(
        "# Bash completion of %s " RANKLEDGER_VERSION ", made from its option tables.\n"
        "%s()\n{\n"
        "    local word=$2 before=$3 command=${COMP_WORDS[1]} options='' values='' kind value=no\n"
        "    COMPREPLY=()\n"
        "    [[ $word == = ]] && word=''\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W '",
        program->name, function);
    for (size_t i = 0; i < program->command_count; i++)
        printf("%s ", program->commands[i].name);
    fputs("--help --version' -- \"$word\")\n        return\n    fi\n    case $command in\n",
          stdout);
    enum status status = print_branches(program, "bash", diag);
    if (status == STATUS_OK)
        printf("%scomplete -F %s %s\n", bash_end, function, program->name);
    return status;
}

static enum status print_zsh(const struct program *program, struct diag *diag)
{
    char function[64];
    function_name(program, function, sizeof function);
    printf("#compdef %s\n# Zsh completion of %s " RANKLEDGER_VERSION
           ", made from its option tables.\n"
           "%s()\n{\n"
           "    local -a commands=(\n",
           program->name, program->name, function);
    for (size_t i = 0; i < program->command_count; i++)
        printf("        '%s:%s'\n", program->commands[i].name, program->commands[i].summary);
    fputs("        '--help:list the commands'\n"
          "        '--version:show the version'\n    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    words=(\"${(@)words[2,-1]}\")\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          stdout);
    enum status status = print_branches(program, "zsh", diag);
    if (status == STATUS_OK)
        printf("    esac\n}\n%s \"$@\"\n", function);
    return status;
}

enum status program_help_print(const struct program *program, enum options_help help,
                               struct diag *diag)
{
    switch (help) {
    case OPTIONS_HELP_NONE:
        break;
    case OPTIONS_HELP_TEXT:
        print_text(program);
        break;
    case OPTIONS_HELP_MAN:
        print_man(program);
        break;
    case OPTIONS_HELP_BASH:
        return print_bash(program, diag);
    case OPTIONS_HELP_ZSH:
        return print_zsh(program, diag);
    }
    return STATUS_OK;
}
