#include "compare_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "text_table.h"

#define MAX_ROWS 40
#define MAX_FINDINGS 60

static void put_safe(struct text_buffer *out, const char *text)
{
    text_redact(out, text, strlen(text));
}

/* ---- cells ---- */

void compare_print_change(struct text_buffer *out, const struct comparison_value *value,
                          bool in_points)
{
    static const char *const words[] = {[COMPARISON_NOT_MEASURED] = "not measured",
                                        [COMPARISON_NEW_MEASURED] = "newly measured",
                                        [COMPARISON_LOST] = "no longer measured",
                                        [COMPARISON_UNLIKE] = "not comparable",
                                        [COMPARISON_SAME] = "same",
                                        [COMPARISON_NOISE] = " (noise)",
                                        [COMPARISON_TOLERATED] = " (tolerated)",
                                        [COMPARISON_BETTER] = "",
                                        [COMPARISON_WORSE] = ""};
    char number[64];
    double amount = in_points ? value->change : value->relative;
    if (value->verdict <= COMPARISON_SAME) {
        text_buffer_puts(out, words[value->verdict]);
        return;
    }
    if (isinf(amount))
        text_buffer_puts(out, "from 0");
    else
        text_buffer_printf(
            out, "%s%s %s", amount < 0 ? "-" : "+",
            text_rounded(number, sizeof number, 100 * fabs(amount), TEXT_ROUNDED_PERCENT, 0),
            in_points ? "points" : "%");
    text_buffer_puts(out, words[value->verdict]);
}

static void put_gates(struct text_buffer *out, const struct comparison_candidate *candidate)
{
    size_t failed = 0;
    text_buffer_puts(out, "fails");
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (candidate->gates[i].failed) {
            text_buffer_puts(out, failed++ > 0 ? ", " : " ");
            text_escape(out, candidate->gates[i].name, strlen(candidate->gates[i].name));
        }
}

static bool is_selected(const struct comparison_members *group,
                        const struct comparison_candidate *candidate)
{
    return candidate->rank == 1 && group->choice.strategy != NULL;
}

static void put_standing(struct text_buffer *out, const struct comparison_members *group,
                         const struct comparison_candidate *candidate)
{
    if (!candidate->eligible)
        put_gates(out, candidate);
    else
        text_buffer_puts(out, is_selected(group, candidate) ? "selected" : "passes");
}

void compare_print_state(struct text_buffer *out, const struct comparison_pair *pair,
                         const struct comparison_strategy *row)
{
    struct text_buffer before = {0};
    if (row->now == NULL) {
        text_buffer_puts(out, "missing in NEW");
        return;
    }
    put_standing(out, pair->now, row->now);
    if (row->base == NULL) {
        text_buffer_puts(out, " (new)");
        return;
    }
    put_standing(&before, pair->base, row->base);
    bool changed = before.failed || out->failed || out->length < before.length ||
                   strcmp(out->text + out->length - before.length, before.text) != 0;
    if (changed && !before.failed)
        text_buffer_printf(out, " (was: %s)", before.text);
    out->failed = out->failed || before.failed;
    text_buffer_fini(&before);
}

static void add_cell(struct text_table *table, struct text_buffer *cell)
{
    if (cell->failed)
        table->failed = true;
    else
        text_table_add(table, cell->length > 0 ? cell->text : "");
    text_buffer_fini(cell);
}

static void add_value(struct text_table *table, const struct comparison_strategy *row,
                      enum comparison_quantity quantity)
{
    const struct comparison_value *value = &row->values[quantity];
    bool in_points = comparison_quantity_row(quantity)->in_points;
    bool both = row->base != NULL && row->now != NULL;
    struct text_buffer now = {0};
    struct text_buffer change = {0};
    char number[64];
    double shown = in_points ? 100 * value->now : value->now;
    if (both && !isnan(shown))
        text_buffer_printf(&now, "%s%s",
                           text_rounded(number, sizeof number, shown,
                                        in_points ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN, 0),
                           in_points ? " %" : "");
    if (both)
        compare_print_change(&change, value, in_points);
    add_cell(table, &now);
    add_cell(table, &change);
}

/* ---- tables ---- */

static const char *unit_of(const struct comparison_pair *pair)
{
    for (size_t i = 0; i < pair->strategy_count; i++)
        if (pair->strategies[i].values[COMPARISON_OF_THROUGHPUT].unit != NULL)
            return pair->strategies[i].values[COMPARISON_OF_THROUGHPUT].unit;
    return "tokens/s";
}

static void put_table(const struct comparison_pair *pair, struct arena *arena,
                      struct text_buffer *out)
{
    const char *const headings[] = {"strategy", unit_of(pair), "change", "peak MiB",
                                    "change",   "exposed",     "change", "in NEW"};
    static const enum comparison_quantity shown[] = {COMPARISON_OF_THROUGHPUT, COMPARISON_OF_PEAK,
                                                     COMPARISON_OF_EXPOSED};
    struct text_table table = {.columns = 8, .arena = arena};
    for (size_t column = 1; column < 7; column++)
        table.right[column] = true;
    for (size_t i = 0; i < 8; i++) {
        struct text_buffer heading = {0};
        text_escape(&heading, headings[i], strlen(headings[i]));
        add_cell(&table, &heading);
    }
    for (size_t i = 0; i < pair->strategy_count && i < MAX_ROWS; i++) {
        const struct comparison_strategy *row = &pair->strategies[i];
        struct text_buffer label = {0};
        struct text_buffer state = {0};
        text_escape(&label, row->label, strlen(row->label));
        add_cell(&table, &label);
        for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++)
            add_value(&table, row, shown[k]);
        compare_print_state(&state, pair, row);
        add_cell(&table, &state);
    }
    text_table_print(&table, 2, out);
    if (pair->strategy_count > MAX_ROWS)
        text_buffer_printf(out, "  and %zu more\n", pair->strategy_count - MAX_ROWS);
}

