#include "cuda_error.h"

#include <stdio.h>

bool cuda_error_is_loss(cudaError_t code)
{
    switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorNoDevice:
    case cudaErrorUnknown: /* what is left when a device has fallen off the bus */
        return true;
    default:
        return false;
    }
}

static void words_of(cudaError_t code, char *words, size_t size)
{
    snprintf(words, size, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
}

void cuda_error_note(struct cuda_error *error, const char *doing, cudaError_t code)
{
    error->noted++;
    if (code == cudaSuccess || error->doing != NULL)
        return;
    error->doing = doing;
    error->lost = cuda_error_is_loss(code);
    words_of(code, error->words, sizeof error->words);
}

void cuda_error_note_words(struct cuda_error *error, const char *doing, const char *words)
{
    error->noted++;
    if (words == NULL || error->doing != NULL)
        return;
    error->doing = doing;
    snprintf(error->words, sizeof error->words, "%s", words);
}

/* A device runs behind the host, so what failed may have been asked for before. */
enum status cuda_error_report(const struct cuda_error *error, int device, struct diag *diag)
{
    if (error->doing == NULL)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT, "GPU %d %s, noticed at %s: %s%s", device,
                    error->lost ? "was lost" : "failed", error->doing, error->words,
                    error->lost ? "; the driver's messages (dmesg, Xid) say why; leave it out with "
                                  "CUDA_VISIBLE_DEVICES"
                                : "");
}

enum status cuda_error_set(int device, const char *doing, cudaError_t code, struct diag *diag)
{
    struct cuda_error error = {0};
    cuda_error_note(&error, doing, code);
    return cuda_error_report(&error, device, diag);
}
