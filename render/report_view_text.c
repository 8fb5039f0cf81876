#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_view.h"
#include "text.h"

void report_view_answer(struct text_buffer *out, const struct texts *texts, const char *decision,
                        const char *strategy)
{
    const struct sentence_value value = {.name = "strategy", .text = strategy};
    if (strategy != NULL && decision != NULL && strcmp(decision, "accept") == 0)
        texts_fill(out, texts, "decision.accept_strategy", &value, 1);
    else
        text_buffer_puts(out, texts_word(texts, "decision", decision));
}

void report_view_change_answer(struct text_buffer *out, const struct texts *texts,
                               const struct summary_change *change)
{
    report_view_answer(out, texts, change->decision,
                       change->label != NULL ? change->label : change->strategy);
}

void report_view_title(struct text_buffer *out, const struct texts *texts,
                       const struct summary_decision *decision)
{
    struct text_buffer answer = {0};
    report_view_answer(&answer, texts, decision->decision,
                       decision->label != NULL ? decision->label : decision->strategy);
    const struct sentence_value value = {.name = "answer",
                                         .text = answer.failed ? "" : answer.text};
    texts_fill(out, texts, "report.decision_title", &value, 1);
    out->failed |= answer.failed;
    text_buffer_fini(&answer);
}

void report_view_headline(struct text_buffer *out, const struct texts *texts,
                          const struct summary_decision *decision)
{
    const char *chosen = decision->label != NULL ? decision->label : decision->strategy;
    const struct sentence_value value = {.name = "strategy", .text = chosen};
    bool accept = decision->decision != NULL && strcmp(decision->decision, "accept") == 0;
    if (accept && chosen != NULL)
        texts_fill(out, texts, "headline.accept_strategy", &value, 1);
    else
        text_buffer_puts(out, texts_word(texts, "headline", decision->decision));
}

static bool has_prefix(const char *text, const char *prefix)
{
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t length = text != NULL ? strlen(text) : 0;
    return length >= strlen(suffix) && strcmp(text + length - strlen(suffix), suffix) == 0;
}

void report_view_action(struct text_buffer *out, const struct texts *texts,
                        const struct summary_action *action)
{
    texts_message(out, texts, &action->message);
    /* Some sentences say it themselves. */
    if (action->changes_global_batch && !has_prefix(action->message.id, "action.accumulate")) {
        text_buffer_puts(out, texts_get(texts, "word.sentence_gap"));
        text_buffer_puts(out, texts_get(texts, "action.batch_changes"));
    }
    if (action->missing.count == 0 || has_suffix(action->message.id, "_unverified"))
        return;
    text_buffer_puts(out, texts_get(texts, "word.sentence_gap"));
    text_buffer_puts(out, texts_get(texts, "action.missing"));
    text_buffer_puts(out, texts_get(texts, "word.colon"));
    for (size_t i = 0; i < action->missing.count; i++) {
        if (i > 0)
            text_buffer_puts(out, texts_get(texts, "word.list_separator"));
        text_buffer_puts(out, action->missing.items[i]);
    }
}

/* A comparison of two numbers that are there: the numbers say it. */
static bool is_comparison(const struct summary_gate *gate)
{
    bool judged = strcmp(gate->verdict, "pass") == 0 || strcmp(gate->verdict, "tight") == 0 ||
                  strcmp(gate->verdict, "fail") == 0;
    return judged && !isnan(gate->value) && !isnan(gate->limit) && !isnan(gate->margin);
}

const char *report_view_detail(const struct texts *texts, const struct summary_gate *gate)
{
    return is_comparison(gate) ? "" : texts_word(texts, "detail", gate->detail);
}

const char *report_view_action_status(const struct texts *texts,
                                      const struct summary_action *action)
{
    static const char *const predictable[] = {"strategy", "micro_batch", "gradient_accumulation",
                                              "activation_checkpointing"};
    for (size_t i = 0; i < sizeof predictable / sizeof predictable[0]; i++)
        if (action->kind != NULL && strcmp(action->kind, predictable[i]) == 0)
            return texts_word(texts, "action_status", action->status);
    return "";
}

