#ifndef RANKLEDGER_SHA256_H
#define RANKLEDGER_SHA256_H

#include <stddef.h>

/* SHA-256 (FIPS 180-4) of `size` bytes as 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t size, char out[65]);

#endif
