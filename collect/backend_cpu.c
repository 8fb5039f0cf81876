#include "backend_cpu.h"

#include <cblas.h>
#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 63) & ~(uint64_t)63;
}

/*
 * Denormals cost a hundred cycles each and mean nothing to training, so this thread's vector unit
 * takes them as zero and returns zero: FTZ is bit 15 of MXCSR and DAZ bit 6 (Intel SDM, volume 1,
 * 10.2.3); FZ is bit 24 of FPCR (Arm ARM, C5.2.8).
 */
static void flush_denormals(void)
{
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | (uint64_t)1 << 24));
#endif
}

/* OpenBLAS' OpenMP flavour works in the same pool of threads as our own loops. With fewer than it
 * was told of (OMP_THREAD_LIMIT) it waits for the others for ever. */
static enum status prepare_threads(int threads, struct diag *diag)
{
    int started = 0;
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    openblas_set_num_threads(threads);
#pragma omp parallel num_threads(threads) reduction(+ : started)
    {
        flush_denormals();
        started++;
    }
    if (started == threads)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "%d threads of a rank were asked for and %d started: raise OMP_THREAD_LIMIT or "
                    "give --threads %d",
                    threads, started, started);
}

void *backend_cpu_shared(const struct backend_cpu *cpu)
{
    return cpu->workspace;
}

float *backend_cpu_scratch(const struct backend_cpu *cpu)
{
    const uint64_t thread = (uint64_t)omp_get_thread_num();
    return (float *)(void *)(cpu->workspace + cpu->shared_bytes + thread * cpu->thread_bytes);
}

static void set_workspace(struct backend *backend, void *workspace)
{
    backend_cpu_of(backend)->workspace = workspace;
}

/* Per thread: six rows of C (a layer norm's), one row of logits, or attention's tiles. */
static void plan_workspace(struct backend_cpu *cpu)
{
    const struct backend_request *request = &cpu->base.request;
    uint64_t shared = backend_cpu_product_shared_bytes(request);
    shared = largest(shared, backend_cpu_norm_shared_bytes(request));
    shared = largest(shared, backend_cpu_embedding_shared_bytes(request));
    shared = largest(shared, backend_cpu_rate_shared_bytes(request));
    shared = largest(shared, (uint64_t)request->threads * sizeof(double));
    uint64_t thread = largest(6 * request->shape.width, request->shape.vocab) * sizeof(float);
    thread = largest(thread, backend_cpu_attention_forward_thread_bytes(request));
    thread = largest(thread, backend_cpu_attention_backward_thread_bytes(request));
    cpu->shared_bytes = aligned(shared);
    cpu->thread_bytes = aligned(thread);
    cpu->base.workspace_bytes = cpu->shared_bytes + (uint64_t)request->threads * cpu->thread_bytes;
}

static void fill_zero(struct backend *backend, void *to, uint64_t bytes)
{
    (void)backend;
    memset(to, 0, bytes);
}

static void copy(struct backend *backend, void *to, const void *from, uint64_t bytes)
{
    (void)backend;
    memcpy(to, from, bytes);
}

static enum status synchronise(struct backend *backend, struct diag *diag)
{
    (void)backend; /* every operator is done when it returns */
    (void)diag;
    return STATUS_OK;
}

static void destroy(struct backend *backend)
{
    free(backend);
}

static const struct backend_operations operations = {
    .name = "cpu",
    .host_memory = true,
    .reserve = backend_cpu_reserve,
    .unreserve = backend_cpu_unreserve,
    .set_workspace = set_workspace,
    .fill_zero = fill_zero,
    .copy = copy,
    .to_host = copy,
    .from_host = copy,
    .synchronise = synchronise,
    .embedding_forward = backend_cpu_embedding_forward,
    .embedding_backward = backend_cpu_embedding_backward,
    .layer_norm_forward = backend_cpu_layer_norm_forward,
    .layer_norm_backward = backend_cpu_layer_norm_backward,
    .linear_forward = backend_cpu_linear_forward,
    .linear_residual_forward = backend_cpu_linear_residual_forward,
    .linear_gelu_forward = backend_cpu_linear_gelu_forward,
    .linear_backward_input = backend_cpu_linear_backward_input,
    .linear_backward_weight = backend_cpu_linear_backward_weight,
    .attention_forward = backend_cpu_attention_forward,
    .attention_backward = backend_cpu_attention_backward,
    .cross_entropy = backend_cpu_cross_entropy,
    .loss_sum = backend_cpu_loss_sum,
    .square_sum = backend_cpu_square_sum,
    .clip = backend_cpu_clip,
    .accumulate = backend_cpu_accumulate,
    .narrow = backend_cpu_narrow_all,
    .adamw = backend_cpu_adamw,
    .matrix_product_rate = backend_cpu_matrix_product_rate,
    .destroy = destroy,
};

const char *backend_cpu_unavailable(void)
{
    return NULL;
}

/* BLAS counts rows and columns in ints. */
static enum status check_sizes(const struct model_shape *shape, struct diag *diag)
{
    const uint64_t sizes[] = {shape->micro_batch * shape->seq_len, 4 * shape->width, shape->vocab};
    static const char *const names[] = {"micro-batch x sequence length", "4 x width", "vocabulary"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] > INT_MAX)
            return diag_set(diag, STATUS_USAGE,
                            "%s is %" PRIu64 ", and the cpu backend's matrix products reach to %d",
                            names[i], sizes[i], INT_MAX);
    return STATUS_OK;
}

static void begin(struct backend_cpu *cpu, const struct backend_request *request)
{
    *cpu = (struct backend_cpu){
        .base = {.operations = &operations, .request = *request, .timeline = timeline_host},
        .rows = request->shape.micro_batch * request->shape.seq_len,
        .bf16 = request->dtype == MODEL_BF16,
        .tile = backend_cpu_tile_best(),
    };
    plan_workspace(cpu);
}

enum status backend_cpu_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                             struct diag *diag)
{
    struct backend_cpu cpu;
    enum status status = check_sizes(&request->shape, diag);
    if (status == STATUS_OK)
        status = prepare_threads(request->threads, diag);
    if (status != STATUS_OK)
        return status;
    begin(&cpu, request);
    *workspace_bytes = cpu.base.workspace_bytes;
    return STATUS_OK;
}

enum status backend_cpu_create(const struct backend_request *request, struct backend **backend,
                               struct diag *diag)
{
    uint64_t workspace_bytes;
    enum status status = backend_cpu_plan(request, &workspace_bytes, diag);
    if (status != STATUS_OK)
        return status;
    struct backend_cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL)
        return diag_no_memory(diag);
    begin(cpu, request);
    *backend = &cpu->base;
    return STATUS_OK;
}
