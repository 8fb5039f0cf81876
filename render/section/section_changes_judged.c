#include <math.h>

#include "section_changes_parts.h"
#include "section_text.h"

#define UNMATCHED_MOST 100
#define REJECTED_MOST 100

static void write_rules(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct sentence_value tolerance = {.name = "tolerance", .number = changes->tolerance};
    const struct sentence_value level = {.name = "level", .number = changes->interval_level};
    struct text_buffer list = {0};
    manuscript_item(section->out, MANUSCRIPT_PLAIN,
                    section_fill(section, "judged.interval", &level, 1));
    manuscript_item(section->out, MANUSCRIPT_PLAIN,
                    section_fill(section, "judged.tolerance", &tolerance, 1));
    if (isnan(changes->max_regression)) {
        manuscript_item(section->out, MANUSCRIPT_PLAIN, section_get(section, "judged.no_maximum"));
        return;
    }
    for (size_t i = 0; i < changes->fail_on.count; i++) {
        text_buffer_puts(&list, i > 0 ? section_get(section, "word.list_separator") : "");
        text_buffer_puts(&list, section_word(section, "counts", changes->fail_on.items[i]));
    }
    const struct sentence_value values[] = {
        {.name = "limit", .number = changes->max_regression},
        {.name = "categories", .text = section_take(section, &list)}};
    manuscript_item(section->out, MANUSCRIPT_PLAIN,
                    section_fill(section, "judged.maximum", values, 2));
}

static void write_policy(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.policy_field"), .code = true},
        {.heading = section_get(section, "column.base"), .code = true},
        {.heading = section_get(section, "column.new"), .code = true}};
    section_heading(section, "policy", section_get(section, "heading.policy_differences"));
    if (changes->policy_count == 0) {
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN,
                             section_get(section, "judged.same_policy"));
        return;
    }
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < changes->policy_count; i++) {
        section_cell(section, changes->policy[i].field);
        section_cell(section, changes->policy[i].base != NULL ? changes->policy[i].base : "null");
        section_cell(section, changes->policy[i].now != NULL ? changes->policy[i].now : "null");
    }
}

/* "gpt2, 4 ranks (the most alike group differs in seq_len)". */
static void write_unmatched(const struct section *section, bool missing,
                            const struct changes_unmatched *groups, size_t count)
{
    if (count == 0)
        return;
    section_heading(
        section, missing ? "missing" : "new",
        section_get(section, missing ? "heading.missing_groups" : "heading.new_groups"));
    for (size_t i = 0; i < count && i < UNMATCHED_MOST; i++) {
        const struct sentence_value values[] = {{.name = "group", .text = groups[i].label},
                                                {.name = "field", .text = groups[i].differs_in}};
        bool told = groups[i].differs_in != NULL;
        manuscript_item(section->out, MANUSCRIPT_PLAIN,
                        told ? section_fill(section, "judged.unmatched", values, 2)
                             : groups[i].label);
    }
    if (count > UNMATCHED_MOST)
        section_more(section, count - UNMATCHED_MOST);
}

static void write_rejected(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct changes_side *sides[] = {&changes->base, &changes->now};
    static const char *const names[] = {"BASE", "NEW"};
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.side")},
        {.heading = section_get(section, "column.path"), .code = true},
        {.heading = section_get(section, "column.message")}};
    if (sides[0]->rejected_count + sides[1]->rejected_count == 0)
        return;
    section_heading(section, "rejected", section_get(section, "heading.left_out"));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sides[k]->rejected_count && i < REJECTED_MOST; i++) {
            section_cell(section, names[k]);
            section_cell(section, sides[k]->rejected[i].path);
            section_cell(section, sides[k]->rejected[i].error);
        }
}

/* Where there are several groups, what became of each decision. */
static void write_decisions(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct manuscript_column columns[] = {{.heading = section_get(section, "column.group")},
                                                {.heading = section_get(section, "column.in_base")},
                                                {.heading = section_get(section, "column.in_new")}};
    if (changes->group_count < 2)
        return;
    section_heading(section, "decisions", section_get(section, "heading.decisions"));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < changes->shown_count; i++) {
        const struct changes_group *group = &changes->groups[changes->shown[i]];
        section_cell(section, group->label);
        section_cell(section, section_changes_answer(section, &group->base));
        section_cell(section, section_changes_answer(section, &group->now));
    }
    section_changes_rest(section);
}

void section_changes_judged_write(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    section_title(section, "section.changes_judged", true);
    write_rules(section);
    write_decisions(section);
    write_policy(section);
    write_unmatched(section, true, changes->missing, changes->missing_count);
    write_unmatched(section, false, changes->added, changes->added_count);
    write_rejected(section);
}
