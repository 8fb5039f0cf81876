#ifndef RANKLEDGER_EVIDENCE_SET_H
#define RANKLEDGER_EVIDENCE_SET_H

#include "document.h"
#include "path_list.h"
#include "record.h"

/* One file may hold millions of broken records: so many are listed, and the next one
 * with the only words that those behind it are not. */
#define EVIDENCE_SET_MAX_REJECTED 10000

/* A document that validation refused, with every finding. */
struct rejected_source {
    const char *path;
    const char *sha256; /* NULL: unreadable */
    const char *file;   /* the file it came from as it was opened, raw bytes */
    bool named;         /* given on the command line, not found by walking a directory */
    struct finding_list findings;
};

struct skipped_source {
    const char *path;
    const char *why;
    const char *file; /* as rejected_source's */
    bool own; /* our summary or policy: said on the terminal, and not part of the evidence */
};

/* All input of one analysis: sound records, refused documents, skipped ones. Sorted bytewise by
 * path, whatever the order of the operands; the same file named twice counts once. */
struct evidence_set {
    struct record *records;
    size_t record_count, record_capacity;
    struct rejected_source *rejected;
    size_t rejected_count, rejected_capacity;
    struct skipped_source *skipped;
    size_t skipped_count, skipped_capacity;
    const char *incomplete; /* the failure of a foreign summary: evidence is missing; or NULL */
    struct arena arena;
    struct json_read_document **documents; /* kept while records point into them */
    size_t document_count, document_capacity;
};

/*
 * Loads every listed file. Paths are made relative to `base` (a directory; NULL: as given). A bad
 * file never stops the others. STATUS_ENVIRONMENT only for memory.
 */
enum status evidence_set_load(struct evidence_set *set, const struct path_list *paths,
                              const char *base, struct diag *diag) STATUS_CHECKED;
void evidence_set_fini(struct evidence_set *set);

#endif
