"""Holds a GPU's run against the CPU backend's run of the same training."""
import json

# The design's tolerances between backends and strategies: relative, at every step.
LOSS_TOLERANCE = {"fp32": 1e-5, "bf16": 5e-3}
NORM_TOLERANCE = {"fp32": 1e-4, "bf16": 2e-2}
STRATEGIES = ("ddp", "zero1", "zero2", "zero3", "fsdp_full_shard")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def difference(mine, theirs):
    """The largest relative difference of two lists of numbers, step by step."""
    if len(mine) != len(theirs) or not mine:
        raise ValueError(f"{len(mine)} steps against {len(theirs)}")
    return max(abs(a - b) / abs(b) for a, b in zip(mine, theirs))


def counted(evidence):
    """What must not depend on the backend: calls and bytes, resident categories, gathered parameters."""
    calls = {(row["collective"], row["purpose"]): (row["calls"], row["payload_bytes"])
             for row in evidence.get("communication", {}).get("collectives", [])}
    ranks = [(rank["resident"], rank["category_peaks"].get("gathered_parameters"))
             for rank in evidence["memory"]["per_rank"]]
    return {"calls and bytes": calls, "resident and gathered bytes": ranks}


def faults_of(gpu, cpu, dtype):
    """Yields what differs more than it may."""
    if gpu["failure"] is not None:
        yield f"failed: {gpu['failure']['reason']}"
        return
    metrics, theirs = gpu["metrics"], cpu["metrics"]
    for name, limits in (("losses", LOSS_TOLERANCE), ("grad_norms", NORM_TOLERANCE)):
        far = difference(metrics[name], theirs[name])
        if not far <= limits[dtype]:
            yield f"{name} differ by {far:.1e}, allowed {limits[dtype]:.0e}"
    mine, others = counted(gpu), counted(cpu)
    for name, value in mine.items():
        if value != others[name]:
            yield f"{name} differ: {value} against {others[name]}"


def failures(folder, strategies=STRATEGIES):
    """Of the strategies that failed, why."""
    read_all = ((strategy, read(folder / f"{strategy}.json")["failure"]) for strategy in strategies)
    return [f"{strategy}: {failure['reason']}" for strategy, failure in read_all if failure is not None]


def compare(gpu_folder, cpu_folder, dtype, strategies=STRATEGIES):
    """(faults, the largest difference of a loss)."""
    faults, most = [], 0.0
    for strategy in strategies:
        gpu, cpu = (read(folder / f"{strategy}.json") for folder in (gpu_folder, cpu_folder))
        found = list(faults_of(gpu, cpu, dtype))
        faults += [f"{strategy} {dtype}: {fault}" for fault in found]
        if gpu["failure"] is None:
            most = max(most, difference(gpu["metrics"]["losses"], cpu["metrics"]["losses"]))
    return faults, most
