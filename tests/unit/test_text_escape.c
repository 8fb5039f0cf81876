#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static void expect_escaped_n(const char *text, size_t length, const char *expected)
{
    struct text_buffer out = {0};
    text_escape(&out, text, length);
    cr_assert_not(out.failed);
    cr_assert_str_eq(out.text != NULL ? out.text : "", expected);
    text_buffer_fini(&out);
}

static void expect_escaped(const char *text, const char *expected)
{
    expect_escaped_n(text, strlen(text), expected);
}

static void expect_redacted(const char *text, const char *expected)
{
    struct text_buffer out = {0};
    text_redact(&out, text, strlen(text));
    cr_assert_str_eq(out.text != NULL ? out.text : "", expected);
    text_buffer_fini(&out);
}

Test(text_decode, accepts_exactly_the_valid_forms_of_rfc_3629)
{
    static const struct {
        const char *bytes;
        size_t size; /* 0: invalid */
        uint32_t code;
    } cases[] = {
        {"A", 1, 'A'},
        {"\x7f", 1, 0x7F},
        {"\xc2\x80", 2, 0x80},
        {"\xdf\xbf", 2, 0x7FF},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xD7FF},
        {"\xee\x80\x80", 3, 0xE000},
        {"\xef\xbf\xbf", 3, 0xFFFF},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10FFFF},
        {"\x80", 0, 0},
        {"\xc0\x80", 0, 0},         /* overlong NUL */
        {"\xc1\xbf", 0, 0},         /* overlong */
        {"\xe0\x9f\xbf", 0, 0},     /* overlong */
        {"\xed\xa0\x80", 0, 0},     /* surrogate */
        {"\xed\xbf\xbf", 0, 0},     /* surrogate */
        {"\xf0\x8f\xbf\xbf", 0, 0}, /* overlong */
        {"\xf4\x90\x80\x80", 0, 0}, /* beyond the last code point */
        {"\xf5\x80\x80\x80", 0, 0},
        {"\xff", 0, 0},
        {"\xe2\x82", 0, 0}, /* cut */
        {"\xe2\x28\xa1", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code = 0;
        size_t size = text_decode(cases[i].bytes, strlen(cases[i].bytes), &code);
        cr_assert_eq(size, cases[i].size, "case %zu", i);
        cr_assert_eq(code, cases[i].code, "case %zu", i);
    }
    uint32_t code = 7;
    cr_assert_eq(text_decode("", 0, &code), 0);
}

Test(text_escape, keeps_printable_text_of_every_script_and_backslashes)
{
    expect_escaped("", "");
    expect_escaped("plain, C:\\x \"quoted\"", "plain, C:\\x \"quoted\"");
    expect_escaped("d\xc3\xa9j\xc3\xa0 \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x9a\x80",
                   "d\xc3\xa9j\xc3\xa0 \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x9a\x80");
}

Test(text_escape, makes_terminal_controls_visible)
{
    expect_escaped("a\x1b[31mred\x1b[0m", "a\\x1b[31mred\\x1b[0m");
    expect_escaped("\x1b]0;title\x07", "\\x1b]0;title\\x07");
    expect_escaped("one\ntwo\r\tthree\b\x7f", "one\\ntwo\\r\\tthree\\x08\\x7f");
    expect_escaped_n("a\0b", 3, "a\\x00b");
    /* C1: a terminal may take U+009B as the start of a control sequence, U+0085 as a new line. */
    expect_escaped("\xc2\x9b"
                   "31m \xc2\x85 \xc2\x80 \xc2\x9f \xc2\xa0",
                   "\\u009b31m \\u0085 \\u0080 \\u009f \xc2\xa0");
}

