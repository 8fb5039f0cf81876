#include "communication_bars.h"

#include <math.h>
#include <string.h>

#define BYTES_PER_MIB 1048576.0
/* A kibibyte is less than a pixel beside anything that is worth sharding. */
#define SCALAR_MB (1.0 / 1024)

static double amount_or_nan(double value)
{
    return isfinite(value) && value >= 0 ? value : NAN;
}

static bool is_scalar(const struct communication_bar *bar)
{
    if (bar->purpose != NULL && strncmp(bar->purpose, "scalar", 6) == 0)
        return true;
    double most = communication_bars_reach(bar);
    return most > 0 && most < SCALAR_MB;
}

static void find_alone(const struct summary_candidate *candidate, struct communication_bar *bar)
{
    double call_mb = bar->calls > 0 ? bar->counted_mb / bar->calls : bar->counted_mb;
    double nearest = INFINITY;
    for (size_t i = 0; i < candidate->link_count; i++) {
        const struct summary_link *link = &candidate->links[i];
        double distance = fabs(log(link->payload_mb / call_mb));
        if (link->collective == NULL || bar->collective == NULL ||
            strcmp(link->collective, bar->collective) != 0 || !isfinite(link->bus_gb_per_s) ||
            !(distance < nearest))
            continue;
        nearest = distance;
        bar->alone_gb_per_s = link->bus_gb_per_s;
        bar->alone_mb = link->payload_mb;
    }
}

static struct communication_bar bar_of(const struct summary_candidate *candidate,
                                       const struct summary_collective *row)
{
    struct communication_bar bar = {.collective = row->collective,
                                    .purpose = row->purpose,
                                    .calls = amount_or_nan(row->calls),
                                    .expected_calls = amount_or_nan(row->expected_calls),
                                    .counted_mb = amount_or_nan(row->payload_mb),
                                    .expected_mb = amount_or_nan(row->expected_mb),
                                    .bus_gb_per_s = amount_or_nan(row->bus_gb_per_s),
                                    .alone_gb_per_s = NAN,
                                    .alone_mb = NAN};
    find_alone(candidate, &bar);
    return bar;
}

static void add(struct communication_bars *bars, const struct communication_bar *bar)
{
    if (is_scalar(bar) && bars->scalar_count < COMMUNICATION_BARS_SCALARS)
        bars->scalars[bars->scalar_count++] = *bar;
    else if (!is_scalar(bar) && bars->count < COMMUNICATION_BARS_MOST)
        bars->items[bars->count++] = *bar;
    else
        bars->left_out++;
}

void communication_bars_of(const struct summary_candidate *candidate,
                           struct communication_bars *bars)
{
    *bars = (struct communication_bars){.count = 0};
    for (size_t i = 0; i < candidate->collective_count; i++) {
        struct communication_bar bar = bar_of(candidate, &candidate->collectives[i]);
        add(bars, &bar);
    }
    double formula = amount_or_nan(candidate->formula_payload_mb);
    if (candidate->collective_count > 0 || !(formula > 0))
        return;
    bars->items[bars->count++] = (struct communication_bar){.collective = "all",
                                                            .calls = NAN,
                                                            .expected_calls = NAN,
                                                            .counted_mb = NAN,
                                                            .expected_mb = formula,
                                                            .bus_gb_per_s = NAN,
                                                            .alone_gb_per_s = NAN,
                                                            .alone_mb = NAN};
}

double communication_bars_difference(const struct communication_bar *bar)
{
    return (bar->counted_mb - bar->expected_mb) * BYTES_PER_MIB;
}

double communication_bars_reach(const struct communication_bar *bar)
{
    double counted = isnan(bar->counted_mb) ? 0 : bar->counted_mb;
    return fmax(counted, isnan(bar->expected_mb) ? 0 : bar->expected_mb);
}
