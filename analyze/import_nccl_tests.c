#include <string.h>

#include "import.h"

static unsigned count_signs(const struct import_source *source)
{
    return import_scan_count(source, "# nThread ", 1) +
           import_scan_count(source, "out-of-place", 2);
}

static void read_text(struct import *import, const struct import_source *source)
{
    struct import_record *record = import_begin_calibration(import);
    struct import_cursor lines = {.source = source};
    struct import_line line;
    double mean = 0;
    while (import_scan_next(&lines, &line))
        if (import_scan_labelled(&line.span, "# Avg bus bandwidth    :", &mean))
            import_value(record, "avg_bus_bw", mean);
}

const struct import_format import_nccl_tests = {
    .name = "nccl-tests",
    .title = "output of an nccl-tests program",
    .sample =
        "#       size         count      type   redop    root     time   algbw   busbw #wrong",
    .matches = count_signs,
    .read = read_text,
};
