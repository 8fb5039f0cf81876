#include "archive_print.h"

#include <string.h>

#include "groups_table.h"
#include "summary_parts.h"
#include "text.h"

/* More would scroll away; the index has all. */
#define MAX_GROUPS 12
#define MAX_LEFT_OUT 5

static void put_counts(const struct archive_index *index, struct text_buffer *out)
{
    text_buffer_printf(out, "%zu group%s", index->count, index->count == 1 ? "" : "s");
    if (index->count < index->group_count)
        text_buffer_printf(out, " of %zu", index->group_count);
    text_buffer_printf(out, ", %zu record%s: %zu accept, %zu tune, %zu reject\n",
                       index->set.record_count, index->set.record_count == 1 ? "" : "s",
                       index->verdicts[VERDICT_ACCEPT], index->verdicts[VERDICT_TUNE],
                       index->verdicts[VERDICT_REJECT]);
}

static void put_groups(const struct archive_index *index, struct arena *arena,
                       struct text_buffer *out)
{
    struct groups_table_row rows[MAX_GROUPS];
    size_t count = index->count < MAX_GROUPS ? index->count : MAX_GROUPS;
    for (size_t i = 0; i < count; i++) {
        const struct archive_index_row *row = &index->rows[i];
        rows[i] = (struct groups_table_row){.label = row->label,
                                            .decision = summary_parts_verdict_name(row->verdict),
                                            .rule = row->rule,
                                            .strategy = row->strategy,
                                            .throughput_unit = row->throughput_unit,
                                            .throughput = row->throughput,
                                            .peak_mb = row->peak_mb,
                                            .records = row->records};
    }
    if (count == 0)
        return;
    text_buffer_puts(out, "\n");
    groups_table_print(rows, count, arena, out);
    if (count < index->count)
        text_buffer_printf(out, "  and %zu more groups\n", index->count - count);
}

static void put_rejected(const struct rejected_source *rejected, struct text_buffer *out)
{
    const struct finding_list *findings = &rejected->findings;
    text_buffer_puts(out, "  ");
    text_redact(out, rejected->path, strlen(rejected->path));
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity != FINDING_ERROR)
            continue;
        text_buffer_puts(out, ": ");
        text_redact(out, findings->items[i].message, strlen(findings->items[i].message));
        break;
    }
    text_buffer_puts(out, "\n");
}

static void put_left_out(const struct archive_index *index, struct text_buffer *out)
{
    const struct evidence_set *set = &index->set;
    size_t skipped = 0;
    for (size_t i = 0; i < set->skipped_count; i++)
        skipped += !set->skipped[i].own;
    if (set->rejected_count + skipped == 0)
        return;
    text_buffer_printf(out, "\nLeft out: %zu invalid, %zu skipped; index.json lists them\n",
                       set->rejected_count, skipped);
    for (size_t i = 0; i < set->rejected_count && i < MAX_LEFT_OUT; i++)
        put_rejected(&set->rejected[i], out);
    if (set->rejected_count > MAX_LEFT_OUT)
        text_buffer_printf(out, "  and %zu more\n", set->rejected_count - MAX_LEFT_OUT);
    size_t placed = set->rejected_count - index->unplaced_count;
    if (placed > 0 && !index->options.allow_invalid)
        text_buffer_printf(out,
                           "%zu of the invalid sources say%s of which group they are, whose "
                           "evidence is incomplete without them (--allow-invalid decides "
                           "nevertheless)\n",
                           placed, placed == 1 ? "s" : "");
}

enum status archive_print(const struct archive_index *index, const char *output,
                          struct text_buffer *out, struct diag *diag)
{
    struct arena arena = {0};
    put_counts(index, out);
    put_groups(index, &arena, out);
    put_left_out(index, out);
    text_buffer_printf(out, "\n%zu summar%s and index.csv, index.json, index.xlsx in ",
                       index->count, index->count == 1 ? "y" : "ies");
    text_escape(out, output, strlen(output));
    text_buffer_puts(out, "\n");
    text_log_tame(out);
    arena_fini(&arena);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}
