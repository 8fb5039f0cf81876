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
    /* What it gives of the comparability fields (comparability.h), if that was asked for and it
     * can be told; else NULL. */
    const char *const *key;
    size_t incomplete; /* as struct record's */
};

struct skipped_source {
    const char *path;
    const char *why;
    const char *file; /* as rejected_source's */
    bool own; /* our summary or policy: said on the terminal, and not part of the evidence */
};

/* A summary of another tool that says why evidence is missing. */
struct incomplete_source {
    const char *path;   /* the summary; its sources are PATH#/sources/N */
    const char *reason; /* safe to print */
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
    struct incomplete_source *incomplete_sources;
    size_t incomplete_count, incomplete_capacity;
    const char *incomplete; /* the reason of the first of them: evidence is missing; or NULL */
    struct arena arena;
    struct json_read_document **documents; /* kept while records point into them; each is one
                                              block of memory with its nodes and its text */
    size_t document_count, document_capacity;
};

/* What is loaded; zeroed is everything. */
struct evidence_choice {
    const char *const *only; /* names of the sources to take, sorted bytewise; NULL: all */
    size_t only_count;
    bool apart; /* the groups are looked at one by one: refused sources get their keys, copies are
                   left to evidence_set_note_copies, and documents are kept as text alone, without
                   nodes */
};

/*
 * Loads every listed file. Paths are made relative to `base` (a directory; NULL: as given). A bad
 * file never stops the others. STATUS_ENVIRONMENT only for memory.
 */
enum status evidence_set_load(struct evidence_set *set, const struct path_list *paths,
                              const char *base, struct diag *diag) STATUS_CHECKED;

/* The same of a part of them. */
enum status evidence_set_load_chosen(struct evidence_set *set, const struct path_list *paths,
                                     const char *base, const struct evidence_choice *choice,
                                     struct diag *diag) STATUS_CHECKED;

/* Adds a warning to every record that has the same bytes as one before it. */
enum status evidence_set_note_copies(struct evidence_set *set, struct diag *diag) STATUS_CHECKED;

void evidence_set_fini(struct evidence_set *set);

#endif
