#ifndef RANKLEDGER_JSON_READ_H
#define RANKLEDGER_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/*
 * A strict JSON reader (RFC 8259): one pass over the text, a flat index of nodes, no allocation
 * per node. A document is reused for the next text, so that reading many files allocates only
 * while it grows. It exists because jansson keeps no positions and loses digits of large integers.
 *
 * Ownership: the document borrows the text, which must outlive every use of its nodes; the node
 * array is the document's. A zeroed document is ready for use and safe to fini.
 */

enum json_read_type {
    JSON_READ_NULL,
    JSON_READ_FALSE,
    JSON_READ_TRUE,
    JSON_READ_NUMBER,
    JSON_READ_STRING,
    JSON_READ_ARRAY,
    JSON_READ_OBJECT
};

/* Properties of a node; a document's `flags` is the union over its nodes. The first four are
 * semantic faults: the text is well-formed, but the contract refuses it. The reader goes on, so
 * that the caller can report all of them with their positions. */
enum json_read_flag {
    JSON_READ_DUPLICATE_KEY = 1,       /* on the second and later key of one decoded name */
    JSON_READ_NUL_IN_STRING = 2,       /* the string contains \u0000 */
    JSON_READ_LONE_SURROGATE = 4,      /* the string contains half of a surrogate pair */
    JSON_READ_NUMBER_OUT_OF_RANGE = 8, /* the number overflows a double */
    JSON_READ_BIG_INTEGER = 16,        /* integer syntax, magnitude above 2^53 */
    JSON_READ_ESCAPED = 32,            /* the string has escapes: decode before comparing */
    JSON_READ_INTEGER = 64,            /* number without fraction and exponent */
    JSON_READ_KEY = 128                /* a member's name; its value is the next node */
};

#define JSON_READ_NONE UINT32_MAX

/*
 * Nodes stand in document order; the subtree of node i is [i, nodes[i].end). The members of an
 * object alternate key, value. `offset` and `length` delimit the raw text: for a string what is
 * between the quotes, for a container everything from bracket to bracket.
 */
struct json_read_node {
    uint32_t offset;
    uint32_t length;
    uint32_t end;  /* index after the subtree; of a key, the index after its value's subtree */
    uint32_t hash; /* key: json_read_hash of the decoded name; container: number of children;
                      number: 1 if it has an exponent, else 0 */
    uint8_t type;  /* enum json_read_type */
    uint8_t flags; /* enum json_read_flag */
};

struct json_read_document {
    const char *text; /* borrowed */
    size_t size;
    struct json_read_node *nodes; /* node 0 is the root */
    uint32_t count;
    uint32_t capacity;
    uint8_t flags;   /* union of the nodes' flags */
    bool has_bom;    /* a UTF-8 byte order mark was skipped */
    uint64_t layout; /* changes whenever a text is laid out unlike the one before it (see
                        json_read_parse_like): while it stays, node i is the same member or element
                        and of the same type */
    uint32_t deep;   /* the first container nested deeper than JSON_READ_EVIDENCE_DEPTH, or
                        JSON_READ_NONE */
    void *scratch;   /* the parser's own reusable storage */
    size_t scratch_capacity;
};

/* Why a text is no JSON document. The rule ids of validation carry the same names. */
enum json_read_fault_kind {
    JSON_READ_FAULT_NONE,
    JSON_READ_FAULT_EMPTY,         /* nothing but white space (or a BOM) */
    JSON_READ_FAULT_ENCODING,      /* not UTF-8, or looks like UTF-16/32 */
    JSON_READ_FAULT_NOT_JSON,      /* syntax */
    JSON_READ_FAULT_TRUNCATED,     /* the end came inside a value */
    JSON_READ_FAULT_TRAILING_DATA, /* a complete document, then something more */
    JSON_READ_FAULT_TOO_DEEP,      /* nested deeper than JSON_READ_MAX_DEPTH */
    JSON_READ_FAULT_TOO_LARGE      /* the text is larger than 4 GiB - 1 */
};

