#include "backend_cuda.h"
#include "backend_module.h"
#include "communicator_nccl.h"
#include "cuda_describe.h"

int rankledger_backend_interface(void)
{
    return backend_module_interface();
}

const struct backend_row *rankledger_backend_row(void)
{
    static const struct backend_row row = {
        .name = "cuda",
        .unavailable = cuda_describe_unavailable,
        .plan = backend_cuda_plan,
        .create = backend_cuda_create,
        .connect = communicator_nccl_connect,
        .describe = cuda_describe,
    };
    return &row;
}
