#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher.h"

/* The first executable file of a name in the folders of PATH. */
static bool find_in_path(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        struct stat about;
        if (length > 0 && at[0] == '/' &&
            snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name) < PATH_MAX &&
            stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

/* Other MPIs have an mpirun too, with other options. */
static bool is_open_mpi(const char *path)
{
    char command[PATH_MAX + 64];
    char line[256] = "";
    /* The path comes from PATH; in single quotes the shell takes it as it is. */
    if (strchr(path, '\'') != NULL)
        return false;
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", path);
    FILE *stream = popen(command, "re");
    if (stream == NULL)
        return false;
    bool found = fgets(line, sizeof line, stream) != NULL && strstr(line, "Open MPI") != NULL;
    while (fgets(line, sizeof line, stream) != NULL)
        ; /* or it would die of a closed pipe */
    (void)pclose(stream);
    return found;
}

enum status launcher_find_mpirun(char path[PATH_MAX], struct diag *diag)
{
    /* The second is its name on Debian wherever another MPI is the default. */
    static const char *const names[] = {"mpirun", "mpirun.openmpi"};
    bool other = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!find_in_path(names[i], path))
            continue;
        if (is_open_mpi(path))
            return STATUS_OK;
        other = true;
    }
    return diag_set(diag, STATUS_ENVIRONMENT,
                    other ? "mpirun in PATH is not Open MPI's: install openmpi-bin, or start this "
                            "program under your own mpirun"
                          : "mpirun is not in PATH: install openmpi-bin, or start this program "
                            "under mpirun or srun");
}
