#include "chart.h"
#include "section_parts.h"
#include "section_text.h"

void section_charts_write(const struct section *section)
{
    const struct section_input *input = section->input;
    if (section->group == NULL || section->group->candidate_count == 0 || input->chart_count == 0)
        return;
    section_title(section, "section.charts", true);
    for (size_t i = 0; i < input->chart_count; i++) {
        const struct chart_row *chart = input->charts[i];
        const struct chart_input shown = {.summary = section->summary,
                                          .group = section->group_index,
                                          .texts = section->texts,
                                          .theme = input->theme};
        if (!chart_has_content(chart, &shown))
            continue;
        section_heading(section, chart->name, section_get(section, chart->title_id));
        manuscript_chart(section->out, chart, section->group_index,
                         section_get(section, chart->title_id));
    }
}
