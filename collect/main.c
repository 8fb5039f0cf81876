#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bandwidth_ranks.h"
#include "cmd_preflight.h"
#include "cmd_run.h"
#include "diag.h"
#include "text.h"

/* The commands. To add one: cmd_<name>.[ch] and a row here. */
struct command {
    const char *name;
    enum status (*run)(int argc, char **argv, struct diag *diag); /* the whole command line */
    const char *summary;
};

static const struct command commands[] = {
    {"preflight", cmd_preflight, "what this machine can run and what is missing"},
    {"run", cmd_run, "train a model under each strategy and write evidence"},
    {"bandwidth", bandwidth_ranks, "how fast collectives are, over a sweep of sizes"},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *stream)
{
    fputs("rankledger-collect trains a real model under DDP, ZeRO-1, ZeRO-2, ZeRO-3 and FSDP and\n"
          "writes what it measured as evidence, which rankledger turns into a decision.\n\n"
          "Usage: rankledger-collect COMMAND [OPTION...]\n"
          "       rankledger-collect COMMAND --help\n"
          "       rankledger-collect --help | --version\n\n"
          "Commands:\n",
          stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\nExit codes:\n"
          "  0  done\n"
          "  1  done, and the answer is no (a strategy failed or was interrupted)\n"
          "  2  usage: the command line is wrong, evidence exists already, nothing fits\n"
          "  3  input: a named path is unreadable\n"
          "  4  environment: an output cannot be written, MPI or memory is missing\n"
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
                        "unknown command '%s': type 'rankledger-collect %s', or "
                        "'rankledger-collect --help' for all commands",
                        shown, commands[best].name);
    return diag_set(diag, STATUS_USAGE,
                    "unknown command '%s': type 'rankledger-collect --help' for the commands",
                    shown);
}

static enum status dispatch(int argc, char **argv, struct diag *diag)
{
    if (argc < 2)
        return diag_set(diag, STATUS_USAGE,
                        "no command given: type 'rankledger-collect --help' for the commands");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(name, "--version") == 0) {
        puts("rankledger-collect " RANKLEDGER_VERSION);
        return STATUS_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc, argv, diag);
    return refuse_command(name, diag);
}

/* The next file or pipe would get the number of a standard stream that the caller closed, and with
 * it what is printed. What holds its place instead cannot be used either. */
static void hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    hold_streams();
    /* A reader that has seen enough (head) must not end a run of hours: its evidence is in files. A
     * file beyond the limit (ulimit -f) is a full disk: the write says so. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    enum status status = dispatch(argc, argv, &diag);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status <= STATUS_NEGATIVE && errno != EPIPE)
        status = diag_set(&diag, STATUS_ENVIRONMENT, "standard output: cannot write: %s",
                          diag_reason(errno));
    if (status != STATUS_OK && diag.text[0] != '\0')
        fprintf(stderr, "rankledger-collect: %s\n", diag.text);
    return (int)status;
}
