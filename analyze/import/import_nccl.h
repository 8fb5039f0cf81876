#ifndef RANKLEDGER_IMPORT_NCCL_H
#define RANKLEDGER_IMPORT_NCCL_H

#include "import.h"

/*
 * What one run of an nccl-tests program measured, from its text or its JSON. Private to
 * import_nccl*.c.
 *
 * Source of the formats: NVIDIA/nccl-tests, src/common.cu and src/util.cu over the years;
 * doc/PERFORMANCE.md for the bandwidths: algbw = S/t with S the size of the whole array, busbw =
 * algbw times a factor of the collective. GB/s are 10^9 bytes/s.
 */

enum import_nccl_place { IMPORT_NCCL_OUT_OF_PLACE, IMPORT_NCCL_IN_PLACE, IMPORT_NCCL_PLACES };

/* NAN: not told. */
struct import_nccl_rate {
    double ms;
    double algbw, busbw; /* GB/s */
    double wrong;        /* values that came out wrong; NAN: not checked */
};

struct import_nccl_row {
    double bytes; /* of the whole array */
    struct import_span type, redop;
    double root; /* NAN or negative: there is none */
    struct import_nccl_rate place[IMPORT_NCCL_PLACES];
    size_t line;
};

/* One line of the list of devices. */
struct import_nccl_device {
    double rank, group;
    struct import_span host, name;
};

struct import_nccl_run {
    struct import *import;
    struct import_nccl_row *rows;
    size_t row_count, row_capacity;
    struct import_nccl_device *devices;
    size_t device_count, device_capacity;
    struct import_span program; /* "all_reduce_perf"; length 0: not told */
    size_t program_line;
    double ranks; /* of the communicator; NAN: not told */
    size_t ranks_line;
    double average; /* "Avg bus bandwidth", GB/s; NAN: not told */
    size_t average_line;
    bool below_minimum;   /* the average is below what the environment demanded of it */
    double out_of_bounds; /* NAN: not told */
    size_t out_of_bounds_line;
    bool cpu_time;            /* the times are of the calls on the CPU */
    struct import_span error; /* what ended it */
    size_t error_line;
    size_t incomplete, incomplete_line; /* rows that could not be read; the first of them */
    char nccl[32];                      /* version; "": not told */
    size_t first_line;
};

/* Nothing told. */
void import_nccl_init(struct import_nccl_run *run, struct import *import, size_t first_line);

/* Room for one more, zeroed but for what is NAN; NULL: memory exhausted, or there are so many that
 * this cannot be a run of nccl-tests (the import has failed). */
struct import_nccl_row *import_nccl_add_row(struct import_nccl_run *run);
struct import_nccl_device *import_nccl_add_device(struct import_nccl_run *run);

/* Notes "2.26.6" of 22606 (NCCL_VERSION_CODE in nccl.h, before 2.9 with three digits). */
void import_nccl_version(struct import_nccl_run *run, double code);

/* Whether anything was measured or failed. */
bool import_nccl_has_content(const struct import_nccl_run *run);

/* A calibration document of what was measured, with warnings where it does not add up. */
void import_nccl_write(struct import_nccl_run *run);

/* The collectives, by the program's name. */
struct import_nccl_collective {
    const char *program;    /* "all_reduce_perf" */
    const char *collective; /* as our own collector names it, where it has it */
    /* busbw over algbw for n ranks */
    double (*factor)(double ranks);
    bool reduces, has_root;
};

/* The factor of the collectives that each rank has a part of. */
double import_nccl_factor_of_parts(double ranks);

const struct import_nccl_collective *import_nccl_find(struct import_span program);

/* The only collective that the columns can be of; NULL: several can. */
const struct import_nccl_collective *import_nccl_deduce(const struct import_nccl_run *run);

/* The JSON of version 2 and 3 (option -J). */
void import_nccl_read_json(struct import *import, const struct import_source *source);

#endif
