#ifndef RANKLEDGER_SHA256_H
#define RANKLEDGER_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4) of `size` bytes as 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t size, char out[65]);

/* The same of bytes that come piece by piece: begin, add each piece, end. */
struct sha256 {
    uint32_t state[8];
    uint64_t size;           /* of all pieces so far */
    unsigned char block[64]; /* what does not fill a block yet */
};

void sha256_begin(struct sha256 *sha256);
void sha256_add(struct sha256 *sha256, const void *data, size_t size);
void sha256_end(struct sha256 *sha256, char out[65]);

#endif
