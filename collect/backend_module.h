#ifndef RANKLEDGER_BACKEND_MODULE_H
#define RANKLEDGER_BACKEND_MODULE_H

#include "backend.h"

/*
 * A backend in a module: a shared library that is loaded when somebody asks for it, so that a
 * program built with CUDA also starts where the driver or a library is missing, and can say so.
 * The module finds the collector's functions in the program that loads it.
 *
 * backend_module.c is the row of backend_table.c that forwards to the module's;
 * backend_module_load.c finds and loads the module. A program that has the backend linked into it
 * (the emulation) defines backend_module_load itself, and the library's is left out.
 */
#define BACKEND_MODULE_NAME "librankledger_cuda.so"

/* A module and a program of different builds must not call each other: the number, to be raised
 * when a function or a field means something else, and the sizes of what they share, which tell a
 * module that was left over from before a structure changed. */
static inline int backend_module_interface(void)
{
    const size_t number = 1;
    return (int)(number + 3 * sizeof(struct backend_row) + 5 * sizeof(struct backend_operations) +
                 7 * sizeof(struct backend_request) + 11 * sizeof(struct backend) +
                 13 * sizeof(struct backend_adamw) + 17 * sizeof(struct backend_update) +
                 19 * sizeof(struct communicator) + 23 * sizeof(struct communicator_operations) +
                 29 * sizeof(struct communicator_call) + 31 * sizeof(struct device_description) +
                 37 * sizeof(struct timeline) + 41 * sizeof(struct diag));
}

/* What the module exports. */
int rankledger_backend_interface(void); /* its backend_module_interface() */
const struct backend_row *rankledger_backend_row(void);

/* Room for why there is no module: one line, safe to print. */
#define BACKEND_MODULE_WHY_SIZE 512

/* The module's row (static storage), or NULL and in `why` what is missing. The module stays
 * loaded. */
const struct backend_row *backend_module_load(char why[BACKEND_MODULE_WHY_SIZE]);

/* The row's functions: the module's, or STATUS_ENVIRONMENT with what is missing. The text of
 * `unavailable` is good until the next call. */
const char *backend_module_unavailable(void);
enum status backend_module_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                                struct diag *diag) STATUS_CHECKED;
enum status backend_module_create(const struct backend_request *request, struct backend **backend,
                                  struct diag *diag) STATUS_CHECKED;
enum status backend_module_connect(struct backend *backend, struct communicator *host,
                                   size_t ticket_count, struct communicator **communicator,
                                   struct diag *diag) STATUS_CHECKED;
enum status backend_module_describe(bool free_memory, struct device_description *description,
                                    struct diag *diag) STATUS_CHECKED;

/* ---- backend_module_load.c's parts, for its tests ---- */

/* Loads the module at `path` and checks that it is of this build. */
const struct backend_row *backend_module_open(const char *path, char why[BACKEND_MODULE_WHY_SIZE]);
/* What the loader's message (dlerror) about the module means, and what to do. */
void backend_module_explain(const char *message, char why[BACKEND_MODULE_WHY_SIZE]);

#endif
