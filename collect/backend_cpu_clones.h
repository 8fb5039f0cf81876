#ifndef RANKLEDGER_BACKEND_CPU_CLONES_H
#define RANKLEDGER_BACKEND_CPU_CLONES_H

#include <stdlib.h> /* defines __GLIBC__ where that is the library */

/*
 * Marks a function of plain loops that is compiled once for any x86-64, once with AVX2 and FMA and
 * once with AVX-512; the loader picks. GCC and glibc only (clang 14 has no such attribute for C,
 * other libraries no indirect functions); elsewhere the one version of the target is used. Tests
 * define BACKEND_CPU_ONE_VERSION, to run that of the target alone.
 */
#if !defined(BACKEND_CPU_ONE_VERSION) && defined(__x86_64__) && defined(__GLIBC__) &&              \
    defined(__GNUC__) && !defined(__clang__)
#define BACKEND_CPU_CLONES                                                                         \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define BACKEND_CPU_CLONES
#endif

#endif
