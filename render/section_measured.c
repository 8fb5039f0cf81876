#include "report.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

void section_measured_write(const struct section *section)
{
    if (section->group == NULL)
        return;
    section_title(section, "section.measured", false);
    section_view_sources(section);
}

void section_files_write(const struct section *section)
{
    static const struct {
        enum report_format format;
        const char *name;
    } rows[] = {{REPORT_XLSX, "report.xlsx"}};
    const char *names[sizeof rows / sizeof rows[0]];
    size_t count = 0;
    section_view_left_out(section);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (section->input->formats & rows[i].format)
            names[count++] = rows[i].name;
    if (count > 0)
        manuscript_paragraph(
            section->out, MANUSCRIPT_QUIET,
            section_fill1(section, "files.more", "files", section_join(section, names, count)));
}
