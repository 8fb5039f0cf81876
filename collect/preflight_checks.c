#include "preflight_checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "communicator_mpi.h"
#include "launcher.h"
#include "preflight_devices.h"
#include "run_config.h"
#include "text.h"

#define GIB 1073741824.0
/* Ten times that, because all of it is start-up. */
#define START_TIMEOUT_S 3
#define START_TIMEOUT_RANK_S 0.1 /* where many ranks share a core they start one after another */

const char *preflight_checks_state(enum preflight_state state)
{
    static const char *const names[] = {
        [PREFLIGHT_OK] = "ok", [PREFLIGHT_WARNING] = "warning", [PREFLIGHT_MISSING] = "missing"};
    return names[state];
}

bool preflight_checks_ready(const struct preflight_checks *checks)
{
    for (size_t i = 0; i < checks->count; i++)
        if (checks->items[i].state == PREFLIGHT_MISSING)
            return false;
    return true;
}

/* Adds a check whose `found` is formatted; the advice is the caller's to write. */
static struct preflight_check *__attribute__((format(printf, 4, 5)))
add(struct preflight_checks *checks, const char *name, enum preflight_state state,
    const char *format, ...)
{
    struct preflight_check *check = &checks->items[checks->count];
    if (checks->count + 1 < PREFLIGHT_CHECKS_MOST) /* more would be a mistake in this file */
        checks->count++;
    va_list arguments;
    *check = (struct preflight_check){.name = name, .state = state};
    va_start(arguments, format);
    vsnprintf(check->found, sizeof check->found, format, arguments);
    va_end(arguments);
    return check;
}

static void advise(struct preflight_check *check, const char *advice)
{
    text_escape_into(check->advice, sizeof check->advice, advice, strlen(advice));
}

void preflight_checks_add(struct preflight_checks *checks, const char *name,
                          enum preflight_state state, const char *advice, const char *format, ...)
{
    char found[sizeof checks->items[0].found];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    struct preflight_check *check = add(checks, name, state, "%s", found);
    if (advice != NULL)
        advise(check, advice);
}

/* ---- the machine ---- */

static void check_cores(struct preflight_checks *checks, const struct host_info *host)
{
    bool enough = host->usable_cores >= checks->world_size;
    struct preflight_check *check =
        add(checks, "cores", enough ? PREFLIGHT_OK : PREFLIGHT_WARNING,
            "%" PRIu64 " of %" PRIu64 " cores for %" PRIu64 " ranks (%s)", host->usable_cores,
            host->cores, checks->world_size, host->cpu);
    if (!enough)
        advise(check, "more ranks than cores: they share, times are marked oversubscribed");
}

static void check_memory(struct preflight_checks *checks, const struct host_info *host)
{
    char available[64];
    char all[64];
    add(checks, "memory", PREFLIGHT_OK, "%s GiB available of %s GiB",
        text_rounded(available, sizeof available, (double)host->available_bytes / GIB,
                     TEXT_ROUNDED_PLAIN, 0),
        text_rounded(all, sizeof all, (double)host->memory_bytes / GIB, TEXT_ROUNDED_PLAIN, 0));
}

static void check_shared_memory(struct preflight_checks *checks, const struct host_info *host)
{
    uint64_t wanted = launcher_shared_bytes(checks->world_size);
    bool enough = host->shared_free_bytes >= wanted;
    struct preflight_check *check =
        add(checks, "shared memory", enough ? PREFLIGHT_OK : PREFLIGHT_WARNING,
            "%" PRIu64 " MiB free in /dev/shm, %" PRIu64 " MiB wanted",
            host->shared_free_bytes >> 20, wanted >> 20);
    if (!enough)
        advise(check, "ranks will share a folder of TMPDIR or /tmp, which may be slower; in a "
                      "container give it more (--shm-size)");
}

static void check_huge_pages(struct preflight_checks *checks, const struct host_info *host)
{
    bool off = strcmp(host->huge_pages, "never") == 0 || host->huge_pages[0] == '\0';
    struct preflight_check *check =
        add(checks, "huge pages", off ? PREFLIGHT_WARNING : PREFLIGHT_OK, "%s",
            host->huge_pages[0] != '\0' ? host->huge_pages : "not supported");
    if (off)
        advise(check, "steps are slower without: echo madvise > "
                      "/sys/kernel/mm/transparent_hugepage/enabled");
}

/* ---- libraries ---- */

