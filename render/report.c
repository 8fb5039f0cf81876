#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "canvas_fonts.h"
#include "chart.h"
#include "chart_table.h"
#include "markdown.h"
#include "output.h"
#include "pdf_write.h"
#include "report_manuscript.h"
#include "report_template.h"
#include "sheet_table.h"
#include "workbook.h"

static const struct report_format_row format_rows[] = {{"xlsx", REPORT_XLSX},
                                                       {"pdf", REPORT_PDF},
                                                       {"md", REPORT_MARKDOWN},
                                                       {"svg", REPORT_SVG},
                                                       {"png", REPORT_PNG}};

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

static struct chart_input chart_input_of(const struct report_input *input, size_t group)
{
    return (struct chart_input){.summary = input->summary,
                                .group = group,
                                .texts = input->texts,
                                .theme = input->theme,
                                .width = CHART_WIDTH};
}

static bool has_content(const struct report_input *input, const struct chart_row *chart,
                        size_t group)
{
    const struct chart_input chart_input = chart_input_of(input, group);
    return chart_has_content(chart, &chart_input);
}

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
    size_t limit = 3 + 2 * input->template->pictures.count * input->summary->group_count;
    struct name_list list = {.arena = arena};
    list.names = arena_take_array(arena, limit, sizeof *list.names);
    if (list.names == NULL)
        return diag_no_memory(diag);
    add_charts(&list, input);
    if (input->formats & REPORT_XLSX) {
        text_buffer_puts(&list.buffer, "report.xlsx");
        add_name(&list);
    }
    if (input->formats & REPORT_PDF) {
        text_buffer_puts(&list.buffer, "report.pdf");
        add_name(&list);
    }
    if (input->formats & REPORT_MARKDOWN) {
        text_buffer_puts(&list.buffer, "report.md");
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
    struct chart_image *images; /* by group, then by chart */
    struct sheet_picture *pictures;
    size_t image_count;
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

static enum status write_chart(struct report_job *job, const struct chart_row *chart, size_t group,
                               const struct chart_image *image)
{
    enum status status = STATUS_OK;
    if (job->input->formats & REPORT_SVG) {
        status = begin_path(job);
        report_chart_name(&job->path, job->input->summary, chart->name, group, "svg");
        if (status == STATUS_OK)
            status = write_file(job, image->svg, image->svg_size);
    }
    if (status == STATUS_OK && (job->input->formats & REPORT_PNG)) {
        status = begin_path(job);
        report_chart_name(&job->path, job->input->summary, chart->name, group, "png");
        if (status == STATUS_OK)
            status = write_file(job, image->png, image->png_size);
    }
    return status;
}

static enum status make_chart(struct report_job *job, const struct chart_row *chart, size_t group)
{
    const struct chart_input input = chart_input_of(job->input, group);
    if (!chart_has_content(chart, &input))
        return STATUS_OK;
    struct chart_image *image = &job->images[job->image_count];
    enum status status = chart_render(chart, &input, image, job->diag);
    if (status != STATUS_OK)
        return status;
    job->pictures[job->image_count] = (struct sheet_picture){
        .group = group,
        .picture = {.png = image->png,
                    .size = image->png_size,
                    .width = image->width,
                    .height = image->height,
                    .description = texts_get(job->input->texts, chart->title_id)}};
    job->image_count++;
    job->glyphs_missing |= image->glyphs_missing;
    return write_chart(job, chart, group, image);
}

static enum status make_charts(struct report_job *job)
{
    const struct report_template_charts *charts = &job->input->template->pictures;
    size_t group_count = job->input->summary->group_count;
    size_t count = charts->count * group_count;
    job->images = calloc(count + 1, sizeof *job->images);
    job->pictures = calloc(count + 1, sizeof *job->pictures);
    if (job->images == NULL || job->pictures == NULL)
        return diag_no_memory(job->diag);
    enum status status = STATUS_OK;
    if (count > 0 && (job->input->formats & (REPORT_SVG | REPORT_PNG))) {
        status = begin_path(job);
        text_buffer_puts(&job->path, "charts");
        if (status == STATUS_OK && job->path.failed)
            status = diag_no_memory(job->diag);
        if (status == STATUS_OK && mkdir(job->path.text, 0777) != 0)
            status = diag_set(job->diag, STATUS_ENVIRONMENT, "cannot create %s: %s", job->path.text,
                              strerror(errno));
    }
    for (size_t group = 0; group < group_count && status == STATUS_OK; group++)
        for (size_t i = 0; i < charts->count && status == STATUS_OK; i++)
            status = make_chart(job, charts->rows[i], group);
    return status;
}

static enum status make_workbook(struct report_job *job)
{
    const struct report_input *input = job->input;
    const struct sheet_input sheet_input = {.summary = input->summary,
                                            .texts = input->texts,
                                            .pictures = job->pictures,
                                            .picture_count = job->image_count};
    const char *organisation = input->template->organisation;
    const struct workbook_properties properties = {
        .title = texts_get(input->texts, "report.title"),
        .subject = texts_get(input->texts, "report.subject"),
        .author = organisation != NULL ? organisation : "rankledger",
        .company = organisation,
        .keywords = texts_get(input->texts, "report.keywords"),
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
    sheet_table_write(workbook, &sheet_input, sheets->rows, sheets->count);
    return workbook_finish(workbook, job->diag);
}

static enum status make_pdf(struct report_job *job)
{
    struct manuscript manuscript = {.first = NULL};
    struct text_buffer bytes = {0};
    enum status status =
        report_manuscript(job->input, &job->input->template->pdf, &manuscript, job->diag);
    if (status == STATUS_OK)
        status = pdf_write(&manuscript, job->input, &bytes, &job->glyphs_missing, job->diag);
    manuscript_fini(&manuscript);
    if (status == STATUS_OK)
        status = begin_path(job);
    text_buffer_puts(&job->path, "report.pdf");
    if (status == STATUS_OK)
        status = write_file(job, bytes.text, bytes.length);
    text_buffer_fini(&bytes);
    return status;
}

static enum status make_markdown(struct report_job *job)
{
    struct text_buffer text = {0};
    struct manuscript manuscript = {0};
    enum status status =
        report_manuscript(job->input, &job->input->template->markdown, &manuscript, job->diag);
    if (status == STATUS_OK)
        status = markdown_write(&manuscript, job->input, &text, job->diag);
    if (status == STATUS_OK)
        status = begin_path(job);
    text_buffer_puts(&job->path, "report.md");
    if (status == STATUS_OK)
        status = write_file(job, text.text, text.length);
    text_buffer_fini(&text);
    manuscript_fini(&manuscript);
    return status;
}

enum status report_write(const struct report_input *input, const char *folder, bool *glyphs_missing,
                         struct diag *diag)
{
    struct report_job job = {.input = input, .folder = folder, .diag = diag};
    enum status status = canvas_fonts_load(diag);
    if (status == STATUS_OK && (input->formats & (REPORT_XLSX | REPORT_SVG | REPORT_PNG)))
        status = make_charts(&job);
    if (status == STATUS_OK && (input->formats & REPORT_XLSX))
        status = make_workbook(&job);
    if (status == STATUS_OK && (input->formats & REPORT_PDF))
        status = make_pdf(&job);
    if (status == STATUS_OK && (input->formats & REPORT_MARKDOWN))
        status = make_markdown(&job);
    if (status == STATUS_OK)
        *glyphs_missing = job.glyphs_missing;
    for (size_t i = 0; i < job.image_count; i++)
        chart_image_fini(&job.images[i]);
    free(job.images);
    free(job.pictures);
    text_buffer_fini(&job.path);
    return status;
}
