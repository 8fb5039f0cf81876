#include "cmd_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis_options.h"
#include "compare_print.h"
#include "options.h"
#include "output.h"
#include "text.h"

#define ROW_COUNT 7
/* What measurements of one program on one machine usually differ by. */
#define DEFAULT_TOLERANCE 2 /* percent */

enum compare_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

struct settings {
    struct analysis_arguments arguments;
    const char *fail_on, *output;
    double tolerance, max_regression; /* percent */
    bool max_regression_given;
    int format;
};

static void fill_rows(struct settings *settings, struct options_row rows[ROW_COUNT])
{
    static const char *const formats[] = {"text", "json", "markdown", NULL};
    const struct options_row all[ROW_COUNT] = {
        {"format", OPTIONS_CHOICE, "FORMAT", "text|json|markdown", &settings->format, NULL, 0, 0,
         formats},
        {"output", OPTIONS_TEXT, "FILE", "write there instead of to standard output",
         &settings->output, NULL, 0, 0, NULL},
        {"max-regression", OPTIONS_NUMBER, "PERCENT", "exit 1 if something is worse by more",
         &settings->max_regression, &settings->max_regression_given, 0, 0, NULL},
        {"fail-on", OPTIONS_TEXT, "LIST", "what counts for that; see below", &settings->fail_on,
         NULL, 0, 0, NULL},
        {"tolerance", OPTIONS_NUMBER, "PERCENT", "change without steps to judge it by (2)",
         &settings->tolerance, NULL, 0, 0, NULL},
        {"policy", OPTIONS_TEXT, "FILE", "limits that evidence is decided by",
         &settings->arguments.policy, NULL, 0, 0, NULL},
        {"allow-invalid", OPTIONS_FLAG, NULL, "compare although sources were left out",
         &settings->arguments.allow_invalid, NULL, 0, 0, NULL},
    };
    memcpy(rows, all, sizeof all);
}

/* ---- what counts ---- */

static bool find_category(const char *name, size_t length, size_t *category)
{
    for (size_t i = 0; i < COMPARISON_CATEGORY_COUNT; i++) {
        const char *known = comparison_category_name((enum comparison_category)i);
        *category = i;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return true;
    }
    return false;
}

static enum status refuse_category(const char *name, size_t length, struct diag *diag)
{
    char shown[80];
    return diag_set(diag, STATUS_USAGE,
                    "--fail-on: \"%s\" is not one of throughput, memory, communication, failure, "
                    "losses, gates, decision, missing",
                    text_escape_into(shown, sizeof shown, name, length));
}

