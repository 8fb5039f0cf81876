#include "import_nccl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void import_nccl_init(struct import_nccl_run *run, struct import *import, size_t first_line)
{
    *run = (struct import_nccl_run){.import = import,
                                    .ranks = NAN,
                                    .average = NAN,
                                    .out_of_bounds = NAN,
                                    .first_line = first_line};
}

/* A run makes a row a size, and a line a GPU. */
#define MOST_ITEMS 100000

/* A list with room for one more: doubled, so that the arena holds at most twice as much. */
static void *grow(struct import *import, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count == MOST_ITEMS)
        import_refuse(import, 0, "more than %d rows or devices in one run of nccl-tests",
                      MOST_ITEMS);
    if (count < *capacity)
        return items;
    size_t larger = *capacity > 0 ? 2 * *capacity : 64;
    void *memory = import_take(import, larger, size);
    if (memory == NULL)
        return NULL;
    if (count > 0)
        memcpy(memory, items, count * size);
    *capacity = larger;
    return memory;
}

struct import_nccl_row *import_nccl_add_row(struct import_nccl_run *run)
{
    struct import_nccl_row *rows =
        grow(run->import, run->rows, run->row_count, &run->row_capacity, sizeof *rows);
    if (rows == NULL)
        return NULL;
    run->rows = rows;
    struct import_nccl_row *row = &rows[run->row_count++];
    const struct import_nccl_rate nothing = {NAN, NAN, NAN, NAN};
    *row = (struct import_nccl_row){.bytes = NAN, .root = NAN, .place = {nothing, nothing}};
    return row;
}

struct import_nccl_device *import_nccl_add_device(struct import_nccl_run *run)
{
    struct import_nccl_device *devices =
        grow(run->import, run->devices, run->device_count, &run->device_capacity, sizeof *devices);
    if (devices == NULL)
        return NULL;
    run->devices = devices;
    struct import_nccl_device *device = &devices[run->device_count++];
    *device = (struct import_nccl_device){.rank = NAN};
    return device;
}

void import_nccl_version(struct import_nccl_run *run, double code)
{
    int whole = code >= 1000 && code < 1e6 ? (int)code : 0;
    int major = whole >= 10000 ? whole / 10000 : whole / 1000;
    int minor = whole >= 10000 ? whole % 10000 / 100 : whole % 1000 / 100;
    if (whole > 0)
        snprintf(run->nccl, sizeof run->nccl, "%d.%d.%d", major, minor, whole % 100);
}

bool import_nccl_has_content(const struct import_nccl_run *run)
{
    return run->row_count > 0 || run->error.length > 0;
}

/* ---- Collectives ---- */

static double factor_all_reduce(double ranks)
{
    return 2 * (ranks - 1) / ranks;
}

double import_nccl_factor_of_parts(double ranks)
{
    return (ranks - 1) / ranks;
}

static double factor_one(double ranks)
{
    return ranks > 1 ? 1 : 0;
}

/* Of a hypercube the factor is not documented. */
static double factor_unknown(double ranks)
{
    (void)ranks;
    return NAN;
}

static const struct import_nccl_collective collectives[] = {
    {"all_reduce_perf", "all_reduce", factor_all_reduce, true, false},
    {"reduce_scatter_perf", "reduce_scatter", import_nccl_factor_of_parts, true, false},
    {"all_gather_perf", "all_gather", import_nccl_factor_of_parts, false, false},
    {"broadcast_perf", "broadcast", factor_one, false, true},
    {"reduce_perf", "reduce", factor_one, true, true},
    {"alltoall_perf", "all_to_all", import_nccl_factor_of_parts, false, false},
    {"alltoallv_perf", "all_to_all_v", factor_unknown, false, false},
    {"sendrecv_perf", "send_receive", factor_one, false, false},
    {"gather_perf", "gather", import_nccl_factor_of_parts, false, true},
    {"scatter_perf", "scatter", import_nccl_factor_of_parts, false, true},
    {"hypercube_perf", "hypercube", factor_unknown, false, false},
};
#define COUNT (sizeof collectives / sizeof collectives[0])

const struct import_nccl_collective *import_nccl_find(struct import_span program)
{
    for (size_t i = 0; i < COUNT; i++)
        if (import_scan_is(&program, collectives[i].program))
            return &collectives[i];
    return NULL;
}

/* The row whose bandwidth has most digits: that with the largest. */
static const struct import_nccl_row *fastest(const struct import_nccl_run *run)
{
    const struct import_nccl_row *best = NULL;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct import_nccl_rate *rate = &run->rows[i].place[IMPORT_NCCL_OUT_OF_PLACE];
        if (rate->algbw > 0 && rate->busbw > 0 &&
            (best == NULL || rate->algbw > best->place[IMPORT_NCCL_OUT_OF_PLACE].algbw))
            best = &run->rows[i];
    }
    return best;
}

/*
 * Whether the columns can be this collective's. An all-gather's in-place result is checked, that of
 * an all-to-all and a send-receive is not (reportErrors in their sources).
 */
static bool can_be(const struct import_nccl_collective *collective,
                   const struct import_nccl_row *row, double ranks)
{
    const struct import_nccl_rate *out = &row->place[IMPORT_NCCL_OUT_OF_PLACE];
    const struct import_nccl_rate *in = &row->place[IMPORT_NCCL_IN_PLACE];
    bool reduces = row->redop.length > 0 && !import_scan_is(&row->redop, "none");
    double factor = collective->factor(ranks);
    if (collective->reduces != reduces || collective->has_root != (row->root >= 0))
        return false;
    if (!reduces && isfinite(out->wrong) && !isnan(in->algbw) &&
        isfinite(in->wrong) !=
            (strcmp(collective->collective, "all_gather") == 0 || collective->has_root))
        return false;
    return isnan(factor) || fabs(out->busbw / out->algbw - factor) < 0.02 * factor;
}

const struct import_nccl_collective *import_nccl_deduce(const struct import_nccl_run *run)
{
    const struct import_nccl_row *row = fastest(run);
    const struct import_nccl_collective *found = NULL;
    if (row == NULL || !(run->ranks >= 2))
        return NULL;
    for (size_t i = 0; i < COUNT; i++) {
        if (!can_be(&collectives[i], row, run->ranks))
            continue;
        if (found != NULL)
            return NULL;
        found = &collectives[i];
    }
    return found;
}
