#include "rank_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stopwatch.h"
#include "text.h"

#define PAGE 4096 /* no two ranks write to one page, so none waits for another's cache lines */

const char *rank_phase_name(enum rank_phase phase)
{
    static const char *const names[] = {
        [RANK_NOT_STARTED] = "not_started",
        [RANK_LAUNCH] = "launch",
        [RANK_INIT] = "init",
        [RANK_FORWARD] = "forward",
        [RANK_BACKWARD] = "backward",
        [RANK_OPTIMIZER] = "optimizer",
        [RANK_CHECKPOINT_SAVE] = "checkpoint_save",
        [RANK_CHECKPOINT_RESTORE] = "checkpoint_restore",
        [RANK_CALIBRATION] = "calibration",
        [RANK_BLOCKING] = "blocking_collectives",
        [RANK_NO_COLLECTIVES] = "no_collectives",
        [RANK_FINISH] = "finish",
        [RANK_DONE] = "done",
    };
    return (size_t)phase < sizeof names / sizeof names[0] ? names[phase] : "unknown";
}

const char *rank_failure_kind_name(enum rank_failure_kind kind)
{
    static const char *const names[] = {
        [RANK_FAILURE_NONE] = "none",
        [RANK_FAILURE_PREFLIGHT] = "preflight",
        [RANK_FAILURE_LAUNCH] = "launch",
        [RANK_FAILURE_OUT_OF_MEMORY] = "out_of_memory",
        [RANK_FAILURE_COMMUNICATION] = "communication",
        [RANK_FAILURE_TIMEOUT] = "timeout",
        [RANK_FAILURE_RANK_LOST] = "rank_lost",
        [RANK_FAILURE_NON_FINITE] = "non_finite",
        [RANK_FAILURE_CHECKPOINT] = "checkpoint",
        [RANK_FAILURE_INTERRUPTED] = "interrupted",
    };
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

size_t rank_record_size(uint64_t step_capacity)
{
    return sizeof(struct rank_record) + (size_t)step_capacity * sizeof(struct rank_step);
}

void rank_record_note_communicator(struct rank_record *record,
                                   const struct communicator *communicator)
{
    const struct communicator_operations *operations = communicator->operations;
    snprintf(record->moved_by, sizeof record->moved_by, "%s", operations->progress);
    snprintf(record->algorithm, sizeof record->algorithm, "%s", operations->algorithm);
}

void rank_record_fail(struct rank_record *record, enum rank_failure_kind kind, int64_t rank,
                      const char *detail)
{
    struct rank_failure *failure = &record->failure;
    if (failure->kind != RANK_FAILURE_NONE)
        return;
    failure->phase = record->phase;
    failure->step = record->step;
    failure->rank = rank >= 0 ? rank : (int64_t)record->rank;
    failure->at_ns = stopwatch_ns();
    text_escape_into(failure->detail, sizeof failure->detail, detail, strlen(detail));
    /* Last: a launcher that sees the kind may read the rest. */
    __atomic_store_n(&failure->kind, kind, __ATOMIC_RELEASE);
}

int64_t rank_record_origin(const char **message)
{
    int used = 0;
    int64_t rank = -1;
    if (sscanf(*message, "rank %" SCNd64 ": %n", &rank, &used) != 1 || used == 0 || rank < 0)
        return -1;
    *message += used;
    return rank;
}

/* ---- boards ---- */

/* A board beyond this is a mistake in the number of steps: 64 ranks with 100,000 steps have 2 GB.
 */
#define MOST_BYTES (UINT64_C(1) << 36)

static enum status shape_board(struct rank_board *board, uint64_t world_size,
                               uint64_t step_capacity, struct diag *diag)
{
    uint64_t record = rank_record_size(0);
    if (step_capacity > MOST_BYTES / sizeof(struct rank_step))
        return diag_set(diag, STATUS_USAGE, "%" PRIu64 " steps are more than can be recorded",
                        step_capacity);
    record += step_capacity * sizeof(struct rank_step);
    uint64_t stride = (record + PAGE - 1) / PAGE * PAGE;
    if (world_size == 0 || world_size > MOST_BYTES / stride)
        return diag_set(diag, STATUS_USAGE,
                        "%" PRIu64 " ranks with %" PRIu64 " steps are more than can be recorded",
                        world_size, step_capacity);
    *board = (struct rank_board){
        .stride = (size_t)stride, .size = (size_t)(stride * world_size), .world_size = world_size};
    return STATUS_OK;
}

static enum status refuse_file(const char *path, const char *what, int error_number,
                               struct diag *diag)
{
    char shown[PATH_MAX / 4];
    text_escape_into(shown, sizeof shown, path, strlen(path));
    return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot %s: %s", shown, what,
                    diag_reason(error_number));
}

