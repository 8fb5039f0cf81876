/* How the emulation says no. */
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "emulation_parts.h"

namespace
{
void (*on_refusal)(const char *message) = nullptr;
}

namespace emulation
{

void refuse(const char *format, ...)
{
    char what[1024], message[2048];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    position at;
    if (position_get(&at))
        std::snprintf(message, sizeof message,
                      "CUDA emulation: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s",
                      at.kernel.c_str(), at.block.x, at.block.y, at.block.z, at.thread.x,
                      at.thread.y, at.thread.z, what);
    else
        std::snprintf(message, sizeof message, "CUDA emulation: %s", what);
    std::fprintf(stderr, "%s\n", message);
    std::fflush(stderr);
    if (on_refusal != nullptr)
        on_refusal(message);
    std::abort();
}

} // namespace emulation

void cuda_emulation_on_refusal(void (*handler)(const char *message))
{
    on_refusal = handler;
}
