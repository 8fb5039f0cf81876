#include "repeats.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "statistics.h"

/* The runs that count towards times and rates. */
struct pool {
    const struct record **records;
    size_t count;
    struct arena *arena;
    double *scratch; /* `count` values */
    bool failed;     /* memory exhausted */
};

/* ---- workload ---- */

static void complete(double *into, double from)
{
    if (isnan(*into))
        *into = from;
}

void repeats_complete_workload(struct workload *into, const struct workload *from)
{
    if (into->model == NULL)
        into->model = from->model;
    if (into->dtype == NULL)
        into->dtype = from->dtype;
    if (into->optimizer == NULL)
        into->optimizer = from->optimizer;
    if (into->activation_checkpointing < 0)
        into->activation_checkpointing = from->activation_checkpointing;
    if (isnan(into->state_bytes_sum))
        into->state_bytes_sum = from->state_bytes_sum;
    if (isnan(into->state_bytes.parameters + into->state_bytes.gradients +
              into->state_bytes.optimizer))
        into->state_bytes = from->state_bytes;
    complete(&into->parameters, from->parameters);
    complete(&into->width, from->width);
    complete(&into->layers, from->layers);
    complete(&into->heads, from->heads);
    complete(&into->vocab, from->vocab);
    complete(&into->seq_len, from->seq_len);
    complete(&into->micro_batch, from->micro_batch);
    complete(&into->gradient_accumulation, from->gradient_accumulation);
    complete(&into->global_batch, from->global_batch);
    complete(&into->world_size, from->world_size);
    complete(&into->warmup, from->warmup);
    complete(&into->repeats, from->repeats);
    complete(&into->parameter_wire_bytes, from->parameter_wire_bytes);
    complete(&into->gradient_wire_bytes, from->gradient_wire_bytes);
    complete(&into->bucket_bytes, from->bucket_bytes);
    complete(&into->prefetch, from->prefetch);
    complete(&into->persistence_threshold, from->persistence_threshold);
    if (into->overlap < 0)
        into->overlap = from->overlap;
}

/* ---- memory: the largest of every run ---- */

static void enlarge(double *into, double from)
{
    if (isnan(*into) || from > *into)
        *into = from;
}

static enum status pool_memory(const struct record **records, size_t count, struct arena *arena,
                               struct metrics *metrics, struct diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
            enlarge(&metrics->peak_mb[kind], records[i]->metrics.peak_mb[kind]);
        enlarge(&metrics->checkpoint_peak_mb, records[i]->metrics.checkpoint_peak_mb);
    }
    const struct series *longest = &metrics->per_rank_peak_mb;
    for (size_t i = 0; i < count; i++)
        if (records[i]->metrics.per_rank_peak_mb.count > longest->count)
            longest = &records[i]->metrics.per_rank_peak_mb;
    size_t ranks = longest->count;
    double *peaks = arena_take_array(arena, ranks + 1, sizeof *peaks);
    if (peaks == NULL)
        return diag_no_memory(diag);
    for (size_t r = 0; r < ranks; r++) {
        peaks[r] = NAN;
        for (size_t i = 0; i < count; i++)
            if (r < records[i]->metrics.per_rank_peak_mb.count)
                enlarge(&peaks[r], records[i]->metrics.per_rank_peak_mb.values[r]);
    }
    metrics->per_rank_peak_mb = (struct series){peaks, ranks};
    return STATUS_OK;
}

int repeats_memory_kind(const struct metrics *metrics, const struct policy *policy)
{
    if (policy->memory_kind >= 0)
        return isnan(metrics->peak_mb[policy->memory_kind]) ? -1 : policy->memory_kind;
    int chosen = -1;
    for (int kind = MEMORY_DEVICE; kind >= MEMORY_ALLOCATED; kind--) {
        double peak = metrics->peak_mb[kind];
        if (!isnan(peak) && (chosen < 0 || peak > metrics->peak_mb[chosen]))
            chosen = kind;
    }
    return chosen;
}

/* ---- times and rates ---- */

