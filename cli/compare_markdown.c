#include <math.h>
#include <string.h>

#include "compare_print.h"
#include "markdown.h"
#include "text.h"

#define MAX_ROWS 20
#define MAX_FINDINGS 15

static void put_text(struct text_buffer *out, const char *text)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    if (safe.length > 0)
        markdown_escape(out, safe.text);
    out->failed = out->failed || safe.failed;
    text_buffer_fini(&safe);
}

static void put_code(struct text_buffer *out, const char *text)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    markdown_code(out, safe.length > 0 ? safe.text : "");
    out->failed = out->failed || safe.failed;
    text_buffer_fini(&safe);
}

/* "20,450 → 20,100 (-1.7 %)", or the word for what cannot be said so. */
static void put_value(struct text_buffer *out, const struct comparison_strategy *row,
                      enum comparison_quantity quantity)
{
    const struct comparison_value *value = &row->values[quantity];
    bool in_points = comparison_quantity_row(quantity)->in_points;
    enum text_rounding rounding = in_points ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN;
    const char *percent = in_points ? " %" : "";
    double factor = in_points ? 100 : 1;
    double shown[] = {factor * value->base, factor * value->now};
    int more = text_rounded_apart(shown, 2, rounding);
    char before[64];
    char after[64];
    struct text_buffer change = {0};
    if (row->base == NULL || row->now == NULL)
        return;
    compare_print_change(&change, value, in_points);
    const char *words = change.length > 0 ? change.text : "";
    if (isnan(value->base) || isnan(value->now))
        text_buffer_puts(out, words);
    else
        text_buffer_printf(
            out, "%s%s → %s%s (%s)", text_rounded(before, sizeof before, shown[0], rounding, more),
            percent, text_rounded(after, sizeof after, shown[1], rounding, more), percent, words);
    out->failed = out->failed || change.failed;
    text_buffer_fini(&change);
}

static void put_row(struct text_buffer *out, const struct comparison_pair *pair,
                    const struct comparison_strategy *row)
{
    static const enum comparison_quantity shown[] = {COMPARISON_OF_THROUGHPUT, COMPARISON_OF_PEAK,
                                                     COMPARISON_OF_EXPOSED, COMPARISON_OF_PAYLOAD};
    struct text_buffer state = {0};
    text_buffer_puts(out, "| ");
    put_code(out, row->label);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        text_buffer_puts(out, " | ");
        put_value(out, row, shown[i]);
    }
    text_buffer_puts(out, " | ");
    compare_print_state(&state, pair, row);
    if (state.length > 0)
        markdown_escape(out, state.text);
    text_buffer_puts(out, " |\n");
    out->failed = out->failed || state.failed;
    text_buffer_fini(&state);
}

static const char *unit_of(const struct comparison_pair *pair)
{
    for (size_t i = 0; i < pair->strategy_count; i++)
        if (pair->strategies[i].values[COMPARISON_OF_THROUGHPUT].unit != NULL)
            return pair->strategies[i].values[COMPARISON_OF_THROUGHPUT].unit;
    return "tokens/s";
}

/* Regressions first; notes only where there is room. */
static void put_findings(struct text_buffer *out, const struct comparison_findings *findings)
{
    static const char *const marks[] = {"Regression: ", "Improvement: ", ""};
    size_t said = 0;
    for (int tendency = COMPARISON_REGRESSION; tendency <= COMPARISON_NOTE; tendency++)
        for (size_t i = 0; i < findings->count && said < MAX_FINDINGS; i++) {
            const struct comparison_finding *finding = &findings->items[i];
            if ((int)finding->tendency != tendency)
                continue;
            text_buffer_printf(out, "%s- %s%s", said == 0 ? "\n" : "",
                               finding->beyond ? "**Beyond what is allowed:** " : "",
                               finding->beyond ? "" : marks[tendency]);
            put_text(out, finding->message.text);
            text_buffer_puts(out, "\n");
            said++;
        }
    if (findings->count > said)
        text_buffer_printf(out, "- and %zu more\n", findings->count - said);
}

static void put_choice(struct text_buffer *out, const struct comparison_choice *choice)
{
    put_text(out, choice->decision);
    if (choice->strategy == NULL)
        return;
    text_buffer_puts(out, " ");
    put_code(out, choice->strategy);
}

static void put_pair(struct text_buffer *out, const struct comparison_pair *pair)
{
    text_buffer_puts(out, "\n#### ");
    put_text(out, pair->now->label);
    text_buffer_puts(out, "\n\nDecision: ");
    put_choice(out, &pair->now->choice);
    text_buffer_puts(out, " (was: ");
    put_choice(out, &pair->base->choice);
    text_buffer_puts(out, ")\n\n| strategy | ");
    put_text(out, unit_of(pair));
    text_buffer_puts(out, " | peak MiB | exposed communication | payload MiB | in NEW |\n"
                          "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < pair->strategy_count && i < MAX_ROWS; i++)
        put_row(out, pair, &pair->strategies[i]);
    if (pair->strategy_count > MAX_ROWS)
        text_buffer_printf(out, "\nand %zu more strategies\n", pair->strategy_count - MAX_ROWS);
    put_findings(out, &pair->findings);
}

enum status compare_print_markdown(const struct comparison *comparison, struct text_buffer *out,
                                   struct diag *diag)
{
    const struct compare_print_choice choice = compare_print_choose(comparison);
    text_buffer_puts(out, "### Comparison\n\n**");
    put_text(out, comparison->verdict.text);
    text_buffer_puts(out, "**\n\nBASE: ");
    put_code(out, comparison->base.path);
    text_buffer_puts(out, ", NEW: ");
    put_code(out, comparison->now.path);
    text_buffer_puts(out, "\n");
    put_findings(out, &comparison->findings);
    for (size_t i = 0; i < choice.count; i++)
        put_pair(out, choice.pairs[i]);
    compare_print_rest(out, &choice);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}
