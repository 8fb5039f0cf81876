#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "canvas_cairo.h"
#include "chart_table.h"
#include "png_write.h"
#include "section_table.h"
#include "sheet_table.h"
#include "theme_default.h"

/* ---- The built-in one ---- */

static void expect_all_charts(const struct report_template_charts *charts)
{
    size_t count;
    const struct chart_row *rows = chart_table(&count);
    cr_assert_eq(charts->count, count, "a chart of the program is not in templates/report.json");
    for (size_t i = 0; i < count; i++) {
        bool shown = false;
        for (size_t j = 0; j < charts->count; j++)
            shown |= charts->rows[j] == &rows[i];
        cr_assert(shown, "the chart %s is not in templates/report.json", rows[i].name);
    }
}

Test(report_template, built_in_shows_every_chart_and_every_sheet)
{
    const struct report_template *template = theme_default_template();
    size_t count;
    (void)sheet_table(&count);
    cr_assert_eq(template->sheets.count, count, "a sheet is not in templates/report.json");
    expect_all_charts(&template->pdf.charts);
    expect_all_charts(&template->html.charts);
    expect_all_charts(&template->workbook_charts);
    expect_all_charts(&template->pictures);
    cr_assert_str_eq(template->pdf.sections.rows[0]->name, "decision");
    cr_assert_str_eq(template->html.sections.rows[0]->name, "decision");
    /* for a pull request a few are enough */
    cr_assert_gt(template->markdown.charts.count, 0);
    cr_assert_gt(template->markdown.sections.count, 0);
    cr_assert_null(template->organisation);
    cr_assert_null(template->logo.png);
    /* A4: 595.3 by 841.9 points to one decimal */
    cr_assert_float_eq(template->page_width, 595.3, 0.05);
    cr_assert_float_eq(template->page_height, 841.9, 0.05);
}

/* ---- A folder of the user's ---- */

struct folder {
    char path[64];
};

