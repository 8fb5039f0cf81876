/* Devices, their settings, and calls that fail on purpose. */
#include <cstdlib>
#include <cstring>
#include <map>

#include "emulation_parts.h"

namespace emulation
{

namespace
{

struct failure {
    int device; /* -1: any */
    std::string call;
    uint64_t left; /* calls until it happens */
    cudaError_t error;
    bool loses; /* the device with it */
};

struct machine {
    std::vector<device> devices;
    std::vector<failure> failures;
    std::map<std::string, uint64_t> calls; /* how often */
    bool peers = true;
    uint64_t driver = CUDART_VERSION;
};

std::vector<std::string> split(const char *list)
{
    std::vector<std::string> parts;
    for (const char *at = list; at != nullptr && *at != '\0';) {
        const char *end = std::strchr(at, ',');
        parts.emplace_back(at, end == nullptr ? std::strlen(at) : (size_t)(end - at));
        at = end == nullptr ? nullptr : end + 1;
    }
    return parts;
}

/* [DEVICE/]CALL:N:ERROR[!] */
failure parse_failure(const std::string &text)
{
    failure parsed = {-1, "", 0, cudaErrorUnknown, false};
    char call[64];
    unsigned long long n = 0;
    int error = 0, read = 0;
    const char *at = text.c_str();
    if (std::strchr(at, '/') != nullptr) {
        parsed.device = std::atoi(at);
        at = std::strchr(at, '/') + 1;
    }
    if (std::sscanf(at, "%63[^:]:%llu:%d%n", call, &n, &error, &read) < 3 || n == 0 ||
        (at[read] != '\0' && std::strcmp(at + read, "!") != 0))
        refuse("CUDA_EMULATION_FAIL: \"%s\" is not [DEVICE/]CALL:N:ERROR[!]", text.c_str());
    parsed.call = call;
    parsed.left = n;
    parsed.error = (cudaError_t)error;
    parsed.loses = at[read] == '!';
    return parsed;
}

machine *make_machine()
{
    machine *made = new machine;
    const uint64_t count = setting("CUDA_EMULATION_DEVICES", 1);
    if (count > most_devices)
        refuse("CUDA_EMULATION_DEVICES: at most %d devices", most_devices);
    const std::vector<std::string> names = split(std::getenv("CUDA_EMULATION_NAMES"));
    for (uint64_t i = 0; i < count; i++) {
        device one;
        char bus[32];
        // No address of a device that there may be: the driver's library would tell of that one.
        std::snprintf(bus, sizeof bus, "none:%02x:00.0", (unsigned)i + 1);
        one.name =
            names.empty() ? "Emulated device" : names[i < names.size() ? i : names.size() - 1];
        one.bus = bus;
        one.memory = setting("CUDA_EMULATION_MEMORY", 1ull << 30);
        one.others = setting("CUDA_EMULATION_OTHERS", 0);
        one.major = 8;
        made->devices.push_back(one);
    }
    made->peers = setting("CUDA_EMULATION_PEERS", 1) != 0;
    made->driver = setting("CUDA_EMULATION_DRIVER", CUDART_VERSION);
    for (const std::string &text : split(std::getenv("CUDA_EMULATION_FAIL")))
        made->failures.push_back(parse_failure(text));
    return made;
}

/* Never freed: fibers and static objects may still ask when the process ends. */
machine &the_machine()
{
    static machine *made = make_machine();
    return *made;
}

thread_local int current = 0;
thread_local cudaError_t last_error = cudaSuccess;

/* These answer where there is no driver or no device, too. */
bool needs_no_device(const char *call)
{
    return std::strcmp(call, "cudaDriverGetVersion") == 0 ||
           std::strcmp(call, "cudaRuntimeGetVersion") == 0;
}

/* These ask nothing of the device that is current. */
bool needs_no_context(const char *call)
{
    static const char *const calls[] = {"cudaGetDeviceCount",     "cudaSetDevice",
                                        "cudaGetDevice",          "cudaGetDeviceProperties",
                                        "cudaDeviceGetAttribute", "cudaDeviceGetPCIBusId"};
    for (const char *each : calls)
        if (std::strcmp(call, each) == 0)
            return true;
    return false;
}

} // namespace

uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = std::getenv(name);
    if (text == nullptr || *text == '\0')
        return otherwise;
    char *end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    const char *suffix = std::strchr("KMG", *end);
    if (end == text || (*end != '\0' && (suffix == nullptr || end[1] != '\0')))
        refuse("%s=%s: a number, and K, M or G behind it, was expected", name, text);
    const int shift = *end == '\0' ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
    return (uint64_t)value << shift;
}

std::recursive_mutex &guard()
{
    static std::recursive_mutex *lock = new std::recursive_mutex;
    return *lock;
}

int device_count()
{
    return (int)the_machine().devices.size();
}

device &device_at(int index)
{
    return the_machine().devices.at((size_t)index);
}

int current_device()
{
    return current;
}

cudaError_t enter(const char *call)
{
    machine &all = the_machine();
    all.calls[call]++;
    if (needs_no_device(call))
        return cudaSuccess;
    if (all.driver < CUDART_VERSION)
        return cudaErrorInsufficientDriver;
    if (all.devices.empty())
        return cudaErrorNoDevice;
    device &mine = all.devices[(size_t)current];
    for (failure &planned : all.failures) {
        if (planned.left == 0 || planned.call != call ||
            (planned.device >= 0 && planned.device != current) || --planned.left > 0)
            continue;
        if (planned.loses)
            mine.lost = planned.error;
        return planned.error;
    }
    return needs_no_context(call) ? cudaSuccess : mine.lost;
}

cudaError_t leave(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

} // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    const std::lock_guard<std::recursive_mutex> lock(guard());
    last_error = device_count() > 0 ? device_at(current).lost : cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    return api("cudaGetDeviceCount", [&] {
        *count = device_count();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    return api("cudaSetDevice", [&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        current = device;
        return device_at(device).lost;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return api("cudaGetDevice", [&] {
        *device = current;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return api("cudaDriverGetVersion", [&] {
        *version = (int)the_machine().driver;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    return api("cudaDeviceCanAccessPeer", [&] {
        if (device < 0 || device >= device_count() || peer < 0 || peer >= device_count())
            return cudaErrorInvalidDevice;
        *can = device != peer && the_machine().peers;
        return cudaSuccess;
    });
}

cudaError_t cuda_emulation_enter(const char *call)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    return enter(call);
}

uint64_t cuda_emulation_calls(const char *call)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    const auto found = the_machine().calls.find(call);
    return found == the_machine().calls.end() ? 0 : found->second;
}

void cuda_emulation_set_memory(int device, uint64_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    device_at(device).memory = bytes;
}

void cuda_emulation_set_others(int device, uint64_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    device_at(device).others = bytes;
}

void cuda_emulation_fail(int device, const char *call, uint64_t n, int error)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    the_machine().failures.push_back({device, call, n, (cudaError_t)error, false});
}

void cuda_emulation_lose(int device, cudaError_t error)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    device_at(device).lost = error;
}

void cuda_emulation_heal(void)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    the_machine().failures.clear();
    for (device &one : the_machine().devices)
        one.lost = cudaSuccess;
}

} // extern "C"
