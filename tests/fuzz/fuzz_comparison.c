#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "comparison.h"
#include "explanation.h"
#include "fuzz_require.h"

/*
 * Any bytes as a summary, compared with itself and with another that is unlike it in one place (two
 * texts separated by a form feed are BASE and NEW), and its strategies explained: refused in words,
 * or a document, the same again.
 */

struct file { /* in memory, with a path */
    int descriptor;
    char path[32];
};

static struct file write_file(const uint8_t *data, size_t size)
{
    struct file file = {.descriptor = memfd_create("summary", MFD_CLOEXEC)};
    fuzz_require(file.descriptor >= 0 && write(file.descriptor, data, size) == (ssize_t)size,
                 "a file in memory");
    snprintf(file.path, sizeof file.path, "/dev/fd/%d", file.descriptor);
    return file;
}

/* A reason says where, unless it is about a whole file or about what is asked for. */
static void require_reason(enum status status, const struct diag *diag)
{
    fuzz_require(status == STATUS_INPUT, "no other status");
    fuzz_require(diag->text[0] != '\0', "a refusal has a reason");
    fuzz_require_line(diag->text, sizeof diag->text);
}

static bool compare(const struct file *base, const struct file *now, struct text_buffer *out)
{
    struct analysis_options options = {.allow_invalid = false};
    struct comparison comparison = {0};
    struct comparison_request request = {.base = base->path,
                                         .now = now->path,
                                         .analysis = &options,
                                         .settings = {.tolerance = 0.02, .max_regression = 0.05}};
    struct diag diag = {0};
    request.settings.counts[COMPARISON_THROUGHPUT] = true;
    policy_init(&options.policy);
    enum status status = comparison_run(&comparison, &request, &diag);
    if (status == STATUS_OK) {
        fuzz_require(comparison.beyond <= comparison.regressions, "what counts is a regression");
        status = comparison_write(&comparison, out, &diag);
        fuzz_require(status == STATUS_OK, "a comparison is written");
        fuzz_require_json(out->text, out->length);
    } else {
        require_reason(status, &diag);
    }
    comparison_fini(&comparison);
    return status == STATUS_OK;
}

static void explain(const struct file *file)
{
    static const char *const strategies[] = {"ddp", "fsdp_full_shard"};
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        struct explanation explanation = {0};
        const struct explanation_request request = {.path = file->path, .strategy = strategies[i]};
        struct text_buffer out = {0};
        struct diag diag = {0};
        enum status status = explanation_make(&explanation, &request, &diag);
        if (status == STATUS_OK) {
            status = explanation_write(&explanation, &out, &diag);
            fuzz_require(status == STATUS_OK, "an explanation is written");
            fuzz_require_json(out.text, out.length);
        } else {
            require_reason(status, &diag);
        }
        text_buffer_fini(&out);
        explanation_fini(&explanation);
    }
}

/* BASE and NEW of an input without a form feed: the second is unlike in one place. */
static struct file write_unlike(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    fuzz_require(copy != NULL, "memory");
    memcpy(copy, data, size);
    if (size > 0)
        copy[(size * 7919u + data[size / 2]) % size] = '0' + size % 10;
    struct file file = write_file(copy, size);
    free(copy);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Evidence is the subject of other harnesses; judging it takes longer than all the rest. */
    static const char schema[] = "rankledger.summary/1";
    if (memmem(data, size, schema, sizeof schema - 1) == NULL)
        return 0;
    const uint8_t *feed = memchr(data, '\f', size);
    size_t first = feed == NULL ? size : (size_t)(feed - data);
    struct file base = write_file(data, first);
    struct file now =
        feed == NULL ? write_unlike(data, size) : write_file(feed + 1, size - first - 1);
    struct text_buffer once = {0};
    struct text_buffer twice = {0};
    if (compare(&base, &now, &once) && size % 4 == 0) {
        fuzz_require(compare(&base, &now, &twice), "the same status");
        fuzz_require_same(&once, &twice, "the same comparison");
    }
    if (size % 4 == 1)
        explain(&base);
    text_buffer_fini(&twice);
    text_buffer_fini(&once);
    close(now.descriptor);
    close(base.descriptor);
    return 0;
}
