#include "workbook.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive_check.h"
#include "input.h"
#include "text.h"
#include "workbook_memory.h"
#include "workbook_private.h"

/*
 * libxlsxwriter goes on without a format, a string or a relation that it had no memory for, and
 * reports success. What tells is errno, which malloc leaves at ENOMEM and the library never resets.
 */
static void watch_memory(struct workbook *workbook)
{
    if (errno == ENOMEM)
        workbook_lack_memory(workbook);
}

void workbook_check(struct workbook *workbook, lxw_error error)
{
    watch_memory(workbook);
    if (error == LXW_NO_ERROR || workbook->status != STATUS_OK)
        return;
    if (error == LXW_ERROR_MEMORY_MALLOC_FAILED)
        workbook->status = diag_no_memory(&workbook->diag);
    else
        workbook->status = diag_set(&workbook->diag, STATUS_ENVIRONMENT, "cannot write %s: %s",
                                    workbook->path, lxw_strerror(error));
}

void workbook_lack_memory(struct workbook *workbook)
{
    if (workbook->status == STATUS_OK)
        workbook->status = diag_no_memory(&workbook->diag);
}

static void release(struct workbook *workbook)
{
    for (struct sheet *sheet = workbook->sheets; sheet != NULL;) {
        struct sheet *next = sheet->next;
        free(sheet);
        sheet = next;
    }
    text_buffer_fini(&workbook->buffer);
    free(workbook->path);
    free(workbook);
}

static void set_properties(struct workbook *workbook, const struct workbook_properties *properties)
{
    lxw_doc_properties document = {.title = workbook_unconst(properties->title),
                                   .subject = workbook_unconst(properties->subject),
                                   .author = workbook_unconst(properties->author),
                                   .company = workbook_unconst(properties->company),
                                   .keywords = workbook_unconst(properties->keywords),
                                   .created = (time_t)properties->created};
    lxw_error error = workbook_set_properties(workbook->book, &document);
    if (error != LXW_NO_ERROR)
        workbook->book->properties = NULL; /* the library has freed them and would do so again */
    workbook_check(workbook, error);
}

enum status workbook_create(const char *path, const char *scratch, const struct texts *texts,
                            const struct workbook_properties *properties,
                            struct workbook **workbook, struct diag *diag)
{
    struct workbook *made = calloc(1, sizeof *made);
    if (made == NULL)
        return diag_no_memory(diag);
    errno = 0;
    made->texts = texts;
    made->title = properties->title;
    made->path = strdup(path);
    lxw_workbook_options options = {.tmpdir = workbook_unconst(scratch)};
    if (made->path != NULL)
        made->book = workbook_new_opt(path, &options);
    if (made->book == NULL || !cell_make_formats(made, properties->theme)) {
        if (made->book != NULL)
            lxw_workbook_free(made->book);
        release(made);
        return diag_no_memory(diag);
    }
    set_properties(made, properties);
    *workbook = made;
    return STATUS_OK;
}

static const char *name_fault(struct workbook *workbook, const char *name)
{
    size_t length = strlen(name);
    if (length == 0)
        return "it is empty";
    if (text_utf16_units(name, length) > LXW_SHEETNAME_MAX)
        return "it is longer than 31 characters";
    if (strpbrk(name, "[]:*?/\\") != NULL || name[0] == '\'' || name[length - 1] == '\'')
        return "it has one of []:*?/\\ or an apostrophe at an end";
    if (workbook_get_worksheet_by_name(workbook->book, name) != NULL ||
        workbook_validate_sheet_name(workbook->book, name) != LXW_NO_ERROR)
        return "another sheet has it";
    return NULL;
}

/* The library leaves a name without quotes that reads like a cell or a number ("A1", "2024"), and
 * writes references that spreadsheets refuse: every name gets its quotes. */
static void quote_name(struct workbook *workbook, lxw_worksheet *worksheet)
{
    struct text_buffer quoted = {0};
    cell_append_sheet(&quoted, worksheet->name);
    if (quoted.failed) {
        workbook_lack_memory(workbook);
        text_buffer_fini(&quoted);
        return;
    }
    quoted.text[quoted.length - 1] = '\0'; /* the "!" */
    free(workbook_unconst(worksheet->quoted_name));
    worksheet->quoted_name = quoted.text; /* the library frees it */
}

struct sheet *workbook_add_sheet(struct workbook *workbook, const char *name)
{
    if (workbook->status != STATUS_OK)
        return NULL;
    const char *fault = name_fault(workbook, name);
    if (fault != NULL) {
        char shown[128];
        workbook->status =
            diag_set(&workbook->diag, STATUS_INPUT, "the language '%s' names a sheet '%s': %s",
                     workbook->texts->language,
                     text_escape_into(shown, sizeof shown, name, strlen(name)), fault);
        return NULL;
    }
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (sheet != NULL)
        sheet->worksheet = workbook_add_worksheet(workbook->book, name);
    if (sheet == NULL || sheet->worksheet == NULL) {
        free(sheet);
        workbook_lack_memory(workbook);
        return NULL;
    }
    quote_name(workbook, sheet->worksheet);
    cell_prepare_sheet(sheet);
    sheet->workbook = workbook;
    sheet->next = workbook->sheets;
    workbook->sheets = sheet;
    return sheet;
}

/* ---- The written file ---- */

/* Reads back what was written: the library does not look at the result of every write. */
static void check_archive(struct workbook *workbook)
{
    struct input_buffer archive = {0};
    enum input_fault fault = INPUT_FAULT_NONE;
    struct diag unread = {0};
    enum status status = input_read_file(&archive, workbook->path, SIZE_MAX / 2, &fault, &unread);
    if (status == STATUS_OK && !archive_check_whole(archive.data, archive.size))
        workbook->status = diag_set(&workbook->diag, STATUS_ENVIRONMENT,
                                    "cannot write %s: not all of it was written", workbook->path);
    else if (status != STATUS_OK)
        workbook->status = diag_set(&workbook->diag, STATUS_ENVIRONMENT, "%s", unread.text);
    input_fini(&archive);
}

enum status workbook_finish(struct workbook *workbook, struct diag *diag)
{
    watch_memory(workbook);
    if (workbook->status != STATUS_OK) {
        enum status status = diag_set(diag, workbook->status, "%s", workbook->diag.text);
        workbook_discard(workbook);
        return status;
    }
    workbook_check(workbook, workbook_close(workbook->book));
    if (workbook_memory_failed())
        workbook_lack_memory(workbook);
    if (workbook->status == STATUS_OK)
        check_archive(workbook);
    enum status status = workbook->status;
    if (status != STATUS_OK)
        (void)diag_set(diag, status, "%s", workbook->diag.text);
    release(workbook);
    return status;
}

void workbook_discard(struct workbook *workbook)
{
    if (workbook == NULL)
        return;
    lxw_workbook_free(workbook->book);
    release(workbook);
}
