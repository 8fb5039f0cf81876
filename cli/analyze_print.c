#include "analyze_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze_table.h"
#include "groups_table.h"
#include "selection.h"
#include "summary_parts.h"
#include "text.h"

/* More groups would scroll away; the summary has all. */
#define MAX_GROUPS 12
/* The same for what was left out, which standard error lists in full, and for warnings; of an
 * archive, whose index lists them. */
#define MAX_LEFT_OUT 20
#define MAX_LEFT_OUT_OF_MANY 5

struct printer {
    const struct analysis *analysis;
    struct text_buffer *out;
    struct arena *arena;
    bool colour;
};

static void put_safe(struct printer *printer, const char *text)
{
    text_redact(printer->out, text, strlen(text));
}

/* Green, yellow, red; nothing without colour. */
static void put_verdict(struct printer *printer, enum verdict verdict)
{
    static const char *const colours[] = {
        [VERDICT_ACCEPT] = "\033[32m", [VERDICT_TUNE] = "\033[33m", [VERDICT_REJECT] = "\033[31m"};
    static const char *const names[] = {
        [VERDICT_ACCEPT] = "ACCEPT", [VERDICT_TUNE] = "TUNE", [VERDICT_REJECT] = "REJECT"};
    if (printer->colour)
        text_buffer_printf(printer->out, "\033[1m%s%s\033[0m", colours[verdict], names[verdict]);
    else
        text_buffer_puts(printer->out, names[verdict]);
}

static const struct group *picked(const struct printer *printer)
{
    long index = printer->analysis->picked;
    return index < 0 ? NULL : &printer->analysis->groups.items[index];
}

static bool is_many(const struct printer *printer)
{
    return printer->analysis->picked < 0 && printer->analysis->groups.count > MAX_GROUPS;
}

/* "ACCEPT zero1  (rule: gain)"; what is not accepted names no strategy. */
static void put_heading(struct printer *printer, const struct group *group,
                        const struct decision *decision)
{
    put_verdict(printer, decision->verdict);
    if (group != NULL && decision->candidate >= 0 && decision->verdict == VERDICT_ACCEPT)
        text_buffer_printf(printer->out, " %s", group->candidates[decision->candidate].label);
    text_buffer_printf(printer->out, "  (rule: %s)\n", decision->rule);
}

static void put_decision(struct printer *printer, const struct group *group,
                         const struct decision *decision)
{
    put_heading(printer, group, decision);
    put_safe(printer, decision->reason.text);
    text_buffer_puts(printer->out, "\n");
}

static struct groups_table_row row_of(const struct group *group,
                                      const struct group_outcome *outcome)
{
    struct groups_table_row row = {.label = group->label,
                                   .decision =
                                       summary_parts_verdict_name(outcome->decision.verdict),
                                   .rule = outcome->decision.rule,
                                   .throughput = NAN,
                                   .peak_mb = NAN};
    for (size_t i = 0; i < group->candidate_count; i++)
        row.records += (double)group->candidates[i].record_count;
    if (outcome->selection.candidate < 0)
        return row;
    const struct candidate *selected = &group->candidates[outcome->selection.candidate];
    row.strategy = selected->label;
    row.throughput = selected->metrics.throughput;
    row.throughput_unit = throughput_unit_name(selected->metrics.throughput_unit);
    row.peak_mb = selected->peak_mb;
    return row;
}

/* An archive: a line a group, and how to get the rest. */
static void put_many_groups(struct printer *printer)
{
    const struct analysis *analysis = printer->analysis;
    struct groups_table_row rows[MAX_GROUPS];
    for (size_t i = 0; i < MAX_GROUPS; i++)
        rows[i] = row_of(&analysis->groups.items[i], &analysis->outcomes[i]);
    text_buffer_puts(printer->out, "\nBy themselves:\n");
    groups_table_print(rows, MAX_GROUPS, printer->arena, printer->out);
    text_buffer_printf(printer->out,
                       "  and %zu more groups; --output-dir DIR writes a summary of each and an "
                       "index that sorts and filters\n",
                       analysis->groups.count - MAX_GROUPS);
}

static void put_groups(struct printer *printer)
{
    const struct analysis *analysis = printer->analysis;
    if (is_many(printer)) {
        put_many_groups(printer);
        return;
    }
    for (size_t i = 0; i < analysis->groups.count; i++) {
        const struct group *group = &analysis->groups.items[i];
        if (analysis->picked >= 0 && analysis->picked != (long)i)
            continue;
        text_buffer_puts(printer->out, "\n");
        put_safe(printer, group->label);
        if (group->level_name != NULL) {
            text_buffer_puts(printer->out, " - evidence: ");
            put_safe(printer, group->level_name);
        }
        text_buffer_puts(printer->out, "\n");
        if (analysis->picked < 0) {
            text_buffer_puts(printer->out, "  by itself: ");
            put_heading(printer, group, &analysis->outcomes[i].decision);
        }
        analyze_table(group, &analysis->options.policy, &analysis->outcomes[i].selection,
                      printer->arena, printer->out);
    }
}

