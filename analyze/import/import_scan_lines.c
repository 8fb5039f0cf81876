#include <string.h>

#include "import_scan.h"

/* Moves to what comes behind `end`, where a part of a line ends. */
static void go_behind(struct import_cursor *cursor, size_t end)
{
    const struct import_source *source = cursor->source;
    cursor->inside = end < source->size && source->text[end] == '\r';
    cursor->offset = end < source->size ? end + 1 : end;
    if (cursor->inside && cursor->offset < source->size && source->text[cursor->offset] == '\n') {
        cursor->inside = false;
        cursor->offset++;
    }
}

bool import_scan_next(struct import_cursor *cursor, struct import_line *line)
{
    const struct import_source *source = cursor->source;
    if (cursor->offset >= source->size)
        return false;
    const char *begin = source->text + cursor->offset;
    size_t left = source->size - cursor->offset;
    /* The text has no NUL but the one behind it. Looking for the line end first would take the
     * square of a progress bar's length. */
    size_t length = strcspn(begin, "\r\n");
    if (length > left)
        length = left;
    if (!cursor->inside)
        cursor->number++;
    line->number = cursor->number;
    line->span = (struct import_span){begin, length, length == left};
    go_behind(cursor, cursor->offset + length);
    return true;
}

unsigned import_scan_count(const struct import_source *source, const char *word, unsigned most)
{
    size_t length = strlen(word);
    unsigned count = 0;
    const char *at = source->text;
    const char *end = source->text + source->size;
    while (count < most && at < end) {
        const char *found = memmem(at, (size_t)(end - at), word, length);
        if (found == NULL)
            break;
        count++;
        at = memchr(found, '\n', (size_t)(end - found));
        if (at == NULL)
            break;
    }
    return count;
}

/* "[rank0]:", "[default0]:": a name, a number, a bracket and a colon. */
static bool bracketed(struct import_span *rest, double *rank)
{
    struct import_span span = *rest;
    if (!import_scan_skip(&span, "["))
        return false;
    while (span.length > 0 && ((span.text[0] >= 'a' && span.text[0] <= 'z') ||
                               (span.text[0] >= 'A' && span.text[0] <= 'Z') || span.text[0] == '_'))
        span = (struct import_span){span.text + 1, span.length - 1, span.cut};
    if (span.length == 0 || span.text[0] < '0' || span.text[0] > '9' ||
        !import_scan_count_of(&span, rank) || !import_scan_begins(&span, "]:"))
        return false;
    *rest = (struct import_span){span.text + 2, span.length - 2, span.cut};
    return true;
}

/* "[1,0]<stdout>:": job, rank, stream. */
static bool tagged(struct import_span *rest, double *rank)
{
    struct import_span span = *rest;
    double job = 0;
    if (!import_scan_skip(&span, "[") || !import_scan_count_of(&span, &job) ||
        !import_scan_skip(&span, ",") || !import_scan_count_of(&span, rank) ||
        !(import_scan_skip(&span, "]<stdout>:") || import_scan_skip(&span, "]<stderr>:")))
        return false;
    *rest = span;
    return true;
}

/* " 12: ": a number, a colon and a blank or the end. */
static bool labelled(struct import_span *rest, double *rank)
{
    struct import_span span = import_scan_trim(*rest);
    size_t digits = 0;
    while (digits < span.length && span.text[digits] >= '0' && span.text[digits] <= '9')
        digits++;
    span = *rest;
    if (digits == 0 || digits > 7 || !import_scan_count_of(&span, rank) ||
        !import_scan_begins(&span, ":") || (span.length > 1 && span.text[1] != ' '))
        return false;
    *rest = (struct import_span){span.text + 1, span.length - 1, span.cut};
    return true;
}

bool import_scan_rank(struct import_span *rest, double *rank)
{
    double found = 0;
    struct import_span span = *rest;
    if (!bracketed(&span, &found) && !tagged(&span, &found) && !labelled(&span, &found))
        return false;
    *rank = found;
    *rest = span;
    return true;
}
