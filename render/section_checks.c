#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

void section_checks_write(const struct section *section)
{
    if (section->group == NULL)
        return;
    const struct summary_decision *decision = &section->group->decision;
    section_title(section, "section.checks", true);
    for (size_t i = 0; i < decision->note_count; i++)
        manuscript_item(section->out, MANUSCRIPT_PLAIN,
                        section_message(section, &decision->notes[i]));
}
