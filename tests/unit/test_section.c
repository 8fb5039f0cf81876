#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manuscript_text.h"
#include "section_table.h"
#include "summary_sample.h"

/* What every section says of a sample, in one text. */
static void say_all(const struct summary *summary, const char *language, struct text_buffer *out)
{
    size_t count;
    const struct section_row *rows = section_table(&count);
    for (size_t i = 0; i < count; i++)
        manuscript_text_of(summary, language, rows[i].name, out);
}

Test(section, of_every_sample_says_something_without_gaps)
{
    static const size_t counts[] = {1, 5, 12};
    static const char *const languages[] = {"en", "zh"};
    for (int kind = 0; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++)
        for (size_t i = 0; i < 6; i++) {
            struct summary summary;
            struct text_buffer said = {0};
            summary_sample_make(&summary, (enum summary_sample_kind)kind, counts[i / 2]);
            say_all(&summary, languages[i % 2], &said);
            cr_assert(said.length > 500);
            static const char *const gaps[] = {"{", "}", " nan", "(null)", "section.", "column."};
            for (size_t k = 0; kind != SUMMARY_SAMPLE_NAMES && k < sizeof gaps / sizeof gaps[0];
                 k++)
                cr_assert_null(strstr(said.text, gaps[k]), "%s of %s: %s",
                               summary_sample_kind_names[kind], gaps[k],
                               strstr(said.text, gaps[k]));
            if (getenv("SECTION_PRINT") != NULL)
                printf("==== %s %zu\n%s", summary_sample_kind_names[kind], counts[i / 2],
                       said.text);
            text_buffer_fini(&said);
            summary_sample_fini(&summary);
        }
}
