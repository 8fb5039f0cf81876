/* What the tests of the emulation share; C++. */
#ifndef CUDA_EMULATION_CHECK_H
#define CUDA_EMULATION_CHECK_H

#include <functional>
#include <string>
#include <vector>

#include "cuda_emulation.h"

namespace emulation_check
{

/* Counts and prints what does not hold. */
void check(bool holds, const std::string &what);
void expect(cudaError_t found, cudaError_t expected, const std::string &what);
/* Runs `body` in a process of its own, which has to be ended by signal `number` with all of `words`
 * on standard error. */
void expect_end(int number, const std::vector<std::string> &words, const std::string &what,
                const std::function<void()> &body);
/* The same for a refusal. */
void refuses(const std::string &what, const std::vector<std::string> &words,
             const std::function<void()> &body);

float *device_copy(const std::vector<float> &values);
std::vector<float> host_copy(const float *device, size_t count);

/* The exit code: prints a line if nothing failed. */
int finish(const char *line);

} // namespace emulation_check

#endif
