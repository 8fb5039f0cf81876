#include <math.h>
#include <stdlib.h>

#include "evidence_parts.h"

#define NS_PER_MS 1e6

static const struct rank_record *record_of(const struct evidence_parts *parts, size_t round,
                                           uint64_t rank)
{
    return evidence_source_record(parts->source, round, rank);
}

static uint64_t ranks_of(const struct evidence_parts *parts)
{
    return evidence_source_ranks(parts->source);
}

/* ---- metrics ---- */

static uint64_t total_ns(const struct rank_step *step)
{
    return step->total_ns;
}

static uint64_t exposed_ns(const struct rank_step *step)
{
    return step->exposed_ns;
}

static uint64_t in_flight_ns(const struct rank_step *step)
{
    return step->in_flight_ns;
}

/* [rank][step] in ms: every measured step, of all rounds one after another. */
static json_t *samples(const struct evidence_parts *parts,
                       uint64_t (*ns)(const struct rank_step *step))
{
    json_t *rows = json_write_array(parts->writer);
    for (uint64_t rank = 0; rank < ranks_of(parts); rank++) {
        json_t *row = json_write_array(parts->writer);
        for (size_t round = 0; round < parts->source->round_count; round++) {
            const struct rank_record *record = record_of(parts, round, rank);
            for (uint64_t s = 0; s < evidence_source_measured(record); s++)
                json_write_append(
                    parts->writer, row,
                    json_write_real(parts->writer,
                                    (double)ns(evidence_source_step(record, s)) / NS_PER_MS));
        }
        json_write_append(parts->writer, rows, row);
    }
    return rows;
}

static json_t *peaks(const struct evidence_parts *parts)
{
    json_t *array = json_write_array(parts->writer);
    for (uint64_t rank = 0; rank < ranks_of(parts); rank++)
        json_write_append(
            parts->writer, array,
            json_write_real(parts->writer,
                            (double)evidence_metrics_training_peak(parts->source, rank) / 1048576));
    return array;
}

static void set_training_record(const struct evidence_parts *parts, json_t *object)
{
    size_t round = evidence_metrics_longest_round(parts->source);
    uint64_t count =
        parts->source->round_count > 0 ? evidence_source_noted(parts->source, round) : 0;
    if (count == 0)
        return;
    json_t *losses = json_write_array(parts->writer);
    json_t *norms = json_write_array(parts->writer);
    for (uint64_t s = 0; s < count; s++) {
        double loss = evidence_metrics_loss(parts->source, round, s);
        double norm = record_of(parts, round, 0)->steps[s].grad_norm;
        /* null stands for a number that was not finite. */
        json_write_append(parts->writer, losses,
                          json_write_real_or_null(parts->writer, isfinite(loss) ? loss : NAN));
        json_write_append(parts->writer, norms,
                          json_write_real_or_null(parts->writer, isfinite(norm) ? norm : NAN));
    }
    evidence_parts_set(parts, object, "losses", losses);
    evidence_parts_set(parts, object, "grad_norms", norms);
}

static void set_times(const struct evidence_parts *parts, json_t *object)
{
    const struct evidence_metrics *metrics = &parts->metrics;
    evidence_parts_set_number(parts, object, "step_time_ms", metrics->step_time_ms);
    evidence_parts_set(parts, object, "step_times_ms", samples(parts, total_ns));
    evidence_parts_set_number(parts, object, "throughput", metrics->throughput);
    evidence_parts_set_text(parts, object, "throughput_unit", "tokens/s");
    evidence_parts_set_number(parts, object, "communication_ratio", metrics->communication_ratio);
    evidence_parts_set(parts, object, "skew_ratio", json_write_null(parts->writer));
    evidence_parts_set_number(parts, object, "communication_in_flight_ratio",
                              metrics->in_flight_ratio);
    if (ranks_of(parts) == 1)
        evidence_parts_set_text(parts, object, "communication_note", "not applicable: one rank");
    evidence_parts_set_number(parts, object, "achieved_tflops", metrics->achieved_tflops);
    evidence_parts_set_number(parts, object, "utilisation", metrics->utilisation);
    evidence_parts_set_text(parts, object, "flop_model",
                            "6 (parameters - embeddings + V C) + 12 L C T per token");
    if (metrics->achieved_tflops > metrics->matrix_tflops)
        evidence_parts_set_text(parts, object, "utilisation_note",
                                "the matrix product was measured slower than training computes: "
                                "the machine was busy then, and its peak is unknown");
    else if (!isnan(metrics->matrix_tflops))
        evidence_parts_set_text(parts, object, "peak_source",
                                "matrix_product measured in the same run");
}

