#include "memory_stack.h"

#include <math.h>

/* A peak this close to the sum of its parts is that sum: a producer's rounding. */
#define SAME 1e-9

static bool is_amount(double mb)
{
    return isfinite(mb) && mb > 0;
}

static void add(struct memory_stack *stack, enum theme_area area, double mb)
{
    if (!is_amount(mb))
        return;
    double from = stack->known_mb;
    stack->known_mb += mb;
    stack->parts[stack->count++] = (struct memory_stack_part){area, from, stack->known_mb};
}

static double sum_of(const struct summary_amounts *amounts)
{
    double sum = 0;
    for (size_t i = 0; i < amounts->count; i++)
        sum += is_amount(amounts->items[i].mb) ? amounts->items[i].mb : 0;
    return sum;
}

void memory_stack_of(const struct summary_candidate *candidate, struct memory_stack *stack)
{
    const struct summary_ledger *ledger = &candidate->ledger;
    *stack = (struct memory_stack){.peak_mb = NAN};
    if (isfinite(candidate->peak_memory_mb) && candidate->peak_memory_mb >= 0)
        stack->peak_mb = candidate->peak_memory_mb;
    if (ledger->available) {
        add(stack, THEME_PARAMETERS, ledger->parameters_mb);
        add(stack, THEME_GRADIENTS, ledger->gradients_mb);
        add(stack, THEME_OPTIMIZER, ledger->optimizer_state_mb);
        add(stack, THEME_KEPT_WHOLE,
            (is_amount(ledger->persistent_parameters_mb) ? ledger->persistent_parameters_mb : 0) +
                (is_amount(ledger->padding_mb) ? ledger->padding_mb : 0));
        add(stack, THEME_TEMPORARY, sum_of(&ledger->temporary));
    }
    if (isnan(stack->peak_mb))
        return;
    double rest = stack->peak_mb - stack->known_mb;
    if (rest > SAME * stack->peak_mb)
        stack->parts[stack->count++] =
            (struct memory_stack_part){THEME_NOT_ATTRIBUTED, stack->known_mb, stack->peak_mb};
    else if (-rest > SAME * stack->peak_mb)
        stack->excess_mb = -rest;
}

double memory_stack_reach(const struct memory_stack *stack)
{
    return fmax(isnan(stack->peak_mb) ? 0 : stack->peak_mb, stack->known_mb);
}
