#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"

static char folder[64];
static char path[128];

static void enter_folder(void)
{
    strcpy(folder, "/tmp/rankledger-input-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
}

static void leave_folder(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(input, .init = enter_folder, .fini = leave_folder);

static void write_bytes(const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

struct outcome {
    enum status status;
    enum input_fault fault;
    struct diag diag;
};

static struct outcome read_path(struct input_buffer *buffer, const char *name, size_t limit)
{
    struct outcome outcome = {.fault = INPUT_FAULT_NONE};
    outcome.status = input_read_file(buffer, name, limit, &outcome.fault, &outcome.diag);
    return outcome;
}

static void expect_content(const char *data, size_t size, const struct input_buffer *buffer)
{
    cr_assert_eq(buffer->size, size);
    cr_assert_eq(memcmp(buffer->data, data, size), 0);
    cr_assert_eq(buffer->data[size], '\0', "the bytes are followed by a NUL");
}

Test(input, reads_a_file_whole_and_reuses_the_buffer)
{
    struct input_buffer buffer = {0};
    static const char *const contents[] = {"first, the longest", "", "second", "x"};
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        write_bytes(contents[i], strlen(contents[i]));
        struct outcome outcome = read_path(&buffer, path, INPUT_DEFAULT_LIMIT);
        cr_assert_eq(outcome.status, STATUS_OK);
        cr_assert_eq(outcome.fault, INPUT_FAULT_NONE);
        expect_content(contents[i], strlen(contents[i]), &buffer);
    }
    input_fini(&buffer);
    input_fini(&buffer);
    input_fini(NULL);
}

Test(input, reads_a_file_larger_than_a_pipe_and_its_nul_bytes)
{
    size_t size = 300001;
    char *data = malloc(size);
    cr_assert_not_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i % 251);
    write_bytes(data, size);
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, path, INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    expect_content(data, size, &buffer);
    input_fini(&buffer);
    free(data);
}

Test(input, reads_files_whose_size_the_system_does_not_tell)
{
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, "/proc/self/maps", INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    cr_assert_gt(buffer.size, 0);
    input_fini(&buffer);
}

Test(input, the_limit_is_inclusive)
{
    write_bytes("12345", 5);
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, path, 5).status, STATUS_OK);
    struct outcome outcome = read_path(&buffer, path, 4);
    cr_assert_eq(outcome.status, STATUS_INPUT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_TOO_LARGE);
    cr_assert(strstr(outcome.diag.text, "larger than the limit of 4 bytes") != NULL);
    cr_assert_eq(buffer.size, 0);
    input_fini(&buffer);
}

/* A writer in a process of its own, in pieces, so that reads come short. */
static pid_t write_in_pieces(const int ends[2], size_t pieces)
{
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t i = 0; i < pieces; i++) {
            if (write(ends[1], "0123456789", 10) != 10)
                _exit(1);
            if (i % 100 == 0)
                usleep(1000);
        }
        _exit(0);
    }
    return child;
}

Test(input, reads_standard_input_through_short_reads)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = write_in_pieces(ends, 20000);
    cr_assert_gt(child, 0);
    close(ends[1]);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, "-", INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    cr_assert_eq(buffer.size, 200000);
    cr_assert_eq(memcmp(buffer.data + 199990, "0123456789", 10), 0);
    input_fini(&buffer);
    waitpid(child, NULL, 0);
}

Test(input, waits_for_a_descriptor_that_does_not_block)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pid_t child = write_in_pieces(ends, 500);
    cr_assert_gt(child, 0);
    close(ends[1]);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, "-", INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    cr_assert_eq(buffer.size, 5000);
    input_fini(&buffer);
    waitpid(child, NULL, 0);
}

Test(input, reads_the_rest_of_a_redirected_file)
{
    write_bytes("skipped,rest", 12);
    int descriptor = open(path, O_RDONLY);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(lseek(descriptor, 8, SEEK_SET), 8);
    cr_assert_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, "-", INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    expect_content("rest", 4, &buffer);
    input_fini(&buffer);
}

Test(input, reads_a_named_pipe)
{
    cr_assert_eq(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int descriptor = open(path, O_WRONLY);
        _exit(write(descriptor, "piped", 5) == 5 ? 0 : 1);
    }
    struct input_buffer buffer = {0};
    cr_assert_eq(read_path(&buffer, path, INPUT_DEFAULT_LIMIT).status, STATUS_OK);
    expect_content("piped", 5, &buffer);
    input_fini(&buffer);
    waitpid(child, NULL, 0);
}

Test(input, stops_an_endless_pipe_at_the_limit)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = write_in_pieces(ends, 100000);
    cr_assert_gt(child, 0);
    close(ends[1]);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    struct input_buffer buffer = {0};
    struct outcome outcome = read_path(&buffer, "-", (size_t)64 << 10);
    cr_assert_eq(outcome.status, STATUS_INPUT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_TOO_LARGE);
    cr_assert(strstr(outcome.diag.text, "standard input: larger than") != NULL);
    input_fini(&buffer);
    close(STDIN_FILENO);
    waitpid(child, NULL, 0);
}

Test(input, names_path_and_reason_of_what_cannot_be_read)
{
    struct input_buffer buffer = {0};
    struct outcome outcome = read_path(&buffer, "/nonexistent/a\x1b[1m", INPUT_DEFAULT_LIMIT);
    cr_assert_eq(outcome.status, STATUS_INPUT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_UNREADABLE);
    cr_assert_str_eq(outcome.diag.text,
                     "/nonexistent/a\\x1b[1m: cannot read: No such file or directory");
    outcome = read_path(&buffer, "", INPUT_DEFAULT_LIMIT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_UNREADABLE);
    input_fini(&buffer);
}

Test(input, refuses_directories_and_devices)
{
    struct input_buffer buffer = {0};
    struct outcome outcome = read_path(&buffer, folder, INPUT_DEFAULT_LIMIT);
    cr_assert_eq(outcome.status, STATUS_INPUT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_NOT_REGULAR);
    cr_assert(strstr(outcome.diag.text, ": is a directory, not a file") != NULL);
    outcome = read_path(&buffer, "/dev/zero", INPUT_DEFAULT_LIMIT);
    cr_assert_eq(outcome.status, STATUS_INPUT);
    cr_assert_eq(outcome.fault, INPUT_FAULT_NOT_REGULAR);
    cr_assert_str_eq(outcome.diag.text, "/dev/zero: is a device, not a file");
    input_fini(&buffer);
}
