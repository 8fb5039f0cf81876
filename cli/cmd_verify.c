#include "cmd_verify.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "text.h"
#include "verify.h"

#define MAX_CHANGED 10

static void put_path(struct text_buffer *out, const char *path)
{
    text_redact(out, path, strlen(path));
}

/* "same: 2 sources give the decision accept zero1 again". */
static void put_same(struct text_buffer *out, const struct verify_result *result)
{
    const char *decision = result->decision != NULL ? result->decision : "";
    bool one = result->source_count == 1;
    text_buffer_printf(out, ": same: %zu source%s the decision ", result->source_count,
                       one ? " gives" : "s give");
    text_escape(out, decision, strlen(decision));
    if (result->strategy != NULL) {
        text_buffer_puts(out, " ");
        text_escape(out, result->strategy, strlen(result->strategy));
    }
    text_buffer_puts(out, " again\n");
}

static void put_changed(struct text_buffer *out, const struct verify_result *result)
{
    for (size_t i = 0; i < result->changed_count && i < MAX_CHANGED; i++) {
        text_buffer_puts(out, "  changed since: ");
        put_path(out, result->changed_sources[i]);
        text_buffer_puts(out, "\n");
    }
    if (result->changed_count > MAX_CHANGED)
        text_buffer_printf(out, "  and %zu more changed sources\n",
                           result->changed_count - MAX_CHANGED);
}

static void put_result(struct text_buffer *out, const char *path,
                       const struct verify_result *result)
{
    put_path(out, path);
    if (result->count == 0)
        put_same(out, result);
    else
        text_buffer_printf(out, ": differs in %zu place%s from what its sources give\n",
                           result->count, result->count == 1 ? "" : "s");
    if (result->other_version != NULL)
        text_buffer_printf(out, "  written by rankledger %s; this is " RANKLEDGER_VERSION "\n",
                           result->other_version);
    put_changed(out, result);
    for (size_t i = 0; i < result->shown; i++)
        text_buffer_printf(out, "  %s: stored %s, recomputed %s\n", result->differences[i].pointer,
                           result->differences[i].stored, result->differences[i].found);
    if (result->count > result->shown)
        text_buffer_printf(out, "  and %zu more differences\n", result->count - result->shown);
}

static enum status verify(void *context, const struct options_list *operands, struct diag *diag)
{
    (void)context;
    if (operands->count != 1)
        return diag_set(diag, STATUS_USAGE,
                        "verify takes one summary: type rankledger verify summary.json");
    const char *path = operands->values[0];
    struct verify_result result;
    struct text_buffer text = {0};
    enum status status = verify_summary(path, &result, diag);
    if (status == STATUS_OK) {
        put_result(&text, path, &result);
        status = text.failed ? diag_no_memory(diag) : STATUS_OK;
    }
    if (status == STATUS_OK) {
        fwrite(text.text, 1, text.length, stdout);
        status = result.count > 0 ? STATUS_NEGATIVE : STATUS_OK;
    }
    text_buffer_fini(&text);
    verify_fini(&result);
    return status;
}

enum status cmd_verify(int argc, char **argv, struct diag *diag)
{
    const struct options_command command = {
        .program = "rankledger",
        .name = "verify",
        .operands = "SUMMARY",
        .summary = "Recomputes a summary from its sources and says where it differs.",
        .notes = "Digests and decisions are compared exactly, numbers to 1e-12.\n"
                 "exit codes: 0 the same, 1 it differs, 2 usage, 3 sources are missing or this is\n"
                 "no summary",
        .act = verify,
    };
    return options_run(&command, argc, argv, diag);
}
