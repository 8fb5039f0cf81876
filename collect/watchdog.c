#include "watchdog.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STARTUP_FACTOR 10
#define LAUNCH_S 60.0

static uint64_t load(const uint64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

void watchdog_start(struct watchdog *watchdog, double timeout_s, uint64_t now_ns)
{
    *watchdog = (struct watchdog){.timeout_s = timeout_s, .since_ns = now_ns};
}

double watchdog_allowed_s(const struct watchdog *watchdog)
{
    const double start_up_s = STARTUP_FACTOR * watchdog->timeout_s;
    if (watchdog->stage == WATCHDOG_TRAINING)
        return watchdog->timeout_s;
    if (watchdog->stage == WATCHDOG_START_UP)
        return start_up_s;
    return fmin(fmax(watchdog->timeout_s, LAUNCH_S), start_up_s);
}

static enum watchdog_stage stage_of(const struct rank_record *record)
{
    if (load(&record->first_step_ns) != 0)
        return WATCHDOG_TRAINING;
    return __atomic_load_n(&record->pid, __ATOMIC_ACQUIRE) != 0 ? WATCHDOG_START_UP
                                                                : WATCHDOG_LAUNCH;
}

bool watchdog_check(struct watchdog *watchdog, const struct rank_board *board, uint64_t now_ns)
{
    uint64_t progress = UINT64_MAX;
    enum watchdog_stage stage = WATCHDOG_TRAINING;
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        const struct rank_record *record = rank_board_at(board, rank);
        uint64_t own = load(&record->progress);
        progress = own < progress ? own : progress;
        stage = stage_of(record) < stage ? stage_of(record) : stage;
    }
    if (progress != watchdog->progress || stage != watchdog->stage) {
        watchdog->progress = progress;
        watchdog->stage = stage;
        watchdog->since_ns = now_ns;
    }
    return (double)(now_ns - watchdog->since_ns) / 1e9 > watchdog_allowed_s(watchdog);
}

/* What a rank has done, to be compared with the others. */
struct standing {
    int64_t rank;
    uint64_t progress, actions;
};

static bool is_behind(const struct standing *a, const struct standing *b)
{
    return a->progress != b->progress ? a->progress < b->progress : a->actions < b->actions;
}

static struct standing standing_of(const struct rank_board *board, uint64_t rank)
{
    const struct rank_record *record = rank_board_at(board, rank);
    return (struct standing){(int64_t)rank, load(&record->progress), load(&record->actions)};
}

/* The rank that is most behind; with `outside` of those that do not stand in the library. -1: none,
 * or (of all) several alike. */
static int64_t most_behind(const struct rank_board *board, bool outside)
{
    struct standing last = {.rank = -1};
    bool alone = true;
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        const struct rank_record *record = rank_board_at(board, rank);
        if (outside && __atomic_load_n(&record->inside, __ATOMIC_ACQUIRE) != 0)
            continue;
        struct standing now = standing_of(board, rank);
        if (last.rank < 0 || is_behind(&now, &last)) {
            last = now;
            alone = true;
        } else if (!is_behind(&last, &now)) {
            alone = false;
        }
    }
    return alone || outside ? last.rank : -1;
}

int64_t watchdog_culprit(const struct rank_board *board, bool (*stopped)(int64_t pid))
{
    for (uint64_t rank = 0; stopped != NULL && rank < board->world_size; rank++) {
        int64_t pid = rank_board_at(board, rank)->pid;
        if (pid > 0 && stopped(pid))
            return (int64_t)rank;
    }
    int64_t rank = most_behind(board, true);
    return rank >= 0 ? rank : most_behind(board, false);
}

bool watchdog_is_stopped(int64_t pid)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* The state stands behind the program's name, which may hold anything. */
    const char *end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}
