#include "launcher_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The most that is ever added to what is inherited, and options of mpirun. */
#define MOST_ADDED 32
#define MOST_OPTIONS 16

/* ---- environment ---- */

/*
 * A batch system's variables would make mpirun spread the ranks over an allocation's hosts, or a
 * rank take itself for a part of somebody else's job; those of MPI's own launchers come from an
 * outer run. The ranks of a launcher are on this host.
 */
static bool is_dropped(const char *entry)
{
    static const char *const prefixes[] = {"SLURM_",
                                           "PBS_",
                                           "LSB_",
                                           "PMI_",
                                           "PMIX_",
                                           "PMI2_",
                                           "OMPI_COMM_",
                                           "PE_HOSTFILE=",
                                           LAUNCHER_MARKER_NAME "=",
                                           LAUNCHER_MARKER_PARENT "="};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

struct list {
    char **items;
    size_t count;
    struct arena *arena;
    bool failed;
};

static void add(struct list *list, const char *item)
{
    char *copy = arena_copy(list->arena, item, strlen(item));
    list->failed |= copy == NULL;
    if (copy != NULL)
        list->items[list->count++] = copy;
}

static char **find(const struct list *list, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < list->count; i++)
        if (strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')
            return &list->items[i];
    return NULL;
}

/* Sets a variable; with `yield` only where it is not set yet. */
static void set(struct list *list, const char *name, const char *value, bool yield)
{
    char **place = find(list, name);
    if (place != NULL && yield)
        return;
    char *entry = arena_printf(list->arena, "%s=%s", name, value);
    list->failed |= entry == NULL;
    if (entry != NULL && place != NULL)
        *place = entry;
    else if (entry != NULL)
        list->items[list->count++] = entry;
}

static void set_number(struct list *list, const char *name, uint64_t value, bool yield)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    set(list, name, text, yield);
}

/*
 * Open MPI 4 takes OMPI_MCA_*, its successor's launcher PRTE_MCA_*; each passes over what it does
 * not know. vader and sm are one thing, shared memory, under its old and its new name.
 */
static void set_mpi(struct list *list, const struct launcher_command_request *request)
{
    const char *folder = request->marker->folder;
    static const char *const folders[] = {
        "TMPDIR", "OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base",
        "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        set(list, folders[i], folder, false);
    static const char *const root[] = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                       "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"};
    for (size_t i = 0; i < sizeof root / sizeof root[0] && geteuid() == 0; i++)
        set(list, root[i], "1", false);
    set(list, "OMPI_MCA_mpi_yield_when_idle", request->oversubscribed ? "1" : "0", true);
}

/*
 * Threads stay on their cores where a rank has cores of its own. A thread that waits for the others
 * of its rank spins there; with fewer cores than ranks it must sleep, or it takes the core from the
 * thread that it waits for.
 */
static void set_threads(struct list *list, const struct launcher_command_request *request)
{
    set_number(list, "OMP_NUM_THREADS", request->threads, false);
    set(list, "OMP_PROC_BIND", request->bind ? "close" : "false", true);
    if (request->bind)
        set(list, "OMP_PLACES", "cores", true);
    if (request->oversubscribed)
        set(list, "OMP_WAIT_POLICY", "passive", true);
    if (request->kernels != NULL)
        set(list, "OPENBLAS_CORETYPE", request->kernels, true);
}

static void make_environment(const struct launcher_command_request *request, char *const *inherited,
                             struct arena *arena, struct launcher_command *command, bool *failed)
{
    size_t count = 0;
    while (inherited[count] != NULL)
        count++;
    struct list list = {.items = arena_take_array(arena, count + MOST_ADDED, sizeof *list.items),
                        .arena = arena};
    *failed = list.items == NULL;
    if (*failed)
        return;
    for (size_t i = 0; i < count; i++)
        if (!is_dropped(inherited[i]))
            add(&list, inherited[i]);
    char marker[LAUNCHER_MARKER_SIZE];
    launcher_marker_format(request->marker, marker);
    set_mpi(&list, request);
    set_threads(&list, request);
    set(&list, LAUNCHER_MARKER_NAME, marker, false);
    set(&list, LAUNCHER_MARKER_PARENT, "0000000000", false);
    *failed = list.failed;
    if (*failed)
        return;
    command->environment = list.items;
    command->parent = strchr(*find(&list, LAUNCHER_MARKER_PARENT), '=') + 1;
}

/* ---- arguments ---- */

static void make_arguments(const struct launcher_command_request *request, struct arena *arena,
                           struct launcher_command *command, bool *failed)
{
    size_t count = 0;
    char number[32];
    while (request->arguments[count] != NULL)
        count++;
    struct list list = {.items = arena_take_array(arena, count + MOST_OPTIONS, sizeof *list.items),
                        .arena = arena};
    *failed = list.items == NULL;
    if (*failed)
        return;
    add(&list, request->mpirun);
    snprintf(number, sizeof number, "%" PRIu64, request->ranks);
    add(&list, "-n");
    add(&list, number);
    if (request->bind) {
        snprintf(number, sizeof number, "slot:PE=%" PRIu64, request->threads);
        add(&list, "--map-by");
        add(&list, number);
        add(&list, "--bind-to");
        add(&list, "core");
    } else {
        add(&list, "--oversubscribe");
        add(&list, "--bind-to");
        add(&list, "none");
    }
    add(&list, request->executable);
    for (size_t i = 1; i < count; i++)
        add(&list, request->arguments[i]);
    *failed = list.failed;
    command->arguments = list.items;
}

enum status launcher_command_make(const struct launcher_command_request *request,
                                  char *const *inherited, struct arena *arena,
                                  struct launcher_command *command, struct diag *diag)
{
    bool failed;
    *command = (struct launcher_command){.ranks = request->ranks};
    make_environment(request, inherited, arena, command, &failed);
    if (!failed)
        make_arguments(request, arena, command, &failed);
    return failed ? diag_no_memory(diag) : STATUS_OK;
}

const char *launcher_command_variable(char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; environment[i] != NULL; i++)
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    return NULL;
}
