#include "sheet_candidates_columns.h"

#include <math.h>
#include <string.h>

#include "evidence_level.h"
#include "report_view.h"
#include "sheet_candidates.h"

#define NUMBER(id, member, style)                                                                  \
    {                                                                                              \
        COLUMN_NUMBER, id, offsetof(struct summary_candidate, member), style, NULL, false          \
    }
#define OPTIONAL(id, member, style)                                                                \
    {                                                                                              \
        COLUMN_NUMBER, id, offsetof(struct summary_candidate, member), style, NULL, true           \
    }
#define BOUND(id, member)                                                                          \
    {                                                                                              \
        COLUMN_BOUND, id, offsetof(struct summary_candidate, member), CELL_TEXT, NULL, true        \
    }
#define WORD(id, member, words)                                                                    \
    {                                                                                              \
        COLUMN_WORD, id, offsetof(struct summary_candidate, member), CELL_TEXT, words, false       \
    }
#define OTHER(kind, id)                                                                            \
    {                                                                                              \
        kind, id, 0, CELL_WHOLE, NULL, false                                                       \
    }

static const struct sheet_candidates_column columns[] = {
    NUMBER("column.rank", rank, CELL_WHOLE),
    OTHER(COLUMN_LABEL, "column.strategy"),
    OTHER(COLUMN_VERDICT, "column.verdict"),
    OTHER(COLUMN_GATES, "column.gate_failures"),
    OTHER(COLUMN_PEAK, "column.peak_memory"),
    OTHER(COLUMN_OF_LIMIT, "column.of_limit"),
    WORD("column.memory_kind", memory_kind, "kind"),
    OTHER(COLUMN_TOKENS, "column.throughput_tokens"),
    OTHER(COLUMN_SAMPLES, "column.throughput_samples"),
    BOUND("column.throughput_lower", throughput_lower),
    BOUND("column.throughput_upper", throughput_upper),
    OTHER(COLUMN_GAIN, "column.gain"),
    OPTIONAL("column.ratio_lower", ratio_lower, CELL_FOUR),
    OPTIONAL("column.ratio_upper", ratio_upper, CELL_FOUR),
    {COLUMN_FRONT, "column.on_front", 0, CELL_TEXT, NULL, true},
    NUMBER("column.step_time", step_time_ms, CELL_TWO),
    OPTIONAL("column.step_time_lower", step_time_lower_ms, CELL_TWO),
    OPTIONAL("column.step_time_upper", step_time_upper_ms, CELL_TWO),
    WORD("column.interval_unit", interval_unit, "interval"),
    {COLUMN_INTERVAL, "column.interval_samples",
     offsetof(struct summary_candidate, interval_samples), CELL_WHOLE, NULL, true},
    NUMBER("column.step_time_smallest", step_time_smallest_ms, CELL_TWO),
    NUMBER("column.step_time_largest", step_time_largest_ms, CELL_TWO),
    NUMBER("column.step_time_variation", step_time_variation, CELL_PERCENT),
    NUMBER("column.communication_ratio", communication_ratio, CELL_PERCENT),
    NUMBER("column.in_flight_ratio", in_flight_ratio, CELL_PERCENT),
    NUMBER("column.skew_ratio", skew_ratio, CELL_PERCENT),
    NUMBER("column.checkpoint_peak", checkpoint_peak_memory_mb, CELL_ONE),
    NUMBER("column.utilisation", utilisation, CELL_PERCENT),
    NUMBER("column.micro_batch", micro_batch, CELL_WHOLE),
    NUMBER("column.gradient_accumulation", gradient_accumulation, CELL_WHOLE),
    NUMBER("column.global_batch", global_batch, CELL_WHOLE),
    OTHER(COLUMN_REPEATS, "column.repeats"),
    WORD("column.evidence_level", evidence_level, "level"),
    OTHER(COLUMN_FAILURE, "column.failure"),
    OTHER(COLUMN_SOURCE, "column.source"),
    OTHER(COLUMN_NOTES, "column.notes"),
    OTHER(COLUMN_GROUP_NUMBER, "column.group_number"),
    OTHER(COLUMN_BASELINE, "column.is_baseline"),
    OTHER(COLUMN_FAILED, "column.run_failed"),
    OTHER(COLUMN_TIMES, "column.times_count"),
    OTHER(COLUMN_OTHERS, "column.other_failures"),
    OTHER(COLUMN_ORDER, "column.input_order"),
};

#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

_Static_assert(COLUMN_COUNT <= SHEET_CANDIDATES_COLUMNS, "the header holds too few");

double sheet_candidates_number(const struct summary_candidate *candidate,
                               const struct sheet_candidates_column *column)
{
    double value;
    memcpy(&value, (const char *)candidate + column->offset, sizeof value);
    return value;
}

