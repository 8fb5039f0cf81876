#include "chart.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

static bool has_failed(const struct summary_candidate *candidate)
{
    return candidate->failure.reason != NULL;
}

/* Once for all charts, beside what each of them shows. */
static void write_failed(const struct section *section)
{
    size_t count;
    const char *failed = section_view_names(section, has_failed, &count);
    if (count > 0)
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_fill1(section, "charts.failed", "candidates", failed));
}

/* Without a sentence, title and heading are one text: a writer whose charts bear their titles can
 * leave the heading to the contents. */
static void write_chart(const struct section *section, const struct chart_row *chart)
{
    const char *title = section_get(section, chart->title_id);
    const char *says = section_chart_words(section, chart->name);
    section_heading(section, chart->name, title);
    if (says[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, says);
    manuscript_chart(section->out, chart, section->group_index,
                     says[0] == '\0' ? title
                                     : manuscript_format(section->out, "%s%s%s", title,
                                                         section_get(section, "word.colon"), says));
}

void section_charts_write(const struct section *section)
{
    const struct section_input *input = section->input;
    const struct chart_input chart_input = {.summary = section->summary,
                                            .group = section->group_index,
                                            .texts = section->texts,
                                            .theme = input->theme,
                                            .width = CHART_WIDTH};
    if (section->group == NULL || section->group->candidate_count == 0 || input->chart_count == 0)
        return;
    section_title(section, "section.charts", true);
    write_failed(section);
    for (size_t i = 0; i < input->chart_count; i++)
        if (chart_has_content(input->charts[i], &chart_input))
            write_chart(section, input->charts[i]);
}
