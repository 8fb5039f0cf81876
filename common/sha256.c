#include "sha256.h"

#include <string.h>

/* FIPS 180-4. Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the
 * first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static uint32_t load_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Section 6.2.2, for one block of 64 bytes. */
static void compress_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    for (size_t t = 0; t < 16; t++)
        w[t] = load_word(block + 4 * t);
    for (size_t t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < 64; t++) {
        uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t t1 = h + s1 + choice + round_constants[t] + w[t];
        uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + s0 + majority;
    }
    const uint32_t end[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        state[i] += end[i];
}

void sha256_begin(struct sha256 *sha256)
{
    /* Section 5.3.3: the fractional parts of the square roots of the first eight primes. */
    *sha256 = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha256, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t waiting = (size_t)(sha256->size % 64);
    sha256->size += size;
    if (waiting > 0) {
        size_t taken = size < 64 - waiting ? size : 64 - waiting;
        memcpy(sha256->block + waiting, bytes, taken);
        bytes += taken;
        size -= taken;
        if (waiting + taken < 64)
            return;
        compress_block(sha256->state, sha256->block);
    }
    for (; size >= 64; size -= 64, bytes += 64)
        compress_block(sha256->state, bytes);
    if (size > 0)
        memcpy(sha256->block, bytes, size);
}

void sha256_end(struct sha256 *sha256, char out[65])
{
    /* Section 5.1.1: a one bit, zeros, the length in bits; in one block more, or two. */
    unsigned char tail[128] = {0};
    size_t left = (size_t)(sha256->size % 64);
    memcpy(tail, sha256->block, left);
    tail[left] = 0x80;
    size_t tail_size = left < 56 ? 64 : 128;
    uint64_t bits = sha256->size * 8;
    for (size_t i = 0; i < 8; i++)
        tail[tail_size - 1 - i] = (unsigned char)(bits >> (8 * i) & 0xFF);
    for (size_t at = 0; at < tail_size; at += 64)
        compress_block(sha256->state, tail + at);

    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 64; i++)
        out[i] = digits[sha256->state[i / 8] >> (28 - 4 * (i % 8)) & 0xF];
    out[64] = '\0';
}

void sha256_hex(const void *data, size_t size, char out[65])
{
    struct sha256 sha256;
    sha256_begin(&sha256);
    sha256_add(&sha256, data, size);
    sha256_end(&sha256, out);
}
