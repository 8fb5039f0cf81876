#include "archive_row.h"

#include <math.h>
#include <string.h>

#include "gates.h"

/* A text that outlives the analysis. */
static const char *keep(struct arena *arena, const char *text, bool *failed)
{
    if (text == NULL)
        return NULL;
    const char *copy = arena_copy(arena, text, strlen(text));
    *failed = *failed || copy == NULL;
    return copy;
}

static double margin_percent(const struct candidate *candidate, const char *gate)
{
    const struct gate_result *result = gates_find(candidate, gate);
    return result == NULL ? NAN : result->margin_percent;
}

/* The numbers of the selected candidate; NAN without one. */
static void fill_selected(const struct candidate *candidate, struct arena *arena,
                          struct archive_index_row *row, bool *failed)
{
    row->throughput = row->peak_mb = row->communication_ratio = row->step_time_ms = NAN;
    row->memory_margin_percent = row->throughput_margin_percent = NAN;
    row->communication_margin_percent = NAN;
    if (candidate == NULL)
        return;
    const struct metrics *metrics = &candidate->metrics;
    row->selected = keep(arena, candidate->label, failed);
    row->strategy = training_state_row(candidate->strategy)->name;
    row->throughput = metrics->throughput;
    if (!isnan(metrics->throughput))
        row->throughput_unit = throughput_unit_name(metrics->throughput_unit);
    row->peak_mb = candidate->peak_mb;
    row->communication_ratio = metrics->communication_ratio;
    row->step_time_ms = metrics->step_time_ms;
    row->memory_margin_percent = margin_percent(candidate, "memory");
    row->throughput_margin_percent = margin_percent(candidate, "throughput");
    row->communication_margin_percent = margin_percent(candidate, "communication");
}

static void count_candidates(const struct group *group, struct archive_index_row *row)
{
    row->candidates = (double)group->candidate_count;
    row->repeats_least = row->repeats_most =
        group->candidate_count > 0 ? (double)group->candidates[0].record_count : (double)NAN;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *candidate = &group->candidates[i];
        row->repeats_least = fmin(row->repeats_least, (double)candidate->record_count);
        row->repeats_most = fmax(row->repeats_most, (double)candidate->record_count);
        row->eligible += candidate->eligible;
        for (size_t g = 0; g < candidate->gate_count; g++)
            row->failed[g] += candidate->gates[g].failed;
    }
}

enum status archive_row_fill(const struct analysis *analysis, struct arena *arena,
                             struct archive_index_row *row, struct diag *diag)
{
    const struct decision *decision = &analysis->decision;
    const struct group *group =
        analysis->picked < 0 ? NULL : &analysis->groups.items[analysis->picked];
    bool failed = false;
    if (group == NULL)
        return diag_set(diag, STATUS_BUG, "the records of one group form several");
    count_candidates(group, row);
    long selected = analysis->selection.candidate;
    fill_selected(selected < 0 ? NULL : &group->candidates[selected], arena, row, &failed);
    row->records = (double)analysis->set.record_count;
    row->rejected = (double)analysis->set.rejected_count;
    row->warnings = (double)group->warning_count;
    for (size_t i = 0; i < analysis->set.record_count; i++)
        row->warnings += (double)analysis->set.records[i].warning_count;
    row->verdict = decision->verdict;
    row->rule = decision->rule;
    row->reason = keep(arena, decision->reason.text, &failed);
    row->reason_id = decision->reason.id;
    row->gain = decision->gain_applicable ? decision->gain : (double)NAN;
    row->level = keep(arena, group->level_name, &failed);
    if (decision->baseline >= 0)
        row->baseline = keep(arena, group->candidates[decision->baseline].label, &failed);
    return failed ? diag_no_memory(diag) : STATUS_OK;
}

/* Bytewise but for runs of digits, which stand by their value: 2 ranks before 16 ranks. */
static int compare_labels(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    while (*a != '\0' && *b != '\0') {
        size_t in_a = strspn(a, digits);
        size_t in_b = strspn(b, digits);
        if (in_a == 0 || in_b == 0) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        size_t zeros_a = strspn(a, "0");
        size_t zeros_b = strspn(b, "0");
        size_t long_a = in_a - zeros_a;
        size_t long_b = in_b - zeros_b;
        int order = long_a != long_b ? (long_a > long_b) - (long_a < long_b)
                                     : memcmp(a + zeros_a, b + zeros_b, long_a);
        if (order != 0)
            return order;
        a += in_a;
        b += in_b;
    }
    return (*a != '\0') - (*b != '\0');
}

int archive_row_compare(const void *left, const void *right)
{
    const struct archive_index_row *a = left;
    const struct archive_index_row *b = right;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;
    int order = compare_labels(a->label, b->label);
    return order != 0 ? order : strcmp(a->summary, b->summary);
}
