#include "mpi_expect.h"

#include <stdarg.h>
#include <stdio.h>

#include "communicator_mpi.h"

void mpi_expect(bool holds, const char *format, ...)
{
    va_list arguments;
    if (holds) {
        return;
    }
    va_start(arguments, format);
    fputs("expected: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(stderr);
    communicator_mpi_abort(1);
}

void mpi_expect_start(uint64_t *rank, uint64_t *world_size)
{
    struct diag diag = {0};
    int my_rank, size;
    enum status status = communicator_mpi_start(&my_rank, &size, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    *rank = (uint64_t)my_rank;
    *world_size = (uint64_t)size;
}
