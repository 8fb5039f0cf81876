#!/usr/bin/env python3
"""Writes rankledger evidence from a PyTorch DDP, FSDP or DeepSpeed training loop.

Copy this file beside your training program. It needs Python 3.8 and nothing else: torch is used only where
the program has imported it. templates/emit/README.md shows a loop of each kind.

    with emit_evidence.run(strategy="zero2", output="zero2.json", model=model, optimizer=optimizer,
                           workload={"model": "gpt2", "micro_batch": 8, "seq_len": 1024}) as evidence:
        for batch in batches:
            with evidence.step(tokens=8 * 1024):        # this rank's tokens of one optimizer step
                ...
                evidence.loss(loss)

Every rank calls it. Each keeps a journal in OUTPUT.ranks while it trains, and the rank that ends last joins them
into OUTPUT. If all of them were killed, `python emit_evidence.py merge OUTPUT.ranks` does so later. MIT licence.
"""
import argparse
import atexit
import collections
import contextlib
import datetime
import difflib
import functools
import glob
import hashlib
import json
import math
import os
import platform
import re
import socket
import statistics
import sys
import time
import zlib

__all__ = ["Evidence", "merge", "run", "start"]

VERSION = "1"
STRATEGIES = ("ddp", "zero1", "zero2", "zero3", "fsdp_full_shard")
LEVELS = ("predicted", "emulated_cuda", "single_gpu_shared", "imported_log", "published_report", "cpu_multi_process",
          "single_gpu", "real_multi_gpu_smoke", "real_multi_gpu_zero_stage")
COUNTS = ("parameters", "width", "layers", "heads", "vocab", "seq_len", "micro_batch", "gradient_accumulation",
          "global_batch", "world_size", "warmup", "repeats")      # of the workload
MIB = 1048576.0
POLL_S = 0.02           # how often a rank that waits looks for the others
LOST_PEER_S = 2.0       # a killed rank's connections close a moment before its process is seen to be gone
OUTSIDE = "%s() belongs inside the step: outside it is not told which step is meant"
STATE_STEPS = 20        # a loss scaler may skip the first optimizer steps, which make the optimizer's state


# ---- small helpers ----

def _warn(message):
    print("emit_evidence: " + message, file=sys.stderr)


def _one_of(value, allowed, what):
    if value in allowed:
        return value
    plain = re.sub(r"[^a-z0-9]", "", str(value).lower())
    near = {"fsdp": "fsdp_full_shard", "fsdp2": "fsdp_full_shard", "fullyshard": "fsdp_full_shard",
            "fullshard": "fsdp_full_shard", "distributeddataparallel": "ddp", "dp": "ddp"}.get(plain)
    plains = {re.sub(r"[^a-z0-9]", "", name): name for name in allowed}
    close = [near] if near in allowed else [plains[name] for name in difflib.get_close_matches(plain, plains, 1)]
    raise ValueError("%s %r is not known%s; it is one of %s" % (
        what, value, ", did you mean %r?" % close[0] if close else "", ", ".join(allowed)))


def _public(text):
    """A message of a library without what archives must not hold: paths, addresses, names of hosts and users."""
    text = re.sub(r"(?:~|\.{1,2})?(?:/[\w.+@-]+){2,}|[A-Za-z]:\\[^\s'\"]+", "[path]", " ".join(str(text).split()))
    text = re.sub(r"\[?(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4})\]?(?::\d+)?", "[address]",
                  text)
    for name, word in ((socket.gethostname(), "[host]"), (os.environ.get("USER", ""), "[user]")):
        if len(name) > 2:
            text = re.sub(r"\b%s\b" % re.escape(name), word, text)
    return text if len(text) <= 500 else text[:500] + " ..."


def _replace(path, text):
    """Writes beside the target, then renames: nobody ever reads half a file."""
    beside = "%s.%d.tmp" % (path, os.getpid())
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


@contextlib.contextmanager
def _locked(folder):
    """One rank at a time joins the journals, so that the last one to write has read them all."""
    handle = None
    try:
        import fcntl
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except (ImportError, OSError):
        pass        # without locks a join may miss what another rank writes at that moment
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


_said = set()


def _quietly(function):
    """Calls what looks into other libraries' objects: what it does not know is no reason to stop training."""
    try:
        return function()
    except Exception as error:
        message = "the training state could not be counted (%s: %s)" % (type(error).__name__, _public(error))
        if message not in _said:
            _warn(message)
        _said.add(message)
        return None


def _number(value):
    """A float of a number or a tensor of one element."""
    return float(value.detach() if hasattr(value, "detach") else value)


def _amounts(*values):
    """Of a step: None, or numbers from 0 on; whole ones as such."""
    told = [None if value is None else _number(value) for value in values]
    if any(value is not None and not 0 <= value < math.inf for value in told):
        raise ValueError("a step has amounts from 0 on, not %s" % ", ".join(map(str, told)))
    return [int(value) if value is not None and value.is_integer() else value for value in told]


# ---- what the program runs on ----

def _torch():
    return sys.modules.get("torch")


def _distributed():
    """torch.distributed where a process group is there, else None."""
    module = sys.modules.get("torch.distributed")
    try:
        return module if module is not None and module.is_available() and module.is_initialized() else None
    except Exception:  # a partly imported module
        return None


def _environment_number(*names):
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return None


def _ranks():
    """(rank, world size) by torch.distributed, else by the launcher's variables, else of a single process."""
    distributed = _distributed()
    if distributed is not None:
        return distributed.get_rank(), distributed.get_world_size()
    for rank, size in (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                       ("SLURM_PROCID", "SLURM_NTASKS")):
        found = _environment_number(rank), _environment_number(size)
        if None not in found:
            return found
    return 0, 1


def _one_host(world_size):
    """Whether the launcher says that all ranks run on this host."""
    local = _environment_number("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE")
    return local == world_size or _environment_number("SLURM_NNODES") == 1 or world_size == 1


def _store():
    """The key-value store that every process group has: unlike a collective, waiting on it can be given up."""
    distributed = _distributed()
    try:
        return distributed.distributed_c10d._get_default_store() if distributed is not None else None
    except Exception:  # not a public function: without it, ranks find each other by their files
        return None


def _host_key():
    """Tells hosts apart without naming them; it changes when the host is booted."""
    boot = ""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read()
    return hashlib.sha256((boot + socket.gethostname()).encode()).hexdigest()[:16]


def _process_space():
    """Where process ids can be looked up: containers of one host have their own."""
    space = ""
    with contextlib.suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return _host_key() + space


