#include "evidence_rules.h"

/*
 * The rows of fields that our own collector alone writes, or writes with a meaning of its own. In a
 * record of another producer a name among them ("run", "timing", "environment") may mean anything.
 */

#define OWN .scopes = EVIDENCE_IN_RECORD, .own = true
#define TEXT OWN, .types = EVIDENCE_STRING | EVIDENCE_NULL
#define FLAG OWN, .types = EVIDENCE_BOOLEAN | EVIDENCE_NULL
#define OBJECT OWN, .types = EVIDENCE_OBJECT | EVIDENCE_NULL
#define LIST OWN, .types = EVIDENCE_ARRAY | EVIDENCE_NULL
#define ELEMENT OWN, .types = EVIDENCE_OBJECT
#define NUMBER OWN, .types = EVIDENCE_NUMBER | EVIDENCE_NULL
#define NOT_NEGATIVE NUMBER, .checks = EVIDENCE_MINIMUM
#define COUNT NUMBER, .checks = EVIDENCE_MINIMUM | EVIDENCE_WHOLE
#define BYTES COUNT, .unit = "bytes"
#define TIME_MS NOT_NEGATIVE, .unit = "ms"
#define ONE_OF(list)                                                                               \
    TEXT, .choices = (list), .choice_severity = FINDING_ERROR, .choice_rule = "unknown_value"

static const char *const kinds[] = {"preflight",   "launch",    "out_of_memory", "communication",
                                    "timeout",     "rank_lost", "non_finite",    "checkpoint",
                                    "interrupted", NULL};
static const char *const collectives[] = {"all_reduce", "reduce_scatter", "all_gather", NULL};
static const char *const purposes[] = {"gradient_reduction", "parameter_gather", "parameter_sync",
                                       "scalar", NULL};
static const char *const progresses[] = {"polling", "stream", NULL};
static const char *const units[] = {"bucket", "tensor", "block", NULL};
static const char *const calls[] = {"blocking", "non-blocking", NULL};
static const char *const checkpoints[] = {"full", "sharded", NULL};

