#ifndef RANKLEDGER_INPUT_GZIP_H
#define RANKLEDGER_INPUT_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* One member of a gzip file (RFC 1952) after the other; the only file that knows zlib is
 * input_gzip.c. */
struct input_gzip;

/* What decompressing came to. */
enum input_gzip_state {
    INPUT_GZIP_GOING, /* all input is used, or all room */
    INPUT_GZIP_END,   /* the member ended, its checksum is right */
    INPUT_GZIP_DAMAGED,
    INPUT_GZIP_NO_MEMORY
};

/* Bytes on their way; both ends move on as they are used. */
struct input_gzip_flow {
    const char *in;
    size_t in_size;
    char *out;
    size_t out_size;
};

/* True if the bytes are the first ones of gzip data. */
bool input_gzip_begins(const char *data, size_t size);

/* NULL: memory exhausted. Ready for a member. */
struct input_gzip *input_gzip_create(void);

/* Ready for the next member. */
void input_gzip_restart(struct input_gzip *gzip);

/* Decompresses what it can. */
enum input_gzip_state input_gzip_run(struct input_gzip *gzip, struct input_gzip_flow *flow);

/* Why it was INPUT_GZIP_DAMAGED; static storage. */
const char *input_gzip_reason(const struct input_gzip *gzip);

void input_gzip_destroy(struct input_gzip *gzip);

#endif
