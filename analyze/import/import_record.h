#ifndef RANKLEDGER_IMPORT_RECORD_H
#define RANKLEDGER_IMPORT_RECORD_H

#include "arena.h"
#include "diag.h"
#include "import.h"
#include "json_write.h"

/* Private to the core of `import` (import*.c but the importers): what is behind import.h. */

/* One --set FIELD=VALUE. */
struct import_setting {
    const char *field;
    const char *given; /* the value as typed, safe to print */
    json_t *value;     /* owned */
};

struct import_settings {
    struct import_setting *items;
    size_t count;
};

struct import_record {
    struct import *import;
    struct import_record *next; /* in the order of import_begin */
    bool calibration;
    bool failed;
    json_t *root; /* owned, with the rest below it */
    json_t *lines, *values, *samples, *asked, *warnings;
    json_t *calibrations; /* owned: where its links are from; NULL */
    size_t warning_count;
};

struct import {
    const struct import_format *format;
    const struct import_source *source;
    const struct import_settings *settings;
    struct import_record *first, *last;
    struct import_record spare; /* what import_begin gives when memory is exhausted */
    struct json_write writer;
    struct arena arena;
    enum status status; /* the first error; the writer's comes besides */
    struct diag diag;
};

/* The first error, with what to print. */
enum status import_record_status(struct import *import, struct diag *diag) STATUS_CHECKED;

/* Releases the records and what importers took. */
void import_record_fini(struct import *import);

/* The value at a dotted path, borrowed; NULL. */
json_t *import_record_get(const json_t *root, const char *field);

/* Puts a value at a dotted path, making objects on the way; takes `value`. */
void import_record_put(struct import_record *record, const char *field, json_t *value);

/*
 * Parses "FIELD=VALUE" texts: VALUE is JSON, or else a bare text. STATUS_USAGE for a field that
 * cannot be given, a misspelt one, one given twice. import_settings_fini also after a failure.
 */
enum status import_settings_read(struct import_settings *settings, const char *const *texts,
                                 size_t count, struct diag *diag) STATUS_CHECKED;
void import_settings_fini(struct import_settings *settings);

/* Puts what --set gave into a new record; of a calibration only what it has, too. */
void import_settings_apply(const struct import_settings *settings, struct import_record *record);

/* The setting that gives `field`, or an object around it; NULL. */
const struct import_setting *import_settings_find(const struct import_settings *settings,
                                                  const char *field);

#endif
