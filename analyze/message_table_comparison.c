#include "message_table.h"

/* Sorted by id. */
static const struct message_table_row rows[] = {
    {"compare.absent", "{field} is given in {given} and not in {absent}: taken as equal."},
    {"compare.better", "{strategy}: {metric:metric} is better by {change:percent}: {value} {unit} "
                       "after {base} {unit} (beyond the tolerance of {tolerance:percent})."},
    {"compare.better_from_nothing",
     "{strategy}: {metric:metric} is better: {value} {unit} after {base} {unit}."},
    {"compare.better_resolved", "{strategy}: {metric:metric} is better by {change:percent}: "
                                "{value} {unit} after {base} {unit} (the 95 % interval of the "
                                "ratio, {lower} to {upper}, leaves out {one}, {drawn:sampled})."},
    {"compare.better_unsampled", "{strategy}: {metric:metric} is better by {change:percent}: "
                                 "{value} {unit} after {base} {unit} (fewer than {needed} steps on "
                                 "a side, so judged by the tolerance of {tolerance:percent})."},
    {"compare.decision", "The decision is {decision:decision} now ({rule:rule}), where it "
                         "was {base:decision} ({base_rule:rule}): {reason}"},
    {"compare.exposed_better",
     "{strategy}: exposed communication fell from {base:percent} to {value:percent} of the step."},
    {"compare.exposed_worse",
     "{strategy}: exposed communication rose from {base:percent} to {value:percent} of the step."},
    {"compare.fails", "{strategy} ran in BASE and fails in NEW: {failure}"},
    {"compare.fails_otherwise", "{strategy} fails on both sides: in BASE {base}; in NEW {failure}"},
    {"compare.gate_fails", "{strategy} fails {gate:gate} now, which it passed: {value} against a "
                           "limit of {limit} {unit}."},
    {"compare.gate_fails_applied", "{strategy} fails {gate:gate}, which was not applied in BASE: "
                                   "{value} against a limit of {limit} {unit}."},
    {"compare.gate_fails_applied_other",
     "{strategy} fails {gate:gate}, which was not applied in BASE: {detail:detail}."},
    {"compare.gate_fails_applied_share",
     "{strategy} fails {gate:gate}, which was not applied in "
     "BASE: {value:percent} against a limit of {limit:percent}."},
    {"compare.gate_fails_other",
     "{strategy} fails {gate:gate} now, which it passed: {detail:detail}."},
    {"compare.gate_fails_share", "{strategy} fails {gate:gate} now, which it passed: "
                                 "{value:percent} against a limit of {limit:percent}."},
    {"compare.gate_passes", "{strategy} passes {gate:gate} now, which it failed."},
    {"compare.group_missing", "{group} is in BASE alone."},
    {"compare.group_missing_near", "{group} is in BASE alone; the most alike group of NEW has "
                                   "{field} {other} instead of {value}."},
    {"compare.group_new", "{group} is in NEW alone."},
    {"compare.group_new_near", "{group} is in NEW alone; the most alike group of BASE has {field} "
                               "{other} instead of {value}."},
    {"compare.kind_differs", "{strategy}: peak memory is {base:kind} in BASE and {kind:kind} in "
                             "NEW; unlike kinds are not compared."},
    {"compare.left_out",
     "Invalid sources of {side} were left out ({count}), the first {path}: {error}"},
    {"compare.level", "{strategy}: the evidence level is {level:level}, and was {base:level}."},
    {"compare.losses_broken",
     "{strategy}: the loss of step {step} (the first is 0) was finite in BASE and is not in NEW."},
    {"compare.losses_differ", "{strategy}: losses differ from step {step} on (the first is 0), by "
                              "{difference:percent} at most (step {at})."},
    {"compare.lost", "{strategy}: {metric:metric} was measured in BASE and is not in NEW."},
    {"compare.measured", "{strategy}: {metric:metric} is newly measured: {value} {unit}."},
    {"compare.missing", "{strategy} has evidence in BASE and none in NEW."},
    {"compare.new_strategy", "{strategy} has evidence in NEW and none in BASE."},
    {"compare.noise", "{strategy}: {metric:metric} changed by {change:percent}, from {base} to "
                      "{value} {unit}, which is not told apart from no change: the 95 % interval "
                      "of the ratio, {lower} to {upper}, contains {one} ({drawn:sampled})."},
    {"compare.policy", "The policies differ in {field}: it is {value}, and was {base}. Gates and "
                       "decisions may differ for that alone."},
    {"compare.recovered",
     "{strategy} failed in BASE and runs in NEW. It had failed with: {failure}"},
    {"compare.same_input", "BASE and NEW are the same file or folder: nothing can differ."},
    {"compare.selected", "{strategy} is selected now, where {base} was."},
    {"compare.selected_first", "{strategy} is selected now, where nothing was."},
    {"compare.selected_none", "Nothing is selected now, where {base} was."},
    {"compare.times", "{strategy}: times do not count at its evidence level and are not compared."},
    {"compare.unit_differs", "{strategy}: throughput is in {base} in BASE and in {unit} in NEW; "
                             "unlike units are not compared."},
    {"compare.verdict_beyond",
     "Beyond what is allowed ({limit:percent}): {beyond}. Regressions: {regressions}, "
     "improvements: {improvements}, strategies compared: {strategies}, groups: {groups}."},
    {"compare.verdict_changed", "Regressions: {regressions}, improvements: {improvements}, "
                                "strategies compared: {strategies}, groups: {groups}."},
    {"compare.verdict_none",
     "Nothing could be compared: no strategy of BASE has evidence of a comparable run in NEW."},
    {"compare.verdict_same", "Nothing changed beyond noise and tolerance. Strategies compared: "
                             "{strategies}, groups: {groups}."},
    {"compare.verdict_within",
     "Nothing is beyond what is allowed ({limit:percent}). Regressions: {regressions}, "
     "improvements: {improvements}, strategies compared: {strategies}, groups: {groups}."},
    {"compare.within_run", "Intervals marked within-run tell how much the steps of one run vary; "
                           "two runs of the same program may differ by more."},
    {"compare.worse", "{strategy}: {metric:metric} is worse by {change:percent}: {value} {unit} "
                      "after {base} {unit} (beyond the tolerance of {tolerance:percent})."},
    {"compare.worse_from_nothing",
     "{strategy}: {metric:metric} is worse: {value} {unit} after {base} {unit}."},
    {"compare.worse_resolved",
     "{strategy}: {metric:metric} is worse by {change:percent}: {value} {unit} after {base} {unit} "
     "(the 95 % interval of the ratio, {lower} to {upper}, leaves out {one}, {drawn:sampled})."},
    {"compare.worse_unsampled",
     "{strategy}: {metric:metric} is worse by {change:percent}: {value} {unit} after {base} {unit} "
     "(fewer than {needed} steps on a side, so judged by the tolerance of {tolerance:percent})."},
};

const struct message_table_part message_table_comparison = {rows, sizeof rows / sizeof rows[0]};
