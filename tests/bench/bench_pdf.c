/*
 * How long a report's PDF takes: bench_pdf [ROUNDS]. "bench_pdf --write DIR [PREFIX [letter]]" puts
 * the documents of all samples, in both languages, into DIR to be looked at: those whose names
 * begin with PREFIX ("names-05").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pdf_write.h"
#include "report_manuscript.h"
#include "report_template.h"
#include "summary_sample.h"
#include "texts.h"

static const size_t counts[] = {1, 2, 5, 12, 40};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void stop(const struct diag *diag)
{
    fprintf(stderr, "bench_pdf: %s\n", diag->text);
    exit((int)diag->status);
}

static void make(const struct report_input *input, struct text_buffer *out)
{
    struct diag diag = {0};
    struct manuscript manuscript = {0};
    bool missing = false;
    if (report_manuscript(input, &input->template->pdf, &manuscript, &diag) != STATUS_OK ||
        pdf_write(&manuscript, input, out, &missing, &diag) != STATUS_OK)
        stop(&diag);
    manuscript_fini(&manuscript);
}

static void write_one(const struct report_input *input, const char *folder, const char *name)
{
    char path[512];
    struct text_buffer bytes = {0};
    make(input, &bytes);
    snprintf(path, sizeof path, "%s/%s.pdf", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.text, 1, bytes.length, file) != bytes.length ||
        fclose(file) != 0) {
        perror(path);
        exit(STATUS_ENVIRONMENT);
    }
    text_buffer_fini(&bytes);
}

static void write_all(struct report_input *input, const char *folder, const char *prefix)
{
    for (size_t i = 0; i < SUMMARY_SAMPLE_KIND_COUNT * 5; i++) {
        struct summary summary;
        char name[128];
        enum summary_sample_kind kind = (enum summary_sample_kind)(i / 5);
        snprintf(name, sizeof name, "%s-%02zu-%s", summary_sample_kind_names[kind], counts[i % 5],
                 input->texts->language);
        if (strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        summary_sample_make(&summary, kind, counts[i % 5]);
        input->summary = &summary;
        write_one(input, folder, name);
        summary_sample_fini(&summary);
    }
}

static void measure(struct report_input *input, int rounds)
{
    struct summary summary;
    summary_sample_make(&summary, SUMMARY_SAMPLE_COMPLETE, 5);
    input->summary = &summary;
    for (int round = 0; round < rounds; round++) {
        struct text_buffer bytes = {0};
        double start = now_ms();
        make(input, &bytes);
        printf("%s, round %d, %7.2f ms, %zu bytes\n", input->texts->language, round + 1,
               now_ms() - start, bytes.length);
        text_buffer_fini(&bytes);
    }
    summary_sample_fini(&summary);
}

int main(int argc, char **argv)
{
    static const char *const languages[] = {"en", "zh"};
    bool writes = argc > 2 && strcmp(argv[1], "--write") == 0;
    struct report_template template = {0};
    struct diag diag = {0};
    if (report_template_load(NULL, &template, &diag) != STATUS_OK)
        stop(&diag);
    if (argc > 4 && strcmp(argv[4], "letter") == 0) {
        template.page_width = 612;
        template.page_height = 792;
    }
    for (size_t i = 0; i < 2; i++) {
        struct texts texts = {0};
        if (texts_load(languages[i], NULL, &texts, &diag) != STATUS_OK)
            stop(&diag);
        struct report_input input = {
            .texts = &texts, .theme = &template.theme, .template = &template};
        if (writes)
            write_all(&input, argv[2], argc > 3 ? argv[3] : "");
        else
            measure(&input, argc > 1 ? atoi(argv[1]) : 3);
        texts_fini(&texts);
    }
    report_template_fini(&template);
    return 0;
}
