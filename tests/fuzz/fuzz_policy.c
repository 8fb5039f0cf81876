#include <string.h>

#include "fuzz_require.h"
#include "policy.h"

/* Any bytes as a policy: refused with a place and a reason, or read, and then the same again after
 * it was written. */

static enum status read_policy(const char *text, size_t size, struct arena *arena,
                               struct policy *policy, struct diag *diag)
{
    struct json_read_document json = {0};
    struct json_read_source source = {.document = &json, .path = "p.json"};
    policy_init(policy);
    enum status status = json_read_parse_strict(&json, "p.json", text, size, diag);
    if (status == STATUS_OK)
        status = policy_read(&source, 0, arena, policy, diag);
    json_read_fini(&json);
    return status;
}

static void write_policy(const struct policy *policy, struct text_buffer *out)
{
    struct json_write writer = {0};
    struct diag diag = {0};
    json_t *root = policy_write(&writer, policy);
    fuzz_require(json_write_text(&writer, root, out, &diag) == STATUS_OK, "a policy is written");
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct policy policy;
    struct diag diag = {0};
    struct text_buffer once = {0};
    struct text_buffer twice = {0};
    enum status status = read_policy((const char *)data, size, &arena, &policy, &diag);
    if (status == STATUS_OK) {
        write_policy(&policy, &once);
        fuzz_require_json(once.text, once.length);
        status = read_policy(once.text, once.length, &arena, &policy, &diag);
        fuzz_require(status == STATUS_OK, "what was written is read");
        write_policy(&policy, &twice);
        fuzz_require_same(&once, &twice, "a policy survives being written");
    } else {
        fuzz_require(status == STATUS_INPUT, "no other status");
        fuzz_require(strncmp(diag.text, "p.json:", 7) == 0, "a refusal names the place");
        fuzz_require_line(diag.text, sizeof diag.text);
    }
    text_buffer_fini(&twice);
    text_buffer_fini(&once);
    arena_fini(&arena);
    return 0;
}
