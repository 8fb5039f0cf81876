#include "message_table.h"

/* Sorted by id. */
static const struct message_table_row rows[] = {
    {"explain.ahead_resolved",
     "Against {other}: throughput is {value} {unit}, {change:percent} more than {base} {unit}; the "
     "95 % interval of the ratio, {lower} to {upper}, leaves out {one} ({drawn:sampled}), so the "
     "difference is resolved."},
    {"explain.ahead_unresolved",
     "Against {other}: throughput is {value} {unit}, {change:percent} more than {base} {unit}; the "
     "95 % interval of the ratio, {lower} to {upper}, contains {one} ({drawn:sampled}), so the "
     "difference is not resolved."},
    {"explain.ahead_unsampled",
     "Against {other}: throughput is {value} {unit}, {change:percent} more than {base} {unit}; "
     "with fewer than {needed} steps on a side nothing tells whether that is resolved."},
    {"explain.behind_resolved",
     "Against {other}: throughput is {value} {unit}, {change:percent} less than {base} {unit}; the "
     "95 % interval of the ratio, {lower} to {upper}, leaves out {one} ({drawn:sampled}), so the "
     "difference is resolved."},
    {"explain.behind_unresolved",
     "Against {other}: throughput is {value} {unit}, {change:percent} less than {base} {unit}; the "
     "95 % interval of the ratio, {lower} to {upper}, contains {one} ({drawn:sampled}), so the "
     "difference is not resolved."},
    {"explain.behind_unsampled",
     "Against {other}: throughput is {value} {unit}, {change:percent} less than {base} {unit}; "
     "with fewer than {needed} steps on a side nothing tells whether that is resolved."},
    {"explain.change",
     "With {limit:limit} {comparison:bound} {value:exact} {unit} it would be selected; "
     "the decision would be {decision:decision} ({rule})."},
    {"explain.change_any",
     "Once any {limit:limit} is set, however loose, it would be selected; the decision would "
     "be {decision:decision} ({rule})."},
    {"explain.change_away", "With {limit:limit} {comparison:bound} {value:exact} {unit} it would "
                            "no longer be selected; the "
                            "decision would be {decision:decision} ({rule})."},
    {"explain.change_away_any",
     "Once any {limit:limit} is set, however loose, it would no longer be selected; the "
     "decision would be {decision:decision} ({rule})."},
    {"explain.change_away_share", "With {limit:limit} {comparison:bound} {value:exact_percent} it "
                                  "would no longer be selected; the "
                                  "decision would be {decision:decision} ({rule})."},
    {"explain.change_decision",
     "With {limit:limit} {comparison:bound} {value:exact} {unit} the decision "
     "would be {decision:decision} ({rule})."},
    {"explain.change_decision_share",
     "With {limit:limit} {comparison:bound} {value:exact_percent} the "
     "decision would be {decision:decision} ({rule})."},
    {"explain.change_share",
     "With {limit:limit} {comparison:bound} {value:exact_percent} it would be "
     "selected; the decision would be {decision:decision} ({rule})."},
    {"explain.chosen", "{strategy} was chosen: it ranks first of {count} that pass every gate."},
    {"explain.chosen_alone",
     "{strategy} was chosen: it is the only one of {total} that passes every gate."},
    {"explain.decision", "The decision of the group is {decision:decision} ({rule}): {reason}"},
    {"explain.equal", "Against {other}: throughput is the same, {value} {unit}."},
    {"explain.failed", "{strategy} was not chosen: it fails {gates:gate}."},
    {"explain.first", "{strategy} ranks first of {count} that pass every gate, but the decision is "
                      "{decision:decision}."},
    {"explain.first_alone", "{strategy} is the only one of {total} that passes every gate, but the "
                            "decision is {decision:decision}."},
    {"explain.gate_above", "{gate:gate}: {value} {unit} is {margin} {unit} above the limit of "
                           "{limit} {unit} ({percent:percent} of it)."},
    {"explain.gate_above_share", "{gate:gate}: {value:percent} is above the limit of "
                                 "{limit:percent} by {margin:percent} of a step."},
    {"explain.gate_below", "{gate:gate}: {value} {unit} is {margin} {unit} below the minimum of "
                           "{limit} {unit} ({percent:percent} of it)."},
    {"explain.gate_not_measured",
     "{gate:gate}: it was not measured, and there is a limit of {limit} {unit}."},
    {"explain.gate_not_measured_share",
     "{gate:gate}: it was not measured, and there is a limit of {limit:percent}."},
    {"explain.gate_other", "{gate:gate}: {detail}"},
    {"explain.gate_room", "{gate:gate} passes: {value} {unit}, with room of {margin} {unit} to the "
                          "limit of {limit} {unit} ({percent:percent} of it)."},
    {"explain.gate_room_share", "{gate:gate} passes: {value:percent}, with room of "
                                "{margin:percent} of a step to the limit of {limit:percent}."},
    {"explain.gate_tight", "{gate:gate} passes, but tightly: {value} {unit}, with room of {margin} "
                           "{unit} to the limit of {limit} {unit} ({percent:percent} of it)."},
    {"explain.gate_unit", "{gate:gate}: its {value} {unit} and the minimum of {limit} are in "
                          "different units, which are not converted."},
    {"explain.memory",
     "Against {other}: peak memory is {value} MiB, where {other} has {base} MiB."},
    {"explain.need_memory", "It would pass memory with a limit of {value} MiB or more."},
    {"explain.need_ratio", "It would pass communication with a limit of {value:percent} or more."},
    {"explain.need_speed", "To be as fast as {other} it would have to do {base} {unit}, "
                           "{change:percent} more than it does."},
    {"explain.need_throughput", "It would pass throughput with a minimum of {value} {unit} or "
                                "less, or if it were {change:percent} faster."},
    {"explain.need_throughput_only",
     "It would pass throughput with a minimum of {value} {unit} or less."},
    {"explain.pooled", "Its values are pooled from {runs} runs."},
    {"explain.ranked", "{strategy} passes every gate and was not chosen: it is number {rank} of "
                       "{count}, and {other} ranks first."},
    {"explain.run_failed", "Its run failed: {failure}"},
    {"explain.runs_failed", "{failed} of its {runs} runs failed: {failure}"},
    {"explain.share", "Against {other}: exposed communication is {value:percent}, where {other} "
                      "has {base:percent}."},
    {"explain.tied", "Its throughput counts as equal to that of {other}, the fastest: statistical "
                     "ties let the remaining keys of the ranking decide."},
    {"explain.within_run", "Intervals marked within-run tell how much the steps of one run vary; "
                           "another run may differ by more."},
};

const struct message_table_part message_table_explanation = {rows, sizeof rows / sizeof rows[0]};
