#include <math.h>
#include <string.h>

#include "validation_own.h"
#include "validation_rules.h"

/*
 * What our own collector counts to the byte must add up to the byte. Of a run that failed it may be
 * from the middle of a step, or half written when a rank was lost.
 */

#define MIB 1048576.0

static uint32_t ranks_of(const struct validation *v)
{
    return validation_own_list(v, validation_own_section(v, "memory"), "per_rank");
}

/* ---- collectives ---- */

static void check_count(struct validation *v, uint32_t row, const char *counted,
                        const char *expected)
{
    double found;
    double foreseen;
    if (!validation_own_count(v, row, counted, &found) ||
        !validation_own_count(v, row, expected, &foreseen) || found == foreseen)
        return;
    uint32_t node = validation_member(v, row, counted);
    validation_report(v, VALIDATION_ERROR(node, "counted_differs"),
                      "%s were counted, and the schedule foresees %s: the step that ran is not the "
                      "one that was meant",
                      validation_format(found).text, validation_format(foreseen).text);
}

void rules_own_counted(struct validation *v)
{
    uint32_t list =
        validation_own_list(v, validation_own_section(v, "communication"), "collectives");
    if (!validation_own_whole(v))
        return;
    for (uint32_t row = json_read_first(v->json, list); row != JSON_READ_NONE;
         row = json_read_next(v->json, list, row)) {
        check_count(v, row, "calls", "expected_calls");
        check_count(v, row, "payload_bytes", "expected_bytes");
    }
}

/* ---- resident state ---- */

/* The ledger's three parts; false if one is not told. */
static bool ledger_state(const struct validation *v, uint32_t ledger, double *state)
{
    double parameters;
    double gradients;
    double optimizer;
    if (!validation_own_count(v, ledger, "parameters_bytes", &parameters) ||
        !validation_own_count(v, ledger, "gradients_bytes", &gradients) ||
        !validation_own_count(v, ledger, "optimizer_state_bytes", &optimizer))
        return false;
    *state = parameters + gradients + optimizer;
    return true;
}

static void check_residents(struct validation *v, double expected)
{
    uint32_t ranks = ranks_of(v);
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank)) {
        double sum;
        uint32_t resident = validation_member(v, rank, "resident");
        if (validation_own_sum(v, resident, &sum) && sum == floor(sum) && sum != expected)
            validation_report(v, VALIDATION_ERROR(resident, "resident_differs"),
                              "the rank holds %s bytes after a step, and the ledger with "
                              "persistent parameters and padding says %s",
                              validation_format(sum).text, validation_format(expected).text);
    }
}

void rules_own_resident(struct validation *v)
{
    double state;
    double stated;
    double persistent = 0;
    double padding = 0;
    uint32_t ledger = validation_own_section(v, "ledger");
    if (!validation_own_whole(v) || !ledger_state(v, ledger, &state))
        return;
    validation_own_count(v, ledger, "persistent_parameters_bytes", &persistent);
    validation_own_count(v, ledger, "padding_bytes", &padding);
    if (validation_own_count(v, ledger, "resident_bytes", &stated) && stated != state)
        validation_report(
            v, VALIDATION_ERROR(validation_member(v, ledger, "resident_bytes"), "resident_differs"),
            "%s is stated, but parameters, gradients and optimizer state are %s",
            validation_format(stated).text, validation_format(state).text);
    check_residents(v, state + persistent + padding);
}

/* ---- peaks ---- */

static bool is_checkpoint(const struct validation *v, uint32_t phase)
{
    uint32_t name = validation_member(v, phase, "phase");
    return json_read_is(v->json, name, JSON_READ_STRING) &&
           (json_read_equals(v->json, name, "checkpoint_save") ||
            json_read_equals(v->json, name, "checkpoint_restore"));
}

