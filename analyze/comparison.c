#include "comparison.h"

#include <string.h>
#include <sys/stat.h>

#include "comparison_parts.h"
#include "text.h"

static bool same_input(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* A summary was decided under its own policy, which this one cannot replace. */
static enum status refuse_summary(const struct comparison_side *side, struct diag *diag)
{
    return diag_set(diag, STATUS_USAGE,
                    "%s: a summary is decided already: give its evidence to decide it anew with "
                    "other limits",
                    side->path);
}

/* What can be read once only: the search for a summary has read it. */
static bool is_stream(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

struct loading {
    const struct comparison_request *request;
    struct comparison_side *sides[2];
    const char *paths[2];
    bool opened[2];
};

static enum status open_summaries(struct loading *loading, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++) {
        status =
            comparison_side_open(loading->sides[i], loading->paths[i], &loading->opened[i], diag);
        if (status == STATUS_OK && !loading->opened[i] && is_stream(loading->paths[i]))
            status = diag_set(diag, STATUS_INPUT,
                              "%s: no summary of rankledger analyze; evidence is read from files "
                              "and folders: name them",
                              strcmp(loading->paths[i], "-") == 0 ? "standard input"
                                                                  : loading->sides[i]->path);
        if (status == STATUS_OK && loading->opened[i] && loading->request->decide_anew)
            status = refuse_summary(loading->sides[i], diag);
        if (status == STATUS_OK && loading->opened[i])
            status = comparison_side_read(loading->sides[i], diag);
    }
    return status;
}

static enum status analyze_evidence(struct loading *loading, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++) {
        struct analysis_options options = *loading->request->analysis;
        if (loading->opened[i])
            continue;
        if (loading->opened[1 - i])
            options.policy = loading->sides[1 - i]->policy;
        status = comparison_side_analyze(loading->sides[i], loading->paths[i], &options, diag);
        if (status == STATUS_OK)
            status = comparison_side_read(loading->sides[i], diag);
        if (status == STATUS_OK && strcmp(loading->sides[i]->kind, "summaries") == 0) {
            loading->opened[i] = true;
            if (loading->request->decide_anew)
                status = refuse_summary(loading->sides[i], diag);
        }
    }
    return status;
}

/* A folder turned out to be one of summaries after the other side was decided without their
 * policy: that side is decided again. */
static enum status analyze_again(struct loading *loading, struct diag *diag)
{
    struct comparison_side *side = loading->sides[0];
    struct analysis_options options = *loading->request->analysis;
    bool found;
    if (loading->opened[0] || !loading->opened[1])
        return STATUS_OK;
    comparison_side_fini(side);
    enum status status = comparison_side_open(side, loading->paths[0], &found, diag);
    options.policy = loading->sides[1]->policy;
    if (status == STATUS_OK)
        status = comparison_side_analyze(side, loading->paths[0], &options, diag);
    return status == STATUS_OK ? comparison_side_read(side, diag) : status;
}

/* A side without a record says nothing, and not that nothing changed. */
static enum status require_groups(const struct comparison_side *side, struct diag *diag)
{
    if (side->group_count > 0)
        return STATUS_OK;
    if (side->rejected_count == 0 || side->rejected[0].path == NULL)
        return diag_set(diag, STATUS_INPUT, "%s: no usable evidence", side->path);
    char path[512];
    char error[1024];
    return diag_set(
        diag, STATUS_INPUT, "%s: no usable evidence: %s: %s", side->path,
        text_escape_into(path, sizeof path, side->rejected[0].path, strlen(side->rejected[0].path)),
        text_escape_into(error, sizeof error, side->rejected[0].error,
                         strlen(side->rejected[0].error)));
}

enum status comparison_run(struct comparison *comparison, const struct comparison_request *request,
                           struct diag *diag)
{
    *comparison = (struct comparison){.settings = request->settings};
    struct loading loading = {.request = request,
                              .sides = {&comparison->base, &comparison->now},
                              .paths = {request->base, request->now}};
    comparison->same_input = same_input(request->base, request->now);
    enum status status = open_summaries(&loading, diag);
    bool decided = loading.opened[1]; /* BASE, by NEW's policy, which is known already */
    if (status == STATUS_OK)
        status = analyze_evidence(&loading, diag);
    if (status == STATUS_OK && !decided)
        status = analyze_again(&loading, diag);
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++)
        status = require_groups(loading.sides[i], diag);
    if (status == STATUS_OK)
        status = comparison_parts_match(comparison, diag);
    if (status == STATUS_OK)
        status = comparison_parts_findings(comparison, diag);
    return status;
}

void comparison_fini(struct comparison *comparison)
{
    if (comparison == NULL)
        return;
    comparison_side_fini(&comparison->base);
    comparison_side_fini(&comparison->now);
    arena_fini(&comparison->arena);
    *comparison = (struct comparison){0};
}