/* A list asks for a limit, which is 0 where none is given. */
static enum status resolve_settings(const struct settings *settings,
                                    struct comparison_settings *resolved, struct diag *diag)
{
    static const enum comparison_category defaults[] = {COMPARISON_THROUGHPUT, COMPARISON_MEMORY,
                                                        COMPARISON_COMMUNICATION,
                                                        COMPARISON_FAILURE, COMPARISON_LOSSES};
    bool asked = settings->max_regression_given || settings->fail_on != NULL;
    *resolved = (struct comparison_settings){
        .tolerance = settings->tolerance / 100,
        .max_regression = asked ? settings->max_regression / 100 : (double)NAN};
    for (size_t i = 0; settings->fail_on == NULL && i < sizeof defaults / sizeof defaults[0]; i++)
        resolved->counts[defaults[i]] = true;
    for (const char *name = settings->fail_on; name != NULL;) {
        size_t length = strcspn(name, ",");
        size_t category;
        if (!find_category(name, length, &category))
            return refuse_category(name, length, diag);
        resolved->counts[category] = true;
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    return STATUS_OK;
}

/* ---- the output ---- */

static bool same_file(const char *path, const struct stat *target)
{
    struct stat source;
    return stat(path, &source) == 0 && source.st_dev == target->st_dev &&
           source.st_ino == target->st_ino;
}

/* Writing over what was compared would lose it. */
static enum status spare_input(const struct settings *settings, const struct comparison *comparison,
                               const struct options_list *operands, struct diag *diag)
{
    struct stat target;
    char shown[512];
    if (settings->output == NULL || strcmp(settings->output, "-") == 0 ||
        stat(settings->output, &target) != 0)
        return STATUS_OK;
    bool hit = same_file(operands->values[0], &target) || same_file(operands->values[1], &target) ||
               comparison_side_holds(&comparison->base, settings->output) ||
               comparison_side_holds(&comparison->now, settings->output);
    if (!hit)
        return STATUS_OK;
    text_escape_into(shown, sizeof shown, settings->output, strlen(settings->output));
    return diag_set(diag, STATUS_USAGE,
                    "--output %s is one of the input files; give it another name", shown);
}

static void put_rejected(const char *name, const struct comparison_side *side,
                         struct text_buffer *out)
{
    for (size_t i = 0; i < side->rejected_count; i++) {
        const struct comparison_rejected *rejected = &side->rejected[i];
        const char *path = rejected->path != NULL ? rejected->path : side->path;
        text_buffer_printf(out, "%s: ", name);
        text_redact(out, path, strlen(path));
        text_buffer_puts(out, ": left out: ");
        text_redact(out, rejected->error, strlen(rejected->error));
        text_buffer_puts(out, "\n");
    }
}

static enum status print_rejected(const struct comparison *comparison, struct diag *diag)
{
    struct text_buffer out = {0};
    put_rejected("BASE", &comparison->base, &out);
    put_rejected("NEW", &comparison->now, &out);
    text_log_tame(&out);
    enum status status = out.failed ? diag_no_memory(diag) : STATUS_OK;
    if (status == STATUS_OK && out.length > 0)
        fwrite(out.text, 1, out.length, stderr);
    text_buffer_fini(&out);
    return status;
}

static enum status write_result(const struct settings *settings,
                                const struct comparison *comparison, struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = settings->format == FORMAT_JSON ? comparison_write(comparison, &text, diag)
                         : settings->format == FORMAT_MARKDOWN
                             ? compare_print_markdown(comparison, &text, diag)
                             : compare_print(comparison, &text, diag);
    if (status == STATUS_OK)
        status = output_write_file(settings->output, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

/* Nothing to compare is no "no regression". */
static enum status conclude(const struct comparison *comparison, struct diag *diag)
{
    if (comparison->compared == 0)
        return diag_set(diag, STATUS_INPUT, "nothing matched: no %s of BASE %s",
                        comparison->pair_count > 0 ? "strategy" : "group",
                        comparison->pair_count > 0 ? "has evidence in NEW"
                                                   : "is comparable with one of NEW");
    size_t rejected = comparison->base.rejected_count + comparison->now.rejected_count;
    return comparison->beyond > 0 || rejected > 0 ? STATUS_NEGATIVE : STATUS_OK;
}

static enum status compare(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct settings *settings = context;
    if (operands->count != 2)
        return diag_set(diag, STATUS_USAGE,
                        "compare takes two paths: type rankledger compare BASE NEW");
    struct arena arena = {0};
    struct comparison comparison = {0};
    struct analysis_options options;
    struct comparison_request request = {.base = operands->values[0],
                                         .now = operands->values[1],
                                         .analysis = &options,
                                         .decide_anew = settings->arguments.policy != NULL};
    enum status status = analysis_options_resolve(&settings->arguments, &arena, &options, diag);
    if (status == STATUS_OK)
        status = resolve_settings(settings, &request.settings, diag);
    if (status == STATUS_OK)
        status = comparison_run(&comparison, &request, diag);
    if (status == STATUS_OK)
        status = print_rejected(&comparison, diag);
    if (status == STATUS_OK)
        status = spare_input(settings, &comparison, operands, diag);
    if (status == STATUS_OK)
        status = write_result(settings, &comparison, diag);
    if (status == STATUS_OK)
        status = conclude(&comparison, diag);
    comparison_fini(&comparison);
    arena_fini(&arena);
    return status;
}

enum status cmd_compare(int argc, char **argv, struct diag *diag)
{
    struct settings settings = {.tolerance = DEFAULT_TOLERANCE};
    struct options_row rows[ROW_COUNT];
    fill_rows(&settings, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "compare",
        .operands = "BASE NEW",
        .summary = "Says what changed between two summaries, evidence files or folders of them.",
        .notes =
            "Times are judged by the 95 % interval of their ratio where both sides have 6\n"
            "steps, all else by the tolerance: within it nothing changed. LIST, with commas:\n"
            "throughput, memory, communication (exposed, in points of the step; payload),\n"
            "failure, losses (no longer finite); these unless told; gates, decision, missing.\n"
            "--fail-on alone asks for 0 %. What is not measured any more counts as worse.\n"
            "rankledger report makes pages of what --format json writes.\n"
            "exit codes: 0 compared, 1 worse than allowed or invalid sources, 2 usage,\n"
            "3 a side unreadable or nothing comparable, 4 output not writable",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = compare,
        .context = &settings,
    };
    return options_run(&command, argc, argv, diag);
}
