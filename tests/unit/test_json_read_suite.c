#include "parsed_json.h"

#include <dirent.h>
#include <stdio.h>

/*
 * The parsing cases of nst/JSONTestSuite, where a checkout beside the project's root has them: a
 * name that begins with y_ must be read, n_ must be refused, i_ is decided below.
 */

#define SUITE TESTS_SOURCE_DIR "/../../shared/cases/jsontestsuite"

/*
 * What the standard leaves open and we do: what is not UTF-8 is refused; half a surrogate pair and
 * a number beyond the doubles are read and flagged, so that their places can be reported; a byte
 * order mark is skipped; 500 levels are read.
 */
static const struct {
    const char *name; /* begin of the file's name */
    bool read;
    unsigned flag;
} choices[] = {
    {"i_number_double_huge_neg_exp", true, 0},
    {"i_number_huge_exp", true, JSON_READ_NUMBER_OUT_OF_RANGE},
    {"i_number_neg_int_huge_exp", true, JSON_READ_NUMBER_OUT_OF_RANGE},
    {"i_number_pos_double_huge_exp", true, JSON_READ_NUMBER_OUT_OF_RANGE},
    {"i_number_real_neg_overflow", true, JSON_READ_NUMBER_OUT_OF_RANGE},
    {"i_number_real_pos_overflow", true, JSON_READ_NUMBER_OUT_OF_RANGE},
    {"i_number_real_underflow", true, 0},
    {"i_number_too_big_neg_int", true, JSON_READ_BIG_INTEGER},
    {"i_number_too_big_pos_int", true, JSON_READ_BIG_INTEGER},
    {"i_number_very_big_negative_int", true, JSON_READ_BIG_INTEGER},
    {"i_object_key_lone_2nd_surrogate", true, JSON_READ_LONE_SURROGATE},
    {"i_string_1st_surrogate_but_2nd_missing", true, JSON_READ_LONE_SURROGATE},
    {"i_string_1st_valid_surrogate_2nd_invalid", true, JSON_READ_LONE_SURROGATE},
    {"i_string_incomplete_surrogate", true, JSON_READ_LONE_SURROGATE},
    {"i_string_invalid_lonely_surrogate", true, JSON_READ_LONE_SURROGATE},
    {"i_string_invalid_surrogate", true, JSON_READ_LONE_SURROGATE},
    {"i_string_inverted_surrogates", true, JSON_READ_LONE_SURROGATE},
    {"i_string_lone_second_surrogate", true, JSON_READ_LONE_SURROGATE},
    {"i_structure_500_nested_arrays", true, 0},
    {"i_structure_UTF-8_BOM_empty_object", true, 0},
    {"i_string_UTF-16LE_with_BOM", false, 0},
    {"i_string_UTF-8_invalid_sequence", false, 0},
    {"i_string_UTF8_surrogate_U+D800", false, 0},
    {"i_string_invalid_utf-8", false, 0},
    {"i_string_iso_latin_1", false, 0},
    {"i_string_lone_utf8_continuation_byte", false, 0},
    {"i_string_not_in_unicode_range", false, 0},
    {"i_string_overlong_sequence", false, 0},
    {"i_string_truncated-utf-8", false, 0},
    {"i_string_utf16BE_no_BOM", false, 0},
    {"i_string_utf16LE_no_BOM", false, 0},
};

static size_t read_file(const char *name, char *data, size_t capacity)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SUITE, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t size = fread(data, 1, capacity, file);
    cr_assert_lt(size, capacity);
    fclose(file);
    return size;
}

static void check_choice(const char *name, const struct parsed_json *p)
{
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (strncmp(name, choices[i].name, strlen(choices[i].name)) == 0) {
            cr_expect_eq(p->status == STATUS_OK, choices[i].read, "%s: %s", name, p->fault.message);
            cr_expect_eq(p->document.flags & choices[i].flag, choices[i].flag, "%s", name);
            cr_expect(choices[i].read || p->fault.kind == JSON_READ_FAULT_ENCODING, "%s", name);
            return;
        }
    cr_expect(false, "%s: nothing is written down for it", name);
}

Test(json_read_suite, accepts_and_refuses_what_the_json_test_suite_says)
{
    DIR *folder = opendir(SUITE);
    if (folder == NULL)
        cr_skip_test("JSONTestSuite is not there (looked for ../shared/cases/jsontestsuite)");
    static char data[1 << 20];
    int counts[3] = {0};
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (strlen(name) < 2 || name[1] != '_')
            continue;
        struct parsed_json p = parsed_json_bytes(data, read_file(name, data, sizeof data));
        if (name[0] == 'y')
            cr_expect_eq(p.status, STATUS_OK, "%s: %s", name, p.fault.message);
        else if (name[0] == 'n')
            cr_expect_eq(p.status, STATUS_INPUT, "%s", name);
        else
            check_choice(name, &p);
        cr_expect(p.status == STATUS_OK || p.fault.message[0] != '\0', "%s", name);
        counts[name[0] == 'y' ? 0 : name[0] == 'n' ? 1 : 2]++;
        parsed_json_fini(&p);
    }
    closedir(folder);
    cr_assert(counts[0] > 0 && counts[1] > 0 && counts[2] > 0, "y_ %d, n_ %d, i_ %d", counts[0],
              counts[1], counts[2]);
}