def _is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"     # a zombie has ended
    except (OSError, IndexError):
        pass
    if os.path.isdir("/proc/self"):
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _run_token(started):
    """The same text on every rank of a run and another one in the next run, so that old journals are told apart."""
    store, (rank, size) = _store(), _ranks()
    if size == 1:
        return "%x-%x" % (time.time_ns(), os.getpid())
    if store is not None:
        key = "emit_evidence/%d" % started
        try:
            if rank == 0:
                store.set(key, "%x-%x" % (time.time_ns(), os.getpid()))
            else:
                store.wait([key], datetime.timedelta(seconds=60))
            value = store.get(key)
            return value.decode() if isinstance(value, bytes) else str(value)
        except Exception as error:
            _warn("the process group's store does not answer (%s); going on by files" % _public(error))
    names = ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID",
             "SLURM_STEP_ID", "OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "WORLD_SIZE")
    told = [os.environ.get(name, "") for name in names] + [str(os.getppid() if _one_host(size) else 0), str(started)]
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:16]


class _Device:
    """The accelerator of this rank, as far as torch tells; `kind` None: not known yet; "cpu": none."""

    def __init__(self, kind=None):
        self.asked = kind

    def module(self):
        """torch.cuda (of ROCm, too) or the module that was asked for, once the program has used it."""
        torch, asked = _torch(), self.asked
        if torch is None or asked == "cpu":
            return None
        module = getattr(torch, asked or "cuda", None)
        try:
            return module if module is not None and module.is_initialized() else None
        except Exception:
            return None

    def call(self, name, *arguments):
        """None where there is no accelerator, or it does not tell that."""
        module = self.module()
        try:
            return getattr(module, name)(*arguments) if module is not None else None
        except Exception:
            return None

    def synchronize(self):
        module = self.module()
        if module is not None:
            module.synchronize()

    def used_bytes(self):
        told = self.call("mem_get_info")
        return told[1] - told[0] if told else None

    def identity(self):
        """What makes it this device and no other on its host, with what may be told of it."""
        if self.module() is None:
            return {"kind": "cpu", "name": _processor(), "sockets": _sockets(), "key": "cpu"}
        index = self.call("current_device")
        properties = self.call("get_device_properties", index)
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        place = visible[index].strip() if index is not None and index < len(visible) and visible[index] else str(index)
        told = {"kind": self.asked or "cuda", "name": self.call("get_device_name", index) or "unknown",
                "key": str(getattr(properties, "uuid", None) or _host_key() + " visible " + place)}
        memory = getattr(properties, "total_memory", None)
        if memory:
            told["memory_bytes"] = int(memory)
        return told


def _processor():
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown"


def _sockets():
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return len({line for line in file if line.startswith("physical id")}) or None
    return None


def _versions():
    """An allow-list: versions alone, no variables, hosts or paths."""
    torch, told = _torch(), {"python": platform.python_version(), "architecture": platform.machine()}
    if torch is not None:
        version = getattr(torch, "version", None)
        told.update(torch=str(getattr(torch, "__version__", "")), cuda=getattr(version, "cuda", None),
                    hip=getattr(version, "hip", None))
        with contextlib.suppress(Exception):
            told["cudnn"] = str(torch.backends.cudnn.version() or "")
        with contextlib.suppress(Exception):
            if "nccl" in str(_distributed().get_backend()):
                told["nccl"] = ".".join(str(part) for part in torch.cuda.nccl.version())
    if "deepspeed" in sys.modules:
        told["deepspeed"] = str(getattr(sys.modules["deepspeed"], "__version__", ""))
    with contextlib.suppress(Exception):
        backend = str(_distributed().get_backend())
        told["distributed_backend"] = backend if backend != "undefined" else str(_distributed().get_backend_config())
    return {name: value for name, value in told.items() if value}


# ---- training state: counted, never computed ----

def _local(tensor):
    """The part of a tensor that this rank holds: DeepSpeed's partition, a DTensor's shard, else all of it."""
    for name in ("ds_tensor", "_local_tensor"):
        part = getattr(tensor, name, None)
        if part is not None:
            return part
    return tensor


def _bytes(tensor):
    part = _local(tensor)
    return part.numel() * part.element_size()


def _whole_count(parameter):
    """Elements of the whole parameter, padding left out."""
    if getattr(parameter, "ds_numel", None) is not None:
        return int(parameter.ds_numel)
    unpadded = getattr(parameter, "_unpadded_unsharded_size", None)     # of FSDP's flat parameter
    return int(unpadded.numel() if unpadded is not None else parameter.numel())


def _parameters(model):
    """The tensors that hold the parameters, each once: FSDP's flat ones in place of the views into them."""
    flat = [getattr(module, "_flat_param", None) for module in model.modules()]
    held = {id(one): one for one in flat if one is not None}
    for one in model.parameters():
        if not held or not getattr(one, "_fsdp_flattened", False):
            held.setdefault(id(one), one)
    return list(held.values())


def _same(values):
    """The value that all have; None without any, or where they differ."""
    return values[0] if values and all(value == values[0] for value in values) else None


