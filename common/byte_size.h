#ifndef RANKLEDGER_BYTE_SIZE_H
#define RANKLEDGER_BYTE_SIZE_H

#include <stdint.h>

#include "diag.h"

/* An amount of memory as a person writes it: "80GiB" is 80 units of 2^30 bytes. */
struct byte_size {
    double value;
    double unit_bytes;
};

/*
 * Reads a number above 0 and a unit: B; KiB, MiB, GiB, TiB (powers of 2); kB, MB, GB, TB (powers of
 * 10, IEC 80000-13); any case, blanks between allowed. A bare "G" is neither and is refused.
 * STATUS_USAGE, with what to write instead, otherwise.
 */
enum status byte_size_parse(const char *text, struct byte_size *size,
                            struct diag *diag) STATUS_CHECKED;

/* The same as whole bytes, rounded down; STATUS_USAGE also below one byte or above 2^53. */
enum status byte_size_parse_whole(const char *text, uint64_t *bytes,
                                  struct diag *diag) STATUS_CHECKED;

#endif
