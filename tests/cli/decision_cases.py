"""Evidence and policies drawn at random, near the borders where decisions change."""
import math

import decision_model as model

PEAKS = [100, 90, 95, 80, 1000, 33.3, 45, 50]
RATES = [1000, 1100, 1150, 1050, 999, 1000, 870, 10]
RATIOS = [0.1, 0.2, 0.25, 0.3, 0.0, 1.0]
LEVELS = 3 * ["multi_gpu", "cpu_multi_process", "published_report", "real_multi_gpu_zero_stage"] + [
    "predicted", "single_gpu_shared", "real_multi_gpu_smoke", "single_gpu", "novel_level"]
FAILURES = ["out of memory", {"reason": "rank 1 died"},
            {"reason": "CUDA out of memory", "kind": "out_of_memory"}]
ODD = {"seq_len": 64, "model": "other", "global_batch": 4096, "world_size": 16, "layers": 9,
       "dtype": "fp16"}
VARY = [["micro_batch", "gradient_accumulation"], ["micro_batch"],
        ["gradient_accumulation", "global_batch"], ["world_size", "global_batch"]]
SPELLINGS = [("_bytes", 2**20), ("_mb", 1), ("_mib", 1), ("_gib", 1 / 1024), ("_gb", 2**20 / 1e9),
             ("_memory_bytes", 2**20), ("_max_gib", 1 / 1024)]


def workload(rng):
    w = {"model": "gpt", "parameters": rng.choice([1000000, 124475904]),
         "world_size": rng.choice([1, 2, 2, 4, 4, 4, 8, 8]), "micro_batch": rng.choice([1, 2, 8]),
         "gradient_accumulation": rng.choice([1, 2]), "seq_len": 32, "width": 64, "layers": 4,
         "heads": 4, "vocab": 128, "dtype": rng.choice(["fp32", "bf16", "bfloat16", "int4"])}
    w["global_batch"] = w["micro_batch"] * w["gradient_accumulation"] * w["world_size"]
    if rng.random() < 0.3:
        w["activation_checkpointing"] = rng.random() < 0.5
    if rng.random() < 0.3:
        w["state_bytes"] = rng.choice([{"parameters": 2, "gradients": 4, "optimizer": 12},
                                       {"parameters": 4, "gradients": 4, "optimizer": 8}])
    if rng.random() < 0.25:
        for f in rng.sample(sorted(w), rng.randint(1, 4)):
            if f != "world_size" or rng.random() < 0.4:
                del w[f]
    if "parameters" in w and rng.random() < 0.2:
        w["num_parameters"] = w.pop("parameters")
    return w


def style(rng):
    """How one producer writes its records."""
    return {"memory": rng.choice(["plain", "kind", "max", "ranks", "named", "named"]),
            "rate": rng.choice(["throughput", "throughput", "samples", "tokens_per_s",
                                "tokens_per_s_proxy", "samples_per_s"]),
            "samples": rng.random() < 0.4, "steps": rng.randint(1, 4)}


def put_memory(rng, kind, ranks, m):
    peak = rng.choice(PEAKS)
    if kind == "ranks":
        m["peak_memory_mb_per_rank"] = [rng.choice(PEAKS) for _ in range(ranks)]
    elif kind == "max":
        m["max_peak_memory_mb"] = peak
    elif kind != "named":
        m["peak_memory_mb"] = peak
        if kind == "kind":
            m["memory_kind"] = rng.choice(model.KINDS)
    else:
        for k in rng.sample(model.KINDS, rng.randint(1, 3)):
            suffix, factor = rng.choice(SPELLINGS)
            value = rng.choice(PEAKS) * factor
            m["peak_" + k + suffix] = round(value) if suffix.endswith("bytes") else value
        if rng.random() < 0.3:
            m["peak_memory_mb"] = peak


def metrics(rng, how, ranks):
    m = {}
    if rng.random() < 0.9:
        put_memory(rng, how["memory"], ranks, m)
    if rng.random() < 0.9:
        m["throughput" if how["rate"] == "samples" else how["rate"]] = rng.choice(RATES)
        if how["rate"] == "samples":
            m["throughput_unit"] = "samples/s"
    if rng.random() < 0.8:
        m["communication_ratio"] = rng.choice(RATIOS)
    if how["samples"] and rng.random() < 0.9:
        m["step_times_ms"] = [[rng.choice([10, 11, 12.5, 9, 30]) for _ in range(how["steps"])]
                              for _ in range(ranks)]
    if "spread" in how and "step_times_ms" in m:
        if "throughput" in m:
            m["throughput"] = rng.choice([1000, 1005, 1010])
        m["step_times_ms"] = [[10 + how["spread"] * rng.random() for _ in range(how["steps"])]
                              for _ in range(ranks)]
    if rng.random() < 0.2:
        m["step_time_ms"] = rng.choice([10, 20.5])
    return m


