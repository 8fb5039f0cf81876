#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "cuda_describe.h"
#include "cuda_emulation.h"

/* What the driver's management library tells of memory, which is made up here (made_up_nvml.c): the
 * device has 1,000,000 bytes for CUDA. */

static const struct backend_request small = {
    .shape = {.width = 32, .layers = 1, .heads = 2, .vocab = 64, .seq_len = 8, .micro_batch = 2},
    .threads = 1};

static void set_up(const char *total, const char *left)
{
    setenv("CUDA_EMULATION_MEMORY", "1000000", 1);
    setenv("MADE_UP_NVML_TOTAL", total, 1);
    setenv("MADE_UP_NVML_FREE", left, 1);
}

Test(cuda_describe, free_memory_is_told_without_using_the_device)
{
    uint64_t used = 0;
    struct device_description description;
    struct diag diag = {0};
    set_up("1040000", "700000");
    cr_assert(cuda_describe_used(0, &used));
    cr_assert_eq(used, 340000);
    cr_assert_eq(cuda_describe(false, &description, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(description.devices[0].free_bytes, 700000);
    cr_assert_str_eq(description.driver, "580.1");
}

/* The library counts what the driver keeps for itself, of which CUDA does not know. */
Test(cuda_describe, no_more_is_free_than_there_is)
{
    struct device_description description;
    struct diag diag = {0};
    set_up("1040000", "1030000");
    cr_assert_eq(cuda_describe(false, &description, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(description.devices[0].free_bytes, 1000000);
}

/* MIG: the address is the whole GPU's. */
Test(cuda_describe, memory_of_a_whole_gpu_says_nothing_of_a_part)
{
    uint64_t bytes = 0;
    struct device_description description;
    struct diag diag = {0};
    set_up("8000000", "7000000");
    cr_assert(!cuda_describe_used(0, &bytes));
    cr_assert_eq(cuda_describe(false, &description, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(description.devices[0].free_bytes, 0);
    cr_assert_eq(cuda_describe(true, &description, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_gt(description.devices[0].free_bytes, 0);
    cr_assert_leq(description.devices[0].free_bytes, 1000000);
}

Test(cuda_describe, what_was_in_use_before_is_known)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    uint64_t before = 0, now = 0;
    set_up("1040000", "700000");
    cr_assert_eq(backend_cuda_create(&small, &backend, &diag), STATUS_OK, "%s", diag.text);
    setenv("MADE_UP_NVML_FREE", "600000", 1);
    backend->operations->memory_used(backend, &before, &now);
    cr_assert_eq(before, 340000);
    cr_assert_eq(now, 440000);
    backend->operations->destroy(backend);
}

/* --- what is said where it cannot be used --- */

Test(cuda_describe, gpus_whose_switches_are_not_ready_are_said)
{
    cuda_emulation_fail(-1, "cudaGetDeviceCount", 1, cudaErrorSystemNotReady);
    const char *why = cuda_describe_unavailable();
    cr_assert(why != NULL && strstr(why, "nvidia-fabricmanager") != NULL, "%s", why);
}

/* As in exclusive mode: nothing has become of the device. */
Test(cuda_describe, a_device_that_another_process_has_is_not_lost)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    cuda_emulation_fail(-1, "cudaSetDevice", 1, cudaErrorDevicesUnavailable);
    cr_assert_eq(backend_cuda_create(&small, &backend, &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "lost") == NULL, "%s", diag.text);
}
