#include "gate_table.h"

#include <math.h>
#include <string.h>

bool gate_fails(enum gate_verdict verdict)
{
    return verdict == GATE_FAIL || verdict == GATE_NOT_MEASURED || verdict == GATE_UNIT_DIFFERS;
}

/* A run that failed left no such number: its failure is the finding, not the missing metric. */
static enum gate_verdict absent(const struct candidate *candidate)
{
    return candidate->failure.failed ? GATE_NOT_EVALUATED : GATE_NOT_MEASURED;
}

static void compare(const struct candidate *candidate, double value, double limit, double margin,
                    struct gate_result *result)
{
    if (!isfinite(value))
        value = NAN; /* an overflow of our own arithmetic is no measurement */
    result->value = value;
    result->limit = limit;
    if (isnan(limit)) {
        result->verdict = GATE_NOT_APPLIED;
    } else if (isnan(value)) {
        result->verdict = absent(candidate);
    } else {
        result->margin = margin;
        double percent = margin / limit * 100;
        result->margin_percent = isfinite(percent) ? percent : NAN;
        result->verdict = margin < 0 ? GATE_FAIL : GATE_PASS;
    }
}

/* The sign of a difference of doubles is exact (gradual underflow), so that a value one step
 * beyond its limit fails and an equal one passes. */
void gate_at_most(const struct candidate *candidate, double value, double limit,
                  struct gate_result *result)
{
    compare(candidate, value, limit, limit - value, result);
}

void gate_at_least(const struct candidate *candidate, double value, double limit,
                   struct gate_result *result)
{
    compare(candidate, value, limit, value - limit, result);
}

static void runtime(const struct gate_context *context, const struct candidate *candidate,
                    struct gate_result *result)
{
    (void)context;
    result->unit = "";
    result->verdict = candidate->failure.failed ? GATE_FAIL : GATE_PASS;
    result->detail = candidate->failure.failed ? candidate->failure.reason : "completed";
}

static void memory(const struct gate_context *context, const struct candidate *candidate,
                   struct gate_result *result)
{
    const struct policy *policy = context->policy;
    result->unit = "MiB";
    gate_at_most(candidate, candidate->peak_mb, policy->memory_limit_mb, result);
    if (result->verdict == GATE_PASS && !isnan(policy->tight_memory_fraction) &&
        result->value / result->limit > policy->tight_memory_fraction)
        result->verdict = GATE_TIGHT;
}

static void throughput(const struct gate_context *context, const struct candidate *candidate,
                       struct gate_result *result)
{
    const struct policy *policy = context->policy;
    bool applied = !isnan(policy->min_throughput);
    double value = candidate->metrics.throughput;
    enum throughput_unit own = candidate->metrics.throughput_unit;
    result->unit = throughput_unit_name(isnan(value) ? policy->throughput_unit : own);
    if (!candidate->times_count && !isnan(value) && applied) {
        result->value = value;
        result->limit = policy->min_throughput;
        result->verdict = absent(candidate);
        result->detail = "not measured: at this evidence level times do not count";
        return;
    }
    gate_at_least(candidate, value, policy->min_throughput, result);
    if (applied && !isnan(value) && own != policy->throughput_unit) {
        result->verdict = GATE_UNIT_DIFFERS;
        result->margin = result->margin_percent = NAN;
        result->detail = own == THROUGHPUT_TOKENS
                             ? "unit differs: the minimum is in samples/s, the record in tokens/s"
                             : "unit differs: the minimum is in tokens/s, the record in samples/s";
    }
}

static void communication(const struct gate_context *context, const struct candidate *candidate,
                          struct gate_result *result)
{
    double limit = context->policy->max_communication_ratio;
    double value = candidate->metrics.communication_ratio;
    result->unit = "ratio";
    if (!candidate->times_count && !isnan(value) && !isnan(limit)) {
        result->value = value;
        result->limit = limit;
        result->verdict = absent(candidate);
        result->detail = "not measured: at this evidence level times do not count";
        return;
    }
    gate_at_most(candidate, value, limit, result);
}

static void evidence_level(const struct gate_context *context, const struct candidate *candidate,
                           struct gate_result *result)
{
    const char *minimum = context->policy->min_evidence_level;
    const char *own = candidate->level_name;
    result->unit = "";
    if (minimum == NULL) {
        result->verdict = GATE_NOT_APPLIED;
        return;
    }
    int rank = own == NULL ? 0 : evidence_level_rank(evidence_level_find(own, strlen(own)));
    int asked = evidence_level_rank(evidence_level_find(minimum, strlen(minimum)));
    result->verdict = rank < asked ? GATE_FAIL : GATE_PASS;
}

static const struct gate_row rows[] = {
    {"runtime", runtime, false},
    {"memory", memory, true},
    {"throughput", throughput, true},
    {"communication", communication, true},
    {"evidence_level", evidence_level, false},
    {"correctness", gate_correctness, false},
    {"stability", gate_stability, false},
};

_Static_assert(sizeof rows / sizeof rows[0] <= CANDIDATE_MAX_GATES, "candidate.h holds too few");

const struct gate_row *gate_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
