#include "import_interleaved.h"

#include <string.h>

/* Whether a rank's prefix stands at the text's beginning. */
static bool is_prefix(const struct import_span *span)
{
    static const char *const words[] = {"[rank", "[Rank ", "[default"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (import_scan_begins(span, words[i]) && span->length > length &&
            span->text[length] >= '0' && span->text[length] <= '9')
            return true;
    }
    return false;
}

bool import_interleaved_next(struct import_line *rest, struct import_line *part)
{
    struct import_span at = rest->span;
    if (at.length == 0)
        return false;
    *part = *rest;
    do { /* "[rank0]:[Rank 0] ..." is one line's: what stands before a prefix must be more */
        at.text++;
        at.length--;
        const char *bracket = at.length > 0 ? memchr(at.text, '[', at.length) : NULL;
        size_t skipped = bracket == NULL ? at.length : (size_t)(bracket - at.text);
        at.text += skipped;
        at.length -= skipped;
    } while (at.length > 0 && !(is_prefix(&at) && at.text[-1] != ':' && at.text[-1] != ' '));
    part->span.length = (size_t)(at.text - rest->span.text);
    part->span.cut = rest->span.cut && at.length == 0;
    rest->span = at;
    return true;
}
