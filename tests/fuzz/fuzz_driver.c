#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_random.h"

/*
 * Feeds a libFuzzer target without libFuzzer:
 *
 *     fuzz_NAME COUNT [FILE...]
 *
 * gives it every file, COUNT random documents damaged at random (the same ones every time), and
 * each file damaged in COUNT / 100 ways. Ends with status 1 if a file cannot be read; the target
 * aborts if something is wrong.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From memory of exactly its size, so that a sanitizer sees every read beyond it. */
static void feed(const char *text, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, text, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int feed_file(const char *path, long count)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    feed(text, size);
    struct json_random random = {.state = size};
    for (long i = 0; i < count && size <= sizeof random.text; i++) {
        memcpy(random.text, text, size);
        random.size = size;
        json_random_damage(&random);
        feed(random.text, random.size);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s COUNT [FILE...]\n", argv[0]);
        return 2;
    }
    long count = strtol(argv[1], NULL, 10);
    int failures = 0;
    for (int i = 2; i < argc; i++)
        failures += feed_file(argv[i], count / 100);
    struct json_random random = {.state = 3};
    for (long i = 0; i < count; i++) {
        json_random_document(&random);
        if (i % 8 != 0)
            json_random_damage(&random);
        feed(random.text, random.size);
    }
    printf("%ld documents, %d files\n", count, argc - 2);
    return failures > 0;
}
