#include "validate_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output.h"

/* Room for the piece that `begin` writes, in front of the spooled documents. */
#define HEADER_ROOM 4096

static enum status append(struct validate_output *output, const char *data, size_t size,
                          struct diag *diag)
{
    if (output->spool < 0)
        return output_write_descriptor(STDOUT_FILENO, "standard output", data, size, diag);
    output->size += size;
    return output_write_descriptor(output->spool, "temporary file", data, size, diag);
}

static enum status write_end(struct validate_output *output,
                             void (*piece)(struct text_buffer *, const struct validate_totals *),
                             const struct validate_totals *totals, struct diag *diag)
{
    struct text_buffer text = {0};
    piece(&text, totals);
    enum status status =
        text.failed ? diag_no_memory(diag) : append(output, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

/* A file without a name: on disk, since the report of a million files needs more memory than all
 * the rest; in memory where there is no folder for it. */
static int open_spool(void)
{
    const char *folder = getenv("TMPDIR");
    int spool = open(folder != NULL && folder[0] != '\0' ? folder : "/tmp",
                     O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return spool >= 0 ? spool : memfd_create("rankledger-validate", MFD_CLOEXEC);
}

enum status validate_output_open(struct validate_output *output,
                                 const struct validate_format *format, const char *path,
                                 struct diag *diag)
{
    *output = (struct validate_output){.format = format, .path = path, .spool = -1};
    bool to_file = path != NULL && strcmp(path, "-") != 0;
    if (!to_file && !format->totals_first)
        return write_end(output, format->begin, NULL, diag);
    output->spool = open_spool();
    if (output->spool < 0 || lseek(output->spool, HEADER_ROOM, SEEK_SET) < 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "temporary file: cannot create: %s",
                        diag_reason(errno));
    return format->totals_first ? STATUS_OK : write_end(output, format->begin, NULL, diag);
}

enum status validate_output_write(void *context, const char *data, size_t size, struct diag *diag)
{
    return append(context, data, size, diag);
}

/* Puts the beginning that needs the totals right in front of the documents; *offset is where the
 * whole begins. */
static enum status write_begin(struct validate_output *output, const struct validate_totals *totals,
                               size_t *offset, struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = STATUS_OK;
    output->format->begin(&text, totals);
    *offset = HEADER_ROOM;
    if (text.failed)
        status = diag_no_memory(diag);
    else if (text.length > HEADER_ROOM)
        status = diag_set(diag, STATUS_BUG, "the header of the output is too long");
    else {
        *offset = HEADER_ROOM - text.length;
        ssize_t count = pwrite(output->spool, text.text, text.length, (off_t)*offset);
        if (count < 0 || (size_t)count != text.length)
            status = diag_set(diag, STATUS_ENVIRONMENT, "temporary file: cannot write: %s",
                              diag_reason(count < 0 ? errno : ENOSPC));
    }
    text_buffer_fini(&text);
    return status;
}

enum status validate_output_close(struct validate_output *output,
                                  const struct validate_totals *totals, struct diag *diag)
{
    enum status status = write_end(output, output->format->end, totals, diag);
    if (status != STATUS_OK || output->spool < 0)
        return status;
    size_t offset = HEADER_ROOM;
    if (output->format->totals_first)
        status = write_begin(output, totals, &offset, diag);
    if (status != STATUS_OK)
        return status;
    return output_copy_file(output->path, output->spool, (off_t)offset,
                            HEADER_ROOM + output->size - offset, diag);
}

void validate_output_fini(struct validate_output *output)
{
    if (output->format != NULL && output->spool >= 0)
        close(output->spool);
    *output = (struct validate_output){.spool = -1};
}
