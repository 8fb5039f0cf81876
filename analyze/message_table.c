#include "message_table.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "text_buffer.h"

/* Of a text of the input inside a sentence. */
#define TEXT_COLUMNS 240

/* Sorted by id (message_table_make searches by halves; a test checks the order). */
static const struct message_table_row rows[] = {
    {"action.accumulate",
     "Raise the gradient accumulation of {strategy} from {from} to {to}: exposed communication is "
     "predicted to fall from {ratio:percent} to {predicted_ratio:percent}. The global batch "
     "becomes "
     "{global_batch}."},
    {"action.accumulate_unverified",
     "Raise the gradient accumulation of {strategy}: it communicates once per optimizer step, so "
     "the share falls. The global batch grows. Not predicted, for want of {missing}."},
    {"action.checkpointing",
     "Turn on activation checkpointing for {strategy}: predicted peak {predicted_peak_mb} MiB "
     "({basis:basis}) against the limit of {limit_mb} MiB, at the price of a second forward pass."},
    {"action.checkpointing_unverified",
     "Turn on activation checkpointing for {strategy}, at the price of a second forward pass. Its "
     "peak cannot be predicted, for want of {missing}."},
    {"action.collect_multi_gpu", "Repeat the runs where every rank has a device of its own: at "
                                 "level {level:level} times do not count."},
    {"action.complete_summary", "Supply the evidence that the summary says is missing: {failure}"},
    {"action.fix_input", "Repair or remove {path}: {error}"},
    {"action.larger_micro_batch",
     "Raise the micro-batch of {strategy} from {from} to {to} with gradient accumulation "
     "{gradient_accumulation} (global batch {global_batch}): it communicates per micro-batch, so "
     "exposed communication is predicted to fall to {predicted_ratio:percent}, at a predicted peak "
     "of {predicted_peak_mb} MiB ({basis:basis})."},
    {"action.larger_micro_batch_unverified",
     "Raise the micro-batch of {strategy} where memory allows. Not predicted, for want of "
     "{missing}."},
    {"action.longer_run",
     "Measure {strategy} with more steps on a quiet machine: its step times vary too much to be "
     "judged."},
    {"action.measure", "Measure {metric} of {strategy}: its gate cannot be judged without it."},
    {"action.more_ranks",
     "Repeat the runs on 2 ranks or more: on one rank every strategy holds the same state."},
    {"action.run_baseline",
     "Run the baseline {baseline} on the same workload, to learn what {strategy} gains."},
    {"action.same_settings",
     "Repeat the runs with the same {field}, or pick one group with --group {field}={value}."},
    {"action.shard_less", "Run {strategy}, which shards less than {from} and so communicates less: "
                          "predicted peak {predicted_peak_mb} MiB ({basis:basis}), within the "
                          "memory limit. Its speed has to be measured."},
    {"action.shard_less_unverified",
     "Run {strategy}, which shards less than {from} and so communicates less. Not predicted, for "
     "want of {missing}."},
    {"action.shard_more",
     "Run {strategy}, which shards more than {from}: predicted peak {predicted_peak_mb} MiB "
     "({basis:basis}) against the limit of {limit_mb} MiB."},
    {"action.shard_more_unverified",
     "Run {strategy}, which shards more than {from}. Not predicted, for want of {missing}."},
    {"action.smaller_micro_batch",
     "Lower the micro-batch of {strategy} from {from} to {to} with gradient accumulation "
     "{gradient_accumulation}, at the same global batch: predicted peak {predicted_peak_mb} MiB "
     "({basis:basis}) against the limit of {limit_mb} MiB."},
    {"action.smaller_micro_batch_unverified",
     "Lower the micro-batch of {strategy} at the same global batch. Not predicted, for want of "
     "{missing}."},
    {"action.state_world_size",
     "State workload.world_size in {path}: without it no run can be set beside another."},
    {"action.stronger_evidence",
     "Repeat the run of {strategy} at level {level:level} or above: the policy asks for it."},
    {"action.unit",
     "State the minimum throughput in {unit}: the records are in that unit and are not converted."},
    {"action.use_smaller",
     "Use {strategy}, the best that stays below that share: peak {peak_mb} MiB."},
    {"note.evidence_level",
     "The weakest evidence is {level:level}: {count} of {candidate_count} candidates rest on it."},
    {"note.explained", "The ledger explains all of the peak of {strategy}, {peak_mb} MiB: "
                       "{resident_mb} MiB resident state and {temporary_mb} MiB temporary memory."},
    {"note.explained_all",
     "The ledger explains every byte of the peaks of {strategies}: resident state by formula, "
     "persistent parameters and padding, and the temporary memory that was measured at the peak."},
    {"note.explained_kept", "The ledger explains all of the peak of {strategy}, {peak_mb} MiB: "
                            "{resident_mb} MiB resident state, {kept_mb} MiB persistent parameters "
                            "and padding, and {temporary_mb} MiB temporary memory."},
    {"note.fullest_rank",
     "Ranks of {strategy} differ in memory: rank {rank} is the fullest with {value} MiB, rank "
     "{other_rank} the emptiest with {other_value} MiB ({difference:percent} apart)."},
    {"note.injected", "In the run of {strategy} a fault was made on purpose ({fault}): its failure "
                      "or its times say nothing about the strategy."},
    {"note.inversion",
     "{strategy} shards more than {other} but its measured peak is higher: {peak_mb} against "
     "{other_peak_mb} MiB. The records do not say in which phase."},
    {"note.inversion_phase",
     "{strategy} shards more than {other} but its measured peak is higher: {peak_mb} against "
     "{other_peak_mb} MiB. It peaks in phase {phase:phase}, with {category_mb} against "
     "{other_category_mb} MiB of {category:category}."},
    {"note.inversion_unexplained",
     "{strategy} shards more than {other} but its measured peak is higher: {peak_mb} against "
     "{other_peak_mb} MiB. It peaks in phase {phase:phase}; no category in the records accounts "
     "for it."},
    {"note.level_cpu_multi_process",
     "These runs trained on CPUs: resident state, payloads and mathematics are what GPUs under the "
     "same schedule have too; workspace, times, throughput and exposed communication are this "
     "machine's alone and say nothing about GPUs."},
    {"note.predicted_at_most",
     "Peaks marked at most are exact but for the operators' workspace, which changes with the "
     "micro-batch: it is taken as large as it can be."},
    {"note.predicted_device",
     "Peaks marked with libraries come from the collector's schedule, walked action by action, and "
     "what the GPU held besides, as measured: context, kernels, libraries. Those may take another "
     "amount in another run."},
    {"note.predicted_estimated",
     "Peaks marked estimated are arithmetic on measured ones: what the ledger does not explain is "
     "taken to grow with the micro-batch. The proof is the run."},
    {"note.predicted_exact",
     "Peaks marked exact come from the collector's schedule, walked action by action with the "
     "workspace that was measured: run by the command shown, with as many threads a rank, the "
     "collector allocates just that."},
    {"note.prediction",
     "The schedule foresaw a peak of {predicted_mb} MiB for {strategy}, and {peak_mb} MiB were "
     "measured: the record contradicts itself in its resident state."},
    {"note.prediction_category",
     "The schedule foresaw a peak of {predicted_mb} MiB for {strategy}, and {peak_mb} MiB were "
     "measured; {category:category} differs most: {category_predicted_mb} MiB foreseen, "
     "{category_mb} MiB measured."},
    {"note.residual",
     "Of the peak of {strategy}, {peak_mb} MiB, the ledger explains {resident_mb} MiB as resident "
     "state and {temporary_mb} MiB as temporary memory; {residual_mb} MiB remain for workspace, "
     "libraries and what the allocator holds."},
    {"note.residual_closed_form",
     "The peak of {strategy}, {peak_mb} MiB, is below the sum of its resident state, {held_mb} "
     "MiB, and of the temporary memory of the collector's schedule, {temporary_mb} MiB: it keeps "
     "every value that a backward pass reads, and its parts are added up as if held at one time. "
     "This run holds less; what it holds cannot be split further."},
    {"note.residual_kept",
     "Of the peak of {strategy}, {peak_mb} MiB, the ledger explains {resident_mb} MiB as resident "
     "state, {kept_mb} MiB as persistent parameters and padding, and {temporary_mb} MiB as "
     "temporary memory; {residual_mb} MiB remain for workspace, libraries and what the allocator "
     "holds."},
    {"note.residual_negative",
     "The measured peak of {strategy}, {peak_mb} MiB, is below what its ledger says it holds, "
     "{held_mb} MiB: unit, counter or model size should be checked."},
    {"note.residual_overlap",
     "The peak of {strategy}, {peak_mb} MiB, is below resident state and temporary memory added "
     "up, {held_mb} and {temporary_mb} MiB: not all of the temporary memory is held at one time."},
    {"note.residual_unsplit",
     "Of the peak of {strategy}, {peak_mb} MiB, the ledger explains {held_mb} MiB as resident "
     "state; the rest, {rest_mb} MiB, cannot be split further, for want of {missing}."},
    {"note.slowest_rank",
     "Ranks of {strategy} differ in time: rank {rank} is the slowest with {value} ms a step, rank "
     "{other_rank} the fastest with {other_value} ms ({difference:percent} apart)."},
    {"note.step_variation",
     "The {steps} steps of {strategy} vary by {variation:percent} (standard deviation over mean): "
     "its throughput is their median, and a repeated run may give another."},
    {"reason.adjustment",
     "No strategy passes every gate; {strategy} comes closest and fails {gates}. An adjustment may "
     "pass."},
    {"reason.all_failed", "Every run failed; {strategy} says: {failure}"},
    {"reason.baseline",
     "The baseline {strategy} passes every gate and ranks first: no other strategy gains anything "
     "over it."},
    {"reason.baseline_alone",
     "The baseline {strategy} passes every gate; no other strategy does, or none was run."},
    {"reason.baseline_fails",
     "{strategy} ranks first among those that pass every gate; the baseline {baseline} fails "
     "{gates}, so a gain over it is not applicable."},
    {"reason.evidence_level", "At evidence level {level:level} times do not count, so speed is not "
                              "decided; {strategy} ranks first on what was measured."},
    {"reason.evidence_level_none", "At evidence level {level:level} times do not count, so speed "
                                   "is not decided, and no strategy passes every gate."},
    {"reason.gain_memory",
     "{strategy} passes every gate and needs {gain:percent} less memory than {baseline}; "
     "{min_gain:percent} was asked for."},
    {"reason.gain_throughput", "{strategy} passes every gate and is {gain:percent} faster than "
                               "{baseline}; {min_gain:percent} "
                               "was asked for."},
    {"reason.gain_unknown",
     "{strategy} ranks first among those that pass every gate; its gain over {baseline} cannot be "
     "computed, for want of a measurement."},
    {"reason.incomplete_rejected",
     "The evidence is incomplete: {path} could not be used, {rejected_count} in all."},
    {"reason.incomplete_summary", "The evidence is incomplete: {failure}"},
    {"reason.memory_fraction",
     "{strategy} ranks first but takes {share:percent} of the memory limit, more than the "
     "{fraction:percent} allowed; {alternative} is the best below it."},
    {"reason.memory_fraction_none",
     "{strategy} ranks first but takes {share:percent} of the memory limit, more than the "
     "{fraction:percent} allowed, and no other that passes stays below it."},
    {"reason.no_adjustment",
     "No strategy passes every gate; {strategy} comes closest and fails {gates}, and no adjustment "
     "is known that would pass."},
    {"reason.no_baseline", "{strategy} ranks first among those that pass every gate; the baseline "
                           "{baseline} was not run, "
                           "so a gain over it is not applicable."},
    {"reason.no_evidence", "No usable evidence: of {rejected_count} sources none could be used."},
    {"reason.no_gain_memory",
     "{strategy} passes every gate, but against {baseline} its gain in memory is {gain:percent}; "
     "{min_gain:percent} was asked for."},
    {"reason.no_gain_throughput", "{strategy} passes every gate, but against {baseline} its gain "
                                  "in throughput is {gain:percent}; "
                                  "{min_gain:percent} was asked for."},
    {"reason.not_comparable",
     "The records are not comparable: {field} is {value} in {path} and {other_value} in "
     "{other_path}."},
    {"reason.not_sharded",
     "The world size is 1: nothing was sharded, so the strategies cannot be told apart."},
    {"reason.world_size_absent",
     "The world size is not stated in {path}, so nothing can be compared with it."},
    {"tie.equal",
     "{strategy} and {other} are equal in everything that ranks them; the order of input decided."},
    {"tie.no_interval",
     "Whether {strategy} is faster than {other} cannot be told: they have {samples} and "
     "{other_samples} step times, and an interval needs {needed} of each."},
    {"tie.not_measured",
     "{strategy} ranks behind {other} because its {metric} was not measured, not because it is "
     "worse."},
    {"tie.statistical",
     "{strategy} and {other} are not told apart in throughput: the 95 % interval of the ratio, "
     "{lower} to {upper}, contains {one} ({unit:sampled}); {metric:metric} ranks them."},
    {"tie.unresolved",
     "{strategy} ranks before {other}, but their throughputs are not told apart: the 95 % interval "
     "of the ratio, {lower} to {upper}, contains {one} ({unit:sampled})."},
};

