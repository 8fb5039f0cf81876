#ifndef RANKLEDGER_PREFLIGHT_CHECKS_H
#define RANKLEDGER_PREFLIGHT_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum preflight_state { PREFLIGHT_OK, PREFLIGHT_WARNING, PREFLIGHT_MISSING };

/* "ok", "warning", "missing"; static storage. */
const char *preflight_checks_state(enum preflight_state state);

#define PREFLIGHT_CHECKS_MOST 16

/* One thing that was looked at. */
struct preflight_check {
    const char *name;
    enum preflight_state state;
    char found[256];  /* what is there */
    char advice[256]; /* what to do; "" if all is well */
};

struct preflight_checks {
    struct preflight_check items[PREFLIGHT_CHECKS_MOST];
    size_t count;
    uint64_t world_size;
};

/*
 * Looks at processors, memory, shared memory, huge pages, BLAS, MPI and the backends, for so many
 * ranks of a backend ("auto", "cpu", "cuda"), and starts such ranks through mpirun once, with
 * `argv` (NULL-terminated): they come back to cmd_preflight.
 */
void preflight_checks_make(uint64_t world_size, const char *backend, char **argv,
                           struct preflight_checks *checks);

/* True if nothing is missing. */
bool preflight_checks_ready(const struct preflight_checks *checks);

#endif
