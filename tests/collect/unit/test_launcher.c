#include "launcher.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher_command.h"
#include "launcher_marker.h"

/* ---- marker ---- */

Test(launcher_marker, is_read_back_as_it_was_written)
{
    struct launcher_marker marker = {
        .strategy = 4, .round = 12, .threads = 3, .folder = "/dev/shm/a:b c"};
    struct launcher_marker read;
    char text[LAUNCHER_MARKER_SIZE];
    launcher_marker_format(&marker, text);
    cr_assert(launcher_marker_parse(text, &read));
    cr_assert_eq(read.strategy, 4);
    cr_assert_eq(read.round, 12);
    cr_assert_eq(read.threads, 3);
    cr_assert_str_eq(read.folder, marker.folder);
}

Test(launcher_marker, other_texts_are_none)
{
    static const char *const texts[] = {"", "1", "1:2:3:", "1:2:3:relative", "a:2:3:/x", "1:2:/x"};
    struct launcher_marker read;
    cr_assert_not(launcher_marker_parse(NULL, &read));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert_not(launcher_marker_parse(texts[i], &read), "\"%s\"", texts[i]);
}

/* ---- command ---- */

static bool has(char *const *list, const char *item)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], item) == 0)
            return true;
    return false;
}

static struct launcher_marker marker = {.threads = 2, .folder = "/dev/shm/x"};
static char *arguments[] = {(char[]){"collect"}, (char[]){"run"}, (char[]){"--width=8"}, NULL};

static struct launcher_command make(bool bind, char *const *inherited, struct arena *arena)
{
    const struct launcher_command_request request = {.mpirun = "/usr/bin/mpirun",
                                                     .executable = "/bin/collect",
                                                     .arguments = arguments,
                                                     .ranks = 3,
                                                     .threads = 2,
                                                     .bind = bind,
                                                     .oversubscribed = !bind,
                                                     .kernels = "SkylakeX",
                                                     .marker = &marker};
    struct launcher_command command;
    struct diag diag = {0};
    cr_assert_eq(launcher_command_make(&request, inherited, arena, &command, &diag), STATUS_OK);
    return command;
}

Test(launcher_command, starts_this_program_with_its_own_arguments)
{
    struct arena arena = {0};
    char *none[] = {NULL};
    struct launcher_command command = make(true, none, &arena);
    static const char *const expected[] = {
        "/usr/bin/mpirun", "-n",  "3",        "--map-by", "slot:PE=2", "--bind-to", "core",
        "/bin/collect",    "run", "--width=8"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_assert_str_eq(command.arguments[i], expected[i]);
    cr_assert(command.arguments[sizeof expected / sizeof expected[0]] == NULL);
    cr_assert_eq(strlen(command.parent), LAUNCHER_COMMAND_DIGITS);
    cr_assert(has(command.environment, "RANKLEDGER_LAUNCH=0:0:2:/dev/shm/x"));
    cr_assert(has(command.environment, "OMPI_MCA_btl_vader_backing_directory=/dev/shm/x"));
    cr_assert(has(command.environment, "OMP_PROC_BIND=close"));
    arena_fini(&arena);
}

Test(launcher_command, more_ranks_than_cores_are_not_bound_and_give_way)
{
    struct arena arena = {0};
    char *none[] = {NULL};
    struct launcher_command command = make(false, none, &arena);
    cr_assert(has(command.arguments, "--oversubscribe"));
    cr_assert(has(command.arguments, "none"));
    cr_assert(has(command.environment, "OMPI_MCA_mpi_yield_when_idle=1"));
    cr_assert(has(command.environment, "OMP_WAIT_POLICY=passive"));
    arena_fini(&arena);
}

Test(launcher_command, what_the_user_set_stands_and_other_jobs_are_forgotten)
{
    struct arena arena = {0};
    char *inherited[] = {(char[]){"OPENBLAS_CORETYPE=Haswell"},
                         (char[]){"OMP_PROC_BIND=spread"},
                         (char[]){"OMP_NUM_THREADS=64"},
                         (char[]){"SLURM_JOB_ID=7"},
                         (char[]){"PMIX_RANK=3"},
                         (char[]){"HOME=/root"},
                         NULL};
    struct launcher_command command = make(true, inherited, &arena);
    cr_assert(has(command.environment, "OPENBLAS_CORETYPE=Haswell"));
    cr_assert(has(command.environment, "OMP_PROC_BIND=spread"));
    cr_assert(has(command.environment, "HOME=/root"));
    cr_assert(has(command.environment, "OMP_NUM_THREADS=2"), "--threads decides");
    cr_assert_not(has(command.environment, "SLURM_JOB_ID=7"));
    cr_assert_not(has(command.environment, "PMIX_RANK=3"));
    cr_assert_str_eq(launcher_command_variable(command.environment, "HOME"), "/root");
    cr_assert(launcher_command_variable(command.environment, "HOM") == NULL);
    arena_fini(&arena);
}

/* ---- folder ---- */

static bool is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static void fill(const char *folder, const char *outside)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/a", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/a/b", folder);
    cr_assert_eq(close(open(path, O_CREAT | O_WRONLY, 0400)), 0);
    snprintf(path, sizeof path, "%s/fifo", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/link", folder);
    cr_assert_eq(symlink(outside, path), 0);
}

