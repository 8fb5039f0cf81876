#include <math.h>

#include "validation_rules.h"

/* Beyond this part a stated throughput contradicts its own record (evidence contract). */
#define ALLOWED 0.02

struct work { /* of one optimizer step over all ranks; NAN where it is not known */
    double samples;
    double tokens;
    double step_s;
    double accumulation, ranks; /* 1 where not given */
};

/* Sequences per optimizer step: as given, or derived as the contract says. */
static double global_batch(const struct validation *v, const struct work *work)
{
    double given;
    if (validation_number_of(v, EVIDENCE_FIELD_GLOBAL_BATCH, &given))
        return given;
    double micro_batch;
    double ranks;
    if (!validation_number_of(v, EVIDENCE_FIELD_MICRO_BATCH, &micro_batch) ||
        !validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &ranks))
        return NAN;
    return micro_batch * work->accumulation * ranks;
}

/* The step time that normalisation would take: stated, or the slowest rank's. */
static double step_seconds(const struct validation *v)
{
    double ms;
    if (validation_number_of(v, EVIDENCE_FIELD_STEP_TIME, &ms) ||
        validation_number_of(v, EVIDENCE_FIELD_MAX_STEP_TIME, &ms))
        return ms / 1e3;
    uint32_t ranks = v->found[EVIDENCE_FIELD_STEP_TIME_PER_RANK];
    if (!json_read_is(v->json, ranks, JSON_READ_ARRAY))
        return NAN;
    double largest = NAN;
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t node = ranks + 1; node < nodes[ranks].end; node = nodes[node].end)
        if (json_read_double(v->json, node, &ms))
            largest = fmax(largest, ms); /* fmax ignores the first NAN */
    return largest / 1e3;
}

static bool is_near(double ratio, double factor)
{
    return fabs(ratio / factor - 1) <= ALLOWED;
}

/* A factor that explains the ratio of stated to expected throughput, or NULL. */
static const char *explain(const struct work *work, double ratio)
{
    bool accumulated = work->accumulation > 1 && (is_near(ratio, work->accumulation) ||
                                                  is_near(ratio, 1 / work->accumulation));
    bool ranked = work->ranks > 1 && is_near(ratio, 1 / work->ranks);
    if (accumulated && ranked)
        return ": off by exactly the accumulation factor, which is also the number of ranks";
    if (accumulated)
        return ratio < 1 ? ": off by exactly the accumulation factor; one micro-batch was divided "
                           "by the time of a whole optimizer step"
                         : ": off by exactly the accumulation factor; the step time is one "
                           "micro-batch's, or the factor was counted twice";
    if (ranked)
        return ": it is the throughput of one rank; state that of all ranks";
    if (is_near(ratio, 1e3) || is_near(ratio, 1e-3))
        return ": milliseconds and seconds were confused";
    return "";
}

/* A stated throughput and the work per step that it should come from. */
static void check(struct validation *v, enum evidence_field field, const struct work *work,
                  bool samples)
{
    double stated;
    double amount = samples ? work->samples : work->tokens;
    double expected = amount / work->step_s;
    if (!validation_number_of(v, field, &stated) || !(expected > 0) || isinf(expected))
        return;
    double difference = fabs(stated - expected);
    if (difference <= ALLOWED * expected ||
        difference <= json_read_half_unit(v->json, v->found[field]))
        return;
    validation_report(v, VALIDATION_WARNING(v->found[field], "throughput_inconsistent"),
                      "%s %s/s are stated, but %s %s per optimizer step in %s ms give %s%s",
                      validation_format(stated).text, samples ? "samples" : "tokens",
                      validation_format(amount).text, samples ? "samples" : "tokens",
                      validation_format(work->step_s * 1e3).text, validation_format(expected).text,
                      explain(work, stated / expected));
}

void rules_throughput_consistent(struct validation *v)
{
    struct work work = {.accumulation = 1, .ranks = 1};
    double sequence;
    double number;
    if (validation_number_of(v, EVIDENCE_FIELD_ACCUMULATION, &number) && number > 0)
        work.accumulation = number;
    if (validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &number))
        work.ranks = number;
    work.samples = global_batch(v, &work);
    work.tokens =
        validation_number_of(v, EVIDENCE_FIELD_SEQ_LEN, &sequence) ? work.samples * sequence : NAN;
    work.step_s = step_seconds(v);
    uint32_t unit = v->found[EVIDENCE_FIELD_THROUGHPUT_UNIT];
    bool samples = json_read_is(v->json, unit, JSON_READ_STRING) &&
                   json_read_equals(v->json, unit, "samples/s");
    check(v, EVIDENCE_FIELD_THROUGHPUT, &work, samples);
    check(v, EVIDENCE_FIELD_TOKENS_PROXY, &work, false);
    check(v, EVIDENCE_FIELD_TOKENS, &work, false);
    check(v, EVIDENCE_FIELD_SAMPLES, &work, true);
}
