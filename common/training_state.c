#include "training_state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct training_state_row rows[STRATEGY_COUNT] = {
    [STRATEGY_DDP] = {"ddp", "G0", false, false, false},
    [STRATEGY_ZERO1] = {"zero1", "G1", false, false, true},
    [STRATEGY_ZERO2] = {"zero2", "G1", false, true, true},
    [STRATEGY_ZERO3] = {"zero3", "G2", true, true, true},
    [STRATEGY_FSDP] = {"fsdp_full_shard", "G2", true, true, true},
};

const struct training_state_row *training_state_row(enum strategy strategy)
{
    return &rows[strategy];
}

bool training_state_find(const char *name, size_t length, enum strategy *strategy)
{
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0) {
            *strategy = (enum strategy)i;
            return true;
        }
    }
    return false;
}

bool training_state_bytes_of_dtype(const char *dtype, enum strategy strategy,
                                   struct training_state_bytes *bytes)
{
    bool half = strcmp(dtype, "bf16") == 0 || strcmp(dtype, "fp16") == 0;
    if (!half && strcmp(dtype, "fp32") != 0)
        return false;
    if (half && strategy != STRATEGY_FSDP)
        *bytes = (struct training_state_bytes){2, 2, 12};
    else
        *bytes = (struct training_state_bytes){4, 4, 8};
    return true;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

enum status training_state_ledger(const struct training_state_bytes *totals, int64_t world_size,
                                  enum strategy strategy, struct training_state_ledger *ledger,
                                  struct diag *diag)
{
    if (world_size < 1)
        return diag_set(diag, STATUS_USAGE, "world size is %" PRId64 "; it must be at least 1",
                        world_size);
    if ((int)strategy < 0 || strategy >= STRATEGY_COUNT)
        return diag_set(diag, STATUS_USAGE, "unknown strategy number %d", (int)strategy);
    if (!is_amount(totals->parameters) || !is_amount(totals->gradients) ||
        !is_amount(totals->optimizer))
        return diag_set(diag, STATUS_USAGE,
                        "parameter, gradient and optimizer totals must be finite and not negative");
    const struct training_state_row *row = &rows[strategy];
    double ranks = (double)world_size;
    struct training_state_ledger result = {
        .parameters = row->shards_parameters ? totals->parameters / ranks : totals->parameters,
        .gradients = row->shards_gradients ? totals->gradients / ranks : totals->gradients,
        .optimizer = row->shards_optimizer ? totals->optimizer / ranks : totals->optimizer,
    };
    result.resident = result.parameters + result.gradients + result.optimizer;
    if (!isfinite(result.resident))
        return diag_set(diag, STATUS_USAGE,
                        "parameter, gradient and optimizer totals are too large to add up");
    *ledger = result;
    return STATUS_OK;
}
