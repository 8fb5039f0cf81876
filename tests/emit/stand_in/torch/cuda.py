"""One GPU a process. Numbers of bytes are exact, so that tests can foresee them."""
import collections
import os

_now, _peak, _reserved = 0, 0, 0
SYNCHRONIZED = []                       # a test counts them
MEMORY = 80 * 2**30
OTHERS = 3 * 2**20                      # what other processes use of the device
SEGMENT = 2**21                         # what the allocator takes at once from the device


def is_available():
    return os.environ.get("STAND_IN_DEVICE") != "cpu"


is_initialized = is_available


def allocate(count):
    global _now, _peak, _reserved
    _now += count
    _peak = max(_peak, _now)
    _reserved = max(_reserved, -(-_now // SEGMENT) * SEGMENT)


def synchronize():
    SYNCHRONIZED.append(1)


def set_device(device):
    pass


def current_device():
    return int(os.environ.get("LOCAL_RANK", 0)) % int(os.environ.get("STAND_IN_GPUS", 8))


def get_device_name(index):
    return "Stand-in GPU"


def get_device_properties(index):
    return collections.namedtuple("Properties", "total_memory uuid")(MEMORY, "uuid-%d" % index)


def reset_peak_memory_stats():
    global _peak
    _peak = _now


def max_memory_allocated():
    return _peak


def max_memory_reserved():
    return _reserved


def mem_get_info():
    return MEMORY - _reserved - OTHERS, MEMORY


class nccl:
    @staticmethod
    def version():
        return 2, 21, 5
