#include "evidence_rules.h"

#include <string.h>

/* Kinds of value. Each optional number may be null: not measured. */
#define NUMBER_OR_NULL .types = EVIDENCE_NUMBER | EVIDENCE_NULL
#define NOT_NEGATIVE NUMBER_OR_NULL, .checks = EVIDENCE_MINIMUM
#define COUNT NUMBER_OR_NULL, .checks = EVIDENCE_MINIMUM | EVIDENCE_WHOLE
#define BYTES COUNT, .unit = "bytes"
#define MIB NOT_NEGATIVE, .unit = "MiB"
#define TIME_MS NOT_NEGATIVE, .unit = "ms"
#define STEP_TIME_MS NUMBER_OR_NULL, .checks = EVIDENCE_ABOVE_MINIMUM, .unit = "ms"
#define RATIO NUMBER_OR_NULL, .checks = EVIDENCE_MINIMUM | EVIDENCE_MAXIMUM, .maximum = 1
#define TEXT .types = EVIDENCE_STRING | EVIDENCE_NULL
#define LIST .types = EVIDENCE_ARRAY | EVIDENCE_NULL
#define SECTION_OBJECT .types = EVIDENCE_OBJECT | EVIDENCE_NULL, .section = true, IN_RECORD
#define SECTION_LIST .types = EVIDENCE_ARRAY | EVIDENCE_NULL, .section = true, IN_RECORD
#define SECTION_ELEMENT .types = EVIDENCE_OBJECT, .section = true, IN_RECORD
#define SECTION_BYTES BYTES, IN_RECORD
#define SECTION_TIME TIME_MS, IN_RECORD
#define SECTION_COUNT COUNT, IN_RECORD
#define IN_RECORD .scopes = EVIDENCE_IN_RECORD
#define ALWAYS .required = EVIDENCE_EVERYWHERE

static const char *const strategies[] = {"ddp", "zero1", "zero2", "zero3", "fsdp_full_shard", NULL};

static const char *const levels[] = {
    "predicted",    "emulated_cuda",        "single_gpu_shared",
    "imported_log", "published_report",     "cpu_multi_process",
    "single_gpu",   "real_multi_gpu_smoke", "real_multi_gpu_zero_stage",
    "multi_gpu",    "multi_node_gpu",       NULL};

static const char *const memory_kinds[] = {"allocated", "reserved", "device", NULL};
static const char *const throughput_units[] = {"tokens/s", "samples/s", NULL};

static bool is_peak_name(const char *name, size_t length)
{
    struct evidence_peak_name peak;
    return evidence_rules_peak_name(name, length, &peak);
}

static const struct evidence_family peak_family = {
    is_peak_name, "^peak_(device|reserved|allocated)(_.*)?_(bytes|mb|mib|gib|gb)$"};

