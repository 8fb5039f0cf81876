#include <math.h>
#include <string.h>

#include "archive_table.h"
#include "text.h"

/* RFC 4180: a field with a comma, a quote or a line end stands in quotes, quotes doubled. */
static void put_field(struct text_buffer *out, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length && !quoted; i++)
        quoted = strchr(",\"\r\n", text[i]) != NULL;
    if (quoted)
        text_buffer_puts(out, "\"");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            text_buffer_puts(out, "\"");
        text_buffer_append(out, text + i, 1);
    }
    if (quoted)
        text_buffer_puts(out, "\"");
}

/* Whether a spreadsheet may take the text for a formula: it begins with one of = + - @, blanks
 * aside, in ASCII or as full-width form. */
static bool looks_like_formula(const char *text)
{
    static const char *const starts[] = {
        "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Control characters become visible; an apostrophe before what looks like a formula makes it text.
 */
static void put_text(struct text_buffer *out, const char *text, struct text_buffer *scratch)
{
    text_buffer_clear(scratch);
    if (looks_like_formula(text))
        text_buffer_puts(scratch, "'");
    text_redact(scratch, text, strlen(text));
    if (scratch->failed)
        out->failed = true;
    else
        put_field(out, scratch->text, scratch->length);
}

static void put_cell(struct text_buffer *out, const struct archive_table_column *column,
                     const struct archive_index_row *row, struct text_buffer *scratch)
{
    char digits[64];
    if (archive_table_is_number(column->kind)) {
        double value = archive_table_number(column, row);
        if (isfinite(value))
            text_buffer_puts(out, text_number_exact(digits, sizeof digits, value));
        return;
    }
    const char *text = archive_table_text(column, row);
    if (text != NULL)
        put_text(out, text, scratch);
}

enum status archive_index_csv(const struct archive_index *index, struct text_buffer *out,
                              struct diag *diag)
{
    struct text_buffer scratch = {0};
    size_t count;
    const struct archive_table_column *columns = archive_table(&count);
    for (size_t c = 0; c < count; c++)
        text_buffer_printf(out, "%s%s", c > 0 ? "," : "", columns[c].name);
    text_buffer_puts(out, "\r\n");
    for (size_t i = 0; i < index->count; i++) {
        for (size_t c = 0; c < count; c++) {
            text_buffer_puts(out, c > 0 ? "," : "");
            put_cell(out, &columns[c], &index->rows[i], &scratch);
        }
        text_buffer_puts(out, "\r\n");
    }
    text_buffer_fini(&scratch);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}
