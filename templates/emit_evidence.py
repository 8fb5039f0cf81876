#!/usr/bin/env python3
"""Writes rankledger evidence from a PyTorch DDP, FSDP or DeepSpeed training loop.

Copy this file beside your training program. It needs Python 3.8 on Linux or macOS and nothing else: torch is
used only where the program has imported it. templates/emit/README.md shows a loop of each kind.

    with emit_evidence.start("zero2", "zero2.json", {"model": "gpt2", "micro_batch": 8, "seq_len": 1024},
                             model=model, optimizer=optimizer) as evidence:
        for batch in batches:
            with evidence.step(tokens=8 * 1024):        # this rank's tokens of one optimizer step
                ...
                evidence.loss(loss)

Every rank calls it. Each keeps a journal in OUTPUT.ranks while it trains, and rank 0, or a rank that fails, joins
them into OUTPUT. If all are killed, `python emit_evidence.py merge OUTPUT.ranks OUTPUT` does so. MIT licence.
"""
import atexit
import contextlib
import datetime
import difflib
import fcntl
import glob
import hashlib
import json
import math
import os
import platform
import re
import resource
import socket
import statistics
import sys
import time

VERSION = "1"
STRATEGIES = ("ddp", "zero1", "zero2", "zero3", "fsdp_full_shard")
NICKNAMES = {"fsdp": "fsdp_full_shard", "fsdp2": "fsdp_full_shard", "fullyshard": "fsdp_full_shard",
             "fullshard": "fsdp_full_shard", "distributeddataparallel": "ddp", "dp": "ddp"}
COUNTS = ("parameters", "seq_len", "micro_batch", "gradient_accumulation", "global_batch")      # of the workload
EFFECTS = ("communication", "timeout")      # what a rank sees of another's failure
MIB = 1048576.0
HOST = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:16]      # tells hosts apart without naming them
POLL_S = 0.02           # how often a rank that waits reads the others' journals
LOST_PEER_S = 2.0       # a killed rank's connections close a moment before its journal's lock is free

_all = []               # the Evidence of this process


# ---- what a training loop calls ----

