/* What the emulated NCCL's collectives do; see emulation_nccl.cpp. */
#include <cstring>

#include "bfloat16.h"
#include "emulation_nccl_parts.h"

namespace emulation
{

namespace
{

/* What every rank must ask for alike. */
struct asked {
    uint64_t what, count, type, number, in_group;
};

/* --- sums --- */

void add(ncclDataType_t type, void *to, const void *from, size_t count)
{
    if (type == ncclFloat64) {
        for (size_t i = 0; i < count; i++)
            static_cast<double *>(to)[i] += static_cast<const double *>(from)[i];
    } else if (type == ncclFloat32) {
        for (size_t i = 0; i < count; i++)
            static_cast<float *>(to)[i] += static_cast<const float *>(from)[i];
    } else {
        uint16_t *sums = static_cast<uint16_t *>(to);
        for (size_t i = 0; i < count; i++)
            sums[i] = bfloat16_narrow(bfloat16_widen(sums[i]) +
                                      bfloat16_widen(static_cast<const uint16_t *>(from)[i]));
    }
}

/* --- rules --- */

bool overlap(const unsigned char *a, size_t a_bytes, const unsigned char *b, size_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Elements that a rank gives and gets. */
size_t given(const nccl_collective &op)
{
    return op.what == nccl_kind::reduce_scatter ? op.count * static_cast<size_t>(op.comm->size)
                                                : op.count;
}

size_t got(const nccl_collective &op)
{
    return op.what == nccl_kind::all_gather ? op.count * static_cast<size_t>(op.comm->size)
                                            : op.count;
}

/* nccl.h's comments on "in-place". */
void check_places(const nccl_collective &op)
{
    const size_t bytes = nccl_bytes(op.type);
    const size_t own = static_cast<size_t>(op.comm->rank) * op.count * bytes;
    const bool in_place = op.what == nccl_kind::all_reduce       ? op.receive == op.send
                          : op.what == nccl_kind::reduce_scatter ? op.receive == op.send + own
                                                                 : op.send == op.receive + own;
    if (!in_place && overlap(op.send, given(op) * bytes, op.receive, got(op) * bytes))
        refuse("%s on rank %d: the arrays at %p and %p overlap and are not in place",
               nccl_name(op.what), op.comm->rank, static_cast<const void *>(op.send),
               static_cast<void *>(op.receive));
    if (reinterpret_cast<uintptr_t>(op.send) % bytes != 0 ||
        reinterpret_cast<uintptr_t>(op.receive) % bytes != 0)
        refuse("%s on rank %d: an array is not aligned to its %zu-byte elements",
               nccl_name(op.what), op.comm->rank, bytes);
    if (cuda_emulation_stream_device(op.stream) != op.comm->device)
        refuse("%s on rank %d: the communicator's device is %d and the stream's is %d",
               nccl_name(op.what), op.comm->rank, op.comm->device,
               cuda_emulation_stream_device(op.stream));
}

/* Ranks that ask for different things would exchange the wrong bytes, or hang. */
void check_alike(const nccl_collective &op, size_t in_group)
{
    const ncclComm &comm = *op.comm;
    const asked mine = {static_cast<uint64_t>(op.what), op.count, static_cast<uint64_t>(op.type),
                        comm.number, in_group};
    std::vector<asked> all(static_cast<size_t>(comm.size));
    if (MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                      comm.ranks) != MPI_SUCCESS)
        return;
    for (size_t rank = 0; rank < all.size(); rank++)
        if (std::memcmp(&all[rank], &mine, sizeof mine) != 0)
            refuse("%s of %zu elements of type %d, number %llu, %zu in its group, on rank %d: rank "
                   "%zu has asked for %s of %llu elements of type %llu, number %llu, %llu in its "
                   "group",
                   nccl_name(op.what), op.count, static_cast<int>(op.type),
                   static_cast<unsigned long long>(mine.number), in_group, comm.rank, rank,
                   nccl_name(static_cast<nccl_kind>(all[rank].what)),
                   static_cast<unsigned long long>(all[rank].count),
                   static_cast<unsigned long long>(all[rank].type),
                   static_cast<unsigned long long>(all[rank].number),
                   static_cast<unsigned long long>(all[rank].in_group));
}

/* --- collectives --- */

/* Everybody's arrays, one behind the other; only what this rank needs of them. */
std::vector<unsigned char> exchange(const nccl_collective &op)
{
    const ncclComm &comm = *op.comm;
    const size_t part = op.count * nccl_bytes(op.type);
    std::vector<unsigned char> mine(op.send, op.send + given(op) * nccl_bytes(op.type));
    std::vector<unsigned char> all(part * static_cast<size_t>(comm.size));
    const int length = static_cast<int>(part);
    const int result =
        op.what == nccl_kind::reduce_scatter
            ? MPI_Alltoall(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, comm.ranks)
            : MPI_Allgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE,
                            comm.ranks);
    if (result != MPI_SUCCESS) {
        op.comm->failed = ncclRemoteError;
        nccl_last_error() = "MPI did not exchange the arrays";
        all.clear();
    }
    return all;
}

void run(const nccl_collective &op)
{
    const size_t part = op.count * nccl_bytes(op.type);
    cuda_emulation_begin(op.stream, nccl_name(op.what));
    cuda_emulation_touch(op.send, given(op) * nccl_bytes(op.type), false);
    cuda_emulation_touch(op.receive, got(op) * nccl_bytes(op.type), true);
    std::vector<unsigned char> all = exchange(op);
    if (op.what == nccl_kind::all_gather && !all.empty()) {
        std::memcpy(op.receive, all.data(), all.size());
    } else if (!all.empty()) {
        for (size_t rank = 1; rank < static_cast<size_t>(op.comm->size); rank++)
            add(op.type, all.data(), all.data() + rank * part, op.count);
        std::memcpy(op.receive, all.data(), part);
    }
    cuda_emulation_end();
}

} // namespace

std::string &nccl_last_error()
{
    static std::string text;
    return text;
}

const char *nccl_name(nccl_kind what)
{
    switch (what) {
    case nccl_kind::all_reduce:
        return "ncclAllReduce";
    case nccl_kind::reduce_scatter:
        return "ncclReduceScatter";
    default:
        return "ncclAllGather";
    }
}

size_t nccl_bytes(ncclDataType_t type)
{
    switch (type) {
    case ncclFloat64:
        return 8;
    case ncclFloat32:
        return 4;
    case ncclBfloat16:
        return 2;
    default:
        refuse("NCCL: the emulation has no data type %d", static_cast<int>(type));
    }
}

void nccl_run(const nccl_collective &op, size_t in_group)
{
    check_places(op);
    check_alike(op, in_group);
    if (op.count > 0)
        run(op);
}

} // namespace emulation
