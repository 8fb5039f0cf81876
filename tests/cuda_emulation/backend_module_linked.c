#include "backend_cuda.h"
#include "backend_module.h"
#include "communicator_nccl.h"
#include "cuda_describe.h"

/*
 * In the place of backend_module_load.c: the backend is linked into the program, compiled against
 * the emulation's headers, and says that it is emulated.
 */
static enum status describe(bool free_memory, struct device_description *description,
                            struct diag *diag)
{
    enum status status = cuda_describe(free_memory, description, diag);
    description->emulated = true;
    return status;
}

const struct backend_row *backend_module_load(char why[BACKEND_MODULE_WHY_SIZE])
{
    static const struct backend_row row = {
        .name = "cuda",
        .unavailable = cuda_describe_unavailable,
        .plan = backend_cuda_plan,
        .create = backend_cuda_create,
        .connect = communicator_nccl_connect,
        .describe = describe,
    };
    why[0] = '\0';
    return &row;
}
