#ifndef RANKLEDGER_DOCUMENT_H
#define RANKLEDGER_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "document_text.h"
#include "finding.h"
#include "json_read.h"
#include "path_walk.h"

/* What a JSON document is, decided from its content (evidence contract, "Summaries as input"). */
enum document_kind {
    DOCUMENT_RECORD,         /* one evidence record */
    DOCUMENT_OWN_SUMMARY,    /* schema rankledger.summary/N */
    DOCUMENT_OWN_POLICY,     /* schema rankledger.policy/N; named as evidence, it is a bad record */
    DOCUMENT_OWN_CHECKPOINT, /* index of a checkpoint, metadata.format rankledger.checkpoint/N; the
                                same */
    DOCUMENT_OWN_INDEX,      /* schema rankledger.index/N, of analyze --output-dir; the same */
    DOCUMENT_OWN_CALIBRATION, /* schema rankledger.calibration/N, of import; the same */
    DOCUMENT_FOREIGN_SUMMARY  /* sources[] and an aggregated_* level */
};

enum document_kind document_kind_of(const struct json_read_document *json);

/* True for our own summaries, policies, checkpoints, indices and calibrations, which lie beside
 * evidence and are none: a directory walk passes over them. */
static inline bool document_is_own(enum document_kind kind)
{
    return kind == DOCUMENT_OWN_SUMMARY || kind == DOCUMENT_OWN_POLICY ||
           kind == DOCUMENT_OWN_CHECKPOINT || kind == DOCUMENT_OWN_INDEX ||
           kind == DOCUMENT_OWN_CALIBRATION;
}

/* "record", "summary", "policy", "checkpoint", "index", "calibration", "foreign_summary"; static
 * storage. */
const char *document_kind_name(enum document_kind kind);

/*
 * One document with everything validation says of it: a whole .json file, or one line of a
 * .jsonl file (named PATH:LINE). A document with errors is invalid and must not be used.
 */
struct document {
    const char *name;    /* as given or found, raw bytes; PATH:LINE for a line of .jsonl */
    const char *display; /* the same, escaped for printing; "<stdin>" for "-" */
    const char *file;    /* `display` without the line */
    const char *path;    /* `name` without the line, raw bytes; "-" for standard input */
    size_t first_line;   /* added to the lines of positions: 0, or LINE - 1 */
    enum document_kind kind;
    enum input_fault
        input_fault;         /* why it could not be read; then it has one finding and no json */
    const char *file_sha256; /* of a compressed file's bytes as they lie, if the reader
                                wants_digest; NULL: the text is what the file has */
    struct json_read_document json; /* no nodes if it is unreadable or no JSON */
    struct finding_list findings;
};

/*
 * Checks the documents of one file's bytes and calls `visit` for each, in order; the document and
 * its findings are valid during the call only. A visit that returns other than STATUS_OK stops and
 * is returned. `json` is reused storage. An unreadable file is reported by document_check_entry as
 * a document whose only finding is the reason.
 */
typedef enum status document_visit(void *context, const struct document *document,
                                   struct diag *diag);

struct document_reader { /* reusable storage of one thread; zeroed is ready */
    struct input_buffer input;
    struct input_buffer before; /* the file before, whose last text `json` may still point into */
    struct json_read_document json;
    bool has_pattern;               /* that text is still there, in one of the two buffers */
    struct validate_memory *memory; /* of the last sound record */
    struct arena arena;             /* findings of the current document */
    struct evidence_index *index;   /* of the rules, built at the first use */
    size_t size_limit;              /* of a document; 0: INPUT_DEFAULT_LIMIT */
    bool wants_digest;              /* see struct document */
    struct document_text text;      /* of a file that is not small */
    struct document_piece piece;
};

/*
 * What a directory walk found is opened only if it is a regular file, so that a pipe lying about
 * never blocks. A file of lines is read and checked some lines at a time: it may be larger than
 * memory.
 */
enum status document_check_entry(struct document_reader *reader, const struct path_entry *entry,
                                 document_visit *visit, void *context,
                                 struct diag *diag) STATUS_CHECKED;

/* The same for one piece of a file (document_text.h), whose storage is exchanged with the reader's.
 */
enum status document_check_piece(struct document_reader *reader, const char *path,
                                 struct document_piece *piece, document_visit *visit, void *context,
                                 struct diag *diag) STATUS_CHECKED;

/* The same for bytes already in memory (`path` names them). */
enum status document_check_bytes(struct document_reader *reader, const char *path, const char *text,
                                 size_t size, document_visit *visit, void *context,
                                 struct diag *diag) STATUS_CHECKED;

void document_reader_fini(struct document_reader *reader);

#endif
