#include "backend_module.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char why[BACKEND_MODULE_WHY_SIZE];

static const char *explained(const char *message)
{
    backend_module_explain(message, why);
    return why;
}

Test(backend_module, missing_libraries_are_named_with_what_to_install)
{
    cr_assert_str_eq(explained("libnccl.so.2: cannot open shared object file: No such file or "
                               "directory"),
                     "NCCL is missing; install it (libnccl2) or name its folder in LD_LIBRARY_PATH "
                     "(libnccl.so.2)");
    cr_assert(strstr(explained("libcublasLt.so.13: cannot open shared object file: x"),
                     "cuBLASLt is missing") == why);
    cr_assert_str_eq(explained("libcuda.so.1: cannot open shared object file: x"),
                     "there is no NVIDIA driver; install one (libcuda.so.1)");
}

Test(backend_module, other_messages_are_told_as_they_are_and_cannot_harm_a_terminal)
{
    cr_assert(strstr(explained("/x/librankledger_cuda.so: undefined symbol: diag_set"),
                     "of another build") != NULL);
    explained("libz.so: bad \033[31m");
    cr_assert(strstr(why, "cannot be loaded: libz.so: bad") != NULL);
    cr_assert(strchr(why, '\033') == NULL);
}

Test(backend_module, module_of_this_build_is_taken)
{
    const struct backend_row *row = backend_module_open(MODULE_GOOD, why);
    cr_assert_not_null(row, "%s", why);
    cr_assert_str_eq(row->name, "test");
}

Test(backend_module, module_of_another_interface_is_refused)
{
    cr_assert_null(backend_module_open(MODULE_OLD, why));
    cr_assert(strstr(why, "is of another build than this program (interface 0, expected ") != NULL,
              "%s", why);
}

Test(backend_module, module_that_needs_what_is_not_there_is_refused)
{
    cr_assert_null(backend_module_open(MODULE_BROKEN, why));
    cr_assert(strstr(why, "of another build") != NULL, "%s", why);
    cr_assert_null(backend_module_open("/nowhere/librankledger_cuda.so", why));
    cr_assert(strstr(why, "cannot be loaded") != NULL, "%s", why);
}

/* Half of a good module, as after a copy that was interrupted. */
static void copy_half(const char *from, int to)
{
    struct stat about;
    FILE *file = fopen(from, "rb");
    cr_assert_not_null(file);
    cr_assert_eq(fstat(fileno(file), &about), 0);
    for (off_t i = 0; i < about.st_size / 2; i++) {
        const unsigned char byte = (unsigned char)fgetc(file);
        cr_assert_eq(write(to, &byte, 1), 1);
    }
    fclose(file);
}

Test(backend_module, module_that_is_cut_off_is_refused)
{
    char path[] = "/tmp/backend-module-XXXXXX";
    const int half = mkstemp(path);
    cr_assert_geq(half, 0);
    copy_half(MODULE_GOOD, half);
    close(half);
    cr_assert_null(backend_module_open(path, why));
    cr_assert(strstr(why, "is cut off; build or copy it anew") != NULL, "%s", why);
    unlink(path);
}

/* This test has no module beside it. */
Test(backend_module, build_without_a_module_says_so_in_every_function)
{
    struct diag diag = {0};
    uint64_t bytes;
    const struct backend_request request = {.threads = 1};
    const struct backend_row *row = backend_find("cuda");
    cr_assert_not_null(row);
    cr_assert(strstr(row->unavailable(), "this build has no CUDA backend") != NULL);
    cr_assert_eq(row->plan(&request, &bytes, &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "backend cuda: this build has no CUDA backend") != NULL);
}