void report_view_number(struct text_buffer *out, const struct texts *texts, double value,
                        const char *unit)
{
    char number[64];
    if (isnan(value)) {
        text_buffer_puts(out, texts_get(texts, "word.not_measured"));
    } else if (unit != NULL && strcmp(unit, "ratio") == 0) {
        text_buffer_puts(out,
                         text_rounded(number, sizeof number, 100 * value, TEXT_ROUNDED_PERCENT, 0));
        text_buffer_puts(out, " %");
    } else {
        text_buffer_puts(out, text_rounded(number, sizeof number, value, TEXT_ROUNDED_PLAIN, 0));
    }
}

void report_view_quantity(struct text_buffer *out, const struct texts *texts, double value,
                          const char *unit)
{
    report_view_number(out, texts, value, unit);
    if (!isnan(value) && unit != NULL && unit[0] != '\0' && strcmp(unit, "ratio") != 0)
        text_buffer_printf(out, " %s", texts_word(texts, "unit", unit));
}

void report_view_change(struct text_buffer *out, const struct texts *texts,
                        const struct summary_sensitivity *item, const struct summary_change *change)
{
    char id[64];
    char number[64];
    char shown[80];
    bool ratio = item->unit != NULL && strcmp(item->unit, "ratio") == 0;
    double factor = ratio ? 100 : 1;
    bool up = strcmp(change->direction, "up") == 0;
    double beyond = factor * change->beyond;
    /* A change made in memory may not tell it. */
    if (up ? !(change->beyond > change->value) : !(change->beyond < change->value))
        beyond = up ? (double)INFINITY : -(double)INFINITY;
    text_rounded_toward(number, sizeof number, factor * change->value,
                        ratio ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN, beyond);
    snprintf(shown, sizeof shown, "%s%s", number, ratio ? " %" : "");
    const struct sentence_value value = {.name = "value", .text = shown};
    snprintf(id, sizeof id, "comparison.%.32s", change->comparison);
    texts_fill(out, texts, id, &value, 1);
}

void report_view_left_out(struct text_buffer *out, const struct texts *texts,
                          const struct summary_rejected *rejected)
{
    text_buffer_puts(out, rejected->path);
    if (rejected->finding_count == 0)
        return;
    const struct summary_finding *first = &rejected->findings[0];
    if (!isnan(first->line))
        text_buffer_printf(out, ":%.0f", first->line);
    if (!isnan(first->line) && !isnan(first->column))
        text_buffer_printf(out, ":%.0f", first->column);
    text_buffer_puts(out, texts_get(texts, "word.colon"));
    text_buffer_puts(out, first->message != NULL ? first->message : "");
    if (rejected->finding_count > 1) {
        const struct sentence_value more = {.name = "count",
                                            .number = (double)(rejected->finding_count - 1)};
        text_buffer_puts(out, " ");
        texts_fill(out, texts, "word.more_faults", &more, 1);
    }
}

enum cell_style report_view_unit_style(const char *unit, double value)
{
    if (unit != NULL && strcmp(unit, "ratio") == 0)
        return CELL_PERCENT;
    if (unit != NULL && strcmp(unit, "MiB") == 0)
        return CELL_ONE;
    return report_view_style_for(fabs(value));
}

enum cell_style report_view_gate_style(const struct summary_gate *gate)
{
    return report_view_unit_style(gate->unit, isnan(gate->value) ? gate->limit : gate->value);
}

void report_view_gain_heading(struct text_buffer *out, const struct texts *texts,
                              const struct summary_group *group)
{
    const char *name = report_view_baseline_name(group);
    const struct sentence_value value = {
        .name = "baseline", .text = name != NULL ? name : texts_get(texts, "word.baseline")};
    texts_fill(out, texts, "column.gain", &value, 1);
}

void report_view_more(struct text_buffer *out, const struct texts *texts, size_t count,
                      const char *sheet_id)
{
    const struct sentence_value values[] = {{.name = "count", .number = (double)count},
                                            {.name = "sheet", .text = texts_get(texts, sheet_id)}};
    texts_fill(out, texts, "word.more_on_sheet", values, 2);
}
