#include "report_template.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report_template_read.h"
#include "template_logo.h"
#include "text.h"
#include "theme_check.h"

/* ---- Theme ---- */

static enum status read_theme(struct report_template *template, const char *folder,
                              struct theme_load *load, bool *found, struct diag *diag)
{
    struct template_file file = {0};
    load->complete = folder == NULL;
    enum status status = template_file_read(&file, folder, "theme.json", found, diag);
    if (status == STATUS_OK && *found)
        status = theme_load_file(load, &file, &template->arena, diag);
    if (status == STATUS_OK && *found && folder != NULL)
        status = theme_check(load, &file, diag); /* the built-in one is checked by a test */
    template_file_fini(&file);
    return status;
}

/* ---- Report ---- */

static enum status read_report(struct report_template *template, const char *folder,
                               struct report_template_read *read, bool *found, struct diag *diag)
{
    struct template_file file = {0};
    enum status status = template_file_read(&file, folder, "report.json", found, diag);
    if (status == STATUS_OK && *found)
        status = report_template_read_file(read, &file, template, diag);
    template_file_fini(&file);
    return status;
}

static enum status read_logo(struct report_template *template, const char *folder,
                             const struct report_template_read *read, bool *found,
                             struct diag *diag)
{
    struct text_buffer path = {0};
    struct stat info;
    *found = false;
    if (read->no_logo)
        return STATUS_OK;
    text_buffer_printf(&path, "%s/%s", folder, read->logo != NULL ? read->logo : "logo.png");
    enum status status = path.failed ? diag_no_memory(diag) : STATUS_OK;
    /* what is there and cannot be looked at is refused when it is read */
    *found = status == STATUS_OK &&
             (read->logo != NULL || stat(path.text, &info) == 0 || errno != ENOENT);
    if (*found)
        status = template_logo_read(&template->logo, path.text, &template->arena, diag);
    text_buffer_fini(&path);
    return status;
}

/* ---- Folder ---- */

static enum status refuse_folder(const char *folder, const char *why, struct diag *diag)
{
    char shown[1024];
    return diag_set(diag, STATUS_INPUT, "%s: error: %s",
                    text_escape_into(shown, sizeof shown, folder, strlen(folder)), why);
}

static bool has_language(const char *folder)
{
    struct text_buffer path = {0};
    struct stat info;
    text_buffer_printf(&path, "%s/language", folder);
    bool there = path.failed || stat(path.text, &info) == 0;
    text_buffer_fini(&path);
    return there;
}

static enum status read_folder(struct report_template *template, const char *folder,
                               struct theme_load *theme, struct diag *diag)
{
    struct stat info;
    struct report_template_read read = {0};
    bool has_report = false, has_theme = false, has_logo = false;
    if (stat(folder, &info) != 0) {
        char why[160];
        snprintf(why, sizeof why, "cannot read: %s", diag_reason(errno));
        return refuse_folder(folder, why, diag);
    }
    if (!S_ISDIR(info.st_mode))
        return refuse_folder(folder, "a template is a folder", diag);
    enum status status = read_report(template, folder, &read, &has_report, diag);
    if (status == STATUS_OK)
        status = read_theme(template, folder, theme, &has_theme, diag);
    if (status == STATUS_OK)
        status = read_logo(template, folder, &read, &has_logo, diag);
    if (status == STATUS_OK && !has_report && !has_theme && !has_logo && !has_language(folder))
        status = refuse_folder(folder,
                               "there is nothing of a template in it: expected report.json, "
                               "theme.json, logo.png or language/",
                               diag);
    return status;
}

/* ---- Life ---- */

static void clear_areas(struct theme *theme)
{
    for (size_t i = 0; i < THEME_AREA_COUNT; i++)
        theme->area[i] = (struct canvas_paint){CANVAS_NONE, CANVAS_NONE, CANVAS_NONE, 0, 0};
}

enum status report_template_load(const char *folder, struct report_template *template,
                                 struct diag *diag)
{
    struct report_template loaded = {.page_width = 0};
    struct report_template_read read = {.complete = true};
    struct theme_load theme = {.complete = true};
    bool found = false;
    clear_areas(&theme.light);
    clear_areas(&theme.dark);
    enum status status = read_report(&loaded, NULL, &read, &found, diag);
    if (status == STATUS_OK)
        status = read_theme(&loaded, NULL, &theme, &found, diag);
    if (status == STATUS_OK && folder != NULL)
        status = read_folder(&loaded, folder, &theme, diag);
    if (status != STATUS_OK) {
        report_template_fini(&loaded);
        return status;
    }
    loaded.theme = theme.light;
    loaded.dark = theme.dark;
    *template = loaded;
    return STATUS_OK;
}

void report_template_fini(struct report_template *template)
{
    if (template == NULL)
        return;
    arena_fini(&template->arena);
    *template = (struct report_template){.page_width = 0};
}