/* Maps `board->size` bytes of the file, with every page there before a step is measured. */
static enum status map_board(const char *path, int descriptor, struct rank_board *board,
                             struct diag *diag)
{
    void *memory =
        mmap(NULL, board->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (memory == MAP_FAILED)
        return refuse_file(path, "map", errno, diag);
    board->memory = memory;
    board->mapped = true;
    return STATUS_OK;
}

static void start_records(const struct rank_board *board, uint64_t step_capacity)
{
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        struct rank_record *record = rank_board_at(board, rank);
        record->rank = rank;
        record->world_size = board->world_size;
        record->step = -1;
        record->step_capacity = step_capacity;
        record->blocking_ms = (double)NAN;
    }
}

enum status rank_board_create(const char *path, uint64_t world_size, uint64_t step_capacity,
                              struct rank_board *board, struct diag *diag)
{
    struct rank_board made;
    enum status status = shape_board(&made, world_size, step_capacity, diag);
    if (status != STATUS_OK)
        return status;
    if (path == NULL) {
        made.memory = calloc(1, made.size);
        if (made.memory == NULL)
            return diag_no_memory(diag);
    } else {
        int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0)
            return refuse_file(path, "create", errno, diag);
        /* Allocated now: a write to a page that a full disk does not have would be a SIGBUS. */
        int error_number = posix_fallocate(descriptor, 0, (off_t)made.size);
        if (error_number != 0)
            status = refuse_file(path, "allocate", error_number, diag);
        else
            status = map_board(path, descriptor, &made, diag);
        close(descriptor);
        if (status != STATUS_OK) {
            unlink(path);
            return status;
        }
    }
    start_records(&made, step_capacity);
    *board = made;
    return STATUS_OK;
}

enum status rank_board_open(const char *path, uint64_t world_size, uint64_t step_capacity,
                            struct rank_board *board, struct diag *diag)
{
    struct rank_board opened;
    struct stat about;
    enum status status = shape_board(&opened, world_size, step_capacity, diag);
    if (status != STATUS_OK)
        return status;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return refuse_file(path, "open", errno, diag);
    if (fstat(descriptor, &about) != 0)
        status = refuse_file(path, "look at", errno, diag);
    else if (about.st_size != (off_t)opened.size)
        status = diag_set(diag, STATUS_BUG, "a board of %jd bytes was made, %zu are expected",
                          (intmax_t)about.st_size, opened.size);
    else
        status = map_board(path, descriptor, &opened, diag);
    close(descriptor);
    if (status == STATUS_OK)
        *board = opened;
    return status;
}

void rank_board_fini(struct rank_board *board)
{
    if (board->mapped)
        munmap(board->memory, board->size);
    else
        free(board->memory);
    *board = (struct rank_board){0};
}

struct rank_record *rank_board_at(const struct rank_board *board, uint64_t rank)
{
    /* The stride is a multiple of a page and memory begins on one (or as malloc aligns). */
    return (struct rank_record *)(void *)(board->memory + rank * board->stride);
}

const struct rank_record *rank_board_least_advanced(const struct rank_board *board)
{
    const struct rank_record *least = rank_board_at(board, 0);
    for (uint64_t rank = 1; rank < board->world_size; rank++) {
        const struct rank_record *record = rank_board_at(board, rank);
        if (record->progress < least->progress)
            least = record;
    }
    return least;
}
