#ifndef RANKLEDGER_CUDA_ERROR_H
#define RANKLEDGER_CUDA_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "diag.h"

#define CUDA_ERROR_TEXT 240

/*
 * The first failure on a device. What works on it is asynchronous, so operators return nothing:
 * each notes how asking went, success too, and goes on; whoever waits for the device reports.
 * Zeroed: nothing has failed.
 */
struct cuda_error {
    const char *doing;           /* static storage; NULL: nothing has failed */
    char words[CUDA_ERROR_TEXT]; /* the library's */
    bool lost;                   /* the device itself is gone, not what was asked of it wrong */
    uint64_t noted; /* how often: where it has not grown, nobody need wait for new work */
};

/* `doing`: "layer norm", in static storage. Kept if `code` is a failure and the first one. */
void cuda_error_note(struct cuda_error *error, const char *doing, cudaError_t code);
/* The same of another library, cuBLASLt: `words` say what failed, NULL that nothing did. */
void cuda_error_note_words(struct cuda_error *error, const char *doing, const char *words);
static inline bool cuda_error_failed(const struct cuda_error *error)
{
    return error->doing != NULL;
}
/* STATUS_ENVIRONMENT with device, operation and words; STATUS_OK if nothing has failed. */
enum status cuda_error_report(const struct cuda_error *error, int device,
                              struct diag *diag) STATUS_CHECKED;
/* Whether a code says that the device is gone: not reachable, or its memory is not to be trusted.
 */
bool cuda_error_is_loss(cudaError_t code);
/* STATUS_ENVIRONMENT for a call that failed while nothing is under way yet: "GPU 1: DOING: ...". */
enum status cuda_error_set(int device, const char *doing, cudaError_t code, struct diag *diag);

#endif
