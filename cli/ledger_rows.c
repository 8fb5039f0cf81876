#include "ledger_rows.h"

#include <inttypes.h>
#include <math.h>

#define MIB 1048576.0

static enum status totals_of(const struct ledger_request *request, enum strategy strategy,
                             struct training_state_bytes *totals, struct diag *diag)
{
    struct training_state_bytes bytes;
    if (!request->by_model) {
        *totals = request->totals;
        return STATUS_OK;
    }
    if (!training_state_bytes_of_dtype(request->dtype, strategy, &bytes))
        return diag_set(diag, STATUS_USAGE, "--dtype must be bf16, fp16 or fp32");
    *totals = (struct training_state_bytes){
        request->parameters * bytes.parameters / MIB,
        request->parameters * bytes.gradients / MIB,
        request->parameters * bytes.optimizer / MIB,
    };
    return STATUS_OK;
}

static enum status add_temporary(const struct ledger_request *request, struct ledger_row *row,
                                 struct diag *diag)
{
    struct training_state_bytes bytes = {NAN, NAN, NAN};
    struct temporary_memory_shape shape = request->shape;
    if (training_state_bytes_of_dtype(request->dtype, STRATEGY_DDP, &bytes)) {
        shape.parameter_wire_bytes = bytes.parameters;
        shape.gradient_wire_bytes = bytes.gradients;
        shape.activation_bytes = bytes.parameters;
    }
    shape.world_size = (double)row->world_size;
    enum status status = temporary_memory_of(&shape, row->strategy, &row->temporary, diag);
    if (status == STATUS_OK && row->temporary.missing_count > 0)
        status = diag_set(diag, STATUS_USAGE,
                          "--world-size: %" PRId64 " is more ranks than a model's shape is spread "
                          "over; the most is %" PRIu64,
                          row->world_size, SCHEDULE_LARGEST_WORLD_SIZE);
    return status;
}

static enum status fill_row(const struct ledger_request *request, struct ledger_row *row,
                            struct diag *diag)
{
    struct training_state_bytes totals;
    enum status status = totals_of(request, row->strategy, &totals, diag);
    if (status == STATUS_OK)
        status = training_state_ledger(&totals, row->world_size, row->strategy, &row->state, diag);
    if (status == STATUS_OK && request->with_temporary)
        status = add_temporary(request, row, diag);
    return status;
}

enum status ledger_rows_compute(const struct ledger_request *request, struct arena *arena,
                                struct ledger_rows *rows, struct diag *diag)
{
    int first = request->strategy < 0 ? 0 : request->strategy;
    int last = request->strategy < 0 ? STRATEGY_COUNT - 1 : request->strategy;
    size_t each = (size_t)(last - first + 1);
    if (request->world_size_count > SIZE_MAX / each)
        return diag_no_memory(diag);
    struct ledger_row *items =
        arena_take_array(arena, request->world_size_count * each, sizeof *items);
    if (items == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    for (size_t w = 0; w < request->world_size_count; w++) {
        for (int s = first; s <= last; s++) {
            struct ledger_row *row = &items[count++];
            row->strategy = (enum strategy)s;
            row->world_size = request->world_sizes[w];
            enum status status = fill_row(request, row, diag);
            if (status != STATUS_OK)
                return status;
        }
    }
    *rows = (struct ledger_rows){items, count};
    return STATUS_OK;
}
