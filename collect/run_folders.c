#include "run_folders.h"

#include <stdio.h>

#include "checkpoint.h"
#include "dump.h"
#include "output_folder.h"

enum status run_folders_checkpoint(const struct run_config *config, enum strategy strategy,
                                   bool sharded, char path[RUN_FOLDERS_PATH_SIZE],
                                   struct diag *diag)
{
    char folder[RUN_FOLDERS_PATH_SIZE];
    enum status status = run_config_checkpoint_dir(config, folder, sizeof folder, diag);
    if (status != STATUS_OK)
        return status;
    int length = snprintf(path, RUN_FOLDERS_PATH_SIZE, "%s/%s-%s", folder,
                          training_state_row(strategy)->name, sharded ? "sharded" : "full");
    if (length < 0 || length >= RUN_FOLDERS_PATH_SIZE)
        return diag_set(diag, STATUS_USAGE, "the name of the checkpoint's folder is too long");
    return STATUS_OK;
}

enum status run_folders_dump(const struct run_config *config, enum strategy strategy,
                             char path[RUN_FOLDERS_PATH_SIZE], struct diag *diag)
{
    const bool is_one = config->strategy_count == 1;
    int length = snprintf(path, RUN_FOLDERS_PATH_SIZE, "%s%s%s", config->dump_dir,
                          is_one ? "" : "/", is_one ? "" : training_state_row(strategy)->name);
    if (length < 0 || length >= RUN_FOLDERS_PATH_SIZE)
        return diag_set(diag, STATUS_USAGE, "the name of the dump's folder is too long");
    return STATUS_OK;
}

/* A folder that the config asks for. */
struct asked {
    char path[RUN_FOLDERS_PATH_SIZE];
    bool (*is_file)(const char *name);
};

#define FOLDERS 3 /* full, sharded, dump */

/* False if it was not asked for, or (with `diag` set) has no name. */
static bool find_asked(const struct run_config *config, enum strategy strategy, int which,
                       struct asked *asked, struct diag *diag)
{
    const enum run_checkpoint kind = config->checkpoint;
    asked->is_file = which < 2 ? checkpoint_is_file : dump_is_file;
    if (which == 2)
        return config->dump_dir != NULL &&
               run_folders_dump(config, strategy, asked->path, diag) == STATUS_OK;
    if (kind != RUN_CHECKPOINT_BOTH &&
        kind != (which == 0 ? RUN_CHECKPOINT_FULL : RUN_CHECKPOINT_SHARDED))
        return false;
    return run_folders_checkpoint(config, strategy, which == 1, asked->path, diag) == STATUS_OK;
}

/* Makes the folder as it will be made, and takes it away again. */
static void try(const struct asked *asked, bool force, struct diag *diag)
{
    struct output_folder folder;
    if (output_folder_begin(&folder, asked->path, asked->is_file, force, diag) == STATUS_OK)
        output_folder_abandon(&folder);
}

void run_folders_check(const struct run_config *config, struct run_faults *faults)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (int which = 0; config->strategies[strategy] && which < FOLDERS; which++) {
            struct asked asked;
            struct diag diag = {0};
            if (find_asked(config, (enum strategy)strategy, which, &asked, &diag))
                try(&asked, config->force, &diag);
            run_faults_add_diag(faults, &diag);
        }
}

void run_folders_discard(const struct run_config *config, enum strategy strategy, pid_t pid)
{
    for (int which = 0; which < FOLDERS; which++) {
        struct asked asked;
        if (find_asked(config, strategy, which, &asked, NULL))
            output_folder_discard(asked.path, pid, asked.is_file);
    }
}
