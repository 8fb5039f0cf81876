#include "chart.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* Failed runs and the evidence level, once for all charts: each chart says it, too. */
static void write_cautions(const struct section *section)
{
    const struct summary_group *group = section->group;
    struct text_buffer names = {0};
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        if (candidate->failure.reason == NULL)
            continue;
        text_buffer_puts(&names,
                         names.length > 0 ? section_get(section, "word.list_separator") : "");
        text_buffer_puts(&names, candidate->label);
    }
    const char *failed = section_take(section, &names);
    if (failed[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_fill1(section, "charts.failed", "candidates", failed));
}

/* Title and heading are one text, so that a writer whose charts bear their titles can leave the
 * heading to the contents. */
static void write_chart(const struct section *section, const struct chart_row *chart)
{
    const char *title = section_get(section, chart->title_id);
    const char *says = section_chart_words(section, chart->name);
    section_heading(section, chart->name, title);
    manuscript_chart(section->out, chart, section->group_index, title);
    if (says[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, says);
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
    write_cautions(section);
    for (size_t i = 0; i < input->chart_count; i++)
        if (chart_has_content(input->charts[i], &chart_input))
            write_chart(section, input->charts[i]);
}