/*
 * Evidence may be nested so deep. A summary holds its sources whole, two or three levels further
 * down, and has to be readable itself: the parser stops only at the larger of the two.
 */
#define JSON_READ_EVIDENCE_DEPTH 512
#define JSON_READ_MAX_DEPTH 520

struct json_read_fault {
    enum json_read_fault_kind kind;
    size_t offset;     /* of the offending byte */
    char pointer[256]; /* JSON pointer of the innermost open container or member, cut if longer;
                          escaped for printing */
    char message[512]; /* what was found and expected, with a hint at the cause where it is
                          recognisable (UTF-16 from a shell redirect, NaN or Infinity written by
                          Python, a printed Python dict, a log line before the JSON, a job killed
                          while writing); safe to print */
};

/*
 * Parses `size` bytes. Returns STATUS_OK; STATUS_INPUT with *fault filled if the text is not one
 * JSON document; STATUS_ENVIRONMENT (memory) with diag set. On failure the document has no nodes
 * but stays reusable.
 */
enum status json_read_parse(struct json_read_document *document, const char *text, size_t size,
                            struct json_read_fault *fault, struct diag *diag) STATUS_CHECKED;

/*
 * The same, faster if the text is laid out like the document's present one, as the files of one
 * producer are: same names, types, array lengths and white space. The present text, if there are
 * nodes, must still be readable during the call.
 */
enum status json_read_parse_like(struct json_read_document *document, const char *text, size_t size,
                                 struct json_read_fault *fault, struct diag *diag) STATUS_CHECKED;

void json_read_fini(struct json_read_document *document);

/* The contract's name of a fault kind, for example "trailing_data"; static storage. */
const char *json_read_fault_name(enum json_read_fault_kind kind);

/* For messages: "a number", "an object", "null", ...; static storage. */
const char *json_read_type_name(enum json_read_type type);

/* Hash of a decoded member name (the one stored in key nodes). */
uint32_t json_read_hash(const char *name, size_t length);

/*
 * Navigation. Nodes are indices. A `node` of JSON_READ_NONE is allowed everywhere and gives
 * JSON_READ_NONE, so that look-ups can be chained.
 */
/* The value of the first member of that name; NONE if there is none or `object` is no object. */
uint32_t json_read_member(const struct json_read_document *document, uint32_t object,
                          const char *name);

/* The first element of an array, the first KEY node of an object; NONE if it is empty. */
uint32_t json_read_first(const struct json_read_document *document, uint32_t container);

/* The sibling after `node` (an element or a key), or NONE. */
uint32_t json_read_next(const struct json_read_document *document, uint32_t container,
                        uint32_t node);

/* Number of elements or members. */
uint32_t json_read_count(const struct json_read_document *document, uint32_t container);

static inline bool json_read_is(const struct json_read_document *document, uint32_t node,
                                enum json_read_type type)
{
    return node != JSON_READ_NONE && document->nodes[node].type == (uint8_t)type;
}

/* True if the decoded string (or key) equals `text`. */
bool json_read_equals(const struct json_read_document *document, uint32_t node, const char *text);

/* The number as the nearest double, independent of the locale (what is too small is 0). False if
 * it is no number, or overflows. */
bool json_read_double(const struct json_read_document *document, uint32_t node, double *value);

/* The same of `count` nodes that follow each other, as the elements of an array of numbers do. */
bool json_read_doubles(const struct json_read_document *document, uint32_t first, uint32_t count,
                       double *values);

/* The number as an exact integer ("4", "4.0", "4e0"); false if it has a fraction or does not fit.
 */
bool json_read_int64(const struct json_read_document *document, uint32_t node, int64_t *value);

/*
 * Half a unit of the last digit written: 0.05 for 20.4, 0.5 for 20, 5e3 for 2e4.
 * The resolution with which the producer stated the number. NAN if it is no number.
 */
double json_read_half_unit(const struct json_read_document *document, uint32_t node);

