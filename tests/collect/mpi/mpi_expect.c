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
