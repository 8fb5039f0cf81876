#include "analyze_table.h"

#include <math.h>
#include <string.h>

#include "gates.h"
#include "text.h"
#include "text_table.h"

/* A failure's reason beside the table; the whole one is in the summary. */
#define REASON_COLUMNS 60
/* More rows would scroll away; the summary has all. */
#define MAX_ROWS 40

static void add_number(struct text_table *table, double value, enum text_rounding rounding)
{
    char number[64];
    char cell[96];
    if (isnan(value)) {
        text_table_add(table, "not measured");
        return;
    }
    snprintf(cell, sizeof cell, "%s%s", text_rounded(number, sizeof number, value, rounding, 0),
             rounding == TEXT_ROUNDED_PERCENT ? " %" : "");
    text_table_add(table, cell);
}

static void add_reason(struct text_buffer *cell, const char *reason)
{
    struct text_buffer safe = {0};
    text_redact(&safe, reason, strlen(reason));
    size_t shown = text_prefix(safe.length > 0 ? safe.text : "", safe.length, REASON_COLUMNS);
    text_buffer_puts(cell, ": ");
    if (shown > 0)
        text_buffer_append(cell, safe.text, shown);
    if (shown < safe.length)
        text_buffer_puts(cell, "...");
    cell->failed = cell->failed || safe.failed;
    text_buffer_fini(&safe);
}

static void add_verdict(struct text_table *table, const struct candidate *candidate, bool selected)
{
    struct text_buffer cell = {0};
    const struct gate_result *memory = gates_find(candidate, "memory");
    if (candidate->eligible) {
        text_buffer_puts(&cell, selected ? "selected" : "passes");
        if (memory != NULL && memory->verdict == GATE_TIGHT)
            text_buffer_puts(&cell, ", memory is tight");
    } else {
        text_buffer_puts(&cell, "fails ");
        size_t count = 0;
        for (size_t i = 0; i < candidate->gate_count; i++) {
            const struct gate_result *gate = &candidate->gates[i];
            if (!gate->failed)
                continue;
            text_buffer_printf(&cell, "%s%s", count++ > 0 ? ", " : "", gate->name);
            if (gate->verdict == GATE_NOT_MEASURED)
                text_buffer_puts(&cell, " (not measured)");
            else if (gate->verdict == GATE_UNIT_DIFFERS)
                text_buffer_puts(&cell, " (unit differs)");
        }
        if (candidate->failure.failed && candidate->failure.reason != NULL)
            add_reason(&cell, candidate->failure.reason);
    }
    if (cell.failed)
        table->failed = true;
    else
        text_table_add(table, cell.text);
    text_buffer_fini(&cell);
}

static void add_candidate(struct text_table *table, const struct candidate *candidate,
                          const struct policy *policy, bool selected)
{
    text_table_add(table, candidate->label);
    add_number(table, candidate->peak_mb, TEXT_ROUNDED_PLAIN);
    if (!isnan(policy->memory_limit_mb) && isnan(candidate->peak_mb))
        text_table_add(table, "");
    else if (!isnan(policy->memory_limit_mb))
        add_number(table, 100 * candidate->peak_mb / policy->memory_limit_mb, TEXT_ROUNDED_PERCENT);
    add_number(table, candidate->metrics.throughput, TEXT_ROUNDED_PLAIN);
    add_number(table, 100 * candidate->metrics.communication_ratio, TEXT_ROUNDED_PERCENT);
    add_verdict(table, candidate, selected);
}

/* The unit of the first throughput that was measured; samples/s and tokens/s are never in one
 * group. */
static const char *unit_of(const struct group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++)
        if (!isnan(group->candidates[i].metrics.throughput))
            return throughput_unit_name(group->candidates[i].metrics.throughput_unit);
    return throughput_unit_name(THROUGHPUT_TOKENS);
}

static void add_headings(struct text_table *table, const struct group *group,
                         const struct policy *policy)
{
    char number[64];
    char heading[96];
    bool limited = !isnan(policy->memory_limit_mb);
    *table = (struct text_table){.columns = limited ? 6 : 5, .arena = table->arena};
    for (size_t column = 1; column + 1 < table->columns; column++)
        table->right[column] = true;
    text_table_add(table, "strategy");
    text_table_add(table, "peak MiB");
    if (limited) {
        snprintf(
            heading, sizeof heading, "of %s MiB",
            text_rounded(number, sizeof number, policy->memory_limit_mb, TEXT_ROUNDED_PLAIN, 0));
        text_table_add(table, heading);
    }
    text_table_add(table, unit_of(group));
    text_table_add(table, "exposed communication");
    text_table_add(table, "verdict");
}

void analyze_table(const struct group *group, const struct policy *policy,
                   const struct selection *selection, struct arena *arena, struct text_buffer *out)
{
    struct text_table table = {.arena = arena};
    add_headings(&table, group, policy);
    size_t rows = 0;
    for (size_t i = 0; i < selection->order_count && rows < MAX_ROWS; i++, rows++)
        add_candidate(&table, &group->candidates[selection->order[i]], policy,
                      (long)selection->order[i] == selection->candidate);
    for (size_t i = 0; i < group->candidate_count && rows < MAX_ROWS; i++)
        if (!group->candidates[i].eligible) {
            add_candidate(&table, &group->candidates[i], policy, false);
            rows++;
        }
    text_table_print(&table, 2, out);
    if (rows < group->candidate_count)
        text_buffer_printf(out, "  and %zu more\n", group->candidate_count - rows);
}
