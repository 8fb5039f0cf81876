#ifndef RANKLEDGER_EVIDENCE_LOADER_H
#define RANKLEDGER_EVIDENCE_LOADER_H

#include "evidence_set.h"

/* What loading an evidence set carries from file to file. */
struct evidence_loader {
    struct evidence_set *set;
    const struct evidence_choice *choice;
    struct document_reader reader;
    const char *file; /* the current file, as it is opened */
    const char *name; /* its name in the summary, escaped */
    bool walked;
    struct progress_line *progress;
    size_t file_number, file_count;
    size_t rejected_in_file; /* listed of the current file */
};

/* A sound document, or a source inside one. Texts live in the set's arena. */
struct evidence_source {
    const char *name;
    const char *sha256, *text_sha256;      /* as struct record's */
    const struct json_read_document *json; /* as it was read; NULL: it is none */
    const struct json_read_document *kept; /* the set's copy; NULL: it is refused */
    uint32_t node;
    size_t first_line; /* added to lines that the caller finds */
    const struct finding_list *findings;
    size_t incomplete; /* as struct record's */
};

/* A list with room for one more item of `size` bytes; NULL: memory exhausted. */
void *evidence_loader_grow(struct arena *arena, void *items, size_t count, size_t *capacity,
                           size_t size);

/* A copy of a parsed document, with its text, that stays with the set. */
enum status evidence_loader_keep(struct evidence_loader *loader,
                                 const struct json_read_document *json,
                                 const struct json_read_document **kept,
                                 struct diag *diag) STATUS_CHECKED;

enum status evidence_loader_add_record(struct evidence_loader *loader,
                                       const struct evidence_source *source,
                                       struct diag *diag) STATUS_CHECKED;

/* The source's findings become the set's. Its document need not be an object, nor there at all. */
enum status evidence_loader_reject(struct evidence_loader *loader,
                                   const struct evidence_source *source,
                                   struct diag *diag) STATUS_CHECKED;

/* Whether the choice takes a source of that name; a summary is taken for any of its sources. */
bool evidence_loader_takes(const struct evidence_loader *loader, const char *name);
bool evidence_loader_takes_summary(const struct evidence_loader *loader, const char *name);

/* Whether no more of the current file's records are listed as rejected: EVIDENCE_SET_MAX_REJECTED
 * are, and an entry that says so. What else is wrong in it need not be named. */
bool evidence_loader_is_full(const struct evidence_loader *loader);

/* Whether another tool's summary can be used: its errors, if any, lie inside its sources. */
bool evidence_loader_usable(const struct finding_list *findings);

/* Notes that a document was passed over; `why` is static. */
enum status evidence_loader_skip(struct evidence_loader *loader, const char *name, const char *why,
                                 struct diag *diag) STATUS_CHECKED;

/*
 * Adds the sources of another tool's summary as records named PATH#/sources/2; those with errors
 * are rejected one by one, with their positions in the file. The summary's failure makes the
 * evidence incomplete.
 */
enum status evidence_loader_add_summary(struct evidence_loader *loader,
                                        const struct evidence_source *summary,
                                        struct diag *diag) STATUS_CHECKED;

#endif
