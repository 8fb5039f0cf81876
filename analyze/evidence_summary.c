#include <stdio.h>
#include <string.h>

#include "evidence_loader.h"
#include "text.h"

/* The reason of a summary's failure, safe to print; NULL: it has none, or memory is exhausted. */
static const char *reason_of(const struct json_read_document *json, struct arena *arena,
                             bool *failed)
{
    uint32_t node = json_read_member(json, 0, "failure");
    if (json_read_is(json, node, JSON_READ_OBJECT))
        node = json_read_member(json, node, "reason");
    if (!json_read_is(json, node, JSON_READ_STRING) || json->nodes[node].length == 0)
        return NULL;
    size_t capacity = (size_t)json->nodes[node].length + 1;
    char *text = arena_take(arena, capacity);
    struct text_buffer safe = {0};
    if (text != NULL)
        text_redact(&safe, text, json_read_string(json, node, text, capacity));
    const char *reason =
        text == NULL || safe.failed ? NULL : arena_copy(arena, safe.text, safe.length);
    text_buffer_fini(&safe);
    *failed = reason == NULL;
    return reason;
}

static enum status read_failure(struct evidence_loader *loader, struct evidence_source *summary,
                                struct diag *diag)
{
    struct evidence_set *set = loader->set;
    bool failed = false;
    const char *reason = reason_of(summary->json, &set->arena, &failed);
    if (failed)
        return diag_no_memory(diag);
    if (reason == NULL)
        return STATUS_OK;
    struct incomplete_source *items =
        evidence_loader_grow(&set->arena, set->incomplete_sources, set->incomplete_count,
                             &set->incomplete_capacity, sizeof *items);
    if (items == NULL)
        return diag_no_memory(diag);
    items[set->incomplete_count++] = (struct incomplete_source){summary->name, reason};
    set->incomplete_sources = items;
    set->incomplete = items[0].reason;
    summary->incomplete = set->incomplete_count;
    return STATUS_OK;
}

bool evidence_loader_usable(const struct finding_list *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == FINDING_ERROR &&
            strncmp(findings->items[i].pointer, "/sources/", 9) != 0)
            return false;
    return true;
}

/*
 * The findings of the summary that lie inside a source, as a list of their own. Both stand in the
 * order of the text, so `*at` only moves forward. A view: the items are the summary's.
 */
static struct finding_list findings_within(const struct finding_list *all, size_t *at, size_t begin,
                                           size_t end)
{
    while (*at < all->count && all->items[*at].offset < begin)
        (*at)++;
    struct finding_list within = {.items = *at < all->count ? all->items + *at : NULL};
    while (*at < all->count && all->items[*at].offset < end) {
        if (all->items[*at].severity == FINDING_ERROR)
            within.errors++;
        else
            within.warnings++;
        within.count++;
        (*at)++;
    }
    return within;
}

/* A summary whose sources are being added. */
struct expansion {
    struct evidence_loader *loader;
    const struct evidence_source *summary;
    struct json_read_locator locator;
    size_t index; /* of the source at hand */
};

/* A source without metrics only refers to a file: it is no evidence, and not having it counts. */
static enum status reject_reference(struct expansion *expansion,
                                    const struct evidence_source *source, struct diag *diag)
{
    struct finding finding = {
        .severity = FINDING_ERROR,
        .rule = "missing_field",
        .message = "this source refers to a file and carries no metrics; give the file itself",
    };
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/sources/%zu", expansion->index);
    finding.pointer = pointer;
    finding.offset = source->json->nodes[source->node].offset;
    json_read_locator_position(&expansion->locator, finding.offset, &finding.line, &finding.column);
    finding.line += source->first_line;
    struct finding_list findings = {.items = &finding, .count = 1};
    struct evidence_source refused = *source;
    refused.findings = &findings;
    return evidence_loader_reject(expansion->loader, &refused, diag);
}

static enum status add_source(struct expansion *expansion, uint32_t node,
                              const struct finding_list *findings, struct diag *diag)
{
    struct evidence_loader *loader = expansion->loader;
    struct evidence_source source = *expansion->summary;
    bool reference = json_read_member(source.json, node, "metrics") == JSON_READ_NONE;
    if ((reference || findings->errors > 0) && evidence_loader_is_full(loader))
        return STATUS_OK;
    source.name =
        arena_printf(&loader->set->arena, "%s#/sources/%zu", source.name, expansion->index);
    source.node = node;
    source.findings = findings;
    if (source.name == NULL)
        return diag_no_memory(diag);
    if (!evidence_loader_takes(loader, source.name))
        return STATUS_OK;
    if (findings->errors > 0)
        return evidence_loader_reject(loader, &source, diag);
    if (reference)
        return reject_reference(expansion, &source, diag);
    return evidence_loader_add_record(loader, &source, diag);
}

enum status evidence_loader_add_summary(struct evidence_loader *loader,
                                        const struct evidence_source *given, struct diag *diag)
{
    const struct json_read_document *json = given->json;
    uint32_t sources = json_read_member(json, 0, "sources");
    struct evidence_source summary = *given;
    struct expansion expansion = {.loader = loader, .summary = &summary};
    size_t at = 0;
    json_read_locator_init(&expansion.locator, json);
    enum status status = read_failure(loader, &summary, diag);
    for (uint32_t node = json_read_first(json, sources);
         status == STATUS_OK && node != JSON_READ_NONE;
         node = json_read_next(json, sources, node)) {
        bool text = json_read_is(json, node, JSON_READ_STRING); /* its offset is past the quote */
        size_t begin = json->nodes[node].offset - (text ? 1 : 0);
        size_t end = json->nodes[node].offset + json->nodes[node].length;
        struct finding_list findings = findings_within(summary.findings, &at, begin, end);
        status = add_source(&expansion, node, &findings, diag);
        expansion.index++;
    }
    if (status == STATUS_OK && expansion.index == 0)
        status = evidence_loader_skip(loader, summary.name, "a summary without sources", diag);
    return status;
}
