#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "bandwidth_ranks.h"
#include "cmd_preflight.h"
#include "cmd_run.h"
#include "diag.h"
#include "program.h"

/* The commands; they get the whole command line, which the ranks that they start get again. To add
 * one: cmd_<name>.[ch] and a row. */
static const struct program_command commands[] = {
    {"preflight", cmd_preflight, "what this machine can run and what is missing"},
    {"run", cmd_run, "train a model under each strategy and write evidence"},
    {"bandwidth", bandwidth_ranks, "how fast collectives are, over a sweep of sizes"},
};

static const struct program program = {
    .name = "rankledger-collect",
    .purpose = "train under each sharding strategy and write evidence",
    .about =
        "rankledger-collect trains a real model under DDP, ZeRO-1, ZeRO-2, ZeRO-3 and FSDP and\n"
        "writes what it measured as evidence, which rankledger turns into a decision.\n",
    .operands = "[OPTION...]",
    .exit_codes = "  0  done\n"
                  "  1  done, and the answer is no (a strategy failed or was interrupted)\n"
                  "  2  usage: the command line is wrong, evidence exists already, nothing fits\n"
                  "  3  input: a named path is unreadable\n"
                  "  4  environment: an output cannot be written, MPI or memory is missing\n"
                  "  5  a bug of this program\n",
    .commands = commands,
    .whole_line = true,
    .command_count = sizeof commands / sizeof commands[0],
};

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
    const struct program_command *command;
    enum status status = program_choose(&program, argc, argv, &command, &diag);
    if (status == STATUS_OK && command != NULL)
        status = program_run(&program, command, argc, argv, &diag);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status <= STATUS_NEGATIVE && errno != EPIPE)
        status = diag_set(&diag, STATUS_ENVIRONMENT, "standard output: cannot write: %s",
                          diag_reason(errno));
    if (status != STATUS_OK && diag.text[0] != '\0')
        program_complain(&program, &diag);
    return (int)status;
}
