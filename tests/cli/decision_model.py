"""An independent reading of the decision rules."""
import math
import statistics

import interval_model

STRATEGIES = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
KINDS = ["device", "reserved", "allocated"]
SHARDS = {"ddp": (0, 0, 0), "zero1": (0, 0, 1), "zero2": (0, 1, 1), "zero3": (1, 1, 1),
          "fsdp_full_shard": (1, 1, 1)}
LEVELS = {"predicted": (1, False), "emulated_cuda": (2, False), "single_gpu_shared": (3, False),
          "imported_log": (4, True), "published_report": (4, True), "cpu_multi_process": (5, True),
          "single_gpu": (6, True), "real_multi_gpu_smoke": (7, False),
          "real_multi_gpu_zero_stage": (8, True), "multi_gpu": (9, True),
          "multi_node_gpu": (10, True)}
FIELDS = ["world_size", "global_batch", "micro_batch", "gradient_accumulation", "seq_len", "model",
          "parameters", "width", "layers", "heads", "vocab", "dtype", "optimizer",
          "activation_checkpointing", "state_bytes", "throughput_unit", "times_count", "device",
          "device_count"]
UNITS = {"_bytes": 1, "_mb": 2**20, "_mib": 2**20, "_gib": 2**30, "_gb": 10**9}
DTYPES = {"bfloat16": "bf16", "float32": "fp32", "float16": "fp16", "fp32": "fp32", "bf16": "bf16",
          "fp16": "fp16", "torch.bfloat16": "bf16", "half": "fp16", "float": "fp32"}
DEFAULTS = {"memory_limit_mb": None, "memory_kind": None, "min_throughput": None,
            "throughput_unit": "tokens/s", "max_communication_ratio": None,
            "max_memory_fraction": None, "tight_memory_fraction": 0.9, "min_gain": 0,
            "goal": "throughput", "baseline": "ddp",
            "ranking": ["throughput", "communication_ratio", "peak_memory_mb"], "vary": [],
            "ties": "strict",
            "allow_failed_repeats": False, "min_evidence_level": None, "correctness": "own",
            "max_step_time_variation": None}


def number(value):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def mib(value, unit):
    """Whole bytes where the decimal stands for whole bytes."""
    if unit == 2**20:
        return value
    size = value * unit
    return (round(size) if abs(size - round(size)) < 1e-3 else size) / 2**20


def first(*values):
    return next((v for v in values if v is not None), None)


def read(document):
    """A record in canonical names."""
    w, m = document["workload"], document["metrics"]
    r = {"strategy": document["strategy"], "level": document["evidence_level"]}
    failure = document["failure"]
    r["failed"] = isinstance(failure, dict) or (isinstance(failure, str) and failure != "")
    r["rank"], r["times"] = LEVELS.get(r["level"], (0, False))
    for f in FIELDS[:13]:
        r[f] = w.get(f)
    if r["parameters"] is None:
        r["parameters"] = w.get("num_parameters")
    r["dtype"] = DTYPES.get(r["dtype"], r["dtype"])
    if r["global_batch"] is None and None not in (r["micro_batch"], r["world_size"]):
        r["global_batch"] = r["micro_batch"] * first(r["gradient_accumulation"], 1) * r["world_size"]
    flag = w.get("activation_checkpointing")
    r["activation_checkpointing"] = flag if isinstance(flag, bool) else None
    sb = w.get("state_bytes") or {}
    parts = [sb.get(k) for k in ("parameters", "gradients", "optimizer")]
    r["bytes"] = parts if None not in parts else None
    r["state_bytes"] = sum(parts) if r["bytes"] else None
    h = document["hardware"]
    r["device"] = h if isinstance(h, str) else first(*[h.get(k) for k in (
        "device", "device_name", "gpu", "gpu_name", "name", "model", "accelerator")])
    r["device_count"] = None if isinstance(h, str) else first(*[h.get(k) for k in (
        "device_count", "gpu_count", "num_gpus", "gpus", "count")])
    # memory
    peaks = {}
    plain = first(m.get("peak_memory_mb"), m.get("max_peak_memory_mb"))
    if plain is None and m.get("peak_memory_mb_per_rank"):
        plain = max(m["peak_memory_mb_per_rank"])
    if plain is not None:
        peaks[m.get("memory_kind") or "allocated"] = plain
    for kind in ("allocated", "reserved", "device"):
        if kind in peaks:
            continue
        found = []
        for key, value in m.items():
            if key.startswith("peak_" + kind + "_") and value is not None:
                for suffix, unit in UNITS.items():
                    if key.endswith(suffix):
                        found.append(mib(value, unit))
        if found:
            peaks[kind] = max(found)
    r["peaks"] = peaks
    # time
    samples = m.get("step_times_ms")
    r["samples"] = samples if samples else None
    r["steps"] = [max(c) for c in zip(*samples)] if samples else []
    rounds = [x["steps"] for x in document.get("rounds", [])]
    r["rounds"] = rounds if rounds and sum(rounds) == len(r["steps"]) else [len(r["steps"])]
    time = first(m.get("step_time_ms"), m.get("max_step_time_ms"))
    if time is None and m.get("step_time_ms_per_rank"):
        time = max(m["step_time_ms_per_rank"])
    if time is None and samples:
        time = statistics.median([max(c) for c in zip(*samples)])
    r["time"] = time
    r["unit"] = "tokens/s"
    if m.get("throughput") is not None:
        r["throughput"] = m["throughput"]
        r["unit"] = m.get("throughput_unit") or "tokens/s"
    else:
        r["throughput"] = first(m.get("tokens_per_s_proxy"), m.get("tokens_per_s"))
        if r["throughput"] is None and m.get("samples_per_s") is not None:
            r["throughput"], r["unit"] = m["samples_per_s"], "samples/s"
    r["comm"] = m.get("communication_ratio")
    r["losses"] = m.get("losses") or []
    r["own"] = str(document.get("schema", "")).startswith("rankledger.evidence/")
    return r