/* ---- what was left out ---- */

static void put_rejected(struct printer *printer, const struct rejected_source *rejected)
{
    const struct finding_list *findings = &rejected->findings;
    text_buffer_puts(printer->out, "  ");
    put_safe(printer, rejected->path);
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity != FINDING_ERROR)
            continue;
        text_buffer_puts(printer->out, ": ");
        put_safe(printer, findings->items[i].message);
        break;
    }
    if (findings->errors > 1)
        text_buffer_printf(printer->out, " (and %zu more)", findings->errors - 1);
    text_buffer_puts(printer->out, "\n");
}

static void put_left_out(struct printer *printer)
{
    const struct evidence_set *set = &printer->analysis->set;
    size_t most = is_many(printer) ? MAX_LEFT_OUT_OF_MANY : MAX_LEFT_OUT;
    if (set->rejected_count + set->skipped_count == 0 && set->incomplete == NULL)
        return;
    text_buffer_puts(printer->out, "\nLeft out:\n");
    for (size_t i = 0; i < set->rejected_count && i < most; i++)
        put_rejected(printer, &set->rejected[i]);
    if (set->rejected_count > most)
        text_buffer_printf(printer->out, "  and %zu more invalid sources\n",
                           set->rejected_count - most);
    if (set->incomplete != NULL) {
        text_buffer_puts(printer->out, "  named as missing by a summary: ");
        put_safe(printer, set->incomplete);
        text_buffer_puts(printer->out, "\n");
    }
    for (size_t i = 0; i < set->skipped_count && i < most; i++) {
        text_buffer_puts(printer->out, "  ");
        put_safe(printer, set->skipped[i].path);
        text_buffer_printf(printer->out, ": %s\n", set->skipped[i].why);
    }
    if (set->skipped_count > most)
        text_buffer_printf(printer->out, "  and %zu more that were skipped\n",
                           set->skipped_count - most);
}

/* What was read and is odd. The decision counts these records, so their reader must know. */
static void put_warnings(struct printer *printer)
{
    const struct evidence_set *set = &printer->analysis->set;
    size_t shown = 0;
    size_t more = 0;
    for (size_t i = 0; i < set->record_count; i++)
        for (size_t w = 0; w < set->records[i].warning_count; w++) {
            if (shown == MAX_LEFT_OUT) {
                more++;
                continue;
            }
            text_buffer_puts(printer->out, shown++ == 0 ? "\nWarnings:\n  " : "  ");
            put_safe(printer, set->records[i].path);
            text_buffer_puts(printer->out, ":");
            put_safe(printer, set->records[i].warnings[w]);
            text_buffer_puts(printer->out, "\n");
        }
    if (more > 0)
        text_buffer_printf(printer->out, "  and %zu more; rankledger validate lists all\n", more);
}

/* ---- lists of messages ---- */

static void put_actions(struct printer *printer, const struct decision *decision)
{
    if (decision->action_count > 0)
        text_buffer_puts(printer->out, "\nNext actions:\n");
    for (size_t i = 0; i < decision->action_count; i++) {
        const struct action *action = &decision->actions[i];
        text_buffer_printf(printer->out, "  %zu. ", i + 1);
        put_safe(printer, action->message.text);
        text_buffer_puts(printer->out, "\n");
        if (action->command != NULL) {
            text_buffer_puts(printer->out, "     ");
            put_safe(printer, action->command);
            text_buffer_puts(printer->out, "\n");
        }
    }
}

static void put_messages(struct printer *printer, const char *title, const struct message *messages,
                         size_t count)
{
    if (count > 0)
        text_buffer_printf(printer->out, "\n%s:\n", title);
    for (size_t i = 0; i < count; i++) {
        text_buffer_puts(printer->out, "  - ");
        put_safe(printer, messages[i].text);
        text_buffer_puts(printer->out, "\n");
    }
}

/* ---- sensitivity ---- */

