#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "import_failures_read.h"

/* What launchers, shells and schedulers print names hosts, users and command lines: the reasons are
 * in our words. */

static const char *signal_name(int number)
{
    switch (number) {
    case SIGKILL:
        return " (SIGKILL; often the host ran out of memory)";
    case SIGSEGV:
        return " (SIGSEGV)";
    case SIGBUS:
        return " (SIGBUS)";
    case SIGABRT:
        return " (SIGABRT)";
    case SIGTERM:
        return " (SIGTERM)";
    case SIGINT:
        return " (SIGINT)";
    default:
        return "";
    }
}

static void say(struct import_failures_found *found, const char *text)
{
    snprintf(found->failure.words, sizeof found->failure.words, "%s", text);
}

void import_failures_note_exit(double code, struct import_failures_found *found)
{
    /* A shell says 128 + signal. */
    double number = code < 0 ? -code : code > 128 && code < 128 + 65 ? code - 128 : 0;
    char text[96];
    found->failure.kind = "rank_lost";
    if (number > 0) {
        snprintf(text, sizeof text, "a process was ended by signal %d%s", (int)number,
                 signal_name((int)number));
        found->failure.signal = number;
        found->weight = number == SIGABRT || number == SIGTERM || number == SIGINT
                            ? IMPORT_FAILURES_ENDED
                            : IMPORT_FAILURES_LOST;
    } else {
        snprintf(text, sizeof text, "a process ended with exit code %d", (int)code);
        found->failure.exit_code = code;
        found->weight = IMPORT_FAILURES_EXIT_CODE;
    }
    say(found, text);
}

static bool read_code(const struct import_span *line, const char *label, double *code)
{
    return import_scan_labelled(line, label, code) && *code != 0 && *code > -65 && *code < 1000;
}

/*
 * torchrun (torch/distributed/elastic): "failed (exitcode: -9) local_rank: 3 (pid: 812917) of
 * binary: ...", then a report whose part "Root Cause (first observed failure):" has "  rank      :
 * 5 (local_rank: 5)" and "  exitcode  : -9 (pid: 36071)".
 */
static bool read_torchrun(struct import_failures *failures, const struct import_span *line,
                          struct import_failures_found *found)
{
    struct import_span rest = *line;
    double code = 0;
    if (import_failures_has(line, "Root Cause (first observed failure)")) {
        failures->root_cause = true;
        failures->has_root_rank = false;
        return false;
    }
    if (read_code(line, "failed (exitcode: ", &code)) {
        import_failures_note_exit(code, found);
        return true;
    }
    if (!failures->root_cause)
        return false;
    if (import_scan_skip(&rest, "rank") && import_scan_skip(&rest, ":"))
        failures->has_root_rank = import_scan_count_of(&rest, &failures->root_rank);
    rest = *line;
    if (!import_scan_skip(&rest, "exitcode") || !import_scan_skip(&rest, ":") ||
        !import_scan_number(&rest, &code) || !(code > -65 && code < 1000) || code == 0)
        return false;
    import_failures_note_exit(code, found);
    found->weight++; /* it names the rank, which the line before does not */
    if (failures->has_root_rank)
        found->failure.rank = failures->root_rank;
    failures->root_cause = false;
    return true;
}

/* DeepSpeed's launcher ("exits with return code = -9"), srun ("task 3: Exited with exit code 1",
 * "task 3: Killed"), mpirun ("process rank 3 with PID 71 on node n1 exited on signal 9"). */
static bool read_launcher(const struct import_span *line, struct import_failures_found *found)
{
    struct import_span rest = *line;
    double code = 0;
    double rank = -1;
    if (read_code(line, "exits with return code = ", &code)) {
        import_failures_note_exit(code, found);
        return true;
    }
    if (import_scan_find(&rest, "process rank ") && import_scan_count_of(&rest, &rank) &&
        read_code(&rest, "exited on signal ", &code)) {
        import_failures_note_exit(-code, found);
        found->failure.rank = rank;
        return true;
    }
    rest = *line;
    if (!import_scan_find(&rest, "srun: error: ") || !import_scan_find(&rest, ": task"))
        return false;
    import_scan_skip(&rest, "s"); /* "tasks 0-3" names several: no rank */
    struct import_span number = rest;
    if (import_scan_count_of(&number, &rank) && import_scan_begins(&number, ":"))
        found->failure.rank = rank;
    if (read_code(&rest, "Exited with exit code ", &code))
        import_failures_note_exit(code, found);
    else if (import_failures_has(&rest, "Killed") || import_failures_has(&rest, "Out Of Memory"))
        import_failures_note_exit(-SIGKILL, found);
    else if (import_failures_has(&rest, "Segmentation fault"))
        import_failures_note_exit(-SIGSEGV, found);
    else
        return false;
    return true;
}

/* A shell's word for the end of its command, alone or behind "job.sh: line 12: 4711". */
static bool read_shell(const struct import_span *line, struct import_failures_found *found)
{
    static const struct {
        const char *text;
        int number;
    } words[] = {{"Killed", SIGKILL},
                 {"Segmentation fault", SIGSEGV},
                 {"Bus error", SIGBUS},
                 {"Aborted", SIGABRT}};
    struct import_span text = import_scan_trim(*line);
    struct import_span rest = text;
    double number = 0;
    /* PyTorch's and Python's own handlers. */
    if (import_scan_begins(&text, "!!!!!!! Segfault encountered") ||
        import_scan_begins(&text, "Fatal Python error: Segmentation fault")) {
        import_failures_note_exit(-SIGSEGV, found);
        return true;
    }
    if (import_scan_find(&rest, ": line ") && import_scan_count_of(&rest, &number) &&
        import_scan_skip(&rest, ":") && import_scan_count_of(&rest, &number))
        text = import_scan_trim(rest);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!import_scan_begins(&text, words[i].text))
            continue;
        struct import_span after = {text.text + strlen(words[i].text),
                                    text.length - strlen(words[i].text), false};
        bool alone = after.length == 0 || import_scan_is(&after, " (core dumped)") ||
                     import_scan_begins(&after, "  ") ||
                     import_scan_begins(&after, " (core dumped)  ");
        if (!alone)
            continue;
        import_failures_note_exit(-words[i].number, found);
        return true;
    }
    return false;
}

/* Slurm: "oom-kill event(s)", "CANCELLED AT ... DUE TO TIME LIMIT". */
static bool read_slurm(const struct import_span *line, struct import_failures_found *found)
{
    if (!import_failures_has(line, "slurmstepd: error:"))
        return false;
    if (import_failures_has(line, "oom-kill") || import_failures_has(line, "oom_kill")) {
        found->failure.kind = "out_of_memory";
        found->weight = IMPORT_FAILURES_HOST_MEMORY;
        say(found, "the host's memory was exhausted (Slurm's oom-kill)");
        return true;
    }
    if (!import_failures_has(line, "CANCELLED AT"))
        return false;
    found->failure.kind = "interrupted";
    found->weight = IMPORT_FAILURES_CANCELLED;
    say(found, import_failures_has(line, "DUE TO TIME LIMIT")
                   ? "the job was cancelled at its time limit"
                   : "the job was cancelled");
    return true;
}

bool import_failures_read_exit(struct import_failures *failures, const struct import_span *line,
                               struct import_failures_found *found)
{
    return read_torchrun(failures, line, found) || read_launcher(line, found) ||
           read_slurm(line, found) || read_shell(line, found);
}
