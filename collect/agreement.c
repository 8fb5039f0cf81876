#include "agreement.h"

#include <inttypes.h>

/*
 * One broadcast from every rank instead of a gather: it needs no memory, so that no rank can fail
 * between two collectives of which the others wait in the second. The ranks are few, and this
 * happens a few times a run.
 */

enum status agreement_root(struct communicator *communicator, int root, enum status mine,
                           struct diag *diag)
{
    int32_t value = (int32_t)mine;
    enum status status = communicator_broadcast(communicator, &value, sizeof value, root, diag);
    if (status != STATUS_OK || value == STATUS_OK)
        return status;
    communicator->failed = true;
    communicator->failed_rank = (uint64_t)root;
    struct diag told = {0};
    if (communicator->rank == (uint64_t)root && diag != NULL)
        told = *diag;
    status = communicator_broadcast(communicator, told.text, sizeof told.text, root, diag);
    if (status != STATUS_OK)
        return status;
    told.text[sizeof told.text - 1] = '\0';
    return diag_set(diag, (enum status)value, "rank %d: %s", root, told.text);
}

enum status agreement_status(struct communicator *communicator, enum status mine, struct diag *diag)
{
    for (uint64_t rank = 0; rank < communicator->world_size; rank++) {
        enum status status = agreement_root(communicator, (int)rank, mine, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status agreement_largest(struct communicator *communicator, double *value, struct diag *diag)
{
    const double mine = *value;
    for (uint64_t rank = 0; rank < communicator->world_size; rank++) {
        double other = mine;
        enum status status =
            communicator_broadcast(communicator, &other, sizeof other, (int)rank, diag);
        if (status != STATUS_OK)
            return status;
        if (other > *value)
            *value = other;
    }
    return STATUS_OK;
}

enum status agreement_sum(struct communicator *communicator, uint64_t *value, struct diag *diag)
{
    const uint64_t mine = *value;
    uint64_t sum = 0;
    for (uint64_t rank = 0; rank < communicator->world_size; rank++) {
        uint64_t other = mine;
        enum status status =
            communicator_broadcast(communicator, &other, sizeof other, (int)rank, diag);
        if (status != STATUS_OK)
            return status;
        sum += other;
    }
    *value = sum;
    return STATUS_OK;
}
