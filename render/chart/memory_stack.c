#include "memory_stack.h"

#include <math.h>
#include <string.h>

/* A peak this close to the sum of its parts is that sum: a producer's rounding. */
#define SAME 1e-9

static bool is_amount(double mb)
{
    return isfinite(mb) && mb > 0;
}

/* Amounts by area, to be put in the order of the areas. */
struct amounts {
    double mb[MEMORY_STACK_PARTS];
};

static void add(struct amounts *amounts, enum theme_area area, double mb)
{
    if (is_amount(mb))
        amounts->mb[area] += mb;
}

/* Categories of our collector and of the analyzer's formulas; all others are "temporary", which is
 * what an allocator calls what it cannot name. */
static enum theme_area area_of(const char *category)
{
    static const struct {
        const char *category;
        enum theme_area area;
    } rows[] = {
        {"parameters", THEME_PARAMETERS},
        {"gradients", THEME_GRADIENTS},
        {"optimizer_state", THEME_OPTIMIZER},
        {"optimizer", THEME_OPTIMIZER},
        {"persistent_parameters", THEME_KEPT_WHOLE},
        {"padding", THEME_KEPT_WHOLE},
        {"gathered_parameters", THEME_GATHERED},
        {"gradients_unsharded", THEME_GRADIENTS_WHOLE},
        {"gradient_buckets", THEME_BUFFERS},
        {"communication", THEME_BUFFERS},
        {"communication_buffers", THEME_BUFFERS},
        {"activations", THEME_ACTIVATIONS},
        {"workspace", THEME_WORKSPACE},
    };
    for (size_t i = 0; category != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].category, category) == 0)
            return rows[i].area;
    }
    return THEME_TEMPORARY;
}

static void add_all(struct amounts *amounts, const struct summary_amounts *list, bool apart)
{
    for (size_t i = 0; i < list->count; i++)
        add(amounts, apart ? area_of(list->items[i].name) : THEME_TEMPORARY, list->items[i].mb);
}

/* The phase of training (saving a checkpoint is not) with the highest peak; NULL if it was not
 * recorded what was live then. */
static const struct summary_phase *peak_phase(const struct summary_candidate *candidate)
{
    const struct summary_phase *highest = NULL;
    for (size_t i = 0; i < candidate->phase_count; i++) {
        const struct summary_phase *phase = &candidate->phases[i];
        if (phase->name != NULL && strncmp(phase->name, "checkpoint", 10) == 0)
            continue;
        if (isfinite(phase->peak_mb) && (highest == NULL || phase->peak_mb > highest->peak_mb))
            highest = phase;
    }
    return highest != NULL && highest->by_category.count > 0 ? highest : NULL;
}

/* What the ledger foresees beside the state are the largest amounts of each category, which need
 * not be live at once: they are not told apart. */
static void add_ledger(struct amounts *amounts, const struct summary_ledger *ledger)
{
    bool measured =
        ledger->temporary_source != NULL && strcmp(ledger->temporary_source, "measured") == 0;
    add(amounts, THEME_PARAMETERS, ledger->parameters_mb);
    add(amounts, THEME_GRADIENTS, ledger->gradients_mb);
    add(amounts, THEME_OPTIMIZER, ledger->optimizer_state_mb);
    add(amounts, THEME_KEPT_WHOLE, ledger->persistent_parameters_mb);
    add(amounts, THEME_KEPT_WHOLE, ledger->padding_mb);
    add_all(amounts, &ledger->temporary, measured);
}

static void put_parts(struct memory_stack *stack, const struct amounts *amounts)
{
    for (int area = 0; area < THEME_NOT_ATTRIBUTED; area++) {
        if (!is_amount(amounts->mb[area]))
            continue;
        double from = stack->known_mb;
        stack->known_mb += amounts->mb[area];
        stack->parts[stack->count++] =
            (struct memory_stack_part){(enum theme_area)area, from, stack->known_mb};
        if (area <= THEME_KEPT_WHOLE)
            stack->resident_mb = stack->known_mb;
    }
}

static void put_rest(struct memory_stack *stack)
{
    double rest = stack->peak_mb - stack->known_mb;
    if (isnan(stack->peak_mb))
        return;
    if (rest > SAME * stack->peak_mb)
        stack->parts[stack->count++] =
            (struct memory_stack_part){THEME_NOT_ATTRIBUTED, stack->known_mb, stack->peak_mb};
    else if (-rest > SAME * stack->peak_mb)
        stack->excess_mb = -rest;
}

void memory_stack_of(const struct summary_candidate *candidate, struct memory_stack *stack)
{
    struct amounts amounts = {{0}};
    *stack = (struct memory_stack){.peak_mb = NAN, .resident_mb = NAN};
    if (isfinite(candidate->peak_memory_mb) && candidate->peak_memory_mb >= 0)
        stack->peak_mb = candidate->peak_memory_mb;
    const struct summary_phase *phase = peak_phase(candidate);
    stack->measured = phase != NULL && !isnan(stack->peak_mb) && candidate->failure.reason == NULL;
    if (stack->measured)
        add_all(&amounts, &phase->by_category, true);
    else if (candidate->ledger.available)
        add_ledger(&amounts, &candidate->ledger);
    put_parts(stack, &amounts);
    put_rest(stack);
}

void memory_stack_of_phase(const struct summary_phase *phase, struct memory_stack *stack)
{
    struct amounts amounts = {{0}};
    *stack = (struct memory_stack){.peak_mb = phase->peak_mb, .resident_mb = NAN, .measured = true};
    add_all(&amounts, &phase->by_category, true);
    put_parts(stack, &amounts);
    put_rest(stack);
}

double memory_stack_reach(const struct memory_stack *stack)
{
    return fmax(isnan(stack->peak_mb) ? 0 : stack->peak_mb, stack->known_mb);
}