/* ---- sentences ---- */

static void put_findings(const struct comparison_findings *findings,
                         enum comparison_tendency tendency, const char *title,
                         struct text_buffer *out)
{
    size_t said = 0;
    size_t more = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct comparison_finding *finding = &findings->items[i];
        if (finding->tendency != tendency)
            continue;
        if (said == MAX_FINDINGS) {
            more++;
            continue;
        }
        if (said++ == 0)
            text_buffer_printf(out, "  %s:\n", title);
        text_buffer_puts(out, finding->beyond ? "  ! " : "  - ");
        put_safe(out, finding->message.text);
        text_buffer_puts(out, "\n");
    }
    if (more > 0)
        text_buffer_printf(out, "  and %zu more\n", more);
}

static void put_all_findings(const struct comparison_findings *findings, struct text_buffer *out)
{
    put_findings(findings, COMPARISON_REGRESSION, "Regressions", out);
    put_findings(findings, COMPARISON_IMPROVEMENT, "Improvements", out);
    put_findings(findings, COMPARISON_NOTE, "Notes", out);
}

/* ---- which groups ---- */

enum importance { IS_BEYOND, IS_WORSE, IS_BETTER, IS_UNCHANGED, IMPORTANCE_COUNT };

static enum importance importance_of(const struct comparison_pair *pair)
{
    enum importance most = IS_UNCHANGED;
    for (size_t i = 0; i < pair->findings.count; i++) {
        const struct comparison_finding *finding = &pair->findings.items[i];
        enum importance own = finding->beyond                               ? IS_BEYOND
                              : finding->tendency == COMPARISON_REGRESSION  ? IS_WORSE
                              : finding->tendency == COMPARISON_IMPROVEMENT ? IS_BETTER
                                                                            : IS_UNCHANGED;
        most = own < most ? own : most;
    }
    return most;
}

struct compare_print_choice compare_print_choose(const struct comparison *comparison)
{
    struct compare_print_choice choice = {0};
    bool few = comparison->pair_count <= COMPARE_PRINT_GROUPS;
    for (int level = IS_BEYOND; level < IMPORTANCE_COUNT; level++)
        for (size_t i = 0; i < comparison->pair_count; i++) {
            const struct comparison_pair *pair = &comparison->pairs[i];
            bool due = few ? level == IS_BEYOND : importance_of(pair) == (enum importance)level;
            if (due && !few && level == IS_UNCHANGED)
                choice.unchanged++;
            else if (due && choice.count == COMPARE_PRINT_GROUPS)
                choice.changed++;
            else if (due)
                choice.pairs[choice.count++] = pair;
        }
    return choice;
}

void compare_print_rest(struct text_buffer *out, const struct compare_print_choice *choice)
{
    if (choice->changed > 0)
        text_buffer_printf(out, "\nand %zu more group%s that changed (--format json has all)\n",
                           choice->changed, choice->changed == 1 ? "" : "s");
    if (choice->unchanged > 0)
        text_buffer_printf(out, "\n%zu group%s without a change\n", choice->unchanged,
                           choice->unchanged == 1 ? "" : "s");
}

/* ---- the whole ---- */

static void put_side(const char *name, const struct comparison_side *side, struct text_buffer *out)
{
    text_buffer_printf(out, "%s ", name);
    put_safe(out, side->path);
    text_buffer_printf(out, " (%s, %zu source%s)\n", side->kind, side->source_count,
                       side->source_count == 1 ? "" : "s");
}

static void put_choice(const struct comparison_choice *choice, struct text_buffer *out)
{
    put_safe(out, choice->decision);
    if (choice->strategy != NULL) {
        text_buffer_puts(out, " ");
        put_safe(out, choice->strategy);
    }
}

static void put_pair(const struct comparison_pair *pair, struct arena *arena,
                     struct text_buffer *out)
{
    text_buffer_puts(out, "\n");
    put_safe(out, pair->now->label);
    text_buffer_puts(out, "\n  decision: ");
    put_choice(&pair->now->choice, out);
    text_buffer_puts(out, ", was: ");
    put_choice(&pair->base->choice, out);
    text_buffer_puts(out, "\n");
    put_table(pair, arena, out);
    put_all_findings(&pair->findings, out);
}

enum status compare_print(const struct comparison *comparison, struct text_buffer *out,
                          struct diag *diag)
{
    struct arena arena = {0};
    const struct compare_print_choice choice = compare_print_choose(comparison);
    put_safe(out, comparison->verdict.text);
    text_buffer_puts(out, "\n");
    put_side("BASE", &comparison->base, out);
    put_side("NEW ", &comparison->now, out);
    put_all_findings(&comparison->findings, out);
    for (size_t i = 0; i < choice.count; i++)
        put_pair(choice.pairs[i], &arena, out);
    compare_print_rest(out, &choice);
    text_log_tame(out);
    arena_fini(&arena);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}
