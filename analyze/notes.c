#include "notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes_evidence.h"
#include "notes_ledger.h"
#include "record_sections.h"
#include "statistics.h"

#define RANKS_DIFFER 0.05
/* Standard deviation over mean from which on a step time is no firm number. */
#define STEPS_VARY 0.1

/* ---- shards more, peaks higher ---- */

static int sharded_parts(const struct candidate *candidate)
{
    const struct training_state_row *row = training_state_row(candidate->strategy);
    return row->shards_parameters + row->shards_gradients + row->shards_optimizer;
}

static double category_mb(const struct record_phase *phase, const char *category)
{
    for (size_t i = 0; i < phase->category_count; i++)
        if (strcmp(phase->categories[i].category, category) == 0)
            return phase->categories[i].mb;
    return 0;
}

/* The category that grew most from the other's peak phase to this one's; NULL if none did. */
static const char *grown_category(const struct record_phase *phase,
                                  const struct record_phase *other)
{
    const char *grown = NULL;
    double most = 0;
    for (size_t i = 0; i < phase->category_count; i++) {
        const struct memory_amount *amount = &phase->categories[i];
        double growth = amount->mb - category_mb(other, amount->category);
        if (growth > most) {
            most = growth;
            grown = amount->category;
        }
    }
    return grown;
}

static enum status note_inversion(const struct notes_context *context,
                                  const struct candidate *candidate, const struct candidate *other)
{
    struct record_memory own, others;
    enum status status = record_sections_fullest(candidate, context->arena, &own, context->diag);
    if (status == STATUS_OK)
        status = record_sections_fullest(other, context->arena, &others, context->diag);
    if (status != STATUS_OK)
        return status;
    const struct record_phase *phase = own.peak;
    const struct record_phase *before = others.peak;
    const char *category = phase != NULL && before != NULL ? grown_category(phase, before) : NULL;
    bool known = category != NULL;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", candidate->label),
        MESSAGE_TEXT("other", other->label),
        MESSAGE_NUMBER("peak_mb", candidate->peak_mb),
        MESSAGE_NUMBER("other_peak_mb", other->peak_mb),
        MESSAGE_TEXT("phase", phase != NULL ? phase->name : ""),
        MESSAGE_TEXT("category", known ? category : ""),
        MESSAGE_NUMBER("category_mb", known ? category_mb(phase, category) : NAN),
        MESSAGE_NUMBER("other_category_mb", known ? category_mb(before, category) : NAN)};
    const char *id = known           ? "note.inversion_phase"
                     : phase != NULL ? "note.inversion_unexplained"
                                     : "note.inversion";
    return notes_context_add(context, id, values, sizeof values / sizeof values[0]);
}

static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (a > b) - (a < b);
}

/* Memory of candidates is compared where all else is equal. */
static int compare_settings(const struct candidate *a, const struct candidate *b)
{
    int order = compare_numbers(a->workload.world_size, b->workload.world_size);
    if (order == 0)
        order = compare_numbers(a->workload.micro_batch, b->workload.micro_batch);
    if (order == 0)
        order =
            compare_numbers(a->workload.gradient_accumulation, b->workload.gradient_accumulation);
    if (order == 0)
        order = compare_numbers(a->workload.seq_len, b->workload.seq_len);
    if (order == 0)
        order = a->workload.activation_checkpointing - b->workload.activation_checkpointing;
    return order == 0 ? a->memory_kind - b->memory_kind : order;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = *(const struct candidate *const *)left;
    const struct candidate *b = *(const struct candidate *const *)right;
    int order = compare_settings(a, b);
    if (order == 0)
        order = sharded_parts(a) - sharded_parts(b);
    if (order == 0)
        order = (int)a->strategy - (int)b->strategy;
    return order == 0 ? (a->input_order > b->input_order) - (a->input_order < b->input_order)
                      : order;
}

/* Along one setting, from the least sharding on: each against the smallest peak of those that shard
 * less. Peaks of failed runs say nothing. */
