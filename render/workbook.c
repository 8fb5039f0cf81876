#include "workbook.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "workbook_memory.h"
#include "workbook_private.h"

/* Of the end record of a ZIP archive (APPNOTE.TXT 4.3.16): signature, ..., size of the directory
 * at 12, its offset at 16, length of the comment at 20. */
#define ZIP_END_SIZE 22
#define ZIP_END_SIGNATURE "PK\5\6"

void workbook_check(struct workbook *workbook, lxw_error error)
{
    if (error == LXW_NO_ERROR || workbook->status != STATUS_OK)
        return;
    if (error == LXW_ERROR_MEMORY_MALLOC_FAILED)
        workbook->status = diag_no_memory(&workbook->diag);
    else
        workbook->status = diag_set(&workbook->diag, STATUS_ENVIRONMENT, "cannot write %s: %s",
                                    workbook->path, lxw_strerror(error));
}

void workbook_no_memory(struct workbook *workbook)
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

/* The library copies what it is given, but its structures are not const. */
static char *unconst(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = {.in = text};
    return both.out;
}

static void set_properties(struct workbook *workbook, const struct workbook_properties *properties)
{
    lxw_doc_properties document = {.title = unconst(properties->title),
                                   .subject = unconst(properties->subject),
                                   .author = unconst(properties->author),
                                   .created = (time_t)properties->created};
    workbook_check(workbook, workbook_set_properties(workbook->book, &document));
}

enum status workbook_create(const char *path, const char *scratch, const struct texts *texts,
                            const struct workbook_properties *properties,
                            struct workbook **workbook, struct diag *diag)
{
    struct workbook *made = calloc(1, sizeof *made);
    if (made == NULL)
        return diag_no_memory(diag);
    made->texts = texts;
    made->path = strdup(path);
    lxw_workbook_options options = {.tmpdir = unconst(scratch)};
    if (made->path != NULL)
        made->book = workbook_new_opt(path, &options);
    if (made->book == NULL || !cell_make_formats(made)) {
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
        workbook_no_memory(workbook);
        return NULL;
    }
    cell_prepare_sheet(sheet);
    sheet->workbook = workbook;
    sheet->next = workbook->sheets;
    workbook->sheets = sheet;
    return sheet;
}

/* ---- The written file ---- */

static uint32_t little_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* The archive's end lies where its directory says: no write was lost, although the library does
 * not look at the result of closing the file. */
static bool archive_is_whole(const char *path)
{
    unsigned char end[ZIP_END_SIZE];
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool whole =
        fstat(descriptor, &info) == 0 && info.st_size > ZIP_END_SIZE &&
        pread(descriptor, end, sizeof end, info.st_size - ZIP_END_SIZE) == (ssize_t)sizeof end &&
        memcmp(end, ZIP_END_SIGNATURE, 4) == 0 &&
        (off_t)little_endian(end + 12) + (off_t)little_endian(end + 16) + ZIP_END_SIZE ==
            info.st_size;
    (void)close(descriptor);
    return whole;
}

enum status workbook_finish(struct workbook *workbook, struct diag *diag)
{
    if (workbook->status != STATUS_OK) {
        enum status status = diag_set(diag, workbook->status, "%s", workbook->diag.text);
        workbook_discard(workbook);
        return status;
    }
    workbook_check(workbook, workbook_close(workbook->book));
    if (workbook_memory_failed())
        workbook_no_memory(workbook);
    if (workbook->status == STATUS_OK && !archive_is_whole(workbook->path))
        workbook->status = diag_set(&workbook->diag, STATUS_ENVIRONMENT,
                                    "cannot write %s: not all of it was written", workbook->path);
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
