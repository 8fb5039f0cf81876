#include "section_text.h"

#include <math.h>
#include <string.h>

#include "report_view.h"
#include "text.h"

const char *section_take(const struct section *section, struct text_buffer *buffer)
{
    section->out->failed |= buffer->failed;
    const char *text =
        buffer->failed || buffer->length == 0 ? "" : manuscript_copy(section->out, buffer->text);
    text_buffer_fini(buffer);
    return text;
}

/* ---- Words ---- */

const char *section_get(const struct section *section, const char *id)
{
    return texts_get(section->texts, id);
}

const char *section_word(const struct section *section, const char *group, const char *word)
{
    return texts_word(section->texts, group, word);
}

const char *section_fill(const struct section *section, const char *id,
                         const struct sentence_value *values, size_t count)
{
    struct text_buffer buffer = {0};
    texts_fill(&buffer, section->texts, id, values, count);
    return section_take(section, &buffer);
}

const char *section_fill1(const struct section *section, const char *id, const char *name,
                          const char *value)
{
    const struct sentence_value values[] = {{.name = name, .text = value}};
    return section_fill(section, id, values, 1);
}

const char *section_fill_count(const struct section *section, const char *id, double count)
{
    const struct sentence_value value = {.name = "count", .number = count};
    return section_fill(section, id, &value, 1);
}

const char *section_message(const struct section *section, const struct summary_message *message)
{
    struct text_buffer buffer = {0};
    texts_message(&buffer, section->texts, message);
    return section_take(section, &buffer);
}

/* ---- Numbers ---- */

const char *section_number(const struct section *section, double value, const char *unit)
{
    struct text_buffer buffer = {0};
    report_view_number(&buffer, section->texts, value, unit);
    return section_take(section, &buffer);
}

const char *section_quantity(const struct section *section, double value, const char *unit)
{
    struct text_buffer buffer = {0};
    report_view_quantity(&buffer, section->texts, value, unit);
    return section_take(section, &buffer);
}

/* The decimals with which two different numbers look different. */
static const char *beside(const struct section *section, double value, double other,
                          const char *unit)
{
    char number[64];
    bool ratio = unit != NULL && strcmp(unit, "ratio") == 0;
    enum text_rounding rounding = ratio ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN;
    double factor = ratio ? 100 : 1;
    const double both[] = {factor * value, factor * other};
    text_rounded(number, sizeof number, both[0], rounding, text_rounded_apart(both, 2, rounding));
    return manuscript_format(section->out, "%s%s", number, ratio ? " %" : "");
}

const char *section_number_beside(const struct section *section, double value, double other,
                                  const char *unit)
{
    return isnan(value) ? section_number(section, value, unit)
                        : beside(section, value, other, unit);
}

const char *section_quantity_beside(const struct section *section, double value, double other,
                                    const char *unit)
{
    if (isnan(value) || unit == NULL || unit[0] == '\0' || strcmp(unit, "ratio") == 0)
        return section_number_beside(section, value, other, unit);
    return manuscript_format(section->out, "%s %s", beside(section, value, other, unit),
                             section_word(section, "unit", unit));
}

const char *section_count(const struct section *section, double value)
{
    char number[64];
    if (isnan(value))
        return section_get(section, "word.not_known");
    return manuscript_copy(section->out, text_number(number, sizeof number, value, 15));
}

/* ---- Lists ---- */

const char *section_join(const struct section *section, const char *const *texts, size_t count)
{
    struct text_buffer buffer = {0};
    for (size_t i = 0; i < count; i++) {
        text_buffer_puts(&buffer, i > 0 ? section_get(section, "word.list_separator") : "");
        text_buffer_puts(&buffer, texts[i]);
    }
    return section_take(section, &buffer);
}

void section_list(const struct section *section, struct text_buffer *list, const char *text)
{
    if (list->length > 0)
        text_buffer_puts(list, section_get(section, "word.list_separator"));
    text_buffer_puts(list, text);
}

const char *section_append(const struct section *section, const char *text, const char *more)
{
    if (text[0] == '\0' || more[0] == '\0')
        return text[0] == '\0' ? more : text;
    return manuscript_format(section->out, "%s%s%s", text, section_get(section, "word.semicolon"),
                             more);
}

/* ---- Headings and cells ---- */

void section_title(const struct section *section, const char *title_id, bool new_page)
{
    manuscript_section(section->out, section->level, section->anchor,
                       section_get(section, title_id), new_page);
}

void section_heading(const struct section *section, const char *name, const char *heading)
{
    manuscript_section(section->out, section->level + 1,
                       manuscript_format(section->out, "%s-%s", section->anchor, name), heading,
                       false);
}

void section_more(const struct section *section, size_t count)
{
    manuscript_item(section->out, MANUSCRIPT_QUIET,
                    section_fill_count(section, "word.more", (double)count));
}

void section_cell(const struct section *section, const char *text)
{
    manuscript_cell(section->out, MANUSCRIPT_PLAIN, text);
}

void section_cell_beside(const struct section *section, double value, double other,
                         const char *unit)
{
    manuscript_cell(section->out, isnan(value) ? MANUSCRIPT_QUIET : MANUSCRIPT_PLAIN,
                    section_number_beside(section, value, other, unit));
}

void section_cell_number(const struct section *section, double value, const char *unit)
{
    manuscript_cell(section->out, isnan(value) ? MANUSCRIPT_QUIET : MANUSCRIPT_PLAIN,
                    section_number(section, value, unit));
}

struct cross_check_result section_check(const struct section *section,
                                        const struct cross_check *check)
{
    struct cross_check_result result = cross_check_run(check, section->group, &section->out->arena);
    section->out->failed |= result.failed;
    return result;
}

/* ---- Tones ---- */

enum manuscript_tone section_verdict_tone(const char *verdict)
{
    switch (report_view_verdict_style(verdict)) {
    case CELL_PASS:
        return MANUSCRIPT_GOOD;
    case CELL_TIGHT:
        return MANUSCRIPT_WARNING;
    case CELL_FAIL:
        return MANUSCRIPT_BAD;
    default:
        return MANUSCRIPT_QUIET;
    }
}

enum manuscript_tone section_answer_tone(const char *decision)
{
    if (decision != NULL && strcmp(decision, "accept") == 0)
        return MANUSCRIPT_GOOD;
    return decision != NULL && strcmp(decision, "tune") == 0 ? MANUSCRIPT_WARNING : MANUSCRIPT_BAD;
}
