#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json_read.h"

/*
 * Speed of parsing one file again and again with the project's reader and with jansson, whose
 * documents the project writes. Best of five rounds: other work on the machine only slows.
 *
 *     bench_json_read FILE [SECONDS_PER_ROUND]
 */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t capacity = (size_t)64 << 20;
    char *text = malloc(capacity);
    *size = text == NULL ? 0 : fread(text, 1, capacity, file);
    fclose(file);
    return text;
}

static int parse_own(struct json_read_document *document, const char *text, size_t size)
{
    struct json_read_fault fault;
    struct diag diag = {0};
    if (json_read_parse(document, text, size, &fault, &diag) == STATUS_OK)
        return 1;
    fprintf(stderr, "byte %zu: %s\n", fault.offset, fault.message);
    return 0;
}

static int parse_jansson(const char *text, size_t size)
{
    json_t *root = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_decref(root);
    return root != NULL;
}

/* Seconds of one parse, or a negative number if the text is refused. */
static double measure(struct json_read_document *document, const char *text, size_t size,
                      double seconds)
{
    double best = -1;
    for (int round = 0; round < 5; round++) {
        double begin = now(), end = begin;
        long count = 0;
        for (; end - begin < seconds; end = now())
            for (int i = 0; i < 16; i++, count++)
                if (!(document != NULL ? parse_own(document, text, size)
                                       : parse_jansson(text, size)))
                    return -1;
        double each = (end - begin) / (double)count;
        if (best < 0 || each < best)
            best = each;
    }
    return best;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    char *text = argc > 1 ? read_whole(argv[1], &size) : NULL;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.5;
    if (text == NULL) {
        fprintf(stderr, "usage: bench_json_read FILE [SECONDS_PER_ROUND]\n");
        return 2;
    }
    struct json_read_document document = {0};
    double own = measure(&document, text, size, seconds);
    double other = own < 0 ? -1 : measure(NULL, text, size, seconds);
    if (own > 0)
        printf("json_read: %8.2f us %8.1f MB/s  (%zu bytes, %u nodes)\n", own * 1e6,
               (double)size / own * 1e-6, size, (unsigned)document.count);
    if (other > 0)
        printf("jansson:   %8.2f us %8.1f MB/s\n", other * 1e6, (double)size / other * 1e-6);
    json_read_fini(&document);
    free(text);
    return own < 0 ? 3 : 0;
}