class Evidence:
    """One strategy's run, seen by one rank: start() on every rank, after init_process_group()."""

    def __init__(self, strategy, output, workload=None, *, model=None, optimizer=None, warmup=2, hardware=None,
                 strategy_options=None, overwrite=False, wait_s=60.0):
        _check_given(strategy, warmup, workload, hardware, strategy_options)
        self.output, self.folder = os.path.abspath(output), os.path.abspath(output) + ".ranks"
        self.rank, self.world_size = _ranks()
        if any(one.output == self.output and (not one.ended or one.world_size > 1) for one in _all):
            raise ValueError("this process writes %s already: each run needs an output of its own" % output)
        if os.path.exists(self.output) and not overwrite:
            raise FileExistsError("%s exists: name another output, or say overwrite=True" % output)
        self.state = _State(model, optimizer, strategy) if model is not None else None
        self.pid, self.wait_s, self.steps = os.getpid(), wait_s, 0
        self.phase_name, self.phases, self.values = "init", {}, None
        self.ended = self.journal_failed = False
        os.makedirs(self.folder, exist_ok=True)
        self.journal = open(_journal_path(self.folder, self.rank), "a", encoding="utf-8")
        if _lock(self.journal, exclusive=True) is False:
            self.journal.close()
            raise RuntimeError("another process writes %s: each run needs an output of its own, and start() comes "
                               "after init_process_group()" % output)
        self.journal.truncate(0)        # of a run before
        self.data = {"steps": []}
        self.tell({"rank": self.rank, "world_size": self.world_size, "token": _run_token(len(_all)),
                   "started": time.time(), "host": HOST, "strategy": strategy, "warmup": warmup,
                   "workload": dict(workload or {}), "hardware": dict(hardware or {}),
                   "strategy_options": dict(strategy_options or {})})
        _all.append(self)
        _gpu("reset_peak_memory_stats")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            self.finish()
        else:
            self.failed(error)

    @contextlib.contextmanager
    def step(self, tokens=None):
        """`with evidence.step(tokens=N):` around one optimizer step, micro-batches included; N: tokens of this rank."""
        if self.steps == 0 and (self.rank, self.world_size) != _ranks():
            raise RuntimeError("start() saw rank %d of %d, and now it is rank %d of %d: call start() after "
                               "init_process_group()" % ((self.rank, self.world_size) + _ranks()))
        if tokens is not None and not 0 <= tokens < math.inf:
            raise ValueError("tokens of a step are an amount from 0 on, not %s" % tokens)
        self.open_phase("step")
        self.values = {"tokens": [] if tokens is None else [tokens]}
        _synchronize()
        began = time.perf_counter()
        try:
            yield
            _synchronize()
            ms = max((time.perf_counter() - began) * 1e3, 1e-6)
            values = {name: sum(map(float, given)) / len(given) for name, given in self.values.items() if given}
        finally:
            self.values = None
        self.open_phase(None)
        line, used = {"step": dict(values, ms=ms)}, _gpu("mem_get_info")
        if self.phases is not self.data.get("phases"):
            line["phases"] = self.phases
        if used and used[1] - used[0] > self.data.get("device_bytes", 0):
            line["device_bytes"] = used[1] - used[0]
        if self.steps == 0:
            line.update(device=_device(), versions=_versions())
        if self.state is not None and "state" not in self.data:
            counted = _try_to_count(self.state.measure)
            line.update({} if counted is None else {"state": counted})
        self.tell(line)
        self.steps += 1

    def loss(self, value):
        """The loss of this step, or of one of its micro-batches; a number, or a tensor that is read after the step."""
        self.take("loss", value)

    def grad_norm(self, value):
        """The norm of the whole gradient before clipping, as clip_grad_norm_() returns it."""
        self.take("grad_norm", value)

    def phase(self, name):
        """From here on it is "forward", "backward", "optimizer" or another word, until the next or the step's end."""
        if not re.match(r"(?!checkpoint)[a-z][a-z0-9_]{0,39}$", str(name)):     # checkpoints do not count as training
            raise ValueError("a phase of a training step is a word of small letters, not %r" % (name,))
        if self.values is None:
            raise RuntimeError("phase() belongs inside the step")
        if name == "optimizer" and self.state is not None and self.state.gradients is None:
            self.state.gradients = _try_to_count(self.state.count_gradients)
        self.open_phase(name)

    def finish(self):
        """After the last step, on every rank. Rank 0 returns when the record is there. A second call does nothing."""
        self.close({"end": time.time()}, self.wait_s if self.rank == 0 else 0)

    def failed(self, error, kind=None):
        """Ends the record as failed, with an exception or a sentence; `with start()` calls it by itself."""
        told = _describe(error, self.steps, self.phase_name or "between_steps")
        told.update({"kind": kind} if kind else {}, rank=self.rank, step=self.steps, at=time.time())
        memory = _device().get("memory_bytes")
        if told.get("kind") == "out_of_memory" and memory:
            told["limit_bytes"] = memory
        self.close({"failure": told}, LOST_PEER_S if told.get("kind") in EFFECTS else 0)

    def take(self, name, value):
        if self.values is None:
            raise RuntimeError("%s() belongs inside the step: outside it is not told which step is meant" % name)
        self.values.setdefault(name, []).append(value.detach() if hasattr(value, "detach") else value)

    def open_phase(self, name):
        """Takes the peaks of the phase that ends. None: between steps, where evaluation and the like do not count."""
        if name == self.phase_name:
            return
        before = self.phases.get(self.phase_name, [0, 0])
        peaks = [max(_gpu("max_memory_allocated") or 0, before[0]), max(_gpu("max_memory_reserved") or 0, before[1])]
        if self.phase_name is not None and peaks != before:
            self.phases = dict(self.phases, **{self.phase_name: peaks})
        _gpu("reset_peak_memory_stats")
        self.phase_name = name

    def tell(self, line):
        """Kept in memory and, line by line, where the end of this process does not reach it."""
        self.data["steps"] += [line["step"]] if "step" in line else []
        self.data.update(line)
        try:
            if not self.journal_failed:
                self.journal.write(json.dumps(line, separators=(",", ":")) + "\n")
                self.journal.flush()
        except OSError as error:        # a full disk is no reason to stop training
            self.journal_failed = True
            _warn("the journal of rank %d cannot be written (%s): if the run is killed, its steps are lost"
                  % (self.rank, error.strerror))

    def close(self, line, wait_s):
        """Tells how it ended, then joins what all ranks have told where that is this rank's task."""
        if self.ended:
            return
        self.ended = True
        self.open_phase(None)
        line["phases"] = self.phases
        if self.steps == 0:
            line.update(device=_device(), versions=_versions())
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        line["process_bytes"] = resident * (1 if sys.platform == "darwin" else 1024)
        self.tell(line)
        try:
            self.deliver(wait_s)
        except Exception as error:      # the training is done, and what it measured is in the journals
            _warn("%s cannot be written (%s: %s); `emit_evidence.py merge %s FILE` does so elsewhere"
                  % (self.output, type(error).__name__, getattr(error, "strerror", error), self.folder))
        with contextlib.suppress(OSError):
            self.journal.close()

    def deliver(self, wait_s):
        """Waits for the other ranks by reading: no collective is called, which would hang where a rank has failed."""
        until, joined = time.monotonic() + wait_s, None
        while True:
            ranks = _read_folder(self.folder, self.data["token"])
            ranks[self.rank] = dict(self.data, status="failed" if "failure" in self.data else "ended")
            statuses = [data["status"] for _, data in sorted(ranks.items())]
            others = [data["status"] for rank, data in ranks.items() if rank != self.rank]
            is_settled = {"failed", "lost"} & set(others) or others == ["ended"] * (self.world_size - 1)
            if joined is None and not is_settled and time.monotonic() < until:
                time.sleep(POLL_S)
                continue
            if statuses == joined or (self.rank != 0 and not {"failed", "lost"} & set(statuses)):
                return
            joined = statuses       # after a failure it looks again: another rank may have failed and joined meanwhile
            if not _join(ranks, self.output):
                break
        for rank in ranks:
            os.unlink(_journal_path(self.folder, rank))
        with contextlib.suppress(OSError):      # journals of other runs stay
            os.rmdir(self.folder)