/* clang-format off: a row reads as a sentence. */
static const struct evidence_row rows[] = {
    {"/schema", TEXT, .description = "rankledger.evidence/1."},
    {"/role", TEXT, .description = "training_state_parallel."},
    {"/group", OWN, .types = EVIDENCE_STRING | EVIDENCE_NUMBER | EVIDENCE_NULL,
     .description = "G0 baseline, G1 optimizer and gradient sharding, G2 full state sharding; of a "
                    "summary's source the number of its group."},

    {"/failure/kind", ONE_OF(kinds), .description = "What went wrong."},
    {"/failure/phase", TEXT, .description = "What the rank was doing."},
    {"/failure/rank", COUNT, .description = "Which rank; null: all, or not known."},
    {"/failure/host", COUNT, .description = "Number of its host, where there are several."},
    {"/failure/step", COUNT, .description = "In which optimizer step, warm-up included."},
    {"/failure/round", COUNT, .description = "In which round."},
    {"/failure/detail", TEXT, .description = "The same as the library or system said it."},
    {"/failure/asked_bytes", BYTES, .description = "Out of memory: what was asked for,"},
    {"/failure/in_use_bytes", BYTES, .description = "what was in use,"},
    {"/failure/limit_bytes", BYTES, .description = "what was allowed,"},
    {"/failure/category", TEXT, .description = "and for what it was asked."},

    {"/metrics/communication_note", TEXT, .description = "Why communication means nothing here."},
    {"/metrics/utilisation_note", TEXT, .description = "Why the utilisation is not known."},

    {"/hardware/device", TEXT, .description = "The GPU's name, or the processor's."},
    {"/hardware/device_count", COUNT, .description = "GPUs used, or sockets, over all hosts."},
    {"/hardware/device_note", TEXT, .description = "What to know of the devices."},
    {"/hardware/ranks_per_device", COUNT, .description = "Ranks on a GPU, at most."},
    {"/hardware/processor", TEXT, .description = "The processor's name, beside GPUs."},
    {"/hardware/devices", LIST, .description = "The GPUs used, in the order of the ranks."},
    {"/hardware/devices/*", ELEMENT, .description = "One of them."},
    {"/hardware/devices/*/host", COUNT, .description = "Number of its host, from 0."},
    {"/hardware/devices/*/index", COUNT, .description = "Its number among those seen there."},
    {"/hardware/devices/*/name", TEXT, .description = "Its name, as the driver says."},
    {"/hardware/devices/*/pci", TEXT, .description = "Its PCI address."},
    {"/hardware/devices/*/memory_bytes", BYTES, .description = "Its memory."},
    {"/hardware/devices/*/compute_capability", TEXT, .description = "Its architecture."},
    {"/hardware/devices/*/multiprocessors", COUNT, .description = "Its multiprocessors."},
    {"/hardware/devices/*/peers", LIST,
     .description = "Devices of its host, by index, whose memory it reaches directly."},
    {"/hardware/devices/*/peers/*", OWN, .types = EVIDENCE_NUMBER,
     .checks = EVIDENCE_MINIMUM | EVIDENCE_WHOLE, .description = "One of them."},
    {"/hardware/hosts", COUNT, .description = "Machines."},
    {"/hardware/ranks_per_host", LIST, .description = "Ranks of each of them."},
    {"/hardware/ranks_per_host/*", COUNT, .description = "Of one."},
    {"/hardware/cores_per_host", COUNT, .description = "Cores of the first."},
    {"/hardware/hardware_threads_per_host", COUNT, .description = "Hardware threads of it."},
    {"/hardware/numa_nodes_per_host", COUNT, .description = "NUMA nodes of it."},
    {"/hardware/memory_bytes_per_host", BYTES, .description = "Memory of it."},

    {"/run", OBJECT, .description = "When and how the run was made."},
    {"/run/id", TEXT, .description = "Number of the run, the same for all its strategies."},
    {"/run/started_utc", TEXT, .description = "Its start, UTC."},
    {"/run/program", TEXT, .description = "rankledger-collect."},
    {"/run/version", TEXT, .description = "Its version."},
    {"/run/backend", TEXT, .description = "What computed: cpu, cuda."},
    {"/run/ranks_started_by", TEXT, .description = "Who started the ranks."},
    {"/run/command_line", LIST, .description = "The command, users' names left out of paths."},
    {"/run/command_line/*", OWN, .types = EVIDENCE_STRING, .description = "A word of it."},
    {"/run/injected_faults", LIST, .description = "Faults made on purpose."},
    {"/run/injected_faults/*", ELEMENT, .description = "One of them."},
    {"/run/injected_faults/*/fault", TEXT, .description = "As asked for."},
    {"/run/injected_faults/*/happened", FLAG, .description = "Whether the run came so far."},

    {"/strategy_options", OBJECT, .description = "How the strategy was carried out."},
    {"/strategy_options/bucket_bytes", BYTES, .description = "Gradient bucket."},
    {"/strategy_options/first_bucket_bytes", BYTES, .description = "The first one."},
    {"/strategy_options/prefetch", COUNT, .description = "Units gathered ahead of use."},
    {"/strategy_options/persistence_threshold", COUNT,
     .description = "Elements up to which a matrix is kept whole on every rank."},
    {"/strategy_options/unit", ONE_OF(units), .description = "What is sharded as one."},
    {"/strategy_options/units", COUNT, .description = "How many there are."},
    {"/strategy_options/padded_elements", COUNT, .description = "Elements of all, with padding."},
    {"/strategy_options/persistent_elements", COUNT,
     .description = "Elements kept whole on every rank."},
    {"/strategy_options/overlap", FLAG, .description = "Whether computing went on meanwhile."},
    {"/strategy_options/bf16_emulated", FLAG,
     .description = "Whether products were computed in fp32 of converted numbers."},
    {"/strategy_options/sharding_exercised", FLAG,
     .description = "Whether there was more than one rank."},

    {"/ledger/predicted_peak_bytes", BYTES, .description = "Peak that the schedule foresees."},

    {"/memory/per_rank/*/process_before_arena_bytes", BYTES,
     .description = "Memory of the process before it reserved its arena."},
    {"/memory/per_rank/*/process_residual_bytes", BYTES,
     .description = "What the process took beyond its arena at most."},
    {"/memory/per_rank/*/device_before_bytes", BYTES,
     .description = "Memory of the rank's GPU in use, by anybody, before the rank used it."},
    {"/memory/per_rank/*/device_training_peak_bytes", BYTES,
     .description = "The same at most, until the end of training."},
    {"/memory/per_rank/*/device_peak_bytes", BYTES,
     .description = "The same at most, over everything."},
    {"/memory/per_rank/*/device_residual_bytes", BYTES,
     .description = "What the rank took beyond its arena: context, kernels, libraries."},
    {"/memory/per_rank/*/category_peaks", OBJECT,
     .description = "Each category's own largest value; they need not stand together."},
    {"/memory/per_rank/*/category_peaks/*", BYTES, .description = "Bytes of a category."},

    {"/communication/progress", ONE_OF(progresses),
     .description = "What moves a collective along while the rank computes."},
    {"/communication/algorithm", TEXT, .description = "How collectives are made."},
    {"/communication/times", TEXT, .description = "What the times are of."},
    {"/communication/overlap_efficiency", NUMBER,
     .description = "1 - overlap.exposed_ms / overlap.blocking_ms; null: not measured."},
    {"/communication/overlap", OBJECT, .description = "What it is made from."},
    {"/communication/overlap/exposed_ms", TIME_MS, .description = "Exposed in a measured step."},
    {"/communication/overlap/blocking_ms", TIME_MS,
     .description = "Exposed in a step whose collectives were waited for at once."},
    {"/communication/collectives/*/collective", ONE_OF(collectives), .description = "Which."},
    {"/communication/collectives/*/purpose", ONE_OF(purposes), .description = "What for."},
    {"/communication/collectives/*/expected_calls", COUNT,
     .description = "Calls that the schedule foresees."},

    {"/timing", OBJECT, .description = "Where a step's time went."},
    {"/timing/clock", TEXT, .description = "The clock."},
    {"/timing/of_ranks", TEXT, .description = "What a rank's numbers are."},
    {"/timing/per_rank", LIST, .description = "One element a rank."},
    {"/timing/per_rank/*", ELEMENT, .description = "A rank's mean step."},
    {"/timing/per_rank/*/rank", COUNT, .description = "Number of the rank, from 0."},
    {"/timing/per_rank/*/step_ms", TIME_MS, .description = "All of it, the sum of these five:"},
    {"/timing/per_rank/*/forward_ms", TIME_MS, .description = "Computing forward."},
    {"/timing/per_rank/*/backward_ms", TIME_MS, .description = "Computing backward."},
    {"/timing/per_rank/*/optimizer_ms", TIME_MS, .description = "Computing the update."},
    {"/timing/per_rank/*/exposed_ms", TIME_MS, .description = "Standing still for collectives."},
    {"/timing/per_rank/*/other_ms", TIME_MS, .description = "Anything else."},
    {"/timing/per_rank/*/in_flight_ms", TIME_MS, .description = "With a collective in flight."},
    {"/timing/per_rank/*/exposed_by_phase_ms", OBJECT,
     .description = "The exposed time by the phase that it stopped."},
    {"/timing/per_rank/*/exposed_by_phase_ms/*", TIME_MS, .description = "Of a phase."},
    {"/timing/per_rank/*/most_minor_faults", COUNT,
     .description = "Page faults of the measured step that had most."},
    {"/timing/exposed_times_ms", LIST, .description = "Exposed time beside step_times_ms."},
    {"/timing/exposed_times_ms/*", OWN, .types = EVIDENCE_ARRAY, .description = "Of a rank."},
    {"/timing/exposed_times_ms/*/*", OWN, .types = EVIDENCE_NUMBER, .checks = EVIDENCE_MINIMUM,
     .unit = "ms", .description = "Of one step."},
    {"/timing/in_flight_times_ms", LIST,
     .description = "Time with a collective in flight, beside step_times_ms."},
    {"/timing/in_flight_times_ms/*", OWN, .types = EVIDENCE_ARRAY, .description = "Of a rank."},
    {"/timing/in_flight_times_ms/*/*", OWN, .types = EVIDENCE_NUMBER, .checks = EVIDENCE_MINIMUM,
     .unit = "ms", .description = "Of one step."},
    {"/timing/without_collectives", OBJECT,
     .description = "Steps whose collectives were left out; null: not measured."},
    {"/timing/without_collectives/step_time_ms", TIME_MS, .description = "Their median."},
    {"/timing/without_collectives/step_times_ms", LIST, .description = "The slowest rank's."},
    {"/timing/without_collectives/step_times_ms/*", OWN, .types = EVIDENCE_NUMBER,
     .checks = EVIDENCE_MINIMUM, .unit = "ms", .description = "One step."},

    {"/calibration/links/*/collective", ONE_OF(collectives), .description = "Which."},
    {"/calibration/links/*/call", ONE_OF(calls), .description = "How it was called."},

    {"/checkpoint/*/kind", ONE_OF(checkpoints), .description = "One file, or one a rank."},

    {"/correctness", OBJECT, .description = "Signs that the mathematics is right."},
    {"/correctness/recorded_steps", COUNT, .description = "Steps with loss and gradient norm."},
    {"/correctness/ranks_agree_on_grad_norms", FLAG,
     .description = "Whether all ranks have the same norms, to the bit."},
    {"/correctness/rounds_agree_on_losses", FLAG,
     .description = "Whether all rounds have the same losses, to the bit."},

    {"/environment", OBJECT, .description = "What decides how fast a rank computes and talks."},
    {"/environment/per_rank", LIST, .description = "One element a rank."},
    {"/environment/per_rank/*", ELEMENT, .description = "Where a rank ran."},
    {"/environment/per_rank/*/rank", COUNT, .description = "Number of the rank, from 0."},
    {"/environment/per_rank/*/host", COUNT, .description = "Number of its host, from 0."},
    {"/environment/per_rank/*/device", TEXT, .description = "Its processor."},
    {"/environment/per_rank/*/gpu", COUNT, .description = "Its place in hardware.devices."},
    {"/environment/per_rank/*/cores", COUNT, .description = "Cores that it may use."},
    {"/environment/per_rank/*/threads", COUNT, .description = "Its threads."},
    {"/environment/per_rank/*/affinity", TEXT, .description = "The hardware threads it may use."},
    {"/environment/kernel", TEXT, .description = "The system."},
    {"/environment/architecture", TEXT, .description = "The processor's architecture."},
    {"/environment/transparent_huge_pages", TEXT, .description = "The system's setting."},
    {"/environment/frequency_governor", TEXT, .description = "The system's setting."},
    {"/environment/usable_cores", COUNT, .description = "Cores that the run might use."},
    {"/environment/ranks_bound_to_cores", FLAG, .description = "Whether ranks keep to theirs."},
    {"/environment/oversubscribed", FLAG,
     .description = "Whether there are more ranks than cores."},
    {"/environment/variables", OBJECT, .description = "Variables from a list of harmless ones."},
    {"/environment/variables/*", OWN, .types = EVIDENCE_STRING, .description = "Its value."},
    {"/environment/driver", TEXT, .description = "The GPUs' driver."},
    {"/environment/driver_cuda", TEXT, .description = "The CUDA version that it serves."},
    {"/environment/cuda_runtime", TEXT, .description = "The CUDA version of the program."},
    {"/environment/cublas", TEXT, .description = "The version of cuBLASLt."},
    {"/environment/nccl", TEXT, .description = "The version of NCCL."},
    {"/environment/mpi", TEXT, .description = "The MPI library."},
    {"/environment/blas", TEXT, .description = "The BLAS library."},
    {"/environment/blas_kernels", TEXT, .description = "Its kernels."},
    {"/environment/blas_kernels_chosen_by", TEXT, .description = "Who chose them."},

    {"/rounds", LIST, .description = "The rounds, in each of which the strategies took turns."},
    {"/rounds/*", ELEMENT, .description = "One round."},
    {"/rounds/*/round", COUNT, .description = "Its number, from 0."},
    {"/rounds/*/first_step", COUNT, .description = "Where its steps begin in step_times_ms."},
    {"/rounds/*/steps", COUNT, .description = "Its measured steps."},
    {"/rounds/*/step_time_ms", TIME_MS, .description = "Their median of the slowest rank."},
};
/* clang-format on */

const struct evidence_row *evidence_rules_own_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
