#include "markdown.h"

#include <criterion/criterion.h>

static void expect(void (*append)(struct text_buffer *, const char *), const char *text,
                   const char *expected)
{
    struct text_buffer out = {0};
    text_buffer_puts(&out, "");
    append(&out, text);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(markdown, escapes_what_would_be_markup_a_link_or_a_mention)
{
    expect(markdown_escape, "plain text, 3.5 %", "plain text, 3.5 %");
    expect(markdown_escape, "a*b_c`d|e", "a\\*b\\_c\\`d\\|e");
    expect(markdown_escape, "[x](y) <b> # !", "\\[x\\](y) \\<b\\> \\# \\!");
    expect(markdown_escape, "http://192.0.2.1 www.example.org",
           "http\\://192.0.2.1 www\\.example.org");
    expect(markdown_escape, "@someone", "`@`someone");
    expect(markdown_escape, "back\\slash", "back\\\\slash");
}

Test(markdown, encloses_code_whatever_it_has)
{
    expect(markdown_code, "zero1", "`zero1`");
    expect(markdown_code, "a`b", "``a`b``");
    expect(markdown_code, "`a``", "``` `a`` ```");
    expect(markdown_code, "a|b", "`a\\|b`");
    expect(markdown_code, "", "`  `");
}
