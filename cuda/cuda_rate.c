#include "cuda_rate.h"

#include <stdlib.h>

#include "backend_cuda.h"
#include "cuda_fill.h"
#include "cuda_workspace.h"

/*
 * An H200 is at its best from about 4096 on: 512 blocks of 256 x 128, four rounds of its
 * multiprocessors. A model that is smaller than that gets a yardstick of its own size, so that the
 * yardstick does not decide how much memory a small run takes.
 */
static uint64_t rate_size(const struct backend_request *request)
{
    enum { LEAST = 128, MOST = 4096 };
    uint64_t size = LEAST;
    while (size < MOST && size < 2 * request->shape.width)
        size *= 2;
    return size;
}

static uint64_t matrix_bytes(const struct backend_request *request)
{
    const uint64_t size = rate_size(request);
    return cuda_workspace_aligned(size * size * model_dtype_bytes(request->dtype));
}

uint64_t cuda_rate_workspace_bytes(const struct backend_request *request)
{
    return CUDA_WORKSPACE_ALIGNMENT + 2 * matrix_bytes(request);
}

static struct cuda_product_shape rate_shape(const struct backend_request *request)
{
    const uint64_t size = rate_size(request);
    const struct cuda_product_layout layout = {.stride = size};
    return (struct cuda_product_shape){.rows = size,
                                       .columns = size,
                                       .depth = size,
                                       .batch = 1,
                                       .a = layout,
                                       .b = layout,
                                       .b_transposed = 1,
                                       .out = layout};
}

enum status cuda_rate_plan(struct cuda_products *products, const struct backend_request *request,
                           struct diag *diag)
{
    const struct cuda_product_shape shape = rate_shape(request);
    return cuda_products_plan(products, &shape, diag);
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of one product between two events; this waits for it. Another goes before, so that
 * the first event and the product are asked for while the device is busy: on an idle one the
 * product's way to it would count, some microseconds of about 200. */
static float time_once(struct backend_cuda *cuda, const cudaEvent_t events[2],
                       const struct cuda_product_operands *operands)
{
    const struct cuda_product_shape shape = rate_shape(&cuda->base.request);
    float milliseconds = 0;
    cuda_products_multiply(cuda, &shape, operands);
    cudaError_t error = cudaEventRecord(events[0], cuda->compute);
    cuda_products_multiply(cuda, &shape, operands);
    if (error == cudaSuccess)
        error = cudaEventRecord(events[1], cuda->compute);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(events[1]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, events[0], events[1]);
    cuda_error_note(&cuda->error, "timing a matrix product", error);
    return milliseconds;
}

/* The median of `count` times; one more to warm up comes before. */
static double median_milliseconds(struct backend_cuda *cuda, const cudaEvent_t events[2],
                                  const struct cuda_product_operands *operands, int repeats)
{
    enum { MOST = 64 };
    float times[MOST];
    const int count = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    for (int i = -1; i < count; i++)
        times[i < 0 ? 0 : i] = time_once(cuda, events, operands);
    qsort(times, (size_t)count, sizeof times[0], ascending);
    return ((double)times[(count - 1) / 2] + (double)times[count / 2]) / 2;
}

/* A matrix times what begins a little behind it: cuBLASLt has a refusal for A and B that are one
 * ("Matrix pointers A and B cannot point to the same matrix"). The numbers vary: a product of
 * constants draws less power, and runs faster, than any real one. */
double backend_cuda_matrix_product_rate(struct backend *backend, int repeats)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const double size = (double)rate_size(&backend->request);
    const uint64_t bytes = matrix_bytes(&backend->request);
    unsigned char *a = cuda_workspace_operator(cuda);
    unsigned char *b = a + CUDA_WORKSPACE_ALIGNMENT;
    const struct cuda_product_operands operands = {.a = a, .b = b, .out = b + bytes, .scale = 1};
    const uint64_t count =
        (CUDA_WORKSPACE_ALIGNMENT + bytes) / model_dtype_bytes(backend->request.dtype);
    cudaEvent_t events[2] = {NULL, NULL};
    cuda_error_note(&cuda->error, "filling matrices",
                    cuda_fill(a, count, cuda->bf16, cuda->compute));
    double milliseconds = 0;
    cudaError_t error = cudaEventCreate(&events[0]);
    if (error == cudaSuccess)
        error = cudaEventCreate(&events[1]);
    cuda_error_note(&cuda->error, "creating events", error);
    if (error == cudaSuccess)
        milliseconds = median_milliseconds(cuda, events, &operands, repeats);
    for (int i = 0; i < 2; i++)
        if (events[i] != NULL)
            (void)cudaEventDestroy(events[i]);
    /* A product that was not made takes no time. */
    return milliseconds > 0 && !cuda_error_failed(&cuda->error)
               ? 2 * size * size * size / (milliseconds * 1e-3)
               : 0;
}
