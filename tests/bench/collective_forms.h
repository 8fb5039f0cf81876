#ifndef RANKLEDGER_TESTS_COLLECTIVE_FORMS_H
#define RANKLEDGER_TESTS_COLLECTIVE_FORMS_H

#include <mpi.h>
#include <stdbool.h>

#include "communicator.h"

/* What bench_collectives measures: each way of doing a collective, bare MPI's and ours. */
struct collective_bench {
    struct communicator *communicator;
    int rank, world_size;
    enum model_dtype wire;
    size_t element_bytes;
    MPI_Datatype type;
    MPI_Op sum;
    unsigned char *array, *other;
};

/* What has to be done; a gather's own part may lie elsewhere. */
enum collective_purpose {
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_ALL_GATHER_APART,
    COLLECTIVE_PURPOSES
};
extern const char *const collective_forms_purposes[COLLECTIVE_PURPOSES];

struct collective_form {
    enum collective_purpose purpose;
    const char *name;
    void (*run)(struct collective_bench *bench, size_t bytes);
    bool ours;
};

#define COLLECTIVE_FORMS 16
extern const struct collective_form collective_forms[COLLECTIVE_FORMS];

#endif
