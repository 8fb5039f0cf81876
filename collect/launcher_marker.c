#include "launcher_marker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void launcher_marker_format(const struct launcher_marker *marker, char text[LAUNCHER_MARKER_SIZE])
{
    snprintf(text, LAUNCHER_MARKER_SIZE, "%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%s", marker->strategy,
             marker->round, marker->threads, marker->folder);
}

bool launcher_marker_parse(const char *text, struct launcher_marker *marker)
{
    int used = 0;
    struct launcher_marker read = {0};
    if (text == NULL || sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%n", &read.strategy,
                               &read.round, &read.threads, &used) != 3)
        return false;
    if (used == 0 || text[used] != '/' || strlen(text + used) >= sizeof read.folder)
        return false;
    strcpy(read.folder, text + used);
    *marker = read;
    return true;
}

void launcher_marker_board(const struct launcher_marker *marker, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/board-%" PRIu64 "-%" PRIu64, marker->folder, marker->strategy,
             marker->round);
}

bool launcher_marker_bind_to_parent(void)
{
    const char *text = getenv(LAUNCHER_MARKER_PARENT);
    (void)signal(SIGTERM, SIG_IGN);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return false;
    /* The parent may have died before the line above; then we are somebody else's child. */
    return text == NULL || strtol(text, NULL, 10) == (long)getppid();
}
