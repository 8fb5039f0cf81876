#include "import_beside.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define LIMIT ((size_t)64 << 20) /* as for evidence */

enum import_beside import_beside_load(struct import *import, const struct import_source *source,
                                      const char *name, struct import_load *load)
{
    char path[4096];
    struct diag diag = {0};
    const char *slash = source->file != NULL ? strrchr(source->file, '/') : NULL;
    size_t folder = slash != NULL ? (size_t)(slash - source->file) + 1 : 0;
    if (source->file == NULL || folder + strlen(name) >= sizeof path)
        return IMPORT_BESIDE_NONE;
    memcpy(path, source->file, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    struct stat about;
    if (stat(path, &about) != 0) {
        if (errno != ENOENT)
            import_refuse(import, 0, "%s beside it cannot be read: %s", name, diag_reason(errno));
        return IMPORT_BESIDE_NONE;
    }
    if (about.st_size == 0)
        return IMPORT_BESIDE_BROKEN;
    enum status status = import_load_file(load, path, LIMIT, &diag);
    if (status == STATUS_ENVIRONMENT)
        import_no_memory(import);
    else if (status != STATUS_OK)
        import_refuse(import, 0, "beside it, %s", diag.text);
    return status == STATUS_OK ? IMPORT_BESIDE_READ : IMPORT_BESIDE_NONE;
}

enum import_beside import_beside_load_json(struct import *import,
                                           const struct import_source *source, const char *name,
                                           struct import_load *load)
{
    enum import_beside beside = import_beside_load(import, source, name, load);
    return beside == IMPORT_BESIDE_READ && load->source.json == NULL ? IMPORT_BESIDE_BROKEN
                                                                     : beside;
}
