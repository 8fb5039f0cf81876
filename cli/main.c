#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd_analyze.h"
#include "cmd_ledger.h"
#include "cmd_report.h"
#include "cmd_schema.h"
#include "cmd_validate.h"
#include "cmd_verify.h"
#include "diag.h"
#include "text.h"

/* The commands. To add one: cmd_<name>.[ch] and a row here. */
struct command {
    const char *name;
    enum status (*run)(int argc, char **argv, struct diag *diag); /* argv after the name */
    const char *summary;
};

static const struct command commands[] = {
    {"validate", cmd_validate, "check evidence files against the contract"},
    {"ledger", cmd_ledger, "resident training state of one rank, by formula"},
    {"analyze", cmd_analyze, "decide which strategy fits the limits, and say why"},
    {"report", cmd_report, "write the workbook, the charts and the Markdown of a decision"},
    {"verify", cmd_verify, "recompute a summary from its sources"},
    {"schema", cmd_schema, "print the JSON Schema of evidence files"},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *stream)
{
    fputs("rankledger turns evidence of sharded training runs into a decision.\n\n"
          "Usage: rankledger COMMAND [OPTION...] [PATH...]\n"
          "       rankledger COMMAND --help\n"
          "       rankledger --help | --version\n\n"
          "Commands:\n",
          stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\nExit codes:\n"
          "  0  done\n"
          "  1  done, and the answer is no (invalid evidence, a difference)\n"
          "  2  usage: the command line is wrong\n"
          "  3  input: a named path is unreadable, or nothing matched\n"
          "  4  environment: an output cannot be written, memory is exhausted\n"
          "  5  a bug of this program\n",
          stream);
}

static enum status refuse_command(const char *name, struct diag *diag)
{
    char shown[64];
    size_t best = 0;
    size_t best_distance = (size_t)-1;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        size_t distance =
            text_distance(name, strlen(name), commands[i].name, strlen(commands[i].name));
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    text_escape_into(shown, sizeof shown, name, strlen(name));
    if (best_distance <= 2)
        return diag_set(diag, STATUS_USAGE,
                        "unknown command '%s': type 'rankledger %s', or "
                        "'rankledger --help' for all commands",
                        shown, commands[best].name);
    return diag_set(diag, STATUS_USAGE,
                    "unknown command '%s': type 'rankledger --help' for the commands", shown);
}

static enum status dispatch(int argc, char **argv, struct diag *diag)
{
    if (argc < 2)
        return diag_set(diag, STATUS_USAGE,
                        "no command given: type 'rankledger --help' for the commands");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(name, "--version") == 0) {
        puts("rankledger " RANKLEDGER_VERSION);
        return STATUS_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc - 2, argv + 2, diag);
    return refuse_command(name, diag);
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    /* A reader that has seen enough (head) ends the program without a word, also where the parent
     * had the signal ignored. */
    signal(SIGPIPE, SIG_DFL);
    enum status status = dispatch(argc, argv, &diag);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status <= STATUS_NEGATIVE)
        status = diag_set(&diag, STATUS_ENVIRONMENT, "standard output: cannot write: %s",
                          diag_reason(errno));
    if (status != STATUS_OK && diag.text[0] != '\0')
        fprintf(stderr, "rankledger: %s\n", diag.text);
    return (int)status;
}