def field(r, f):
    if f == "throughput_unit":
        return r["unit"] if r["throughput"] is not None else None
    if f == "times_count":
        return r["times"]
    return r[f]


def difference(a, b, vary):
    for f in FIELDS:
        if f in vary:
            continue
        x, y = field(a, f), field(b, f)
        if x is not None and y is not None and x != y:
            return f
        if f == "world_size" and ((x is None and not a["failed"]) or (y is None and not b["failed"])):
            return f
    return None


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def pool(runs, p):
    """One candidate of its repeats."""
    ok = [r for r in runs if not r["failed"]]
    c = {"strategy": runs[0]["strategy"], "runs": runs, "all_failed": not ok}
    c["failed"] = len(ok) < len(runs) and not (p["allow_failed_repeats"] and ok)
    used = ok or runs
    for f in FIELDS[:15] + ["bytes"]:
        c[f] = first(used[0].get(f), *[r.get(f) for r in runs])
    c["level"] = min(runs, key=lambda r: r["rank"])
    c["times"] = runs[0]["times"]
    c["peaks"] = {k: max(r["peaks"][k] for r in runs if k in r["peaks"])
                  for k in ("device", "reserved", "allocated") if any(k in r["peaks"] for r in runs)}
    if p["memory_kind"]:
        c["peak"] = c["peaks"].get(p["memory_kind"])
    else:
        c["peak"] = max(c["peaks"].values()) if c["peaks"] else None
    c["time"] = median([r["time"] for r in used])
    c["throughput"] = median([r["throughput"] for r in used])
    c["unit"] = first(*[r["unit"] for r in used if r["throughput"] is not None], "tokens/s")
    c["comm"] = median([r["comm"] for r in used])
    if len(used) > 1 and all(r["samples"] for r in used) and \
            len({len(r["samples"]) for r in used}) == 1:
        steps = [max(col) for r in used for col in zip(*r["samples"])]
        c["time"] = statistics.median(steps)
        work = c["global_batch"]
        if c["unit"] == "tokens/s":
            work = None if None in (work, c["seq_len"]) else work * c["seq_len"]
        if work is not None and c["throughput"] is not None:
            c["throughput"] = work / (c["time"] / 1000)
    agree = len({len(r["samples"] or []) for r in used}) == 1
    c["steps"] = [t for r in used for t in r["steps"]] if agree else []
    c["rounds"] = [n for r in used for n in r["rounds"]]
    c["resident"] = resident(c)
    return c


def resident(c, strategy=None):
    strategy = strategy or c["strategy"]
    b = c["bytes"]
    if b is None:
        if c["dtype"] not in ("fp32", "bf16", "fp16"):
            return None
        b = [4, 4, 8] if c["dtype"] == "fp32" or strategy == "fsdp_full_shard" else [2, 2, 12]
    n = c["world_size"]
    if c["parameters"] is None or (n is None and any(SHARDS[strategy])):
        return None
    return sum(x * c["parameters"] / 2**20 / (n if s else 1) for x, s in zip(b, SHARDS[strategy]))


def judge(c, p):
    """(name, verdict, margin) of the four gates."""
    out = [("runtime", "fail" if c["failed"] else "pass", None)]

    def gate(name, value, limit, sign, measured=True):
        if limit is None:
            return out.append((name, "not_applied", None))
        if value is None or not measured:
            return out.append((name, "not_evaluated" if c["failed"] else "not_measured", None))
        margin = sign * (limit - value)
        verdict = "fail" if (value > limit if sign > 0 else value < limit) else "pass"
        if name == "memory" and verdict == "pass" and value / limit > p["tight_memory_fraction"]:
            verdict = "tight"
        if name == "throughput" and c["unit"] != p["throughput_unit"]:
            return out.append((name, "unit_differs", None))
        out.append((name, verdict, margin))

    gate("memory", c["peak"], p["memory_limit_mb"], 1)
    gate("throughput", c["throughput"], p["min_throughput"], -1, c["times"])
    gate("communication", c["comm"], p["max_communication_ratio"], 1, c["times"])
    level = p["min_evidence_level"]
    if level:
        out.append(("evidence_level", "fail" if c["level"]["rank"] < LEVELS[level][0] else "pass",
                    None))
    return out