start = Evidence


@atexit.register
def _left_open():
    """A program that ended, by an exception or without one, and did not call finish()."""
    error = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)   # of a prompt: of another command
    for evidence in _all:
        if not evidence.ended and evidence.pid == os.getpid():      # a forked child has its parent's, who goes on
            evidence.failed(error or "the program ended without finish() after %d steps" % evidence.steps,
                            None if error else "interrupted")


# ---- journals: one a rank, a line an event ----

def _journal_path(folder, rank):
    return os.path.join(folder, "rank-%s.journal" % rank)       # not .json or .jsonl: those of a folder are evidence


def _lock(file, exclusive=False):
    """A rank locks its journal while it lives. True: now locked; False: another has it; None: cannot be told here."""
    try:
        fcntl.lockf(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        return True
    except OSError as error:
        return False if isinstance(error, (BlockingIOError, PermissionError)) else None


def _read_folder(folder, token=None):
    """{rank: data} of one run; without a token the run that started last."""
    found = []
    for path in glob.glob(_journal_path(glob.escape(folder), "*")):
        data, is_free = {"steps": []}, None
        try:
            with open(path, encoding="utf-8") as file:
                is_free = _lock(file)
                for text in file:
                    line = json.loads(text)
                    data["steps"] += [line["step"]] if "step" in line else []
                    data.update(line)
        except (OSError, ValueError, TypeError):
            pass        # the last line of a rank that was killed may be torn
        data["status"] = "failed" if "failure" in data else "ended" if "end" in data else {
            True: "lost", False: "running", None: "open"}[is_free]
        found.extend([data] if "token" in data else [])
    if token is None and found:
        token = max(found, key=lambda data: data["started"])["token"]
    return {data["rank"]: data for data in found if data["token"] == token}


def _join(ranks, output):
    """Writes the record; tells whether the run failed."""
    document = _Run(ranks).document()
    for text in document["warnings"]:
        _warn("%s: %s" % (os.path.basename(output), text))
    beside = "%s.%x-%x.tmp" % (output, time.time_ns(), os.getpid())
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, output)      # nobody ever reads half a record
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)
    return document["failure"] is not None


