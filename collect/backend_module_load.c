#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_module.h"
#include "text.h"

/* The driver's own library. Without it nothing of the module can run, and loading the module only
 * to hear that would cost every start 50 to 250 ms, which cuBLASLt's library takes (measured). */
#define DRIVER "libcuda.so.1"

/* Where the module lies, seen from the program's folder: in the build tree and installed. */
static const char *const places[] = {"", "../cuda/", "../lib/rankledger/"};

/* ---- what a failure means ---- */

void backend_module_explain(const char *message, char why[BACKEND_MODULE_WHY_SIZE])
{
    static const struct {
        const char *library, *words;
    } rows[] = {
        {"libnccl", "NCCL is missing; install it (libnccl2) or name its folder in LD_LIBRARY_PATH"},
        {"libcublasLt", "cuBLASLt is missing; install it (libcublas) or name its folder in "
                        "LD_LIBRARY_PATH"},
        {"libcuda.so", "there is no NVIDIA driver; install one"},
    };
    char shown[BACKEND_MODULE_WHY_SIZE / 2];
    (void)text_escape_into(shown, sizeof shown, message, strlen(message));
    /* dlerror: "libnccl.so.2: cannot open shared object file: No such file or directory" */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strncmp(message, rows[i].library, strlen(rows[i].library)) != 0)
            continue;
        snprintf(why, BACKEND_MODULE_WHY_SIZE, "%s (%.*s)", rows[i].words, (int)strcspn(shown, ":"),
                 shown);
        return;
    }
    if (strstr(message, "undefined symbol") != NULL)
        snprintf(why, BACKEND_MODULE_WHY_SIZE,
                 BACKEND_MODULE_NAME " is of another build than this program; build both anew (%s)",
                 shown);
    else
        snprintf(why, BACKEND_MODULE_WHY_SIZE, BACKEND_MODULE_NAME " cannot be loaded: %s", shown);
}

/* ---- loading ---- */

/* A function's address as POSIX makes dlsym give it: an object pointer with the same bits. */
static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

/* The loader maps a file without looking at its length, and one that was cut off, as by a copy that
 * was interrupted, then ends the process (SIGBUS). An ELF file's section headers lie behind
 * everything else (as linkers write it). Of what is no such file the loader says so itself. */
static bool is_cut_off(const char *path)
{
    ElfW(Ehdr) header;
    struct stat about;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return false;
    bool known = fread(&header, sizeof header, 1, file) == 1 &&
                 memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && fstat(fileno(file), &about) == 0;
    fclose(file);
    return known &&
           header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize > (uint64_t)about.st_size;
}

const struct backend_row *backend_module_open(const char *path, char why[BACKEND_MODULE_WHY_SIZE])
{
    int (*interface)(void) = NULL;
    const struct backend_row *(*row)(void) = NULL;
    if (is_cut_off(path)) {
        snprintf(why, BACKEND_MODULE_WHY_SIZE,
                 BACKEND_MODULE_NAME " is cut off; build or copy it anew (%s)", path);
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        backend_module_explain(dlerror(), why);
        return NULL;
    }
    find(library, "rankledger_backend_interface", &interface);
    find(library, "rankledger_backend_row", &row);
    if (interface != NULL && row != NULL && interface() == backend_module_interface())
        return row();
    snprintf(why, BACKEND_MODULE_WHY_SIZE,
             BACKEND_MODULE_NAME " is of another build than this program (interface %d, expected "
                                 "%d); build both anew",
             interface != NULL ? interface() : 0, backend_module_interface());
    (void)dlclose(library);
    return NULL;
}

/* The program's folder with '/' at its end; false if it cannot be told. */
static bool own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    strrchr(folder, '/')[1] = '\0'; /* the kernel's path is absolute */
    return true;
}

static bool find_module(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    if (!own_folder(folder))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (snprintf(path, PATH_MAX, "%s%s" BACKEND_MODULE_NAME, folder, places[i]) < PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

const struct backend_row *backend_module_load(char why[BACKEND_MODULE_WHY_SIZE])
{
    char path[PATH_MAX];
    if (!find_module(path)) {
        snprintf(why, BACKEND_MODULE_WHY_SIZE,
                 "this build has no CUDA backend; build it where the CUDA toolkit and NCCL are");
        return NULL;
    }
    if (dlopen(DRIVER, RTLD_LAZY | RTLD_LOCAL) == NULL) { /* stays loaded: the module needs it */
        backend_module_explain(dlerror(), why);
        return NULL;
    }
    return backend_module_open(path, why);
}