def failures(gates):
    return [n for n, v, _ in gates if v in ("fail", "not_measured", "unit_differs")]


def key(c, p):
    worst = math.inf
    values = {"throughput": -c["throughput"] if c["throughput"] is not None else worst,
              "communication_ratio": worst if c["comm"] is None else c["comm"],
              "peak_memory_mb": worst if c["peak"] is None else c["peak"]}
    return [values[k] for k in p["ranking"]]


def resample(c):
    """The throughput of each resample."""
    if "resampled" not in c:
        found = interval_model.medians(c["steps"], c["rounds"]) if c["steps"] else None
        scale = c["throughput"] * interval_model.middle(c["steps"]) if found else None
        c["resampled"] = [scale / m for m in found] if found else None
    return c["resampled"]


def tied(c, fastest):
    """Whether the interval of the ratio of the throughputs contains 1."""
    if c is fastest:
        return True
    if resample(c) is None or resample(fastest) is None:
        return False
    low, high = interval_model.bounds([a / b for a, b in zip(resample(c), resample(fastest))])
    return low <= 1 <= high


def arrange(order, p):
    """Statistical ties: who is tied with the fastest comes first, by the remaining keys."""
    if p["ties"] != "statistical" or "throughput" not in p["ranking"] or not order:
        return order
    place, fastest = p["ranking"].index("throughput"), order[0]
    if fastest["throughput"] is None:
        return order
    alike = [c for c in order if key(c, p)[:place] == key(fastest, p)[:place]
             and c["throughput"] is not None and tied(c, fastest)]
    first = sorted(sorted(alike, key=lambda c: c["ids"][0]), key=lambda c: key(c, p)[place + 1:])
    return first + [c for c in order if not any(c is t for t in first)]


def kind(c, p):
    """The kind that the gate reads: the policy's, or the largest."""
    return p["memory_kind"] or max(c["peaks"], key=lambda k: c["peaks"][k])


def gain(a, b, p):
    if p["goal"] == "memory":
        if a["peak"] is None or b["peak"] is None or kind(a, p) != kind(b, p):
            return None
        return (b["peak"] - a["peak"]) / b["peak"] if b["peak"] else None
    if a["throughput"] is None or b["throughput"] is None or not b["throughput"]:
        return None
    return (a["throughput"] - b["throughput"]) / b["throughput"]


def surely_adjustable(c):
    """A metric to measure or a unit to state; predictions are tested elsewhere."""
    return not c["failed"] and any(v in ("not_measured", "unit_differs") for _, v, _ in c["gates"])


def decide(records, policy, incomplete=False):
    """What the rules make of the records of one group, in order of input."""
    p = dict(DEFAULTS, **{k: v for k, v in policy.items() if v is not None})
    keys = {}
    for i, r in enumerate(records):
        keys.setdefault((r["strategy"],) + tuple(str(r[f]) for f in FIELDS if f in p["vary"]),
                        []).append(i)
    cands = []
    for ids in keys.values():
        c = pool([records[i] for i in ids], p)
        c["ids"] = ids
        c["gates"] = judge(c, p)
        c["failures"] = failures(c["gates"])
        cands.append(c)
    cands.sort(key=lambda c: c["ids"][0])
    order = sorted([c for c in cands if not c["failures"]], key=lambda c: key(c, p))
    order = arrange(order, p)
    best = order[0] if order else None
    result = {"candidates": cands, "order": order, "selected": best, "gain": None, "policy": p}

    def verdict(decision, rule):
        result["decision"], result["rule"] = decision, rule
        return result

    if not cands:
        return verdict("reject", "no_evidence")
    if all(c["all_failed"] for c in cands):
        return verdict("reject", "all_failed")
    bases = [c for c in cands if c["strategy"] == p["baseline"]]
    good = [c for c in order if c["strategy"] == p["baseline"]]
    base = good[0] if good else None
    if best and base and base is not best:
        result["gain"] = gain(best, base, p)
    if incomplete:
        return verdict("tune", "incomplete")
    if not min(records, key=lambda r: r["rank"])["times"]:
        return verdict("tune", "evidence_level")
    if "world_size" not in p["vary"] and \
            any(r["world_size"] is None and not r["failed"] for r in records):
        return verdict("tune", "not_comparable")
    if all(c["world_size"] == 1 or (c["world_size"] is None and c["failed"]) for c in cands):
        return verdict("tune", "not_sharded")
    if best:
        if p["max_memory_fraction"] and p["memory_limit_mb"] and best["peak"] is not None and \
                best["peak"] / p["memory_limit_mb"] > p["max_memory_fraction"]:
            return verdict("tune", "memory_fraction")
        if best is base:
            return verdict("accept", "baseline")
        if base is None or result["gain"] is None:
            return verdict("accept", "no_baseline")
        return verdict("accept" if result["gain"] >= p["min_gain"] else "reject", "gain")
    if any(surely_adjustable(c) for c in cands):
        return verdict("tune", "adjustment")
    return verdict(None, None)  # an adjustment, or none
