#include <string.h>

#include "changes.h"
#include "fuzz_require.h"
#include "html_write.h"
#include "markdown.h"
#include "report_manuscript.h"
#include "report_template.h"

/* Any bytes as a summary or as a comparison: refused with a place and a reason, or loaded, and then
 * reported, in both languages, with nothing in it that a reader of Markdown would take for more
 * than text. */

static void require_group(const struct summary_group *group, const struct summary *summary)
{
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[i];
        fuzz_require(group->order[i] < group->candidate_count, "an order is within the candidates");
        fuzz_require(candidate->label != NULL && candidate->strategy != NULL,
                     "a candidate has a name");
        for (size_t s = 0; s < candidate->source_count; s++)
            fuzz_require(candidate->sources[s] < summary->source_count,
                         "a source is within the sources");
    }
    fuzz_require(group->decision.candidate < (long)group->candidate_count,
                 "the selected one is a candidate");
}

/* The report itself has no HTML: a "<" before a name is escaped or in a code span, which ends with
 * as many backticks as it began with. */
static void require_no_markup(const char *text)
{
    size_t fence = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        bool escaped = fence == 0 && i > 0 && text[i - 1] == '\\';
        if (text[i] == '`' && !escaped) {
            size_t run = strspn(text + i, "`");
            fence = fence == 0 ? run : fence == run ? 0 : fence;
            i += run - 1;
        } else if (text[i] == '\n') {
            fence = 0;
        } else if (text[i] == '<') {
            unsigned char next = (unsigned char)text[i + 1];
            bool tag = (next | 0x20) >= 'a' && (next | 0x20) <= 'z';
            tag = tag || next == '/' || next == '!' || next == '?';
            fuzz_require(!tag || fence > 0 || escaped, "no markup of others");
        }
    }
}

/* Every tag is one of the page's own, and each that opens closes: nothing of others is a tag. */
static void require_page(const char *page)
{
    static const char *const names[] = {
        "section", "div", "p",    "h1",  "h2",   "h3",     "h4",     "ul",     "li",
        "dl",      "dt",  "dd",   "pre", "code", "table",  "thead",  "tbody",  "tr",
        "th",      "td",  "span", "nav", "main", "header", "footer", "figure", "a"};
    const char *at = strstr(page, "<body>");
    const char *end = strstr(page, "</body>");
    fuzz_require(at != NULL && end != NULL, "a page has a body");
    long depth = 0;
    for (at = strchr(at + 1, '<'); at != NULL && at < end; at = strchr(at + 1, '<')) {
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz1234");
        bool known = false;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            known |= strlen(names[i]) == length && memcmp(names[i], name, length) == 0;
        fuzz_require(known, "a tag of the page's own");
        fuzz_require(strcspn(at + 1, "<") > strcspn(at, ">") - 1, "a tag is closed");
        depth += closes ? -1 : 1;
    }
    fuzz_require(depth == 0, "what opens closes");
}

static const struct texts *words(int language)
{
    static struct texts texts[2];
    struct diag diag = {0};
    if (texts[language].count == 0)
        fuzz_require(texts_load(language == 0 ? "en" : "zh", NULL, &texts[language], &diag) ==
                         STATUS_OK,
                     "a language is loaded");
    return &texts[language];
}

static const struct report_template *look(void)
{
    static struct report_template template;
    struct diag diag = {0};
    if (template.html.sections.count == 0)
        fuzz_require(report_template_load(NULL, &template, &diag) == STATUS_OK, "a template");
    return &template;
}

/* Pages have more sections than Markdown; their words go through the same escapes. */
static void require_report(const struct summary *summary, int language)
{
    struct manuscript manuscript = {0};
    struct text_buffer out = {0};
    struct diag diag = {0};
    const struct report_pictures pictures = {.items = NULL}; /* charts are not what is tried */
    const struct report_input input = {.summary = summary,
                                       .texts = words(language),
                                       .theme = &look()->theme,
                                       .template = look(),
                                       .formats = REPORT_MARKDOWN | REPORT_SVG};
    fuzz_require(report_manuscript(&input, &look()->html, &manuscript, &diag) == STATUS_OK,
                 "a report has words");
    fuzz_require(markdown_write(&manuscript, &input, &out, &diag) == STATUS_OK, "memory");
    fuzz_require_lines(out.text, out.length);
    require_no_markup(out.text);
    text_buffer_clear(&out);
    fuzz_require(html_write(&manuscript, &input, &pictures, &out, &diag) == STATUS_OK, "memory");
    require_page(out.text);
    text_buffer_fini(&out);
    manuscript_fini(&manuscript);
}

static enum status load(const uint8_t *data, size_t size, struct summary *summary,
                        struct diag *diag)
{
    static const char schema[] = "rankledger.comparison/";
    const struct summary_document document = {"s.json", (const char *)data, size};
    bool compared = memmem(data, size, schema, sizeof schema - 1) != NULL;
    const struct texts *texts = words((int)(size % 2));
    return compared ? changes_load(&document, texts, summary, diag)
                    : summary_load_in(&document, texts, summary, diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct summary summary = {0};
    struct diag diag = {0};
    enum status status = load(data, size, &summary, &diag);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < summary.group_count; i++)
            require_group(&summary.groups[i], &summary);
        require_report(&summary, (int)(size % 2));
    } else {
        fuzz_require(status == STATUS_INPUT, "no other status");
        fuzz_require(strncmp(diag.text, "s.json:", 7) == 0, "a refusal names the place");
        fuzz_require_line(diag.text, sizeof diag.text);
    }
    summary_fini(&summary);
    return 0;
}
