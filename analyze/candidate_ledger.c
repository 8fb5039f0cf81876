#include "candidate_ledger.h"

#include <math.h>
#include <string.h>

#include "communication_volume.h"
#include "normalise.h"
#include "temporary_memory.h"

#define MIB 1048576.0

/* Beyond these a number is a mistake; it counts as missing, and no product leaves a double. */
#define MOST_PARAMETERS 1e18
#define MOST_STATE_BYTES 1e6

/* ---- resident state by formula ---- */

static bool shards_anything(enum strategy strategy)
{
    const struct training_state_row *row = training_state_row(strategy);
    return row->shards_parameters || row->shards_gradients || row->shards_optimizer;
}

/* A whole number of ranks; 0 if it is unknown or none. */
static int64_t whole_ranks(double world_size)
{
    if (!(world_size >= 1) || world_size > 1e15 || world_size != floor(world_size))
        return 0;
    return (int64_t)world_size;
}

/* Bytes per parameter as recorded, else of the dtype. */
static bool state_bytes_of(const struct workload *workload, enum strategy strategy,
                           struct training_state_bytes *bytes)
{
    const struct training_state_bytes *given = &workload->state_bytes;
    double sum = given->parameters + given->gradients + given->optimizer;
    if (!isnan(sum)) {
        *bytes = *given;
        return sum <= MOST_STATE_BYTES;
    }
    const char *dtype = normalise_dtype(workload->dtype);
    return dtype != NULL && training_state_bytes_of_dtype(dtype, strategy, bytes);
}

static void set_divisors(struct candidate_ledger *ledger, enum strategy strategy, int64_t ranks)
{
    const struct training_state_row *row = training_state_row(strategy);
    double n = ranks > 0 ? (double)ranks : NAN;
    ledger->parameters_divisor = row->shards_parameters ? n : 1;
    ledger->gradients_divisor = row->shards_gradients ? n : 1;
    ledger->optimizer_divisor = row->shards_optimizer ? n : 1;
}

/* Copies a list of static names into the arena. */
static const char *const *copy_names(struct arena *arena, const char *const *names, size_t count)
{
    const char **copy = arena_take_array(arena, count + 1, sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, names, count * sizeof *copy);
    return copy;
}

static enum status resident_by_formula(const struct workload *workload, enum strategy strategy,
                                       struct arena *arena, struct candidate_ledger *ledger,
                                       struct diag *diag)
{
    struct training_state_bytes bytes = {NAN, NAN, NAN};
    int64_t ranks = whole_ranks(workload->world_size);
    const char *missing[3];
    size_t count = 0;
    if (!(workload->parameters <= MOST_PARAMETERS))
        missing[count++] = "workload.parameters";
    if (!state_bytes_of(workload, strategy, &bytes))
        missing[count++] = "workload.state_bytes";
    if (ranks == 0 && shards_anything(strategy))
        missing[count++] = "workload.world_size";
    ledger->missing = copy_names(arena, missing, count);
    ledger->missing_count = count;
    ledger->available = count == 0;
    set_divisors(ledger, strategy, ranks);
    ledger->state = (struct training_state_ledger){NAN, NAN, NAN, NAN};
    if (ledger->missing == NULL)
        return diag_no_memory(diag);
    if (!ledger->available)
        return STATUS_OK;
    struct training_state_bytes totals = {bytes.parameters * workload->parameters / MIB,
                                          bytes.gradients * workload->parameters / MIB,
                                          bytes.optimizer * workload->parameters / MIB};
    return training_state_ledger(&totals, ranks == 0 ? 1 : ranks, strategy, &ledger->state, diag);
}

/* ---- temporary memory by the schedule ---- */

struct temporary_memory_shape candidate_ledger_shape(const struct workload *workload)
{
    struct training_state_bytes bytes;
    const char *dtype = normalise_dtype(workload->dtype);
    bool typed = dtype != NULL && training_state_bytes_of_dtype(dtype, STRATEGY_DDP, &bytes);
    return (struct temporary_memory_shape){
        .width = workload->width,
        .layers = workload->layers,
        .heads = workload->heads,
        .vocab = workload->vocab,
        .seq_len = workload->seq_len,
        .micro_batch = workload->micro_batch,
        .world_size = workload->world_size,
        .parameter_wire_bytes = workload->parameter_wire_bytes,
        .gradient_wire_bytes = workload->gradient_wire_bytes,
        .activation_bytes = typed ? bytes.parameters : NAN,
        .bucket_bytes = workload->bucket_bytes,
        .prefetch = workload->prefetch,
        .persistence_threshold = workload->persistence_threshold,
        .overlap = workload->overlap,
        .activation_checkpointing = workload->activation_checkpointing,
    };
}

static enum status temporary_by_formula(const struct workload *workload, enum strategy strategy,
                                        struct arena *arena, struct candidate_ledger *ledger,
                                        struct diag *diag)
{
    struct temporary_memory_shape shape = candidate_ledger_shape(workload);
    struct temporary_memory memory;
    enum status status = temporary_memory_of(&shape, strategy, &memory, diag);
    if (status != STATUS_OK)
        return status;
    struct memory_amount *amounts = arena_take_array(arena, memory.count + 1, sizeof *amounts);
    ledger->temporary_missing = copy_names(arena, memory.missing, memory.missing_count);
    if (amounts == NULL || ledger->temporary_missing == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < memory.count; i++)
        amounts[i] = (struct memory_amount){memory.amounts[i].category, memory.amounts[i].text,
                                            memory.amounts[i].bytes / MIB};
    ledger->temporary = amounts;
    ledger->temporary_count = memory.count;
    ledger->temporary_mb = memory.total_bytes / MIB;
    ledger->temporary_missing_count = memory.missing_count;
    ledger->persistent_parameters_mb = memory.persistent_bytes / MIB;
    return STATUS_OK;
}

enum status candidate_ledger_of_workload(const struct workload *workload, enum strategy strategy,
                                         struct arena *arena, struct candidate_ledger *ledger,
                                         struct diag *diag)
{
    struct candidate_ledger result = {.persistent_parameters_mb = NAN,
                                      .padding_mb = NAN,
                                      .residual_mb = NAN,
                                      .foreseen_peak_mb = NAN,
                                      .measured_peak_mb = NAN};
    enum status status = resident_by_formula(workload, strategy, arena, &result, diag);
    if (status == STATUS_OK)
        status = temporary_by_formula(workload, strategy, arena, &result, diag);
    if (status == STATUS_OK)
        *ledger = result;
    return status;
}

enum status candidate_ledger_payload(const struct workload *workload, enum strategy strategy,
                                     double *payload_mb, struct diag *diag)
{
    struct communication_volume_input input = {
        .parameters = workload->parameters,
        .gradient_accumulation = workload->gradient_accumulation,
        .shape = candidate_ledger_shape(workload),
    };
    struct communication_volume volume;
    enum status status = communication_volume_of(&input, strategy, &volume, diag);
    if (status == STATUS_OK)
        *payload_mb = volume.bytes / MIB;
    return status;
}
