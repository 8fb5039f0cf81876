#include "import_losses.h"

#include <math.h>

/* What a loss or a norm may be in a record; another is null there. */
static double usable(double value)
{
    return isfinite(value) && value >= 0 ? value : NAN;
}

void import_losses_add(struct import *import, struct import_losses *losses,
                       const struct import_loss *read)
{
    struct import_sample *steps = &losses->steps;
    while (steps->count > 0 && steps->values[steps->count - 1] >= read->step)
        losses->losses.count = losses->norms.count = --steps->count;
    import_sample_add(import, steps, read->step, read->line);
    import_sample_add(import, &losses->losses, read->has_loss ? usable(read->loss) : NAN,
                      read->line);
    import_sample_add(import, &losses->norms, read->has_norm ? usable(read->norm) : NAN,
                      read->line);
    if (!(read->has_loss && !isfinite(read->loss)) && !(read->has_norm && !isfinite(read->norm)))
        return;
    losses->not_finite++;
    if (losses->not_finite_line == 0)
        losses->not_finite_line = read->line;
}

/* Steps count from 1, in train_gpt2.c from 0. */
static bool is_every_step(const struct import_sample *steps)
{
    if (steps->values[0] > 1)
        return false;
    for (size_t i = 1; i < steps->count; i++)
        if (steps->values[i] != steps->values[i - 1] + 1)
            return false;
    return true;
}

static bool has_any(const struct import_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        if (!isnan(sample->values[i]))
            return true;
    return false;
}

void import_losses_write(struct import_record *record, const struct import_losses *losses)
{
    size_t count = losses->losses.count;
    if (losses->steps.count == 0 || count == 0)
        return;
    if (losses->not_finite > 0) {
        import_value(record, "steps_not_finite", (double)losses->not_finite);
        import_warn(record, losses->not_finite_line,
                    "the loss or norm of %zu lines is not a finite number, first here",
                    losses->not_finite);
    }
    bool printed = has_any(&losses->losses) || losses->not_finite > 0 || losses->hidden;
    bool normed = has_any(&losses->norms);
    if (printed) {
        import_value(record, "loss_first", losses->losses.values[0]);
        import_value(record, "loss_last", losses->losses.values[count - 1]);
    }
    if (is_every_step(&losses->steps)) {
        if (printed)
            import_sample_write(record, "metrics.losses", &losses->losses);
        if (normed)
            import_sample_write(record, "metrics.grad_norms", &losses->norms);
        return;
    }
    import_sample_keep(record, "steps", &losses->steps);
    if (printed)
        import_sample_keep(record, "losses", &losses->losses);
    if (normed)
        import_sample_keep(record, "grad_norms", &losses->norms);
}
