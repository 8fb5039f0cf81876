#include <math.h>

#include "cross_check.h"
#include "report.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* ---- How it was measured, in a few lines ---- */

/* "10", or "10 to 20" where candidates differ; NULL: not known. */
static const char *range_of(const struct section *section,
                            double (*number)(const struct summary_candidate *))
{
    double least = (double)NAN;
    double most = (double)NAN;
    for (size_t i = 0; i < section->group->candidate_count; i++) {
        double own = number(&section->group->candidates[i]);
        least = fmin(least, own);
        most = fmax(most, own);
    }
    if (isnan(least))
        return section_get(section, "word.not_known");
    if (least == most)
        return section_count(section, least);
    const struct sentence_value values[] = {
        {.name = "lower", .text = section_count(section, least)},
        {.name = "upper", .text = section_count(section, most)}};
    return section_fill(section, "noise.interval", values, 2);
}

static double runs_of(const struct summary_candidate *candidate)
{
    return (double)candidate->repeats;
}

static double warmup_of(const struct summary_candidate *candidate)
{
    return candidate->warmup;
}

static void write_repeats(const struct section *section)
{
    const struct sentence_value values[] = {
        {.name = "runs", .text = range_of(section, runs_of)},
        {.name = "steps", .text = range_of(section, section_noise_steps)},
        {.name = "warmup", .text = range_of(section, warmup_of)}};
    manuscript_item(section->out, MANUSCRIPT_PLAIN,
                    section_fill(section, "measured.repeats", values, 3));
}

static void write_workload(const struct section *section)
{
    const struct summary_group *group = section->group;
    const char *text = section->level == 1 && group->label != NULL ? group->label : "";
    if (!isnan(group->seq_len))
        text = section_append(section, text,
                              section_fill1(section, "measured.seq_len", "tokens",
                                            section_count(section, group->seq_len)));
    text = section_append(section, text, group->dtype != NULL ? group->dtype : "");
    text = section_append(section, text, group->device != NULL ? group->device : "");
    text = section_append(section, text, section_word(section, "level", group->evidence_level));
    manuscript_item(section->out, MANUSCRIPT_PLAIN, text);
}

/* Which of the checks agree, and which differ by name. */
static void write_checks(const struct section *section)
{
    size_t count;
    const struct cross_check *checks = cross_check_table(&count);
    struct text_buffer names = {0};
    size_t made = 0;
    size_t agree = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cross_check_result result = section_check(section, &checks[i]);
        made += result.worst != NULL;
        agree += result.worst != NULL && result.differ == 0;
        if (result.differ == 0)
            continue;
        section_list(section, &names, section_word(section, "check", checks[i].name));
    }
    const struct sentence_value values[] = {
        {.name = "agree", .number = (double)agree},
        {.name = "made", .number = (double)made},
        {.name = "count", .number = (double)count},
        {.name = "checks", .text = section_take(section, &names)}};
    manuscript_item(section->out, agree < made ? MANUSCRIPT_WARNING : MANUSCRIPT_PLAIN,
                    section_fill(section,
                                 made == 0      ? "measured.no_checks"
                                 : agree < made ? "measured.checks_differ"
                                                : "measured.checks",
                                 values, 4));
}

void section_measured_write(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    section_title(section, "section.measured", false);
    write_workload(section);
    write_repeats(section);
    write_checks(section);
}

/* ---- Where the rest is ---- */

void section_files_write(const struct section *section)
{
    static const struct {
        enum report_format format;
        const char *name;
    } rows[] = {
        {REPORT_PDF, "report.pdf"}, {REPORT_HTML, "report.html"}, {REPORT_XLSX, "report.xlsx"}};
    const char *names[sizeof rows / sizeof rows[0]];
    size_t count = 0;
    struct section above = *section; /* its headings stand beside those of sections */
    above.level--;
    section_view_left_out(&above);
    section_view_sources(section);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (section->input->formats & rows[i].format)
            names[count++] = rows[i].name;
    if (count > 0)
        manuscript_paragraph(
            section->out, MANUSCRIPT_QUIET,
            section_fill1(section, "files.more", "files", section_join(section, names, count)));
}
