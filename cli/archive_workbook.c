#include "archive_workbook.h"

#include <math.h>

#include "archive_table.h"
#include "index_workbook.h"

/* How a column of the index is shown. */
static enum index_workbook_kind kind_of(const struct archive_table_column *column)
{
    switch (column->kind) {
    case ARCHIVE_TABLE_LINK:
        return INDEX_WORKBOOK_LINK;
    case ARCHIVE_TABLE_VERDICT:
        return INDEX_WORKBOOK_VERDICT;
    case ARCHIVE_TABLE_WHOLE:
    case ARCHIVE_TABLE_KEY:
        return INDEX_WORKBOOK_WHOLE;
    case ARCHIVE_TABLE_ONE:
    case ARCHIVE_TABLE_PERCENT:
        return INDEX_WORKBOOK_ONE;
    case ARCHIVE_TABLE_TWO:
        return INDEX_WORKBOOK_TWO;
    case ARCHIVE_TABLE_SHARE:
        return INDEX_WORKBOOK_SHARE;
    case ARCHIVE_TABLE_CHANGE:
        return INDEX_WORKBOOK_CHANGE;
    default:
        return INDEX_WORKBOOK_TEXT;
    }
}

static struct index_workbook_value value(const void *context, size_t row, size_t column)
{
    const struct archive_index *index = context;
    size_t count;
    const struct archive_table_column *columns = archive_table(&count);
    if (archive_table_is_number(columns[column].kind))
        return (struct index_workbook_value){
            .number = archive_table_number(&columns[column], &index->rows[row])};
    return (struct index_workbook_value){
        .text = archive_table_text(&columns[column], &index->rows[row]), .number = NAN};
}

static size_t skipped_count(const struct archive_index *index)
{
    size_t count = 0;
    for (size_t i = 0; i < index->set.skipped_count; i++)
        count += !index->set.skipped[i].own;
    return count;
}

static const char *first_error(const struct finding_list *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == FINDING_ERROR)
            return findings->items[i].message;
    return "";
}

/* Invalid sources first, then skipped ones; the caller asks from the first on. */
static struct index_workbook_left_out left_out(const void *context, size_t place)
{
    const struct evidence_set *set = &((const struct archive_index *)context)->set;
    if (place < set->rejected_count)
        return (struct index_workbook_left_out){set->rejected[place].path,
                                                first_error(&set->rejected[place].findings)};
    size_t wanted = place - set->rejected_count;
    for (size_t i = 0; i < set->skipped_count; i++)
        if (!set->skipped[i].own && wanted-- == 0)
            return (struct index_workbook_left_out){set->skipped[i].path, set->skipped[i].why};
    return (struct index_workbook_left_out){"", ""};
}

static enum status write(const struct archive_index *index, struct index_workbook_input *input,
                         const char *folder, struct diag *diag)
{
    const struct index_workbook_total totals[] = {
        {"Groups", (double)index->group_count},
        {"Groups in this index", (double)index->count},
        {"Accept", (double)index->verdicts[VERDICT_ACCEPT]},
        {"Tune", (double)index->verdicts[VERDICT_TUNE]},
        {"Reject", (double)index->verdicts[VERDICT_REJECT]},
        {"Records", (double)index->set.record_count},
        {"Invalid sources", (double)index->set.rejected_count},
        {"Invalid sources that name no group of the archive", (double)index->unplaced_count},
        {"Skipped sources", (double)skipped_count(index)},
    };
    struct text_buffer path = {0};
    input->totals = totals;
    input->total_count = sizeof totals / sizeof totals[0];
    text_buffer_printf(&path, "%s/index.xlsx", folder);
    enum status status =
        path.failed ? diag_no_memory(diag) : index_workbook_write(input, path.text, folder, diag);
    text_buffer_fini(&path);
    return status;
}

enum status archive_workbook_write(const struct archive_index *index, const char *folder,
                                   int64_t created, struct diag *diag)
{
    struct texts texts = {0};
    struct arena arena = {0};
    size_t count;
    const struct archive_table_column *rows = archive_table(&count);
    struct index_workbook_column *columns = arena_take_array(&arena, count, sizeof *columns);
    enum status status =
        columns == NULL ? diag_no_memory(diag) : texts_load("en", NULL, &texts, diag);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        columns[i] = (struct index_workbook_column){rows[i].heading, kind_of(&rows[i])};
    struct index_workbook_input input = {
        .columns = columns,
        .column_count = count,
        .row_count = index->count,
        .value = value,
        .left_out_count = index->set.rejected_count + skipped_count(index),
        .left_out = left_out,
        .context = index,
        .created = created,
        .texts = &texts,
    };
    if (status == STATUS_OK)
        status = write(index, &input, folder, diag);
    texts_fini(&texts);
    arena_fini(&arena);
    return status;
}