const struct message_table_row *message_table_rows(size_t part, size_t *count)
{
    const struct message_table_part own = {rows, sizeof rows / sizeof rows[0]};
    const struct message_table_part *const parts[] = {&own, &message_table_comparison,
                                                      &message_table_explanation};
    *count = part < sizeof parts / sizeof parts[0] ? parts[part]->count : 0;
    return part < sizeof parts / sizeof parts[0] ? parts[part]->rows : NULL;
}

static int compare_id(const void *key, const void *row)
{
    return strcmp(key, ((const struct message_table_row *)row)->id);
}

static const struct message_table_row *find_row(const char *id)
{
    const struct message_table_row *row = NULL;
    size_t count;
    for (size_t part = 0; row == NULL; part++) {
        const struct message_table_row *own = message_table_rows(part, &count);
        if (own == NULL)
            return NULL;
        row = bsearch(id, own, count, sizeof *own, compare_id);
    }
    return row;
}

/* A copy that is safe to print and names no user, cut where it would drown the sentence. */
static const char *copy_text(struct arena *arena, const char *text)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    const char *shown = safe.length > 0 ? safe.text : "";
    size_t length = text_prefix(shown, safe.length, TEXT_COLUMNS);
    const char *copy = NULL;
    if (!safe.failed)
        copy = arena_printf(arena, "%.*s%s", (int)length, shown, length < safe.length ? "..." : "");
    text_buffer_fini(&safe);
    return copy;
}

