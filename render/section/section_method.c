#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* More facts than these stand two in a row. */
#define METHOD_MANY 4

/* ---- Facts: a name and what it is ---- */

/* Two facts a row where there are many. */
static void begin_facts(const struct section *section, bool many)
{
    const struct manuscript_column what = {.heading = section_get(section, "column.fact")};
    const struct manuscript_column value = {.heading = section_get(section, "column.value")};
    const struct manuscript_column columns[] = {what, value, what, value};
    manuscript_table(section->out, columns, many ? 4 : 2);
}

static void fact(const struct section *section, const char *name, const char *text)
{
    section_cell(section, section_word(section, "field", name));
    section_cell(section, text);
}

/* A condition under its name in the language; of one that differs all values, marked. */
static void fact_condition(const struct section *section, const struct summary_condition *condition)
{
    const char *text = condition->text;
    if (text == NULL)
        return;
    bool answer = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (answer)
        text = section_get(section, text[0] == 't' ? "word.yes" : "word.no");
    else if (!isnan(condition->number))
        text = section_count(section, condition->number);
    section_cell(section, section_word(section, "field", condition->name));
    if (condition->differs)
        manuscript_cell(section->out, MANUSCRIPT_WARNING,
                        section_fill1(section, "method.differs", "values", text));
    else
        section_cell(section, text);
}

static void write_conditions(const struct section *section, const char *name,
                             const struct summary_conditions *conditions)
{
    char heading[64];
    size_t told = 0;
    for (size_t i = 0; i < conditions->count; i++)
        told += conditions->items[i].text != NULL;
    if (told == 0)
        return;
    snprintf(heading, sizeof heading, "heading.%s", name);
    section_heading(section, name, section_get(section, heading));
    begin_facts(section, told > METHOD_MANY);
    for (size_t i = 0; i < conditions->count; i++)
        fact_condition(section, &conditions->items[i]);
}

/* ---- Comparability ---- */

static void write_comparability(const struct section *section)
{
    const struct summary_group *group = section->group;
    const struct summary_texts *vary = &section->summary->policy.vary;
    section_heading(section, "comparability", section_get(section, "heading.comparability"));
    manuscript_paragraph(
        section->out, MANUSCRIPT_PLAIN,
        section_get(section, group->candidate_count > 1 ? "method.key" : "method.key_one"));
    if (vary->count > 0) {
        const char *names[16];
        size_t count = 0;
        for (size_t i = 0; i < vary->count && count < sizeof names / sizeof names[0]; i++)
            names[count++] = section_word(section, "field", vary->items[i]);
        manuscript_paragraph(
            section->out, MANUSCRIPT_PLAIN,
            section_fill1(section, "method.vary", "fields", section_join(section, names, count)));
    }
    if (group->warning_count == 0)
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_get(section, "method.no_warnings"));
    for (size_t i = 0; i < group->warning_count; i++)
        manuscript_item(section->out, MANUSCRIPT_WARNING,
                        section_message(section, &group->warnings[i]));
}

/* ---- Policy ---- */

/* A word of sentences as the name of a fact. */
static const char *begin_large(const struct section *section, const char *word)
{
    if (word[0] < 'a' || word[0] > 'z')
        return word;
    return manuscript_format(section->out, "%c%s", word[0] - 'a' + 'A', word + 1);
}

static void write_limits(const struct section *section)
{
    const struct summary_policy *policy = &section->summary->policy;
    const struct {
        const char *name, *unit;
        double value;
    } limits[] = {{"memory_limit_mb", "MiB", policy->memory_limit_mb},
                  {"min_throughput", policy->throughput_unit, policy->min_throughput},
                  {"max_communication_ratio", "ratio", policy->max_communication_ratio},
                  {"max_memory_fraction", "ratio", policy->max_memory_fraction},
                  {"max_step_time_variation", "ratio", policy->max_step_time_variation},
                  {"tight_memory_fraction", "ratio", policy->tight_memory_fraction},
                  {"min_gain", "ratio", policy->min_gain}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        section_cell(section, begin_large(section, section_word(section, "limit", limits[i].name)));
        if (isnan(limits[i].value))
            manuscript_cell(section->out, MANUSCRIPT_QUIET, section_get(section, "word.no_limit"));
        else
            section_cell(section, section_quantity(section, limits[i].value, limits[i].unit));
    }
}

static void write_policy(const struct section *section)
{
    const struct summary_policy *policy = &section->summary->policy;
    section_heading(section, "policy", section_get(section, "heading.policy"));
    begin_facts(section, true);
    write_limits(section);
    fact(section, "min_evidence_level",
         policy->min_evidence_level != NULL
             ? section_word(section, "level", policy->min_evidence_level)
             : section_get(section, "word.no_limit"));
    if (policy->correctness != NULL)
        fact(section, "correctness", section_word(section, "correctness", policy->correctness));
    fact(section, "goal", section_word(section, "goal", policy->goal));
    if (policy->baseline != NULL)
        fact(section, "baseline", policy->baseline);
    if (policy->memory_kind != NULL)
        fact(section, "memory_kind", section_word(section, "kind", policy->memory_kind));
    if (policy->ranking.count > 0) {
        const char *names[8];
        size_t count = 0;
        for (size_t i = 0; i < policy->ranking.count && count < 8; i++)
            names[count++] = section_word(section, "metric", policy->ranking.items[i]);
        fact(section, "ranking", section_join(section, names, count));
    }
    if (policy->ties != NULL)
        fact(section, "ties", section_word(section, "ties", policy->ties));
    fact(section, "allow_failed_repeats",
         section_get(section, policy->allow_failed_repeats ? "word.yes" : "word.no"));
}

/* ---- The whole ---- */

static void write_times(const struct section *section)
{
    const struct summary_group *group = section->group;
    const char *meaning = section_view_level_meaning(section, group->evidence_level);
    const struct sentence_value values[] = {
        {.name = "level", .text = section_word(section, "level", group->evidence_level)}};
    manuscript_paragraph(
        section->out, MANUSCRIPT_PLAIN,
        section_fill(section, group->times_count ? "method.times" : "method.no_times", values, 1));
    if (meaning[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, meaning);
}

void section_method_write(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    section_title(section, "section.method", true);
    write_times(section);
    section_noise_below(section);
    write_comparability(section);
    write_policy(section);
    write_conditions(section, "workload", &section->group->workload);
    write_conditions(section, "hardware", &section->group->hardware);
    write_conditions(section, "conditions", &section->group->conditions);
}
