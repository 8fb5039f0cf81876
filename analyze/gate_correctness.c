#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gate_table.h"
#include "normalise.h"

/*
 * Every strategy trains the same model on the same batches, so its losses and gradient norms follow
 * the baseline's. Allowed relative deviations: losses over the first steps, norms at every step,
 * in fp32 and in a half-width type (the collector's documented tolerances).
 */
#define LOSS_STEPS 10

struct tolerance {
    double loss, norm;
};

static struct tolerance tolerance_of(const struct candidate *candidate)
{
    const char *dtype = normalise_dtype(candidate->workload.dtype);
    if (dtype != NULL && strcmp(dtype, "fp32") == 0)
        return (struct tolerance){1e-5, 1e-4};
    return (struct tolerance){5e-3, 2e-2};
}

/* No relative deviation is shown larger, so that arithmetic on it stays finite. */
#define LARGEST_DEVIATION 1e300

/* |a - b| / |b|; a number that is not finite on one side alone deviates without bound. */
static double relative_deviation(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : LARGEST_DEVIATION;
    double difference = fabs(a - b);
    double relative = difference == 0 ? 0 : difference / fabs(b);
    return relative > LARGEST_DEVIATION ? LARGEST_DEVIATION : relative;
}

/* The largest deviation over the common steps; NAN without any. */
static double deviation(const struct series *a, const struct series *b, size_t steps)
{
    size_t count = a->count < b->count ? a->count : b->count;
    if (count > steps)
        count = steps;
    double largest = NAN;
    for (size_t i = 0; i < count; i++) {
        double relative = relative_deviation(a->values[i], b->values[i]);
        if (isnan(largest) || relative > largest)
            largest = relative;
    }
    return largest;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* The worse of the deviations of losses and of norms, in parts of its tolerance. */
static double worst_of(const struct metrics *own, const struct metrics *baseline,
                       const struct tolerance *allowed)
{
    double loss = deviation(&own->losses, &baseline->losses, LOSS_STEPS) / allowed->loss;
    double norm = deviation(&own->grad_norms, &baseline->grad_norms, SIZE_MAX) / allowed->norm;
    return larger(loss, norm);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* What our own collector says of a run by itself: its ranks, or its rounds, differ from each other.
 * NULL: they do not, or nothing is said. */
static const char *contradiction(const struct candidate *candidate)
{
    for (size_t i = 0; candidate->own_collector && i < candidate->record_count; i++) {
        const struct json_read_document *json = candidate->records[i]->json;
        if (json == NULL)
            continue;
        uint32_t section = json_read_member(json, candidate->records[i]->node, "correctness");
        uint32_t ranks = json_read_member(json, section, "ranks_agree_on_grad_norms");
        uint32_t rounds = json_read_member(json, section, "rounds_agree_on_losses");
        if (json_read_is(json, ranks, JSON_READ_FALSE))
            return "its ranks have different gradient norms: they did not train one model";
        if (json_read_is(json, rounds, JSON_READ_FALSE))
            return "its rounds have different losses: they did not train the same";
    }
    return NULL;
}

/*
 * The value is the worst deviation of any repeat in parts of its tolerance, so that the limit is 1.
 * It is always shown; it fails a record of our own collector by default, of others only where the
 * policy says so: another program may draw other batches for each strategy.
 */
void gate_correctness(const struct gate_context *context, const struct candidate *candidate,
                      struct gate_result *result)
{
    const struct candidate *baseline = context->baseline;
    enum policy_correctness asked = context->policy->correctness;
    bool binding = asked == POLICY_CORRECTNESS_ON ||
                   (asked == POLICY_CORRECTNESS_OWN && candidate->own_collector);
    result->unit = "";
    result->verdict = GATE_NOT_APPLIED;
    result->detail = contradiction(candidate);
    if (result->detail != NULL) {
        result->verdict = binding ? GATE_FAIL : GATE_NOT_APPLIED;
        return;
    }
    if (baseline == NULL || baseline == candidate || baseline->strategy == candidate->strategy ||
        !same_number(baseline->workload.global_batch, candidate->workload.global_batch)) {
        result->detail = baseline == NULL ? "no baseline run to compare with"
                         : baseline->strategy == candidate->strategy
                             ? "this is the baseline"
                             : "the baseline has another global batch";
        return;
    }
    struct tolerance allowed = tolerance_of(candidate);
    double worst = worst_of(&candidate->metrics, &baseline->metrics, &allowed);
    for (size_t i = 0; i < candidate->record_count; i++) /* every repeat, not the first alone */
        worst =
            larger(worst, worst_of(&candidate->records[i]->metrics, &baseline->metrics, &allowed));
    if (isnan(worst) && asked != POLICY_CORRECTNESS_ON) {
        result->detail = "losses and gradient norms are not recorded in both runs";
        return;
    }
    gate_at_most(candidate, worst, 1, result);
    if (result->verdict == GATE_FAIL && !binding) {
        result->verdict = GATE_NOT_APPLIED;
        result->detail =
            "losses or gradient norms differ from the baseline's beyond the tolerance; "
            "shown only, this producer may draw other batches";
    }
}
