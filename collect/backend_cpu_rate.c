#include <cblas.h>
#include <stdlib.h>
#include <time.h>

#include "backend_cpu.h"

/*
 * The yardstick's size: where OpenBLAS is at its best (measured: from 512 on one thread it no
 * longer gains, and many threads need more rows to share).
 */
static uint64_t rate_size(int threads)
{
    if (threads <= 2)
        return 768;
    return threads <= 8 ? 1536 : 2304;
}

uint64_t backend_cpu_rate_shared_bytes(const struct backend_request *request)
{
    const uint64_t size = rate_size(request->threads);
    return 3 * size * size * sizeof(float);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double backend_cpu_matrix_product_rate(struct backend *backend, int repeats)
{
    enum { MOST = 64 };
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const uint64_t size = rate_size(backend->request.threads);
    float *a = backend_cpu_shared(cpu);
    float *b = a + size * size, *c = b + size * size;
    for (uint64_t i = 0; i < 2 * size * size; i++)
        a[i] = (float)(i % 17) - 8.0f;
    const int count = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    double times[MOST];
    for (int i = -1; i < count; i++) { /* one to warm up */
        const double start = seconds();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)size, (int)size, (int)size, 1,
                    a, (int)size, b, (int)size, 0, c, (int)size);
        times[i < 0 ? 0 : i] = seconds() - start;
    }
    qsort(times, (size_t)count, sizeof times[0], ascending);
    const double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    return 2.0 * (double)size * (double)size * (double)size / median;
}
