#include "input_gzip.h"

/* In place of input_gzip.c where zlib is not there: the collector alone reads no archives. */

bool input_gzip_begins(const char *data, size_t size)
{
    (void)data;
    (void)size;
    return false;
}

struct input_gzip *input_gzip_create(void)
{
    return NULL;
}

void input_gzip_restart(struct input_gzip *gzip)
{
    (void)gzip;
}

enum input_gzip_state input_gzip_run(struct input_gzip *gzip, struct input_gzip_flow *flow)
{
    (void)gzip;
    (void)flow;
    return INPUT_GZIP_DAMAGED;
}

const char *input_gzip_reason(const struct input_gzip *gzip)
{
    (void)gzip;
    return "";
}

void input_gzip_destroy(struct input_gzip *gzip)
{
    (void)gzip;
}
