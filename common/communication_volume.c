#include "communication_volume.h"

#include <math.h>

#include "schedule_count.h"

static double closed_form(const struct communication_volume_input *input, enum strategy strategy)
{
    double gradients = input->parameters * input->shape.gradient_wire_bytes;
    double parameters = input->parameters * input->shape.parameter_wire_bytes;
    double steps = input->gradient_accumulation;
    switch (strategy) {
    case STRATEGY_DDP:
        return gradients;
    case STRATEGY_ZERO1:
        return gradients + parameters;
    case STRATEGY_ZERO2:
        return steps * gradients + parameters;
    case STRATEGY_ZERO3:
    case STRATEGY_FSDP:
        return 2 * steps * parameters + steps * gradients;
    case STRATEGY_COUNT:
        break;
    }
    return NAN;
}

/* Whether the shape is that of the model of which the parameters are given. */
static bool agrees(const struct communication_volume_input *input,
                   const struct schedule_request *request)
{
    return isnan(input->parameters) ||
           input->parameters == (double)model_parameters(&request->shape);
}

/* The sums of the list of one micro-batch; what each micro-batch repeats counts as often. */
static double counted(const struct communication_volume_input *input,
                      const struct schedule_count *count, const struct schedule_request *request)
{
    const double typed = (double)model_dtype_bytes(request->dtype);
    const double parameter = input->shape.parameter_wire_bytes / typed;
    const double gradient = input->shape.gradient_wire_bytes / typed;
    const double steps = input->gradient_accumulation;
    bool reduces = !schedule_whole_gradients(request->strategy);
    bool gathers = !schedule_whole_parameters(request->strategy);
    double sum[SCHEDULE_PURPOSE_COUNT] = {0};
    for (int i = 0; i < SCHEDULE_COLLECTIVE_COUNT; i++)
        for (int j = 0; j < SCHEDULE_PURPOSE_COUNT; j++)
            sum[j] += (double)count->payload_bytes[i][j];
    double total = sum[SCHEDULE_SCALAR];
    total += sum[SCHEDULE_GRADIENT_REDUCTION] * gradient * (reduces ? steps : 1);
    if (sum[SCHEDULE_PARAMETER_SYNC] > 0)
        total += sum[SCHEDULE_PARAMETER_SYNC] * parameter;
    if (gathers)
        total += sum[SCHEDULE_PARAMETER_GATHER] * parameter * steps;
    return total;
}

static enum status count_schedule(const struct schedule_request *request,
                                  struct schedule_count *count, struct diag *diag)
{
    struct arena arena = {0};
    struct schedule schedule;
    enum status status = schedule_build(request, &arena, &schedule, diag);
    if (status == STATUS_OK)
        *count = schedule_count_of(&schedule);
    arena_fini(&arena);
    return status;
}

enum status communication_volume_of(const struct communication_volume_input *input,
                                    enum strategy strategy, struct communication_volume *volume,
                                    struct diag *diag)
{
    struct communication_volume result = {.bytes = NAN};
    struct schedule_request request;
    struct schedule_count count;
    const double ranks = input->shape.world_size;
    if (ranks == 1) {
        result.bytes = 0;
    } else if (ranks >= 1 && ranks <= (double)SCHEDULE_LARGEST_WORLD_SIZE &&
               temporary_memory_request(&input->shape, strategy, &request) &&
               agrees(input, &request)) {
        enum status status = count_schedule(&request, &count, diag);
        if (status != STATUS_OK)
            return status;
        result = (struct communication_volume){counted(input, &count, &request), true};
    } else if (!isnan(ranks)) {
        result.bytes = closed_form(input, strategy);
    }
    if (!isfinite(result.bytes))
        result.bytes = NAN;
    *volume = result;
    return STATUS_OK;
}
