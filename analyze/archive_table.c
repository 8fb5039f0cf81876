#include "archive_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary_parts.h"

#define ROW(member) offsetof(struct archive_index_row, member)
#define KEY(field) (ROW(key) + (field) * sizeof(const char *))
#define FAILED(gate) (ROW(failed) + (gate) * sizeof(double))

static const struct archive_table_column columns[] = {
    {"label", "Group", ARCHIVE_TABLE_TEXT, ROW(label)},
    {"decision", "Decision", ARCHIVE_TABLE_VERDICT, ROW(verdict)},
    {"strategy", "Strategy", ARCHIVE_TABLE_WORD, ROW(strategy)},
    {"rule", "Rule", ARCHIVE_TABLE_WORD, ROW(rule)},
    {"throughput", "Throughput", ARCHIVE_TABLE_ONE, ROW(throughput)},
    {"throughput_unit", "Unit", ARCHIVE_TABLE_WORD, ROW(throughput_unit)},
    {"peak_memory_mb", "Peak memory, MiB", ARCHIVE_TABLE_ONE, ROW(peak_mb)},
    {"communication_ratio", "Exposed communication", ARCHIVE_TABLE_SHARE, ROW(communication_ratio)},
    {"step_time_ms", "Step time, ms", ARCHIVE_TABLE_TWO, ROW(step_time_ms)},
    {"gain", "Gain", ARCHIVE_TABLE_CHANGE, ROW(gain)},
    {"baseline", "Baseline", ARCHIVE_TABLE_TEXT, ROW(baseline)},
    {"memory_margin_percent", "Memory margin, %", ARCHIVE_TABLE_PERCENT,
     ROW(memory_margin_percent)},
    {"throughput_margin_percent", "Throughput margin, %", ARCHIVE_TABLE_PERCENT,
     ROW(throughput_margin_percent)},
    {"communication_margin_percent", "Communication margin, %", ARCHIVE_TABLE_PERCENT,
     ROW(communication_margin_percent)},
    {"selected", "Selected candidate", ARCHIVE_TABLE_TEXT, ROW(selected)},
    {"evidence_level", "Weakest evidence", ARCHIVE_TABLE_TEXT, ROW(level)},
    {"records", "Records", ARCHIVE_TABLE_WHOLE, ROW(records)},
    {"candidates", "Candidates", ARCHIVE_TABLE_WHOLE, ROW(candidates)},
    {"eligible", "Eligible", ARCHIVE_TABLE_WHOLE, ROW(eligible)},
    {"repeats_least", "Fewest repeats", ARCHIVE_TABLE_WHOLE, ROW(repeats_least)},
    {"repeats_most", "Most repeats", ARCHIVE_TABLE_WHOLE, ROW(repeats_most)},
    {"rejected_sources", "Invalid sources", ARCHIVE_TABLE_WHOLE, ROW(rejected)},
    {"warnings", "Warnings", ARCHIVE_TABLE_WHOLE, ROW(warnings)},
    {"failed_runtime", "Fail runtime", ARCHIVE_TABLE_WHOLE, FAILED(0)},
    {"failed_memory", "Fail memory", ARCHIVE_TABLE_WHOLE, FAILED(1)},
    {"failed_throughput", "Fail throughput", ARCHIVE_TABLE_WHOLE, FAILED(2)},
    {"failed_communication", "Fail communication", ARCHIVE_TABLE_WHOLE, FAILED(3)},
    {"failed_evidence_level", "Fail evidence level", ARCHIVE_TABLE_WHOLE, FAILED(4)},
    {"failed_correctness", "Fail correctness", ARCHIVE_TABLE_WHOLE, FAILED(5)},
    {"failed_stability", "Fail stability", ARCHIVE_TABLE_WHOLE, FAILED(6)},
    {"model", "Model", ARCHIVE_TABLE_TEXT, KEY(COMPARABILITY_MODEL)},
    {"world_size", "World size", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_WORLD_SIZE)},
    {"global_batch", "Global batch", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_GLOBAL_BATCH)},
    {"micro_batch", "Micro-batch", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_MICRO_BATCH)},
    {"gradient_accumulation", "Accumulation", ARCHIVE_TABLE_KEY,
     KEY(COMPARABILITY_GRADIENT_ACCUMULATION)},
    {"seq_len", "Sequence length", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_SEQ_LEN)},
    {"parameters", "Parameters", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_PARAMETERS)},
    {"width", "Width", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_WIDTH)},
    {"layers", "Layers", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_LAYERS)},
    {"heads", "Heads", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_HEADS)},
    {"vocab", "Vocabulary", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_VOCAB)},
    {"dtype", "Data type", ARCHIVE_TABLE_TEXT, KEY(COMPARABILITY_DTYPE)},
    {"optimizer", "Optimizer", ARCHIVE_TABLE_TEXT, KEY(COMPARABILITY_OPTIMIZER)},
    {"activation_checkpointing", "Activation checkpointing", ARCHIVE_TABLE_WORD,
     KEY(COMPARABILITY_ACTIVATION_CHECKPOINTING)},
    {"state_bytes", "State bytes per parameter", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_STATE_BYTES)},
    {"times_count", "Times count", ARCHIVE_TABLE_WORD, KEY(COMPARABILITY_TIMES_COUNT)},
    {"device", "Device", ARCHIVE_TABLE_TEXT, KEY(COMPARABILITY_DEVICE)},
    {"device_count", "Devices", ARCHIVE_TABLE_KEY, KEY(COMPARABILITY_DEVICE_COUNT)},
    {"reason", "Reason", ARCHIVE_TABLE_TEXT, ROW(reason)},
    {"summary", "Summary", ARCHIVE_TABLE_LINK, ROW(summary)},
};

const struct archive_table_column *archive_table(size_t *count)
{
    *count = sizeof columns / sizeof columns[0];
    return columns;
}

bool archive_table_is_number(enum archive_table_kind kind)
{
    return kind >= ARCHIVE_TABLE_WHOLE;
}

const char *archive_table_text(const struct archive_table_column *column,
                               const struct archive_index_row *row)
{
    const char *text = NULL;
    if (column->kind == ARCHIVE_TABLE_VERDICT)
        return summary_parts_verdict_name(row->verdict);
    memcpy(&text, (const unsigned char *)row + column->offset, sizeof text);
    return text;
}

double archive_table_number(const struct archive_table_column *column,
                            const struct archive_index_row *row)
{
    double number = NAN;
    if (column->kind == ARCHIVE_TABLE_KEY) {
        const char *digits = archive_table_text(column, row);
        return digits == NULL ? (double)NAN : strtod(digits, NULL); /* our own digits, C locale */
    }
    memcpy(&number, (const unsigned char *)row + column->offset, sizeof number);
    return number;
}
