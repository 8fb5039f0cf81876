#ifndef CUDA_EMULATION_H
#define CUDA_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime.h"

/*
 * A device in the host's memory, for tests: the backend's own sources, compiled against the headers
 * in include/, run on it unchanged. For C and C++.
 *
 * What it does as a device: runs kernels block by block, a fiber a thread. What it does otherwise:
 * every operation runs when the host asks for it, whole, in the order of the calls, so that streams
 * never overlap; what only their order keeps right is checked from the log (below). Device memory
 * is closed to host code and starts out as NaN. What a device would not do right ends the process
 * with a sentence on standard error ("CUDA emulation: ...") and SIGABRT.
 *
 * The environment, read at the first call; bytes may end in K, M or G (powers of 1024):
 *
 * CUDA_EMULATION_DEVICES: number of devices (1); 0: none
 *
 * CUDA_EMULATION_NAMES: their names, separated by commas; one that lacks is the last one's
 *
 * CUDA_EMULATION_MEMORY: bytes of each (1G)
 *
 * CUDA_EMULATION_OTHERS: bytes of each that other processes hold (0)
 *
 * CUDA_EMULATION_PEERS: 0: no device can access another's memory (1)
 *
 * CUDA_EMULATION_DRIVER: the CUDA version that the driver serves (13000); below the runtime's own
 * every call answers cudaErrorInsufficientDriver
 *
 * CUDA_EMULATION_FAIL: failures, separated by commas, as in cuda_emulation_fail: CALL:N:ERROR or
 * DEVICE/CALL:N:ERROR, e.g. "1/cudaLaunchKernelExC:40:719"; the device is lost then with ! behind
 *
 * CUDA_EMULATION_REVERSED: 1: the last block and the last thread start first (0); read at each
 * launch. What comes out otherwise then depends on an order that no device promises.
 *
 * CUDA_EMULATION_RACES: kernels' accesses to allocations of up to so many bytes are checked for
 * races between blocks and between warps (1M); it takes eight times their memory
 */
#ifdef __cplusplus
extern "C" {
#endif

/* --- for emulated libraries --- */

/*
 * An operation of a library on a stream, e.g. a matrix product: between begin and end the
 * calling thread may access device memory, and touch says what it reads and writes (refused if it
 * is not all in live memory that the stream's device can access). Holds the emulation's lock.
 */
void cuda_emulation_begin(cudaStream_t stream, const char *name);
void cuda_emulation_touch(const void *pointer, size_t bytes, bool write);
void cuda_emulation_end(void);

/* Counts a call of an emulated library under the name of the failure switch, e.g. "cublasLtMatmul":
 * an error if it has to fail. */
cudaError_t cuda_emulation_enter(const char *call);

/* Whether a pointer is device memory, live or not. */
bool cuda_emulation_is_device_memory(const void *pointer);
/* The device of a stream. */
int cuda_emulation_stream_device(cudaStream_t stream);
/* A stream whose last operation hangs: cudaStreamQuery answers cudaErrorNotReady as long as `held`.
 */
void cuda_emulation_hold(cudaStream_t stream, bool held);

/* --- settings of a running process --- */

void cuda_emulation_set_memory(int device, uint64_t bytes);
void cuda_emulation_set_others(int device, uint64_t bytes);
/* The n-th call (from 1, counted from now on) of a function of the runtime or of an emulated
 * library, by its name, fails with `error`; device: only calls while it is current, or -1. */
void cuda_emulation_fail(int device, const char *call, uint64_t n, int error);
/* From now on every call that concerns the device fails with `error`. */
void cuda_emulation_lose(int device, cudaError_t error);
/* Forgets failures that have not happened and gives lost devices back. */
void cuda_emulation_heal(void);

/* How often a function was called since the process began, by the name of the failure switch. */
uint64_t cuda_emulation_calls(const char *call);

/* What was made and not given back, in words ("2 allocations, 1 stream, 0 events"): allocations on
 * devices and of page-locked memory, streams, events. Returns how many in all. */
size_t cuda_emulation_alive(char *text, size_t bytes);

/* Called with the message of a refusal, before the process ends; NULL: none. */
void cuda_emulation_on_refusal(void (*handler)(const char *message));

/* --- the log of operations --- */

/* Starts an empty log: every operation with the ranges that it reads and writes, every event and
 * synchronisation. */
void cuda_emulation_log_start(void);
void cuda_emulation_log_stop(void);
/* Calls of cudaStreamWaitEvent in the log, and operations. */
uint64_t cuda_emulation_log_waits(void);
uint64_t cuda_emulation_log_operations(void);
/* The host itself uses memory (page-locked, or its own) that operations use: logged like an
 * operation. */
void cuda_emulation_host_touch(const void *pointer, size_t bytes, bool write);
/* A name for a stream in messages. */
void cuda_emulation_name_stream(cudaStream_t stream, const char *name);

#define CUDA_EMULATION_ALL_WAITS UINT64_MAX
/*
 * Whether every two operations in the log of which one writes what the other touches are ordered by
 * streams, events and synchronisations, whatever moment each ran at. dropped: the number of a wait
 * (from 0) that is taken as not made, or CUDA_EMULATION_ALL_WAITS. If not, `text` says which two
 * operations, what memory, and returns false.
 */
bool cuda_emulation_log_ordered(uint64_t dropped, char *text, size_t bytes);
/* The same without `count` waits from number `first` on. */
bool cuda_emulation_log_ordered_without(uint64_t first, uint64_t count, char *text, size_t bytes);
/* How many waits from this one on follow each other with no operation of their stream in between:
 * the last one's event may be behind the others', so that only all of them together are needed. */
uint64_t cuda_emulation_log_wait_run(uint64_t wait);
/* The name of the first operation of its stream behind a wait; "" if there is none. */
void cuda_emulation_log_wait_next(uint64_t wait, char *text, size_t bytes);
/* The wait as in "wait 3: stream compute for event 5, recorded on stream communication behind ...".
 */
void cuda_emulation_log_wait_text(uint64_t wait, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
