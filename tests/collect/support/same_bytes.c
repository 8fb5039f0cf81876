#include "same_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schedule_count.h"
#include "schedule_walk.h"

struct report {
    char *text;
    size_t size;
    bool differs;
};

static void expect(struct report *report, const char *what, const char *of, uint64_t found,
                   uint64_t expected)
{
    if (report->differs || found == expected)
        return;
    report->differs = true;
    snprintf(report->text, report->size, "%s of %s: %" PRIu64 ", expected %" PRIu64, what, of,
             found, expected);
}

static void compare_memory(struct report *report, const struct device_memory *memory,
                           const struct schedule_walk *walk)
{
    uint64_t largest = 0;
    for (int p = 0; p < SCHEDULE_PHASE_COUNT; p++) {
        expect(report, "peak", schedule_phase_name((enum schedule_phase)p), memory->phase_peak[p],
               walk->phase_peak[p]);
        for (int c = 0; c < SCHEDULE_CATEGORY_COUNT; c++)
            expect(report, schedule_phase_name((enum schedule_phase)p),
                   schedule_category_name((enum schedule_category)c), memory->at_peak[p][c],
                   walk->at_peak[p][c]);
        if (memory->phase_peak[p] > largest)
            largest = memory->phase_peak[p];
    }
    expect(report, "peak", "all phases", largest, walk->peak);
    for (int c = 0; c < SCHEDULE_CATEGORY_COUNT; c++) {
        const char *name = schedule_category_name((enum schedule_category)c);
        expect(report, "resident", name, memory->live_by_category[c], walk->resident[c]);
        expect(report, "own peak", name, memory->category_peak[c], walk->category_peak[c]);
    }
}

/* Resident state = the formula's shares + persistent parameters + padding. */
static void compare_ledger(struct report *report, const struct trial *trial)
{
    const struct schedule_ledger ledger = schedule_ledger_of(&trial->schedule);
    const uint64_t *live = trial->memory.live_by_category;
    expect(report, "ledger", "resident state",
           live[SCHEDULE_PARAMETERS] + live[SCHEDULE_GRADIENTS] + live[SCHEDULE_OPTIMIZER_STATE],
           ledger.parameters + ledger.gradients + ledger.optimizer_state + ledger.persistent +
               ledger.padding);
    expect(report, "live", "all categories", trial->memory.live,
           live[SCHEDULE_PARAMETERS] + live[SCHEDULE_GRADIENTS] + live[SCHEDULE_OPTIMIZER_STATE] +
               live[SCHEDULE_WORKSPACE]);
}

static void compare_usage(struct report *report, const struct communicator_usage *usage,
                          const struct schedule_count *count, uint64_t steps)
{
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++)
        for (int p = 0; p < SCHEDULE_PURPOSE_COUNT; p++) {
            char name[100];
            snprintf(name, sizeof name, "%s for %s",
                     schedule_collective_name((enum schedule_collective)c),
                     schedule_purpose_name((enum schedule_purpose)p));
            expect(report, "calls", name, usage->calls[c][p], count->calls[c][p] * steps);
            expect(report, "bytes", name, usage->payload_bytes[c][p],
                   count->payload_bytes[c][p] * steps);
        }
}

const char *same_bytes_fault(const struct trial *trial, uint64_t steps, char *text, size_t size)
{
    struct report report = {.text = text, .size = size};
    struct schedule_walk walk;
    struct diag diag = {0};
    if (schedule_walk_of(&trial->schedule, &walk, &diag) != STATUS_OK) {
        snprintf(text, size, "%s", diag.text);
        return text;
    }
    const struct schedule_count count = schedule_count_of(&trial->schedule);
    compare_memory(&report, &trial->memory, &walk);
    compare_ledger(&report, trial);
    compare_usage(&report, &trial->communicator->usage, &count, steps);
    return report.differs ? text : NULL;
}
