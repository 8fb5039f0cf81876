#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "canvas_fonts.h"
#include "chart.h"
#include "html_write.h"
#include "markdown.h"
#include "output.h"
#include "pdf_write.h"
#include "report_manuscript.h"
#include "report_pictures.h"
#include "report_template.h"
#include "report_view.h"
#include "sheet_table.h"
#include "workbook.h"

static const struct report_format_row format_rows[] = {
    {"xlsx", REPORT_XLSX},   {"pdf", REPORT_PDF}, {"html", REPORT_HTML},
    {"md", REPORT_MARKDOWN}, {"svg", REPORT_SVG}, {"png", REPORT_PNG}};

const struct report_format_row *report_formats(size_t *count)
{
    *count = sizeof format_rows / sizeof format_rows[0];
    return format_rows;
}

void report_chart_name(struct text_buffer *out, const struct summary *summary, const char *chart,
                       size_t group, const char *suffix)
{
    if (summary->group_count > 1)
        text_buffer_printf(out, "charts/%s-%zu.%s", chart, group + 1, suffix);
    else
        text_buffer_printf(out, "charts/%s.%s", chart, suffix);
}

/* ---- Names ---- */

struct name_list {
    struct arena *arena;
    struct text_buffer buffer;
    const char **names;
    size_t count;
    bool failed;
};

static void add_name(struct name_list *list)
{
    char *name = list->buffer.failed
                     ? NULL
                     : arena_copy(list->arena, list->buffer.text, list->buffer.length);
    text_buffer_clear(&list->buffer);
    list->failed |= name == NULL;
    list->names[list->count++] = name;
}

static bool has_content(const struct report_input *input, const struct chart_row *chart,
                        size_t group)
{
    const struct chart_input chart_input = report_pictures_input(input, group);
    return chart_has_content(chart, &chart_input);
}

/* The files beside the charts, in the order in which they are made. */
static const struct {
    enum report_format format;
    const char *name;
} file_rows[] = {{REPORT_XLSX, "report.xlsx"},
                 {REPORT_PDF, "report.pdf"},
                 {REPORT_HTML, "report.html"},
                 {REPORT_MARKDOWN, "report.md"}};
#define FILE_COUNT (sizeof file_rows / sizeof file_rows[0])

static void add_charts(struct name_list *list, const struct report_input *input)
{
    const struct report_template_charts *charts = &input->template->pictures;
    for (size_t group = 0; group < input->summary->group_count; group++)
        for (size_t i = 0; i < charts->count; i++) {
            const char *name = charts->rows[i]->name;
            if (!has_content(input, charts->rows[i], group))
                continue;
            if (input->formats & REPORT_SVG) {
                report_chart_name(&list->buffer, input->summary, name, group, "svg");
                add_name(list);
            }
            if (input->formats & REPORT_PNG) {
                report_chart_name(&list->buffer, input->summary, name, group, "png");
                add_name(list);
            }
        }
}

enum status report_list(const struct report_input *input, struct arena *arena,
                        struct report_files *files, struct diag *diag)
{
    size_t limit = FILE_COUNT + 2 * input->template->pictures.count * input->summary->group_count;
    struct name_list list = {.arena = arena};
    list.names = arena_take_array(arena, limit, sizeof *list.names);
    if (list.names == NULL)
        return diag_no_memory(diag);
    add_charts(&list, input);
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (input->formats & file_rows[i].format) {
            text_buffer_puts(&list.buffer, file_rows[i].name);
            add_name(&list);
        }
    text_buffer_fini(&list.buffer);
    if (list.failed)
        return diag_no_memory(diag);
    *files = (struct report_files){list.names, list.count};
    return STATUS_OK;
}

/* ---- Writing ---- */

struct report_job {
    const struct report_input *input;
    const char *folder;
    struct text_buffer path;
    struct report_pictures pictures;
    bool glyphs_missing;
    struct diag *diag;
};