class _State:
    """Counts what a rank holds of parameters, gradients and optimizer state."""

    def __init__(self, model, optimizer):
        self.engine = model if hasattr(model, "zero_optimization_stage") else None
        self.model = model
        self.optimizer = optimizer if self.engine is None else getattr(model, "optimizer", optimizer)
        self.gradients = None       # bytes held just before the optimizer step, and bytes of one element
        self.hook = None
        with contextlib.suppress(Exception):
            self.hook = self.inner().register_step_pre_hook(lambda *_: _quietly(self.see_gradients))

    def inner(self):
        """The optimizer that holds the state: ZeroRedundancyOptimizer and DeepSpeed wrap one."""
        for name in ("optim", "optimizer"):
            wrapped = getattr(self.optimizer, name, None)
            if hasattr(wrapped, "state"):
                return wrapped
        return self.optimizer

    def check(self, strategy):
        """What runs must be what is said, where it can be seen."""
        kind = type(self.model).__name__
        ran = None
        if self.engine is not None:
            stage = int(self.engine.zero_optimization_stage())
            ran = "zero%d" % stage if stage else "ddp"
        elif any("FSDP" in base.__name__ or base.__name__ == "FullyShardedDataParallel"
                 for base in type(self.model).__mro__):
            ran = "fsdp_full_shard"
            sharding = str(getattr(self.model, "sharding_strategy", "FULL_SHARD"))
            if any(type(place).__name__ == "Replicate" for one in self.model.parameters()
                   for place in getattr(one, "placements", ())):
                sharding = "HYBRID_SHARD"
            if not sharding.endswith("FULL_SHARD"):
                raise ValueError("the model is sharded as %s: no strategy of the contract, which knows FULL_SHARD"
                                 % sharding)
        elif kind == "DistributedDataParallel":
            ran = "zero1" if type(self.optimizer).__name__ == "ZeroRedundancyOptimizer" else "ddp"
        if ran is not None and ran != strategy:
            raise ValueError("strategy %r is said, but the model runs %r: say what runs" % (strategy, ran))

    def see_gradients(self):
        held = [one.grad for one in _parameters(self.model) if getattr(one, "grad", None) is not None]
        if self.engine is not None:
            if not self.engine.is_gradient_accumulation_boundary():
                return
            for group in (getattr(self.optimizer, "averaged_gradients", None) or {}).values():
                held.extend(group if isinstance(group, (list, tuple)) else [group] if group is not None else [])
        if held and self.gradients is None:
            self.gradients = sum(_bytes(one) for one in held), _same([_local(one).element_size() for one in held])

    def masters(self):
        """DeepSpeed's partitions of the parameters that its optimizer works on, beside those of the model."""
        for name in ("single_partition_of_fp32_groups", "fp32_partitioned_groups_flat"):
            groups = getattr(self.optimizer, name, None)
            if groups:
                return list(groups)
        return []

    def state_of_element(self, tensors):
        """Bytes of optimizer state for one element; None where elements differ, or tensors have other shapes."""
        told = []
        for parameter, state in tensors.items():
            count = _local(parameter).numel()
            values = [_local(value) for value in state.values() if hasattr(value, "numel")] if hasattr(
                state, "values") else []
            values = [value for value in values if value.numel() > 1 or count == 1]     # not the step's number
            if count > 1 and any(value.numel() != count for value in values):
                return None
            if count > 1:
                told.append(sum(value.element_size() for value in values))
        masters = self.masters()
        master = _same([one.element_size() for one in masters]) if masters else 0
        one = _same(told)
        return None if one is None or master is None else one + master

    def measure(self):
        """None until the optimizer has made its state."""
        state = getattr(self.inner(), "state", None)
        if not state:
            return None
        held = _parameters(self.model)
        tensors = [value for one in state.values() if hasattr(one, "values") for value in one.values()
                   if hasattr(value, "numel")]
        optimizer = sum(_bytes(one) for one in tensors) + sum(_bytes(one) for one in self.masters())
        resident = {"parameters": sum(_bytes(one) for one in held), "optimizer_state": optimizer}
        element = {"parameters": _same([_local(one).element_size() for one in held]),
                   "optimizer": self.state_of_element(state)}
        if self.gradients is not None:
            resident["gradients"], element["gradients"] = self.gradients
        if self.hook is not None:
            self.hook.remove()
        places = {str(getattr(_local(one), "device", "")).partition(":")[0] for one in held + self.masters() + [
            value for value in tensors if value.numel() > 1]}
        if len(places) > 1 or not all(getattr(one, "requires_grad", True) for one in held):
            element = {}        # offloaded, or frozen in part: no number a parameter that the formulas could use
        return {"parameters": sum(_whole_count(one) for one in held), "resident": resident,
                "places": sorted(places), "state_bytes": {name: value for name, value in element.items()
                                                          if value is not None}}


# ---- journals: one a rank, a line an event ----

def _journal_path(folder, rank):
    # Not .json or .jsonl: those of a folder are evidence.
    return os.path.join(folder, "rank-%d.journal" % rank)


def _read_journal(path):
    """The rank's data, or None. The last line of a rank that was killed may be torn."""
    data = None
    try:
        with open(path, encoding="utf-8") as file:
            for text in file:
                line = json.loads(text)
                if "open" in line:
                    data = dict(line["open"], steps=[])
                elif "step" in line:
                    data["steps"].append(line["step"])
                else:
                    data.update(line)
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    return data


def _read_folder(folder, token=None):
    """{rank: data} of one run; without a token the run that started last."""
    found = [data for data in map(_read_journal, glob.glob(os.path.join(glob.escape(folder), "rank-*.journal")))
             if data is not None]
    if token is None and found:
        token = max(found, key=lambda data: data["started"])["token"]
    return {data["rank"]: data for data in found if data["token"] == token}


def _is_open(data):
    return "end" not in data and "failure" not in data


def _is_lost(data):
    """Not ended, and its process is gone."""
    return _is_open(data) and data["process_space"] == _process_space() and not _is_alive(data["pid"])


# ---- from the ranks' data to a record ----

STEP = collections.namedtuple("STEP", "ms tokens samples micro_batches exposed_ms loss grad_norm")


def _kind_of(error, phase):
    """The collector's word for what went wrong, by the names and texts of torch's exceptions; None: another."""
    chain = [error, error.__cause__, error.__context__]
    names = {base.__name__ for one in chain if one is not None for base in type(one).__mro__}
    text = str(error)
    if "OutOfMemoryError" in names or "MemoryError" in names or re.search(
            r"out of memory|CUBLAS_STATUS_ALLOC_FAILED|can't allocate memory", text, re.I):
        return "out_of_memory"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, FloatingPointError):
        return "non_finite"
    if any(name.startswith("Dist") and name.endswith("Error") for name in names) or isinstance(
            error, ConnectionError) or re.search(r"\bNCCL\b|gloo|ProcessGroup|connection (?:closed|reset)", text, re.I):
        return "timeout" if re.search(r"timed? ?out", text, re.I) else "communication"
    return "checkpoint" if phase.startswith("checkpoint") else None


def _describe(error, rank, step, phase):
    name = type(error).__name__
    kind, text = _kind_of(error, phase), _public(error)
    reasons = {"out_of_memory": "out of memory in %s of step %d" % (phase, step),
               "interrupted": "interrupted in step %d" % step}
    if isinstance(error, SystemExit):
        return {"rank": rank, "step": step, "phase": phase,
                "reason": "the program left with exit status %s in step %d" % (_public(error.code), step)}
    told = {"kind": kind, "rank": rank, "step": step, "phase": phase, "detail": (name + ": " + text) if text else name,
            "reason": reasons.get(kind, "%s in %s of step %d" % (name, phase, step))}
    return {name: value for name, value in told.items() if value is not None}