/* The median over the runs that measured the value at `offset` of struct metrics. */
static double median_of_runs(const struct pool *pool, size_t offset)
{
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        double value = NAN;
        memcpy(&value, (const unsigned char *)&pool->records[i]->metrics + offset, sizeof value);
        if (!isnan(value))
            pool->scratch[count++] = value;
    }
    return statistics_median(pool->scratch, count);
}

/* Whether every run has samples of the same number of ranks. */
static bool samples_agree(const struct pool *pool)
{
    size_t ranks = pool->records[0]->metrics.step_times_ranks;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->records[i]->metrics.step_times_ranks != ranks)
            return false;
    return ranks > 0;
}

/* Appends the runs' samples to each other, rank by rank. */
static const struct series *join_samples(struct pool *pool, size_t ranks)
{
    struct series *joined = arena_take_array(pool->arena, ranks, sizeof *joined);
    for (size_t r = 0; joined != NULL && r < ranks; r++) {
        size_t total = 0;
        for (size_t i = 0; i < pool->count; i++)
            total += pool->records[i]->metrics.step_times_ms[r].count;
        double *values = arena_take_array(pool->arena, total, sizeof *values);
        if (values == NULL)
            return NULL;
        size_t at = 0;
        for (size_t i = 0; i < pool->count; i++) {
            const struct series *part = &pool->records[i]->metrics.step_times_ms[r];
            memcpy(values + at, part->values, part->count * sizeof *values);
            at += part->count;
        }
        joined[r] = (struct series){values, total};
    }
    return joined;
}

/* Tokens (or samples) of one optimizer step over all ranks; NAN if unknown. */
static double work_of_step(const struct workload *workload, enum throughput_unit unit)
{
    if (unit == THROUGHPUT_SAMPLES)
        return workload->global_batch;
    return workload->global_batch * workload->seq_len;
}

static void pool_times(struct pool *pool, struct candidate *candidate)
{
    struct metrics *metrics = &candidate->metrics;
    metrics->step_time_ms = median_of_runs(pool, offsetof(struct metrics, step_time_ms));
    metrics->throughput = median_of_runs(pool, offsetof(struct metrics, throughput));
    for (size_t i = pool->count; i-- > 0;)
        if (!isnan(pool->records[i]->metrics.throughput))
            metrics->throughput_unit = pool->records[i]->metrics.throughput_unit;
    metrics->step_times_ms = NULL;
    metrics->step_times_ranks = 0;
    if (!samples_agree(pool))
        return;
    size_t ranks = pool->records[0]->metrics.step_times_ranks;
    metrics->step_times_ms = join_samples(pool, ranks);
    if (metrics->step_times_ms == NULL) {
        pool->failed = true;
        return;
    }
    metrics->step_times_ranks = ranks;
    double time_ms =
        statistics_step_time(metrics->step_times_ms, ranks, pool->arena, &pool->failed);
    if (isnan(time_ms))
        return;
    metrics->step_time_ms = time_ms;
    double work = work_of_step(&candidate->workload, metrics->throughput_unit);
    double throughput = work / (time_ms / 1000);
    if (isfinite(throughput) && !isnan(metrics->throughput))
        metrics->throughput = throughput;
}

static void pool_rates(const struct pool *pool, struct metrics *metrics)
{
    static const size_t offsets[] = {
        offsetof(struct metrics, communication_ratio), offsetof(struct metrics, skew_ratio),
        offsetof(struct metrics, in_flight_ratio),     offsetof(struct metrics, utilisation),
        offsetof(struct metrics, achieved_tflops),
    };
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        double value = median_of_runs(pool, offsets[i]);
        memcpy((unsigned char *)metrics + offsets[i], &value, sizeof value);
    }
}

