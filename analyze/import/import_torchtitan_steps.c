#include <math.h>
#include <stdlib.h>

#include "import_torchtitan.h"

static int compare(const void *left, const void *right)
{
    const struct import_torchtitan_line *a = left;
    const struct import_torchtitan_line *b = right;
    if (a->attempt != b->attempt)
        return a->attempt < b->attempt ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static struct import_torchtitan_step first_line(const struct import_torchtitan_line *line)
{
    return (struct import_torchtitan_step){.step = line->step,
                                           .time_ms = line->time_ms,
                                           .loss = line->loss,
                                           .grad_norm = line->grad_norm,
                                           .has_loss = line->has_loss,
                                           .has_norm = line->has_norm,
                                           .tps = line->tps,
                                           .tflops = line->tflops,
                                           .mfu = line->mfu,
                                           .event = line->event,
                                           .attempt = line->attempt,
                                           .line = line->line};
}

/* Another rank's line of the same step. The slowest rank's rate is the step's; the loss is a mean
 * over ranks, but -1 on a pipeline stage that has none. */
static void join(struct import_torchtitan_step *step, const struct import_torchtitan_line *line)
{
    if (isnan(step->tps) || line->tps < step->tps) {
        step->tps = line->tps;
        step->tflops = line->tflops;
        step->mfu = line->mfu;
    }
    if (!step->has_loss) {
        step->has_loss = line->has_loss;
        step->loss = line->loss;
    }
    if (!step->has_norm) {
        step->has_norm = line->has_norm;
        step->grad_norm = line->grad_norm;
    }
    if (step->event.name == NULL)
        step->event = line->event;
}

void import_torchtitan_steps(struct import_torchtitan_run *run)
{
    if (run->line_count == 0)
        return;
    run->steps = import_take(run->import, run->line_count, sizeof *run->steps);
    if (run->steps == NULL)
        return;
    qsort(run->lines, run->line_count, sizeof *run->lines, compare);
    for (size_t i = 0; i < run->line_count; i++) {
        const struct import_torchtitan_line *line = &run->lines[i];
        struct import_torchtitan_step *last =
            run->step_count > 0 ? &run->steps[run->step_count - 1] : NULL;
        if (last != NULL && last->attempt == line->attempt && last->step == line->step) {
            join(last, line);
            if (run->joined_line == 0)
                run->joined_line = line->line;
            continue;
        }
        bool first = last == NULL || last->attempt != line->attempt;
        run->steps[run->step_count] = first_line(line);
        /* Compilation and allocation fall into the first step that a process logs. */
        run->steps[run->step_count++].warm_up =
            first && (line->step <= 1 || line->attempt > 0 || run->started);
    }
}
