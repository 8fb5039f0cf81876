#ifndef RANKLEDGER_GROUPS_TABLE_H
#define RANKLEDGER_GROUPS_TABLE_H

#include <stddef.h>

#include "arena.h"
#include "text_buffer.h"

/* A group in one line; texts as they come, numbers NAN where not measured. */
struct groups_table_row {
    const char *label;
    const char *decision, *rule;
    const char *strategy;        /* selected; NULL: none */
    const char *throughput_unit; /* NULL: not measured */
    double throughput, peak_mb;
    double records;
};

/* An aligned table of them, indented; everything from input is made safe to print. */
void groups_table_print(const struct groups_table_row *rows, size_t count, struct arena *arena,
                        struct text_buffer *out);

#endif