static enum status note_inversions(const struct notes_context *context)
{
    const struct group *group = context->group;
    const struct candidate **sorted =
        arena_take_array(context->arena, group->candidate_count, sizeof *sorted);
    if (sorted == NULL)
        return diag_no_memory(context->diag);
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (!isnan(group->candidates[i].peak_mb) && !group->candidates[i].failure.failed)
            sorted[count++] = &group->candidates[i];
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_candidates);
    size_t noted = 0;
    const struct candidate *least = NULL; /* the smallest peak among those that shard less */
    size_t pending = 0;                   /* the first of those that shard as much as this one */
    for (size_t i = 0; i < count && noted < NOTES_CANDIDATES; i++) {
        bool other_setting = i > 0 && compare_settings(sorted[i - 1], sorted[i]) != 0;
        if (other_setting || (i > 0 && sharded_parts(sorted[i - 1]) != sharded_parts(sorted[i]))) {
            for (; pending < i; pending++)
                if (least == NULL || sorted[pending]->peak_mb < least->peak_mb)
                    least = sorted[pending];
            if (other_setting)
                least = NULL;
        }
        if (least == NULL || sorted[i]->peak_mb <= least->peak_mb)
            continue;
        enum status status = note_inversion(context, sorted[i], least);
        if (status != STATUS_OK)
            return status;
        noted++;
    }
    return STATUS_OK;
}

/* ---- ranks ---- */

static enum status note_ranks(const struct notes_context *context, const char *id,
                              const struct candidate *candidate, const double *values, size_t count)
{
    size_t largest = 0;
    size_t smallest = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            return STATUS_OK;
        if (values[i] > values[largest])
            largest = i;
        if (values[i] < values[smallest])
            smallest = i;
    }
    if (count < 2 || !(values[largest] > (1 + RANKS_DIFFER) * values[smallest]))
        return STATUS_OK;
    double difference = values[largest] / values[smallest] - 1;
    const struct sentence_value parts[] = {
        MESSAGE_TEXT("strategy", candidate->label),
        MESSAGE_NUMBER("rank", (double)largest),
        MESSAGE_NUMBER("value", values[largest]),
        MESSAGE_NUMBER("other_rank", (double)smallest),
        MESSAGE_NUMBER("other_value", values[smallest]),
        MESSAGE_NUMBER("difference", isfinite(difference) ? difference : NAN)};
    return notes_context_add(context, id, parts, sizeof parts / sizeof parts[0]);
}

/* The median step of each rank; NULL with count 0 without samples. */
static bool rank_times(const struct notes_context *context, const struct metrics *metrics,
                       double **times)
{
    *times = arena_take_array(context->arena, metrics->step_times_ranks, sizeof **times);
    for (size_t rank = 0; *times != NULL && rank < metrics->step_times_ranks; rank++) {
        const struct series *samples = &metrics->step_times_ms[rank];
        double *copy = malloc((samples->count + 1) * sizeof *copy);
        if (copy == NULL)
            return false;
        if (samples->count > 0)
            memcpy(copy, samples->values, samples->count * sizeof *copy);
        (*times)[rank] = statistics_median(copy, samples->count);
        free(copy);
    }
    return *times != NULL;
}

static enum status note_rank_differences(const struct notes_context *context,
                                         const struct candidate *candidate)
{
    const struct metrics *metrics = &candidate->metrics;
    enum status status =
        note_ranks(context, "note.fullest_rank", candidate, metrics->per_rank_peak_mb.values,
                   metrics->per_rank_peak_mb.count);
    double *times;
    if (status != STATUS_OK)
        return status;
    if (!rank_times(context, metrics, &times))
        return diag_no_memory(context->diag);
    return note_ranks(context, "note.slowest_rank", candidate, times, metrics->step_times_ranks);
}

static enum status note_variation(const struct notes_context *context,
                                  const struct candidate *candidate)
{
    size_t count = 0;
    bool failed = false;
    const struct metrics *metrics = &candidate->metrics;
    double *times = statistics_slowest_rank(metrics->step_times_ms, metrics->step_times_ranks,
                                            context->arena, &count, &failed);
    if (failed)
        return diag_no_memory(context->diag);
    double variation = statistics_variation(times, count);
    if (!(variation > STEPS_VARY))
        return STATUS_OK;
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", candidate->label),
                                            MESSAGE_NUMBER("variation", variation),
                                            MESSAGE_NUMBER("steps", (double)count)};
    return notes_context_add(context, "note.step_variation", values,
                             sizeof values / sizeof values[0]);
}

enum status notes_make(const struct group *group, struct arena *arena, struct message_list *notes,
                       struct diag *diag)
{
    const struct notes_context context = {group, arena, notes, diag};
    enum status status = notes_evidence_add(&context);
    if (status == STATUS_OK)
        status = note_inversions(&context);
    if (status == STATUS_OK)
        status = notes_ledger_add(&context);
    for (size_t i = 0; status == STATUS_OK && i < group->candidate_count && i < NOTES_CANDIDATES;
         i++) {
        status = note_rank_differences(&context, &group->candidates[i]);
        if (status == STATUS_OK)
            status = note_variation(&context, &group->candidates[i]);
    }
    return status;
}
