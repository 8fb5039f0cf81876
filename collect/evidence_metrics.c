#include "evidence_metrics.h"

#include <math.h>
#include <stdlib.h>

#define MIB 1048576.0
#define NS_PER_MS 1e6

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double evidence_metrics_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, compare);
    size_t middle = count / 2;
    return count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/* ---- steps ---- */

static double time_ns(const struct rank_step *step)
{
    return (double)step->total_ns;
}

static double share_of(uint64_t part, const struct rank_step *step)
{
    return step->total_ns > 0 ? (double)part / (double)step->total_ns : 0;
}

static double exposed_share(const struct rank_step *step)
{
    return share_of(step->exposed_ns, step);
}

static double in_flight_share(const struct rank_step *step)
{
    return share_of(step->in_flight_ns, step);
}

/* Median over the steps of all rounds of the largest rank's value. */
static double median_of_largest(const struct evidence_source *source,
                                double (*value)(const struct rank_step *step), double *values)
{
    size_t count = 0;
    for (size_t round = 0; round < source->round_count; round++)
        for (uint64_t s = 0; s < evidence_source_common(source, round); s++) {
            double largest = 0;
            for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
                const struct rank_record *record = evidence_source_record(source, round, rank);
                largest = fmax(largest, value(evidence_source_step(record, s)));
            }
            values[count++] = largest;
        }
    return evidence_metrics_median(values, count);
}

static double tokens_of_step(const struct evidence_source *source)
{
    const struct training *training = &source->config->training;
    return (double)training_global_batch(training) * (double)training->schedule.shape.seq_len;
}

double evidence_metrics_loss(const struct evidence_source *source, size_t round, uint64_t step)
{
    double sum = 0;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++)
        sum += evidence_source_record(source, round, rank)->steps[step].loss_sum;
    return sum / tokens_of_step(source);
}

size_t evidence_metrics_longest_round(const struct evidence_source *source)
{
    size_t longest = 0;
    for (size_t round = 1; round < source->round_count; round++)
        if (evidence_source_noted(source, round) > evidence_source_noted(source, longest))
            longest = round;
    return longest;
}

/* ---- memory ---- */

uint64_t evidence_metrics_phase_peak(const struct evidence_source *source, uint64_t rank,
                                     enum schedule_phase phase, size_t *round)
{
    uint64_t largest = 0;
    *round = 0;
    for (size_t i = 0; i < source->round_count; i++) {
        uint64_t peak = evidence_source_record(source, i, rank)->phase_peak[phase];
        if (peak > largest) {
            largest = peak;
            *round = i;
        }
    }
    return largest;
}

static uint64_t peak_between(const struct evidence_source *source, uint64_t rank, int first,
                             int last)
{
    uint64_t largest = 0;
    for (int phase = first; phase <= last; phase++) {
        size_t round;
        uint64_t peak =
            evidence_metrics_phase_peak(source, rank, (enum schedule_phase)phase, &round);
        largest = peak > largest ? peak : largest;
    }
    return largest;
}

uint64_t evidence_metrics_training_peak(const struct evidence_source *source, uint64_t rank)
{
    return peak_between(source, rank, SCHEDULE_PHASE_INIT, SCHEDULE_PHASE_OPTIMIZER);
}

bool evidence_metrics_has_peaks(const struct evidence_source *source)
{
    for (size_t round = 0; round < source->round_count; round++)
        if (evidence_source_noted(source, round) > 0)
            return true;
    return false;
}

/* ---- memory of devices ---- */

/* Then the device says what they use together. */
static bool is_shared(const struct evidence_source *source, uint64_t rank)
{
    return source->places != NULL &&
           run_devices_sharers(source->places, evidence_source_ranks(source), rank) > 1;
}

