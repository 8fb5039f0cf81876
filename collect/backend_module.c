#include "backend_module.h"

static enum status load(const struct backend_row **row, struct diag *diag)
{
    char why[BACKEND_MODULE_WHY_SIZE];
    *row = backend_module_load(why);
    return *row != NULL ? STATUS_OK : diag_set(diag, STATUS_ENVIRONMENT, "backend cuda: %s", why);
}

const char *backend_module_unavailable(void)
{
    static char why[BACKEND_MODULE_WHY_SIZE]; /* it names files and versions */
    const struct backend_row *row = backend_module_load(why);
    return row != NULL ? row->unavailable() : why;
}

enum status backend_module_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                                struct diag *diag)
{
    const struct backend_row *row = NULL;
    enum status status = load(&row, diag);
    return status == STATUS_OK ? row->plan(request, workspace_bytes, diag) : status;
}

enum status backend_module_create(const struct backend_request *request, struct backend **backend,
                                  struct diag *diag)
{
    const struct backend_row *row = NULL;
    enum status status = load(&row, diag);
    return status == STATUS_OK ? row->create(request, backend, diag) : status;
}

enum status backend_module_connect(struct backend *backend, struct communicator *host,
                                   size_t ticket_count, struct communicator **communicator,
                                   struct diag *diag)
{
    const struct backend_row *row = NULL;
    enum status status = load(&row, diag);
    return status == STATUS_OK ? row->connect(backend, host, ticket_count, communicator, diag)
                               : status;
}

enum status backend_module_describe(bool free_memory, struct device_description *description,
                                    struct diag *diag)
{
    const struct backend_row *row = NULL;
    enum status status = load(&row, diag);
    return status == STATUS_OK ? row->describe(free_memory, description, diag) : status;
}
