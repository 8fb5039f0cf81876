#ifndef RANKLEDGER_PATH_FOLDER_H
#define RANKLEDGER_PATH_FOLDER_H

#include <stdatomic.h>

/*
 * An open directory that a walk and threads that open files in it share: opening by the name alone
 * spares the system the way through the whole path. It is closed by whoever lets it go last.
 */
struct path_folder {
    int descriptor;
    atomic_uint holders;
};

/* Takes the descriptor; the caller holds it. NULL: memory exhausted, and the descriptor is closed.
 */
struct path_folder *path_folder_create(int descriptor);

void path_folder_hold(struct path_folder *folder);

/* NULL is allowed. */
void path_folder_release(struct path_folder *folder);

#endif
