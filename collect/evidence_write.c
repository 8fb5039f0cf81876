#include "evidence_write.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "evidence_parts.h"
#include "output.h"
#include "text.h"

static json_t *document_of(const struct evidence_parts *parts)
{
    const struct evidence_source *source = parts->source;
    const struct training_state_row *row = training_state_row(source->strategy);
    bool failed = source->failure->kind != RANK_FAILURE_NONE;
    const struct {
        const char *key;
        json_t *(*make)(const struct evidence_parts *parts);
    } sections[] = {
        {"workload", evidence_parts_workload},
        {"hardware", evidence_parts_hardware},
        {"metrics", evidence_parts_metrics},
        {"failure", evidence_parts_failure},
        {"run", evidence_parts_run},
        {"strategy_options", evidence_parts_strategy_options},
        {"ledger", evidence_parts_ledger},
        {"memory", evidence_parts_memory},
        {"communication", evidence_parts_communication},
        {"timing", evidence_parts_timing},
        {"calibration", evidence_parts_calibration},
        {"checkpoint", evidence_parts_checkpoint},
        {"correctness", evidence_parts_correctness},
        {"environment", evidence_parts_environment},
        {"rounds", evidence_parts_rounds},
    };
    json_t *document = json_write_object(parts->writer);
    evidence_parts_set_text(parts, document, "schema", "rankledger.evidence/1");
    evidence_parts_set_text(parts, document, "role", "training_state_parallel");
    evidence_parts_set_text(parts, document, "strategy", row->name);
    evidence_parts_set_text(parts, document, "group", row->group);
    evidence_parts_set_text(parts, document, "evidence_level", evidence_parts_level(parts));
    evidence_parts_set_text(parts, document, "decision", failed ? "failed" : "measured");
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        evidence_parts_set(parts, document, sections[i].key, sections[i].make(parts));
    return document;
}

enum status evidence_write_text(const struct evidence_source *source, struct text_buffer *out,
                                struct diag *diag)
{
    struct json_write writer = {0};
    struct evidence_parts parts = {.writer = &writer, .source = source};
    enum status status = evidence_metrics_of(source, &parts.metrics, diag);
    if (status != STATUS_OK)
        return status;
    json_t *document = document_of(&parts);
    status = json_write_text(&writer, document, out, diag);
    json_decref(document);
    return status;
}

/* The place is taken: keeps what was measured under a name that ends in the run's number. */
static enum status write_aside(const struct evidence_source *source, const char *path,
                               const struct text_buffer *text, struct diag *diag)
{
    char aside[PATH_MAX];
    char shown[PATH_MAX];
    bool exists = false;
    if (snprintf(aside, sizeof aside, "%s.%.8s", path, source->run->id) >= (int)sizeof aside)
        return diag_set(diag, STATUS_ENVIRONMENT, "the evidence's name is too long");
    enum status status = output_write_new_file(aside, text->text, text->length, &exists, diag);
    if (status != STATUS_OK)
        return status;
    text_escape_into(shown, sizeof shown, path, strlen(path));
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "%s: it appeared while this run was measured and is left as it is; the "
                    "evidence is in %s.%.8s",
                    shown, shown, source->run->id);
}

enum status evidence_write(const struct evidence_source *source, const char *path, bool force,
                           struct diag *diag)
{
    struct text_buffer text = {0};
    bool exists = false;
    enum status status = evidence_write_text(source, &text, diag);
    if (status == STATUS_OK && force) {
        status = output_write_file(path, text.text, text.length, diag);
    } else if (status == STATUS_OK) {
        struct diag first = {0};
        status = output_write_new_file(path, text.text, text.length, &exists, &first);
        if (exists)
            status = write_aside(source, path, &text, diag);
        else if (status != STATUS_OK)
            status = diag_set(diag, status, "%s", first.text);
    }
    text_buffer_fini(&text);
    return status;
}
