#include "cmd_analyze.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis_options.h"
#include "analyze_print.h"
#include "archive_files.h"
#include "output.h"
#include "text.h"
#include "walk_note.h"

struct settings {
    struct analysis_arguments arguments;
    const char *output, *output_dir;
    bool exit_code;
};

#define ROW_COUNT (ANALYSIS_OPTIONS_ROWS + 3)

static void fill_rows(struct settings *settings, struct options_row rows[ROW_COUNT])
{
    analysis_options_rows(&settings->arguments, rows);
    rows[ANALYSIS_OPTIONS_ROWS] = (struct options_row){"output",
                                                       OPTIONS_TEXT,
                                                       "FILE",
                                                       "write the summary (- : print it alone)",
                                                       &settings->output,
                                                       NULL,
                                                       0,
                                                       0,
                                                       NULL};
    rows[ANALYSIS_OPTIONS_ROWS + 1] =
        (struct options_row){"output-dir",
                             OPTIONS_TEXT,
                             "DIR",
                             "write a summary a group, and an index of them",
                             &settings->output_dir,
                             NULL,
                             0,
                             0,
                             NULL};
    rows[ANALYSIS_OPTIONS_ROWS + 2] =
        (struct options_row){"exit-code",
                             OPTIONS_FLAG,
                             NULL,
                             "accept 0, reject 1, tune 6, invalid input 7 (first)",
                             &settings->exit_code,
                             NULL,
                             0,
                             0,
                             NULL};
}

static bool to_stdout(const struct settings *settings)
{
    return settings->output != NULL && strcmp(settings->output, "-") == 0;
}

/* The directory that paths in the summary are relative to; NULL: none is written. */
static enum status base_of(const struct settings *settings, struct arena *arena, const char **base,
                           struct diag *diag)
{
    *base = NULL;
    if (settings->output == NULL)
        return STATUS_OK;
    const char *slash = strrchr(settings->output, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - settings->output);
    if (to_stdout(settings) || slash == NULL)
        *base = ".";
    else
        *base = length == 0 ? "/" : arena_copy(arena, settings->output, length);
    return *base == NULL ? diag_no_memory(diag) : STATUS_OK;
}

static bool same_file(const char *path, const struct stat *target)
{
    struct stat source;
    return stat(path, &source) == 0 && source.st_dev == target->st_dev &&
           source.st_ino == target->st_ino;
}

/* Writing over evidence would lose what the decision rests on. A summary of ours is none: a second
 * run replaces the first one's. */
static enum status spare_evidence(const struct settings *settings, const struct evidence_set *set,
                                  struct diag *diag)
{
    struct stat target;
    if (settings->output == NULL || to_stdout(settings) || stat(settings->output, &target) != 0)
        return STATUS_OK;
    bool hit = false;
    for (size_t i = 0; i < set->record_count && !hit; i++)
        hit = same_file(set->records[i].file, &target);
    for (size_t i = 0; i < set->rejected_count && !hit; i++)
        hit = same_file(set->rejected[i].file, &target);
    for (size_t i = 0; i < set->skipped_count && !hit; i++)
        hit = !set->skipped[i].own && same_file(set->skipped[i].file, &target);
    char shown[512];
    if (!hit)
        return STATUS_OK;
    text_escape_into(shown, sizeof shown, settings->output, strlen(settings->output));
    return diag_set(diag, STATUS_USAGE,
                    "--output %s is one of the input files; give it another name", shown);
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0');
}

static enum status print_result(const struct settings *settings, const struct analysis *analysis,
                                struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = analyze_print(analysis, wants_colour(), &text, diag);
    if (status == STATUS_OK && settings->output != NULL) {
        text_buffer_puts(&text, "\nSummary: ");
        text_escape(&text, settings->output, strlen(settings->output));
        text_buffer_puts(&text, "\n");
        status = text.failed ? diag_no_memory(diag) : STATUS_OK;
    }
    if (status == STATUS_OK)
        fwrite(text.text, 1, text.length, stdout);
    text_buffer_fini(&text);
    return status;
}