def merge(folder, output):
    """For a run whose ranks could not join them. Returns 0; 1: of a failed run; 3: nothing was written."""
    ranks = _read_folder(folder)
    if not ranks:
        _warn("%s has no journal: it should have files rank-0.journal, rank-1.journal, ..." % folder)
    elif "running" in [data["status"] for data in ranks.values()]:
        _warn("%s is of a run that goes on" % folder)
    elif os.path.exists(output):
        _warn("%s exists: name another file" % output)
    else:
        return int(_join(ranks, output))
    return 3

def _describe(error, step, phase):
    """The fields of a failure, by the names and texts of torch's exceptions."""
    if not isinstance(error, BaseException):
        return {"reason": _public(error)}
    name, text = type(error).__name__, str(error)
    names = {base.__name__ for one in (error, error.__cause__, error.__context__) for base in type(one).__mro__}
    told = {"phase": phase, "reason": "%s in %s of step %d" % (name, phase, step),
            "detail": "%s: %s" % (name, _public(text)) if text else name}
    if names & {"OutOfMemoryError", "MemoryError"} or re.search(
            r"out of memory|CUBLAS_STATUS_ALLOC_FAILED|can't allocate memory", text, re.I):
        told.update(kind="out_of_memory", reason="out of memory in %s of step %d" % (phase, step))
    elif isinstance(error, KeyboardInterrupt):
        told.update(kind="interrupted", reason="interrupted in step %d" % step)
    elif any(re.match("Dist.*Error$|ConnectionError$", one) for one in names) or re.search(
            r"\bNCCL\b|gloo|ProcessGroup|connection (?:closed|reset)", text, re.I):
        told["kind"] = "timeout" if re.search(r"timed? ?out", text, re.I) else "communication"
    return told


def _failure_of(ranks, size):
    """What went wrong first: what a rank did itself comes before what others saw of it."""
    failures = sorted((data["failure"] for data in ranks.values() if "failure" in data), key=lambda one: one["at"])
    causes = [one for one in failures if one.get("kind") not in EFFECTS]
    missing = sorted(set(range(size)) - set(ranks))
    unended = sorted((data["status"], rank) for rank, data in ranks.items() if not {"end", "failure"} & set(data))
    if causes:
        return causes[0]
    if unended and (not failures or unended[0][0] == "lost"):
        status, rank = unended[0]
        steps, goes_on = len(ranks[rank]["steps"]), status == "running"
        told = {"kind": "timeout" if goes_on else "rank_lost", "rank": rank, "step": steps,
                "reason": "rank %d told no end after %d steps: it %s without finish()"
                % (rank, steps, "goes on, or left" if goes_on else "was killed, or left")}
        if failures:
            told["detail"] = "rank %d then saw: %s" % (failures[0]["rank"], failures[0].get("detail"))
        return told
    if failures:
        return failures[0]
    if missing:
        return {"kind": "launch", "rank": missing[0],
                "reason": "nothing came from rank %s: every rank must call start() and finish(); several hosts need a "
                          "folder that all share" % ", ".join(map(str, missing))}
    steps, warmup = min(len(data["steps"]) for data in ranks.values()), ranks[0]["warmup"]
    if steps <= warmup:
        return {"reason": "nothing was measured: %d steps ran, and the first %d are warm-up" % (steps, warmup)}
    for rank, data in sorted(ranks.items()):
        # Lost for good: a lone loss that is not finite may be of a step that a loss scaler skipped.
        finite = [math.isfinite(step.get("loss", 0)) for step in data["steps"]]
        if not finite[-1]:
            first = len(finite) - finite[::-1].index(True) if True in finite else 0
            return {"kind": "non_finite", "rank": rank, "step": first,
                    "reason": "the loss of step %d and of all steps after it is not finite" % first}
    return None


