#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "emulation_check.h"

namespace emulation_check
{

namespace
{

int failed = 0;

/* Runs `body` in a child; its status, and what it wrote to standard error. */
int run_child(const std::function<void()> &body, std::string *said)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        std::abort();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    char part[512];
    for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
        said->append(part, (size_t)got);
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

} // namespace

void check(bool holds, const std::string &what)
{
    if (holds)
        return;
    std::printf("FAILED: %s\n", what.c_str());
    failed++;
}

void expect(cudaError_t found, cudaError_t expected, const std::string &what)
{
    check(found == expected,
          what + ": " + cudaGetErrorName(found) + ", expected " + cudaGetErrorName(expected));
}

void expect_end(int number, const std::vector<std::string> &words, const std::string &what,
                const std::function<void()> &body)
{
    std::string said;
    const int status = run_child(body, &said);
    check(WIFSIGNALED(status) && WTERMSIG(status) == number,
          what + " went on, or ended otherwise: " + said);
    for (const std::string &word : words)
        check(said.find(word) != std::string::npos,
              what + ": \"" + word + "\" is not in \"" + said + "\"");
}

void refuses(const std::string &what, const std::vector<std::string> &words,
             const std::function<void()> &body)
{
    expect_end(SIGABRT, words, what, body);
}

float *device_copy(const std::vector<float> &values)
{
    void *made = nullptr;
    const size_t bytes = values.size() * sizeof(float);
    expect(cudaMalloc(&made, bytes), cudaSuccess, "cudaMalloc");
    expect(cudaMemcpy(made, values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess,
           "copy to the device");
    return static_cast<float *>(made);
}

std::vector<float> host_copy(const float *device, size_t count)
{
    std::vector<float> values(count);
    expect(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost),
           cudaSuccess, "copy to the host");
    return values;
}

int finish(const char *line)
{
    if (failed == 0)
        std::printf("%s\n", line);
    return failed == 0 ? 0 : 1;
}

} // namespace emulation_check
