#include "pdf_catalog.h"

#include <stdlib.h>
#include <string.h>

/* The last occurrence of a word in the document's first `end` bytes, or NULL. */
static const char *last_of(const struct text_buffer *document, size_t end, const char *word)
{
    size_t length = strlen(word);
    if (end < length)
        return NULL;
    for (size_t at = end - length + 1; at-- > 0;)
        if (memcmp(document->text + at, word, length) == 0)
            return document->text + at;
    return NULL;
}

static enum status refuse(struct diag *diag)
{
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "cannot complete the PDF document: the drawing library wrote it in an unknown "
                    "form (known: Cairo 1.16 and 1.18)");
}

enum status pdf_catalog_extend(struct text_buffer *document, const char *entries, struct diag *diag)
{
    static const char type[] = "/Type /Catalog";
    static const char ending[] = "startxref\n";
    if (document->failed)
        return diag_no_memory(diag);
    const char *place = last_of(document, document->length, ending);
    const char *catalog = last_of(document, document->length, type);
    if (place == NULL || catalog == NULL || catalog > place)
        return refuse(diag);
    size_t table = strtoul(place + sizeof ending - 1, NULL, 10);
    const char *object_end = strstr(catalog, "endobj\n");
    size_t insert = (size_t)(catalog - document->text) + sizeof type - 1;
    if (object_end == NULL || (size_t)(object_end - document->text) + 7 != table ||
        strncmp(document->text + table, "xref\n", 5) != 0)
        return refuse(diag);
    struct text_buffer whole = {0};
    text_buffer_append(&whole, document->text, insert);
    text_buffer_puts(&whole, entries);
    text_buffer_append(&whole, document->text + insert, (size_t)(place - document->text) - insert);
    text_buffer_printf(&whole, "%s%zu\n%%%%EOF\n", ending, table + strlen(entries));
    if (whole.failed) {
        text_buffer_fini(&whole);
        return diag_no_memory(diag);
    }
    text_buffer_fini(document);
    *document = whole;
    return STATUS_OK;
}