# ---- from the ranks' data to a record, by the evidence contract's definitions ----

class _Run:
    """What a rank does not tell is left out, never guessed."""

    def __init__(self, ranks):
        self.told = [ranks[rank] for rank in sorted(ranks)]
        self.ranks, self.first = ranks, self.told[0]
        self.size, self.warmup = self.first["world_size"], self.first["warmup"]
        self.failure, self.warnings = _failure_of(ranks, self.size), []
        counts = [len(data["steps"]) for data in self.told]
        self.steps = min(counts) if len(ranks) == self.size else 0      # that every rank has done
        if max(counts) != min(counts) and self.failure is None:
            self.warnings.append("the ranks did %d to %d steps: only the first %d count"
                                 % (min(counts), max(counts), self.steps))
        self.devices = [data["device"] for data in self.told if "device" in data]
        self.gpus = [device["key"] for device in self.devices if device["key"] != "cpu"]
        self.is_shared = len(set(self.gpus)) < len(self.gpus)       # several ranks use one GPU

    def columns(self, name, first=0):
        """[step][rank] of a number of the steps that every rank has done; [] where one is not told."""
        rows = [[step.get(name) for step in data["steps"][first:self.steps]] for data in self.told]
        return [] if any(value is None for row in rows for value in row) else list(zip(*rows))

    def most(self, values):
        """In MiB; None where a rank tells none, or has done no step: what was live before says nothing of training."""
        return max(values) / MIB if self.steps > 0 and all(values) else None

    def workload(self):
        work = dict(self.first["workload"], world_size=self.size, warmup=min(self.warmup, self.steps),
                    repeats=max(self.steps - self.warmup, 0))
        if work.get("global_batch") is None and work.get("micro_batch") is not None:
            work["global_batch"] = work["micro_batch"] * work.get("gradient_accumulation", 1) * self.size
        for name in ("parameters", "state_bytes"):
            counted = [data.get("state", {}).get(name) for data in self.told]
            if work.get(name) is None and self.steps > 0 and counted[0] and all(one == counted[0] for one in counted):
                work[name] = counted[0]
        return work

    def metrics(self, work):
        rows = [self.ranks[rank]["steps"] if rank in self.ranks else [] for rank in range(self.size)]
        last = self.steps if self.failure is None else None     # of a failed run all that there is
        sample = [[step["ms"] for step in row[self.warmup:last]] for row in rows]
        told = {"step_times_ms": sample if any(sample) else None}
        times = self.columns("ms", self.warmup)
        if times:
            told["step_time_ms"] = statistics.median(map(max, times))
            amount, unit = self.work_of_step(work)
            if amount:
                told.update(throughput=amount / told["step_time_ms"] * 1e3, throughput_unit=unit)
        told.update(self.series("loss", "losses"), **self.series("grad_norm", "grad_norms"))
        allocated, reserved = ([max((peak[place] for peak in data.get("phases", {}).values()), default=0)
                                for data in self.told] for place in (0, 1))
        if self.most(allocated):
            told.update(peak_memory_mb=self.most(allocated), peak_reserved_mb=self.most(reserved),
                        peak_memory_mb_per_rank=[peak / MIB for peak in allocated], memory_kind="allocated")
        if not self.is_shared:
            told["peak_device_mb"] = self.most([data.get("device_bytes") for data in self.told])
        return {name: value for name, value in told.items() if value is not None}

    def work_of_step(self, work):
        """Over all ranks: what is told of each step, else by the workload."""
        tokens, batch, length = self.columns("tokens", self.warmup), work.get("global_batch"), work.get("seq_len")
        if tokens:
            return statistics.mean(map(sum, tokens)), "tokens/s"
        return (batch * length, "tokens/s") if batch and length else (batch, "samples/s")

    def series(self, name, field):
        """A number a step over the global batch: the mean of the ranks, each weighing as many tokens as it saw."""
        values = self.columns(name)
        weights = self.columns("tokens") or [[1] * self.size] * len(values)
        series = [one[0] if len(set(one)) == 1 else sum(v * w for v, w in zip(one, weight)) / max(sum(weight), 1)
                  for one, weight in zip(values, weights)]
        if any(value < 0 for value in series):
            self.warnings.append("%s below zero cannot be told and are left out" % field)
            return {}
        return {field: [value if math.isfinite(value) else None for value in series]} if series else {}

    def memory(self):
        per_rank = []
        for rank in range(self.size):
            data = self.ranks.get(rank, {})
            told = {"phases": [{"phase": name, "peak_bytes": allocated, "reserved_bytes": reserved}
                               for name, (allocated, reserved) in data.get("phases", {}).items()],
                    "resident": data.get("state", {}).get("resident"),
                    "process_peak_bytes": data.get("process_bytes"), "device_peak_bytes": data.get("device_bytes")}
            per_rank.append(dict({name: value for name, value in told.items() if value}, rank=rank))
        return {"per_rank": per_rank}

    def level(self):
        if len(self.gpus) < len(self.devices) or not self.gpus:
            return "cpu_multi_process"
        if self.is_shared:
            return "single_gpu_shared"
        return "single_gpu" if self.size == 1 else "real_multi_gpu_zero_stage"

    def hardware(self):
        hosts = [data["host"] for data in self.told]
        names = sorted({device["name"] for device in self.devices})
        told = {"device": ", ".join(names) or "unknown", "hosts": len(set(hosts)),
                "ranks_per_host": [hosts.count(host) for host in dict.fromkeys(hosts)]}
        if self.gpus:
            told["device_count"] = len(set(self.gpus))
        return dict(told, **self.first["hardware"])

    def document(self):
        work, first = self.workload(), self.first
        options = dict(first["strategy_options"], **({"sharding_exercised": False} if self.size == 1 else {}))
        failure = self.failure and {name: value for name, value in self.failure.items() if name != "at"}
        started = datetime.datetime.fromtimestamp(first["started"], datetime.timezone.utc)
        return {"strategy": first["strategy"], "workload": work, "hardware": self.hardware(),
                "metrics": self.metrics(work), "evidence_level": self.level(), "failure": failure,
                "decision": "failed" if failure else "measured", "memory": self.memory(),
                "strategy_options": options, "warnings": self.warnings,
                "timing": {"clock": "monotonic"}, "environment": first.get("versions", {}),
                "producer": {"name": "emit_evidence", "version": VERSION, "run": first["token"],
                             "started_utc": started.strftime("%Y-%m-%dT%H:%M:%SZ")}}


