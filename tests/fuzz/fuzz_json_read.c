#include <stdlib.h>

#include "fuzz_require.h"
#include "json_read.h"

/*
 * What must hold for any bytes that are read as JSON.
 */

static void check_fault(const struct json_read_fault *fault, size_t size)
{
    fuzz_require(fault->kind != JSON_READ_FAULT_NONE, "a refused text has a fault");
    fuzz_require(fault->offset <= size, "a fault lies in the text");
    fuzz_require(fault->message[0] != '\0', "a fault has a message");
    fuzz_require_line(fault->message, sizeof fault->message);
    fuzz_require_line(fault->pointer, sizeof fault->pointer);
}

static void check_children(const struct json_read_document *document, uint32_t node)
{
    uint32_t count = 0, last = node + 1;
    for (uint32_t child = json_read_first(document, node); child != JSON_READ_NONE;
         child = json_read_next(document, node, child)) {
        fuzz_require(child == last, "children follow each other");
        last = document->nodes[child].end;
        fuzz_require(last <= document->nodes[node].end, "a child ends within its parent");
        count++;
    }
    fuzz_require(last == document->nodes[node].end, "a container ends with its last child");
    fuzz_require(count == json_read_count(document, node), "the count is that of the children");
}

static void check_scalar(const struct json_read_document *document, uint32_t node)
{
    const struct json_read_node *n = &document->nodes[node];
    double real;
    int64_t integer;
    if (n->type == JSON_READ_STRING) {
        char *out = malloc((size_t)n->length + 1);
        fuzz_require(out != NULL, "memory");
        fuzz_require(json_read_string(document, node, out, (size_t)n->length + 1) <= n->length,
                     "decoding does not lengthen");
        bool exact = (n->flags & (JSON_READ_NUL_IN_STRING | JSON_READ_LONE_SURROGATE)) == 0;
        fuzz_require(json_read_equals(document, node, out) == exact,
                     "a string equals itself decoded");
        free(out);
    } else if (n->type == JSON_READ_NUMBER) {
        bool finite = json_read_double(document, node, &real);
        fuzz_require(finite == ((n->flags & JSON_READ_NUMBER_OUT_OF_RANGE) == 0),
                     "range is flagged");
        fuzz_require(!finite || real - real == 0, "a number is finite");
        fuzz_require(!json_read_int64(document, node, &integer) || real == (double)integer,
                     "both getters agree");
        fuzz_require(json_read_half_unit(document, node) >= 0, "half a unit is positive");
    }
}

static void check_document(const struct json_read_document *document, size_t size)
{
    struct json_read_locator locator;
    json_read_locator_init(&locator, document);
    for (uint32_t node = 0; node < document->count; node++) {
        const struct json_read_node *n = &document->nodes[node];
        fuzz_require((size_t)n->offset + n->length <= size, "a node lies in the text");
        fuzz_require(n->end > node && n->end <= document->count, "a node ends within the index");
        if (n->type == JSON_READ_ARRAY || n->type == JSON_READ_OBJECT)
            check_children(document, node);
        else
            check_scalar(document, node);
        char pointer[64];
        size_t line, column;
        json_read_locator_pointer(&locator, node, pointer, sizeof pointer);
        fuzz_require_line(pointer, sizeof pointer);
        json_read_locator_position(&locator, n->offset, &line, &column);
        fuzz_require(line >= 1 && column >= 1, "lines and columns count from 1");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_read_document document = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    const char *text = (const char *)data;
    enum status status = json_read_parse(&document, text, size, &fault, &diag);
    fuzz_require(status == STATUS_OK || status == STATUS_INPUT, "no other status");
    if (status == STATUS_OK)
        check_document(&document, size);
    else
        check_fault(&fault, size);
    /* Every value is a document of its own; the first one stands for all. */
    if (status == STATUS_OK && document.count > 1) {
        uint32_t value = document.nodes[1].flags & JSON_READ_KEY ? 2 : 1;
        struct json_read_node n = document.nodes[value];
        bool quoted = n.type == JSON_READ_STRING;
        status = json_read_parse(&document, text + n.offset - quoted, n.length + 2u * quoted,
                                 &fault, &diag);
        fuzz_require(status == STATUS_OK && document.count == n.end - value,
                     "a value is a document");
    }
    json_read_fini(&document);
    return 0;
}
