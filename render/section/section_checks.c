#include <math.h>
#include <string.h>

#include "cross_check.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* From here on the numbers themselves show that they differ; below, that it is a little. */
#define CHECKS_SHOWN_APART 0.0001

/* "zero2: 30.33 against 30.3 MiB, 0.1 % apart". */
static const char *worst_of(const struct section *section, const struct cross_check *check,
                            const struct cross_check_result *result)
{
    const struct cross_check_pair *pair = &result->pair;
    if (result->worst == NULL)
        return "";
    if (check->answer)
        return result->differ > 0 ? result->worst->label : "";
    if (pair->difference == 0)
        return section_get(section, "checks.equal");
    bool apart = pair->difference >= CHECKS_SHOWN_APART;
    const struct sentence_value values[] = {
        {.name = "candidate", .text = result->worst->label},
        {.name = "stated",
         .text = section_number_beside(section, pair->stated, apart ? pair->other : (double)NAN,
                                       pair->unit)},
        {.name = "other",
         .text = section_quantity_beside(section, pair->other, apart ? pair->stated : (double)NAN,
                                         pair->unit)},
        {.name = "difference", .text = section_view_small_percent(section, pair->difference)}};
    return section_fill(section,
                        strcmp(check->name, "correctness") == 0 ? "checks.worst_tolerance"
                                                                : "checks.worst",
                        values, 4);
}

static const char *counts_of(const struct section *section, const struct cross_check_result *result)
{
    const struct sentence_value values[] = {
        {.name = "agree", .number = (double)result->agree},
        {.name = "count", .number = (double)(result->agree + result->differ)},
        {.name = "unmeasured", .number = (double)result->unmeasured}};
    return section_fill(section, result->unmeasured > 0 ? "checks.some" : "checks.all", values, 3);
}

static void write_check(const struct section *section, const struct cross_check *check)
{
    const struct cross_check_result result = section_check(section, check);
    section_cell(section, section_word(section, "check", check->name));
    section_cell(section, section_word(section, "check_how", check->name));
    if (result.worst == NULL) {
        section_cell(section, "");
        section_cell(section, "");
        manuscript_cell(section->out, MANUSCRIPT_QUIET, section_get(section, "word.not_measured"));
        return;
    }
    section_cell(section, counts_of(section, &result));
    section_cell(section, worst_of(section, check, &result));
    if (result.differ == 0)
        manuscript_cell(section->out, MANUSCRIPT_GOOD, section_get(section, "checks.agrees"));
    else
        manuscript_cell(section->out, MANUSCRIPT_WARNING, section_get(section, "checks.differs"));
}

static void write_table(const struct section *section)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.check")},
        {.heading = section_get(section, "column.how")},
        {.heading = section_get(section, "column.candidates_agree")},
        {.heading = section_get(section, "column.largest_difference")},
        {.heading = section_get(section, "column.verdict")}};
    size_t count;
    const struct cross_check *checks = cross_check_table(&count);
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++)
        write_check(section, &checks[i]);
}

/* What the ledger leaves, and what it says where it does not fit: the analyzer's notes. */
static void write_notes(const struct section *section)
{
    static const char *const prefixes[] = {"note.residual", "note.explained", "note.prediction"};
    const struct summary_decision *decision = &section->group->decision;
    for (size_t i = 0; i < decision->note_count; i++)
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
            if (section_view_is(&decision->notes[i], prefixes[k])) {
                manuscript_item(section->out, MANUSCRIPT_PLAIN,
                                section_message(section, &decision->notes[i]));
                break;
            }
}

/* Notes that no other section has a place for: of an analyzer of another version. */
static bool is_placed(const struct summary_message *note)
{
    static const char *const prefixes[] = {
        "tie.",           "note.step_variation", "note.injected",      "note.slowest_rank",
        "note.inversion", "note.fullest_rank",   "note.residual",      "note.explained",
        "note.predict",   "note.level_",         "note.evidence_level"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (section_view_is(note, prefixes[i]))
            return true;
    return false;
}

static void write_other_notes(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    for (size_t i = 0; i < decision->note_count; i++)
        if (!is_placed(&decision->notes[i]) ||
            section_view_is(&decision->notes[i], "note.evidence_level") ||
            section_view_is(&decision->notes[i], "note.level_"))
            manuscript_item(section->out, MANUSCRIPT_PLAIN,
                            section_message(section, &decision->notes[i]));
}

void section_checks_write(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    section_title(section, "section.checks", true);
    manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, section_get(section, "checks.what"));
    write_table(section);
    write_notes(section);
    write_other_notes(section);
}
