#include "cmd_report.h"

#include <string.h>

#include "options.h"
#include "report_files.h"
#include "report_source.h"
#include "report_template.h"
#include "source_date.h"
#include "text.h"

struct report_options {
    struct analysis_arguments arguments;
    const char *output, *formats, *language, *template_dir;
};

/* ---- Options ---- */

static enum status parse_format(const char *name, size_t length, unsigned *formats,
                                struct diag *diag)
{
    size_t count;
    const struct report_format_row *rows = report_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0) {
            *formats |= rows[i].format;
            return STATUS_OK;
        }
    char shown[64];
    return diag_set(diag, STATUS_USAGE,
                    "unknown format '%s': type some of xlsx,pdf,html,md,svg,png",
                    text_escape_into(shown, sizeof shown, name, length));
}

static enum status parse_formats(const char *list, unsigned *formats, struct diag *diag)
{
    *formats = list == NULL ? REPORT_ALL : 0;
    enum status status = STATUS_OK;
    while (list != NULL && status == STATUS_OK) {
        size_t length = strcspn(list, ",");
        status = parse_format(list, length, formats, diag);
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return status;
}

static enum status check_options(const struct report_options *options,
                                 const struct options_list *paths, struct diag *diag)
{
    if (paths->count == 0 && options->arguments.files_from.count == 0)
        return diag_set(diag, STATUS_USAGE,
                        "no path given: type 'rankledger report summary.json' or the paths of "
                        "evidence");
    if (strcmp(options->output, "-") == 0 || options->output[0] == '\0')
        return diag_set(diag, STATUS_USAGE,
                        "a report has several files: type '--output DIR' with a folder");
    return STATUS_OK;
}

/* ---- Running ---- */

static enum status write_report(const struct report_options *options, struct report_source *source,
                                struct report_input *input, struct diag *diag)
{
    struct texts texts = {0};
    struct summary summary = {0};
    struct report_template template = {0};
    enum status status = report_template_load(options->template_dir, &template, diag);
    if (status == STATUS_OK)
        status = texts_load(options->language, options->template_dir, &texts, diag);
    source->texts = &texts;
    if (status == STATUS_OK)
        status = report_source_load(source, &summary, diag);
    if (status == STATUS_OK) {
        input->summary = &summary;
        input->texts = &texts;
        input->template = &template;
        input->theme = &template.theme;
        status = report_files_write(input, options->output, diag);
    }
    summary_fini(&summary);
    texts_fini(&texts);
    report_template_fini(&template);
    return status;
}

static enum status run(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct report_options *options = context;
    struct report_source source = {.arguments = &options->arguments, .operands = operands};
    struct report_input input = {0};
    enum status status = check_options(options, operands, diag);
    if (status == STATUS_OK)
        status = parse_formats(options->formats, &input.formats, diag);
    if (status == STATUS_OK)
        status = source_date_read(&input.created, diag);
    if (status == STATUS_OK)
        status = write_report(options, &source, &input, diag);
    if (status == STATUS_OK && source.outcome == STATUS_INPUT)
        return diag_set(diag, STATUS_INPUT, "%s could not be read", source.unreadable);
    return status == STATUS_OK ? source.outcome : status;
}

/* The options of the report itself, then those of an analysis. */
#define OWN_ROWS 4
#define ROW_COUNT (OWN_ROWS + ANALYSIS_OPTIONS_ROWS)

static void fill_rows(struct report_options *options, struct options_row rows[ROW_COUNT])
{
    const struct options_row own[OWN_ROWS] = {
        {.name = "output",
         .type = OPTIONS_TEXT,
         .argument = "DIR",
         .help = "folder of the report, made if need be (report)",
         .value = &options->output},
        {.name = "format",
         .type = OPTIONS_TEXT,
         .argument = "LIST",
         .help = "some of xlsx,pdf,html,md,svg,png (all of them)",
         .value = &options->formats},
        {.name = "language",
         .type = OPTIONS_TEXT,
         .argument = "en|zh",
         .help = "or a language of the template (en)",
         .value = &options->language},
        {.name = "template",
         .type = OPTIONS_TEXT,
         .argument = "DIR",
         .help = "own report.json, theme.json, logo.png, language/",
         .value = &options->template_dir},
    };
    memcpy(rows, own, sizeof own);
    analysis_options_rows(&options->arguments, rows + OWN_ROWS);
}

enum status cmd_report(int argc, char **argv, struct diag *diag)
{
    struct report_options options = {.output = "report", .language = "en"};
    struct options_row rows[ROW_COUNT];
    fill_rows(&options, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "report",
        .operands = "PATH...",
        .summary = "Writes report.xlsx, report.pdf, report.html, report.md and charts/. PATH is a "
                   "summary, evidence, or what compare --format json wrote.",
        .notes = "The files appear together when all are complete.\n"
                 "exit codes: 0 done, 1 done but sources were invalid, 2 usage, 3 input, 4 output",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = run,
        .context = &options};
    return options_run(&command, argc, argv, diag);
}
