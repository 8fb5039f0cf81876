#ifndef RANKLEDGER_FAIL_SHIM_H
#define RANKLEDGER_FAIL_SHIM_H

#include <stdbool.h>

/*
 * A library for LD_PRELOAD (glibc) that makes the n-th call of a kind fail, as if memory or disk
 * were exhausted. Only calls made by the program itself and by the libraries whose failures it has
 * to handle are counted; what GLib or the C library do among themselves is left alone (GLib aborts
 * when memory is exhausted, by design).
 *
 *   RANKLEDGER_TEST_FAIL=KIND:N[:ERRNO]  the N-th call (from 1) fails; "KIND:N+" fails that one and
 *                                        all later ones. ERRNO is ENOMEM, ENOSPC, EIO, EACCES or
 *                                        EMFILE; without it each kind has the likeliest.
 *   RANKLEDGER_TEST_FAIL=count           nothing fails
 *   RANKLEDGER_TEST_FAIL_LOG=FILE        count: one line "KIND N STACK" a call, where equal numbers
 *                                        STACK mean equal call stacks; otherwise the line "hit"
 *                                        once the call has failed
 *   RANKLEDGER_TEST_FAIL_IN=A:B          parts of library paths that are counted beside the program
 *                                        (libjansson:libxlsxwriter:libminizip)
 */

enum fail_shim_kind {
    FAIL_SHIM_MALLOC, /* and calloc, realloc, strdup, getline, asprintf, realpath, ... */
    FAIL_SHIM_OPEN,
    FAIL_SHIM_FOPEN, /* and fdopen, tmpfile, open_memstream */
    FAIL_SHIM_READ,
    FAIL_SHIM_FREAD, /* and fgets */
    FAIL_SHIM_WRITE,
    FAIL_SHIM_FWRITE, /* and fprintf, fputs, putc, ... */
    FAIL_SHIM_FLUSH,
    FAIL_SHIM_CLOSE,
    FAIL_SHIM_FCLOSE,
    FAIL_SHIM_RENAME,
    FAIL_SHIM_UNLINK,
    FAIL_SHIM_MKDIR,
    FAIL_SHIM_STAT,
    FAIL_SHIM_OPENDIR, /* and scandir */
    FAIL_SHIM_READDIR,
    FAIL_SHIM_READLINK,
    FAIL_SHIM_CHMOD,
    FAIL_SHIM_SEEK,
    FAIL_SHIM_MMAP,
    FAIL_SHIM_THREAD,
    FAIL_SHIM_KINDS
};

/*
 * Counts the call that returns to `caller` and says whether it has to fail; then errno is set.
 * Called by the wrappers only.
 */
bool fail_shim_strikes(enum fail_shim_kind kind, const void *caller);

#endif