/* True if the text has a placeholder of that name. */
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + 1, '{'))
        if (strncmp(open + 1, name, length) == 0 &&
            (open[1 + length] == '}' || open[1 + length] == ':'))
            return true;
    return false;
}

/* Those values that the text mentions: callers may offer more, one list for a family of texts. */
static struct sentence_value *copy_values(struct arena *arena, const char *text,
                                          const struct sentence_value *values, size_t *count)
{
    struct sentence_value *copy = arena_take_array(arena, *count, sizeof *copy);
    size_t kept = 0;
    for (size_t i = 0; copy != NULL && i < *count; i++) {
        if (!mentions(text, values[i].name))
            continue;
        struct sentence_value *value = &copy[kept++];
        *value = values[i];
        if (value->text != NULL)
            value->text = copy_text(arena, value->text);
        if (values[i].text != NULL && value->text == NULL)
            return NULL;
    }
    *count = kept;
    return copy;
}

enum status message_table_make(struct arena *arena, const char *id,
                               const struct sentence_value *values, size_t count,
                               struct message *message, struct diag *diag)
{
    const struct message_table_row *row = find_row(id);
    if (row == NULL)
        return diag_set(diag, STATUS_BUG, "no message has the id %s", id);
    struct sentence_value *copy = copy_values(arena, row->english, values, &count);
    if (copy == NULL)
        return diag_no_memory(diag);
    struct text_buffer text = {0};
    enum status status = STATUS_OK;
    const struct sentence_words words = {.not_measured = "not measured"};
    if (!sentence_fill(&text, row->english, copy, count, &words)) {
        status = diag_set(diag, STATUS_BUG, "message %s lacks a value", id);
        goto cleanup;
    }
    const char *english = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    if (english == NULL) {
        status = diag_no_memory(diag);
        goto cleanup;
    }
    *message = (struct message){row->id, english, copy, count};
cleanup:
    text_buffer_fini(&text);
    return status;
}

enum status message_table_add(struct message_list *list, struct arena *arena, const char *id,
                              const struct sentence_value *values, size_t count, struct diag *diag)
{
    struct message message;
    enum status status = message_table_make(arena, id, values, count, &message, diag);
    if (status != STATUS_OK)
        return status;
    struct message *place = message_list_add(list, arena);
    if (place == NULL)
        return diag_no_memory(diag);
    *place = message;
    return STATUS_OK;
}
