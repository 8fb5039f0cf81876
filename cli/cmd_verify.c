#include "cmd_verify.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "text.h"
#include "verify.h"

#define MAX_CHANGED 10

static void put_safe(const char *text)
{
    struct text_buffer safe = {0};
    text_escape(&safe, text, strlen(text));
    if (safe.length > 0)
        fwrite(safe.text, 1, safe.length, stdout);
    text_buffer_fini(&safe);
}

static void put_path(const char *path)
{
    struct text_buffer safe = {0};
    text_redact(&safe, path, strlen(path));
    if (safe.length > 0)
        fwrite(safe.text, 1, safe.length, stdout);
    text_buffer_fini(&safe);
}

static void print_result(const char *path, const struct verify_result *result)
{
    put_path(path);
    if (result->count == 0) {
        printf(": same: %zu source%s give", result->source_count,
               result->source_count == 1 ? "" : "s");
        printf("%s the decision ", result->source_count == 1 ? "s" : "");
        put_safe(result->decision != NULL ? result->decision : "");
        if (result->strategy != NULL) {
            printf(" ");
            put_safe(result->strategy);
        }
        printf(" again\n");
    } else {
        printf(": differs in %zu place%s from what its sources give\n", result->count,
               result->count == 1 ? "" : "s");
    }
    if (result->other_version != NULL)
        printf("  written by rankledger %s; this is " RANKLEDGER_VERSION "\n",
               result->other_version);
    for (size_t i = 0; i < result->changed_count && i < MAX_CHANGED; i++) {
        printf("  changed since: ");
        put_path(result->changed_sources[i]);
        printf("\n");
    }
    if (result->changed_count > MAX_CHANGED)
        printf("  and %zu more changed sources\n", result->changed_count - MAX_CHANGED);
    for (size_t i = 0; i < result->shown; i++)
        printf("  %s: stored %s, recomputed %s\n", result->differences[i].pointer,
               result->differences[i].stored, result->differences[i].found);
    if (result->count > result->shown)
        printf("  and %zu more differences\n", result->count - result->shown);
}

static enum status verify(const char *path, struct diag *diag)
{
    struct verify_result result;
    enum status status = verify_summary(path, &result, diag);
    if (status == STATUS_OK) {
        print_result(path, &result);
        status = result.count > 0 ? STATUS_NEGATIVE : STATUS_OK;
    }
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
    };
    struct options_list operands = {0};
    bool help = false;
    enum status status = options_parse(&command, argc, argv, &operands, &help, diag);
    if (status == STATUS_OK && help)
        options_print_help(&command, stdout);
    else if (status == STATUS_OK && operands.count != 1)
        status = diag_set(diag, STATUS_USAGE,
                          "verify takes one summary: type rankledger verify summary.json");
    else if (status == STATUS_OK)
        status = verify(operands.values[0], diag);
    options_fini(&command, &operands);
    return status;
}
