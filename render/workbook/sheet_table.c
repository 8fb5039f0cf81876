#include "sheet_table.h"

#include <string.h>

#include "sheet_changes.h"

#define CHANGES_FIRST 18 /* from here on the sheets of a comparison */

static const struct sheet_row rows[] = {
    {"sheet.decision", sheet_decision_write, NULL},
    {"sheet.charts", sheet_charts_write, sheet_charts_has_content},
    {"sheet.candidates", sheet_candidates_write, NULL},
    {"sheet.what_if", sheet_what_if_write, NULL},
    {"sheet.margins", sheet_margins_write, sheet_margins_has_content},
    {"sheet.gates", sheet_gates_write, NULL},
    {"sheet.ledger", sheet_ledger_write, NULL},
    {"sheet.scale", sheet_scale_write, sheet_scale_has_content},
    {"sheet.memory", sheet_memory_write, NULL},
    {"sheet.timing", sheet_timing_write, sheet_timing_has_content},
    {"sheet.communication", sheet_communication_write, NULL},
    {"sheet.steps", sheet_steps_write, sheet_steps_has_content},
    {"sheet.losses", sheet_losses_write, sheet_losses_has_content},
    {"sheet.checkpoints", sheet_checkpoints_write, NULL},
    {"sheet.conditions", sheet_conditions_write, sheet_conditions_has_content},
    {"sheet.failures", sheet_failures_write, NULL},
    {"sheet.sources", sheet_sources_write, NULL},
    {"sheet.invalid_sources", sheet_invalid_sources_write, NULL},
    [CHANGES_FIRST] = {"sheet.changes", sheet_changes_write, NULL},
    {"sheet.findings", sheet_changes_findings_write, NULL},
    {"sheet.values", sheet_changes_values_write, NULL},
    {"sheet.standing", sheet_changes_standing_write, NULL},
    {"sheet.gates_compared", sheet_changes_gates_write, NULL},
    {"sheet.decisions", sheet_changes_groups_write, NULL},
    {"sheet.unmatched", sheet_changes_unmatched_write, sheet_changes_unmatched_has_content},
    {"sheet.policies", sheet_changes_policies_write, sheet_changes_policies_has_content},
    {"sheet.left_out", sheet_changes_left_out_write, sheet_changes_left_out_has_content},
};

#define SHEET_COUNT (sizeof rows / sizeof rows[0])

struct sheet_choice {
    const struct sheet_row *rows[SHEET_COUNT];
    size_t count;
};

const struct sheet_row *sheet_table(size_t *count)
{
    *count = SHEET_COUNT;
    return rows;
}

const char *sheet_table_name(const struct sheet_input *input, const char *title_id)
{
    for (size_t i = 0; i < input->sheet_count; i++)
        if (strcmp(input->sheets[i]->title_id, title_id) == 0)
            return texts_get(input->texts, title_id);
    return NULL;
}

/* A comparison has sheets of its own, and they have nothing to say of a summary. */
static bool suits(const struct sheet_row *row, const struct summary *summary)
{
    bool of_changes = row >= &rows[CHANGES_FIRST];
    return of_changes == (summary->changes != NULL);
}

/* Takes what suits of `count` rows into `sheets`. */
static void choose(const struct sheet_input *input, const struct sheet_row *const *wanted,
                   size_t count, struct sheet_choice *choice)
{
    for (size_t i = 0; i < count; i++)
        if (suits(wanted[i], input->summary) &&
            (wanted[i]->has_content == NULL || wanted[i]->has_content(input)))
            choice->rows[choice->count++] = wanted[i];
}

void sheet_table_write(struct workbook *workbook, const struct sheet_input *input,
                       const struct sheet_row *const *wanted, size_t count)
{
    struct sheet_choice choice = {.count = 0};
    const struct sheet_row *all[SHEET_COUNT];
    for (size_t i = 0; i < SHEET_COUNT; i++)
        all[i] = &rows[i];
    choose(input, wanted, count < SHEET_COUNT ? count : SHEET_COUNT, &choice);
    if (choice.count == 0) /* a template made for one kind of report names no sheet of the other */
        choose(input, all, SHEET_COUNT, &choice);
    struct sheet_input whole = *input;
    whole.sheets = choice.rows;
    whole.sheet_count = choice.count;
    for (size_t i = 0; i < choice.count; i++) {
        struct sheet *sheet =
            workbook_add_sheet(workbook, texts_get(input->texts, choice.rows[i]->title_id));
        if (sheet != NULL)
            choice.rows[i]->write(&whole, sheet);
    }
}
