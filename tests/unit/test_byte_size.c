#include "byte_size.h"

#include <criterion/criterion.h>

Test(byte_size, reads_binary_and_decimal_units_as_whole_bytes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"1B", 1},
        {"64MiB", UINT64_C(64) << 20},
        {"80GiB", UINT64_C(80) << 30},
        {"80 GB", UINT64_C(80000000000)},
        {"83.86GB", UINT64_C(83860000000)},
        {"1.5KiB", 1536},
        {"1.9B", 1},
        {"2e3mb", UINT64_C(2000000000)},
        {"8192TiB", UINT64_C(1) << 53},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diag diag = {0};
        uint64_t bytes = 0;
        cr_assert_eq(byte_size_parse_whole(cases[i].text, &bytes, &diag), STATUS_OK, "%s: %s",
                     cases[i].text, diag.text);
        cr_assert_eq(bytes, cases[i].bytes, "%s: %llu", cases[i].text, (unsigned long long)bytes);
    }
}

Test(byte_size, refuses_what_is_no_size)
{
    static const char *const texts[] = {"",       "80",  "80G",  "GiB",    "-1GiB",   "0GiB",
                                        "infGiB", "nan", "0x1B", "1 2GiB", "8193TiB", "0.5B"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct diag diag = {0};
        uint64_t bytes = 0;
        cr_assert_eq(byte_size_parse_whole(texts[i], &bytes, &diag), STATUS_USAGE, "\"%s\"",
                     texts[i]);
    }
}