const char *sheet_candidates_text(const struct summary_candidate *candidate,
                                  const struct sheet_candidates_column *column)
{
    const char *text;
    memcpy(&text, (const char *)candidate + column->offset, sizeof text);
    return text;
}

/* True if some candidate has a value there. */
static bool is_told(const struct summary *summary, const struct sheet_candidates_column *column)
{
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++) {
            const struct summary_candidate *candidate = &summary->groups[i].candidates[k];
            if (column->kind == COLUMN_FRONT ? candidate->on_front
                                             : !isnan(sheet_candidates_number(candidate, column)))
                return true;
        }
    return false;
}

static bool has_column(const struct summary *summary, const struct sheet_candidates_column *column)
{
    bool samples = report_view_has_unit(summary, false);
    switch (column->kind) {
    case COLUMN_TOKENS:
        return report_view_has_unit(summary, true) || !samples;
    case COLUMN_SAMPLES:
        return samples;
    case COLUMN_GROUP_NUMBER:
        return summary->group_count > 1;
    default:
        return !column->optional || is_told(summary, column);
    }
}

size_t sheet_candidates_columns(const struct summary *summary,
                                const struct sheet_candidates_column **present)
{
    size_t count = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (has_column(summary, &columns[i]))
            present[count++] = &columns[i];
    return count;
}

/* ---- What the what-if sheet reads, too ---- */

static uint32_t find_column(const struct summary *summary, enum sheet_candidates_kind kind,
                            size_t offset)
{
    const struct sheet_candidates_column *present[SHEET_CANDIDATES_COLUMNS];
    size_t count = sheet_candidates_columns(summary, present);
    for (size_t i = 0; i < count; i++)
        if (present[i]->kind == kind && present[i]->offset == offset)
            return (uint32_t)i + (summary->group_count > 1 ? 1 : 0);
    return SHEET_CANDIDATES_NO_COLUMN;
}

void sheet_candidates_layout(const struct summary *summary, struct sheet_candidates_layout *layout)
{
    *layout = (struct sheet_candidates_layout){
        .label = find_column(summary, COLUMN_LABEL, 0),
        .peak = find_column(summary, COLUMN_PEAK, 0),
        .kind = find_column(summary, COLUMN_WORD, offsetof(struct summary_candidate, memory_kind)),
        .communication = find_column(summary, COLUMN_NUMBER,
                                     offsetof(struct summary_candidate, communication_ratio)),
        .tokens = find_column(summary, COLUMN_TOKENS, 0),
        .samples = find_column(summary, COLUMN_SAMPLES, 0),
        .group = find_column(summary, COLUMN_GROUP_NUMBER, 0),
        .baseline = find_column(summary, COLUMN_BASELINE, 0),
        .failed = find_column(summary, COLUMN_FAILED, 0),
        .times = find_column(summary, COLUMN_TIMES, 0),
        .others = find_column(summary, COLUMN_OTHERS, 0),
        .order = find_column(summary, COLUMN_ORDER, 0)};
}

uint32_t sheet_candidates_row(const struct summary *summary, size_t group, size_t place)
{
    size_t row = SHEET_CANDIDATES_FIRST_ROW + place;
    for (size_t i = 0; i < group; i++)
        row += summary->groups[i].candidate_count;
    return row < CELL_MAX_ROWS ? (uint32_t)row : CELL_MAX_ROWS;
}

double sheet_candidates_others(const struct summary_candidate *candidate)
{
    static const char *const moved[] = {"memory", "throughput", "communication"};
    double count = 0;
    for (size_t i = 0; i < candidate->gate_count; i++) {
        bool other = candidate->gates[i].failed;
        for (size_t k = 0; k < sizeof moved / sizeof moved[0]; k++)
            other &= strcmp(candidate->gates[i].name, moved[k]) != 0;
        count += other;
    }
    return count;
}

double sheet_candidates_order(const struct summary_group *group,
                              const struct summary_candidate *candidate)
{
    if (candidate->source_count == 0)
        return (double)(candidate - group->candidates) + 1;
    size_t first = candidate->sources[0];
    for (size_t i = 1; i < candidate->source_count; i++)
        first = candidate->sources[i] < first ? candidate->sources[i] : first;
    return (double)first + 1;
}

bool sheet_candidates_is_baseline(const struct summary *summary,
                                  const struct summary_candidate *candidate)
{
    const char *baseline = summary->policy.baseline;
    return baseline != NULL && candidate->strategy != NULL &&
           strcmp(candidate->strategy, baseline) == 0;
}

bool sheet_candidates_times_count(const struct summary_candidate *candidate)
{
    const char *name = candidate->evidence_level;
    const struct evidence_level *level =
        name != NULL ? evidence_level_find(name, strlen(name)) : NULL;
    return level != NULL && level->times_count;
}