def _lost(rank, data, seen_by=None):
    reason = "rank %d ended without a word after %d steps: it was killed, or it left without finish()" % (
        rank, len(data["steps"]))
    told = {"kind": "rank_lost", "rank": rank, "step": len(data["steps"]), "reason": reason}
    if seen_by is not None:
        told["detail"] = "rank %d then saw: %s" % (seen_by["rank"], seen_by.get("detail", seen_by["reason"]))
    return told


def _non_finite(ranks):
    """A loss that never became finite again. A lone one may be a step that a loss scaler skipped."""
    for rank, data in sorted(ranks.items()):
        losses = [STEP(*step).loss for step in data["steps"]]
        finite = [loss is None or math.isfinite(loss) for loss in losses]
        if finite and not finite[-1]:
            first = len(finite) - finite[::-1].index(True) if True in finite else 0
            return {"kind": "non_finite", "rank": rank, "step": first,
                    "reason": "the loss of step %d and of all steps after it is not finite" % first}
    return None


def _failure_of(ranks, world_size):
    """What went wrong first: what a rank did itself comes before what others saw of it."""
    failures = sorted((data["failure"] for data in ranks.values() if "failure" in data),
                      key=lambda one: one["at"])
    effects = [one for one in failures if one.get("kind") in ("communication", "timeout")]
    causes = [one for one in failures if one not in effects]
    lost = [rank for rank, data in sorted(ranks.items()) if _is_lost(data)]
    missing = sorted(set(range(world_size)) - set(ranks))
    if causes:
        return causes[0]
    if lost:
        return _lost(lost[0], ranks[lost[0]], effects[0] if effects else None)
    if effects:
        return effects[0]
    if missing:
        return {"kind": "launch", "rank": missing[0],
                "reason": "nothing came from rank %s: every rank must call start() and finish(), on several hosts "
                          "before the process group is destroyed" % ", ".join(map(str, missing))}
    open_ranks = [rank for rank, data in sorted(ranks.items()) if "end" not in data]
    if open_ranks:
        return _lost(open_ranks[0], ranks[open_ranks[0]])
    if not any(len(data["steps"]) > data["warmup"] for data in ranks.values()):
        return {"reason": "nothing was measured: %d steps ran, and the first %d are warm-up"
                % (min(len(data["steps"]) for data in ranks.values()), min(d["warmup"] for d in ranks.values()))}
    return _non_finite(ranks)


def _columns(ranks, name, first=0, steps=None):
    """[rank][step] of one number of the steps."""
    place = STEP._fields.index(name)
    return [[step[place] for step in data["steps"][first:steps]] for _, data in sorted(ranks.items())]


def _is_told(columns):
    return bool(columns) and bool(columns[0]) and all(value is not None for row in columns for value in row)


def _of_batch(ranks, name, steps):
    """A number per step over the global batch: the mean of the ranks, each weighing as many tokens as it saw."""
    values = _columns(ranks, name, 0, steps)
    if not _is_told(values):
        return None
    weights = _columns(ranks, "tokens", 0, steps)
    if not _is_told(weights):
        weights = [[1] * len(row) for row in values]
    series = []
    for of_step, weight in zip(zip(*values), zip(*weights)):
        one = _same(list(of_step))
        if one is None:
            one = math.fsum(v * w for v, w in zip(of_step, weight)) / max(math.fsum(weight), 1)
        series.append(one if math.isfinite(one) else None)
    return series


