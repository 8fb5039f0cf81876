#include <math.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"
#include "text.h"

/* ---- Facts: a name and what it is ---- */

static void begin_facts(const struct section *section)
{
    const struct manuscript_column columns[] = {{.heading = section_get(section, "column.fact")},
                                                {.heading = section_get(section, "column.value")}};
    manuscript_table(section->out, columns, 2);
}

static void fact(const struct section *section, const char *id, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    section_cell(section, section_get(section, id));
    section_cell(section, text);
}

static void fact_number(const struct section *section, const char *id, double value)
{
    if (!isnan(value))
        fact(section, id, section_count(section, value));
}

static void write_workload(const struct section *section)
{
    const struct summary_group *group = section->group;
    section_heading(section, "workload", section_get(section, "heading.workload"));
    begin_facts(section);
    fact(section, "field.model", group->model);
    fact_number(section, "field.parameters", group->parameters);
    fact(section, "field.dtype", group->dtype);
    fact_number(section, "field.world_size", group->world_size);
    fact_number(section, "field.global_batch", group->global_batch);
    fact_number(section, "field.seq_len", group->seq_len);
    fact(section, "field.device", group->device);
    fact(section, "field.evidence_level", section_word(section, "level", group->evidence_level));
}

static void write_policy(const struct section *section)
{
    const struct summary_policy *policy = &section->summary->policy;
    const struct {
        const char *id, *unit;
        double value;
    } limits[] = {{"limit.memory_limit_mb", "MiB", policy->memory_limit_mb},
                  {"limit.min_throughput", policy->throughput_unit, policy->min_throughput},
                  {"limit.max_communication_ratio", "ratio", policy->max_communication_ratio},
                  {"limit.max_memory_fraction", "ratio", policy->max_memory_fraction},
                  {"limit.min_gain", "ratio", policy->min_gain}};
    section_heading(section, "policy", section_get(section, "heading.policy"));
    begin_facts(section);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        fact(section, limits[i].id,
             isnan(limits[i].value) ? section_get(section, "word.no_limit")
                                    : section_quantity(section, limits[i].value, limits[i].unit));
    fact(section, "field.goal", section_word(section, "goal", policy->goal));
    fact(section, "field.baseline", policy->baseline);
}

static void write_comparability(const struct section *section)
{
    const struct summary_group *group = section->group;
    section_heading(section, "comparability", section_get(section, "heading.comparability"));
    if (group->warning_count == 0)
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN,
                             section_get(section, "method.comparable"));
    for (size_t i = 0; i < group->warning_count; i++)
        manuscript_item(section->out, MANUSCRIPT_WARNING,
                        section_message(section, &group->warnings[i]));
}

void section_method_write(const struct section *section)
{
    if (section->group == NULL)
        return;
    section_title(section, "section.method", true);
    write_workload(section);
    write_comparability(section);
    write_policy(section);
}
