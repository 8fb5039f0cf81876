#include "fuzz_require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "text.h"

void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static void require_shown(uint32_t code)
{
    fuzz_require(code >= 0x20 && (code < 0x7F || code > 0x9F), "no control characters");
    fuzz_require(code != 0x2028 && code != 0x2029, "no line separators");
    fuzz_require((code < 0x202A || code > 0x202E) && (code < 0x2066 || code > 0x2069),
                 "no bidirectional overrides");
}

void fuzz_require_line(const char *text, size_t capacity)
{
    size_t length = strnlen(text, capacity);
    fuzz_require(length < capacity, "a text ends within its array");
    for (size_t i = 0, size; i < length; i += size) {
        uint32_t code = 0;
        size = text_decode(text + i, length - i, &code);
        fuzz_require(size > 0, "a text is UTF-8");
        require_shown(code);
    }
}

void fuzz_require_lines(const char *text, size_t size)
{
    fuzz_require(size == 0 || text[size - 1] == '\n', "the last line ends");
    for (size_t i = 0, step; i < size; i += step) {
        uint32_t code = 0;
        step = text_decode(text + i, size - i, &code);
        fuzz_require(step > 0, "output is UTF-8");
        if (code != '\n')
            require_shown(code);
    }
}

void fuzz_require_json(const char *text, size_t size)
{
    struct json_read_document document = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    enum status status = json_read_parse(&document, text, size, &fault, &diag);
    fuzz_require(status == STATUS_OK, "output is JSON");
    fuzz_require((document.flags & (JSON_READ_DUPLICATE_KEY | JSON_READ_LONE_SURROGATE |
                                    JSON_READ_NUMBER_OUT_OF_RANGE)) == 0,
                 "output is JSON that every reader understands");
    json_read_fini(&document);
}

/* At "<": the end of the tag; *depth follows. */
static const char *require_tag(const char *at, const char *end, const char *const *elements,
                               int *depth)
{
    bool closing = end - at > 1 && at[1] == '/';
    const char *name = at + 1 + closing;
    const char *close = memchr(at, '>', (size_t)(end - at));
    fuzz_require(close != NULL, "a tag ends");
    bool known = false;
    for (size_t i = 0; elements[i] != NULL && !known; i++) {
        size_t length = strlen(elements[i]);
        known = (size_t)(close - name) >= length && memcmp(name, elements[i], length) == 0 &&
                strchr(" />", name[length]) != NULL;
    }
    fuzz_require(known, "an element is one of ours");
    if (closing)
        (*depth)--;
    else if (close[-1] != '/')
        (*depth)++;
    fuzz_require(*depth >= 0, "elements are balanced");
    return close;
}

void fuzz_require_xml(const char *text, size_t size, const char *const *elements)
{
    int depth = 0;
    const char *end = text + size;
    for (const char *at = text; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        fuzz_require(c >= 0x20 || c == '\n', "no control characters in XML");
        if (c == '<')
            at = require_tag(at, end, elements, &depth);
        else if (c == '&')
            fuzz_require(memchr(at, ';', (size_t)(end - at) < 7 ? (size_t)(end - at) : 7) != NULL,
                         "an entity ends");
    }
    fuzz_require(depth == 0, "elements are closed");
}

void fuzz_require_same(const struct text_buffer *a, const struct text_buffer *b, const char *what)
{
    fuzz_require(!a->failed && !b->failed, "memory");
    fuzz_require(a->length == b->length &&
                     (a->length == 0 || memcmp(a->text, b->text, a->length) == 0),
                 what);
}
