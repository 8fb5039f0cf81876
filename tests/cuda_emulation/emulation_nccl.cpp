/*
 * NCCL for the host emulation, over MPI: a communicator has a communicator of MPI's beside it.
 *
 * As the library does: a communicator is non-blocking if its configuration says so; then
 * connecting, groups and the end are in progress for a few questions (ncclCommGetAsyncError), and
 * the stream holds a group's collectives only after that. Otherwise than the library: a collective
 * runs when it comes to the stream, whole, and waits for the other ranks there. Sums are made in
 * the order of the ranks, rounded to the type after each addition, as a ring does.
 *
 * What the library would answer with wrong numbers or a hang ends the process with a sentence:
 * ranks that ask for different collectives, arrays that overlap without being in place, a
 * communicator that is used while it is in progress or after its end.
 *
 * Failures (cuda_emulation.h, CUDA_EMULATION_FAIL): every function under its own name, with a value
 * of ncclResult_t; "ncclAsync" counts collectives: the n-th fails with that result while it is
 * under way, its stream never ends; "ncclHang" likewise, and nobody says anything.
 */
#include <cstdio>
#include <cstring>
#include <set>

#include <unistd.h>

#include "emulation_nccl_parts.h"

using namespace emulation;

namespace
{

/* How often something is said to be in progress before it is done. */
constexpr int questions = 2;

struct group {
    int depth = 0;
    std::vector<nccl_collective> collectives;
};

group &this_group()
{
    static thread_local group the_group;
    return the_group;
}

/* All that are not destroyed: whoever abandons one has not lost it. */
std::set<ncclComm_t> &all_comms()
{
    static std::set<ncclComm_t> *made = new std::set<ncclComm_t>;
    return *made;
}

ncclResult_t fails(const char *call)
{
    const cudaError_t error = cuda_emulation_enter(call);
    if (error == cudaSuccess)
        return ncclSuccess;
    if (static_cast<int>(error) >= ncclNumResults) { /* the device's own, which is lost */
        nccl_last_error() = "Cuda failure";
        return ncclUnhandledCudaError;
    }
    nccl_last_error() = std::string(call) + " was told to fail";
    return static_cast<ncclResult_t>(error);
}

void must_be_alive(ncclComm_t comm, const char *call)
{
    if (comm == nullptr)
        refuse("%s with a communicator that is NULL", call);
}

/* A kernel that waits for ever: nothing moves, and the stream does not end. */
bool stuck(const nccl_collective &op)
{
    const cudaError_t async = cuda_emulation_enter("ncclAsync");
    const cudaError_t hang = cuda_emulation_enter("ncclHang");
    if (async == cudaSuccess && hang == cudaSuccess)
        return op.comm->held != nullptr;
    if (async != cudaSuccess) {
        op.comm->failed = static_cast<ncclResult_t>(async);
        nccl_last_error() = "ncclAsync was told to fail";
    }
    op.comm->held = op.stream;
    cuda_emulation_hold(op.stream, true);
    return true;
}

void run_pending(ncclComm_t comm)
{
    std::vector<nccl_collective> ops;
    ops.swap(comm->pending);
    for (const nccl_collective &op : ops) {
        comm->number++;
        if (!stuck(op))
            nccl_run(op, ops.size());
    }
}

ncclResult_t end_group()
{
    group &group = this_group();
    std::vector<nccl_collective> ops;
    ncclComm_t comm = nullptr;
    ops.swap(group.collectives);
    for (const nccl_collective &op : ops) {
        if (comm != nullptr && comm != op.comm)
            refuse("NCCL: the emulation has no groups over several communicators");
        comm = op.comm;
    }
    if (comm == nullptr)
        return ncclSuccess;
    comm->pending = ops;
    if (comm->blocking) {
        run_pending(comm);
        return comm->failed;
    }
    comm->left = questions;
    return ncclInProgress;
}

ncclResult_t submit(const nccl_collective &op)
{
    must_be_alive(op.comm, nccl_name(op.what));
    if (op.comm->now != nccl_state::ready || !op.comm->pending.empty())
        refuse("%s on rank %d: the communicator is in progress: ask "
               "ncclCommGetAsyncError until it is not",
               nccl_name(op.what), op.comm->rank);
    const ncclResult_t told = fails(nccl_name(op.what));
    if (told != ncclSuccess)
        return told;
    (void)nccl_bytes(op.type);
    this_group().collectives.push_back(op);
    return this_group().depth > 0 ? ncclSuccess : end_group();
}

/* --- connecting and the end --- */

/* All are there: the same group, each with its own rank. */
void check_connected(ncclComm_t comm)
{
    ncclUniqueId id = comm->id;
    MPI_Comm_set_errhandler(comm->ranks, MPI_ERRORS_RETURN);
    if (MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm->ranks) != MPI_SUCCESS)
        comm->failed = ncclRemoteError;
    else if (std::memcmp(&id, &comm->id, sizeof id) != 0)
        refuse("ncclCommInitRankConfig on rank %d: another id than rank 0's", comm->rank);
    comm->now = nccl_state::ready;
}

