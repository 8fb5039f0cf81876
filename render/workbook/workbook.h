#ifndef RANKLEDGER_WORKBOOK_H
#define RANKLEDGER_WORKBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "texts.h"

/*
 * An XLSX file under construction. workbook.c and cell*.c are the only files that know the library
 * which writes it. Faults are sticky: after the first one every call does nothing,
 * and workbook_finish reports it. No name here is one of the library's: a program's function would
 * silently take the place of the library's own of the same name.
 */
struct workbook;
struct sheet; /* owned by its workbook */

struct theme; /* theme.h */

struct workbook_properties {
    const char *title;
    const char *subject;
    const char *author;
    const char *company;       /* NULL: none */
    const char *keywords;      /* NULL: none */
    const struct theme *theme; /* of a light page; NULL: the workbook's own colours */
    int64_t created; /* seconds since 1970; fixed, so that equal input gives equal bytes */
};

/* `path` is where workbook_finish writes; `scratch` a folder for the library's temporary files
 * (unused while they are kept in memory); `texts` is borrowed. */
enum status workbook_create(const char *path, const char *scratch, const struct texts *texts,
                            const struct workbook_properties *properties,
                            struct workbook **workbook, struct diag *diag) STATUS_CHECKED;

/*
 * Adds a sheet. The name is refused (STATUS_INPUT, for it comes from a language file) if it is
 * empty, longer than 31 UTF-16 units, has one of []:*?/\ or an apostrophe at an end, or is taken.
 * NULL after a fault; every function of a sheet tolerates NULL.
 */
struct sheet *workbook_add_sheet(struct workbook *workbook, const char *name);

/* Notes that what was to be written could not be put together for want of memory. */
void workbook_lack_memory(struct workbook *workbook);

/* Writes the file and releases the workbook. */
enum status workbook_finish(struct workbook *workbook, struct diag *diag) STATUS_CHECKED;

/* Releases without writing; NULL is fine. */
void workbook_discard(struct workbook *workbook);

#endif
