#include "report_template.h"

#include "chart_table.h"
#include "sheet_table.h"

/* ISO 216 A4, 210 mm by 297 mm, in points of 1/72 inch. */
#define A4_WIDTH (210 / 25.4 * 72)
#define A4_HEIGHT (297 / 25.4 * 72)

static enum status take_charts(struct report_template *template,
                               struct report_template_charts *charts, struct diag *diag)
{
    size_t count;
    const struct chart_row *rows = chart_table(&count);
    const struct chart_row **taken = arena_take_array(&template->arena, count, sizeof *taken);
    if (taken == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        taken[i] = &rows[i];
    *charts = (struct report_template_charts){taken, count};
    return STATUS_OK;
}

static enum status take_sheets(struct report_template *template, struct diag *diag)
{
    size_t count;
    const struct sheet_row *rows = sheet_table(&count);
    const struct sheet_row **taken = arena_take_array(&template->arena, count, sizeof *taken);
    if (taken == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        taken[i] = &rows[i];
    template->sheets = (struct report_template_sheets){taken, count};
    return STATUS_OK;
}

enum status report_template_load(struct report_template *template, struct diag *diag)
{
    struct report_template loaded = {.theme = *theme_default(),
                                     .dark = *theme_default(),
                                     .page_width = A4_WIDTH,
                                     .page_height = A4_HEIGHT};
    struct report_template_charts charts = {0};
    enum status status = take_charts(&loaded, &charts, diag);
    if (status == STATUS_OK)
        status = take_sheets(&loaded, diag);
    if (status != STATUS_OK) {
        report_template_fini(&loaded);
        return status;
    }
    loaded.pdf.charts = loaded.html.charts = loaded.markdown.charts = charts;
    loaded.workbook_charts = loaded.pictures = charts;
    *template = loaded;
    return STATUS_OK;
}

void report_template_fini(struct report_template *template)
{
    if (template == NULL)
        return;
    arena_fini(&template->arena);
    *template = (struct report_template){0};
}
