#include <math.h>

#include "training_state.h"
#include "validation_rules.h"

/* No machine comes near 95 TiB of memory for one rank: such a number counts bytes. */
#define LARGEST_PEAK_MIB 1e8

/* The strategy of a sound record; its name was checked by the rule table. */
static bool find_strategy(const struct validation *v, enum strategy *strategy)
{
    char name[32];
    uint32_t node = v->found[EVIDENCE_FIELD_STRATEGY];
    if (!json_read_is(v->json, node, JSON_READ_STRING))
        return false;
    size_t length = json_read_string(v->json, node, name, sizeof name);
    return training_state_find(name, length, strategy);
}

/* Resident state of a rank in MiB, NAN where it cannot be computed. */
static double resident_mib(const struct validation *v)
{
    double parameters;
    double ranks;
    struct training_state_bytes totals;
    enum strategy strategy;
    if ((!validation_number_of(v, EVIDENCE_FIELD_PARAMETERS, &parameters) &&
         !validation_number_of(v, EVIDENCE_FIELD_NUM_PARAMETERS, &parameters)) ||
        !validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &ranks) || ranks > 1e9 ||
        !validation_number_of(v, EVIDENCE_FIELD_STATE_PARAMETERS, &totals.parameters) ||
        !validation_number_of(v, EVIDENCE_FIELD_STATE_GRADIENTS, &totals.gradients) ||
        !validation_number_of(v, EVIDENCE_FIELD_STATE_OPTIMIZER, &totals.optimizer) ||
        !find_strategy(v, &strategy))
        return NAN;
    const double mib = 1048576;
    totals.parameters *= parameters / mib;
    totals.gradients *= parameters / mib;
    totals.optimizer *= parameters / mib;
    struct training_state_ledger ledger;
    struct diag diag = {0};
    if (training_state_ledger(&totals, (int64_t)ranks, strategy, &ledger, &diag) != STATUS_OK)
        return NAN;
    return ledger.resident;
}

struct peak {
    uint32_t node;
    double mib;          /* the peak */
    double mib_per_unit; /* of the field */
};

static bool is_below(const struct validation *v, const struct peak *peak, double resident)
{
    return peak->mib < resident && /* the rounding is looked at only where it matters */
           peak->mib + json_read_half_unit(v->json, peak->node) * peak->mib_per_unit < resident;
}

static void check_peak(struct validation *v, const struct peak *peak, double resident)
{
    if (peak->mib == 0) {
        validation_report(v, VALIDATION_WARNING(peak->node, "peak_below_resident"),
                          "a peak of 0 is below any training state: it usually means \"not "
                          "measured\"; leave the field out");
    } else if (is_below(v, peak, resident)) {
        validation_report(v, VALIDATION_WARNING(peak->node, "peak_below_resident"),
                          "a peak of %s MiB is below the resident training state of %s MiB that "
                          "parameters, state_bytes and strategy give: usually GB in a MiB field, "
                          "or a counter that was reset",
                          validation_format(peak->mib).text, validation_format(resident).text);
    } else if (peak->mib >= LARGEST_PEAK_MIB) {
        validation_report(v, VALIDATION_WARNING(peak->node, "peak_implausible"),
                          "a peak of %s MiB is more than any machine has: usually bytes in a MiB "
                          "field",
                          validation_format(peak->mib).text);
    }
}

static bool read_peak(const struct validation *v, uint32_t node, double mib_per_unit,
                      struct peak *peak)
{
    double value;
    if (!json_read_double(v->json, node, &value) || value < 0)
        return false;
    *peak = (struct peak){node, value * mib_per_unit, mib_per_unit};
    return true;
}

void rules_memory_peak(struct validation *v)
{
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    if (metrics == JSON_READ_NONE)
        return;
    double resident = resident_mib(v);
    const enum evidence_field fields[] = {EVIDENCE_FIELD_PEAK, EVIDENCE_FIELD_MAX_PEAK};
    struct peak peak;
    bool scalar = false;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!read_peak(v, v->found[fields[i]], 1, &peak))
            continue;
        scalar = true;
        check_peak(v, &peak, resident);
    }
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t key = metrics + 1; key < nodes[metrics].end; key = nodes[key].end) {
        struct evidence_peak_name name;
        if (evidence_rules_peak_name(v->json->text + nodes[key].offset, nodes[key].length, &name) &&
            read_peak(v, key + 1, name.mib, &peak)) {
            scalar = true;
            check_peak(v, &peak, resident);
        }
    }
    uint32_t ranks = v->found[EVIDENCE_FIELD_PEAK_PER_RANK];
    if (scalar || !json_read_is(v->json, ranks, JSON_READ_ARRAY))
        return;
    struct peak largest = {.mib = -1};
    for (uint32_t node = ranks + 1; node < nodes[ranks].end; node = nodes[node].end)
        if (read_peak(v, node, 1, &peak) && peak.mib > largest.mib)
            largest = peak;
    if (largest.mib >= 0)
        check_peak(v, &largest, resident);
}
