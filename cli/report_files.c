#include "report_files.h"

#include <stdio.h>
#include <string.h>

#include "staging.h"
#include "supervise.h"
#include "text.h"

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
    if (status == STATUS_OK)
        print_names(output, &files, glyphs_missing);
    supervise_end(&supervise);
cleanup:
    arena_fini(&arena);
    return status;
}
