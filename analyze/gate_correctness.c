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

/* The largest |a - b| / |b| over the common steps; NAN without any. */
static double deviation(const struct series *a, const struct series *b, size_t steps)
{
    size_t count = a->count < b->count ? a->count : b->count;
    if (count > steps)
        count = steps;
    double largest = NAN;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs(a->values[i] - b->values[i]);
        double relative = difference == 0 ? 0 : difference / fabs(b->values[i]);
        if (relative > LARGEST_DEVIATION)
            relative = LARGEST_DEVIATION;
        if (isnan(largest) || relative > largest)
            largest = relative;
    }
    return largest;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/*
 * The value is the worse of the two deviations in parts of its tolerance, so that the limit is 1.
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
    if (baseline == NULL || baseline == candidate || baseline->strategy == candidate->strategy ||
        !same_number(baseline->workload.global_batch, candidate->workload.global_batch)) {
        result->detail = baseline == NULL ? "no baseline run to compare with"
                         : baseline->strategy == candidate->strategy
                             ? "this is the baseline"
                             : "the baseline has another global batch";
        return;
    }
    struct tolerance allowed = tolerance_of(candidate);
    double loss =
        deviation(&candidate->metrics.losses, &baseline->metrics.losses, LOSS_STEPS) / allowed.loss;
    double norm =
        deviation(&candidate->metrics.grad_norms, &baseline->metrics.grad_norms, SIZE_MAX) /
        allowed.norm;
    double worst = isnan(loss) || norm > loss ? norm : loss;
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
