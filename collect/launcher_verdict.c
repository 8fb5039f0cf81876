#include "launcher_verdict.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "text.h"

#define TAIL 400 /* bytes of what was said that go into a failure's detail */

static bool all_complete(const struct rank_board *board)
{
    for (uint64_t rank = 0; rank < board->world_size; rank++)
        if (!__atomic_load_n(&rank_board_at(board, rank)->complete, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

/* A rank that stopped because another one failed names that one; what the other says of itself goes
 * first. */
static bool goes_before(const struct rank_failure *failure, bool first_hand,
                        const struct rank_failure *other, bool other_first_hand)
{
    if (first_hand != other_first_hand)
        return first_hand;
    return failure->at_ns < other->at_ns;
}

/* The earliest failure that a rank noted itself; `communication`: of that kind alone, or of the
 * others. */
static const struct rank_failure *own_word(const struct rank_board *board, bool communication)
{
    const struct rank_failure *first = NULL;
    bool first_is_first_hand = false;
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        const struct rank_failure *failure = &rank_board_at(board, rank)->failure;
        enum rank_failure_kind kind = __atomic_load_n(&failure->kind, __ATOMIC_ACQUIRE);
        if (kind == RANK_FAILURE_NONE || communication != (kind == RANK_FAILURE_COMMUNICATION))
            continue;
        bool first_hand = failure->rank < 0 || failure->rank == (int64_t)rank;
        if (first != NULL && !goes_before(failure, first_hand, first, first_is_first_hand))
            continue;
        first = failure;
        first_is_first_hand = first_hand;
    }
    return first;
}

/* A failure of `rank`, or of none in particular (-1), where it stands now. */
static void fail(const struct rank_board *board, enum rank_failure_kind kind, int64_t rank,
                 struct rank_failure *failure)
{
    const struct rank_record *record =
        rank >= 0 ? rank_board_at(board, (uint64_t)rank) : rank_board_least_advanced(board);
    *failure = (struct rank_failure){
        .kind = kind, .phase = record->phase, .rank = rank, .step = record->step};
}

/* ---- a lost rank ---- */

/* mpirun's "process rank 1 with PID 123 on node x exited on signal 9 (Killed)." */
static bool read_report(const char *said, int64_t *rank, int *signal_number)
{
    const char *at = strstr(said, "process rank ");
    if (at == NULL || sscanf(at, "process rank %" SCNd64, rank) != 1)
        return false;
    const char *on = strstr(at, "exited on signal ");
    return on != NULL && sscanf(on, "exited on signal %d", signal_number) == 1;
}

static bool lost_rank(const struct rank_board *board, const struct launcher_end *end,
                      struct rank_failure *failure)
{
    int64_t rank = -1;
    int number = 0;
    bool reported =
        read_report(end->said, &rank, &number) && rank >= 0 && (uint64_t)rank < board->world_size;
    if (!reported || (end->lost >= 0 && end->lost != rank)) {
        reported = false;
        rank = end->lost;
    }
    if (rank < 0)
        return false;
    const struct rank_record *record = rank_board_at(board, (uint64_t)rank);
    fail(board, RANK_FAILURE_RANK_LOST, rank, failure);
    if (reported)
        snprintf(failure->detail, sizeof failure->detail,
                 "process %" PRId64 " ended by signal %d (%s)", record->pid, number,
                 strsignal(number));
    else
        snprintf(failure->detail, sizeof failure->detail,
                 "process %" PRId64 " ended without a word", record->pid);
    return true;
}

/* ---- no rank to blame ---- */

static void describe_exit(const struct launcher_end *end, char *text, size_t size)
{
    if (!end->exited)
        snprintf(text, size, "the ranks were ended");
    else if (WIFSIGNALED(end->status))
        snprintf(text, size, "mpirun ended by signal %d (%s)", WTERMSIG(end->status),
                 strsignal(WTERMSIG(end->status)));
    else
        snprintf(text, size, "mpirun ended with code %d", WEXITSTATUS(end->status));
}

/* The group ended without every rank's completion, and nobody knows why. */
static void unexplained(const struct rank_board *board, const struct launcher_end *end,
                        struct rank_failure *failure)
{
    char how[128];
    char tail[2 * TAIL];
    const struct rank_record *least = rank_board_least_advanced(board);
    bool started = least->phase > RANK_LAUNCH;
    size_t length = strlen(end->said);
    size_t shown = length < TAIL ? length : TAIL;
    fail(board, started ? RANK_FAILURE_RANK_LOST : RANK_FAILURE_LAUNCH, -1, failure);
    describe_exit(end, how, sizeof how);
    text_escape_into(tail, sizeof tail, end->said + (length - shown), shown);
    snprintf(failure->detail, sizeof failure->detail, "%s%s%s", how, shown > 0 ? "; it said: " : "",
             tail);
}

/* How many ranks exist or did. */
static uint64_t started(const struct rank_board *board)
{
    uint64_t count = 0;
    for (uint64_t rank = 0; rank < board->world_size; rank++)
        count += rank_board_at(board, rank)->pid != 0;
    return count;
}

void launcher_verdict(const struct rank_board *board, const struct launcher_end *end,
                      struct rank_failure *failure)
{
    *failure = (struct rank_failure){.rank = -1, .step = -1};
    if (all_complete(board))
        return;
    const struct rank_failure *word = own_word(board, false);
    if (word != NULL) {
        *failure = *word;
    } else if (end->signal != 0) {
        fail(board, RANK_FAILURE_INTERRUPTED, -1, failure);
        snprintf(failure->detail, sizeof failure->detail, "the launcher received signal %d (%s)",
                 end->signal, strsignal(end->signal));
    } else if (end->timed_out && started(board) < board->world_size) {
        fail(board, RANK_FAILURE_LAUNCH, -1, failure);
        snprintf(failure->detail, sizeof failure->detail,
                 "%" PRIu64 " of %" PRIu64 " ranks exist after %g s", started(board),
                 board->world_size, end->allowed_s);
    } else if (end->timed_out) {
        fail(board, RANK_FAILURE_TIMEOUT, end->culprit, failure);
        snprintf(failure->detail, sizeof failure->detail,
                 "no step or other part of the work was completed by all ranks within %g s",
                 end->allowed_s);
    } else if (!lost_rank(board, end, failure)) {
        word = own_word(board, true);
        if (word != NULL)
            *failure = *word;
        else
            unexplained(board, end, failure);
    }
}
