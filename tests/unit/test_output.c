#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

static char folder[64];
static char path[128];
static char other[128];

static void enter_folder(void)
{
    strcpy(folder, "/tmp/rankledger-output-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    umask(022);
}

static void leave_folder(void)
{
    unlink(path);
    unlink(other);
    rmdir(folder);
}

TestSuite(output, .init = enter_folder, .fini = leave_folder);

static size_t count_files(void)
{
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory);
    size_t count = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static void expect_content(const char *name, const char *expected)
{
    char data[256];
    FILE *file = fopen(name, "rb");
    cr_assert_not_null(file, "%s exists", name);
    size_t size = fread(data, 1, sizeof data - 1, file);
    fclose(file);
    data[size] = '\0';
    cr_assert_str_eq(data, expected);
}

static enum status write_text(const char *name, const char *text, struct diag *diag)
{
    return output_write_file(name, text, strlen(text), diag);
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    cr_assert_eq(stat(name, &about), 0);
    return about.st_mode & 07777;
}

Test(output, writes_a_new_file_with_the_mode_of_the_umask)
{
    umask(027);
    struct diag diag = {0};
    cr_assert_eq(write_text(path, "new", &diag), STATUS_OK);
    expect_content(path, "new");
    cr_assert_eq(mode_of(path), 0640);
    cr_assert_eq(count_files(), 1);
}

Test(output, replaces_a_file_and_keeps_its_mode)
{
    struct diag diag = {0};
    cr_assert_eq(write_text(path, "a longer old content", &diag), STATUS_OK);
    cr_assert_eq(chmod(path, 0664), 0);
    cr_assert_eq(write_text(path, "new", &diag), STATUS_OK);
    expect_content(path, "new");
    cr_assert_eq(mode_of(path), 0664);
    cr_assert_eq(count_files(), 1);
}

Test(output, writes_an_empty_file)
{
    struct diag diag = {0};
    cr_assert_eq(output_write_file(path, NULL, 0, &diag), STATUS_OK);
    expect_content(path, "");
}

Test(output, an_open_reader_keeps_the_old_content)
{
    struct diag diag = {0};
    cr_assert_eq(write_text(path, "old", &diag), STATUS_OK);
    FILE *reader = fopen(path, "rb");
    cr_assert_not_null(reader);
    cr_assert_eq(write_text(path, "new", &diag), STATUS_OK);
    char data[8] = "";
    cr_assert_eq(fread(data, 1, sizeof data - 1, reader), 3);
    cr_assert_str_eq(data, "old");
    fclose(reader);
}

Test(output, writes_through_symbolic_links_and_leaves_them)
{
    struct diag diag = {0};
    cr_assert_eq(symlink("other", path), 0);
    cr_assert_eq(write_text(path, "created through a link", &diag), STATUS_OK);
    expect_content(other, "created through a link");
    cr_assert_eq(write_text(path, "replaced", &diag), STATUS_OK);
    expect_content(other, "replaced");
    struct stat about;
    cr_assert_eq(lstat(path, &about), 0);
    cr_assert(S_ISLNK(about.st_mode));
    cr_assert_eq(count_files(), 2);
}

Test(output, refuses_a_circle_of_links)
{
    struct diag diag = {0};
    cr_assert_eq(symlink(other, path), 0);
    cr_assert_eq(symlink(path, other), 0);
    cr_assert_eq(write_text(path, "x", &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "Too many levels of symbolic links") != NULL, "%s", diag.text);
}

Test(output, keeps_the_old_content_when_the_disk_is_full)
{
    struct diag diag = {0};
    cr_assert_eq(write_text(path, "old", &diag), STATUS_OK);
    /* The largest file size stands for the end of the disk: write fails after 4096 bytes. */
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = {4096, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    static char data[10000];
    enum status status = output_write_file(path, data, sizeof data, &diag);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    cr_assert_eq(status, STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "file: cannot write: File too large") != NULL, "%s", diag.text);
    expect_content(path, "old");
    cr_assert_eq(count_files(), 1, "no temporary file stays");
}

Test(output, names_path_and_reason)
{
    struct diag diag = {0};
    cr_assert_eq(write_text("/nonexistent/\x1b/x", "x", &diag), STATUS_ENVIRONMENT);
    cr_assert_str_eq(diag.text, "/nonexistent/\\x1b/x: cannot write: No such file or directory "
                                "(its folder does not exist)");
    struct diag directory = {0};
    cr_assert_eq(write_text(folder, "x", &directory), STATUS_ENVIRONMENT);
    cr_assert(strstr(directory.text, "cannot write: Is a directory") != NULL);
    struct diag empty = {0};
    cr_assert_eq(write_text("", "x", &empty), STATUS_ENVIRONMENT);
}

Test(output, a_write_protected_file_stays)
{
    struct diag diag = {0};
    cr_assert_eq(write_text(path, "old", &diag), STATUS_OK);
    cr_assert_eq(chmod(path, 0444), 0);
    if (geteuid() == 0) { /* root may write everything: be somebody else in a folder of theirs */
        cr_assert_eq(chmod(folder, 0777), 0);
        cr_assert_eq(seteuid(65534), 0);
    }
    cr_assert_eq(write_text(path, "new", &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "cannot write: Permission denied") != NULL, "%s", diag.text);
    expect_content(path, "old");
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

Test(output, a_name_as_long_as_the_system_allows_is_written)
{
    char name[320];
    int length = snprintf(name, sizeof name, "%s/", folder);
    memset(name + length, 'n', 255);
    name[length + 255] = '\0';
    struct diag diag = {0};
    cr_assert_eq(write_text(name, "x", &diag), STATUS_OK, "%s", diag.text);
    expect_content(name, "x");
    unlink(name);
}

Test(output, a_device_is_written_in_place)
{
    struct diag diag = {0};
    cr_assert_eq(write_text("/dev/null", "x", &diag), STATUS_OK);
    struct stat about;
    cr_assert_eq(stat("/dev/null", &about), 0);
    cr_assert(S_ISCHR(about.st_mode));
    cr_assert_eq(write_text("/dev/full", "x", &diag), STATUS_ENVIRONMENT);
    cr_assert_str_eq(diag.text, "/dev/full: cannot write: No space left on device");
}

/* Sends standard output to a file, runs the writes, and puts it back. */
static void redirect_to(const char *name, int *saved)
{
    fflush(stdout);
    *saved = dup(STDOUT_FILENO);
    int descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(dup2(descriptor, STDOUT_FILENO), STDOUT_FILENO);
    close(descriptor);
}

static void put_back(int saved)
{
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
}

Test(output, standard_output_keeps_the_order_of_what_was_printed)
{
    int saved = -1;
    redirect_to(path, &saved);
    struct diag diag = {0};
    printf("1 ");
    enum status dash = write_text("-", "2 ", &diag);
    printf("3 ");
    enum status null = write_text(NULL, "4 ", &diag);
    printf("5 ");
    enum status device = write_text("/dev/stdout", "6 ", &diag);
    enum status itself = write_text(path, "7", &diag);
    put_back(saved);
    cr_assert_eq(dash, STATUS_OK);
    cr_assert_eq(null, STATUS_OK);
    cr_assert_eq(device, STATUS_OK);
    cr_assert_eq(itself, STATUS_OK);
    expect_content(path, "1 2 3 4 5 6 7");
}

Test(output, a_full_standard_output_is_an_error)
{
    int saved = -1;
    redirect_to("/dev/full", &saved);
    struct diag diag = {0};
    enum status status = write_text("-", "x", &diag);
    put_back(saved);
    cr_assert_eq(status, STATUS_ENVIRONMENT);
    cr_assert_str_eq(diag.text, "standard output: cannot write: No space left on device");
}

Test(output, a_descriptor_that_does_not_block_gets_every_byte)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        size_t total = 0;
        char data[4096];
        usleep(20000); /* the pipe fills meanwhile */
        for (ssize_t count; (count = read(ends[0], data, sizeof data)) > 0;)
            total += (size_t)count;
        _exit(total == 500000 ? 0 : 1);
    }
    close(ends[0]);
    cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    static char data[500000];
    struct diag diag = {0};
    cr_assert_eq(output_write_descriptor(ends[1], "pipe", data, sizeof data, &diag), STATUS_OK);
    close(ends[1]);
    int ended = -1;
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert_eq(ended, 0);
}