/* The categories of each phase's peak, and the arena that holds it. */
static void check_phases(struct validation *v, uint32_t rank, uint32_t phases)
{
    double arena;
    bool reserved = validation_own_count(v, rank, "arena_bytes", &arena);
    for (uint32_t phase = json_read_first(v->json, phases); phase != JSON_READ_NONE;
         phase = json_read_next(v->json, phases, phase)) {
        double peak;
        double sum;
        if (!validation_own_count(v, phase, "peak_bytes", &peak))
            continue;
        uint32_t node = validation_member(v, phase, "peak_bytes");
        if (validation_own_sum(v, validation_member(v, phase, "by_category"), &sum) &&
            sum == floor(sum) && sum != peak)
            validation_report(v, VALIDATION_ERROR(node, "categories_differ"),
                              "a peak of %s bytes, but its categories add up to %s",
                              validation_format(peak).text, validation_format(sum).text);
        if (reserved && peak > arena)
            validation_report(v, VALIDATION_ERROR(node, "peak_above_arena"),
                              "%s bytes are more than the arena of %s bytes that they lie in",
                              validation_format(peak).text, validation_format(arena).text);
    }
}

void rules_own_categories(struct validation *v)
{
    uint32_t ranks = validation_own_whole(v) ? ranks_of(v) : JSON_READ_NONE;
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank))
        check_phases(v, rank, validation_own_list(v, rank, "phases"));
}

/* The largest peaks of a rank's phases, of training and of checkpoints; NAN without any. */
struct peaks {
    double training_mb, checkpoint_mb;
};

static struct peaks rank_peaks(const struct validation *v, uint32_t rank)
{
    double training = -1;
    double checkpoint = -1;
    uint32_t phases = validation_own_list(v, rank, "phases");
    for (uint32_t phase = json_read_first(v->json, phases); phase != JSON_READ_NONE;
         phase = json_read_next(v->json, phases, phase)) {
        double peak;
        if (!validation_own_count(v, phase, "peak_bytes", &peak))
            continue;
        double *largest = is_checkpoint(v, phase) ? &checkpoint : &training;
        *largest = peak > *largest ? peak : *largest;
    }
    return (struct peaks){training < 0 ? (double)NAN : training / MIB,
                          checkpoint < 0 ? (double)NAN : checkpoint / MIB};
}

static void check_peak(struct validation *v, uint32_t stated, double measured_mb)
{
    double value;
    if (isnan(measured_mb) || !json_read_is(v->json, stated, JSON_READ_NUMBER) ||
        !json_read_double(v->json, stated, &value) || fabs(value - measured_mb) * MIB < 0.5)
        return;
    validation_report(v, VALIDATION_ERROR(stated, "peak_differs"),
                      "%s MiB are stated, but the largest phase of memory.per_rank has %s",
                      validation_format(value).text, validation_format(measured_mb).text);
}

/* Of the fullest rank, and of each. */
void rules_own_peaks(struct validation *v)
{
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    uint32_t ranks = validation_own_whole(v) ? ranks_of(v) : JSON_READ_NONE;
    uint32_t kind = validation_member(v, metrics, "memory_kind");
    if (json_read_is(v->json, kind, JSON_READ_STRING) &&
        !json_read_equals(v->json, kind, "allocated"))
        return;
    uint32_t per_rank = v->found[EVIDENCE_FIELD_PEAK_PER_RANK];
    uint32_t own = json_read_first(v->json, per_rank);
    double training = NAN;
    double checkpoint = NAN;
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank)) {
        struct peaks peaks = rank_peaks(v, rank);
        training = fmax(training, peaks.training_mb); /* fmax ignores the first NAN */
        checkpoint = fmax(checkpoint, peaks.checkpoint_mb);
        check_peak(v, own, peaks.training_mb);
        own = json_read_next(v->json, per_rank, own);
    }
    check_peak(v, v->found[EVIDENCE_FIELD_PEAK], training);
    check_peak(v, validation_member(v, metrics, "checkpoint_peak_memory_mb"), checkpoint);
}