/* clang-format off: a row reads as a sentence. */
static const struct evidence_row rows[] = {
    /* The seven required fields. */
    {"/strategy", .types = EVIDENCE_STRING, IN_RECORD, .required = EVIDENCE_IN_RECORD,
     .choices = strategies, .choice_severity = FINDING_ERROR, .choice_rule = "unknown_strategy",
     .field = EVIDENCE_FIELD_STRATEGY,
     .description = "How the training state is sharded; spelled exactly so."},
    {"/strategy", .types = EVIDENCE_STRING | EVIDENCE_NULL, .scopes = EVIDENCE_IN_SUMMARY,
     .required = EVIDENCE_IN_OWN_SUMMARY, .choices = strategies, .choice_severity = FINDING_ERROR,
     .choice_rule = "unknown_strategy", .description = "The selected strategy, or null."},
    {"/workload", .types = EVIDENCE_OBJECT, ALWAYS, .field = EVIDENCE_FIELD_WORKLOAD,
     .description = "What was run."},
    {"/hardware", .types = EVIDENCE_OBJECT | EVIDENCE_STRING, ALWAYS, .checks = EVIDENCE_NOT_BLANK,
     .description = "The machines, or the device's name alone."},
    {"/metrics", .types = EVIDENCE_OBJECT, ALWAYS, .field = EVIDENCE_FIELD_METRICS,
     .description = "What was measured; {} only if the run failed."},
    {"/evidence_level", .types = EVIDENCE_STRING, IN_RECORD, .required = EVIDENCE_IN_RECORD,
     .checks = EVIDENCE_NOT_BLANK, .choices = levels, .choice_severity = FINDING_WARNING,
     .choice_rule = "unknown_level", .field = EVIDENCE_FIELD_LEVEL,
     .description = "How real the numbers are; an unknown level ranks lowest."},
    {"/evidence_level", .types = EVIDENCE_STRING, .scopes = EVIDENCE_IN_SUMMARY,
     .required = EVIDENCE_IN_SUMMARY, .checks = EVIDENCE_NOT_BLANK,
     .description = "How the sources were put together."},
    {"/failure", .types = EVIDENCE_NULL | EVIDENCE_STRING | EVIDENCE_OBJECT, ALWAYS,
     .field = EVIDENCE_FIELD_FAILURE,
     .description = "null: none; else why the run failed, as text or as an object with a reason."},
    {"/failure/reason", .types = EVIDENCE_STRING, ALWAYS, .checks = EVIDENCE_NOT_BLANK,
     .missing_rule = "wrong_type", .field = EVIDENCE_FIELD_FAILURE_REASON,
     .description = "Why the run failed."},
    {"/decision", .types = EVIDENCE_STRING | EVIDENCE_OBJECT, ALWAYS,
     .field = EVIDENCE_FIELD_DECISION,
     .description = "What the producer concluded; it never overrides the gates."},
    {"/decision/decision", .types = EVIDENCE_STRING, ALWAYS, .field = EVIDENCE_FIELD_DECISION_TEXT,
     .description = "The conclusion in a word."},

    /* Workload. */
    {"/workload/model", TEXT, .description = "Name of the model."},
    {"/workload/parameters", COUNT, .field = EVIDENCE_FIELD_PARAMETERS,
     .description = "Number of parameters."},
    {"/workload/num_parameters", COUNT, .field = EVIDENCE_FIELD_NUM_PARAMETERS,
     .description = "Stands for parameters."},
    {"/workload/width", COUNT, .description = "Width of the model."},
    {"/workload/layers", COUNT, .description = "Number of blocks."},
    {"/workload/heads", COUNT, .description = "Attention heads."},
    {"/workload/vocab", COUNT, .description = "Size of the vocabulary."},
    {"/workload/seq_len", COUNT, .field = EVIDENCE_FIELD_SEQ_LEN,
     .description = "Tokens in a sequence."},
    {"/workload/micro_batch", COUNT, .field = EVIDENCE_FIELD_MICRO_BATCH,
     .description = "Sequences per micro-batch and rank."},
    {"/workload/gradient_accumulation", COUNT, .field = EVIDENCE_FIELD_ACCUMULATION,
     .description = "Micro-batches per optimizer step."},
    {"/workload/global_batch", COUNT, .field = EVIDENCE_FIELD_GLOBAL_BATCH,
     .description = "Sequences per optimizer step over all ranks."},
    {"/workload/world_size", COUNT, .minimum = 1, .field = EVIDENCE_FIELD_WORLD_SIZE,
     .description = "Number of ranks."},
    {"/workload/warmup", COUNT, .description = "Steps run before the measured ones."},
    {"/workload/repeats", COUNT, .description = "Measured steps."},
    {"/workload/seed", NUMBER_OR_NULL, .checks = EVIDENCE_WHOLE,
     .description = "Seed of the random numbers."},
    {"/workload/dtype", TEXT, .description = "Number format of the training."},
    {"/workload/optimizer", .types = EVIDENCE_STRING | EVIDENCE_OBJECT | EVIDENCE_NULL,
     .description = "The optimizer."},
    {"/workload/learning_rate", NOT_NEGATIVE, .description = "Learning rate."},
    {"/workload/max_grad_norm", NOT_NEGATIVE, .description = "Clipping norm."},
    {"/workload/activation_checkpointing",
     .types = EVIDENCE_BOOLEAN | EVIDENCE_STRING | EVIDENCE_NULL,
     .description = "Whether activations were recomputed."},
    {"/workload/state_bytes", .types = EVIDENCE_OBJECT | EVIDENCE_NULL,
     .description = "Bytes per parameter of parameters, gradients and optimizer."},
    {"/workload/state_bytes/parameters", NOT_NEGATIVE, .unit = "bytes per parameter",
     .field = EVIDENCE_FIELD_STATE_PARAMETERS, .description = "Bytes of a parameter."},
    {"/workload/state_bytes/gradients", NOT_NEGATIVE, .unit = "bytes per parameter",
     .field = EVIDENCE_FIELD_STATE_GRADIENTS, .description = "Bytes of its gradient."},
    {"/workload/state_bytes/optimizer", NOT_NEGATIVE, .unit = "bytes per parameter",
     .field = EVIDENCE_FIELD_STATE_OPTIMIZER, .description = "Bytes of its optimizer state."},
    {"/workload/wire_bytes", .types = EVIDENCE_OBJECT | EVIDENCE_NUMBER | EVIDENCE_NULL,
     .checks = EVIDENCE_MINIMUM,
     .description = "Bytes of a parameter and a gradient in a collective."},
    {"/workload/wire_bytes/*", NOT_NEGATIVE, .unit = "bytes",
     .description = "Bytes of one in a collective."},

    /* Canonical metrics. */
    {"/metrics/peak_memory_mb", MIB, .field = EVIDENCE_FIELD_PEAK,
     .description = "Largest peak over ranks during training, MiB."},
    {"/metrics/checkpoint_peak_memory_mb", MIB,
     .description = "Largest peak over ranks during checkpoint save and restore, MiB."},
    {"/metrics/peak_memory_mb_per_rank", LIST, .field = EVIDENCE_FIELD_PEAK_PER_RANK,
     .description = "Peak of every rank, MiB."},
    {"/metrics/peak_memory_mb_per_rank/*", .types = EVIDENCE_NUMBER, .checks = EVIDENCE_MINIMUM,
     .unit = "MiB", .description = "Peak of a rank, MiB."},
    {"/metrics/memory_kind", TEXT, .choices = memory_kinds, .choice_severity = FINDING_ERROR,
     .choice_rule = "unknown_value", .description = "What the peaks count; allocated if absent."},
    {"/metrics/step_time_ms", STEP_TIME_MS, .field = EVIDENCE_FIELD_STEP_TIME,
     .description = "Median over steps of the slowest rank's time, ms."},
    {"/metrics/step_times_ms", LIST, .field = EVIDENCE_FIELD_STEP_TIMES,
     .description = "Every measured step of every rank, [rank][step], ms."},
    {"/metrics/step_times_ms/*", .types = EVIDENCE_ARRAY,
     .description = "Every measured step of a rank, ms."},
    {"/metrics/step_times_ms/*/*", .types = EVIDENCE_NUMBER, .checks = EVIDENCE_ABOVE_MINIMUM,
     .unit = "ms", .description = "One step, ms."},
    {"/metrics/throughput", NOT_NEGATIVE, .field = EVIDENCE_FIELD_THROUGHPUT,
     .description = "Tokens or samples per second over all ranks."},
    {"/metrics/throughput_unit", TEXT, .choices = throughput_units,
     .choice_severity = FINDING_ERROR, .choice_rule = "unknown_value",
     .field = EVIDENCE_FIELD_THROUGHPUT_UNIT, .description = "tokens/s if absent."},
    {"/metrics/communication_ratio", RATIO, .field = EVIDENCE_FIELD_COMMUNICATION,
     .description = "Exposed communication / step time."},
    {"/metrics/skew_ratio", RATIO, .field = EVIDENCE_FIELD_SKEW,
     .description = "The part of it spent before the last rank had arrived; null if unknown."},
    {"/metrics/communication_in_flight_ratio", RATIO, .field = EVIDENCE_FIELD_IN_FLIGHT,
     .description = "Time with a collective in flight / step time."},
    {"/metrics/losses", LIST, .description = "Loss of every optimizer step."},
    {"/metrics/losses/*", NOT_NEGATIVE, .description = "null where it was not finite."},
    {"/metrics/grad_norms", LIST,
     .description = "Gradient norm of every optimizer step before clipping."},
    {"/metrics/grad_norms/*", NOT_NEGATIVE, .description = "null where it was not finite."},
    {"/metrics/achieved_tflops", NOT_NEGATIVE, .unit = "TFLOP/s",
     .description = "Model FLOPs per second and rank, 10^12."},
    {"/metrics/utilisation", NOT_NEGATIVE, .field = EVIDENCE_FIELD_UTILISATION,
     .description = "Achieved / peak; null where the peak is unknown."},
    {"/metrics/flop_model", TEXT, .description = "Name of the formula of the model FLOPs."},
    {"/metrics/peak_source", TEXT, .field = EVIDENCE_FIELD_PEAK_SOURCE,
     .description = "Where the peak of utilisation comes from."},

    /* Accepted spellings of other producers. */
    {"/metrics/max_peak_memory_mb", MIB, .field = EVIDENCE_FIELD_MAX_PEAK,
     .description = "Stands for peak_memory_mb."},
    {"/metrics/peak_{device,reserved,allocated}_*_{bytes,mb,mib,gib,gb}", NOT_NEGATIVE,
     .family = &peak_family,
     .description = "Peak of a kind; bytes, mb and mib (2^20), gib (2^30), gb (10^9)."},
    {"/metrics/max_step_time_ms", STEP_TIME_MS, .field = EVIDENCE_FIELD_MAX_STEP_TIME,
     .description = "Stands for step_time_ms."},
    {"/metrics/step_time_ms_per_rank", LIST, .field = EVIDENCE_FIELD_STEP_TIME_PER_RANK,
     .description = "Step time of every rank, ms."},
    {"/metrics/step_time_ms_per_rank/*", .types = EVIDENCE_NUMBER, .checks = EVIDENCE_ABOVE_MINIMUM,
     .unit = "ms", .description = "Step time of a rank, ms."},
    {"/metrics/tokens_per_s_proxy", NOT_NEGATIVE, .field = EVIDENCE_FIELD_TOKENS_PROXY,
     .unit = "tokens/s", .description = "Stands for throughput."},
    {"/metrics/tokens_per_s", NOT_NEGATIVE, .field = EVIDENCE_FIELD_TOKENS, .unit = "tokens/s",
     .description = "Stands for throughput."},
    {"/metrics/samples_per_s", NOT_NEGATIVE, .field = EVIDENCE_FIELD_SAMPLES, .unit = "samples/s",
     .description = "Stands for throughput in samples/s."},

    /* Sections that our own collector writes. */
    {"/communication", SECTION_OBJECT, .description = "Collectives of an optimizer step."},
    {"/communication/collectives", SECTION_LIST, .field = EVIDENCE_FIELD_COLLECTIVES,
     .description = "One row a collective and purpose."},
    {"/communication/collectives/*", SECTION_ELEMENT,
     .description = "Per optimizer step and rank."},
    {"/communication/collectives/*/calls", SECTION_COUNT, .description = "Number of calls."},
    {"/communication/collectives/*/payload_bytes", SECTION_BYTES, .description = "Counted bytes."},
    {"/communication/collectives/*/expected_bytes", SECTION_BYTES,
     .description = "Bytes that the schedule foresees."},
    {"/communication/collectives/*/exposed_ms", SECTION_TIME,
     .description = "Time for which computation stood still."},
    {"/communication/collectives/*/in_flight_ms", SECTION_TIME,
     .description = "Time between posting and completion."},
    {"/communication/collectives/*/bus_gb_per_s", NOT_NEGATIVE, IN_RECORD, .unit = "GB/s",
     .description = "Bus bandwidth, 10^9 bytes/s."},
    {"/ledger", SECTION_OBJECT, .description = "Resident state of a rank."},
    {"/ledger/parameters_bytes", SECTION_BYTES, .description = "Parameters."},
    {"/ledger/gradients_bytes", SECTION_BYTES, .description = "Gradients."},
    {"/ledger/optimizer_state_bytes", SECTION_BYTES, .description = "Optimizer state."},
    {"/ledger/resident_bytes", SECTION_BYTES, .description = "Their sum."},
    {"/ledger/persistent_parameters_bytes", SECTION_BYTES,
     .description = "Parameters kept on every rank although the strategy shards them."},
    {"/ledger/padding_bytes", SECTION_BYTES, .description = "Padding of the shards."},
    {"/ledger/temporary", SECTION_OBJECT, .description = "Temporary memory by category."},
    {"/ledger/temporary/*", SECTION_BYTES, .description = "Bytes of a category."},
    {"/memory", SECTION_OBJECT, .description = "Measured memory."},
    {"/memory/per_rank", SECTION_LIST, .field = EVIDENCE_FIELD_MEMORY_PER_RANK,
     .description = "One element a rank."},
    {"/memory/per_rank/*", SECTION_ELEMENT, .description = "Memory of a rank."},
    {"/memory/per_rank/*/rank", SECTION_COUNT, .description = "Number of the rank, from 0."},
    {"/memory/per_rank/*/arena_bytes", SECTION_BYTES, .description = "Reserved."},
    {"/memory/per_rank/*/process_peak_bytes", SECTION_BYTES,
     .description = "Peak of the process as the system tells it."},
    {"/memory/per_rank/*/resident", SECTION_OBJECT, .description = "State after the step."},
    {"/memory/per_rank/*/resident/*", SECTION_BYTES, .description = "Bytes of a component."},
    {"/memory/per_rank/*/phases", SECTION_LIST, .description = "One element a phase."},
    {"/memory/per_rank/*/phases/*", SECTION_ELEMENT, .description = "A phase of the step."},
    {"/memory/per_rank/*/phases/*/phase", TEXT, IN_RECORD, .description = "Its name."},
    {"/memory/per_rank/*/phases/*/peak_bytes", SECTION_BYTES, .description = "Its peak."},
    {"/memory/per_rank/*/phases/*/by_category", SECTION_OBJECT,
     .description = "The peak by category."},
    {"/memory/per_rank/*/phases/*/by_category/*", SECTION_BYTES,
     .description = "Bytes of a category."},
    {"/checkpoint", SECTION_LIST, .description = "Checkpoints written."},
    {"/checkpoint/*", SECTION_ELEMENT, .description = "One kind of checkpoint."},
    {"/checkpoint/*/files", SECTION_COUNT, .description = "Number of files."},
    {"/checkpoint/*/bytes", SECTION_BYTES, .description = "Their bytes."},
    {"/checkpoint/*/save_ms", SECTION_TIME, .description = "Time to save."},
    {"/checkpoint/*/restore_ms", SECTION_TIME, .description = "Time to restore."},
    {"/checkpoint/*/restore_verified", .types = EVIDENCE_BOOLEAN | EVIDENCE_NULL, IN_RECORD,
     .description = "Whether what was restored equalled what was saved."},
    {"/calibration", SECTION_OBJECT, .description = "Rates of the machine, same run."},
    {"/calibration/matrix_product_tflops", NOT_NEGATIVE, IN_RECORD, .unit = "TFLOP/s",
     .description = "Rate of a matrix product."},
    {"/calibration/links", SECTION_LIST, .description = "Collectives at a few sizes."},
    {"/calibration/links/*", SECTION_ELEMENT, .description = "A collective at a size."},
    {"/calibration/links/*/payload_bytes", SECTION_BYTES, .description = "The size."},
    {"/calibration/links/*/ms", SECTION_TIME, .description = "Time of a call."},
    {"/calibration/links/*/bus_gb_per_s", NOT_NEGATIVE, IN_RECORD, .unit = "GB/s",
     .description = "Bus bandwidth, 10^9 bytes/s."},

    /* Summaries. The sources that carry metrics are checked as records besides. */
    {"/sources", .types = EVIDENCE_ARRAY, .scopes = EVIDENCE_IN_SUMMARY,
     .required = EVIDENCE_IN_SUMMARY, .description = "What the summary was made from."},
    {"/sources/*", .types = EVIDENCE_OBJECT, .scopes = EVIDENCE_IN_SUMMARY,
     .description = "One source; with metrics it is a record."},
    {"/candidates", .types = EVIDENCE_ARRAY, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "The candidates of the group."},
    {"/candidates/*", .types = EVIDENCE_OBJECT, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "One candidate."},
    {"/groups", .types = EVIDENCE_ARRAY, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "The groups of comparable records."},
    {"/groups/*", .types = EVIDENCE_OBJECT, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "One group."},
    {"/policy", .types = EVIDENCE_OBJECT, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "What was demanded."},
    {"/rejected_sources", .types = EVIDENCE_ARRAY, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "Invalid sources and their errors."},
    {"/selection", .types = EVIDENCE_OBJECT, .scopes = EVIDENCE_IN_OWN_SUMMARY,
     .description = "The selection among eligible candidates."},
};
/* clang-format on */

