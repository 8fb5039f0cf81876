#include "archive_check.h"

#include <stdint.h>

#define END_SIGNATURE 0x06054b50u
#define ENTRY_SIGNATURE 0x02014b50u
#define LOCAL_SIGNATURE 0x04034b50u
#define END_SIZE 22
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30

struct archive {
    const unsigned char *bytes;
    size_t size;
};

static uint16_t read_16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t read_32(const unsigned char *bytes)
{
    return (uint32_t)read_16(bytes) | (uint32_t)read_16(bytes + 2) << 16;
}

/* The record of `length` bytes at `offset`, if it lies inside and begins with its signature. */
static const unsigned char *record_at(const struct archive *archive, size_t offset, size_t length,
                                      uint32_t signature)
{
    if (offset > archive->size || archive->size - offset < length)
        return NULL;
    const unsigned char *record = archive->bytes + offset;
    return read_32(record) == signature ? record : NULL;
}

/* Check sum and both sizes, which the library fills in when an entry is complete. */
static bool agree(const unsigned char *entry, const unsigned char *local)
{
    return read_32(entry + 16) == read_32(local + 14) &&
           read_32(entry + 20) == read_32(local + 18) && read_32(entry + 24) == read_32(local + 22);
}

bool archive_check_whole(const char *data, size_t size)
{
    struct archive archive = {(const unsigned char *)data, size};
    if (size < END_SIZE)
        return false;
    const unsigned char *end = record_at(&archive, size - END_SIZE, END_SIZE, END_SIGNATURE);
    if (end == NULL)
        return false;
    size_t directory = read_32(end + 16);
    size_t at = directory;
    size_t expected = 0; /* where the next entry has to begin */
    for (uint16_t left = read_16(end + 10); left > 0; left--) {
        const unsigned char *entry = record_at(&archive, at, ENTRY_SIZE, ENTRY_SIGNATURE);
        const unsigned char *local = record_at(&archive, expected, LOCAL_SIZE, LOCAL_SIGNATURE);
        if (entry == NULL || local == NULL || read_32(entry + 42) != expected ||
            !agree(entry, local))
            return false;
        at += ENTRY_SIZE + (size_t)read_16(entry + 28) + read_16(entry + 30) + read_16(entry + 32);
        expected += LOCAL_SIZE + (size_t)read_16(local + 26) + read_16(local + 28) +
                    (size_t)read_32(local + 18);
    }
    return expected == directory && at == size - END_SIZE;
}
