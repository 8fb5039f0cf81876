#include "chart_table.h"

#include "chart_changes.h"
#include "chart_communication.h"
#include "chart_frontier.h"
#include "chart_lifecycle.h"
#include "chart_losses.h"
#include "chart_margins.h"
#include "chart_memory.h"
#include "chart_scale.h"
#include "chart_split.h"
#include "chart_steps.h"
#include "chart_throughput.h"

static const struct chart_row rows[] = {
    {"memory", "chart.memory", true, NULL, chart_memory_draw},
    {"lifecycle", "chart.lifecycle", true, chart_lifecycle_has_content, chart_lifecycle_draw},
    {"throughput", "chart.throughput", true, NULL, chart_throughput_draw},
    {"frontier", "chart.frontier", false, chart_frontier_has_content, chart_frontier_draw},
    {"step_split", "chart.step_split", true, chart_split_has_content, chart_split_draw},
    {"communication", "chart.communication", true, chart_communication_has_content,
     chart_communication_draw},
    {"step_times", "chart.steps", true, chart_steps_has_content, chart_steps_draw},
    {"losses", "chart.losses", false, chart_losses_has_content, chart_losses_draw},
    {"ledger_scale", "chart.ledger_scale", false, chart_scale_has_content, chart_scale_draw},
    {"margins", "chart.margins", false, chart_margins_has_content, chart_margins_draw},
    {"changes", "chart.changes.title", true, chart_changes_has_content, chart_changes_draw},
};

const struct chart_row *chart_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