/* Decodes a string or key into `out` (at most capacity - 1 bytes, cut on a code point border, NUL
 * terminated) and returns the length of the whole decoded string in bytes. \u0000 and lone
 * surrogates decode as U+FFFD. The decoded length never exceeds the node's `length`... except for
 * U+FFFD, which is at most half the six escaped bytes, so `length + 1` bytes always suffice. */
size_t json_read_string(const struct json_read_document *document, uint32_t node, char *out,
                        size_t capacity);

/*
 * Places, for messages. A locator remembers the last place, so that a walk in document order over
 * any number of nodes costs one pass over the text and the index; a place before the last one
 * starts anew. It needs the text and, for pointers, the nodes (a document after a fault has none).
 */
struct json_read_step {
    uint32_t container;
    uint32_t child; /* of an object, the key */
    uint32_t index; /* of the child in its container */
};

struct json_read_locator {
    const struct json_read_document *document;
    size_t offset; /* the place of line and column */
    size_t line;
    size_t column;
    uint32_t depth; /* steps in use */
    struct json_read_step steps[JSON_READ_MAX_DEPTH];
};

void json_read_locator_init(struct json_read_locator *locator,
                            const struct json_read_document *document);

/* Line and column (both from 1; lines end with LF or CR LF; columns count code points, a BOM not
 * counted) of a byte offset, at most the text's size. */
void json_read_locator_position(struct json_read_locator *locator, size_t offset, size_t *line,
                                size_t *column);

/* The JSON pointer (RFC 6901) of a node into `out` (cut with "..." if it does not fit; safe to
 * print: control characters escaped); the root and JSON_READ_NONE give "". For a key, that of its
 * value. At most 4096 bytes. */
void json_read_locator_pointer(struct json_read_locator *locator, uint32_t node, char *out,
                               size_t capacity);

/* The same for one place. Use a locator where there may be many: each call costs time in
 * proportion to what precedes the place. */
void json_read_position(const struct json_read_document *document, size_t offset, size_t *line,
                        size_t *column);
void json_read_pointer(const struct json_read_document *document, uint32_t node, char *out,
                       size_t capacity);

/* ---- Typed getters for files with one right form (policies, summaries, templates) ---- */

/*
 * A cursor for reading a file whose faults are errors: carries what a message needs. Each getter
 * sets `diag` (STATUS_INPUT) to `PATH:LINE:COLUMN: error: /pointer: expected ..., found ...` and
 * returns it, or leaves *value untouched and returns STATUS_OK if the member is absent and not
 * required.
 */
struct json_read_source {
    const struct json_read_document *document;
    const char *path; /* safe to print */
};

/*
 * As json_read_parse, for such a file: every fault is an error, also duplicate names and what else
 * is marked by the first four flags. Sets `diag` to `PATH:LINE:COLUMN: error: /pointer: message`.
 */
enum status json_read_parse_strict(struct json_read_document *document, const char *path,
                                   const char *text, size_t size, struct diag *diag) STATUS_CHECKED;

enum json_read_presence { JSON_READ_OPTIONAL, JSON_READ_REQUIRED };

enum status json_read_get_double(const struct json_read_source *source, uint32_t object,
                                 const char *name, enum json_read_presence presence, double *value,
                                 struct diag *diag) STATUS_CHECKED;
enum status json_read_get_int64(const struct json_read_source *source, uint32_t object,
                                const char *name, enum json_read_presence presence, int64_t *value,
                                struct diag *diag) STATUS_CHECKED;
enum status json_read_get_bool(const struct json_read_source *source, uint32_t object,
                               const char *name, enum json_read_presence presence, bool *value,
                               struct diag *diag) STATUS_CHECKED;
/* *node becomes the member's index if it is of `type`. */
enum status json_read_get_node(const struct json_read_source *source, uint32_t object,
                               const char *name, enum json_read_type type,
                               enum json_read_presence presence, uint32_t *node,
                               struct diag *diag) STATUS_CHECKED;
/* Sets `diag` to a positioned message about `node`; returns STATUS_INPUT. */
enum status json_read_refuse(const struct json_read_source *source, uint32_t node,
                             struct diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