/* True if what is in progress has come to its end. */
bool advance(ncclComm_t comm)
{
    int done = 1;
    if (MPI_Test(&comm->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        comm->failed = ncclRemoteError;
    if (done == 0 || comm->left-- > 0)
        return false;
    comm->left = 0;
    if (comm->now == nccl_state::connecting)
        check_connected(comm);
    else if (comm->now == nccl_state::finishing)
        comm->now = nccl_state::finished;
    run_pending(comm);
    return true;
}

bool is_in_progress(const ncclComm *comm)
{
    return comm->now == nccl_state::connecting || comm->now == nccl_state::finishing ||
           !comm->pending.empty();
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int *version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const words[] = {
        "no error",
        "unhandled cuda error",
        "unhandled system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "remote process exited or there was a network error",
        "NCCL operation in progress",
    };
    const size_t index = static_cast<size_t>(result);
    return index < sizeof words / sizeof words[0] ? words[index] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return nccl_last_error().c_str();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static int count = 0;
    *id = ncclUniqueId();
    std::snprintf(id->internal, sizeof id->internal, "emulated %d.%d", static_cast<int>(getpid()),
                  count++);
    return fails("ncclGetUniqueId");
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    int world_size = 0;
    int world_rank = 0;
    const ncclResult_t told = fails("ncclCommInitRankConfig");
    if (told != ncclSuccess)
        return told;
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (ranks != world_size || rank != world_rank)
        refuse("ncclCommInitRankConfig: rank %d of %d is rank %d of %d for MPI", rank, ranks,
               world_rank, world_size);
    if (config == nullptr || config->size != sizeof *config || config->magic != NCCL_CONFIG_MAGIC)
        refuse("ncclCommInitRankConfig: the configuration is not initialised");
    *comm = new ncclComm;
    all_comms().insert(*comm);
    (*comm)->id = id;
    (*comm)->rank = rank;
    (*comm)->size = ranks;
    (*comm)->left = questions;
    (*comm)->blocking = config->blocking != 0; /* undefined: blocking */
    if (cudaGetDevice(&(*comm)->device) != cudaSuccess)
        return ncclUnhandledCudaError;
    MPI_Comm_idup(MPI_COMM_WORLD, &(*comm)->ranks, &(*comm)->request);
    if (!(*comm)->blocking)
        return ncclInProgress;
    while (!advance(*comm))
        ;
    return (*comm)->failed;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    must_be_alive(comm, "ncclCommGetAsyncError");
    if (comm->failed == ncclSuccess && is_in_progress(comm))
        (void)advance(comm);
    *error = comm->failed != ncclSuccess ? comm->failed
             : is_in_progress(comm)      ? ncclInProgress
                                         : ncclSuccess;
    return fails("ncclCommGetAsyncError");
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    must_be_alive(comm, "ncclCommFinalize");
    if (comm->now != nccl_state::ready || is_in_progress(comm))
        refuse("ncclCommFinalize on rank %d: the communicator is in progress, or at its "
               "end already",
               comm->rank);
    comm->now = nccl_state::finishing;
    comm->left = questions;
    MPI_Ibarrier(comm->ranks, &comm->request);
    if (!comm->blocking)
        return ncclInProgress;
    while (!advance(comm))
        ;
    return comm->failed;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    must_be_alive(comm, "ncclCommDestroy");
    if (comm->now != nccl_state::finished)
        refuse("ncclCommDestroy on rank %d: the communicator is not finalized", comm->rank);
    MPI_Comm_free(&comm->ranks);
    all_comms().erase(comm);
    delete comm;
    return ncclSuccess;
}

/* MPI's communicator stays: freeing it needs the other ranks. */
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    must_be_alive(comm, "ncclCommAbort");
    if (comm->held != nullptr)
        cuda_emulation_hold(comm->held, false);
    all_comms().erase(comm);
    delete comm;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    const ncclResult_t told = fails("ncclGroupStart");
    if (told == ncclSuccess)
        this_group().depth++;
    return told;
}

ncclResult_t ncclGroupEnd(void)
{
    group &group = this_group();
    if (group.depth == 0)
        refuse("ncclGroupEnd without ncclGroupStart");
    if (--group.depth > 0)
        return ncclSuccess;
    return end_group();
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
    if (operation != ncclSum)
        refuse("NCCL: the emulation has no reduction but the sum");
    return submit({nccl_kind::all_reduce, static_cast<const unsigned char *>(send),
                   static_cast<unsigned char *>(receive), count, type, comm, stream});
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t receive_count,
                               ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm,
                               cudaStream_t stream)
{
    if (operation != ncclSum)
        refuse("NCCL: the emulation has no reduction but the sum");
    return submit({nccl_kind::reduce_scatter, static_cast<const unsigned char *>(send),
                   static_cast<unsigned char *>(receive), receive_count, type, comm, stream});
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t send_count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    return submit({nccl_kind::all_gather, static_cast<const unsigned char *>(send),
                   static_cast<unsigned char *>(receive), send_count, type, comm, stream});
}

} // extern "C"
