#include <string.h>

#include "fuzz_require.h"
#include "report_template_read.h"
#include "theme_check.h"

/* Any bytes as the report.json or the theme.json of a template, by whether they have the word
 * "inks": refused with a place and a reason, or read, and then a template that can be shown. */

static enum status parse(struct template_file *file, const uint8_t *data, size_t size,
                         struct diag *diag)
{
    file->source = (struct json_read_source){&file->document, "t.json"};
    return json_read_parse_strict(&file->document, "t.json", (const char *)data, size, diag);
}

static enum status read_theme(const struct report_template *builtin,
                              const struct template_file *file, struct arena *arena,
                              struct diag *diag)
{
    struct theme_load load = {.light = builtin->theme, .dark = builtin->dark};
    enum status status = theme_load_file(&load, file, arena, diag);
    if (status == STATUS_OK)
        status = theme_check(&load, file, diag);
    if (status != STATUS_OK)
        return status;
    fuzz_require(load.light.families != NULL && load.light.families[0] != '\0', "a family");
    for (size_t i = 0; i < THEME_ROLE_COUNT; i++)
        fuzz_require((theme_role_get(&load.light, i) == CANVAS_NONE) ==
                         (theme_role_get(&load.dark, i) == CANVAS_NONE),
                     "what is painted in one scheme is painted in the other");
    return STATUS_OK;
}

static enum status read_report(const struct template_file *file, struct arena *arena,
                               struct diag *diag)
{
    struct report_template template = {.arena = *arena};
    struct report_template_read read = {.logo = NULL};
    enum status status = report_template_read_file(&read, file, &template, diag);
    *arena = template.arena;
    for (size_t i = 0; status == STATUS_OK && i < template.sheets.count; i++)
        fuzz_require(template.sheets.rows[i] != NULL, "a sheet is one");
    if (status == STATUS_OK && template.organisation != NULL)
        fuzz_require_line(template.organisation, strlen(template.organisation) + 1);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct report_template builtin;
    struct template_file file = {.shown = "t.json"};
    struct arena arena = {0};
    struct diag diag = {0};
    if (builtin.page_width == 0)
        fuzz_require(report_template_load(NULL, &builtin, &diag) == STATUS_OK, "a template");
    enum status status = parse(&file, data, size, &diag);
    if (status == STATUS_OK)
        status = memmem(data, size, "inks", 4) != NULL ? read_theme(&builtin, &file, &arena, &diag)
                                                       : read_report(&file, &arena, &diag);
    if (status != STATUS_OK) {
        fuzz_require(status == STATUS_INPUT, "no other status");
        fuzz_require(strncmp(diag.text, "t.json:", 7) == 0, "a refusal names the place");
        fuzz_require_line(diag.text, sizeof diag.text);
    }
    template_file_fini(&file);
    arena_fini(&arena);
    return 0;
}
