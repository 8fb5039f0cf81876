"""A process group without collectives: the template must never need one."""
import os

from . import distributed_c10d, fsdp  # noqa: F401

_there = False


class DistBackendError(RuntimeError):
    pass


def is_available():
    return True


def init_process_group(backend=None):
    global _there
    _there = True


def destroy_process_group():
    global _there
    _there = False


def is_initialized():
    return _there


def get_rank():
    return int(os.environ["RANK"])


def get_world_size():
    return int(os.environ["WORLD_SIZE"])


def get_backend():
    return "gloo" if os.environ.get("STAND_IN_DEVICE") == "cpu" else "nccl"
