#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text.h"

void progress_start(struct progress *progress)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    progress->enabled = isatty(STDERR_FILENO) == 1 && (no_colour == NULL || no_colour[0] == '\0') &&
                        terminal != NULL && strcmp(terminal, "dumb") != 0;
    progress->drawn = false;
}

/* Mean seconds of the steps so far, without the first, which is slower; NAN without any. */
static double step_seconds(const struct rank_record *record)
{
    uint64_t count = __atomic_load_n(&record->step_count, __ATOMIC_ACQUIRE);
    if (count > record->step_capacity)
        count = record->step_capacity;
    uint64_t first = count > 1 ? 1 : 0;
    double sum = 0;
    for (uint64_t s = first; s < count; s++)
        sum += (double)record->steps[s].total_ns / 1e9;
    return count > first ? sum / (double)(count - first) : NAN;
}

const char *progress_line(const struct progress *progress, const struct rank_board *board,
                          char *text, size_t size)
{
    char round[64] = "";
    char tokens[64];
    const struct rank_record *record = rank_board_least_advanced(board);
    uint64_t done = record->step_count;
    double seconds = step_seconds(record);
    if (progress->rounds > 1)
        snprintf(round, sizeof round, "  round %" PRIu64 "/%" PRIu64, progress->round + 1,
                 progress->rounds);
    if (done == 0 || done >= progress->steps || isnan(seconds) || seconds <= 0)
        snprintf(text, size, "%s%s  %s", progress->name, round, rank_phase_name(record->phase));
    else
        snprintf(text, size, "%s%s  step %" PRIu64 "/%" PRIu64 "  %s tokens/s  %.0f s left",
                 progress->name, round, done, progress->steps,
                 text_number(tokens, sizeof tokens, progress->tokens / seconds, 3),
                 ceil((double)(progress->steps - done) * seconds));
    return text;
}

/* Columns that a line may take: the last one stays free, because some terminals begin a new line
 * when it is written, and a line that was broken cannot be drawn over. */
static size_t columns(void)
{
    struct winsize window = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return 79;
    return window.ws_col - 1U;
}

void progress_look(void *context, const struct rank_board *board)
{
    struct progress *progress = context;
    char text[160];
    if (!progress->enabled)
        return;
    /* Back to the first column, the text, and whatever stood behind it wiped. */
    progress_line(progress, board, text, sizeof text);
    fprintf(stderr, "\r%.*s\033[K", (int)text_prefix(text, strlen(text), columns()), text);
    (void)fflush(stderr);
    progress->drawn = true;
}

void progress_end(struct progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    progress->drawn = false;
}
