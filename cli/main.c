#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "cmd_analyze.h"
#include "cmd_compare.h"
#include "cmd_explain.h"
#include "cmd_import.h"
#include "cmd_ledger.h"
#include "cmd_report.h"
#include "cmd_schema.h"
#include "cmd_validate.h"
#include "cmd_verify.h"
#include "diag.h"
#include "program.h"

/* The commands; they get what stands after their name. To add one: cmd_<name>.[ch] and a row. */
static const struct program_command commands[] = {
    {"validate", cmd_validate, "check evidence files against the contract"},
    {"ledger", cmd_ledger, "resident training state of one rank, by formula"},
    {"analyze", cmd_analyze, "decide which strategy fits the limits, and say why"},
    {"report", cmd_report, "write the workbook, the charts and the Markdown of a decision"},
    {"compare", cmd_compare, "say what changed between two summaries or archives"},
    {"explain", cmd_explain, "say why a strategy was chosen, or was not"},
    {"verify", cmd_verify, "recompute a summary from its sources"},
    {"import", cmd_import, "evidence from the log of another tool"},
    {"schema", cmd_schema, "print the JSON Schema of evidence files"},
};

static const struct program program = {
    .name = "rankledger",
    .purpose = "evidence and decisions for sharded training state",
    .about = "rankledger turns evidence of sharded training runs into a decision.\n",
    .operands = "[OPTION...] [PATH...]",
    .exit_codes = "  0  done\n"
                  "  1  done, and the answer is no (invalid evidence, a difference, a regression)\n"
                  "  2  usage: the command line is wrong\n"
                  "  3  input: a named path is unreadable, or nothing matched\n"
                  "  4  environment: an output cannot be written, memory is exhausted\n"
                  "  5  a bug of this program\n",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};

int main(int argc, char **argv)
{
    struct diag diag = {0};
    /* A reader that has seen enough (head) ends the program without a word, also where the parent
     * had the signal ignored. */
    signal(SIGPIPE, SIG_DFL);
    const struct program_command *command;
    enum status status = program_choose(&program, argc, argv, &command, &diag);
    if (status == STATUS_OK && command != NULL)
        status = program_run(&program, command, argc, argv, &diag);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status <= STATUS_NEGATIVE)
        status = diag_set(&diag, STATUS_ENVIRONMENT, "standard output: cannot write: %s",
                          diag_reason(errno));
    if (status != STATUS_OK && diag.text[0] != '\0')
        program_complain(&program, &diag);
    return (int)status;
}