Test(output, an_interrupt_leaves_no_temporary_file)
{
    pid_t child = fork();
    if (child == 0) {
        struct diag diag = {0};
        for (;;) {
            if (write_text(path, "written again and again", &diag) != STATUS_OK)
                _exit(1);
        }
    }
    usleep(30000);
    cr_assert_eq(kill(child, SIGTERM), 0);
    int ended = 0;
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFSIGNALED(ended));
    expect_content(path, "written again and again");
    cr_assert_eq(count_files(), 1);
}

Test(output, new_file_appears_whole)
{
    struct diag diag = {0};
    bool exists = true;
    cr_assert_eq(output_write_new_file(path, "new", 3, &exists, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_not(exists);
    expect_content(path, "new");
    cr_assert_eq(count_files(), 1);
}

Test(output, new_file_never_replaces_one_that_appeared)
{
    struct diag diag = {0};
    bool exists = false;
    cr_assert_eq(write_text(path, "first", &diag), STATUS_OK);
    cr_assert_eq(output_write_new_file(path, "second", 6, &exists, &diag), STATUS_ENVIRONMENT);
    cr_assert(exists);
    expect_content(path, "first");
    cr_assert_eq(count_files(), 1);
}

Test(output, new_file_in_no_folder_is_an_error)
{
    struct diag diag = {0};
    bool exists = true;
    snprintf(path, sizeof path, "%s/none/file", folder);
    cr_assert_eq(output_write_new_file(path, "x", 1, &exists, &diag), STATUS_ENVIRONMENT);
    cr_assert_not(exists);
    cr_assert(strstr(diag.text, "does not exist") != NULL, "%s", diag.text);
}
