#include "run_targets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_folders.h"
#include "text.h"

#define MOST (4 * STRATEGY_COUNT) /* evidence, full and sharded checkpoint, dump */
#define SHOWN 512                 /* of a path in a message */

/* Copies of the paths as they were named, and what they stand for. */
struct targets {
    char *named[MOST], *resolved[MOST];
    size_t count;
};

/* The path that `path` stands for, from the heap, as far as it exists; NULL without memory. */
static char *resolve(const char *path)
{
    char head[PATH_MAX];
    char real[PATH_MAX];
    char *whole = NULL;
    if (snprintf(head, sizeof head, "%s", path) >= (int)sizeof head)
        return NULL; /* it is refused for its length */
    size_t length = strlen(head);
    while (length > 0 && realpath(head, real) == NULL) {
        while (length > 0 && head[length - 1] == '/')
            length--;
        while (length > 0 && head[length - 1] != '/')
            length--;
        head[length] = '\0';
    }
    if (length == 0 && realpath(path[0] == '/' ? "/" : ".", real) == NULL)
        return NULL;
    if (asprintf(&whole, "%s/%s", real, path + length) < 0)
        return NULL;
    for (length = strlen(whole); length > 1 && whole[length - 1] == '/'; length--)
        whole[length - 1] = '\0';
    return whole;
}

static void add(struct targets *targets, const char *path)
{
    char *named = strdup(path);
    char *resolved = resolve(path);
    if (named != NULL && resolved != NULL) {
        targets->named[targets->count] = named;
        targets->resolved[targets->count++] = resolved;
        return;
    }
    free(named);
    free(resolved);
}

/* Names that are too long are told elsewhere. */
static void add_all_of(const struct run_config *config, enum strategy strategy,
                       struct targets *targets)
{
    const enum run_checkpoint kind = config->checkpoint;
    char path[RUN_FOLDERS_PATH_SIZE];
    if (run_config_target(config, strategy, path, sizeof path, NULL) == STATUS_OK)
        add(targets, path);
    if ((kind == RUN_CHECKPOINT_FULL || kind == RUN_CHECKPOINT_BOTH) &&
        run_folders_checkpoint(config, strategy, false, path, NULL) == STATUS_OK)
        add(targets, path);
    if ((kind == RUN_CHECKPOINT_SHARDED || kind == RUN_CHECKPOINT_BOTH) &&
        run_folders_checkpoint(config, strategy, true, path, NULL) == STATUS_OK)
        add(targets, path);
    if (config->dump_dir != NULL && run_folders_dump(config, strategy, path, NULL) == STATUS_OK)
        add(targets, path);
}

static bool holds(const char *outer, const char *inner)
{
    size_t length = strlen(outer);
    return strncmp(outer, inner, length) == 0 && (inner[length] == '/' || inner[length] == '\0');
}

static void compare(const struct targets *targets, size_t i, size_t j, struct run_faults *faults)
{
    char first[SHOWN];
    char second[SHOWN];
    if (!holds(targets->resolved[i], targets->resolved[j]) &&
        !holds(targets->resolved[j], targets->resolved[i]))
        return;
    text_escape_into(first, sizeof first, targets->named[i], strlen(targets->named[i]));
    text_escape_into(second, sizeof second, targets->named[j], strlen(targets->named[j]));
    if (strcmp(targets->resolved[i], targets->resolved[j]) == 0)
        run_faults_add(faults, STATUS_USAGE, "%s would be written twice; choose other places",
                       second);
    else
        run_faults_add(faults, STATUS_USAGE,
                       "%s and %s: one lies inside the other; choose other places", first, second);
}

void run_targets_check(const struct run_config *config, struct run_faults *faults)
{
    struct targets targets = {0};
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (config->strategies[i])
            add_all_of(config, (enum strategy)i, &targets);
    for (size_t i = 0; i < targets.count; i++)
        for (size_t j = i + 1; j < targets.count; j++)
            compare(&targets, i, j, faults);
    for (size_t i = 0; i < targets.count; i++) {
        free(targets.named[i]);
        free(targets.resolved[i]);
    }
}
