#include "validation_rules.h"

#include "evidence_rules.h"

#define REPORTED .scopes = EVIDENCE_EVERYWHERE

/* clang-format off: a row reads as a sentence. */
static const struct validation_rule rules[] = {
    /* The file and its text: reported by the input, the reader and document.c. */
    {"unreadable", REPORTED, FINDING_ERROR, .description = "The file cannot be read."},
    {"not_regular", REPORTED, FINDING_ERROR, .description = "It is a directory, device or socket."},
    {"too_large", REPORTED, FINDING_ERROR, .description = "It is larger than the limit."},
    {"empty", REPORTED, FINDING_ERROR, .description = "It holds nothing but white space."},
    {"encoding", REPORTED, FINDING_ERROR, .description = "It is not UTF-8."},
    {"not_json", REPORTED, FINDING_ERROR, .description = "It is not JSON."},
    {"truncated", REPORTED, FINDING_ERROR, .description = "It ends inside a value."},
    {"trailing_data", REPORTED, FINDING_ERROR, .description = "Something follows the document."},
    {"too_deep", REPORTED, FINDING_ERROR, .description = "It is nested too deeply."},
    {"byte_order_mark", REPORTED, FINDING_WARNING, .description = "It begins with a UTF-8 BOM."},
    {"not_object", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "The top level is no object."},
    {"more_findings", REPORTED, FINDING_ERROR, .description = "More faults than are listed."},

    /* Marks of the reader: validate_marks.c. */
    {"duplicate_key", REPORTED, FINDING_ERROR, .description = "A name twice in one object."},
    {"nul_in_string", REPORTED, FINDING_ERROR, .description = "A string contains \\u0000."},
    {"lone_surrogate", REPORTED, FINDING_ERROR, .description = "Half of a surrogate pair."},
    {"number_out_of_range", REPORTED, FINDING_ERROR, .description = "A number overflows a double."},
    {"big_integer", REPORTED, FINDING_WARNING, .description = "An integer beyond 2^53."},

    /* Single fields: the table in evidence_rules.c. */
    {"missing_field", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "A required field is missing."},
    {"wrong_type", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "A value of another JSON type."},
    {"empty_text", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "A text that must not be blank is."},
    {"unknown_strategy", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "No strategy has this name."},
    {"unknown_value", REPORTED, FINDING_ERROR, .in_schema = true,
     .description = "None of the values that the field may have."},
    {"unknown_level", REPORTED, FINDING_WARNING, .description = "An unknown evidence level."},

    /* Several fields. */
    {"impossible_value", EVIDENCE_EVERYWHERE, FINDING_ERROR, .in_schema = true,
     .check = rules_ratio_utilisation,
     .description = "A value that cannot be: negative, not whole, a step time of 0, a ratio or a "
                    "utilisation of a nominal peak above 1."},
    {"utilisation_above_measured", REPORTED, FINDING_WARNING,
     .description = "Utilisation above 100 % of a measured peak."},
    {"unknown_schema", EVIDENCE_EVERYWHERE, FINDING_WARNING, .check = rules_schema_known,
     .description = "A version or kind of our own documents that is not known."},
    {"metrics_empty", EVIDENCE_EVERYWHERE, FINDING_ERROR, .in_schema = true,
     .check = rules_ratio_metrics_empty, .description = "No metric and no failure."},
    {"rank_count", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_ranks_count,
     .description = "A per-rank array whose length is not the world size."},
    {"step_count", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_ranks_steps,
     .description = "Ranks with different numbers of steps."},
    {"maximum_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_ranks_maximum,
     .description = "A stated maximum unlike that of its array."},
    {"world_size_absent", EVIDENCE_IN_RECORD, FINDING_WARNING, .check = rules_ranks_world_size,
     .description = "No world size: nothing can be compared."},
    {"world_size_one", REPORTED, FINDING_WARNING, .description = "One rank: nothing was sharded."},
    {"throughput_inconsistent", EVIDENCE_IN_RECORD, FINDING_WARNING,
     .check = rules_throughput_consistent,
     .description = "Throughput unlike work per step / step time by more than 2 %."},
    {"peak_below_resident", EVIDENCE_IN_RECORD, FINDING_WARNING, .check = rules_memory_peak,
     .description = "A peak below the resident training state, or 0."},
    {"peak_implausible", REPORTED, FINDING_WARNING,
     .description = "A peak of 95 TiB and more: bytes in a MiB field."},
    {"exposed_above_in_flight", EVIDENCE_IN_RECORD, FINDING_WARNING, .check = rules_ratio_exposed,
     .description = "Exposed communication above the communication in flight."},
    {"skew_above_exposed", EVIDENCE_IN_RECORD, FINDING_WARNING, .check = rules_ratio_skew,
     .description = "Waiting for late ranks above the exposed communication."},
    {"failure_empty_text", EVIDENCE_EVERYWHERE, FINDING_WARNING, .check = rules_failure_text,
     .description = "An empty failure text: no failure."},
    {"failure_none_text", REPORTED, FINDING_WARNING,
     .description = "The text None, null or the like: a failure."},
    {"failure_with_success", EVIDENCE_EVERYWHERE, FINDING_WARNING, .check = rules_failure_success,
     .description = "A failure together with a decision of success."},
    {"empty_decision", EVIDENCE_EVERYWHERE, FINDING_WARNING, .check = rules_failure_decision,
     .description = "A decision that says nothing."},

    /* Several fields of our own collector's records. */
    {"counted_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_counted,
     .description = "Calls or bytes of a collective that the schedule does not foresee."},
    {"resident_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_resident,
     .description = "Resident state unlike ledger, persistent parameters and padding together."},
    {"categories_differ", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_categories,
     .description = "A phase's peak unlike the sum of its categories."},
    {"peak_above_arena", REPORTED, FINDING_ERROR,
     .description = "A peak larger than the arena that it lies in."},
    {"peak_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_peaks,
     .description = "A stated peak unlike the largest phase's."},
    {"device_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_device,
     .description = "What is said of GPUs in several places, and differs."},
    {"level_differs", REPORTED, FINDING_ERROR,
     .description = "An evidence level that does not fit the GPUs."},
    {"median_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_medians,
     .description = "A step time or a share unlike the median of the samples beside it."},
    {"series_count", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_series,
     .description = "Losses, norms or step times for another number of steps."},
    {"timing_differs", EVIDENCE_IN_RECORD, FINDING_ERROR, .check = rules_own_timing,
     .description = "Parts of a step that do not add up to it."},
    {"not_reproduced", EVIDENCE_IN_RECORD, FINDING_WARNING, .check = rules_own_signs,
     .description = "Ranks, rounds or a checkpoint that disagree with each other."},
};
/* clang-format on */

const struct validation_rule *validation_rules_table(size_t *count)
{
    *count = sizeof rules / sizeof rules[0];
    return rules;
}
