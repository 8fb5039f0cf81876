#include <math.h>
#include <string.h>

#include "explanation_parts.h"
#include "message_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A limit on a number that is compared; of the others the gate's own words say all. */
static bool is_plain(const struct comparison_gate *gate)
{
    return strcmp(gate->name, "memory") == 0 || strcmp(gate->name, "throughput") == 0 ||
           strcmp(gate->name, "communication") == 0;
}

static const char *failed_id(const struct comparison_gate *gate)
{
    if (!is_plain(gate) || isnan(gate->limit))
        return "explain.gate_other";
    if (strcmp(gate->verdict, "unit_differs") == 0)
        return "explain.gate_unit";
    if (strcmp(gate->verdict, "fail") != 0 || isnan(gate->margin))
        return !isnan(gate->value)                        ? "explain.gate_other"
               : strcmp(gate->name, "communication") == 0 ? "explain.gate_not_measured_share"
                                                          : "explain.gate_not_measured";
    if (strcmp(gate->name, "communication") == 0)
        return "explain.gate_above_share";
    return strcmp(gate->name, "throughput") == 0 ? "explain.gate_below" : "explain.gate_above";
}

static const char *passed_id(const struct comparison_gate *gate)
{
    if (!is_plain(gate) || isnan(gate->limit) || isnan(gate->margin))
        return NULL;
    if (strcmp(gate->name, "communication") == 0)
        return "explain.gate_room_share";
    return strcmp(gate->verdict, "tight") == 0 ? "explain.gate_tight" : "explain.gate_room";
}

static void tell_gate(struct explanation_teller *teller, const struct comparison_gate *gate,
                      const char *id)
{
    const struct sentence_value values[] = {
        MESSAGE_TEXT("gate", gate->name),
        MESSAGE_NUMBER("value", gate->value),
        MESSAGE_NUMBER("limit", gate->limit),
        MESSAGE_NUMBER("margin", fabs(gate->margin)),
        MESSAGE_NUMBER("percent", fabs(gate->margin_percent) / 100),
        MESSAGE_TEXT("unit",
                     gate->unit != NULL && strcmp(gate->unit, "ratio") != 0 ? gate->unit : ""),
        MESSAGE_TEXT("detail", gate->detail != NULL ? gate->detail : gate->verdict)};
    explanation_parts_tell(teller, EXPLANATION_GATE, id, values, COUNT(values));
}

void explanation_parts_gates(struct explanation_teller *teller)
{
    const struct comparison_candidate *candidate = teller->item->candidate;
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct comparison_gate *gate = &candidate->gates[i];
        if (gate->failed && strcmp(gate->name, "runtime") != 0) /* the failure says it */
            tell_gate(teller, gate, failed_id(gate));
    }
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct comparison_gate *gate = &candidate->gates[i];
        const char *id = gate->failed ? NULL : passed_id(gate);
        if (id != NULL)
            tell_gate(teller, gate, id);
    }
}

void explanation_parts_needs(struct explanation_teller *teller)
{
    static const struct {
        const char *gate, *id;
    } needs[] = {{"memory", "explain.need_memory"},
                 {"throughput", "explain.need_throughput"},
                 {"communication", "explain.need_ratio"}};
    const struct comparison_candidate *candidate = teller->item->candidate;
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct comparison_gate *gate = &candidate->gates[i];
        if (!gate->failed || isnan(gate->margin))
            continue;
        bool minimum = strcmp(gate->name, "throughput") == 0;
        bool share = strcmp(gate->name, "communication") == 0;
        const struct sentence_value values[] = {
            MESSAGE_NUMBER(
                "value", explanation_parts_rounded(gate->value, share,
                                                   minimum ? -(double)INFINITY : (double)INFINITY)),
            MESSAGE_NUMBER("change", explanation_parts_rounded(gate->limit / gate->value - 1, true,
                                                               (double)INFINITY)),
            MESSAGE_TEXT("unit", gate->unit != NULL ? gate->unit : "")};
        bool nothing = minimum && gate->value <= 0; /* no percentage makes it fast enough */
        for (size_t k = 0; k < COUNT(needs); k++)
            if (strcmp(needs[k].gate, gate->name) == 0)
                explanation_parts_tell(teller, EXPLANATION_CHANGE,
                                       nothing ? "explain.need_throughput_only" : needs[k].id,
                                       values, COUNT(values));
    }
}
