/*
 * The floor under `rankledger validate`: opens and reads the files whose names stand in a list,
 * with as many threads, and does nothing with them.
 *
 *     read_files THREADS < LIST           prints files, bytes, seconds, seconds of processors
 *     read_files THREADS pieces < LIST    one file in pieces of 256 KiB, which the threads share
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char **paths;
static size_t path_count;
static atomic_size_t next_path;
static atomic_size_t next_piece;
static atomic_size_t total_bytes;

static void *read_files(void *unused)
{
    static _Thread_local char buffer[1 << 20];
    size_t bytes = 0;
    for (;;) {
        size_t begin = atomic_fetch_add(&next_path, 64);
        if (begin >= path_count)
            break;
        size_t end = begin + 64 < path_count ? begin + 64 : path_count;
        for (size_t i = begin; i < end; i++) {
            int descriptor = open(paths[i], O_RDONLY | O_CLOEXEC);
            ssize_t count;
            if (descriptor < 0)
                exit(1);
            while ((count = read(descriptor, buffer, sizeof buffer)) > 0)
                bytes += (size_t)count;
            close(descriptor);
        }
    }
    atomic_fetch_add(&total_bytes, bytes);
    return unused;
}

#define PIECE ((size_t)256 << 10)

static void *read_pieces(void *unused)
{
    static _Thread_local char buffer[PIECE];
    size_t bytes = 0;
    for (size_t i = 0; i < path_count; i++) {
        int descriptor = open(paths[i], O_RDONLY | O_CLOEXEC);
        ssize_t count;
        if (descriptor < 0)
            exit(1);
        while ((count = pread(descriptor, buffer, sizeof buffer,
                              (off_t)(atomic_fetch_add(&next_piece, 1) * PIECE))) > 0)
            bytes += (size_t)count;
        close(descriptor);
    }
    atomic_fetch_add(&total_bytes, bytes);
    return unused;
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t others[64];
    bool pieces = argc > 2 && strcmp(argv[2], "pieces") == 0; /* of one file: the counter goes on */
    void *(*read_all)(void *) = pieces ? read_pieces : read_files;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    size_t room = 0;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        if (path_count == room) {
            room = room == 0 ? 1024 : room * 2;
            paths = realloc(paths, room * sizeof *paths);
        }
        line[strcspn(line, "\n")] = '\0';
        if (paths == NULL || (paths[path_count++] = strdup(line)) == NULL)
            return 1;
    }
    if (threads < 1 || threads > 64 || (pieces && path_count != 1))
        return 2;
    double begin = now(CLOCK_MONOTONIC);
    double busy = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, read_all, NULL) != 0)
            return 1;
    read_all(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    printf("%zu files %zu bytes %.6f %.6f s\n", path_count, (size_t)total_bytes,
           now(CLOCK_MONOTONIC) - begin, now(CLOCK_PROCESS_CPUTIME_ID) - busy);
    return 0;
}
