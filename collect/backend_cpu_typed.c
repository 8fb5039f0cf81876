#include "backend_cpu.h"
#include "backend_cpu_run.h"

const float *backend_cpu_read(const struct backend_cpu *cpu, const void *typed, uint64_t offset,
                              uint64_t count, float *scratch)
{
    if (!cpu->bf16)
        return (const float *)typed + offset;
    backend_cpu_run_widen(scratch, (const uint16_t *)typed + offset, count);
    return scratch;
}

float *backend_cpu_begin_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                               float *scratch)
{
    return cpu->bf16 ? scratch : (float *)typed + offset;
}

float *backend_cpu_begin_change(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                                uint64_t count, float *scratch)
{
    backend_cpu_read(cpu, typed, offset, count, scratch);
    return backend_cpu_begin_write(cpu, typed, offset, scratch);
}

void backend_cpu_end_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                           uint64_t count, const float *written)
{
    if (cpu->bf16)
        backend_cpu_run_narrow((uint16_t *)typed + offset, written, count);
}
