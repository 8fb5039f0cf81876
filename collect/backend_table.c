#include <string.h>

#include "backend_cpu.h"
#include "backend_module.h"

/* "auto" takes the first that this machine can run. */
const struct backend_row backend_table[] = {
    {
        .name = "cuda",
        .unavailable = backend_module_unavailable,
        .plan = backend_module_plan,
        .create = backend_module_create,
        .connect = backend_module_connect,
        .describe = backend_module_describe,
    },
    {
        .name = "cpu",
        .unavailable = backend_cpu_unavailable,
        .plan = backend_cpu_plan,
        .create = backend_cpu_create,
    },
};
const size_t backend_table_count = sizeof backend_table / sizeof backend_table[0];

const struct backend_row *backend_find(const char *name)
{
    for (size_t i = 0; i < backend_table_count; i++)
        if (strcmp(backend_table[i].name, name) == 0)
            return &backend_table[i];
    return NULL;
}

enum status backend_connect(const struct backend_row *row, struct backend *backend,
                            struct communicator *host, size_t ticket_count,
                            struct communicator **communicator, struct diag *diag)
{
    if (row->connect != NULL)
        return row->connect(backend, host, ticket_count, communicator, diag);
    *communicator = host;
    return STATUS_OK;
}