def own_workload(rng, shared, vary):
    own = dict(shared)
    if vary and "micro_batch" in own and "gradient_accumulation" in own and rng.random() < 0.6:
        factor = rng.choice([2, 4])
        for f in ("micro_batch", "gradient_accumulation"):
            if f in vary and (f == "micro_batch" or "micro_batch" not in vary):
                own[f] *= factor
        if "world_size" in vary and own.get("world_size"):
            own["world_size"] *= 2
        if "global_batch" in vary and rng.random() < 0.7:
            own.pop("global_batch", None)
    if rng.random() < 0.06:
        f = rng.choice(sorted(ODD))
        own[f] = ODD[f]
    if rng.random() < 0.06:
        own.pop(rng.choice(sorted(own)))
    if rng.random() < 0.15:
        own["warmup"] = rng.randint(0, 3)
    return own


def rounds(rng, steps):
    """As many as fit, of one step or two; now and then they do not add up."""
    found, left = [], steps - (rng.random() < 0.1)
    while left > 0:
        found.append(min(left, rng.randint(1, 2)))
        left -= found[-1]
    return [{"round": i, "steps": n} for i, n in enumerate(found)]


def record(rng, strategy, own, how, common):
    d = {"strategy": strategy, "workload": own, "hardware": common["hardware"],
         "metrics": metrics(rng, how, own.get("world_size") or 2),
         "evidence_level": rng.choice(common["levels"]), "failure": None, "decision": "measured"}
    if "spread" in how and "step_times_ms" in d["metrics"] and rng.random() < 0.5:
        d["rounds"] = rounds(rng, how["steps"])
    if rng.random() < 0.18:
        d["failure"] = rng.choice(FAILURES)
        d["decision"] = "failed"
        if rng.random() < 0.6:
            d["metrics"] = {}
    elif not d["metrics"]:
        d["metrics"] = {"step_time_ms": 10}
    elif rng.random() < 0.05:
        d["failure"] = ""
    return d


def near(rng, values):
    """One of the values, one step of a double beside it, or far from it."""
    value = rng.choice(values)
    return rng.choice([value, value, value, math.nextafter(value, math.inf),
                       math.nextafter(value, 0) if value > 0 else value,
                       value * rng.choice([0.5, 2, 1.01, 0.99])])


def limits(rng, records):
    p = {}
    peaks = [v for r in records for v in r["peaks"].values()] or [100]
    rates = [r["throughput"] for r in records if r["throughput"] is not None] or [1000]
    ratios = [r["comm"] for r in records if r["comm"] is not None] or [0.2]
    if rng.random() < 0.55:
        p["memory_limit_mb"] = near(rng, peaks)
    if rng.random() < 0.3:
        p["min_throughput"] = near(rng, rates)
        if rng.random() < 0.3:
            p["throughput_unit"] = "samples/s"
    if rng.random() < 0.3:
        p["max_communication_ratio"] = min(1, near(rng, ratios))
    return p


def policy(rng, records, vary):
    p = limits(rng, records)
    choices = {
        "memory_kind": (0.15, model.KINDS),
        "min_gain": (0.6, [0.05, 0.1, 0.15, 0.3, -0.1, 0]),
        "goal": (0.3, ["memory"]),
        "baseline": (0.2, model.STRATEGIES),
        "max_memory_fraction": (0.5, [0.9, 0.95, 0.5, 1]),
        "allow_failed_repeats": (0.25, [True]),
        "min_evidence_level": (0.1, ["multi_gpu", "cpu_multi_process", "published_report"]),
    }
    for name, (share, values) in choices.items():
        if rng.random() < share:
            p[name] = rng.choice(values)
    if rng.random() < 0.2:
        p["ranking"] = rng.sample(model.DEFAULTS["ranking"], rng.randint(1, 3))
    if vary:
        p["vary"] = vary
    return p


def case(rng):
    """Documents by file name, and a policy."""
    shared, how, statistical = workload(rng), style(rng), rng.random() < 0.2
    if statistical:  # samples to tell apart, or not
        how.update(samples=True, rate="throughput", steps=rng.randint(5, 12),
                   spread=rng.choice([0.01, 4, 8, 8]))
        shared.setdefault("world_size", 4)
    common = {"levels": [rng.choice(LEVELS)],
              "hardware": rng.choice(["X", {"device": "X", "device_count": 8},
                                      {"gpu": "X", "gpu_count": 8}, {"name": "X"}])}
    if rng.random() < 0.2:
        common["levels"].append(rng.choice(["imported_log", "predicted", "multi_gpu"]))
    strategies = rng.sample(model.STRATEGIES, rng.randint(1, 5))
    if rng.random() < 0.35:
        strategies += [rng.choice(strategies) for _ in range(rng.randint(1, 3))]
    vary = rng.choice(VARY) if rng.random() < 0.3 else []
    documents = {}
    for i, strategy in enumerate(strategies):
        own = own_workload(rng, shared, vary)
        name = "%s_%02d.json" % (rng.choice("abcdef"), i)
        documents[name] = record(rng, strategy, own, how, common)
    asked = policy(rng, [model.read(d) for d in documents.values()], vary)
    if statistical:
        asked["ties"] = "statistical"
        for name in ("memory_limit_mb", "min_throughput", "max_communication_ratio", "ranking"):
            if rng.random() < 0.6:
                asked.pop(name, None)
    return documents, asked
