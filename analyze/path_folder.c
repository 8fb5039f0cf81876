#include "path_folder.h"

#include <stdlib.h>
#include <unistd.h>

struct path_folder *path_folder_create(int descriptor)
{
    struct path_folder *folder = malloc(sizeof *folder);
    if (folder == NULL) {
        close(descriptor);
        return NULL;
    }
    folder->descriptor = descriptor;
    atomic_init(&folder->holders, 1);
    return folder;
}

void path_folder_hold(struct path_folder *folder)
{
    atomic_fetch_add_explicit(&folder->holders, 1, memory_order_relaxed);
}

void path_folder_release(struct path_folder *folder)
{
    if (folder == NULL || atomic_fetch_sub_explicit(&folder->holders, 1, memory_order_acq_rel) > 1)
        return;
    close(folder->descriptor);
    free(folder);
}