# ---- training state: counted, never computed ----

class _State:
    """What a rank holds of parameters, gradients and optimizer state."""

    def __init__(self, model, optimizer, strategy):
        self.model, self.gradients = model, None
        self.engine = model if hasattr(model, "zero_optimization_stage") else None      # DeepSpeed's
        self.optimizer = optimizer if self.engine is None else getattr(model, "optimizer", None)
        # ZeroRedundancyOptimizer and DeepSpeed wrap the one that has the state.
        wrapped = getattr(self.optimizer, "optim", getattr(self.optimizer, "optimizer", None))
        self.inner = wrapped if hasattr(wrapped, "state") else self.optimizer
        ran = self.strategy()
        if ran not in (None, strategy):
            raise ValueError("strategy %r is said, but the model runs %r: say what runs" % (strategy, ran))

    def strategy(self):
        """What is seen to run, or None."""
        names = {base.__name__ for base in type(self.model).__mro__}
        if self.engine is not None:
            return ("ddp", "zero1", "zero2", "zero3")[int(self.engine.zero_optimization_stage())]
        if names & {"FullyShardedDataParallel", "FSDPModule"}:      # FSDP1 tells how it shards, FSDP2's tensors do
            sharding = str(getattr(self.model, "sharding_strategy", ".FULL_SHARD"))
            if not sharding.endswith(".FULL_SHARD") or any("Replicate" in str(getattr(one, "placements", ""))
                                                           for one in self.model.parameters()):
                raise ValueError("this FSDP does not shard fully (SHARD_GRAD_OP, HYBRID_SHARD, ...): the contract has "
                                 "no strategy for it")
            return "fsdp_full_shard"
        if "DistributedDataParallel" in names:
            return "zero1" if type(self.optimizer).__name__ == "ZeroRedundancyOptimizer" else "ddp"
        return None

    def parameters(self):
        """The tensors that hold the parameters, each once: FSDP1's flat ones in place of the views into them."""
        flat = [getattr(module, "_flat_param", None) for module in self.model.modules()]
        held = {id(one): one for one in flat if one is not None}
        for one in self.model.parameters():
            if not held or not getattr(one, "_fsdp_flattened", False):
                held.setdefault(id(one), one)
        return list(held.values())

    def count_gradients(self):
        """[bytes, elements], just before the optimizer step; None before a step of an engine that makes none."""
        if self.engine is not None and not self.engine.is_gradient_accumulation_boundary():
            return None
        held = [one.grad for one in self.parameters() if getattr(one, "grad", None) is not None]
        for group in (getattr(self.optimizer, "averaged_gradients", None) or {}).values():      # DeepSpeed's
            held.extend(group or [])
        return _sizes(held) if held else None

    def measure(self):
        """None until the optimizer has made its state: a loss scaler may skip the first steps."""
        states = getattr(self.inner, "state", None)
        if not states:
            return None
        held = self.parameters()
        tensors = [value for state in states.values() for value in state.values() if hasattr(value, "numel")]
        moments = [value for value in tensors if value.numel() > 1]         # not the step's number
        # DeepSpeed's optimizer works on partitions of its own, beside the parameters of the model.
        masters = list(getattr(self.optimizer, "single_partition_of_fp32_groups", None) or
                       getattr(self.optimizer, "fp32_partitioned_groups_flat", None) or [])
        if len({str(_local(one).device).partition(":")[0] for one in held + moments + masters}) > 1:
            _warn("the training state is offloaded: it is not counted")
            return {}
        parameters, optimizer, gradients = _sizes(held), _sizes(moments + masters), self.gradients or None
        resident = {"parameters": parameters[0], "optimizer_state": _sizes(tensors + masters)[0]}
        # Elements of the whole, padding left out: DeepSpeed's parameter, FSDP1's flat one, any other.
        whole = [getattr(one, "ds_numel", getattr(one, "_unpadded_unsharded_size", one).numel()) for one in held]
        told = {"parameters": int(sum(whole)), "resident": resident}
        if gradients:
            resident["gradients"] = gradients[0]
            each = [parameters, gradients, (optimizer[0], _sizes(states)[1])]
            # Frozen parameters, or factored moments: no number a parameter describes these.
            if all(one.requires_grad for one in held) and all(count and size % count == 0
                                                                for size, count in each):
                told["state_bytes"] = {name: size // count for name, (size, count) in
                                       zip(("parameters", "gradients", "optimizer"), each)}
        return told


