#include "byte_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

static const struct {
    const char *name;
    double bytes;
} units[] = {
    {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
    {"kB", 1e3}, {"MB", 1e6},   {"GB", 1e9},      {"TB", 1e12},
};

static enum status refuse(const char *text, struct diag *diag)
{
    char shown[128];
    text_escape_into(shown, sizeof shown, text, strlen(text));
    return diag_set(diag, STATUS_USAGE,
                    "\"%s\" is not a size; write a number above 0 and a unit such as 80GiB (2^30 "
                    "bytes), 80GB (10^9 bytes) or 24576MiB",
                    shown);
}

enum status byte_size_parse(const char *text, struct byte_size *size, struct diag *diag)
{
    /* strtod would also take "inf", "nan" and hexadecimal numbers. */
    size_t digits = strspn(text, "0123456789.");
    if (digits == 0 || strpbrk(text, "0123456789") == NULL)
        return refuse(text, diag);
    size_t exponent = 0;
    if (text[digits] == 'e' || text[digits] == 'E') {
        size_t sign = text[digits + 1] == '+' || text[digits + 1] == '-' ? 1 : 0;
        exponent = strspn(text + digits + 1 + sign, "0123456789");
        exponent = exponent == 0 ? 0 : exponent + 1 + sign;
    }
    char *end = NULL;
    double value = strtod(text, &end);
    if (end != text + digits + exponent || !isfinite(value) || value <= 0)
        return refuse(text, diag);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcasecmp(end, units[i].name) != 0)
            continue;
        *size = (struct byte_size){value, units[i].bytes};
        return STATUS_OK;
    }
    return refuse(text, diag);
}

enum status byte_size_parse_whole(const char *text, uint64_t *bytes, struct diag *diag)
{
    struct byte_size size;
    enum status status = byte_size_parse(text, &size, diag);
    if (status != STATUS_OK)
        return status;
    double product = size.value * size.unit_bytes;
    double whole = nearbyint(product);
    /* 83.86 GB are 83,860,000,000 bytes, whatever binary fractions make of it. */
    if (fabs(product - whole) >= 1e-3)
        whole = floor(product);
    if (!(whole >= 1) || whole > 9007199254740992.0)
        return refuse(text, diag);
    *bytes = (uint64_t)whole;
    return STATUS_OK;
}