static enum status begin_path(struct report_job *job)
{
    text_buffer_clear(&job->path);
    text_buffer_printf(&job->path, "%s/", job->folder);
    return job->path.failed ? diag_no_memory(job->diag) : STATUS_OK;
}

static enum status write_file(struct report_job *job, const void *data, size_t size)
{
    return job->path.failed ? diag_no_memory(job->diag)
                            : output_write_file(job->path.text, data, size, job->diag);
}

static enum status write_form(struct report_job *job, const struct report_picture *picture,
                              const char *suffix, const void *data, size_t size)
{
    enum status status = begin_path(job);
    report_chart_name(&job->path, job->input->summary, picture->chart->name, picture->group,
                      suffix);
    return status == STATUS_OK ? write_file(job, data, size) : status;
}

static enum status write_picture(struct report_job *job, const struct report_picture *picture)
{
    const struct chart_image *image = &picture->image;
    enum status status = STATUS_OK;
    if (job->input->formats & REPORT_SVG)
        status = write_form(job, picture, "svg", image->svg, image->svg_size);
    if (status == STATUS_OK && (job->input->formats & REPORT_PNG))
        status = write_form(job, picture, "png", image->png, image->png_size);
    return status;
}

static enum status make_folder(struct report_job *job)
{
    enum status status = begin_path(job);
    text_buffer_puts(&job->path, "charts");
    if (status == STATUS_OK && job->path.failed)
        status = diag_no_memory(job->diag);
    if (status == STATUS_OK && mkdir(job->path.text, 0777) != 0)
        status = diag_set(job->diag, STATUS_ENVIRONMENT, "cannot create %s: %s", job->path.text,
                          strerror(errno));
    return status;
}

static enum status write_pictures(struct report_job *job)
{
    const struct report_template_charts *charts = &job->input->template->pictures;
    size_t group_count = job->input->summary->group_count;
    if (charts->count == 0 || group_count == 0)
        return STATUS_OK;
    enum status status = make_folder(job);
    for (size_t group = 0; group < group_count; group++)
        for (size_t i = 0; i < charts->count && status == STATUS_OK; i++) {
            const struct report_picture *picture =
                report_pictures_find(&job->pictures, charts->rows[i], group);
            if (picture != NULL)
                status = write_picture(job, picture);
        }
    return status;
}

/* The workbook's pictures, in the order of the template; NULL without memory. */
static struct sheet_picture *list_pictures(const struct report_job *job, size_t *count)
{
    const struct report_template_charts *charts = &job->input->template->workbook_charts;
    size_t group_count = job->input->summary->group_count;
    struct sheet_picture *list = calloc(charts->count * group_count + 1, sizeof *list);
    *count = 0;
    for (size_t group = 0; list != NULL && group < group_count; group++)
        for (size_t i = 0; i < charts->count; i++) {
            const struct report_picture *picture =
                report_pictures_find(&job->pictures, charts->rows[i], group);
            if (picture == NULL)
                continue;
            list[(*count)++] = (struct sheet_picture){
                .group = group,
                .picture = {.png = picture->image.png,
                            .size = picture->image.png_size,
                            .width = picture->image.width,
                            .height = picture->image.height,
                            .description = texts_get(job->input->texts, picture->chart->title_id)}};
        }
    return list;
}

