#include "summary_sample_measured.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { RANKS = 4, STEPS = 24, ROUNDS = 2, WARMUP = 2, POINTS = 11 };

static void *take(struct summary *summary, size_t size)
{
    void *memory = arena_take(&summary->arena, size);
    if (memory == NULL)
        abort();
    return memory;
}

/* What the arena holds is the sample's own. */
static double *own(const double *items)
{
    return (double *)(uintptr_t)items;
}

/* A number in [0, 1) that looks random: SplitMix64's mixing. */
static double noise(uint64_t seed)
{
    uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* ---- times ---- */

static void add_samples(struct summary *summary, struct summary_candidate *candidate, size_t index,
                        double step_ms)
{
    struct summary_numbers *ranks = take(summary, RANKS * sizeof *ranks);
    double *rounds = take(summary, ROUNDS * sizeof *rounds);
    for (size_t r = 0; r < RANKS; r++) {
        double *times = take(summary, STEPS * sizeof *times);
        for (size_t i = 0; i < STEPS; i++) {
            double spread = 0.01 * noise(1000 * index + i) + 0.002 * noise(10 * i + r);
            double straggler = i == 9 && r == 2 ? 0.08 : 0;
            times[i] = step_ms * (0.994 + spread + straggler);
        }
        ranks[r] = (struct summary_numbers){times, STEPS};
    }
    for (size_t i = 0; i < ROUNDS; i++)
        rounds[i] = STEPS / ROUNDS;
    candidate->step_times = (struct summary_samples){ranks, RANKS};
    candidate->round_steps = (struct summary_numbers){rounds, ROUNDS};
    candidate->warmup = WARMUP;
    candidate->step_time_smallest_ms = step_ms * 0.994;
    candidate->step_time_largest_ms = step_ms * 1.08;
    candidate->step_time_variation = 0.017;
}

static void add_losses(struct summary *summary, struct summary_candidate *candidate, size_t index)
{
    double *losses = take(summary, (WARMUP + STEPS) * sizeof *losses);
    double *norms = take(summary, (WARMUP + STEPS) * sizeof *norms);
    for (size_t i = 0; i < WARMUP + STEPS; i++) {
        losses[i] = 3.2 + 7.8 * exp(-0.16 * (double)i) + 0.05 * noise(7 * i) +
                    1e-4 * (double)(index % 5) * noise(i);
        norms[i] = 1 + 12 * exp(-0.3 * (double)i) + 0.2 * noise(3 * i);
    }
    candidate->losses = (struct summary_numbers){losses, WARMUP + STEPS};
    candidate->grad_norms = (struct summary_numbers){norms, WARMUP + STEPS};
}

static void add_intervals(struct summary_candidate *candidate, size_t index)
{
    double width = 0.003 + 0.004 * noise(index);
    candidate->interval_unit = index % 2 == 0 ? "round" : "within_run";
    candidate->interval_samples = STEPS;
    candidate->throughput_lower = candidate->throughput * (1 - width);
    candidate->throughput_upper = candidate->throughput * (1 + width);
    candidate->step_time_lower_ms = candidate->step_time_ms / (1 + width);
    candidate->step_time_upper_ms = candidate->step_time_ms / (1 - width);
    candidate->ratio_lower = 0.9 - width;
    candidate->ratio_upper = 0.9 + width;
}

static void add_timing(struct summary_candidate *candidate, double step_ms)
{
    double exposed = candidate->communication_ratio * step_ms;
    double computing = step_ms * 0.98 - exposed;
    candidate->timing = (struct summary_timing){.available = true,
                                                .rank = 2,
                                                .steps = STEPS,
                                                .step_ms = step_ms,
                                                .forward_ms = 0.3 * computing,
                                                .backward_ms = 0.62 * computing,
                                                .optimizer_ms = 0.08 * computing,
                                                .exposed_ms = exposed,
                                                .other_ms = 0.02 * step_ms,
                                                .in_flight_ms = 1.8 * exposed};
}

/* ---- memory ---- */

static void add_phases(struct summary *summary, struct summary_candidate *candidate)
{
    static const struct {
        const char *name;
        double of_peak; /* of what is not resident at the peak */
    } rows[] = {{"init", 0},        {"forward", 0.85},        {"backward", 1},
                {"optimizer", 0.1}, {"checkpoint_save", 0.2}, {"checkpoint_restore", 0.3}};
    static const char *const names[] = {"parameters", "gradients", "optimizer_state", "activations",
                                        "workspace"};
    const struct summary_ledger *ledger = &candidate->ledger;
    double beside = candidate->peak_memory_mb - ledger->resident_mb;
    struct summary_phase *phases = take(summary, COUNT(rows) * sizeof *phases);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct summary_amount *amounts = take(summary, COUNT(names) * sizeof *amounts);
        const double values[] = {ledger->parameters_mb, ledger->gradients_mb,
                                 ledger->optimizer_state_mb, 0.9 * rows[i].of_peak * beside,
                                 0.1 * rows[i].of_peak * beside};
        for (size_t k = 0; k < COUNT(names); k++)
            amounts[k] = (struct summary_amount){names[k], NULL, values[k]};
        phases[i] = (struct summary_phase){
            rows[i].name, ledger->resident_mb + rows[i].of_peak * beside, {amounts, COUNT(names)}};
    }
    candidate->phases = phases;
    candidate->phase_count = COUNT(rows);
}