/* True once the path is gone; waits a few seconds. */
static bool goes_away(const char *path)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    for (int i = 0; i < 250 && is_there(path); i++)
        nanosleep(&moment, NULL);
    return !is_there(path);
}

Test(launcher_folder, closing_removes_it_and_no_more)
{
    struct launcher_folder folder;
    struct diag diag = {0};
    char outside[] = "/tmp/rankledger-outside-XXXXXX";
    char file[64];
    cr_assert_not_null(mkdtemp(outside));
    snprintf(file, sizeof file, "%s/kept", outside);
    cr_assert_eq(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
    cr_assert_eq(launcher_folder_create(1, NULL, &folder, &diag), STATUS_OK, "%s", diag.text);
    char path[PATH_MAX];
    strcpy(path, folder.path);
    fill(path, outside);
    launcher_folder_fini(&folder);
    cr_assert_not(is_there(path));
    cr_assert(is_there(file), "a link out of the folder was followed");
    unlink(file);
    rmdir(outside);
}

Test(launcher_folder, killed_owner_leaves_none)
{
    int ends[2];
    char path[PATH_MAX] = "";
    cr_assert_eq(pipe(ends), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct launcher_folder folder;
        struct diag diag = {0};
        close(ends[0]);
        if (launcher_folder_create(1, NULL, &folder, &diag) != STATUS_OK)
            _exit(1);
        ssize_t written = write(ends[1], folder.path, strlen(folder.path) + 1);
        (void)written;
        close(ends[1]);
        pause();
    }
    close(ends[1]);
    cr_assert_gt(read(ends[0], path, sizeof path), 0);
    cr_assert(is_there(path));
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    cr_assert(goes_away(path), "%s is still there", path);
    close(ends[0]);
}

Test(launcher_folder, lives_as_long_as_its_owner)
{
    struct launcher_folder folder;
    struct diag diag = {0};
    const struct timespec moment = {.tv_nsec = 200000000};
    cr_assert_eq(launcher_folder_create(1, NULL, &folder, &diag), STATUS_OK);
    kill(folder.sweeper, SIGTERM); /* as Ctrl-C's kin do to the whole group */
    nanosleep(&moment, NULL);
    cr_assert(is_there(folder.path));
    launcher_folder_fini(&folder);
}

Test(launcher_folder, no_room_is_told)
{
    struct launcher_folder folder;
    struct diag diag = {0};
    cr_assert_eq(launcher_folder_create(UINT64_C(1) << 60, NULL, &folder, &diag),
                 STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "room for") != NULL, "%s", diag.text);
}

/* ---- plan ---- */

Test(launcher_plan, cores_are_shared_and_ranks_bound_where_they_fit)
{
    static const struct {
        uint64_t usable, cores, ranks, asked, threads;
        bool bind, oversubscribed;
    } cases[] = {
        {8, 8, 2, 0, 4, true, false}, {8, 8, 3, 0, 2, true, false}, {8, 8, 8, 0, 1, true, false},
        {8, 8, 9, 0, 1, false, true}, {8, 8, 2, 5, 5, false, true}, {4, 8, 2, 0, 2, false, false},
        {0, 0, 2, 0, 1, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host_info host = {.usable_cores = cases[i].usable, .cores = cases[i].cores};
        struct launcher_job job = {0};
        launcher_plan(&host, cases[i].ranks, cases[i].asked, &job);
        cr_assert_eq(job.threads, cases[i].threads, "case %zu", i);
        cr_assert_eq(job.bind, cases[i].bind, "case %zu", i);
        cr_assert_eq(job.oversubscribed, cases[i].oversubscribed, "case %zu", i);
    }
}

/* ---- kernels ---- */

Test(host_info, kernels_are_changed_only_where_the_user_did_not_choose)
{
    struct host_info_blas blas = {.kernels = "Haswell"};
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    cr_assert(host_info_better_kernels(&blas) == NULL);
    unsetenv("OPENBLAS_CORETYPE");
    const char *better = host_info_better_kernels(&blas); /* NULL without AVX-512 */
    cr_assert(better == NULL || strcmp(better, "SkylakeX") == 0);
    struct host_info_blas own = {.kernels = "Cooperlake"};
    cr_assert(host_info_better_kernels(&own) == NULL, "OpenBLAS chose AVX-512 by itself");
}

Test(host_info, knows_this_machine)
{
    struct host_info host;
    host_info_load(&host);
    cr_assert_neq(host.cpu[0], '\0');
    cr_assert_gt(host.usable_cores, 0);
    cr_assert_leq(host.usable_cores, host.cores);
    cr_assert_gt(host.available_bytes, 0);
    cr_assert_leq(host.available_bytes, host.memory_bytes);
}