Test(text_escape, makes_bidirectional_controls_and_separators_visible)
{
    expect_escaped("\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae",
                   "\\u202a\\u202b\\u202c\\u202d\\u202e");
    expect_escaped("\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9",
                   "\\u2066\\u2067\\u2068\\u2069");
    expect_escaped("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u200e\\u200f\\u061c");
    expect_escaped("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
    expect_escaped("\xef\xb7\x90\xef\xb7\xaf", "\\ufdd0\\ufdef"); /* Cairo takes none of them */
    expect_escaped("\xf0\x9f\xbf\xbe\xf4\x8f\xbf\xbf", "\\u1fffe\\u10ffff");
    expect_escaped("\xef\xb7\xb0\xf0\x9f\xbf\xbd", "\xef\xb7\xb0\xf0\x9f\xbf\xbd");
    expect_escaped("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "\\ufffe\\uffff\xef\xbf\xbd");
}

Test(text_escape, makes_invalid_bytes_visible_one_by_one)
{
    expect_escaped("\xff\xfe", "\\xff\\xfe");
    expect_escaped("a\xe2\x82", "a\\xe2\\x82");
    expect_escaped("\xc0\x9b", "\\xc0\\x9b");
    expect_escaped("\xed\xa0\x80x", "\\xed\\xa0\\x80x");
    /* The tail of a text cut inside a sequence must not be read. */
    expect_escaped_n("\xe4\xb8\xad\xe6\x96\x87", 5, "\xe4\xb8\xad\\xe6\\x96");
}

Test(text_escape_into, keeps_what_fits_and_cuts_with_dots_otherwise)
{
    char out[8];
    cr_assert_str_eq(text_escape_into(out, sizeof out, "1234567", 7), "1234567");
    cr_assert_str_eq(text_escape_into(out, sizeof out, "12345678", 8), "1234...");
    cr_assert_str_eq(text_escape_into(out, sizeof out, "", 0), "");
}

Test(text_escape_into, never_cuts_inside_a_code_point_or_an_escape)
{
    const char *text = "ab\xe4\xb8\xad\x1b\xf0\x9f\x9a\x80\xe2\x80\xae\xff!";
    const char *whole = "ab\xe4\xb8\xad\\x1b\xf0\x9f\x9a\x80\\u202e\\xff!";
    static const size_t borders[] = {0, 1, 2, 5, 9, 13, 19, 23, 24};
    for (size_t capacity = 1; capacity <= 30; capacity++) {
        char out[40];
        memset(out, 'Z', sizeof out);
        text_escape_into(out, capacity, text, strlen(text));
        size_t length = strlen(out);
        cr_assert_lt(length, capacity);
        cr_assert_eq(out[capacity], 'Z', "nothing is written behind the array");
        if (capacity > strlen(whole)) {
            cr_assert_str_eq(out, whole);
            continue;
        }
        if (capacity < 4) {
            cr_assert_eq(strspn(out, "."), capacity - 1);
            continue;
        }
        cr_assert_str_eq(out + length - 3, "...");
        cr_assert_eq(memcmp(out, whole, length - 3), 0);
        bool is_border = false;
        for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
            is_border = is_border || borders[i] == length - 3;
        cr_assert(is_border, "cut after %zu bytes", length - 3);
    }
}

Test(text_escape_into, leaves_an_array_without_room_alone)
{
    char out[1] = {'Z'};
    cr_assert_eq(text_escape_into(out, 0, "abc", 3), out);
    cr_assert_eq(out[0], 'Z');
}

Test(text_escape_into, cuts_a_text_of_many_megabytes_of_controls)
{
    size_t length = (size_t)8 << 20;
    char *text = malloc(length);
    cr_assert_not_null(text);
    memset(text, 0x1b, length);
    char out[64];
    text_escape_into(out, sizeof out, text, length);
    cr_assert_eq(strlen(out), 63);
    cr_assert_str_eq(out + 56, "\\x1b...");
    struct text_buffer all = {0};
    text_escape(&all, text, length);
    cr_assert_eq(all.length, 4 * length);
    text_buffer_fini(&all);
    free(text);
}

Test(text_redact, hides_user_names_at_the_start_and_in_the_middle)
{
    expect_redacted("/home/alice/x", "/home/<user>/x");
    expect_redacted("/Users/bob/", "/Users/<user>/");
    expect_redacted("C:\\Users\\carol\\data", "C:\\Users\\<user>\\data");
    expect_redacted("c:\\users\\Carol", "c:\\users\\<user>");
    expect_redacted("C:/Users/carol/x", "C:/Users/<user>/x");
    expect_redacted("cannot open /home/alice/run.json: no space",
                    "cannot open /home/<user>/run.json: no space");
    expect_redacted("in /home/alice: denied", "in /home/<user>: denied");
    expect_redacted("owner of '/home/alice'", "owner of '/home/<user>'");
    expect_redacted("it is /home/alice.", "it is /home/<user>.");
    expect_redacted("it is /home/alice.smith-2/x", "it is /home/<user>/x");
    expect_redacted("/home/alice", "/home/<user>");
    expect_redacted("/nfs/home/alice/x", "/nfs/home/<user>/x");
    expect_redacted("file:///home/alice/x", "file:///home/<user>/x");
}

Test(text_redact, hides_every_name_of_a_text)
{
    expect_redacted("/home/alice/a:/home/bob/b C:\\Users\\carol\\c",
                    "/home/<user>/a:/home/<user>/b C:\\Users\\<user>\\c");
    expect_redacted("/home/home/home/x", "/home/<user>/home/<user>");
    expect_redacted("/home/alice\n/Users/bob\n", "/home/<user>\\n/Users/<user>\\n");
}

Test(text_redact, sees_through_doubled_and_escaped_separators)
{
    expect_redacted("C:\\\\Users\\\\carol\\\\x", "C:\\\\Users\\\\<user>\\\\x");
    expect_redacted("\\/home\\/alice\\/x", "\\/home\\/<user>\\/x");
    expect_redacted("//home//alice//x", "//home//<user>//x");
    expect_redacted("/home/alice\\nTraceback", "/home/<user>\\nTraceback");
    expect_redacted("\\\\server\\Users\\carol\\x", "\\\\server\\Users\\<user>\\x");
}

Test(text_redact, takes_a_windows_name_with_blanks_as_one)
{
    expect_redacted("C:\\Users\\John Smith\\x", "C:\\Users\\<user>\\x");
    expect_redacted("C:/Users/John Smith/x", "C:/Users/<user>/x");
    expect_redacted("C:\\Users\\carol says no", "C:\\Users\\<user> says no");
    expect_redacted("/home/alice and /tmp/x", "/home/<user> and /tmp/x");
}

Test(text_redact, hides_names_of_every_script)
{
    expect_redacted("/home/\xe5\xbc\xa0\xe4\xb8\x89/x", "/home/<user>/x");
    expect_redacted("/home/alice\xef\xbc\x8c\xe5\xa4\xb1\xe8\xb4\xa5",
                    "/home/<user>\xef\xbc\x8c\xe5\xa4\xb1\xe8\xb4\xa5");
    expect_redacted("/home/al\xffice/x", "/home/<user>/x");
}

Test(text_redact, keeps_what_names_nobody)
{
    expect_redacted("/home/", "/home/");
    expect_redacted("/home", "/home");
    expect_redacted("/home/ is full", "/home/ is full");
    expect_redacted("/homework/alice", "/homework/alice");
    expect_redacted("at home/alice", "at home/alice");
    expect_redacted("/home/../etc", "/home/../etc");
    expect_redacted("/home/<user>/x", "/home/<user>/x");
    expect_redacted("/root/x and /data/run", "/root/x and /data/run");
    expect_redacted("////", "////");
    expect_redacted("", "");
}

Test(text_redact, escapes_as_text_escape_does)
{
    expect_redacted("\x1b[31m/home/alice/\xff", "\\x1b[31m/home/<user>/\\xff");
}

Test(text_utf16, counts_and_cuts_on_unit_borders)
{
    const char *text = "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x9a\x80z"; /* 1 + 1 + 1 + 2 + 1 units */
    size_t length = strlen(text);
    cr_assert_eq(text_utf16_units(text, length), 6);
    static const size_t prefix[] = {0, 1, 3, 6, 6, 10, 11, 11};
    for (size_t units = 0; units < sizeof prefix / sizeof prefix[0]; units++)
        cr_assert_eq(text_utf16_prefix(text, length, units), prefix[units], "%zu units", units);
    cr_assert_eq(text_utf16_units("\xff\xfe", 2), 2);
    cr_assert_eq(text_utf16_prefix("\xff\xfe", 2, 1), 1);
}

static void expect_tame(const char *given, const char *expected)
{
    struct text_buffer lines = {0};
    text_buffer_puts(&lines, given);
    text_log_tame(&lines);
    cr_assert_str_eq(lines.text, expected);
    text_buffer_fini(&lines);
}

Test(text_log, breaks_what_a_runner_takes_for_a_command)
{
    expect_tame("::error::a\n  ::set b\n\t::c", "\\x3a:error::a\n  \\x3a:set b\n\t\\x3a:c");
    expect_tame("a ##[error]b\n###[c", "a ##\\x5berror]b\n###\\x5bc");
    expect_tame("a::b\n:c\n##\n[", "a::b\n:c\n##\n[");
    expect_tame("##[\n::", "##\\x5b\n\\x3a:");
}