/* Which of parameters, gradients and optimizer state a strategy shards (summary_sample.c). */
static void add_scale(struct summary *summary, struct summary_candidate *candidate, size_t index)
{
    static const bool sharded[5][3] = {{false, false, false},
                                       {false, false, true},
                                       {false, true, true},
                                       {true, true, true},
                                       {true, true, true}};
    const struct summary_ledger *ledger = &candidate->ledger;
    const double state[] = {ledger->parameters_mb, ledger->gradients_mb,
                            ledger->optimizer_state_mb};
    struct summary_scale_point *points = take(summary, POINTS * sizeof *points);
    for (size_t i = 0; i < POINTS; i++) {
        points[i].world_size = (double)(1U << i);
        points[i].resident_mb = 0;
        for (size_t k = 0; k < 3; k++)
            points[i].resident_mb +=
                sharded[index % 5][k] ? state[k] * RANKS / points[i].world_size : state[k];
    }
    candidate->scale = (struct summary_scale){points, POINTS};
}

/* ---- communication ---- */

static void add_collectives(struct summary *summary, struct summary_candidate *candidate,
                            size_t index)
{
    static const char *const kinds[5][3][2] = {
        {{"all_reduce", "gradient_reduction"}, {"all_reduce", "scalar"}},
        {{"reduce_scatter", "gradient_reduction"},
         {"all_gather", "parameter_sync"},
         {"all_reduce", "scalar"}},
        {{"reduce_scatter", "gradient_reduction"},
         {"all_gather", "parameter_sync"},
         {"all_reduce", "scalar"}},
        {{"all_gather", "parameter_gather"},
         {"reduce_scatter", "gradient_reduction"},
         {"all_reduce", "scalar"}},
        {{"all_gather", "parameter_gather"},
         {"reduce_scatter", "gradient_reduction"},
         {"all_reduce", "scalar"}}};
    struct summary_collective *rows = take(summary, 3 * sizeof *rows);
    size_t count = 0;
    candidate->formula_payload_mb = 0;
    for (size_t i = 0; i < 3 && kinds[index % 5][i][0] != NULL; i++) {
        bool scalar = strcmp(kinds[index % 5][i][1], "scalar") == 0;
        double payload = scalar ? 8 / 1048576.0 : 1430.511 * (1 + (double)(i == 0 && index > 2));
        double share = scalar ? 0.001 : i == 0 ? 0.7 : 0.3;
        rows[count++] = (struct summary_collective){
            .collective = kinds[index % 5][i][0],
            .purpose = kinds[index % 5][i][1],
            .calls = scalar ? 1 : 48,
            .expected_calls = scalar ? 1 : 48,
            .payload_mb = payload,
            .expected_mb = payload,
            .exposed_ms = share * candidate->timing.exposed_ms,
            .in_flight_ms = share * candidate->timing.in_flight_ms,
            .bus_gb_per_s = scalar ? 0.0003 : 8.5 + 4 * noise(index + i),
        };
        candidate->formula_payload_mb += payload;
    }
    candidate->collectives = rows;
    candidate->collective_count = count;
}

