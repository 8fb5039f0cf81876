#include "memory_stack.h"

#include <math.h>

/* A peak this close to the sum of its parts is that sum: a producer's rounding. */
#define SAME 1e-9

static bool is_amount(double mb)
{
    return isfinite(mb) && mb > 0;
}

static void add(struct memory_stack *stack, enum theme_area area, double mb, const char *category)
{
    if (!is_amount(mb))
        return;
    double from = stack->known_mb;
    stack->known_mb += mb;
    stack->parts[stack->count++] =
        (struct memory_stack_part){area, from, stack->known_mb, category};
}

/* Whether an amount stands behind another (NULL: the begin): from the largest to the smallest,
 * equal ones in the order of the list. */
static bool follows(const struct summary_amount *amount, const struct summary_amount *before)
{
    return is_amount(amount->mb) && (before == NULL || amount->mb < before->mb ||
                                     (amount->mb == before->mb && amount > before));
}

static const struct summary_amount *next_of(const struct summary_amounts *amounts,
                                            const struct summary_amount *before)
{
    const struct summary_amount *next = NULL;
    for (size_t i = 0; i < amounts->count; i++)
        if (follows(&amounts->items[i], before) &&
            (next == NULL || amounts->items[i].mb > next->mb))
            next = &amounts->items[i];
    return next;
}

static void add_temporary(struct memory_stack *stack, const struct summary_amounts *amounts)
{
    const struct summary_amount *last = NULL;
    double rest = 0;
    for (size_t i = 0; i + 1 < MEMORY_STACK_TEMPORARY; i++) {
        const struct summary_amount *next = next_of(amounts, last);
        if (next == NULL)
            return;
        add(stack, THEME_TEMPORARY, next->mb, next->name);
        last = next;
    }
    for (size_t i = 0; i < amounts->count; i++)
        rest += follows(&amounts->items[i], last) ? amounts->items[i].mb : 0;
    add(stack, THEME_TEMPORARY, rest, NULL);
}

void memory_stack_of(const struct summary_candidate *candidate, struct memory_stack *stack)
{
    const struct summary_ledger *ledger = &candidate->ledger;
    *stack = (struct memory_stack){.peak_mb = NAN};
    if (isfinite(candidate->peak_memory_mb) && candidate->peak_memory_mb >= 0)
        stack->peak_mb = candidate->peak_memory_mb;
    if (ledger->available) {
        add(stack, THEME_PARAMETERS, ledger->parameters_mb, NULL);
        add(stack, THEME_GRADIENTS, ledger->gradients_mb, NULL);
        add(stack, THEME_OPTIMIZER, ledger->optimizer_state_mb, NULL);
        add(stack, THEME_KEPT_WHOLE,
            (is_amount(ledger->persistent_parameters_mb) ? ledger->persistent_parameters_mb : 0) +
                (is_amount(ledger->padding_mb) ? ledger->padding_mb : 0),
            NULL);
        add_temporary(stack, &ledger->temporary);
    }
    if (isnan(stack->peak_mb))
        return;
    double rest = stack->peak_mb - stack->known_mb;
    if (rest > SAME * stack->peak_mb)
        stack->parts[stack->count++] =
            (struct memory_stack_part){THEME_NOT_ATTRIBUTED, stack->known_mb, stack->peak_mb, NULL};
    else if (-rest > SAME * stack->peak_mb)
        stack->excess_mb = -rest;
}

double memory_stack_reach(const struct memory_stack *stack)
{
    return fmax(isnan(stack->peak_mb) ? 0 : stack->peak_mb, stack->known_mb);
}
