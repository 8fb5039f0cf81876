#include "parsed_json.h"

#include <stdio.h>

/* Every allocation of the reader is made to fail once; the linker sends them here. */

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static long until_failure = -1; /* calls that still succeed; negative: all */

void *__wrap_realloc(void *memory, size_t size)
{
    if (until_failure == 0)
        return NULL;
    if (until_failure > 0)
        until_failure--;
    return __real_realloc(memory, size);
}

/* An object that needs several growths of the index, escaped names and the sort of many names. */
static size_t make_text(char *text, size_t capacity)
{
    size_t used = 0;
    for (int i = 0; i < 900; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%c\"k\\u0065y_%d\":[%d]",
                                 i == 0 ? '{' : ',', i, i);
    return used + (size_t)snprintf(text + used, capacity - used, "}");
}

Test(json_read_memory, says_so_at_every_allocation_that_fails_and_stays_usable)
{
    static char text[40000];
    size_t size = make_text(text, sizeof text);
    long failures = 0;
    for (long nth = 0;; nth++) {
        struct json_read_document document = {0};
        struct json_read_fault fault;
        struct diag diag = {0};
        until_failure = nth;
        enum status status = json_read_parse(&document, text, size, &fault, &diag);
        until_failure = -1;
        if (status == STATUS_OK) {
            json_read_fini(&document);
            break;
        }
        failures++;
        cr_assert_eq(status, STATUS_ENVIRONMENT);
        cr_assert_eq(diag.status, STATUS_ENVIRONMENT);
        cr_assert_eq(fault.kind, JSON_READ_FAULT_NONE, "memory is no fault of the text");
        cr_assert_eq(document.count, 0);
        cr_assert_eq(json_read_parse(&document, text, size, &fault, &diag), STATUS_OK);
        cr_assert_eq(json_read_count(&document, 0), 900);
        json_read_fini(&document);
    }
    cr_assert_geq(failures, 5, "index (256, 512, 1024, ...), escaped name, sort");
}
