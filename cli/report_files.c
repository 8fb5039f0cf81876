#include "report_files.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chart_table.h"
#include "staging.h"
#include "supervise.h"
#include "text.h"
#include "text_buffer.h"

struct rendering {
    const struct report_input *input;
    const char *folder;
};

static void render(void *context, struct supervise_reply *reply)
{
    const struct rendering *rendering = context;
    reply->status = report_write(rendering->input, rendering->folder, &reply->flag, &reply->diag);
}

static void print_names(const char *output, const struct report_files *files, bool glyphs_missing)
{
    char shown[1024];
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/')
        length--;
    text_escape_into(shown, sizeof shown, output, length);
    for (size_t i = 0; i < files->count; i++)
        printf("%s/%s\n", shown, files->names[i]);
    if (glyphs_missing)
        fputs("rankledger: warning: no installed font has every character of the charts; for "
              "Chinese install fonts-noto-cjk\n",
              stderr);
}

/* "memory.svg", "memory-12.png": a name that some report gives a chart. */
static bool is_chart(const char *name)
{
    size_t count;
    const struct chart_row *charts = chart_table(&count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(charts[i].name);
        if (strncmp(name, charts[i].name, length) != 0)
            continue;
        const char *rest = name + length;
        if (rest[0] == '-')
            rest += 1 + strspn(rest + 1, "0123456789");
        if (strcmp(rest, ".svg") == 0 || strcmp(rest, ".png") == 0)
            return true;
    }
    return false;
}

/* `folder`: "" or "charts/". */
static bool is_written(const struct report_files *files, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    for (size_t i = 0; i < files->count; i++)
        if (strncmp(files->names[i], folder, length) == 0 &&
            strcmp(files->names[i] + length, name) == 0)
            return true;
    return false;
}

/* What else of an earlier report lies there: it may say another decision, or be wanted, so it
 * stays. */
static void warn_of_older_pages(const char *output, const struct report_files *files)
{
    static const char *const names[] = {"report.xlsx", "report.pdf", "report.html", "report.md"};
    struct text_buffer list = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[4096];
        if (!is_written(files, "", names[i]) &&
            snprintf(path, sizeof path, "%s/%s", output, names[i]) < (int)sizeof path &&
            access(path, F_OK) == 0)
            text_buffer_printf(&list, "%s%s", list.length > 0 ? ", " : "", names[i]);
    }
    char shown[512];
    text_escape_into(shown, sizeof shown, output, strlen(output));
    if (list.length > 0 && !list.failed)
        fprintf(stderr, "rankledger: warning: %s still holds %s of an earlier report\n", shown,
                list.text);
    text_buffer_fini(&list);
}

/* Charts of an earlier report: the same. */
static void warn_of_older_charts(const char *output, const struct report_files *files)
{
    char path[4096];
    size_t older = 0;
    if (snprintf(path, sizeof path, "%s/charts", output) >= (int)sizeof path)
        return;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        older += is_chart(entry->d_name) && !is_written(files, "charts/", entry->d_name);
    closedir(folder);
    if (older == 0)
        return;
    char shown[512];
    text_escape_into(shown, sizeof shown, output, strlen(output));
    fprintf(stderr, "rankledger: warning: %s/charts still holds %zu chart%s of an earlier report\n",
            shown, older, older == 1 ? "" : "s");
}

enum status report_files_write(const struct report_input *input, const char *output,
                               struct diag *diag)
{
    struct arena arena = {0};
    struct staging staging = {0};
    struct supervise supervise;
    struct report_files files = {0};
    bool glyphs_missing = false;
    enum status status = report_list(input, &arena, &files, diag);
    if (status == STATUS_OK)
        status = supervise_begin(&supervise, diag);
    if (status != STATUS_OK)
        goto cleanup;
    status = staging_begin(&staging, output, diag);
    if (status == STATUS_OK) {
        struct rendering rendering = {input, staging.folder};
        char shown[512];
        char what[600];
        snprintf(what, sizeof what, "rendering the report in %s",
                 text_escape_into(shown, sizeof shown, output, strlen(output)));
        status = supervise_run(&supervise, what, render, &rendering, &glyphs_missing, diag);
    }
    if (status == STATUS_OK)
        status = staging_commit(&staging, files.names, files.count, diag);
    enum status ended = staging_end(&staging, diag);
    status = status == STATUS_OK ? ended : status;
    if (status == STATUS_OK) {
        print_names(output, &files, glyphs_missing);
        warn_of_older_charts(output, &files);
        warn_of_older_pages(output, &files);
    }
    supervise_end(&supervise);
cleanup:
    arena_fini(&arena);
    return status;
}
