#include "backend_cpu_tile.h"

#include "backend_cpu_tile_body.h"

static bool always(void)
{
    return true;
}

static void plain(const struct backend_cpu_tile_product *product)
{
    backend_cpu_tile_all(product);
}

#if defined(__x86_64__) && !defined(BACKEND_CPU_ONE_VERSION)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const struct backend_cpu_tile_version backend_cpu_tile_versions[] = {
    {"plain", always, plain},
#if defined(__x86_64__) && !defined(BACKEND_CPU_ONE_VERSION)
    {"avx2", has_avx2, backend_cpu_tile_avx2},
    {"avx512", has_avx512, backend_cpu_tile_avx512},
#endif
};
const size_t backend_cpu_tile_version_count =
    sizeof backend_cpu_tile_versions / sizeof backend_cpu_tile_versions[0];

const struct backend_cpu_tile_version *backend_cpu_tile_best(void)
{
    size_t best = backend_cpu_tile_version_count - 1;
    while (!backend_cpu_tile_versions[best].supported())
        best--;
    return &backend_cpu_tile_versions[best];
}