class _Record:
    """Puts the document together. Each part is left out where a rank does not tell it."""

    def __init__(self, ranks):
        first = ranks[min(ranks)]
        self.ranks, self.first, self.size = ranks, first, first["world_size"]
        self.failure = _failure_of(ranks, self.size)
        self.warmup = first["warmup"]
        self.all = len(ranks) == self.size
        counts = [len(data["steps"]) for data in ranks.values()]
        self.steps = min(counts) if self.all else 0     # that every rank has done
        self.warnings = []
        for name in ("strategy", "workload"):
            if _same([data[name] for data in ranks.values()]) is None:
                self.warnings.append("the ranks were given different values of %s: rank %d's are taken"
                                     % (name, min(ranks)))
        if max(counts) != min(counts) and self.failure is None:
            self.warnings.append("the ranks did %d to %d steps: only the first %d count"
                                 % (min(counts), max(counts), self.steps))
        self.workload, self.metrics = dict(first["workload"]), {}

    def measured(self, name):
        return _columns(self.ranks, name, self.warmup, self.steps)

    def agreed(self, name, key=None):
        """What every rank counted alike."""
        found = [data.get("state", {}).get(name) for data in self.ranks.values()]
        return _same([(one or {}).get(key) if key else one for one in found]) if self.all else None

    def say(self, name, seen, given_wins=False):
        """What ran is recorded, not what was asked for, and a difference is told."""
        given = self.workload.get(name)
        if seen is None or seen == given:
            return
        if given is not None:
            self.warnings.append("workload.%s is given as %s, and %s was seen" % (name, given, seen))
        if given is None or not given_wins:
            self.workload[name] = seen

    def tell_workload(self):
        work = self.workload
        work["world_size"] = self.size
        self.say("warmup", min(self.warmup, self.steps))
        self.say("repeats", max(self.steps - self.warmup, 0))
        self.say("parameters", self.agreed("parameters"), given_wins=True)
        micro = _columns(self.ranks, "micro_batches", 0, self.steps)
        if self.all and _is_told(micro):
            self.say("gradient_accumulation", _same([value for row in micro for value in row]))
        samples = _columns(self.ranks, "samples", 0, self.steps)
        if self.all and _is_told(samples):
            self.say("global_batch", _same([sum(column) for column in zip(*samples)]))
        elif work.get("global_batch") is None and work.get("micro_batch") is not None:
            work["global_batch"] = work["micro_batch"] * (work.get("gradient_accumulation") or 1) * self.size
        places = self.agreed("places") or []
        if len(places) > 1:
            self.warnings.append("training state lies in %s (offloaded): state_bytes is left out, and the residents "
                                 "are of both" % " and ".join(places))
        state = {name: self.agreed("state_bytes", name) for name in ("parameters", "gradients", "optimizer")}
        if work.get("state_bytes") is None and None not in state.values():
            work["state_bytes"] = state

    def work_of_step(self):
        """(amount, unit) of an optimizer step over all ranks; None: not told."""
        for name, unit in (("tokens", "tokens/s"), ("samples", "samples/s")):
            columns = self.measured(name)
            if _is_told(columns):
                return statistics.mean(sum(column) for column in zip(*columns)), unit
            if name == "tokens" and self.workload.get("global_batch") and self.workload.get("seq_len"):
                return self.workload["global_batch"] * self.workload["seq_len"], unit
        return None

    def check_tokens(self, work):
        batch, length = self.workload.get("global_batch"), self.workload.get("seq_len")
        if not batch or not length or work is None or work[1] != "tokens/s":
            return
        ratio = work[0] / (batch * length)
        if abs(ratio - 1) > 0.02:
            self.warnings.append("%g tokens a step were told, but global_batch %g times seq_len %g is %g times as "
                                 "much: tokens= are one rank's of one optimizer step"
                                 % (work[0], batch, length, 1 / ratio))

    def tell_times(self):
        rows = [self.ranks[rank]["steps"][self.warmup:] if rank in self.ranks else [] for rank in range(self.size)]
        if self.failure is None:
            rows = [row[:self.steps - self.warmup] for row in rows]
        if any(rows):
            self.metrics["step_times_ms"] = [[step[0] for step in row] for row in rows]
        times = self.measured("ms")
        if not self.all or not times or not times[0]:
            return
        slowest = [max(column) for column in zip(*times)]
        self.metrics["step_time_ms"] = statistics.median(slowest)
        work = self.work_of_step()
        self.check_tokens(work)
        if work is not None:
            self.metrics["throughput"] = work[0] / self.metrics["step_time_ms"] * 1e3
            self.metrics["throughput_unit"] = work[1]
        exposed = self.measured("exposed_ms")
        if _is_told(exposed) and self.size > 1:
            shares = [max(e / t for e, t in zip(*column)) for column in zip(zip(*exposed), zip(*times))]
            self.metrics["communication_ratio"] = min(statistics.median(shares), 1.0)

    def tell_series(self):
        for name, field in (("loss", "losses"), ("grad_norm", "grad_norms")):
            series = _of_batch(self.ranks, name, self.steps) if self.all else None
            if series is None:
                continue
            if any(value is not None and value < 0 for value in series):
                self.warnings.append("%s below zero cannot be told and are left out" % field)
                continue
            if None in series:
                self.warnings.append("%s of %d steps are not finite, the first of step %d"
                                     % (field, series.count(None), series.index(None)))
            self.metrics[field] = series

    def peaks(self, key, checkpoint=False):
        """Bytes, one a rank; None where one does not tell it."""
        told = []
        for _, data in sorted(self.ranks.items()):
            values = [peak[key] for name, peak in data.get("phases", {}).items()
                      if name.startswith("checkpoint") == checkpoint and peak.get(key)]
            told.append(max(values) if values else None)
        return told if self.all and told and None not in told else None

    def tell_peaks(self):
        """Once every rank has done a step: what was live before says nothing of training."""
        allocated, reserved = self.peaks("allocated"), self.peaks("reserved")
        device = [data.get("device_bytes") for _, data in sorted(self.ranks.items())]
        if self.steps == 0 or allocated is None:
            return
        self.metrics["peak_memory_mb_per_rank"] = [value / MIB for value in allocated]
        self.metrics["peak_memory_mb"] = max(allocated) / MIB
        self.metrics["memory_kind"] = "allocated"
        if reserved is not None:
            self.metrics["peak_reserved_mb"] = max(reserved) / MIB
        if None not in device and not self.shared():
            self.metrics["peak_device_mb"] = max(device) / MIB
        checkpoint = self.peaks("allocated", checkpoint=True)
        if checkpoint is not None:
            self.metrics["checkpoint_peak_memory_mb"] = max(checkpoint) / MIB

    def memory(self):
        per_rank = []
        for rank in range(self.size):
            data = self.ranks.get(rank, {})
            phases = [{"phase": name, "peak_bytes": peak["allocated"], "reserved_bytes": peak.get("reserved")}
                      for name, peak in data.get("phases", {}).items() if peak.get("allocated")]
            told = {"rank": rank, "phases": phases, "resident": data.get("state", {}).get("resident"),
                    "process_peak_bytes": data.get("process_bytes"), "device_peak_bytes": data.get("device_bytes")}
            per_rank.append({name: value for name, value in told.items() if value})
            per_rank[-1]["rank"] = rank
        return {"per_rank": per_rank}

    def devices(self):
        return [data["device"] for _, data in sorted(self.ranks.items()) if data.get("device")]

    def shared(self):
        """Whether several ranks use one accelerator."""
        keys = [device["key"] for device in self.devices() if device["kind"] != "cpu"]
        return len(set(keys)) < len(keys)

    def level(self):
        if self.first.get("evidence_level"):
            return self.first["evidence_level"]
        if any(device["kind"] == "cpu" for device in self.devices()) or not self.devices():
            return "cpu_multi_process"
        if self.shared():
            return "single_gpu_shared"
        return "single_gpu" if self.size == 1 else "real_multi_gpu_zero_stage"

    def hardware(self):
        hosts = list(dict.fromkeys(data["host"] for _, data in sorted(self.ranks.items())))
        names = list(dict.fromkeys(device["name"] for device in self.devices()))
        gpus = {device["key"] for device in self.devices() if device["kind"] != "cpu"}
        sockets = {data["host"]: data["device"].get("sockets") for data in self.ranks.values() if data.get("device")}
        told = {"device": names[0] if len(names) == 1 else ", ".join(names) or "unknown", "hosts": len(hosts),
                "ranks_per_host": [sum(data["host"] == host for data in self.ranks.values()) for host in hosts]}
        if gpus:
            told["device_count"] = len(gpus)
        elif sockets and None not in sockets.values():
            told["device_count"] = sum(sockets.values())
        told.update(self.first.get("hardware", {}))
        return told

    def checkpoints(self):
        """The slowest save and restore of each kind, over ranks and repeats."""
        rows = {}
        for data in self.ranks.values():
            for action, kind, ms in data.get("checkpoints", []):
                row = rows.setdefault(kind, {"kind": kind})
                row[action + "_ms"] = max(row.get(action + "_ms", 0), ms)
        return [rows[kind] for kind in sorted(rows)]

    def document(self):
        self.tell_workload()
        self.tell_times()
        self.tell_series()
        self.tell_peaks()
        options = dict(self.first.get("strategy_options", {}))
        if self.size == 1:
            options["sharding_exercised"] = False
        failure = self.failure and {name: value for name, value in self.failure.items() if name != "at"}
        return {"strategy": self.first["strategy"], "workload": self.workload, "hardware": self.hardware(),
                "metrics": self.metrics, "evidence_level": self.level(), "failure": failure,
                "decision": "failed" if failure else "measured", "memory": self.memory(),
                "checkpoint": self.checkpoints(), "strategy_options": options, "warnings": self.warnings,
                "timing": {"clock": "monotonic", "of": self.first["timing"]},
                "environment": self.first.get("versions", {}),
                "producer": {"name": "emit_evidence", "version": VERSION, "run": self.first["token"],
                             "started_utc": self.first["started_utc"]}}