static void add_links(struct summary *summary, struct summary_candidate *candidate)
{
    static const char *const names[] = {"all_reduce", "reduce_scatter", "all_gather"};
    static const double payloads[] = {1, 16, 64, 256};
    struct summary_link *links = take(summary, COUNT(names) * COUNT(payloads) * sizeof *links);
    size_t count = 0;
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(payloads); k++)
            links[count++] = (struct summary_link){names[i], payloads[k],
                                                   14.0 * payloads[k] / (payloads[k] + 4)};
    candidate->links = links;
    candidate->link_count = count;
}

void summary_sample_measure(struct summary *summary, struct summary_candidate *candidate,
                            size_t index)
{
    double step_ms = 320.0 * 1024 / candidate->throughput * 1000;
    candidate->step_time_ms = step_ms;
    candidate->world_size = RANKS;
    candidate->in_flight_ratio = 1.8 * candidate->communication_ratio;
    add_samples(summary, candidate, index, step_ms);
    add_losses(summary, candidate, index);
    add_intervals(candidate, index);
    add_timing(candidate, step_ms);
    add_phases(summary, candidate);
    add_scale(summary, candidate, index);
    add_collectives(summary, candidate, index);
    add_links(summary, candidate);
}

/* ---- changes ---- */

static void shorten(struct summary_numbers *numbers, size_t count)
{
    if (numbers->count > count)
        numbers->count = count;
}

void summary_sample_interrupt(struct summary_candidate *candidate, size_t steps)
{
    struct summary_numbers *ranks =
        (struct summary_numbers *)(uintptr_t)candidate->step_times.ranks;
    for (size_t r = 0; r < candidate->step_times.rank_count; r++)
        shorten(&ranks[r], steps);
    if (steps == 0) {
        candidate->step_times = (struct summary_samples){0};
        candidate->phases = NULL;
        candidate->phase_count = 0;
    }
    shorten(&candidate->losses, steps == 0 ? 0 : steps + WARMUP);
    shorten(&candidate->grad_norms, candidate->losses.count);
    candidate->round_steps = (struct summary_numbers){0};
    candidate->collective_count = 0;
    candidate->timing = (struct summary_timing){.rank = NAN,
                                                .steps = NAN,
                                                .step_ms = NAN,
                                                .forward_ms = NAN,
                                                .backward_ms = NAN,
                                                .optimizer_ms = NAN,
                                                .exposed_ms = NAN,
                                                .other_ms = NAN,
                                                .in_flight_ms = NAN};
    double *const numbers[] = {&candidate->step_time_ms,         &candidate->step_time_smallest_ms,
                               &candidate->step_time_largest_ms, &candidate->step_time_variation,
                               &candidate->step_time_lower_ms,   &candidate->step_time_upper_ms,
                               &candidate->throughput_lower,     &candidate->throughput_upper,
                               &candidate->ratio_lower,          &candidate->ratio_upper,
                               &candidate->in_flight_ratio};
    for (size_t i = 0; i < COUNT(numbers); i++)
        *numbers[i] = NAN;
    candidate->interval_unit = NULL;
    candidate->interval_samples = 0;
}

void summary_sample_stretch(struct summary_candidate *candidate, double factor)
{
    struct summary_timing *timing = &candidate->timing;
    double *const numbers[] = {&candidate->step_time_ms,
                               &candidate->step_time_smallest_ms,
                               &candidate->step_time_largest_ms,
                               &candidate->step_time_lower_ms,
                               &candidate->step_time_upper_ms,
                               &timing->step_ms,
                               &timing->forward_ms,
                               &timing->backward_ms,
                               &timing->optimizer_ms,
                               &timing->exposed_ms,
                               &timing->other_ms,
                               &timing->in_flight_ms};
    for (size_t i = 0; i < COUNT(numbers); i++)
        *numbers[i] *= factor;
    for (size_t r = 0; r < candidate->step_times.rank_count; r++)
        for (size_t i = 0; i < candidate->step_times.ranks[r].count; i++)
            own(candidate->step_times.ranks[r].items)[i] *= factor;
    candidate->throughput_lower /= factor;
    candidate->throughput_upper /= factor;
}