json_t *evidence_parts_metrics(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    if (!isnan(parts->metrics.peak_mb)) {
        evidence_parts_set_number(parts, object, "peak_memory_mb", parts->metrics.peak_mb);
        evidence_parts_set(parts, object, "peak_memory_mb_per_rank", peaks(parts));
        evidence_parts_set_text(parts, object, "memory_kind", "allocated");
    }
    if (!isnan(parts->metrics.device_peak_mb))
        evidence_parts_set_number(parts, object, "peak_device_mb", parts->metrics.device_peak_mb);
    if (!isnan(parts->metrics.checkpoint_peak_mb))
        evidence_parts_set_number(parts, object, "checkpoint_peak_memory_mb",
                                  parts->metrics.checkpoint_peak_mb);
    if (parts->metrics.steps > 0)
        set_times(parts, object);
    set_training_record(parts, object);
    return object;
}

/* ---- where a step's time went ---- */

/* The parts of a rank's measured steps, added up. */
struct sums {
    double steps, total, forward, backward, optimizer, exposed, other, in_flight;
    double exposed_phase[SCHEDULE_PHASE_COUNT];
    uint64_t most_faults;
};

static void add_step(struct sums *sums, const struct rank_step *step)
{
    sums->steps++;
    sums->total += (double)step->total_ns;
    sums->forward += (double)step->forward_ns;
    sums->backward += (double)step->backward_ns;
    sums->optimizer += (double)step->optimizer_ns;
    sums->exposed += (double)step->exposed_ns;
    sums->other += (double)step->other_ns;
    sums->in_flight += (double)step->in_flight_ns;
    for (int phase = 0; phase < SCHEDULE_PHASE_COUNT; phase++)
        sums->exposed_phase[phase] += (double)step->exposed_phase_ns[phase];
    if (step->minor_faults > sums->most_faults)
        sums->most_faults = step->minor_faults;
}

static struct sums sums_of(const struct evidence_parts *parts, uint64_t rank)
{
    struct sums sums = {0};
    for (size_t round = 0; round < parts->source->round_count; round++) {
        const struct rank_record *record = record_of(parts, round, rank);
        for (uint64_t s = 0; s < evidence_source_measured(record); s++)
            add_step(&sums, evidence_source_step(record, s));
    }
    return sums;
}

static json_t *rank_timing(const struct evidence_parts *parts, uint64_t rank)
{
    const struct sums sums = sums_of(parts, rank);
    const struct {
        const char *key;
        double ns;
    } rows[] = {{"step_ms", sums.total},         {"forward_ms", sums.forward},
                {"backward_ms", sums.backward},  {"optimizer_ms", sums.optimizer},
                {"exposed_ms", sums.exposed},    {"other_ms", sums.other},
                {"in_flight_ms", sums.in_flight}};
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_count(parts, object, "rank", rank);
    if (sums.steps == 0)
        return object;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        evidence_parts_set_number(parts, object, rows[i].key, rows[i].ns / sums.steps / NS_PER_MS);
    json_t *exposed = json_write_object(parts->writer);
    for (int phase = SCHEDULE_PHASE_FORWARD; phase <= SCHEDULE_PHASE_OPTIMIZER; phase++)
        evidence_parts_set_number(parts, exposed, schedule_phase_name((enum schedule_phase)phase),
                                  sums.exposed_phase[phase] / sums.steps / NS_PER_MS);
    evidence_parts_set(parts, object, "exposed_by_phase_ms", exposed);
    evidence_parts_set_count(parts, object, "most_minor_faults", sums.most_faults);
    return object;
}

/* Steps whose collectives were left out, in the last round that has them. */
static json_t *without_collectives(const struct evidence_parts *parts)
{
    for (size_t round = parts->source->round_count; round-- > 0;) {
        double slowest[sizeof((struct rank_record *)NULL)->bare_ns / sizeof(uint64_t)] = {0};
        uint64_t count = sizeof slowest / sizeof slowest[0];
        for (uint64_t rank = 0; rank < ranks_of(parts); rank++)
            count = record_of(parts, round, rank)->bare_steps < count
                        ? record_of(parts, round, rank)->bare_steps
                        : count;
        if (count == 0)
            continue;
        json_t *times = json_write_array(parts->writer);
        for (uint64_t s = 0; s < count; s++) {
            for (uint64_t rank = 0; rank < ranks_of(parts); rank++)
                slowest[s] = fmax(slowest[s], (double)record_of(parts, round, rank)->bare_ns[s]);
            json_write_append(parts->writer, times,
                              json_write_real(parts->writer, slowest[s] / NS_PER_MS));
        }
        json_t *object = json_write_object(parts->writer);
        evidence_parts_set(parts, object, "step_times_ms", times);
        evidence_parts_set_number(parts, object, "step_time_ms",
                                  evidence_metrics_median(slowest, (size_t)count) / NS_PER_MS);
        return object;
    }
    return json_write_null(parts->writer);
}