def _run_of(output):
    """The token of the run that wrote this record; None: not one of these."""
    try:
        with open(output, encoding="utf-8") as file:
            return json.load(file)["producer"]["run"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _join(ranks, output):
    """Writes the record; tells whether the run failed."""
    document = _Record(ranks).document()
    for text in document["warnings"]:
        _warn("%s: %s" % (os.path.basename(output), text))
    _replace(output, json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n")
    return document["failure"] is not None


# ---- what a training loop calls ----

_open = []          # evidence that has not ended: what the end of the program looks at
_started = 0        # which start() of the process: the same number on every rank


def _check_given(workload, hardware, strategy_options):
    """Fails now, not after hours of training."""
    for name, value in (("workload", workload), ("hardware", hardware), ("strategy_options", strategy_options)):
        if not isinstance(value, (dict, type(None))):
            raise ValueError("%s is a dict, not %r" % (name, value))
        json.dumps(value, allow_nan=False)
    for name in COUNTS:
        value = (workload or {}).get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ValueError("workload's %s is a whole number, not %r" % (name, value))
    if not isinstance((workload or {}).get("state_bytes"), (dict, type(None))):
        raise ValueError("workload's state_bytes is a dict of parameters, gradients and optimizer")


class Evidence:
    """One strategy's run, seen by one rank. start() and run() make it; see templates/emit/README.md."""

    def __init__(self, strategy, output, workload=None, *, model=None, optimizer=None, warmup=2, hardware=None,
                 strategy_options=None, evidence_level=None, device=None, overwrite=False, wait_s=60.0):
        global _started
        _one_of(strategy, STRATEGIES, "strategy")
        if evidence_level is not None:
            _one_of(evidence_level, LEVELS, "evidence_level")
        if isinstance(warmup, bool) or not isinstance(warmup, int) or warmup < 0:
            raise ValueError("warmup is a number of steps, not %r" % (warmup,))
        _check_given(workload, hardware, strategy_options)
        self.output, self.folder = os.path.abspath(output), os.path.abspath(output) + ".ranks"
        if any(other.output == self.output for other in _open):
            raise ValueError("%s is being written already: finish() first" % output)
        self.state = None
        self.strategy, self.wait_s = strategy, wait_s
        self.rank, self.world_size = _ranks()
        self.device = _Device(device)
        self.warmup, self.steps, self.changes = warmup, 0, {}
        self.phases, self.checkpoints, self.current = {}, [], "init"
        self.values, self.began, self.inside, self.unused, self.paused = {}, None, False, None, 0.0
        self.ended = self.journal_failed = False
        if model is not None:
            self.watch(model, optimizer)
        _started += 1
        self.number, self.token = _started, _run_token(_started)
        # Another rank of this run may have failed and told so before this one came here.
        if os.path.exists(self.output) and not overwrite and _run_of(self.output) != self.token:
            raise FileExistsError("%s exists: name another output, or say overwrite=True" % output)
        now = time.time()
        self.data = {"rank": self.rank, "world_size": self.world_size, "token": self.token, "pid": os.getpid(),
                     "host": _host_key(), "process_space": _process_space(), "started": now, "strategy": strategy,
                     "warmup": warmup,
                     "started_utc": datetime.datetime.fromtimestamp(now, datetime.timezone.utc).strftime(
                         "%Y-%m-%dT%H:%M:%SZ"),
                     "workload": dict(workload or {}), "hardware": dict(hardware or {}),
                     "strategy_options": dict(strategy_options or {}), "evidence_level": evidence_level,
                     "timing": "with evidence.step()"}
        self.open_journal()
        self.device.call("reset_peak_memory_stats")
        _open.append(self)
        _watch_the_end()

    # -- journal --

    def open_journal(self):
        os.makedirs(self.folder, exist_ok=True)
        path = _journal_path(self.folder, self.rank)
        _replace(path, json.dumps({"open": self.data}) + "\n")
        self.journal = open(path, "a", encoding="utf-8")
        self.kept = dict(self.data, steps=[])

    def write(self, line):
        """Kept in memory and, line by line, where the end of this process does not reach it."""
        if "step" in line:
            self.kept["steps"].append(line["step"])
        else:
            self.kept.update(line)
        try:
            if not self.journal_failed:
                self.journal.write(json.dumps(line, separators=(",", ":")) + "\n")
                self.journal.flush()
        except OSError as error:        # a full disk is no reason to stop training
            self.journal_failed = True
            _warn("the journal of rank %d cannot be written (%s): if the run is killed, its steps are lost"
                  % (self.rank, error.strerror))

    def write_changes(self):
        if self.changes:
            self.write(self.changes)
            self.changes = {}

    # -- state and phases --

    def watch(self, model, optimizer=None):
        """Counts the training state that this rank holds; `model` as it trains (wrapped), or a DeepSpeed engine."""
        self.state = _State(model, optimizer)
        self.state.check(self.strategy)

    def close_phase(self):
        """Takes the peaks since the phase began."""
        if self.current is None:
            return
        peak = {"allocated": self.device.call("max_memory_allocated"),
                "reserved": self.device.call("max_memory_reserved")}
        if peak["allocated"]:
            before = self.phases.get(self.current, {})
            merged = {key: max(value or 0, before.get(key, 0)) for key, value in peak.items()}
            if merged != before:
                self.phases[self.current] = merged
                self.changes["phases"] = self.phases

    def open_phase(self, name):
        if name == self.current:
            return
        self.close_phase()
        self.device.call("reset_peak_memory_stats")
        self.current = name

    @contextlib.contextmanager
    def _until_closed(self):
        yield
        self.open_phase("step")

    def phase(self, name):
        """From here on it is "forward", "backward", "optimizer" or another word, until the next or the step's end."""
        if not isinstance(name, str) or not re.match(r"[a-z][a-z0-9_]{0,39}$", name) or name.startswith("checkpoint"):
            raise ValueError("a phase is a word of small letters, not %r (checkpoints: see checkpoint())" % (name,))
        if name == "optimizer" and self.state is not None:
            _quietly(self.state.see_gradients)
        self.open_phase(name)
        return self._until_closed()

    @contextlib.contextmanager
    def pause(self, phase=None):
        """For evaluation and the like: neither its time nor its memory counts."""
        self.device.synchronize()       # what was put on the device before is the step's
        before, began = self.current, time.perf_counter()
        self.open_phase(phase)
        try:
            yield
            self.device.synchronize()
            self.open_phase(before)
        finally:
            self.paused += (time.perf_counter() - began) * 1e3

    @contextlib.contextmanager
    def checkpoint(self, action="save", kind="full"):
        """Around saving or restoring a checkpoint: time and memory are told apart from training's."""
        _one_of(action, ("save", "restore"), "checkpoint")
        _one_of(kind, ("full", "sharded"), "kind of checkpoint")
        with self.pause("checkpoint_" + action):
            began = time.perf_counter()
            yield
            self.device.synchronize()
            ms = (time.perf_counter() - began) * 1e3
        self.checkpoints.append([action, kind, ms])
        self.changes["checkpoints"] = self.checkpoints
        self.write_changes()

    # -- steps --

    def check_ranks(self):
        """start() before the process group was there may have seen another world than the run's."""
        if self.steps == 0 and (self.rank, self.world_size) != _ranks():
            raise RuntimeError("start() saw rank %d of %d, and now it is rank %d of %d: call start() after "
                               "init_process_group()" % ((self.rank, self.world_size) + _ranks()))

    def begin(self):
        self.paused = 0.0
        self.device.synchronize()
        self.began = time.perf_counter()

    @contextlib.contextmanager
    def _step(self, numbers):
        self.unused = None
        self.check_ranks()
        if self.values:
            raise RuntimeError(OUTSIDE % next(iter(self.values)))
        self.open_phase("step")
        self.begin()
        self.inside = True
        try:
            yield self
        except BaseException:       # a step that did not get through counts nowhere
            self.inside, self.values = False, {}
            raise
        self.end_step(numbers)
        self.inside = False
        self.open_phase("between_steps")

    def step(self, tokens=None, *, samples=None, micro_batches=None, exposed_ms=None):
        """`with evidence.step(...):` around one optimizer step, all its micro-batches included.

        tokens, samples: what this rank trains on in the step. micro_batches: how many it is split into.
        exposed_ms: if you measure it, how long computing stood still for communication."""
        if self.unused is not None:
            raise RuntimeError("step() is for `with evidence.step():`; at the end of a step call step_done()")
        self.unused = self._step(_amounts(tokens, samples, micro_batches, exposed_ms))
        return self.unused

    def step_done(self, tokens=None, *, samples=None, micro_batches=None, exposed_ms=None):
        """At the end of each optimizer step, in a loop that cannot be indented: the time is that since the last call.

        What lies before the first call is no step's time: that step is warm-up at least."""
        self.check_ranks()
        if self.steps == 0:
            self.warmup = max(self.warmup, 1)
            self.changes.update(warmup=self.warmup, timing="from step_done() to step_done()")
        if self.began is None:
            self.began = time.perf_counter()
        self.inside = True
        self.end_step(_amounts(tokens, samples, micro_batches, exposed_ms))
        self.open_phase("step")
        self.begin()

    def end_step(self, numbers):
        self.device.synchronize()
        ms = max((time.perf_counter() - self.began) * 1e3 - self.paused, 1e-6)
        values = [statistics.fmean(_number(one) for one in self.values[name]) if name in self.values else None
                  for name in ("loss", "grad_norm")]
        self.values = {}
        self.close_phase()
        self.device.call("reset_peak_memory_stats")
        if self.device.module() is not None:
            used = self.device.used_bytes()
            if used is not None and used > self.kept.get("device_bytes", 0):
                self.changes["device_bytes"] = used
        if self.steps == 0:
            self.changes.update(device=self.device.identity(), versions=_versions())
        if self.state is not None and self.steps < STATE_STEPS and "state" not in self.kept:
            told = _quietly(self.state.measure)
            if told is not None:
                self.changes["state"] = told
        self.write_changes()
        self.write({"step": [round(ms, 6)] + numbers + values})
        self.steps += 1

    def loss(self, value):
        """The loss of this step, or of one of its micro-batches; a number, or a tensor that is read after the step."""
        self.take("loss", value)

    def grad_norm(self, value):
        """The norm of the whole gradient before clipping, as clip_grad_norm_() returns it."""
        self.take("grad_norm", value)

    def take(self, name, value):
        if not self.inside and self.began is not None:
            raise RuntimeError(OUTSIDE % name)
        self.values.setdefault(name, []).append(value.detach() if hasattr(value, "detach") else value)

    # -- the end --

    def close(self, line):
        """The last line. False: it was written before."""
        if self.ended:
            return False
        self.ended = True
        if self in _open:
            _open.remove(self)
        with contextlib.suppress(Exception):    # after a failure the device may not answer
            self.close_phase()
        if self.steps == 0:
            with contextlib.suppress(Exception):
                self.changes.update(device=self.device.identity(), versions=_versions())
        with contextlib.suppress(ImportError, ValueError):
            import resource
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            self.changes["process_bytes"] = peak * (1 if sys.platform == "darwin" else 1024)
        self.write_changes()
        self.write(line)
        with contextlib.suppress(OSError):
            self.journal.close()
        return True

    def finish(self):
        """After the last step, on every rank. Rank 0 returns when the record is there. A second call does nothing."""
        if self.close({"end": time.time()}):
            try:
                self.deliver()
            except Exception as error:      # the training is done, and what it measured is in the journals
                _warn("%s cannot be written (%s: %s); `emit_evidence.py merge %s --output FILE` does so elsewhere"
                      % (self.output, type(error).__name__, getattr(error, "strerror", error), self.folder))
        return self.output

    def failed(self, error, kind=None):
        """Ends the record as failed, with an exception or a sentence; run() calls it by itself."""
        if isinstance(error, BaseException):
            told = _describe(error, self.rank, self.steps, self.current or "pause")
        else:
            told = {"reason": _public(error), "rank": self.rank, "step": self.steps}
        if kind is not None:
            told["kind"] = kind
        with contextlib.suppress(Exception):
            memory = self.device.identity().get("memory_bytes")
            if told.get("kind") == "out_of_memory" and memory:
                told["limit_bytes"] = memory
        if not self.close({"failure": dict(told, at=time.time())}):
            return self.output
        try:
            if told.get("kind") in ("communication", "timeout"):
                self.wait_for_cause()
            with _locked(self.folder):
                _join(self.everyone(), self.output)
        except Exception as problem:    # the failure that is being told matters more
            _warn("no record could be written: %r" % problem)
        return self.output

    def everyone(self):
        """All that is known here. No collective is called, which would hang where a rank has failed."""
        ranks = _read_folder(self.folder, self.token)
        ranks[self.rank] = self.kept
        return ranks

    def wait_for_cause(self):
        """A broken connection is what a rank sees of another's end, a moment before that can be told."""
        until = time.monotonic() + LOST_PEER_S
        while time.monotonic() < until:
            others = [data for rank, data in self.everyone().items() if rank != self.rank]
            if any("failure" in data or _is_lost(data) for data in others) or (
                    len(others) == self.world_size - 1 and all("end" in data for data in others)):
                return
            time.sleep(POLL_S)

    def deliver(self):
        store = None if _one_host(self.world_size) else _store()
        key = "emit_evidence/%d/" % self.number
        if store is not None and self.rank != 0:
            with contextlib.suppress(Exception):
                store.set(key + str(self.rank), zlib.compress(json.dumps(self.kept).encode()))
        if self.rank == 0:
            self.wait_for_all(store, key)
        else:
            self.join_if_last()

    def join_if_last(self):
        """True if the record is there."""
        with _locked(self.folder):
            if not os.path.exists(_journal_path(self.folder, self.rank)):
                return True     # another rank was the last and has tidied up
            ranks = self.everyone()
            some_failed = any("failure" in data or _is_lost(data) for data in ranks.values())
            if not some_failed and (len(ranks) < self.world_size or any("end" not in d for d in ranks.values())):
                return False
            if not _join(ranks, self.output) or not some_failed:
                self.tidy()
            return True

    def tidy(self):
        for path in glob.glob(os.path.join(glob.escape(self.folder), "rank-*.journal")):
            with contextlib.suppress(OSError):
                os.unlink(path)
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)

    def from_store(self, store, key):
        found = {}
        for rank in range(1, self.world_size) if store is not None else ():
            with contextlib.suppress(Exception):
                if store.check([key + str(rank)]):
                    found[rank] = json.loads(zlib.decompress(store.get(key + str(rank))))
        return found

    def wait_for_all(self, store, key):
        until, pause = time.monotonic() + self.wait_s, POLL_S
        while not self.join_if_last():
            ranks = self.from_store(store, key)
            ranks[0] = self.kept
            if len(ranks) == self.world_size:
                with _locked(self.folder):
                    _join(ranks, self.output)
                    self.tidy()
                return
            if time.monotonic() > until:
                ranks.update(self.everyone())
                self.give_up(ranks)
                return
            time.sleep(pause)
            pause = min(pause * 1.5, 0.5)

    def give_up(self, ranks):
        running = [rank for rank, data in sorted(ranks.items()) if "end" not in data]
        if running and len(ranks) == self.world_size:
            _warn("rank %s has not called finish() yet: the last rank to do so writes %s"
                  % (", ".join(map(str, running)), os.path.basename(self.output)))
            return
        with _locked(self.folder):
            _join(ranks, self.output)


def start(strategy, output, workload=None, **options):
    """Begins the record of a run, on every rank, after init_process_group(). Ends with finish()."""
    return Evidence(strategy, output, workload, **options)


class run:
    """`with run(...) as evidence:`, or `@run(...)` before a function, which then gets `evidence=`.

    An exception is recorded with its kind, rank, step and phase, and goes on."""

    def __init__(self, strategy, output, workload=None, **options):
        self.arguments, self.options = (strategy, output, workload), options
        self.evidence = None

    def __enter__(self):
        self.evidence = Evidence(*self.arguments, **self.options)
        return self.evidence

    def __exit__(self, kind, error, trace):
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            self.evidence.finish()
        else:
            self.evidence.failed(error)
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def recorded(*arguments, **named):
            with run(*self.arguments, **self.options) as evidence:
                return function(*arguments, evidence=evidence, **named)
        return recorded


# ---- the end of a program that did not call finish() ----

_watching = set()


def _own_open():
    """Not those that a forked child has from its parent, who goes on with them."""
    return [evidence for evidence in _open if evidence.data["pid"] == os.getpid()]


def _left_open():
    error = sys.exc_info()[1]       # set where multiprocessing ends a child that raised
    for evidence in _own_open():
        if error is not None and not (isinstance(error, SystemExit) and error.code in (None, 0)):
            evidence.failed(error)
        else:
            evidence.failed("the program ended without finish() after %d steps" % evidence.steps, "interrupted")


def _excepthook(previous, kind, error, trace):
    for evidence in _own_open():
        evidence.failed(error)
    previous(kind, error, trace)


def _watch_the_end():
    if os.getpid() in _watching:
        return
    _watching.add(os.getpid())
    atexit.register(_left_open)
    sys.excepthook = functools.partial(_excepthook, sys.excepthook)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:        # its children end without atexit
        util.Finalize(None, _left_open, exitpriority=10)


# ---- joining journals later ----

def merge(folder, output=None, overwrite=False):
    """Joins the journals of a run whose ranks could not. Returns 0; 1: of a failed run; 3: nothing to join."""
    output = output or re.sub(r"\.ranks/*$", "", folder)
    ranks = _read_folder(folder)
    running = [rank for rank, data in sorted(ranks.items())
               if _is_open(data) and data["process_space"] == _process_space() and _is_alive(data["pid"])]
    if not ranks:
        _warn("%s has no journal: it should have files rank-0.journal, rank-1.journal, ..." % folder)
    elif running:
        _warn("rank %s is still running" % ", ".join(map(str, running)))
    elif os.path.isdir(output) or (os.path.exists(output) and not overwrite):
        _warn("%s exists: name another with --output, or say --overwrite" % output)
        return 2
    else:
        return int(_join(ranks, output))
    return 3


def _main(arguments):
    parser = argparse.ArgumentParser(prog="emit_evidence.py", description="Writes rankledger evidence; see the "
                                     "module's text for how a training loop does.")
    commands = parser.add_subparsers(dest="command", required=True)
    joining = commands.add_parser("merge", help="join the journals of a run that was killed")
    joining.add_argument("folder", help="OUTPUT.ranks")
    joining.add_argument("--output", help="default: the folder's name without .ranks")
    joining.add_argument("--overwrite", action="store_true")
    given = parser.parse_args(arguments)
    return merge(given.folder, given.output, given.overwrite)


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
