#include "pdf_furniture.h"

#include <math.h>
#include <string.h>

#include "report_template.h"
#include "report_view.h"
#include "texts.h"

#define BASELINE_TOP 34.0
#define RULE_TOP 41.0
#define LOGO_HEIGHT 18.0
#define LOGO_WIDTH_MOST 140.0
#define GAP 8.0

static const struct canvas_font small = {.size = 7.5};
static const struct canvas_font small_strong = {.size = 7.5, .bold = true};

struct furniture {
    const struct report_input *input;
    struct pdf_document *document;
    double left, right;
};

struct canvas_box pdf_furniture_logo(const struct report_input *input)
{
    const struct report_template_logo *logo = &input->template->logo;
    if (logo->png == NULL || logo->width == 0 || logo->height == 0)
        return (struct canvas_box){0};
    double ratio = (double)logo->width / (double)logo->height;
    double width = fmin(LOGO_HEIGHT * ratio, LOGO_WIDTH_MOST);
    double height = width / ratio;
    double right = input->template->page_width - PDF_MARGIN;
    return (struct canvas_box){right - width, RULE_TOP - 4 - height, width, height};
}

/* A text that is cut to the room: what stands here is said in full elsewhere. */
static double put(const struct furniture *furniture, struct scene *scene, struct canvas_point at,
                  const struct canvas_font *font, const char *text, double room, bool to_the_right)
{
    if (text == NULL || text[0] == '\0' || room <= 20)
        return 0;
    struct text_fit fit = scene_fit(scene, font, text, (struct text_fit_room){room, 1, false});
    if (fit.count == 0)
        return 0;
    double width = fit.lines[0].extent.width;
    at.x -= to_the_right ? width : 0;
    scene_text(scene, at, font, furniture->input->theme->ink[THEME_QUIET], fit.lines[0].text);
    return width;
}

static void rule(const struct furniture *furniture, struct scene *scene, double y)
{
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, furniture->input->theme->ink[THEME_GRID],
                                 0.6, 0};
    scene_line(scene, (struct canvas_point){furniture->left, y},
               (struct canvas_point){furniture->right, y}, &paint);
}

static void put_header(const struct furniture *furniture, struct scene *scene)
{
    const struct report_input *input = furniture->input;
    struct canvas_box logo = pdf_furniture_logo(input);
    double right = furniture->right - (logo.width > 0 ? logo.width + GAP : 0);
    double whole = right - furniture->left;
    double taken = put(furniture, scene, (struct canvas_point){right, BASELINE_TOP}, &small_strong,
                       input->template->organisation, whole * 0.5, true);
    put(furniture, scene, (struct canvas_point){furniture->left, BASELINE_TOP}, &small,
        report_view_name(input->texts, input->summary), whole - taken - GAP, false);
    rule(furniture, scene, RULE_TOP);
}

/* The evidence levels of all groups, each once. */
static void add_levels(const struct report_input *input, struct text_buffer *line)
{
    const struct summary *summary = input->summary;
    bool first = true;
    for (size_t i = 0; i < summary->group_count; i++) {
        const char *level = summary->groups[i].evidence_level;
        bool known = level == NULL;
        for (size_t j = 0; j < i && !known; j++)
            known = summary->groups[j].evidence_level != NULL &&
                    strcmp(summary->groups[j].evidence_level, level) == 0;
        if (known)
            continue;
        text_buffer_puts(line, first ? texts_get(input->texts, "column.evidence_level")
                                     : texts_get(input->texts, "word.list_separator"));
        text_buffer_puts(line, first ? texts_get(input->texts, "word.colon") : "");
        text_buffer_puts(line, texts_word(input->texts, "level", level));
        first = false;
    }
}

static const char *origin(const struct furniture *furniture)
{
    const struct report_input *input = furniture->input;
    struct text_buffer line = {0};
    if (input->summary->program_version != NULL) {
        struct sentence_value version = {"version", input->summary->program_version, NAN};
        texts_fill(&line, input->texts, "report.version", &version, 1);
    }
    struct text_buffer levels = {0};
    add_levels(input, &levels);
    if (line.length > 0 && levels.length > 0)
        text_buffer_puts(&line, "  \xC2\xB7  ");
    if (levels.length > 0)
        text_buffer_puts(&line, levels.text);
    line.failed |= levels.failed;
    text_buffer_fini(&levels);
    return pdf_document_take(furniture->document, &line);
}

static void put_footer(const struct furniture *furniture, struct pdf_page *page,
                       const char *origin_text)
{
    const struct report_input *input = furniture->input;
    double height = input->template->page_height;
    struct text_buffer number = {0};
    struct sentence_value values[] = {
        {"page", NULL, (double)page->number},
        {"pages", NULL, (double)furniture->document->page_count},
    };
    texts_fill(&number, input->texts, "report.page", values, 2);
    double taken =
        put(furniture, &page->scene, (struct canvas_point){furniture->right, height - 28}, &small,
            pdf_document_take(furniture->document, &number), 200, true);
    put(furniture, &page->scene, (struct canvas_point){furniture->left, height - 28}, &small,
        origin_text, furniture->right - furniture->left - taken - 2 * GAP, false);
    rule(furniture, &page->scene, height - 40);
}

void pdf_furniture_add(const struct report_input *input, struct pdf_document *document)
{
    const struct furniture furniture = {.input = input,
                                        .document = document,
                                        .left = PDF_MARGIN,
                                        .right = input->template->page_width - PDF_MARGIN};
    const char *origin_text = origin(&furniture);
    for (struct pdf_page *page = document->first; page != NULL; page = page->next) {
        put_header(&furniture, &page->scene);
        put_footer(&furniture, page, origin_text);
    }
}
