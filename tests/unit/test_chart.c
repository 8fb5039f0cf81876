#include <criterion/criterion.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chart_recorder.h"
#include "theme.h"

/* Whole pictures. */

static struct chart_image render(struct chart_recorder *recorder, const char *chart)
{
    struct chart_image image = {0};
    struct diag diag = {0};
    struct chart_input input = {.summary = &recorder->summary,
                                .texts = &recorder->texts,
                                .theme = theme_default(),
                                .width = CHART_WIDTH};
    cr_assert_eq(chart_render(chart_recorder_row(chart), &input, CHART_BOTH_FORMS, &image, &diag),
                 STATUS_OK, "%s", diag.text);
    return image;
}

static bool same(const struct chart_image *a, const struct chart_image *b)
{
    return a->svg_size == b->svg_size && memcmp(a->svg, b->svg, a->svg_size) == 0 &&
           a->png_size == b->png_size && memcmp(a->png, b->png, a->png_size) == 0 &&
           a->width == b->width && a->height == b->height;
}

Test(chart, same_input_gives_same_bytes_whatever_was_drawn_before)
{
    struct chart_recorder recorder;
    struct chart_recorder other;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 5, "zh", false);
    chart_recorder_init(&other, SUMMARY_SAMPLE_NAMES, 7, "en", false);
    struct chart_image first = render(&recorder, "memory");
    struct chart_image between = render(&other, "throughput");
    struct chart_image again = render(&recorder, "memory");
    cr_assert(same(&first, &again));
    cr_assert_not(same(&first, &between));
    chart_image_fini(&first);
    chart_image_fini(&between);
    chart_image_fini(&again);
    chart_recorder_fini(&recorder);
    chart_recorder_fini(&other);
}

/* What another process draws with another locale, language list and time zone. */
static void draw_elsewhere(int pipe_end)
{
    struct chart_recorder recorder;
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("LANG", "ja_JP.UTF-8", 1);
    setenv("LANGUAGE", "ja:ko:ar", 1);
    setenv("PANGO_LANGUAGE", "ja:ko", 1);
    setenv("TZ", "Pacific/Kiritimati", 1);
    tzset();
    setlocale(LC_ALL, "");
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_NAMES, 8, "en", false);
    struct chart_image image = render(&recorder, "memory");
    if (write(pipe_end, &image.svg_size, sizeof image.svg_size) < 0 ||
        write(pipe_end, image.svg, image.svg_size) < 0)
        _exit(1);
    _exit(0);
}

static void read_all(int from, void *to, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t part = read(from, (char *)to + got, size - got);
        cr_assert(part > 0);
        got += (size_t)part;
    }
}

Test(chart, locale_language_and_time_zone_of_the_process_change_nothing)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        draw_elsewhere(ends[1]);
    size_t size = 0;
    read_all(ends[0], &size, sizeof size);
    char *svg = malloc(size);
    cr_assert_not_null(svg);
    read_all(ends[0], svg, size);
    int result = 0;
    waitpid(child, &result, 0);
    cr_assert_eq(result, 0);
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_NAMES, 8, "en", false);
    struct chart_image image = render(&recorder, "memory");
    cr_assert(image.svg_size == size && memcmp(image.svg, svg, size) == 0);
    free(svg);
    chart_image_fini(&image);
    chart_recorder_fini(&recorder);
}

static unsigned be32(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

Test(chart, the_png_has_twice_the_pixels_of_the_svg)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 3, "en", false);
    struct chart_image image = render(&recorder, "throughput");
    cr_assert_eq(image.width, 960);
    cr_assert_eq(be32(image.png + 16), 2 * image.width);
    cr_assert_eq(be32(image.png + 20), 2 * image.height);
    cr_assert_eq(image.svg[image.svg_size], '\0');
    cr_assert_not(image.glyphs_missing);
    chart_image_fini(&image);
    chart_image_fini(&image);
    chart_image_fini(NULL);
    chart_recorder_fini(&recorder);
}

Test(chart, the_svg_holds_the_words_for_search_and_escapes_markup)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_NAMES, 5, "en", false);
    struct chart_image image = render(&recorder, "memory");
    cr_assert_not_null(strstr(image.svg, "<title>Peak memory per rank</title>"));
    cr_assert_not_null(strstr(image.svg, "&lt;b&gt;&amp;amp;\"quoted\" 'name' =1+1"));
    cr_assert_not_null(strstr(image.svg, "6.71 GiB headroom 17.29 GiB (72.1 %)"));
    cr_assert_null(strstr(image.svg, "<b>"));
    cr_assert_null(strstr(image.svg, "\x1b"));
    chart_image_fini(&image);
    chart_recorder_fini(&recorder);
}

Test(chart, a_character_that_no_font_has_is_reported)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 1, "en", false);
    summary_sample_candidate(&recorder.summary, 0)->label = "private \U0010FFFD use";
    struct chart_image image = render(&recorder, "memory");
    cr_assert(image.glyphs_missing);
    chart_image_fini(&image);
    chart_recorder_fini(&recorder);
}

Test(chart, every_chart_of_the_table_has_a_title_in_both_languages)
{
    static const char *const languages[] = {"en", "zh"};
    size_t count = 0;
    const struct chart_row *rows = chart_table(&count);
    cr_assert(count >= 2);
    for (size_t l = 0; l < 2; l++) {
        struct texts texts = {0};
        cr_assert_eq(texts_load(languages[l], NULL, &texts, NULL), STATUS_OK);
        for (size_t i = 0; i < count; i++)
            cr_assert_str_neq(texts_get(&texts, rows[i].title_id), rows[i].title_id);
        texts_fini(&texts);
    }
}
