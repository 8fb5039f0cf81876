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
    return section_build(&said, document->sections.rows, document->sections.count, out, diag);
}
