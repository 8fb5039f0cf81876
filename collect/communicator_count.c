#include "communicator_count.h"

#include <stdlib.h>
#include <string.h>

static enum status count_post(struct communicator *communicator,
                              const struct communicator_call *call, bool *complete,
                              struct diag *diag)
{
    (void)diag;
    if (communicator->world_size == 1) {
        communicator_copy_alone(communicator->wire, call);
    }
    *complete = true;
    return STATUS_OK;
}

static enum status count_poll(struct communicator *communicator, bool *complete, struct diag *diag)
{
    (void)communicator;
    (void)complete;
    (void)diag;
    return STATUS_OK;
}

static enum status count_wait(struct communicator *communicator, size_t ticket, bool *complete,
                              struct diag *diag)
{
    (void)communicator;
    (void)diag;
    complete[ticket] = true;
    return STATUS_OK;
}

static enum status count_sum(struct communicator *communicator, double *value, struct diag *diag)
{
    (void)communicator;
    (void)value;
    (void)diag;
    return STATUS_OK;
}

static enum status count_barrier(struct communicator *communicator, struct diag *diag)
{
    (void)communicator;
    (void)diag;
    return STATUS_OK;
}

static enum status count_broadcast(struct communicator *communicator, void *host, uint64_t bytes,
                                   int root, struct diag *diag)
{
    (void)communicator;
    (void)host;
    (void)bytes;
    (void)root;
    (void)diag;
    return STATUS_OK;
}

/* Every rank is taken to give what this one does. */
static enum status count_gather(struct communicator *communicator, const void *host, uint64_t bytes,
                                void *all, int root, struct diag *diag)
{
    (void)diag;
    if (communicator->rank == (uint64_t)root) {
        for (uint64_t rank = 0; rank < communicator->world_size; rank++) {
            memmove((unsigned char *)all + rank * bytes, host, bytes);
        }
    }
    return STATUS_OK;
}

static void count_destroy(struct communicator *communicator)
{
    communicator_fini(communicator);
    free(communicator);
}

static const struct communicator_operations operations = {
    .name = "count",
    .progress = "none",
    .algorithm = "nothing is sent",
    .post = count_post,
    .poll = count_poll,
    .wait = count_wait,
    .sum = count_sum,
    .barrier = count_barrier,
    .broadcast = count_broadcast,
    .gather = count_gather,
    .destroy = count_destroy,
};

enum status communicator_count_create(uint64_t rank, uint64_t world_size, enum model_dtype wire,
                                      size_t ticket_count, struct communicator **communicator,
                                      struct diag *diag)
{
    struct communicator *made = malloc(sizeof *made);
    if (!made) {
        return diag_no_memory(diag);
    }
    enum status status =
        communicator_init(made, &operations, rank, world_size, wire, ticket_count, diag);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *communicator = made;
    return STATUS_OK;
}
