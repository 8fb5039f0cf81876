#include "step_stack.h"

#include <math.h>

/* What is less than a tenth of a pixel: the time between two readings of a clock, a rounding. */
#define OTHER_LEAST 1e-4

static double time_or_nan(double ms)
{
    return isfinite(ms) && ms >= 0 ? ms : NAN;
}

/* Returns where the next part begins. */
static double add(struct step_stack *stack, enum theme_area area, double from, double ms)
{
    if (!(ms > 0) || !isfinite(ms))
        return from;
    stack->parts[stack->count++] = (struct step_stack_part){area, from, from + ms};
    return from + ms;
}

static void read_split(struct step_stack *stack, const struct summary_timing *timing)
{
    stack->split = true;
    stack->step_ms = time_or_nan(timing->step_ms);
    stack->rank = timing->rank;
    stack->exposed_ms = time_or_nan(timing->exposed_ms);
    stack->in_flight_ms = time_or_nan(timing->in_flight_ms);
    /* Exposed above in flight would be a fault of the record, of which `validate` warns. */
    stack->hidden_ms =
        stack->in_flight_ms >= stack->exposed_ms ? stack->in_flight_ms - stack->exposed_ms : NAN;
    double end = add(stack, THEME_FORWARD, 0, timing->forward_ms);
    end = add(stack, THEME_BACKWARD, end, timing->backward_ms);
    end = add(stack, THEME_UPDATE, end, timing->optimizer_ms);
    end = add(stack, THEME_COMMUNICATION, end, timing->exposed_ms);
    if (timing->other_ms > OTHER_LEAST * stack->step_ms)
        end = add(stack, THEME_OTHER_TIME, end, timing->other_ms);
    if (stack->step_ms - end > OTHER_LEAST * stack->step_ms)
        add(stack, THEME_NOT_ATTRIBUTED, end, stack->step_ms - end);
}

void step_stack_of(const struct summary_candidate *candidate, struct step_stack *stack)
{
    *stack = (struct step_stack){
        .step_ms = NAN, .rank = NAN, .exposed_ms = NAN, .hidden_ms = NAN, .in_flight_ms = NAN};
    if (candidate->failure.reason != NULL)
        return;
    if (candidate->timing.available) {
        read_split(stack, &candidate->timing);
        return;
    }
    stack->step_ms = time_or_nan(candidate->step_time_ms);
    add(stack, THEME_NOT_ATTRIBUTED, 0, stack->step_ms);
}

double step_stack_reach(const struct step_stack *stack)
{
    double end = stack->count > 0 ? stack->parts[stack->count - 1].to_ms : 0;
    return fmax(end, isnan(stack->hidden_ms) ? 0 : stack->hidden_ms);
}
