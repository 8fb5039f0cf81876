#include "evidence_level.h"

#include <string.h>

static const struct evidence_level rows[] = {
    {"predicted", 1, false, false},
    {"emulated_cuda", 2, false, false},
    {"single_gpu_shared", 3, false, false},
    {"imported_log", 4, true, false},
    {"published_report", 4, true, false},
    {"cpu_multi_process", 5, true, false},
    {"single_gpu", 6, true, false},
    {"real_multi_gpu_smoke", 7, false, false},
    {"real_multi_gpu_zero_stage", 8, true, true},
    {"multi_gpu", 9, true, true},
    {"multi_node_gpu", 10, true, true},
};

const struct evidence_level *evidence_level_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    }
    return NULL;
}

int evidence_level_rank(const struct evidence_level *level)
{
    return level == NULL ? 0 : level->rank;
}

const struct evidence_level *evidence_level_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