def _try_to_count(function):
    """What looks into other libraries' objects must not stop training."""
    try:
        return function()
    except Exception as error:
        _warn("the training state could not be counted (%s: %s)" % (type(error).__name__, _public(error)))
        return {}


def _local(tensor):
    """The part of a tensor that this rank holds: DeepSpeed's partition, a DTensor's shard, else all of it."""
    parts = getattr(tensor, "ds_tensor", None), getattr(tensor, "_local_tensor", None), tensor
    return next(one for one in parts if one is not None)


def _sizes(tensors):
    """(bytes, elements) that this rank holds."""
    held = [_local(one) for one in tensors]
    return sum(one.numel() * one.element_size() for one in held), sum(one.numel() for one in held)


# ---- what the program runs on ----

def _gpu(name, *arguments):
    """torch.cuda's answer (of ROCm, too); None where the program uses no GPU, or torch does not tell that."""
    torch = sys.modules.get("torch")
    try:
        return getattr(torch.cuda, name)(*arguments) if torch.cuda.is_initialized() else None
    except Exception:   # no torch, one that is not complete yet, or a device that does not answer any more
        return None


def _synchronize():
    if _gpu("is_initialized"):
        sys.modules["torch"].cuda.synchronize()     # its exceptions are the training's


def _ranks():
    """(rank, world size) of the process group; without one a single process."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def _run_token(number):
    """The same text on every rank of a run and another one in the next run, so that old journals are told apart."""
    (rank, size), key = _ranks(), "emit_evidence/%d" % number
    token = "%x-%x" % (time.time_ns(), os.getpid())
    if size == 1:
        return token
    try:
        # The key-value store of every process group: unlike a collective, waiting on it can be given up.
        store = sys.modules["torch.distributed"].distributed_c10d._get_default_store()
        if rank == 0:
            store.set(key, token)
        store.wait([key], datetime.timedelta(seconds=60))
        return store.get(key).decode()
    except Exception:   # that function is not public
        names = ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID")
        return hashlib.sha256(repr([key] + [os.environ.get(name) for name in names]).encode()).hexdigest()[:16]


def _device():
    """The name and memory of this rank's GPU or processor, and a key that no other device has."""
    index = _gpu("current_device")
    if index is not None:
        properties = _gpu("get_device_properties", index)
        place = [HOST, os.environ.get("CUDA_VISIBLE_DEVICES"), index]        # older torch tells no uuid
        return {"name": _gpu("get_device_name", index) or "unknown", "key": str(getattr(properties, "uuid", place)),
                "memory_bytes": getattr(properties, "total_memory", 0)}
    name = platform.processor() or platform.machine() or "unknown"
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    return {"name": name, "key": "cpu"}


