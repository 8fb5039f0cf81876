#include "program.h"

#include <stdio.h>
#include <string.h>

#include "program_help.h"
#include "text.h"

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
    enum options_help help = options_help_asked(name);
    if (help != OPTIONS_HELP_NONE)
        return program_help_print(program, help, diag);
    if (strcmp(name, "--version") == 0) {
        printf("%s %s\n", program->name, RANKLEDGER_VERSION);
        return STATUS_OK;
    }
    for (size_t i = 0; i < program->command_count; i++)
        if (strcmp(program->commands[i].name, name) == 0)
            *command = &program->commands[i];
    return *command != NULL ? STATUS_OK : refuse_command(program, name, diag);
}

enum status program_run(const struct program *program, const struct program_command *command,
                        int argc, char **argv, struct diag *diag)
{
    int before = program->whole_line ? 0 : 2;
    return command->run(argc - before, argv + before, diag);
}

void program_complain(const struct program *program, const struct diag *diag)
{
    struct text_buffer line = {0};
    text_buffer_printf(&line, "%s: %s\n", program->name, diag->text);
    text_log_tame(&line);
    if (line.failed)
        fprintf(stderr, "%s: memory is exhausted\n", program->name);
    else
        fputs(line.text, stderr);
    text_buffer_fini(&line);
}