static enum status note_pooling(const struct pool *pool, struct candidate *candidate,
                                struct diag *diag)
{
    struct message_list notes = {0};
    struct message *note = message_list_add(&notes, pool->arena);
    bool sampled = candidate->metrics.step_times_ranks > 0;
    size_t steps = sampled ? candidate->metrics.step_times_ms[0].count : 0;
    bool made =
        note != NULL &&
        (sampled ? message_set(note, pool->arena, "repeats_pooled",
                               "%zu runs pooled: medians over %zu steps, largest memory",
                               pool->count, steps)
                 : message_set(note, pool->arena, "repeats_median",
                               "%zu runs pooled without common samples: medians of their values, "
                               "largest memory",
                               pool->count)) &&
        message_add_number(note, pool->arena, "runs", (double)pool->count) &&
        message_add_number(note, pool->arena, "steps", (double)steps);
    if (!made)
        return diag_no_memory(diag);
    candidate->notes = notes.items;
    candidate->note_count = notes.count;
    return STATUS_OK;
}

/* ---- what is neither ---- */

static enum status pool_normalised(const struct record **records, size_t count, struct arena *arena,
                                   struct candidate *candidate, struct diag *diag)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += records[i]->normalised_count;
    struct normalised *all = arena_take_array(arena, total + 1, sizeof *all);
    if (all == NULL)
        return diag_no_memory(diag);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < records[i]->normalised_count; n++)
            all[at++] = records[i]->normalised[n];
    candidate->normalised = all;
    candidate->normalised_count = total;
    return STATUS_OK;
}

/* Identity, levels and failures of the candidate; the runs that count go into `pool`. */
static void choose_runs(const struct record **records, size_t count, const struct policy *policy,
                        struct candidate *candidate, struct pool *pool)
{
    const struct record *weakest = records[0];
    const struct record *first_failed = NULL;
    candidate->own_collector = true;
    for (size_t i = 0; i < count; i++) {
        const struct record *record = records[i];
        if (evidence_level_rank(record->level) < evidence_level_rank(weakest->level))
            weakest = record;
        candidate->own_collector = candidate->own_collector && record->own_collector;
        if (!record->failure.failed) {
            pool->records[pool->count++] = record;
            continue;
        }
        candidate->failed_repeats++;
        if (first_failed == NULL)
            first_failed = record;
    }
    candidate->level_name = weakest->level_name;
    candidate->times_count = record_times_count(records[0]);
    candidate->failure = (struct failure){.rank = NAN, .step = NAN, .limit_mb = NAN};
    bool forgiven = policy->allow_failed_repeats && pool->count > 0;
    if (first_failed != NULL && !forgiven)
        candidate->failure = first_failed->failure;
    if (pool->count == 0) {
        memcpy(pool->records, records, count * sizeof *records);
        pool->count = count;
    }
}

enum status repeats_pool(const struct record **records, size_t count, const struct policy *policy,
                         struct arena *arena, struct candidate *candidate, struct diag *diag)
{
    struct pool pool = {
        .records = arena_take_array(arena, count, sizeof *pool.records),
        .arena = arena,
        .scratch = arena_take_array(arena, count, sizeof *pool.scratch),
    };
    if (pool.records == NULL || pool.scratch == NULL)
        return diag_no_memory(diag);
    *candidate = (struct candidate){
        .strategy = records[0]->strategy, .records = records, .record_count = count};
    choose_runs(records, count, policy, candidate, &pool);
    candidate->workload = pool.records[0]->workload;
    for (size_t i = 0; i < count; i++)
        repeats_complete_workload(&candidate->workload, &records[i]->workload);
    candidate->metrics = pool.records[0]->metrics;
    enum status status = STATUS_OK;
    if (pool.count > 1) {
        pool_times(&pool, candidate);
        pool_rates(&pool, &candidate->metrics);
        status = note_pooling(&pool, candidate, diag);
    }
    if (status == STATUS_OK && count > 1)
        status = pool_memory(records, count, arena, &candidate->metrics, diag);
    if (status == STATUS_OK)
        status = pool_normalised(records, count, arena, candidate, diag);
    if (status == STATUS_OK && pool.failed)
        status = diag_no_memory(diag);
    candidate->memory_kind = repeats_memory_kind(&candidate->metrics, policy);
    candidate->peak_mb =
        candidate->memory_kind < 0 ? NAN : candidate->metrics.peak_mb[candidate->memory_kind];
    return status;
}
