#include <string.h>

#include "input.h"
#include "policy.h"
#include "text.h"

/* What the reader lets pass for validation to report (a key named twice, half a surrogate pair, a
 * number beyond a double) is refused here: a limit given twice is no limit. */
static enum status refuse_flags(const struct json_read_source *source, struct diag *diag)
{
    static const struct {
        unsigned flag;
        const char *text;
    } faults[] = {
        {JSON_READ_DUPLICATE_KEY, "this name is given twice; keep one"},
        {JSON_READ_NUL_IN_STRING, "the text contains a NUL character"},
        {JSON_READ_LONE_SURROGATE, "the text contains half of a surrogate pair"},
        {JSON_READ_NUMBER_OUT_OF_RANGE, "the number is too large"},
    };
    const struct json_read_document *json = source->document;
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        if ((json->flags & faults[f].flag) == 0)
            continue;
        for (uint32_t node = 0; node < json->count; node++)
            if ((json->nodes[node].flags & faults[f].flag) != 0)
                return json_read_refuse(source, node, diag, "%s", faults[f].text);
    }
    return STATUS_OK;
}

/* A syntax fault as one line: PATH:LINE:COLUMN: error: message. */
static enum status refuse_fault(const char *shown, const struct json_read_document *json,
                                const struct json_read_fault *fault, struct diag *diag)
{
    size_t line = 0;
    size_t column = 0;
    json_read_position(json, fault->offset, &line, &column);
    return diag_set(diag, STATUS_INPUT, "%s:%zu:%zu: error: %s [%s]", shown, line, column,
                    fault->message, json_read_fault_name(fault->kind));
}

enum status policy_load(const char *path, struct arena *arena, struct policy *policy,
                        struct diag *diag)
{
    struct input_buffer input = {0};
    struct json_read_document json = {0};
    struct json_read_fault fault = {0};
    enum input_fault input_fault = INPUT_FAULT_NONE;
    char shown[1024];
    text_escape_into(shown, sizeof shown, path, strlen(path));
    enum status status = input_read_file(&input, path, INPUT_DEFAULT_LIMIT, &input_fault, diag);
    if (status != STATUS_OK)
        goto cleanup;
    status = json_read_parse(&json, input.data, input.size, &fault, diag);
    if (status != STATUS_OK) {
        if (fault.kind != JSON_READ_FAULT_NONE) {
            json.text = input.data;
            json.size = input.size;
            status = refuse_fault(shown, &json, &fault, diag);
        }
        goto cleanup;
    }
    struct json_read_source source = {.document = &json, .path = shown};
    status = refuse_flags(&source, diag);
    if (status == STATUS_OK)
        status = policy_read(&source, 0, arena, policy, diag);
cleanup:
    json_read_fini(&json);
    input_fini(&input);
    return status;
}
