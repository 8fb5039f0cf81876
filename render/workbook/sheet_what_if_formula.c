#include <string.h>

#include "sheet_what_if.h"

static const char *const names[SHEET_WHAT_IF_COLUMNS] = {
    [SHEET_WHAT_IF_LABEL] = "label",
    [SHEET_WHAT_IF_VERDICT] = "verdict",
    [SHEET_WHAT_IF_RANK] = "rank",
    [SHEET_WHAT_IF_FAILURES] = "failures",
    [SHEET_WHAT_IF_PEAK] = "peak",
    [SHEET_WHAT_IF_MEMORY] = "memory",
    [SHEET_WHAT_IF_THROUGHPUT] = "throughput",
    [SHEET_WHAT_IF_THROUGHPUT_GATE] = "throughput_gate",
    [SHEET_WHAT_IF_COMMUNICATION] = "communication",
    [SHEET_WHAT_IF_COMMUNICATION_GATE] = "communication_gate",
    [SHEET_WHAT_IF_GAIN] = "gain",
    [SHEET_WHAT_IF_OTHERS] = "others",
    [SHEET_WHAT_IF_FAILED] = "failed",
    [SHEET_WHAT_IF_TIMES] = "times",
    [SHEET_WHAT_IF_ORDER] = "order",
    [SHEET_WHAT_IF_STRATEGY] = "strategy",
    [SHEET_WHAT_IF_BASELINE] = "baseline",
    [SHEET_WHAT_IF_GROUP] = "group",
    [SHEET_WHAT_IF_UNIT] = "unit",
    [SHEET_WHAT_IF_KIND] = "kind",
};

static uint32_t column_of(const char *name, size_t length)
{
    uint32_t column = 0;
    while (column + 1 < SHEET_WHAT_IF_COLUMNS &&
           (strlen(names[column]) != length || strncmp(names[column], name, length) != 0))
        column++;
    return column;
}

static void append_range(const struct sheet_what_if *page, struct text_buffer *out, uint32_t column)
{
    cell_append_reference(out, page->first, column, true);
    text_buffer_puts(out, ":");
    cell_append_reference(out, page->last, column, true);
}

/* What stands between the braces of a pattern. */
static void append_cell(const struct sheet_what_if *page, struct text_buffer *out, uint32_t row,
                        const char *name, size_t length)
{
    char last = name[length - 1];
    uint32_t column = column_of(name, strchr(":#!", last) != NULL ? length - 1 : length);
    if (last == '!') {
        text_buffer_puts(out, page->limits.tokens ? "1" : "2");
    } else if (last == ':') {
        append_range(page, out, column);
    } else if (last == '#') {
        text_buffer_puts(out, "INDEX(");
        append_range(page, out, column);
        text_buffer_puts(out, ",");
        cell_append_reference(out, row, SHEET_WHAT_IF_RANK, false);
        text_buffer_puts(out, ")");
    } else {
        cell_append_reference(out, row, column, false);
    }
}

static void append_word(const struct sheet_what_if *page, struct text_buffer *out, const char *id,
                        size_t length)
{
    char copy[64];
    size_t size = length < sizeof copy ? length : sizeof copy - 1;
    memcpy(copy, id, size);
    copy[size] = '\0';
    cell_append_literal(out, page->texts, texts_get(page->texts, copy));
}

const char *sheet_what_if_formula(struct sheet_what_if *page, uint32_t row, const char *pattern)
{
    struct text_buffer *out = &page->formula;
    text_buffer_clear(out);
    for (const char *c = pattern; *c != '\0';) {
        const char *end = *c == '{' ? strchr(c, '}') : *c == '[' ? strchr(c, ']') : NULL;
        if (end == NULL) {
            size_t plain = strcspn(c, "{[");
            text_buffer_append(out, c, plain);
            c += plain;
            continue;
        }
        size_t length = (size_t)(end - c) - 1;
        if (*c == '{')
            append_cell(page, out, row, c + 1, length);
        else
            append_word(page, out, c + 1, length);
        c = end + 1;
    }
    return out->failed ? NULL : out->text;
}

/*
 * One more than the candidates of the group that pass every gate and are better: in the first key,
 * or equal there and better in the next, and at last earlier in the input (or, where that is told
 * alike, in the table). A number is better than none. SUMPRODUCT reckons with whole columns in
 * every spreadsheet.
 */
const char *sheet_what_if_rank(struct sheet_what_if *page, uint32_t row)
{
    static const struct {
        const char *name, *better;
    } rows[WHAT_IF_KEYS] = {
        [WHAT_IF_BY_THROUGHPUT] = {"throughput", ">"},
        [WHAT_IF_BY_COMMUNICATION] = {"communication", "<"},
        [WHAT_IF_BY_PEAK] = {"peak", "<"},
    };
    enum what_if_key keys[WHAT_IF_KEYS];
    size_t count = what_if_ranking(&page->input->summary->policy, keys);
    struct text_buffer pattern = {0};
    text_buffer_puts(&pattern, "IF({failures}>0,\"\",1+SUMPRODUCT(({failures:}=0)*"
                               "({group:}={group})*(");
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[keys[i]].name;
        text_buffer_printf(&pattern,
                           "ISNUMBER({%s:})*(ISNUMBER({%s})*({%s:}%s{%s})+1-ISNUMBER({%s}))"
                           "+({%s:}={%s})*(",
                           name, name, name, rows[keys[i]].better, name, name, name, name);
    }
    text_buffer_puts(&pattern,
                     "({order:}<{order})+({order:}={order})*(ROW({order:})<ROW({order}))");
    for (size_t i = 0; i < count; i++)
        text_buffer_puts(&pattern, ")");
    text_buffer_puts(&pattern, ")))");
    const char *formula = pattern.failed ? NULL : sheet_what_if_formula(page, row, pattern.text);
    cell_check_buffer(page->sheet, &pattern);
    text_buffer_fini(&pattern);
    return formula;
}
