#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "evidence_parts.h"
#include "text.h"

/* True where a phase is a part of an optimizer step. */
static bool in_step(enum rank_phase phase)
{
    return phase == RANK_FORWARD || phase == RANK_BACKWARD || phase == RANK_OPTIMIZER;
}

/* "rank 1 ", of several hosts "rank 1 (on host 0) ", or "". */
static void say_rank(const struct rank_failure *failure, int64_t host, char *text, size_t size)
{
    text[0] = '\0';
    if (failure->rank >= 0 && host >= 0)
        snprintf(text, size, "rank %" PRId64 " (on host %" PRId64 ") ", failure->rank, host);
    else if (failure->rank >= 0)
        snprintf(text, size, "rank %" PRId64 " ", failure->rank);
}

/* " in step 5 (backward)", " in checkpoint_save". */
static void say_place(const struct rank_failure *failure, char *text, size_t size)
{
    text[0] = '\0';
    if (failure->phase == RANK_NOT_STARTED)
        return;
    if (in_step(failure->phase) && failure->step >= 0)
        snprintf(text, size, " in step %" PRId64 " (%s)", failure->step,
                 rank_phase_name(failure->phase));
    else
        snprintf(text, size, " in %s", rank_phase_name(failure->phase));
}

static const char *verb_of(const struct rank_failure *failure)
{
    bool one = failure->rank >= 0;
    switch (failure->kind) {
    case RANK_FAILURE_PREFLIGHT:
        return "not started";
    case RANK_FAILURE_LAUNCH:
        return "the ranks did not start";
    case RANK_FAILURE_OUT_OF_MEMORY:
        return one ? "ran out of memory" : "out of memory";
    case RANK_FAILURE_COMMUNICATION:
        return one ? "could not communicate" : "communication failed";
    case RANK_FAILURE_TIMEOUT:
        return one ? "hung" : "the run hung";
    case RANK_FAILURE_RANK_LOST:
        return one ? "was lost" : "a rank was lost";
    case RANK_FAILURE_NON_FINITE:
        return one ? "had gradients that are not finite" : "the gradients are not finite";
    case RANK_FAILURE_CHECKPOINT:
        return one ? "failed at the checkpoint" : "the checkpoint failed";
    case RANK_FAILURE_INTERRUPTED:
        return "interrupted";
    case RANK_FAILURE_NONE:
        break;
    }
    return "failed";
}

static json_t *reason_of(const struct evidence_parts *parts, const struct rank_failure *failure)
{
    char rank[80];
    char place[96];
    char shown[sizeof failure->detail];
    struct text_buffer text = {0};
    say_rank(failure, evidence_source_host_of(parts->source, failure->rank), rank, sizeof rank);
    say_place(failure, place, sizeof place);
    /* Said already. */
    static const char prefix[] = "out of memory: ";
    const char *detail = failure->detail;
    if (strncmp(detail, prefix, sizeof prefix - 1) == 0)
        detail += sizeof prefix - 1;
    text_escape_into(shown, sizeof shown, detail, strlen(detail));
    text_buffer_printf(&text, "%s%s%s%s", rank, verb_of(failure), place,
                       shown[0] != '\0' ? ": " : "");
    text_redact(&text, shown, strlen(shown));
    json_t *reason = json_write_string(parts->writer, text.failed ? "failed" : text.text);
    text_buffer_fini(&text);
    return reason;
}

static json_t *detail_of(const struct evidence_parts *parts, const struct rank_failure *failure)
{
    struct text_buffer text = {0};
    text_redact(&text, failure->detail, strlen(failure->detail));
    json_t *detail = json_write_string(parts->writer, text.text != NULL ? text.text : "");
    text_buffer_fini(&text);
    return detail;
}

static void set_memory(const struct evidence_parts *parts, json_t *object,
                       const struct rank_failure *failure)
{
    evidence_parts_set_count(parts, object, "asked_bytes", failure->asked_bytes);
    if (failure->in_use_bytes > 0)
        evidence_parts_set_count(parts, object, "in_use_bytes", failure->in_use_bytes);
    if (failure->limit_bytes > 0)
        evidence_parts_set_count(parts, object, "limit_bytes", failure->limit_bytes);
    evidence_parts_set_text(parts, object, "category",
                            failure->category < SCHEDULE_CATEGORY_COUNT
                                ? schedule_category_name(failure->category)
                                : NULL);
}

json_t *evidence_parts_failure(const struct evidence_parts *parts)
{
    const struct rank_failure *failure = parts->source->failure;
    if (failure->kind == RANK_FAILURE_NONE)
        return json_write_null(parts->writer);
    json_t *object = json_write_object(parts->writer);
    const int64_t host = evidence_source_host_of(parts->source, failure->rank);
    bool has_step = in_step(failure->phase) && failure->step >= 0;
    evidence_parts_set(parts, object, "reason", reason_of(parts, failure));
    evidence_parts_set_text(parts, object, "kind", rank_failure_kind_name(failure->kind));
    evidence_parts_set_text(parts, object, "phase", rank_phase_name(failure->phase));
    evidence_parts_set(parts, object, "rank",
                       failure->rank >= 0 ? json_write_integer(parts->writer, failure->rank)
                                          : json_write_null(parts->writer));
    if (host >= 0)
        evidence_parts_set_count(parts, object, "host", (uint64_t)host);
    evidence_parts_set(parts, object, "step",
                       has_step ? json_write_integer(parts->writer, failure->step)
                                : json_write_null(parts->writer));
    evidence_parts_set(parts, object, "detail", detail_of(parts, failure));
    if (parts->source->round_count > 0)
        evidence_parts_set_count(parts, object, "round", parts->source->round_count - 1);
    if (failure->kind == RANK_FAILURE_OUT_OF_MEMORY)
        set_memory(parts, object, failure);
    return object;
}