const struct evidence_row *evidence_rules_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static bool begins(const char *name, size_t length, const char *prefix)
{
    size_t size = strlen(prefix);
    return length >= size && memcmp(name, prefix, size) == 0;
}

static bool ends(const char *name, size_t length, const char *suffix)
{
    size_t size = strlen(suffix);
    return length >= size && memcmp(name + length - size, suffix, size) == 0;
}

bool evidence_rules_peak_name(const char *name, size_t length, struct evidence_peak_name *peak)
{
    static const struct {
        const char *prefix;
        enum evidence_peak_kind kind;
    } kinds[] = {{"peak_allocated_", EVIDENCE_PEAK_ALLOCATED},
                 {"peak_reserved_", EVIDENCE_PEAK_RESERVED},
                 {"peak_device_", EVIDENCE_PEAK_DEVICE}};
    static const struct {
        const char *suffix;
        double mib;
    } units[] = {
        {"_bytes", 1.0 / 1048576}, {"_mb", 1}, {"_mib", 1}, {"_gib", 1024}, {"_gb", 1e9 / 1048576}};
    if (!begins(name, length, "peak_"))
        return false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (!begins(name, length, kinds[k].prefix))
            continue;
        /* The underscore that ends the prefix may be the one that begins the suffix. */
        size_t rest = strlen(kinds[k].prefix) - 1;
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
            if (ends(name + rest, length - rest, units[u].suffix)) {
                *peak = (struct evidence_peak_name){kinds[k].kind, units[u].mib};
                return true;
            }
        }
    }
    return false;
}

bool evidence_rules_is_per_rank(const char *name, size_t length)
{
    return ends(name, length, "_per_rank");
}