static struct folder make_folder(void)
{
    struct folder folder = {.path = "/tmp/rankledger-template-XXXXXX"};
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static void put_file(const struct folder *folder, const char *name, const char *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void remove_folder(const struct folder *folder)
{
    static const char *const names[] = {"report.json", "theme.json", "logo.png", "mark.png"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        unlink(path);
    }
    rmdir(folder->path);
}

static struct report_template load(const struct folder *folder)
{
    struct report_template template = {.page_width = 0};
    struct diag diag = {0};
    cr_assert_eq(report_template_load(folder->path, &template, &diag), STATUS_OK, "%s", diag.text);
    return template;
}

static void expect_refusal(const struct folder *folder, const char *message)
{
    struct report_template template = {.page_width = 0};
    struct diag diag = {0};
    cr_assert_eq(report_template_load(folder->path, &template, &diag), STATUS_INPUT,
                 "loaded, expected: %s", message);
    cr_assert_not_null(strstr(diag.text, folder->path), "no path in: %s", diag.text);
    cr_assert_not_null(strstr(diag.text, message), "expected %s, found %s", message, diag.text);
    cr_assert_eq(template.page_width, 0, "nothing is written on failure");
}

Test(report_template, of_a_user_puts_its_values_over_the_built_in_ones)
{
    struct folder folder = make_folder();
    static const char report[] =
        "{\"organisation\": \"Muster & S\\u00f6hne\", \"page\": \"Letter\","
        " \"html\": {\"sections\": [\"sources\", \"decision\"],"
        " \"charts\": []},"
        " \"xlsx\": {\"sheets\": [\"gates\"]}}";
    static const char theme[] = "{\"inks\": {\"text\": {\"light\": \"#000000\"}},"
                                " \"areas\": {\"beyond\": {\"width\": 2}},"
                                " \"fonts\": {\"title\": {\"size\": 24}},"
                                " \"series\": {\"ddp\": {\"marker\": \"ring\"}},"
                                " \"families\": [\"Example Sans\", \"sans-serif\"]}";
    put_file(&folder, "report.json", report, strlen(report));
    put_file(&folder, "theme.json", theme, strlen(theme));
    struct report_template template = load(&folder);
    const struct report_template *builtin = theme_default_template();
    cr_assert_str_eq(template.organisation, "Muster & S\u00f6hne");
    cr_assert_eq(template.page_width, 612);
    cr_assert_eq(template.page_height, 792);
    cr_assert_eq(template.html.sections.count, 2);
    cr_assert_str_eq(template.html.sections.rows[0]->name, "sources");
    cr_assert_eq(template.html.charts.count, 0);
    cr_assert_eq(template.pdf.charts.count, builtin->pdf.charts.count);
    cr_assert_eq(template.sheets.count, 1);
    cr_assert_str_eq(template.sheets.rows[0]->title_id, "sheet.gates");
    cr_assert_eq(template.theme.ink[THEME_TEXT], 0);
    cr_assert_eq(template.dark.ink[THEME_TEXT], builtin->dark.ink[THEME_TEXT]);
    cr_assert_eq(template.theme.area[THEME_BEYOND].width, 2);
    cr_assert_eq(template.theme.area[THEME_BEYOND].stroke,
                 builtin->theme.area[THEME_BEYOND].stroke);
    cr_assert_eq(template.theme.font[THEME_FONT_TITLE].size, 24);
    cr_assert(template.theme.font[THEME_FONT_TITLE].bold);
    cr_assert_eq(template.dark.series[0].marker, THEME_MARKER_RING);
    cr_assert_str_eq(template.theme.families, "Example Sans,sans-serif");
    report_template_fini(&template);
    remove_folder(&folder);
}

struct broken {
    const char *text, *message;
};

static void expect_refusals(const char *name, const struct broken *cases, size_t count)
{
    struct folder folder = make_folder();
    for (size_t i = 0; i < count; i++) {
        put_file(&folder, name, cases[i].text, strlen(cases[i].text));
        expect_refusal(&folder, cases[i].message);
    }
    remove_folder(&folder);
}

Test(report_template, refuses_a_broken_report_at_its_place)
{
    static const struct broken cases[] = {
        {"", "report.json:1:1: error:"},
        {"{\"page\": \"A4\"", "report.json:1:14: error:"},
        {"[]", "report.json:1:1: error: expected an object, found an array"},
        {"{\"page\": \"A4\", \"page\": \"A4\"}", ":1:17: error: /page: the name occurs twice"},
        {"{\n  \"oragnisation\": \"X\"}", ":2:4: error: /oragnisation: no part of a report is "
                                          "called \"oragnisation\", did you mean "
                                          "\"organisation\"? Known are organisation, logo, page, "
                                          "pdf, html, md, xlsx, pictures"},
        {"{\"page\": \"A5\"}", ":1:11: error: /page: no size of paper is called \"A5\", did you "
                               "mean \"A4\"? Known are A4, Letter"},
        {"{\"page\": 4}", "/page: expected the name of a size of paper, found 4"},
        {"{\"organisation\": \"\"}", "/organisation: expected a text of one line and at most 120 "
                                     "bytes, found \"\""},
        {"{\"organisation\": \"a\\nb\"}", "/organisation: expected a text of one line"},
        {"{\"organisation\": \"a\\u202eb\"}", "/organisation: expected a text of one line"},
        {"{\"organisation\": \"\\u0000\"}", "/organisation: the text contains a NUL"},
        {"{\"organisation\": 5}", "/organisation: expected a text of one line"},
        {"{\"logo\": \"a/b.png\"}", "/logo: expected the name of a file beside this one"},
        {"{\"logo\": \"..\"}", "/..: is a directory, not a file"},
        {"{\"logo\": \"none.png\"}", "none.png"},
        {"{\"pdf\": []}", "/pdf: expected an object, found an array"},
        {"{\"pdf\": {\"sheets\": []}}", "/pdf/sheets: no part of a format is called \"sheets\""},
        {"{\"pdf\": {\"sections\": []}}", "/pdf/sections: expected at least one section"},
        {"{\"pdf\": {\"sections\": \"decision\"}}", "/pdf/sections: expected a list of names"},
        {"{\"pdf\": {\"sections\": [\"decision\",\n\"decison\"]}}",
         ":2:2: error: /pdf/sections/1: no section is called \"decison\", did you mean "
         "\"decision\"?"},
        {"{\"html\": {\"sections\": [\"checks\", \"checks\"]}}",
         "/html/sections/1: the section \"checks\" stands in this list a second time"},
        {"{\"html\": {\"charts\": [\"memory\", \"memory\"]}}", "/html/charts/1: the chart"},
        {"{\"html\": {\"charts\": [3]}}", "/html/charts/0: expected the name of a chart, found 3"},
        {"{\"md\": {\"charts\": [\"pie\"]}}", "/md/charts/0: no chart is called \"pie\"; known are "
                                              "memory,"},
        {"{\"xlsx\": {\"sheets\": []}}", "/xlsx/sheets: expected at least one sheet"},
        {"{\"xlsx\": {\"sheets\": [\"ledgre\"]}}", "did you mean \"ledger\"?"},
        {"{\"pictures\": {\"sections\": []}}", "/pictures/sections: no part of the pictures"},
    };
    expect_refusals("report.json", cases, sizeof cases / sizeof cases[0]);
}

Test(report_template, refuses_a_broken_theme_at_its_place)
{
    static const struct broken cases[] = {
        {"{\"ink\": {}}", "theme.json:1:3: error: /ink: no part of a theme is called \"ink\", did "
                          "you mean \"inks\"?"},
        {"{\"inks\": {\"txt\": {}}}",
         "/inks/txt: no ink is called \"txt\", did you mean \"text\"?"},
        {"{\"inks\": {\"text\": \"#000000\"}}",
         "/inks/text: expected an object, found \"#000000\""},
        {"{\"inks\": {\"text\": {\"light\": \"black\"}}}",
         "/inks/text/light: expected a colour such as \"#12436d\", found \"black\""},
        {"{\"inks\": {\"text\": {\"light\": \"#00000\"}}}", "/inks/text/light: expected a colour"},
        {"{\"inks\": {\"text\": {\"light\": \"#0000000\"}}}",
         "/inks/text/light: expected a colour"},
        {"{\"inks\": {\"text\": {\"light\": \"#00000g\"}}}", "/inks/text/light: expected a colour"},
        {"{\"inks\": {\"text\": {\"light\": 0}}}", "/inks/text/light: expected a colour"},
        {"{\"inks\": {\"text\": {\"lite\": 0}}}", "/inks/text/lite: no colour scheme is called"},
        {"{\"areas\": {\"tight\": {\"width\": -1}}}",
         "/areas/tight/width: expected a number from 0 to 4, found -1"},
        {"{\"areas\": {\"tight\": {\"fill\": \"clear\"}}}",
         "/areas/tight/fill: expected an object with a light and a dark colour, or \"none\""},
        {"{\"areas\": {\"tight\": {\"hatch\": {\"light\": \"#000000\"}}}}",
         "/areas/tight/hatch: expected a member \"dark\", found none"},
        {"{\"areas\": {\"tite\": {}}}", "did you mean \"tight\"?"},
        {"{\"series\": {\"ddp\": {\"marker\": \"star\"}}}", "/series/ddp/marker: no marker is"},
        {"{\"series\": {\"zero9\": {}}}", "/series/zero9: no series is called \"zero9\", did you"},
        {"{\"fonts\": {\"title\": {\"size\": 80}}}",
         "/fonts/title/size: expected a number from 8 to 32, found 80"},
        {"{\"fonts\": {\"title\": {\"bold\": 1}}}", "/fonts/title/bold: expected true or false"},
        {"{\"families\": []}", "/families: expected a list of at least one font family, found an "
                               "empty list"},
        {"{\"families\": [\"a,b\"]}", "/families/0: expected one font family, without comma"},
        {"{\"families\": [7]}", "/families/0: expected a text of one line"},
    };
    expect_refusals("theme.json", cases, sizeof cases / sizeof cases[0]);
}

Test(report_template, refuses_a_theme_that_somebody_could_not_read)
{
    static const struct broken cases[] = {
        /* #777777 has 4.48:1 on white: just below */
        {"{\n \"inks\": {\"quiet\": {\"light\": \"#777777\"}}}",
         "theme.json:2:20: error: /inks/quiet: /inks/quiet and /inks/page have a contrast of "
         "4.4:1 in the light scheme (#777777 on #ffffff), a text needs at least 4.5:1"},
        {"{\"inks\": {\"page\": {\"dark\": \"#808080\"}}}", "in the dark scheme"},
        {"{\"areas\": {\"tight\": {\"fill\": {\"light\": \"#808080\"}}}}",
         "/areas/tight/fill: /inks/text and /areas/tight/fill have a contrast"},
        /* neither black nor white has 4.5:1 on it in the dark, where both are dark */
        {"{\"areas\": {\"gradients\": {\"fill\": {\"light\": \"#28a197\", \"dark\": "
         "\"#202020\"}}}}",
         "/areas/gradients/fill"},
        {"{\"areas\": {\"gradients\": {\"fill\": {\"light\": \"#13446e\", \"dark\": "
         "\"#238e7f\"}}}}",
         "look alike to normal sight in the light scheme"},
        /* a red and a green that differ to most */
        {"{\"areas\": {\"selected\": {\"fill\": {\"light\": \"#dc595e\", \"dark\": \"#c0a0a0\"}},"
         " \"eligible\": {\"fill\": {\"light\": \"#77944e\", \"dark\": \"#70e0e0\"}}}}",
         "look alike to deuteranopia in the light scheme"},
        {"{\"series\": {\"ddp\": {\"colour\": {\"light\": \"#b83a10\"}, \"marker\": "
         "\"triangle\"}}}",
         "/series/zero2/colour and /series/ddp/colour look alike"},
        {"{\"inks\": {\"grid\": {\"light\": \"#7a8694\"}}}",
         "/inks/axis and /inks/grid are one colour in the light scheme and two in the dark one"},
    };
    expect_refusals("theme.json", cases, sizeof cases / sizeof cases[0]);
}

Test(report_template, refuses_what_is_no_folder_of_a_template)
{
    struct folder folder = make_folder();
    expect_refusal(&folder, "there is nothing of a template in it");
    struct report_template template = {.page_width = 0};
    struct diag diag = {0};
    cr_assert_eq(report_template_load("/nowhere", &template, &diag), STATUS_INPUT);
    cr_assert_not_null(strstr(diag.text, "/nowhere: error: cannot read: No such file"), "%s", diag.text);
    struct diag file = {0};
    cr_assert_eq(report_template_load("/etc/passwd", &template, &file), STATUS_INPUT);
    cr_assert_not_null(strstr(file.text, "a template is a folder"), "%s", file.text);
    remove_folder(&folder);
}

/* ---- Logos ---- */

static struct text_buffer picture(size_t width, size_t height)
{
    struct text_buffer png = {0};
    struct diag diag = {0};
    unsigned char *data = calloc(height, width * 4);
    cr_assert_not_null(data);
    const struct canvas_pixels pixels = {data, width, height, width * 4};
    cr_assert_eq(png_write(&png, &pixels, &diag), STATUS_OK, "%s", diag.text);
    free(data);
    return png;
}

Test(report_template, takes_the_logo_beside_it_or_the_one_it_names)
{
    struct folder folder = make_folder();
    struct text_buffer png = picture(30, 20);
    put_file(&folder, "logo.png", png.text, png.length);
    struct report_template template = load(&folder);
    cr_assert_eq(template.logo.width, 30);
    cr_assert_eq(template.logo.height, 20);
    cr_assert_eq(template.logo.size, png.length);
    cr_assert_arr_eq(template.logo.png, png.text, png.length);
    report_template_fini(&template);
    static const char none[] = "{\"logo\": null}";
    put_file(&folder, "report.json", none, strlen(none));
    template = load(&folder);
    cr_assert_null(template.logo.png);
    report_template_fini(&template);
    static const char named[] = "{\"logo\": \"mark.png\"}";
    put_file(&folder, "report.json", named, strlen(named));
    put_file(&folder, "mark.png", png.text, png.length);
    put_file(&folder, "logo.png", "no picture", 10);
    template = load(&folder);
    cr_assert_eq(template.logo.width, 30);
    report_template_fini(&template);
    text_buffer_fini(&png);
    remove_folder(&folder);
}

Test(report_template, refuses_a_logo_that_could_not_be_drawn)
{
    struct folder folder = make_folder();
    put_file(&folder, "logo.png", "", 0);
    expect_refusal(&folder, "logo.png: error: it is empty");
    put_file(&folder, "logo.png", "\xFF\xD8\xFF\xE0 JFIF", 9);
    expect_refusal(&folder, "a logo is a PNG of at most 2048 x 2048 pixels and 1024 KiB");
    struct text_buffer png = picture(30, 20);
    put_file(&folder, "logo.png", png.text, png.length - 20); /* cut off within its pixels */
    expect_refusal(&folder, "logo.png: error: it cannot be decoded");
    png.text[png.length - 20] ^= 1; /* one bit of its pixels */
    put_file(&folder, "logo.png", png.text, png.length);
    expect_refusal(&folder, "logo.png: error: it cannot be decoded");
    text_buffer_fini(&png);
    png = picture(2049, 1);
    put_file(&folder, "logo.png", png.text, png.length);
    expect_refusal(&folder, "it has 2049 x 1 pixels");
    text_buffer_fini(&png);
    remove_folder(&folder);
}
