#include "report_manuscript.h"

#include "report_template.h"
#include "section_table.h"

enum status report_manuscript(const struct report_input *input,
                              const struct report_template_document *document,
                              struct manuscript *out, struct diag *diag)
{
    const struct section_input said = {.summary = input->summary,
                                       .texts = input->texts,
                                       .theme = input->theme,
                                       .charts = document->charts.rows,
                                       .chart_count = document->charts.count,
                                       .formats = input->formats};
    size_t count = document->sections.count;
    const struct section_row *const *rows = document->sections.rows;
    if (count == 0)
        rows = section_default(document == &input->template->markdown, &count);
    return section_build(&said, rows, count, out, diag);
}