static void check_blas(struct preflight_checks *checks)
{
    struct host_info_blas blas;
    host_info_load_blas(&blas);
    const char *better = host_info_better_kernels(&blas);
    struct preflight_check *check =
        add(checks, "BLAS", blas.openmp ? PREFLIGHT_OK : PREFLIGHT_WARNING, "%s, %s, %s kernels",
            blas.name, blas.openmp ? "OpenMP" : "pthreads", blas.kernels);
    if (!blas.openmp)
        advise(check, "its threads start before main and do not flush denormals: install "
                      "libopenblas-openmp-dev and build again");
    else if (better != NULL)
        snprintf(check->advice, sizeof check->advice,
                 "run uses %s kernels here, which this processor has and OpenBLAS does not choose",
                 better);
}

/* What "auto" passed over is told, or nobody learns why a machine with GPUs computes on its CPU. */
static void add_backend(struct preflight_checks *checks, const char *asked, const char *name)
{
    const struct backend_row *first = &backend_table[0];
    const char *why = strcmp(asked, "auto") == 0 ? first->unavailable() : NULL;
    if (why != NULL)
        add(checks, "backend", PREFLIGHT_OK, "%s (not %s: %s)", name, first->name, why);
    else
        add(checks, "backend", PREFLIGHT_OK, "%s", name);
}

/* And its devices, if it has any. */
static void check_backend(struct preflight_checks *checks, const struct preflight_request *request)
{
    const char *backend = request->backend;
    const char *name = run_config_backend(backend);
    const struct backend_row *row = name != NULL ? backend_find(name) : NULL;
    const char *why = row != NULL ? row->unavailable() : NULL;
    if (row != NULL && why == NULL) {
        add_backend(checks, backend, name);
        preflight_devices_check(checks, name, request->share_device);
        return;
    }
    struct preflight_check *check = add(checks, "backend", PREFLIGHT_MISSING, "%s: %s", backend,
                                        why != NULL ? why : "not part of this build");
    advise(check, "use --backend cpu");
}

/* ---- ranks ---- */

static bool check_mpi(struct preflight_checks *checks)
{
    char library[64];
    char path[PATH_MAX];
    char shown[96];
    struct diag diag = {0};
    add(checks, "MPI", PREFLIGHT_OK, "%s", communicator_mpi_library(library, sizeof library));
    if (launcher_find_mpirun(path, &diag) != STATUS_OK) {
        advise(add(checks, "mpirun", PREFLIGHT_MISSING, "not found"), diag.text);
        return false;
    }
    add(checks, "mpirun", PREFLIGHT_OK, "%s",
        text_escape_into(shown, sizeof shown, path, strlen(path)));
    return true;
}

/* Nothing proves that ranks start like starting them. */
static void check_launch(struct preflight_checks *checks, const struct host_info *host, char **argv)
{
    struct launcher launcher;
    struct rank_board board = {0};
    struct rank_failure failure = {.kind = RANK_FAILURE_LAUNCH};
    struct text_buffer said = {0};
    struct diag diag = {0};
    struct launcher_job job = {.arguments = argv,
                               .timeout_s = START_TIMEOUT_S +
                                            START_TIMEOUT_RANK_S * (double)checks->world_size};
    launcher_plan(host, checks->world_size, 1, &job);
    enum status status =
        launcher_open(launcher_shared_bytes(checks->world_size), NULL, &launcher, &diag);
    if (status == STATUS_OK) {
        status = launcher_run(&launcher, &job, &board, &failure, &said, &diag);
        launcher_close(&launcher);
    }
    if (status == STATUS_OK && failure.kind == RANK_FAILURE_NONE)
        add(checks, "ranks", PREFLIGHT_OK, "%" PRIu64 " started, met and ended%s",
            checks->world_size, job.bind ? ", each bound to cores of its own" : "");
    else
        advise(add(checks, "ranks", PREFLIGHT_MISSING, "%" PRIu64 " could not be started",
                   checks->world_size),
               status != STATUS_OK ? diag.text : failure.detail);
    text_buffer_fini(&said);
    rank_board_fini(&board);
}

void preflight_checks_make(const struct preflight_request *request, struct preflight_checks *checks)
{
    struct host_info host;
    *checks = (struct preflight_checks){.world_size = request->world_size};
    host_info_load(&host);
    check_cores(checks, &host);
    check_memory(checks, &host);
    check_shared_memory(checks, &host);
    check_huge_pages(checks, &host);
    check_backend(checks, request);
    check_blas(checks);
    if (check_mpi(checks))
        check_launch(checks, &host, request->argv);
}
