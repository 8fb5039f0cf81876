#include "report_pictures.h"

#include <stdlib.h>

#include "report_template.h"

struct chart_input report_pictures_input(const struct report_input *input, size_t group)
{
    return (struct chart_input){.summary = input->summary,
                                .group = group,
                                .texts = input->texts,
                                .theme = input->theme,
                                .width = CHART_WIDTH};
}

static bool lists(const struct report_template_charts *charts, const struct chart_row *chart)
{
    for (size_t i = 0; i < charts->count; i++)
        if (charts->rows[i] == chart)
            return true;
    return false;
}

/* Which of a picture's two forms some format needs: of hundreds of groups, what nobody needs is not
 * made. */
static struct chart_forms need_of(const struct report_input *input, const struct chart_row *chart,
                                  size_t group)
{
    const struct report_template *template = input->template;
    bool file = lists(&template->pictures, chart);
    bool page = (input->formats & REPORT_HTML) && group < REPORT_PICTURES_PAGE_GROUPS &&
                lists(&template->html.charts, chart);
    bool sheet = (input->formats & REPORT_XLSX) && lists(&template->workbook_charts, chart);
    return (struct chart_forms){.svg = page || (file && (input->formats & REPORT_SVG)),
                                .png = sheet || (file && (input->formats & REPORT_PNG))};
}

static enum status make_one(const struct report_input *input, const struct chart_row *chart,
                            size_t group, struct report_pictures *pictures, struct diag *diag)
{
    const struct chart_input chart_input = report_pictures_input(input, group);
    struct chart_forms need = need_of(input, chart, group);
    if ((!need.svg && !need.png) || !chart_has_content(chart, &chart_input))
        return STATUS_OK;
    struct report_picture *picture = &pictures->items[pictures->count];
    enum status status = chart_render(chart, &chart_input, need, &picture->image, diag);
    if (status != STATUS_OK)
        return status;
    picture->chart = chart;
    picture->group = group;
    pictures->count++;
    pictures->glyphs_missing |= picture->image.glyphs_missing;
    return STATUS_OK;
}

enum status report_pictures_make(const struct report_input *input, struct report_pictures *pictures,
                                 struct diag *diag)
{
    size_t chart_count;
    const struct chart_row *charts = chart_table(&chart_count);
    size_t group_count = input->summary->group_count;
    pictures->items = calloc(chart_count * group_count + 1, sizeof *pictures->items);
    if (pictures->items == NULL)
        return diag_no_memory(diag);
    enum status status = STATUS_OK;
    for (size_t group = 0; group < group_count; group++)
        for (size_t i = 0; i < chart_count && status == STATUS_OK; i++)
            status = make_one(input, &charts[i], group, pictures, diag);
    return status;
}

void report_pictures_fini(struct report_pictures *pictures)
{
    for (size_t i = 0; i < pictures->count; i++)
        chart_image_fini(&pictures->items[i].image);
    free(pictures->items);
    *pictures = (struct report_pictures){.items = NULL};
}

const struct report_picture *report_pictures_find(const struct report_pictures *pictures,
                                                  const struct chart_row *chart, size_t group)
{
    size_t low = 0, high = pictures->count;
    while (low < high) { /* the first of the group */
        size_t middle = low + (high - low) / 2;
        if (pictures->items[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pictures->count && pictures->items[low].group == group; low++)
        if (pictures->items[low].chart == chart)
            return &pictures->items[low];
    return NULL;
}
