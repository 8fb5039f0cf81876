#include "program.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

static void print_help(const struct program *program)
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

static enum status refuse_command(const struct program *program, const char *name,
                                  struct diag *diag)
{
    char shown[64];
    size_t best = 0;
    size_t best_distance = (size_t)-1;
    for (size_t i = 0; i < program->command_count; i++) {
        const char *known = program->commands[i].name;
        size_t distance = text_distance(name, strlen(name), known, strlen(known));
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    text_escape_into(shown, sizeof shown, name, strlen(name));
    if (best_distance <= 2)
        return diag_set(diag, STATUS_USAGE,
                        "unknown command '%s': type '%s %s', or '%s --help' for all commands",
                        shown, program->name, program->commands[best].name, program->name);
    return diag_set(diag, STATUS_USAGE, "unknown command '%s': type '%s --help' for the commands",
                    shown, program->name);
}

enum status program_choose(const struct program *program, int argc, char **argv,
                           const struct program_command **command, struct diag *diag)
{
    *command = NULL;
    if (argc < 2)
        return diag_set(diag, STATUS_USAGE, "no command given: type '%s --help' for the commands",
                        program->name);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(program);
        return STATUS_OK;
    }
    if (strcmp(name, "--version") == 0) {
        printf("%s %s\n", program->name, RANKLEDGER_VERSION);
        return STATUS_OK;
    }
    for (size_t i = 0; i < program->command_count; i++)
        if (strcmp(program->commands[i].name, name) == 0)
            *command = &program->commands[i];
    return *command != NULL ? STATUS_OK : refuse_command(program, name, diag);
}
