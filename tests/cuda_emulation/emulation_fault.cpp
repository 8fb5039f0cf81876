/* Host code that touches device memory ends the process with a sentence, not only with a signal. */
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "emulation_parts.h"

namespace emulation
{

namespace
{

struct sigaction before; /* the handler that other faults go to */

void on_fault(int number, siginfo_t *info, void *)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (device_of(address) < 0) {
        sigaction(number, &before, nullptr); /* the access is made again */
        return;
    }
    char text[160];
    const int bytes = std::snprintf(
        text, sizeof text, "CUDA emulation: host code touches device memory, at 0x%zx\n", address);
    (void)!write(STDERR_FILENO, text, (size_t)bytes);
    std::signal(number, SIG_DFL);
}

} // namespace

void watch_faults()
{
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
}

} // namespace emulation