bool evidence_metrics_device_of(const struct evidence_source *source, uint64_t rank,
                                struct evidence_metrics_device *device)
{
    *device = (struct evidence_metrics_device){0};
    for (size_t round = 0; round < source->round_count; round++) {
        const struct rank_record *record = evidence_source_record(source, round, rank);
        if (record->gpu.training_peak_bytes <= device->training_peak_bytes)
            continue;
        device->arena_bytes = record->arena_bytes;
        device->before_bytes = record->gpu.before_bytes;
        device->training_peak_bytes = record->gpu.training_peak_bytes;
        device->peak_bytes = record->gpu.peak_bytes;
    }
    if (device->training_peak_bytes >= device->before_bytes + device->arena_bytes &&
        !is_shared(source, rank))
        device->own_bytes = device->training_peak_bytes - device->before_bytes;
    return device->training_peak_bytes > 0;
}

/* Of the rank that has most; NAN unless it can be told of all. */
static double device_peak_mb(const struct evidence_source *source)
{
    uint64_t largest = 0;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        struct evidence_metrics_device device;
        if (!evidence_metrics_device_of(source, rank, &device) || device.own_bytes == 0)
            return NAN;
        largest = device.own_bytes > largest ? device.own_bytes : largest;
    }
    return (double)largest / MIB;
}

static double largest_mb(const struct evidence_source *source, int first, int last)
{
    uint64_t largest = 0;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        uint64_t peak = peak_between(source, rank, first, last);
        largest = peak > largest ? peak : largest;
    }
    return largest > 0 ? (double)largest / MIB : NAN;
}

/* ---- efficiency ---- */

/* Mean over ranks, in the last round that measured it; NAN if none did. */
static double matrix_tflops(const struct evidence_source *source)
{
    for (size_t round = source->round_count; round-- > 0;) {
        double sum = 0;
        bool all = true;
        for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
            double rate = evidence_source_record(source, round, rank)->matrix_product_flops;
            all = all && rate > 0;
            sum += rate;
        }
        if (all)
            return sum / (double)evidence_source_ranks(source) / 1e12;
    }
    return NAN;
}

static void derive(const struct evidence_source *source, struct evidence_metrics *metrics)
{
    double ranks = (double)evidence_source_ranks(source);
    metrics->throughput = tokens_of_step(source) / (metrics->step_time_ms / 1e3);
    metrics->achieved_tflops = model_flops_per_token(&source->config->training.schedule.shape) *
                               metrics->throughput / ranks / 1e12;
    metrics->matrix_tflops = matrix_tflops(source);
    metrics->utilisation = metrics->achieved_tflops / metrics->matrix_tflops;
    /* Training cannot beat the machine: then something disturbed the product's measurement, and the
     * peak is unknown. */
    if (metrics->utilisation > 1)
        metrics->utilisation = NAN;
    if (evidence_source_ranks(source) == 1 && metrics->steps > 0) {
        metrics->communication_ratio = 0; /* not applicable */
        metrics->in_flight_ratio = 0;
    }
}

enum status evidence_metrics_of(const struct evidence_source *source,
                                struct evidence_metrics *metrics, struct diag *diag)
{
    struct evidence_metrics result = {
        .peak_mb = NAN, .checkpoint_peak_mb = NAN, .device_peak_mb = NAN};
    for (size_t round = 0; round < source->round_count; round++)
        result.steps += evidence_source_common(source, round);
    double *values = calloc((size_t)result.steps + 1, sizeof *values);
    if (values == NULL)
        return diag_no_memory(diag);
    result.step_time_ms = median_of_largest(source, time_ns, values) / NS_PER_MS;
    result.communication_ratio = median_of_largest(source, exposed_share, values);
    result.in_flight_ratio = median_of_largest(source, in_flight_share, values);
    free(values);
    if (evidence_metrics_has_peaks(source)) {
        result.peak_mb = largest_mb(source, SCHEDULE_PHASE_INIT, SCHEDULE_PHASE_OPTIMIZER);
        result.device_peak_mb = device_peak_mb(source);
        result.checkpoint_peak_mb =
            largest_mb(source, SCHEDULE_PHASE_CHECKPOINT_SAVE, SCHEDULE_PHASE_CHECKPOINT_RESTORE);
    }
    derive(source, &result);
    *metrics = result;
    return STATUS_OK;
}
