/*
 * How long the charts of a report take: bench_charts [ROUNDS]. "bench_charts --write DIR [PREFIX
 * [WIDTH]]" puts the pictures of all samples, in both languages, into DIR to be looked at: those
 * whose names begin with PREFIX ("memory-names"), on pages of WIDTH pixels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart.h"
#include "summary_sample.h"
#include "texts.h"
#include "theme_default.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void stop(const struct diag *diag)
{
    fprintf(stderr, "bench_charts: %s\n", diag->text);
    exit((int)diag->status);
}

static void write_bytes(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(STATUS_ENVIRONMENT);
    }
}

static void write_picture(const char *folder, const char *name, const struct chart_image *image)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    write_bytes(path, image->svg, image->svg_size);
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    write_bytes(path, image->png, image->png_size);
}

struct wish {
    const char *folder, *prefix;
    double width;
};

static void write_all(const struct wish *wish, const struct texts *texts)
{
    static const size_t counts[] = {1, 2, 5, 12, 40};
    size_t rows = 0;
    const struct chart_row *table = chart_table(&rows);
    for (size_t i = 0; i < rows * SUMMARY_SAMPLE_KIND_COUNT * 5; i++) {
        const struct chart_row *row = &table[i % rows];
        enum summary_sample_kind kind =
            (enum summary_sample_kind)(i / rows % SUMMARY_SAMPLE_KIND_COUNT);
        size_t count = counts[i / rows / SUMMARY_SAMPLE_KIND_COUNT];
        struct summary summary;
        struct chart_image image = {0};
        struct diag diag = {0};
        char name[128];
        snprintf(name, sizeof name, "%s-%s-%02zu-%s", row->name, summary_sample_kind_names[kind],
                 count, texts->language);
        if (strncmp(name, wish->prefix, strlen(wish->prefix)) != 0)
            continue;
        summary_sample_make(&summary, kind, count);
        struct chart_input input = {
            .summary = &summary, .texts = texts, .theme = theme_default(), .width = wish->width};
        if (chart_render(row, &input, CHART_BOTH_FORMS, &image, &diag) != STATUS_OK)
            stop(&diag);
        write_picture(wish->folder, name, &image);
        chart_image_fini(&image);
        summary_sample_fini(&summary);
    }
}

static void measure(const struct texts *texts, int rounds)
{
    struct summary summary;
    size_t rows = 0;
    const struct chart_row *table = chart_table(&rows);
    summary_sample_make(&summary, SUMMARY_SAMPLE_COMPLETE, 5);
    struct chart_input input = {
        .summary = &summary, .texts = texts, .theme = theme_default(), .width = CHART_WIDTH};
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < rows; i++) {
            struct chart_image image = {0};
            struct diag diag = {0};
            double start = now_ms();
            if (chart_render(&table[i], &input, CHART_BOTH_FORMS, &image, &diag) != STATUS_OK)
                stop(&diag);
            printf("%s, round %d, %-10s %7.2f ms, %u x %u, SVG %zu bytes, PNG %zu bytes\n",
                   texts->language, round + 1, table[i].name, now_ms() - start, image.width,
                   image.height, image.svg_size, image.png_size);
            chart_image_fini(&image);
        }
    }
    summary_sample_fini(&summary);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 && strcmp(argv[1], "--write") == 0 ? argv[2] : NULL;
    int rounds = folder == NULL && argc > 1 ? atoi(argv[1]) : 3;
    struct wish wish = {folder, argc > 3 ? argv[3] : "",
                        argc > 4 ? strtod(argv[4], NULL) : CHART_WIDTH};
    static const char *const languages[] = {"en", "zh"};
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        struct texts texts = {0};
        struct diag diag = {0};
        if (texts_load(languages[i], NULL, &texts, &diag) != STATUS_OK)
            stop(&diag);
        if (folder != NULL)
            write_all(&wish, &texts);
        else
            measure(&texts, rounds);
        texts_fini(&texts);
    }
    return 0;
}
