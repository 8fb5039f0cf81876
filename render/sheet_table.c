#include "sheet_table.h"

static const struct sheet_row rows[] = {
    {"sheet.decision", sheet_decision_write},
    {"sheet.candidates", sheet_candidates_write},
    {"sheet.gates", sheet_gates_write},
    {"sheet.ledger", sheet_ledger_write},
    {"sheet.memory", sheet_memory_write},
    {"sheet.communication", sheet_communication_write},
    {"sheet.checkpoints", sheet_checkpoints_write},
    {"sheet.failures", sheet_failures_write},
    {"sheet.sources", sheet_sources_write},
    {"sheet.invalid_sources", sheet_invalid_sources_write},
};

const struct sheet_row *sheet_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
