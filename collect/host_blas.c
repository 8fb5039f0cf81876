#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host_info.h"

/* OpenBLAS' numbers for its flavours (cblas.h, OPENBLAS_OPENMP). */
void host_info_load_blas(struct host_info_blas *blas)
{
    *blas = (struct host_info_blas){.openmp = openblas_get_parallel() == OPENBLAS_OPENMP};
    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": name and version are enough. */
    const char *text = openblas_get_config();
    size_t name = strcspn(text, " ");
    size_t version = text[name] == ' ' ? strcspn(text + name + 1, " ") + 1 : 0;
    snprintf(blas->name, sizeof blas->name, "%.*s", (int)(name + version), text);
    snprintf(blas->kernels, sizeof blas->kernels, "%s", openblas_get_corename());
}

#if defined(__x86_64__)
/* What OpenBLAS' SkylakeX kernels are compiled for (its Makefile.x86_64: -march=skylake-avx512). */
static bool has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
#else
static bool has_avx512(void)
{
    return false;
}
#endif

const char *host_info_better_kernels(const struct host_info_blas *blas)
{
    static const char *const avx2[] = {"Haswell", "Zen", "Excavator"};
    if (getenv("OPENBLAS_CORETYPE") != NULL || !has_avx512())
        return NULL;
    for (size_t i = 0; i < sizeof avx2 / sizeof avx2[0]; i++)
        if (strcasecmp(blas->kernels, avx2[i]) == 0)
            return "SkylakeX";
    return NULL;
}