void summary_sample_vary(struct summary *summary, struct summary_candidate *candidate, size_t index)
{
    size_t ranks = index % 5 == 1 ? 12 : RANKS;
    struct summary_numbers *all = take(summary, ranks * sizeof *all);
    for (size_t r = 0; r < ranks; r++) {
        double *times = take(summary, STEPS * sizeof *times);
        for (size_t i = 0; i < STEPS; i++) {
            double straggler = index % 5 == 2 && r == 1 ? 1.04 : 1;
            double drift = index % 3 == 2 ? 1 + 0.004 * (double)i : 1;
            times[i] = candidate->step_time_ms * straggler * drift *
                       (0.994 + 0.01 * noise(1000 * index + i) + 0.004 * noise(10 * i + r));
        }
        all[r] = (struct summary_numbers){times, STEPS};
    }
    candidate->step_times = (struct summary_samples){all, ranks};
    if (index % 2 == 1)
        candidate->round_steps.count = 1;
}

void summary_sample_diverge(struct summary_candidate *candidate, size_t index)
{
    static const double sizes[] = {1e3, 1e-6, 1, 30};
    double *losses = own(candidate->losses.items);
    for (size_t i = 0; i < candidate->losses.count; i++)
        losses[i] *= index % 3 == 0 ? pow(1.7, (double)i) : index % 3 == 1 ? 1 : 1e-9;
    if (index % 3 == 1 && candidate->losses.count > 9)
        losses[9] = NAN;
    if (index % 4 == 3)
        candidate->warmup = index % 8 == 3 ? 9 : NAN;
    struct summary_phase *phases = (struct summary_phase *)(uintptr_t)candidate->phases;
    for (size_t i = 0; i < candidate->phase_count; i++) {
        double factor = sizes[(index + i) % COUNT(sizes)];
        struct summary_amount *amounts =
            (struct summary_amount *)(uintptr_t)phases[i].by_category.items;
        phases[i].peak_mb *= factor;
        for (size_t k = 0; k < phases[i].by_category.count; k++)
            amounts[k].mb *= factor;
    }
}

static bool beats(const struct summary_candidate *other, const struct summary_candidate *candidate)
{
    return other->failure.reason == NULL && other->throughput >= candidate->throughput &&
           other->peak_memory_mb <= candidate->peak_memory_mb &&
           (other->throughput > candidate->throughput ||
            other->peak_memory_mb < candidate->peak_memory_mb);
}

void summary_sample_find_front(struct summary_group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct summary_candidate *candidate =
            (struct summary_candidate *)(uintptr_t)&group->candidates[i];
        candidate->on_front = candidate->failure.reason == NULL && !isnan(candidate->throughput) &&
                              !isnan(candidate->peak_memory_mb);
        for (size_t k = 0; k < group->candidate_count; k++)
            candidate->on_front = candidate->on_front && !beats(&group->candidates[k], candidate);
    }
}

void summary_sample_describe(struct summary_group *group)
{
    static const struct summary_condition workload[] = {
        {"model", "gpt2_750m", NAN, false}, {"parameters", "750000000", 7.5e8, false},
        {"seq_len", "1024", 1024, false},   {"global_batch", "320", 320, false},
        {"world_size", "4", 4, false},      {"micro_batch", "1, 2, 4", NAN, true},
        {"dtype", "bf16", NAN, false},      {"optimizer", "adamw", NAN, false},
        {"warmup", "2", 2, false},          {"repeats", "24", 24, false}};
    static const struct summary_condition hardware[] = {
        {"device", "NVIDIA A10G", NAN, false},
        {"device_count", "4", 4, false},
        {"hosts", "1", 1, false},
        {"cores_per_host", "48", 48, false},
        {"memory_bytes_per_host", "206158430208", 206158430208.0, false}};
    static const struct summary_condition conditions[] = {
        {"environment.kernel", "6.1.0", NAN, false},
        {"environment.driver", "550.54.15, 560.28.03", NAN, true},
        {"environment.nccl", NULL, NAN, false},
        {"run.version", "0.1.0", NAN, false},
        {"run.started_utc", "2026-01-05T10:00:00Z", NAN, false}};
    static const struct summary_condition key[] = {
        {"model", "gpt2_750m", NAN, false},  {"world_size", "4", 4, false},
        {"global_batch", "320", 320, false}, {"seq_len", "1024", 1024, false},
        {"dtype", "bf16", NAN, false},       {"device", "NVIDIA A10G", NAN, false}};
    group->workload = (struct summary_conditions){workload, COUNT(workload)};
    group->hardware = (struct summary_conditions){hardware, COUNT(hardware)};
    group->conditions = (struct summary_conditions){conditions, COUNT(conditions)};
    group->key = (struct summary_conditions){key, COUNT(key)};
}
