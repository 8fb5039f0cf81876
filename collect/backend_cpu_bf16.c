#include "backend_cpu.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"

BACKEND_CPU_CLONES void backend_cpu_widen_run(float *restrict to, const uint16_t *restrict from,
                                              uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = backend_cpu_widen(from[i]);
}

BACKEND_CPU_CLONES void backend_cpu_narrow_run(uint16_t *restrict to, const float *restrict from,
                                               uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = backend_cpu_narrow(from[i]);
}

void *backend_cpu_at(const struct backend_cpu *cpu, const void *typed, uint64_t offset)
{
    /* One function for tensors that are read and that are written: the caller knows which. */
    const uintptr_t address = (uintptr_t)typed;
    return (void *)(address + offset * (cpu->bf16 ? 2 : 4));
}

const float *backend_cpu_read(const struct backend_cpu *cpu, const void *typed, uint64_t offset,
                              uint64_t count, float *scratch)
{
    if (!cpu->bf16)
        return (const float *)typed + offset;
    backend_cpu_widen_run(scratch, (const uint16_t *)typed + offset, count);
    return scratch;
}

float *backend_cpu_begin_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                               float *scratch)
{
    return cpu->bf16 ? scratch : (float *)typed + offset;
}

void backend_cpu_end_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                           uint64_t count, const float *written)
{
    if (cpu->bf16)
        backend_cpu_narrow_run((uint16_t *)typed + offset, written, count);
}
