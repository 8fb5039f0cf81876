#include "run_injection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "text.h"

/* Where each can happen. */
static const struct {
    const char *name;
    enum run_fault fault;
    bool in_step, at_checkpoint;
} kinds[] = {
    {"kill", RUN_FAULT_KILL, true, true},  {"hang", RUN_FAULT_HANG, true, true},
    {"oom", RUN_FAULT_OOM, true, true},    {"nan", RUN_FAULT_NAN, true, false},
    {"slow", RUN_FAULT_SLOW, true, false}, {"disk_full", RUN_FAULT_DISK_FULL, false, true},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* Moves *at over `prefix` and the whole number behind it. */
static bool read_number(const char **at, const char *prefix, uint64_t *number)
{
    size_t length = strlen(prefix);
    if (strncmp(*at, prefix, length) != 0 || strspn(*at + length, "0123456789") == 0)
        return false;
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(*at + length, &end, 10);
    if (errno != 0)
        return false;
    *number = value;
    *at = end;
    return true;
}

/* The index of the kind that the text begins with; KIND_COUNT if it is none. */
static size_t read_kind(const char **at)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(*at, kinds[i].name, length) == 0 && (*at)[length] == '@') {
            *at += length + 1;
            return i;
        }
    }
    return KIND_COUNT;
}

static bool read_text(const char *text, struct run_injection *injection, size_t *kind)
{
    const char *at = text;
    *kind = read_kind(&at);
    if (*kind == KIND_COUNT || !read_number(&at, "rank:", &injection->rank) || *at++ != ',')
        return false;
    injection->fault = kinds[*kind].fault;
    injection->text = text;
    if (strcmp(at, "step:checkpoint") == 0)
        injection->at_checkpoint = true;
    else if (!read_number(&at, "step:", &injection->step) || *at != '\0')
        return false;
    return true;
}

/* A fault that could not happen would make the run look sound. */
static void check(const struct run_injection *injection, size_t kind,
                  const struct run_config *config, struct run_faults *faults)
{
    uint64_t ranks = config->training.schedule.world_size;
    uint64_t steps = config->training.warmup + config->training.repeats;
    const char *name = kinds[kind].name;
    if (ranks > 0 && injection->rank >= ranks)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject names rank %" PRIu64 ", but there are %" PRIu64 " ranks, from 0",
                       injection->rank, ranks);
    if (injection->at_checkpoint && !kinds[kind].at_checkpoint)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject %s happens in an optimizer step: write step:S", name);
    else if (!injection->at_checkpoint && !kinds[kind].in_step)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject %s happens where a checkpoint is written: write step:checkpoint",
                       name);
    else if (injection->at_checkpoint && config->checkpoint == RUN_CHECKPOINT_NONE)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject names the checkpoint, but none is written: add --checkpoint full "
                       "or sharded");
    else if (!injection->at_checkpoint && injection->step >= steps)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject names step %" PRIu64 ", but there are %" PRIu64
                       " (warm-up and repeats), from 0",
                       injection->step, steps);
    const struct backend_row *row = config->backend != NULL ? backend_find(config->backend) : NULL;
    if (injection->fault == RUN_FAULT_OOM && injection->at_checkpoint && row != NULL &&
        row->describe != NULL)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject oom: a checkpoint takes none of a GPU's memory: name a step");
    if (injection->fault == RUN_FAULT_DISK_FULL && injection->rank != 0 &&
        config->checkpoint == RUN_CHECKPOINT_FULL)
        run_faults_add(faults, STATUS_USAGE,
                       "--inject disk_full: rank 0 alone writes a full checkpoint");
}

void run_injection_read(const char *text, const struct run_config *config,
                        struct run_injection *injection, struct run_faults *faults)
{
    size_t kind;
    *injection = (struct run_injection){0};
    if (read_text(text, injection, &kind)) {
        check(injection, kind, config, faults);
        return;
    }
    char shown[128];
    text_escape_into(shown, sizeof shown, text, strlen(text));
    run_faults_add(faults, STATUS_USAGE,
                   "--inject '%s' is not kill|hang|oom|nan|slow|disk_full@rank:R,step:S (or "
                   "step:checkpoint)",
                   shown);
}
