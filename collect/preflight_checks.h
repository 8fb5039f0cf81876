#ifndef RANKLEDGER_PREFLIGHT_CHECKS_H
#define RANKLEDGER_PREFLIGHT_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum preflight_state { PREFLIGHT_OK, PREFLIGHT_WARNING, PREFLIGHT_MISSING };

/* "ok", "warning", "missing"; static storage. */
const char *preflight_checks_state(enum preflight_state state);

#define PREFLIGHT_CHECKS_MOST 24

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

/* What is asked for. */
struct preflight_request {
    uint64_t world_size;
    const char *backend; /* "auto", "cpu", "cuda" */
    bool share_device;   /* ranks may share a GPU */
    char **argv;         /* of the whole program, NULL-terminated */
};

/*
 * Looks at processors, memory, shared memory, huge pages, BLAS, MPI, the backend and its devices,
 * and starts the ranks through mpirun once, with `argv`: they come back to cmd_preflight.
 */
void preflight_checks_make(const struct preflight_request *request,
                           struct preflight_checks *checks);

/* Adds a check whose `found` is formatted; `advice` (or NULL) is any text. */
void preflight_checks_add(struct preflight_checks *checks, const char *name,
                          enum preflight_state state, const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* True if nothing is missing. */
bool preflight_checks_ready(const struct preflight_checks *checks);

#endif