static const char *limit_title(const char *limit)
{
    static const struct {
        const char *limit, *title;
    } rows[] = {
        {"memory_limit_mb", "memory limit"},
        {"min_throughput", "minimum throughput"},
        {"max_communication_ratio", "largest exposed communication"},
        {"min_gain", "gain asked for"},
        {"max_memory_fraction", "largest share of the memory limit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].limit, limit) == 0)
            return rows[i].title;
    return limit;
}

static void put_value(struct printer *printer, const struct sensitivity *row, double value)
{
    char number[64];
    bool ratio = strcmp(row->unit, "ratio") == 0;
    text_buffer_puts(printer->out,
                     text_rounded(number, sizeof number, ratio ? 100 * value : value,
                                  ratio ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN, 0));
    text_buffer_printf(printer->out, " %s", ratio ? "%" : row->unit);
}

/* Rounded away from the present value and not as far as the next one of a candidate, so that what
 * is said holds at the number shown. */
static void put_threshold(struct printer *printer, const struct sensitivity *row,
                          const struct sensitivity_change *change)
{
    char number[64];
    bool ratio = strcmp(row->unit, "ratio") == 0;
    double factor = ratio ? 100 : 1;
    text_rounded_toward(number, sizeof number, factor * change->value,
                        ratio ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN, factor * change->beyond);
    text_buffer_printf(printer->out, "%s %s", number, ratio ? "%" : row->unit);
}

static void put_change(struct printer *printer, const struct sensitivity *row,
                       const struct sensitivity_change *change)
{
    static const struct {
        const char *comparison, *before, *after;
    } words[] = {
        {"below", "below ", ""},
        {"above", "above ", ""},
        {"at_most", "", " or less"},
        {"at_least", "", " or more"},
    };
    if (isnan(change->value))
        text_buffer_puts(printer->out, "once set, however loose");
    for (size_t i = 0; !isnan(change->value) && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].comparison, change->comparison) != 0)
            continue;
        text_buffer_puts(printer->out, words[i].before);
        put_threshold(printer, row, change);
        text_buffer_puts(printer->out, words[i].after);
    }
    text_buffer_printf(printer->out, ": %s %s", summary_parts_verdict_name(change->verdict),
                       change->strategy != NULL ? change->strategy : "(nothing passes)");
}

static void put_sensitivity(struct printer *printer, const struct decision *decision)
{
    bool titled = false;
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        const struct sensitivity *row = &decision->sensitivity[i];
        if (row->change_count == 0)
            continue;
        if (!titled)
            text_buffer_puts(printer->out, "\nWhat would change the answer:\n");
        titled = true;
        text_buffer_printf(printer->out, "  %s (now ", limit_title(row->limit));
        if (isnan(row->current))
            text_buffer_puts(printer->out, "none");
        else
            put_value(printer, row, row->current);
        text_buffer_puts(printer->out, ") ");
        for (size_t c = 0; c < row->change_count; c++) {
            text_buffer_puts(printer->out, c > 0 ? "; " : "");
            put_change(printer, row, &row->changes[c]);
        }
        text_buffer_puts(printer->out, "\n");
    }
}

static void put_all(struct printer *printer)
{
    const struct analysis *analysis = printer->analysis;
    const struct decision *decision = &analysis->decision;
    const struct group *group = picked(printer);
    put_decision(printer, group, decision);
    put_groups(printer);
    put_left_out(printer);
    put_warnings(printer);
    put_actions(printer, decision);
    put_sensitivity(printer, decision);
    if (group != NULL)
        put_messages(printer, "Comparability", group->warnings, group->warning_count);
    put_messages(printer, "Ties", analysis->selection.ties, analysis->selection.tie_count);
    size_t said = 0; /* remarks on the order, which stand above */
    while (said < decision->note_count && selection_is_interval_remark(&decision->notes[said]))
        said++;
    put_messages(printer, "Notes", decision->notes + said, decision->note_count - said);
}

enum status analyze_print(const struct analysis *analysis, bool colour, struct text_buffer *out,
                          struct diag *diag)
{
    struct arena arena = {0};
    struct printer printer = {analysis, out, &arena, colour};
    put_all(&printer);
    text_log_tame(out);
    arena_fini(&arena);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}

/* The path as it was named, like validate's, so that an editor can jump there. */
static void put_findings(const struct rejected_source *rejected, struct text_buffer *out)
{
    const char *file = strcmp(rejected->file, "-") == 0 ? "<stdin>" : rejected->file;
    for (size_t i = 0; i < rejected->findings.count; i++) {
        const struct finding *finding = &rejected->findings.items[i];
        text_escape(out, file, strlen(file));
        if (finding->line > 0)
            text_buffer_printf(out, ":%zu:%zu", finding->line, finding->column);
        text_buffer_printf(out, ": %s: %s%s%s [%s]\n",
                           finding->severity == FINDING_ERROR ? "error" : "warning",
                           finding->pointer, finding->pointer[0] != '\0' ? ": " : "",
                           finding->message, finding->rule);
    }
}

enum status analyze_print_rejected(const struct evidence_set *set, size_t limit, struct diag *diag)
{
    struct text_buffer out = {0};
    for (size_t i = 0; i < set->rejected_count && i < limit; i++)
        put_findings(&set->rejected[i], &out);
    if (set->rejected_count > limit)
        text_buffer_printf(&out, "and %zu more invalid sources\n", set->rejected_count - limit);
    text_log_tame(&out);
    enum status status = out.failed ? diag_no_memory(diag) : STATUS_OK;
    if (status == STATUS_OK && out.length > 0)
        fwrite(out.text, 1, out.length, stderr);
    text_buffer_fini(&out);
    return status;
}

enum status analyze_print_require_named(const struct evidence_set *set, struct diag *diag)
{
    for (size_t i = 0; i < set->rejected_count; i++)
        if (set->rejected[i].named && set->rejected[i].sha256 == NULL)
            return diag_set(diag, STATUS_INPUT, "%s could not be read, so nothing was decided",
                            set->rejected[i].path);
    return STATUS_OK;
}
