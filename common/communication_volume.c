#include "communication_volume.h"

#include <math.h>

static double closed_form(const struct communication_volume_input *input, enum strategy strategy)
{
    double gradients = input->parameters * input->gradient_wire_bytes;
    double parameters = input->parameters * input->parameter_wire_bytes;
    double steps = input->gradient_accumulation;
    if (isnan(input->world_size))
        return NAN;
    if (input->world_size == 1)
        return 0;
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

double communication_volume_bytes(const struct communication_volume_input *input,
                                  enum strategy strategy)
{
    double bytes = closed_form(input, strategy);
    return isfinite(bytes) ? bytes : NAN;
}

const char *communication_volume_text(enum strategy strategy)
{
    static const char *const texts[STRATEGY_COUNT] = {
        [STRATEGY_DDP] = "gradients once a step",
        [STRATEGY_ZERO1] = "gradients and parameters once a step",
        [STRATEGY_ZERO2] = "gradients once a micro-batch, parameters once a step",
        [STRATEGY_ZERO3] = "textbook bound: parameters twice and gradients once a micro-batch",
        [STRATEGY_FSDP] = "textbook bound: parameters twice and gradients once a micro-batch",
    };
    return texts[strategy];
}
