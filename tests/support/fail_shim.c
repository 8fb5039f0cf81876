#include "fail_shim.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    int error_number;
} kinds[FAIL_SHIM_KINDS] = {
    [FAIL_SHIM_MALLOC] = {"malloc", ENOMEM},   [FAIL_SHIM_OPEN] = {"open", EMFILE},
    [FAIL_SHIM_FOPEN] = {"fopen", EMFILE},     [FAIL_SHIM_READ] = {"read", EIO},
    [FAIL_SHIM_FREAD] = {"fread", EIO},        [FAIL_SHIM_WRITE] = {"write", ENOSPC},
    [FAIL_SHIM_FWRITE] = {"fwrite", ENOSPC},   [FAIL_SHIM_FLUSH] = {"flush", ENOSPC},
    [FAIL_SHIM_CLOSE] = {"close", EIO},        [FAIL_SHIM_FCLOSE] = {"fclose", ENOSPC},
    [FAIL_SHIM_RENAME] = {"rename", EACCES},   [FAIL_SHIM_UNLINK] = {"unlink", EACCES},
    [FAIL_SHIM_MKDIR] = {"mkdir", EACCES},     [FAIL_SHIM_STAT] = {"stat", EACCES},
    [FAIL_SHIM_OPENDIR] = {"opendir", EMFILE}, [FAIL_SHIM_READDIR] = {"readdir", EIO},
    [FAIL_SHIM_READLINK] = {"readlink", EIO},  [FAIL_SHIM_CHMOD] = {"chmod", EACCES},
    [FAIL_SHIM_SEEK] = {"seek", EIO},          [FAIL_SHIM_MMAP] = {"mmap", ENOMEM},
    [FAIL_SHIM_THREAD] = {"thread", EAGAIN},
};

static const struct {
    const char *name;
    int error_number;
} errors[] = {
    {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EACCES", EACCES}, {"EMFILE", EMFILE},
};

#define MAX_RANGES 16

/* Where the counted callers lie. */
struct range {
    uintptr_t first;
    uintptr_t last;
};

static struct {
    bool active; /* set once everything else stands */
    bool counting;
    bool from_then_on;
    enum fail_shim_kind kind;
    unsigned long n;
    int error_number;
    int log; /* descriptor, or -1 */
    size_t range_count;
    struct range ranges[MAX_RANGES];
    atomic_ulong seen[FAIL_SHIM_KINDS];
} state = {.log = -1};

/* Set while the shim itself works: what it calls is not counted. */
static _Thread_local bool inside;

static bool is_listed(const char *path, const char *list)
{
    char part[256];
    while (*list != '\0') {
        size_t length = strcspn(list, ":");
        if (length > 0 && length < sizeof part) {
            memcpy(part, list, length);
            part[length] = '\0';
            if (strstr(path, part) != NULL)
                return true;
        }
        list += length + (list[length] == ':' ? 1 : 0);
    }
    return false;
}

/* The program has an empty name in the list of loaded objects. */
static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (info->dlpi_name[0] != '\0' && !is_listed(info->dlpi_name, data))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum && state.range_count < MAX_RANGES; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
            continue;
        uintptr_t first = (uintptr_t)info->dlpi_addr + header->p_vaddr;
        state.ranges[state.range_count++] = (struct range){first, first + header->p_memsz};
    }
    return 0;
}

static void refuse(const char *wish)
{
    fprintf(stderr, "fail_shim: RANKLEDGER_TEST_FAIL=%s is not understood\n", wish);
    _exit(125);
}

/* "KIND:N[+][:ERRNO]" */
static void parse_wish(const char *wish)
{
    size_t length = strcspn(wish, ":");
    size_t kind = 0;
    while (kind < FAIL_SHIM_KINDS &&
           (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, wish, length) != 0))
        kind++;
    if (kind == FAIL_SHIM_KINDS || wish[length] != ':')
        refuse(wish);
    state.kind = (enum fail_shim_kind)kind;
    state.error_number = kinds[kind].error_number;
    char *end = NULL;
    state.n = strtoul(wish + length + 1, &end, 10);
    if (*end == '+') {
        state.from_then_on = true;
        end++;
    }
    if (*end == ':') {
        size_t i = 0;
        while (i < sizeof errors / sizeof errors[0] && strcmp(errors[i].name, end + 1) != 0)
            i++;
        if (i == sizeof errors / sizeof errors[0])
            refuse(wish);
        state.error_number = errors[i].error_number;
    } else if (*end != '\0') {
        refuse(wish);
    }
    if (state.n == 0)
        refuse(wish);
}

/* The log's descriptor comes from the kernel itself, far above those that programs expect. */
static int open_log(const char *path)
{
    int descriptor =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
    if (high < 0)
        return descriptor;
    syscall(SYS_close, descriptor);
    return high;
}

__attribute__((constructor)) static void start(void)
{
    const char *wish = getenv("RANKLEDGER_TEST_FAIL");
    if (wish == NULL)
        return;
    inside = true;
    const char *log = getenv("RANKLEDGER_TEST_FAIL_LOG");
    if (log != NULL)
        state.log = open_log(log);
    const char *list = getenv("RANKLEDGER_TEST_FAIL_IN");
    char libraries[1024];
    snprintf(libraries, sizeof libraries, "%s",
             list != NULL ? list : "libjansson:libxlsxwriter:libminizip");
    dl_iterate_phdr(add_object, libraries);
    state.counting = strcmp(wish, "count") == 0;
    if (!state.counting)
        parse_wish(wish);
    void *frames[4];
    if (state.counting)
        backtrace(frames, 4); /* loads what it needs, now and not in the middle of a call */
    state.active = true;
    inside = false;
}

static bool is_counted(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    for (size_t i = 0; i < state.range_count; i++) {
        if (address >= state.ranges[i].first && address < state.ranges[i].last)
            return true;
    }
    return false;
}

static void log_text(const char *text, size_t length)
{
    if (state.log >= 0 && syscall(SYS_write, state.log, text, length) < 0)
        _exit(125);
}

/* A number for the call stack. A function that calls itself counts once, so that the depth of a
 * document does not make every level a stack of its own. */
static uint64_t hash_stack(void)
{
    void *frames[48];
    int count = backtrace(frames, 48);
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (int i = 2; i < count; i++) {
        bool again = false;
        for (int back = i - 1; back >= 2 && back >= i - 4; back--)
            again = again || frames[back] == frames[i];
        if (!again)
            hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211u;
    }
    return hash;
}

bool fail_shim_strikes(enum fail_shim_kind kind, const void *caller)
{
    if (!state.active || inside || !is_counted(caller))
        return false;
    int saved = errno;
    inside = true;
    unsigned long n = atomic_fetch_add(&state.seen[kind], 1) + 1;
    bool strikes = !state.counting && kind == state.kind &&
                   (n == state.n || (state.from_then_on && n > state.n));
    if (state.counting) {
        char line[96];
        int length = snprintf(line, sizeof line, "%s %lu %016llx\n", kinds[kind].name, n,
                              (unsigned long long)hash_stack());
        log_text(line, (size_t)length);
    } else if (strikes && n == state.n) {
        log_text("hit\n", 4);
    }
    inside = false;
    errno = strikes ? state.error_number : saved;
    return strikes;
}