json_t *evidence_parts_timing(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    json_t *ranks = json_write_array(parts->writer);
    for (uint64_t rank = 0; rank < ranks_of(parts) && parts->source->round_count > 0; rank++)
        json_write_append(parts->writer, ranks, rank_timing(parts, rank));
    /* Only durations are written, each by one clock; between hosts there is no common one. */
    evidence_parts_set_text(parts, object, "clock",
                            evidence_source_hosts(parts->source) > 1 ? "monotonic, each host's own"
                                                                     : "monotonic");
    evidence_parts_set_text(parts, object, "of_ranks", "mean over measured steps");
    evidence_parts_set(parts, object, "per_rank", ranks);
    if (parts->metrics.steps > 0) {
        /* Beside the step times: what the communication ratios are medians of. */
        evidence_parts_set(parts, object, "exposed_times_ms", samples(parts, exposed_ns));
        evidence_parts_set(parts, object, "in_flight_times_ms", samples(parts, in_flight_ns));
    }
    evidence_parts_set(parts, object, "without_collectives", without_collectives(parts));
    return object;
}

/* ---- rounds ---- */

static double round_step_time_ms(const struct evidence_parts *parts, size_t round)
{
    uint64_t count = evidence_source_common(parts->source, round);
    double *slowest = calloc((size_t)count + 1, sizeof *slowest);
    if (slowest == NULL)
        return NAN;
    for (uint64_t s = 0; s < count; s++)
        for (uint64_t rank = 0; rank < ranks_of(parts); rank++) {
            const struct rank_step *step = evidence_source_step(record_of(parts, round, rank), s);
            slowest[s] = fmax(slowest[s], (double)step->total_ns);
        }
    double median = evidence_metrics_median(slowest, (size_t)count) / NS_PER_MS;
    free(slowest);
    return median;
}

json_t *evidence_parts_rounds(const struct evidence_parts *parts)
{
    json_t *array = json_write_array(parts->writer);
    uint64_t first = 0;
    for (size_t round = 0; round < parts->source->round_count; round++) {
        uint64_t steps = evidence_source_measured(record_of(parts, round, 0));
        json_t *object = json_write_object(parts->writer);
        evidence_parts_set_count(parts, object, "round", round);
        evidence_parts_set_count(parts, object, "first_step", first);
        evidence_parts_set_count(parts, object, "steps", steps);
        evidence_parts_set_number(parts, object, "step_time_ms", round_step_time_ms(parts, round));
        json_write_append(parts->writer, array, object);
        first += steps;
    }
    return array;
}

/* ---- correctness ---- */

/* The norm is one number that all ranks agree on: a rank with another one trained another model. */
static bool norms_agree(const struct evidence_parts *parts, size_t round)
{
    for (uint64_t s = 0; s < evidence_source_noted(parts->source, round); s++) {
        double norm = record_of(parts, round, 0)->steps[s].grad_norm;
        for (uint64_t rank = 1; rank < ranks_of(parts); rank++) {
            double other = record_of(parts, round, rank)->steps[s].grad_norm;
            if (other != norm && !(isnan(other) && isnan(norm)))
                return false;
        }
    }
    return true;
}

/* Every round trains the same steps on the same numbers. */
static bool rounds_agree(const struct evidence_parts *parts)
{
    for (size_t round = 1; round < parts->source->round_count; round++) {
        uint64_t count = evidence_source_noted(parts->source, round);
        uint64_t first = evidence_source_noted(parts->source, 0);
        for (uint64_t s = 0; s < (count < first ? count : first); s++)
            if (evidence_metrics_loss(parts->source, round, s) !=
                evidence_metrics_loss(parts->source, 0, s))
                return false;
    }
    return true;
}

json_t *evidence_parts_correctness(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    if (parts->source->round_count == 0)
        return object;
    size_t longest = evidence_metrics_longest_round(parts->source);
    evidence_parts_set_count(parts, object, "recorded_steps",
                             evidence_source_noted(parts->source, longest));
    evidence_parts_set_bool(parts, object, "ranks_agree_on_grad_norms",
                            norms_agree(parts, longest));
    if (parts->source->round_count > 1)
        evidence_parts_set_bool(parts, object, "rounds_agree_on_losses", rounds_agree(parts));
    return object;
}
