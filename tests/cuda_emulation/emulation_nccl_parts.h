/* What the files of the emulated NCCL share; C++. */
#ifndef EMULATION_NCCL_PARTS_H
#define EMULATION_NCCL_PARTS_H

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda_emulation.h"
#include "emulation_parts.h"
#include "nccl.h"

namespace emulation
{

enum class nccl_kind : int { all_reduce, reduce_scatter, all_gather };

struct nccl_collective {
    nccl_kind what = nccl_kind::all_reduce;
    const unsigned char *send = nullptr;
    unsigned char *receive = nullptr;
    size_t count = 0; /* as given */
    ncclDataType_t type = ncclFloat32;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
};

enum class nccl_state { connecting, ready, finishing, finished };

const char *nccl_name(nccl_kind what);
/* Refuses types that the backend does not send. */
size_t nccl_bytes(ncclDataType_t type);
/* For ncclGetLastError. */
std::string &nccl_last_error();

/* Checks one of `in_group` collectives and runs it, with the other ranks. */
void nccl_run(const nccl_collective &op, size_t in_group);

} // namespace emulation

struct ncclComm {
    MPI_Comm ranks = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL; /* of connecting and of the end */
    ncclUniqueId id = {};
    int rank = 0, size = 0, device = 0;
    bool blocking = false;
    emulation::nccl_state now = emulation::nccl_state::connecting;
    int left = 0;        /* questions that are still answered with "in progress" */
    uint64_t number = 0; /* collectives so far */
    ncclResult_t failed = ncclSuccess;
    cudaStream_t held = nullptr; /* does not end */
    std::vector<emulation::nccl_collective>
        pending; /* of groups that ended, not on the stream yet */
};

#endif
