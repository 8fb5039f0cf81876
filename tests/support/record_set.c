#include "record_set.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MOST_RECORDS 64

void record_set_add(struct evidence_set *set, const char *text)
{
    struct diag diag = {0};
    struct json_read_fault fault = {0};
    if (set->records == NULL) {
        set->records = arena_take_array(&set->arena, MOST_RECORDS, sizeof *set->records);
        set->documents = arena_take_array(&set->arena, MOST_RECORDS, sizeof *set->documents);
    }
    char *copy = arena_copy(&set->arena, text, strlen(text));
    struct json_read_document *json = arena_take(&set->arena, sizeof *json);
    cr_assert(set->record_count < MOST_RECORDS && copy != NULL && json != NULL);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    cr_assert_eq(json_read_parse(json, copy, strlen(copy), &fault, &diag), STATUS_OK, "%s: %s",
                 copy, fault.message);
    set->documents[set->document_count++] = json;
    struct record *record = &set->records[set->record_count];
    cr_assert_eq(record_read(json, 0, &set->arena, record, &diag), STATUS_OK, "%s", diag.text);
    record->path = arena_printf(&set->arena, "%c.json", (char)('a' + (int)set->record_count));
    record->file = record->path;
    record->sha256 = "";
    set->record_count++;
}

void record_set_add_run(struct evidence_set *set, const char *strategy, const char *workload,
                        const char *metrics, const char *rest)
{
    char *text =
        arena_printf(&set->arena,
                     "{'strategy':'%s','workload':{%s},'hardware':'H200','metrics':{%s},"
                     "'evidence_level':'real_multi_gpu_zero_stage','decision':'measured'%s%s}",
                     strategy, workload, metrics, rest[0] == '\0' ? "" : ",", rest);
    cr_assert(text != NULL);
    record_set_add(set, text);
}

void record_set_fini(struct evidence_set *set)
{
    for (size_t i = 0; i < set->document_count; i++)
        json_read_fini(set->documents[i]);
    arena_fini(&set->arena);
}