def _versions():
    """An allow-list: versions alone, no variables, hosts or paths."""
    torch, deepspeed = sys.modules.get("torch"), sys.modules.get("deepspeed")
    told = {"python": platform.python_version(), "architecture": platform.machine(),
            "torch": getattr(torch, "__version__", None), "deepspeed": getattr(deepspeed, "__version__", None)}
    with contextlib.suppress(Exception):
        told.update(cuda=torch.version.cuda, hip=torch.version.hip)
        told["distributed_backend"] = torch.distributed.get_backend()
        if "nccl" in told["distributed_backend"]:
            told["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    return {name: str(value) for name, value in told.items() if value}

def _warn(message):
    print("emit_evidence: " + message, file=sys.stderr)


def _check_given(strategy, warmup, workload, hardware, strategy_options):
    """Fails now, not after hours of training."""
    if strategy not in STRATEGIES:
        plain = re.sub(r"[^a-z0-9]", "", str(strategy).lower())
        near = [NICKNAMES[plain]] if plain in NICKNAMES else difflib.get_close_matches(plain, STRATEGIES, 1)
        raise ValueError("strategy %r is not known%s; it is one of %s" % (
            strategy, ", did you mean %r?" % near[0] if near else "", ", ".join(STRATEGIES)))
    for name, value in (("workload", workload), ("hardware", hardware), ("strategy_options", strategy_options)):
        if not isinstance(value, (dict, type(None))):
            raise ValueError("%s is a dict, not %r" % (name, value))
        json.dumps(value, allow_nan=False)
    for name, value in [("warmup", warmup)] + [(name, (workload or {}).get(name)) for name in COUNTS]:
        if value is not None and (type(value) is not int or value < 0):
            raise ValueError("%s is a whole number from 0 on, not %r" % (name, value))


def _public(text):
    """A message of a library without what archives must not hold: paths, addresses, names of hosts and users."""
    text = re.sub(r"(?:~|\.{1,2})?(?:/[\w.+@-]+){2,}|[A-Za-z]:\\[^\s'\"]+", "[path]", " ".join(str(text).split()))
    text = re.sub(r"\[?(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4})\]?(?::\d+)?", "[address]",
                  text)
    for name, word in ((socket.gethostname(), "[host]"), (os.environ.get("USER", ""), "[user]")):
        if len(name) > 2:
            text = re.sub(r"\b%s\b" % re.escape(name), word, text)
    return text if len(text) <= 500 else text[:500] + " ..."


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "merge":
        sys.exit("use: python emit_evidence.py merge OUTPUT.ranks OUTPUT")
    sys.exit(merge(*sys.argv[2:]))
