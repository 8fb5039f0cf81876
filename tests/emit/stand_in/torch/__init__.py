"""As much of torch as templates/emit_evidence.py and the loops of its page touch, with an allocator that counts.

STAND_IN_DEVICE=cpu plays a machine without a GPU; else rank r has GPU r modulo STAND_IN_GPUS (8).
STAND_IN_FAIL="KIND@RANK:STEP" makes that rank fail in the forward pass of that optimizer step.
"""
import os
import signal

from . import cuda, version
from .tensors import Parameter, Tensor

__version__ = "0.stand_in"


class OutOfMemoryError(RuntimeError):
    pass


cuda.OutOfMemoryError = OutOfMemoryError
from . import distributed, nn, optim  # noqa: E402  (they look at the names above)


def fail_if_asked(step):
    kind, _, place = os.environ.get("STAND_IN_FAIL", "").partition("@")
    if place != "%s:%d" % (os.environ.get("RANK", "0"), step):
        return
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    errors = {"oom": OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
              "interrupt": KeyboardInterrupt(), "exit": SystemExit(3),
              "nccl": distributed.DistBackendError("NCCL communicator was aborted on rank 0"),
              "error": ValueError("cannot read /home/someone/secret/shard.bin from 10.0.0.7:5000")}
    raise errors[kind]
