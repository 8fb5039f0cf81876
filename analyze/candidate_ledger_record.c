#include <math.h>
#include <string.h>

#include "candidate_ledger.h"
#include "normalise.h"
#include "record_sections.h"

/* The ledger that records bring themselves: what they foresaw, and what they measured at the peak.
 */

#define MIB 1048576.0

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

double candidate_ledger_kept_mb(const struct candidate_ledger *ledger)
{
    return or_zero(ledger->persistent_parameters_mb) + or_zero(ledger->padding_mb);
}

/* ---- what the record foresaw ---- */

/* The record's own resident state, if it is sound. */
static bool resident_of_record(const struct record *record, struct candidate_ledger *ledger)
{
    struct normalise look = {.json = record->json};
    uint32_t node = json_read_member(record->json, record->node, "ledger");
    double parameters = normalise_number(&look, node, "parameters_bytes");
    double gradients = normalise_number(&look, node, "gradients_bytes");
    double optimizer = normalise_number(&look, node, "optimizer_state_bytes");
    double resident = normalise_number(&look, node, "resident_bytes");
    double persistent = normalise_number(&look, node, "persistent_parameters_bytes");
    double padding = normalise_number(&look, node, "padding_bytes");
    double sum = parameters + gradients + optimizer;
    if (!(parameters >= 0 && gradients >= 0 && optimizer >= 0) || persistent < 0 || padding < 0)
        return false;
    if (!isnan(resident) && resident != sum &&
        resident != sum + or_zero(persistent) + or_zero(padding))
        return false;
    if (!isfinite(sum + or_zero(persistent) + or_zero(padding)))
        return false;
    ledger->available = true;
    ledger->from_record = true;
    ledger->missing_count = 0;
    ledger->state = (struct training_state_ledger){parameters / MIB, gradients / MIB,
                                                   optimizer / MIB, sum / MIB};
    if (!isnan(persistent)) /* else by the schedule, where the shape is known */
        ledger->persistent_parameters_mb = persistent / MIB;
    ledger->padding_mb = padding / MIB;
    ledger->foreseen_peak_mb = normalise_number(&look, node, "predicted_peak_bytes") / MIB;
    return true;
}

/* The record's own prediction: an object of categories with sound amounts. */
static enum status foreseen_of_record(const struct record *record, struct arena *arena,
                                      struct candidate_ledger *ledger, struct diag *diag)
{
    const struct json_read_document *json = record->json;
    uint32_t node =
        json_read_member(json, json_read_member(json, record->node, "ledger"), "temporary");
    if (!json_read_is(json, node, JSON_READ_OBJECT) || json_read_count(json, node) == 0)
        return STATUS_OK;
    struct memory_amount *amounts =
        arena_take_array(arena, json_read_count(json, node), sizeof *amounts);
    if (amounts == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    double total = 0;
    for (uint32_t key = json_read_first(json, node); key != JSON_READ_NONE;
         key = json_read_next(json, node, key)) {
        double bytes = NAN;
        if (!json_read_is(json, key + 1, JSON_READ_NUMBER) ||
            !json_read_double(json, key + 1, &bytes) || bytes < 0)
            return STATUS_OK;
        size_t capacity = (size_t)json->nodes[key].length + 1;
        char *category = arena_take(arena, capacity);
        if (category == NULL)
            return diag_no_memory(diag);
        json_read_string(json, key, category, capacity);
        amounts[count++] =
            (struct memory_amount){category, "as the collector foresaw it", bytes / MIB};
        total += bytes;
    }
    if (!isfinite(total))
        return STATUS_OK;
    ledger->foreseen = amounts;
    ledger->foreseen_count = count;
    ledger->temporary = amounts;
    ledger->temporary_count = count;
    ledger->temporary_mb = total / MIB;
    ledger->temporary_source = CANDIDATE_RECORD;
    ledger->temporary_missing_count = 0;
    return STATUS_OK;
}

/* ---- what it measured ---- */

static bool is_state(const char *category)
{
    static const char *const state[] = {"parameters", "gradients", "optimizer_state"};
    for (size_t i = 0; i < sizeof state / sizeof state[0]; i++)
        if (strcmp(category, state[i]) == 0)
            return true;
    return false;
}

/* True if the categories are those of the whole peak. */
static bool adds_up(const struct record_phase *peak)
{
    double sum = 0;
    for (size_t i = 0; i < peak->category_count; i++)
        sum += peak->categories[i].mb;
    return peak->category_count > 0 && sum == peak->peak_mb; /* whole bytes: the sum is exact */
}

/* What is live at the fullest rank's peak and is no state. Of a run that failed it is not the
 * strategy's peak, so that what was foreseen stays. */
static enum status measured_of_record(const struct candidate *candidate, struct arena *arena,
                                      struct candidate_ledger *ledger, struct diag *diag)
{
    struct record_memory memory;
    enum status status = record_sections_fullest(candidate, arena, &memory, diag);
    if (status != STATUS_OK || memory.peak == NULL || candidate->failure.failed ||
        !adds_up(memory.peak))
        return status;
    struct memory_amount *amounts =
        arena_take_array(arena, memory.peak->category_count, sizeof *amounts);
    if (amounts == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    double total = 0;
    for (size_t i = 0; i < memory.peak->category_count; i++) {
        const struct memory_amount *amount = &memory.peak->categories[i];
        if (is_state(amount->category))
            continue;
        amounts[count++] =
            (struct memory_amount){amount->category, "measured at the peak", amount->mb};
        total += amount->mb;
    }
    ledger->temporary = amounts;
    ledger->temporary_count = count;
    ledger->temporary_mb = total;
    ledger->temporary_source = CANDIDATE_MEASURED;
    ledger->temporary_missing_count = 0;
    ledger->measured_peak_mb = memory.peak->peak_mb;
    return STATUS_OK;
}

enum status candidate_ledger_fill(struct candidate *candidate, struct arena *arena,
                                  struct diag *diag)
{
    struct candidate_ledger ledger;
    enum status status = candidate_ledger_of_workload(&candidate->workload, candidate->strategy,
                                                      arena, &ledger, diag);
    for (size_t i = 0; status == STATUS_OK && i < candidate->record_count; i++) {
        if (!resident_of_record(candidate->records[i], &ledger))
            continue;
        status = foreseen_of_record(candidate->records[i], arena, &ledger, diag);
        break;
    }
    if (status == STATUS_OK)
        status = measured_of_record(candidate, arena, &ledger, diag);
    if (status != STATUS_OK)
        return status;
    ledger.residual_mb = candidate->peak_mb - ledger.state.resident -
                         candidate_ledger_kept_mb(&ledger) - ledger.temporary_mb;
    if (!isfinite(ledger.residual_mb))
        ledger.residual_mb = NAN;
    candidate->ledger = ledger;
    return candidate_ledger_payload(&candidate->workload, candidate->strategy,
                                    &candidate->formula_payload_mb, diag);
}
