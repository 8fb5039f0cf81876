#ifndef RANKLEDGER_LAUNCHER_COMMAND_H
#define RANKLEDGER_LAUNCHER_COMMAND_H

#include <stdbool.h>

#include "arena.h"
#include "diag.h"
#include "launcher_marker.h"

/* What starts a process group. */
struct launcher_command_request {
    const char *mpirun;     /* path */
    const char *executable; /* of the ranks: this program */
    char *const *arguments; /* theirs, as ours; NULL-terminated, [0] is the program's name */
    uint64_t ranks, threads;
    bool bind;           /* each rank to cores of its own */
    bool oversubscribed; /* more ranks than cores: who waits gives its core away */
    const char *kernels; /* OPENBLAS_CORETYPE; NULL: as it is */
    const struct launcher_marker *marker;
};

struct launcher_command {
    char **arguments;   /* of mpirun, NULL-terminated */
    char **environment; /* NULL-terminated */
    char *parent;       /* where the child writes its process number, ten digits with zeros */
    uint64_t ranks;
};

#define LAUNCHER_COMMAND_DIGITS 10

/* Everything lives in the arena. */
enum status launcher_command_make(const struct launcher_command_request *request,
                                  char *const *inherited, struct arena *arena,
                                  struct launcher_command *command,
                                  struct diag *diag) STATUS_CHECKED;

/* The value of a variable in `environment`; NULL if it is not set. */
const char *launcher_command_variable(char *const *environment, const char *name);

#endif