static enum status fill_workbook(struct report_job *job, const struct sheet_input *sheet_input)
{
    const struct report_input *input = job->input;
    const char *organisation = input->template->organisation;
    const struct workbook_properties properties = {
        .title = report_view_name(input->texts, input->summary),
        .subject = report_view_subject(input->texts, input->summary),
        .author = organisation != NULL ? organisation : "rankledger",
        .company = organisation,
        .keywords = texts_get(input->texts, "report.keywords"),
        .theme = input->theme,
        .created = input->created};
    enum status status = begin_path(job);
    text_buffer_puts(&job->path, "report.xlsx");
    if (status == STATUS_OK && job->path.failed)
        status = diag_no_memory(job->diag);
    struct workbook *workbook = NULL;
    if (status == STATUS_OK)
        status = workbook_create(job->path.text, job->folder, input->texts, &properties, &workbook,
                                 job->diag);
    if (status != STATUS_OK)
        return status;
    const struct report_template_sheets *sheets = &input->template->sheets;
    sheet_table_write(workbook, sheet_input, sheets->rows, sheets->count);
    return workbook_finish(workbook, job->diag);
}

static enum status make_workbook(struct report_job *job)
{
    struct sheet_input sheet_input = {.summary = job->input->summary, .texts = job->input->texts};
    struct sheet_picture *pictures = list_pictures(job, &sheet_input.picture_count);
    if (pictures == NULL)
        return diag_no_memory(job->diag);
    sheet_input.pictures = pictures;
    enum status status = fill_workbook(job, &sheet_input);
    free(pictures);
    return status;
}

typedef enum status write_document(struct report_job *job, const struct manuscript *manuscript,
                                   struct text_buffer *out);

/* A file made of a manuscript. */
static enum status make_document(struct report_job *job, const char *name,
                                 const struct report_template_document *shown,
                                 write_document *write)
{
    struct manuscript manuscript = {.first = NULL};
    struct text_buffer bytes = {0};
    enum status status = report_manuscript(job->input, shown, &manuscript, job->diag);
    if (status == STATUS_OK)
        status = write(job, &manuscript, &bytes);
    manuscript_fini(&manuscript);
    if (status == STATUS_OK)
        status = begin_path(job);
    text_buffer_puts(&job->path, name);
    if (status == STATUS_OK)
        status = write_file(job, bytes.text, bytes.length);
    text_buffer_fini(&bytes);
    return status;
}

static enum status write_pdf(struct report_job *job, const struct manuscript *manuscript,
                             struct text_buffer *out)
{
    return pdf_write(manuscript, job->input, out, &job->glyphs_missing, job->diag);
}

static enum status write_html(struct report_job *job, const struct manuscript *manuscript,
                              struct text_buffer *out)
{
    return html_write(manuscript, job->input, &job->pictures, out, job->diag);
}

static enum status write_markdown(struct report_job *job, const struct manuscript *manuscript,
                                  struct text_buffer *out)
{
    return markdown_write(manuscript, job->input, out, job->diag);
}

enum status report_write(const struct report_input *input, const char *folder, bool *glyphs_missing,
                         struct diag *diag)
{
    struct report_job job = {.input = input, .folder = folder, .diag = diag};
    bool draws = (input->formats & ~(unsigned)REPORT_MARKDOWN) != 0; /* words alone need no font */
    enum status status = draws ? canvas_fonts_load(diag) : STATUS_OK;
    if (status == STATUS_OK)
        status = report_pictures_make(input, &job.pictures, diag);
    if (status == STATUS_OK && (input->formats & (REPORT_SVG | REPORT_PNG)))
        status = write_pictures(&job);
    if (status == STATUS_OK && (input->formats & REPORT_XLSX))
        status = make_workbook(&job);
    if (status == STATUS_OK && (input->formats & REPORT_PDF))
        status = make_document(&job, "report.pdf", &input->template->pdf, write_pdf);
    if (status == STATUS_OK && (input->formats & REPORT_HTML))
        status = make_document(&job, "report.html", &input->template->html, write_html);
    if (status == STATUS_OK && (input->formats & REPORT_MARKDOWN))
        status = make_document(&job, "report.md", &input->template->markdown, write_markdown);
    if (status == STATUS_OK)
        *glyphs_missing = job.glyphs_missing || job.pictures.glyphs_missing;
    report_pictures_fini(&job.pictures);
    text_buffer_fini(&job.path);
    return status;
}
