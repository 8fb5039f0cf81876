#include "gates.h"

#include <math.h>
#include <string.h>

#include "text.h"
#include "text_buffer.h"

const char *gates_verdict_name(enum gate_verdict verdict)
{
    static const char *const names[] = {
        [GATE_PASS] = "pass",
        [GATE_TIGHT] = "tight",
        [GATE_FAIL] = "fail",
        [GATE_NOT_MEASURED] = "not_measured",
        [GATE_NOT_EVALUATED] = "not_evaluated",
        [GATE_NOT_APPLIED] = "not_applied",
        [GATE_UNIT_DIFFERS] = "unit_differs",
    };
    return names[verdict];
}

const struct gate_result *gates_find(const struct candidate *candidate, const char *name)
{
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (strcmp(candidate->gates[i].name, name) == 0)
            return &candidate->gates[i];
    return NULL;
}

void gates_judge(const struct gate_row *row, const struct gate_context *context,
                 const struct candidate *candidate, struct gate_result *result)
{
    *result = (struct gate_result){.name = row->name,
                                   .value = NAN,
                                   .limit = NAN,
                                   .margin = NAN,
                                   .margin_percent = NAN,
                                   .unit = ""};
    row->judge(context, candidate, result);
    result->failed = gate_fails(result->verdict);
}

bool gates_eligible(const struct policy *policy, const struct candidate *candidate)
{
    size_t count;
    const struct gate_row *rows = gate_table(&count);
    const struct gate_context context = {policy, NULL};
    for (size_t i = 0; i < count; i++) {
        struct gate_result result;
        bool failed = candidate->gates[i].failed;
        if (rows[i].moves) {
            gates_judge(&rows[i], &context, candidate, &result);
            failed = result.failed;
        }
        if (failed)
            return false;
    }
    return true;
}

static void append_number(struct text_buffer *out, double value, int more)
{
    char number[64];
    text_buffer_puts(out, text_rounded(number, sizeof number, value, TEXT_ROUNDED_PLAIN, more));
}

/* "16,661 of 24,576 MiB, room 7,915 (32.2 %)". */
static void append_comparison(struct text_buffer *out, const struct gate_result *gate)
{
    char number[64];
    const double sides[] = {gate->value, gate->limit};
    int more = text_rounded_apart(sides, 2, TEXT_ROUNDED_PLAIN);
    append_number(out, gate->value, more);
    text_buffer_puts(out, gate->verdict == GATE_FAIL ? " against the limit " : ", limit ");
    append_number(out, gate->limit, more);
    if (gate->unit[0] != '\0' && strcmp(gate->unit, "ratio") != 0)
        text_buffer_printf(out, " %s", gate->unit);
    text_buffer_puts(out, gate->verdict == GATE_FAIL ? ": misses it by " : ": room ");
    append_number(out, fabs(gate->margin), 0);
    if (!isnan(gate->margin_percent)) {
        text_rounded(number, sizeof number, fabs(gate->margin_percent), TEXT_ROUNDED_PERCENT, 0);
        text_buffer_printf(out, " (%s %%)", number);
    }
}

static void append_level(struct text_buffer *out, const struct policy *policy,
                         const struct candidate *candidate, const struct gate_result *gate)
{
    text_buffer_printf(
        out, "%s is %s %s", candidate->level_name != NULL ? candidate->level_name : "no level",
        gate->verdict == GATE_FAIL ? "below" : "at least", policy->min_evidence_level);
}

/* "not measured", and of memory what there is instead of the kind that the policy reads. */
static void append_not_measured(struct text_buffer *out, const struct policy *policy,
                                const struct candidate *candidate, const struct gate_result *gate)
{
    size_t found = 0;
    text_buffer_puts(out, "not measured");
    if (strcmp(gate->name, "memory") != 0)
        return;
    for (int kind = 0; policy->memory_kind >= 0 && kind < MEMORY_KIND_COUNT; kind++) {
        if (isnan(candidate->metrics.peak_mb[kind]))
            continue;
        if (found++ == 0)
            text_buffer_printf(out, ": the policy reads the %s peak, and there is only ",
                               memory_kind_name((enum memory_kind)policy->memory_kind));
        else
            text_buffer_puts(out, " and ");
        text_buffer_printf(out, "%s ", memory_kind_name((enum memory_kind)kind));
        append_number(out, candidate->metrics.peak_mb[kind], 0);
    }
    if (found > 0)
        text_buffer_puts(out, " MiB");
}

static void append_detail(struct text_buffer *out, const struct policy *policy,
                          const struct candidate *candidate, const struct gate_result *gate)
{
    if (gate->detail != NULL)
        text_redact(out, gate->detail, strlen(gate->detail));
    else if (gate->verdict == GATE_NOT_APPLIED)
        text_buffer_puts(out, "no limit");
    else if (gate->verdict == GATE_NOT_MEASURED)
        append_not_measured(out, policy, candidate, gate);
    else if (gate->verdict == GATE_NOT_EVALUATED)
        text_buffer_puts(out, "not evaluated: the run failed");
    else if (strcmp(gate->name, "evidence_level") == 0)
        append_level(out, policy, candidate, gate);
    else
        append_comparison(out, gate);
}

static enum status apply_to(const struct gate_context *context, struct candidate *candidate,
                            struct arena *arena, struct diag *diag)
{
    size_t count;
    const struct gate_row *rows = gate_table(&count);
    struct text_buffer text = {0};
    enum status status = STATUS_OK;
    candidate->eligible = true;
    candidate->gate_count = count;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct gate_result *gate = &candidate->gates[i];
        gates_judge(&rows[i], context, candidate, gate);
        text_buffer_clear(&text);
        append_detail(&text, context->policy, candidate, gate);
        gate->detail = text.failed ? NULL : arena_copy(arena, text.text, text.length);
        if (gate->detail == NULL)
            status = diag_no_memory(diag);
        if (gate->failed)
            candidate->eligible = false;
    }
    text_buffer_fini(&text);
    return status;
}

/* The first run of the baseline strategy that left losses or norms to compare with. */
static const struct candidate *find_baseline(const struct policy *policy, const struct group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *candidate = &group->candidates[i];
        if (candidate->strategy == policy->baseline &&
            (candidate->metrics.losses.count > 0 || candidate->metrics.grad_norms.count > 0))
            return candidate;
    }
    return NULL;
}

enum status gates_apply(const struct policy *policy, struct group *group, struct arena *arena,
                        struct diag *diag)
{
    const struct gate_context context = {policy, find_baseline(policy, group)};
    for (size_t i = 0; i < group->candidate_count; i++) {
        enum status status = apply_to(&context, &group->candidates[i], arena, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

const char *gates_failures(const struct candidate *candidate, struct arena *arena)
{
    struct text_buffer text = {0};
    text_buffer_puts(&text, "");
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (candidate->gates[i].failed)
            text_buffer_printf(&text, "%s%s", text.length > 0 ? ", " : "",
                               candidate->gates[i].name);
    const char *copy = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return copy;
}
