#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis.h"
#include "document.h"
#include "fuzz_require.h"
#include "path_list.h"
#include "summary.h"

/*
 * Any bytes as a file of evidence that is judged under limits: refused in words, or a summary, the
 * same again, which validation finds sound and a report can read. An input's size chooses the
 * limits.
 */

static enum status require_sound(void *context, const struct document *document, struct diag *diag)
{
    (void)context;
    (void)diag;
    fuzz_require(document->kind == DOCUMENT_OWN_SUMMARY, "what is written is a summary");
    for (size_t i = 0; i < document->findings.count; i++)
        if (document->findings.items[i].severity == FINDING_ERROR) {
            fprintf(stderr, "%s: %s\n", document->findings.items[i].pointer,
                    document->findings.items[i].message);
            fuzz_require(false, "validation finds no error in a summary");
        }
    return STATUS_OK;
}

static void require_summary(const struct text_buffer *text)
{
    static struct document_reader reader;
    struct summary summary = {0};
    struct diag diag = {0};
    fuzz_require_json(text->text, text->length);
    fuzz_require(document_check_bytes(&reader, "summary.json", text->text, text->length,
                                      require_sound, NULL, &diag) == STATUS_OK,
                 "a summary is checked");
    enum status status = summary_load("summary.json", text->text, text->length, &summary, &diag);
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n", diag.text);
    fuzz_require(status == STATUS_OK, "a report can read a summary");
    summary_fini(&summary);
}

static bool judge(const char *path, size_t size, struct text_buffer *out)
{
    struct path_list paths = {0};
    struct analysis analysis = {.picked = -1};
    struct analysis_options options = {.allow_invalid = size % 2 == 1};
    struct diag diag = {0};
    policy_init(&options.policy);
    if (size % 3 != 0)
        options.policy.memory_limit_mb = 16384;
    if (size % 5 == 0)
        options.policy.min_throughput = 1000;
    if (size % 7 == 0)
        options.policy.max_communication_ratio = 0.25;
    enum status status = path_list_add(&paths, path, &diag);
    if (status == STATUS_OK)
        status = analysis_run(&analysis, &paths, ".", &options, &diag);
    if (status == STATUS_OK) {
        status = analysis_write_summary(&analysis, out, &diag);
        fuzz_require(status == STATUS_OK, "a summary is written");
    } else {
        fuzz_require(status == STATUS_INPUT, "no other status");
        fuzz_require(diag.text[0] != '\0', "a refusal has a reason");
        fuzz_require_line(diag.text, sizeof diag.text);
    }
    analysis_fini(&analysis);
    path_list_fini(&paths);
    return status == STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_buffer once = {0};
    struct text_buffer twice = {0};
    char path[32];
    int file = memfd_create("evidence", MFD_CLOEXEC);
    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    if (judge(path, size, &once)) {
        require_summary(&once);
        if (size % 4 == 0) {
            fuzz_require(judge(path, size, &twice), "the same status");
            fuzz_require_same(&once, &twice, "the same summary");
        }
    }
    text_buffer_fini(&twice);
    text_buffer_fini(&once);
    close(file);
    return 0;
}