static enum status write_summary(const struct settings *settings, const struct analysis *analysis,
                                 struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = analysis_write_summary(analysis, &text, diag);
    if (status == STATUS_OK)
        status = output_write_file(settings->output, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

/* What the run came to as exit code. */
static enum status conclude(const struct settings *settings, const struct analysis *analysis)
{
    if (analysis->set.rejected_count > 0)
        return settings->exit_code ? STATUS_INVALID_INPUT : STATUS_NEGATIVE;
    if (!settings->exit_code || analysis->decision.verdict == VERDICT_ACCEPT)
        return STATUS_OK;
    return analysis->decision.verdict == VERDICT_TUNE ? STATUS_TUNE : STATUS_NEGATIVE;
}

static enum status report(const struct settings *settings, const struct analysis *analysis,
                          struct diag *diag)
{
    enum status status = analyze_print_rejected(&analysis->set, SIZE_MAX, diag);
    if (status == STATUS_OK)
        status = analyze_print_require_named(&analysis->set, diag);
    if (status == STATUS_OK)
        status = spare_evidence(settings, &analysis->set, diag);
    if (status == STATUS_OK && settings->output != NULL)
        status = write_summary(settings, analysis, diag);
    if (status == STATUS_OK && !to_stdout(settings))
        status = print_result(settings, analysis, diag);
    if (status == STATUS_OK)
        status = conclude(settings, analysis);
    return status;
}

static enum status analyze_whole(const struct settings *settings, const struct path_list *paths,
                                 const struct analysis_options *options, struct diag *diag)
{
    struct arena arena = {0};
    struct analysis analysis = {.picked = -1};
    const char *base = NULL;
    enum status status = base_of(settings, &arena, &base, diag);
    if (status == STATUS_OK)
        status = analysis_run(&analysis, paths, base, options, diag);
    if (status == STATUS_OK)
        status = report(settings, &analysis, diag);
    analysis_fini(&analysis);
    arena_fini(&arena);
    return status;
}

static enum status check_outputs(const struct settings *settings, struct diag *diag)
{
    const char *folder = settings->output_dir;
    if (folder != NULL && settings->output != NULL)
        return diag_set(diag, STATUS_USAGE,
                        "--output writes one summary and --output-dir one a group: give one");
    if (folder != NULL && (folder[0] == '\0' || strcmp(folder, "-") == 0))
        return diag_set(diag, STATUS_USAGE,
                        "an archive gets several files: type '--output-dir DIR' with a folder");
    return STATUS_OK;
}

static enum status analyze(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct settings *settings = context;
    struct arena arena = {0};
    struct path_list paths = {0};
    struct analysis_options options;
    enum status status = check_outputs(settings, diag);
    if (status == STATUS_OK)
        status = analysis_options_resolve(&settings->arguments, &arena, &options, diag);
    if (status == STATUS_OK)
        status = analysis_options_paths(&settings->arguments, operands, &paths, diag);
    walk_note_print(paths.directory_links);
    paths.progress = progress_line_create();
    if (status == STATUS_OK && settings->output_dir != NULL) {
        const struct archive_files files = {&paths, &options, settings->output_dir,
                                            settings->exit_code};
        status = archive_files_write(&files, diag);
    } else if (status == STATUS_OK) {
        status = analyze_whole(settings, &paths, &options, diag);
    }
    progress_line_destroy(paths.progress);
    path_list_fini(&paths);
    arena_fini(&arena);
    return status;
}

enum status cmd_analyze(int argc, char **argv, struct diag *diag)
{
    struct settings settings = {0};
    struct options_row rows[ROW_COUNT];
    fill_rows(&settings, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "analyze",
        .operands = "PATH...",
        .summary = "Judges evidence against a policy and decides which strategy to use.",
        .notes = "exit codes: 0 decided, 1 decided but sources were invalid, 2 usage, 3 a path\n"
                 "unreadable or no evidence, 4 output not writable. With --output-dir the code of\n"
                 "--exit-code is that of the worst group.",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = analyze,
        .context = &settings,
    };
    return options_run(&command, argc, argv, diag);
}
