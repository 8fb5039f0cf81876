#include <math.h>
#include <string.h>

#include "evidence_level.h"
#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* ---- The three numbers ---- */

static double limit_in(const struct summary_gate *gate)
{
    return gate != NULL ? gate->limit : (double)NAN;
}

/* "limit 16,384 MiB; 791 left (4.8 %)", or that there is none. */
static const char *limit_of(const struct section *section, const struct summary_gate *gate,
                            bool minimum)
{
    if (gate == NULL || isnan(gate->limit))
        return section_get(section, minimum ? "figure.no_minimum" : "figure.no_limit");
    const char *limit =
        section_fill1(section, minimum ? "figure.minimum" : "figure.limit", "limit",
                      section_quantity_beside(section, gate->limit, gate->value, gate->unit));
    return section_append(section, limit, section_view_margin(section, gate));
}

static struct manuscript_figure peak_figure(const struct section *section,
                                            const struct summary_candidate *candidate)
{
    const struct summary_gate *gate = report_view_gate(candidate, "memory");
    return (struct manuscript_figure){
        .label = section_get(section, "figure.peak_memory"),
        .value = section_quantity_beside(section, candidate->peak_memory_mb, limit_in(gate), "MiB"),
        .detail = limit_of(section, gate, false),
        .tone = gate != NULL ? section_verdict_tone(gate->verdict) : MANUSCRIPT_QUIET};
}

/* What is gained over the baseline, and whether the baseline would do at all. */
static const char *gain_of(const struct section *section, const struct summary_candidate *candidate)
{
    double gain = report_view_gain(section->group, candidate);
    const struct summary_candidate *baseline = report_view_baseline(section->group);
    if (isnan(gain) || baseline == NULL)
        return "";
    const struct sentence_value values[] = {
        {.name = "gain", .text = section_view_signed_percent(section, gain)},
        {.name = "baseline", .text = report_view_baseline_name(section->group)},
        {.name = "gates", .text = section_view_gates(section, &baseline->gate_failures)}};
    return section_fill(section, baseline->eligible ? "figure.gain" : "figure.gain_failing", values,
                        3);
}

static struct manuscript_figure throughput_figure(const struct section *section,
                                                  const struct summary_candidate *candidate)
{
    const struct summary_gate *gate = report_view_gate(candidate, "throughput");
    const char *detail = limit_of(section, gate, true);
    detail = section_append(section, detail, gain_of(section, candidate));
    detail = section_append(section, detail, section_view_interval(section, candidate));
    if (!section->group->times_count)
        detail = section_append(section, section_get(section, "figure.times"), detail);
    return (struct manuscript_figure){
        .label = section_get(section, "figure.throughput"),
        .value = section_quantity_beside(section, candidate->throughput, limit_in(gate),
                                         report_view_unit_of(candidate)),
        .detail = detail,
        .tone = gate != NULL ? section_verdict_tone(gate->verdict) : MANUSCRIPT_QUIET};
}

static struct manuscript_figure exposed_figure(const struct section *section,
                                               const struct summary_candidate *candidate)
{
    const struct summary_gate *gate = report_view_gate(candidate, "communication");
    return (struct manuscript_figure){
        .label = section_get(section, "figure.exposed"),
        .value =
            section_number_beside(section, candidate->communication_ratio, limit_in(gate), "ratio"),
        .detail = limit_of(section, gate, false),
        .tone = gate != NULL ? section_verdict_tone(gate->verdict) : MANUSCRIPT_QUIET};
}

/* ---- The whole ---- */

/* What the level of the evidence means, where it is not training on several GPUs. */
static void write_level(const struct section *section)
{
    const char *level = section->group->evidence_level;
    const char *meaning = section_view_level_meaning(section, level);
    const struct sentence_value values[] = {
        {.name = "level", .text = section_word(section, "level", level)},
        {.name = "meaning", .text = meaning}};
    const char *id = "opening.level";
    if (level == NULL || level[0] == '\0')
        id = "opening.no_level";
    else if (evidence_level_find(level, strlen(level)) == NULL)
        id = "opening.unknown_level";
    else if (meaning[0] == '\0')
        return;
    manuscript_notice(section->out, MANUSCRIPT_WARNING, section_fill(section, id, values, 2));
}

/* Whose numbers they are, where nothing was selected. */
static void write_subject(const struct section *section, const struct summary_candidate *subject)
{
    if (report_view_selected(section->group) != NULL)
        return;
    bool measured = !isnan(subject->peak_memory_mb) || !isnan(subject->throughput) ||
                    !isnan(subject->communication_ratio);
    const char *id = section->group->candidate_count == 1 ? "opening.only" : "opening.closest";
    if (subject->failure.reason != NULL)
        id = measured ? "opening.failed" : "opening.failed_unmeasured";
    manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                         section_fill1(section, id, "candidate", subject->label));
}

/* `bare`: the heading above says already that this is the decision. */
static void write_verdict(const struct section *section, bool bare)
{
    const struct summary_decision *decision =
        section->group != NULL ? &section->group->decision : &section->summary->decision;
    struct text_buffer title = {0};
    if (bare)
        report_view_headline(&title, section->texts, decision);
    else
        report_view_title(&title, section->texts, decision);
    manuscript_verdict(section->out, section_answer_tone(decision->decision),
                       section_take(section, &title), section_message(section, &decision->reason));
}

/* The numbers of the selected candidate, or of the one that comes closest. */
static void write_numbers(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    const struct summary_candidate *subject = section_view_subject(section->group);
    const struct manuscript_figure figures[] = {peak_figure(section, subject),
                                                throughput_figure(section, subject),
                                                exposed_figure(section, subject)};
    write_subject(section, subject);
    manuscript_figures(section->out, figures, sizeof figures / sizeof figures[0]);
    write_level(section);
}

void section_verdict_below(const struct section *section)
{
    write_verdict(section, true);
    write_numbers(section);
}

void section_verdict_write(const struct section *section)
{
    write_verdict(section, false);
    write_numbers(section);
}
