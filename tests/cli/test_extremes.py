#!/usr/bin/env python3
"""Sound evidence with extreme values: test_extremes.py PROGRAM CASES_TO_TRY

From a fixed seed. Each analysis must end with a decision, write a summary that validates and
verifies, and every sensitivity that it names must come true when the limit is set to that value.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

PROGRAM, COUNT = sys.argv[1], int(sys.argv[2])
STRATEGIES = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
VALUES = [0, 1, 2, 3, 97, 64, 0.5, 0.1, 1e-5, 1e15, 2**53, 1e-300, 5e-324, 1e308, 1.7e308]


def base(strategy):
    return {
        "strategy": strategy,
        "workload": {"model": "gpt", "parameters": 1048576, "world_size": 4, "micro_batch": 8,
                     "gradient_accumulation": 2, "global_batch": 64, "seq_len": 32, "width": 64,
                     "dtype": "fp32", "layers": 4, "heads": 1, "vocab": 128,
                     "activation_checkpointing": False},
        "hardware": {"device": "X"}, "evidence_level": "multi_gpu", "failure": None,
        "decision": "measured",
        "metrics": {"peak_memory_mb": random.choice([80, 90, 100, 110]),
                    "throughput": random.choice([900, 1000, 1000, 1100]),
                    "communication_ratio": random.choice([0.1, 0.2, 0.3])},
    }


def ours(strategy):
    document = base(strategy)
    document["schema"] = "rankledger.evidence/1"
    document["metrics"].update({
        "losses": [8, 7, 6.5], "grad_norms": [1, 1.1, 0.9],
        "step_times_ms": [[10, 11, 12], [10, 10.5, 12], [10, 10, 10], [11, 12, 10]]})
    peak = document["metrics"]["peak_memory_mb"]
    phases = [{"phase": "forward", "peak_bytes": peak * 2**19,
               "by_category": {"activations": peak * 2**19}},
              {"phase": "backward", "peak_bytes": peak * 2**20,
               "by_category": {"gradients": 2**20, "activations": (peak - 1) * 2**20}}]
    document["memory"] = {"per_rank": [{"rank": rank, "arena_bytes": 2**27, "phases": phases}
                                       for rank in range(4)]}
    document["ledger"] = {"parameters_bytes": 2**22, "gradients_bytes": 2**22,
                          "optimizer_state_bytes": 2**23, "resident_bytes": 2**24,
                          "persistent_parameters_bytes": 0, "padding_bytes": 128,
                          "temporary": {"activations": 2**24, "gathered_parameters": 2**20}}
    return document


def disturb(document):
    for _ in range(random.choice([0, 0, 1, 2])):
        section = document[random.choice([s for s in ("workload", "metrics", "ledger")
                                          if s in document])]
        name = random.choice(sorted(section))
        if random.random() < 0.2:
            del section[name]
        elif type(section[name]) in (int, float):
            section[name] = random.choice(VALUES)
    if random.random() < 0.1:
        document["failure"] = random.choice(["oom", {"reason": "x", "kind": "out_of_memory"}])
    if random.random() < 0.05:
        document["evidence_level"] = random.choice(["predicted", "published_report", "made_up"])
    return document


def policy():
    limits = {"memory_limit_mb": [50, 90, 95, 100, 120, 1e308], "min_throughput": [900, 1000, 1e300],
              "max_communication_ratio": [0, 0.1, 0.25, 1], "max_memory_fraction": [0.5, 0.9, 0.95],
              "min_gain": [0, 0.1], "goal": ["memory", "throughput"], "correctness": ["on", "off"],
              "max_step_time_variation": [0.01, 0.5],
              "vary": [["micro_batch", "gradient_accumulation", "global_batch"]]}
    return {"schema": "rankledger.policy/1",
            **{name: random.choice(values) for name, values in limits.items()
               if random.random() < 0.35}}


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True)
    assert b"runtime error" not in result.stderr and b"Sanitizer" not in result.stderr, result.stderr
    return result


def analyze(limits, output):
    with open("policy.json", "w", encoding="utf-8") as file:
        json.dump(limits, file)
    result = run("analyze", "--policy", "policy.json", "--allow-invalid", "--output", output, "in")
    assert result.returncode in (0, 1), result
    with open(output, encoding="utf-8") as file:
        return json.load(file)


# Where any limit at all changes the answer, because what it limits was not measured.
ANY = {"memory_limit_mb": 100, "min_throughput": 1, "max_communication_ratio": 0.5,
       "max_memory_fraction": 0.5, "min_gain": 0.1}


def check_sensitivity(limits, summary):
    for row in summary["decision"]["sensitivity"]:
        for change in row["changes"]:
            beyond = {"below": -math.inf, "above": math.inf}.get(change["comparison"])
            value = change["value"]
            if change["comparison"] == "any":
                value = ANY[row["limit"]]
            elif beyond is not None:
                value = math.nextafter(value, beyond)
            other = {**limits, row["limit"]: value}
            if row["limit"] == "min_throughput":
                other["throughput_unit"] = row["unit"]
            found = analyze(other, "other.json")
            told = (change["decision"], change["strategy"], change["rule"])
            real = (found["decision"]["decision"], found["decision"]["strategy"],
                    found["decision"]["rule"])
            assert told == real, (row["limit"], change, real)


METRICS = {"memory_limit_mb": "peak_memory_mb", "min_throughput": "throughput",
           "max_communication_ratio": "communication_ratio"}
BOUNDS = {"memory_limit_mb": (1e-3, 1e6), "min_throughput": (1e-3, 1e6),
          "max_communication_ratio": (0, 1)}


def check_nearest(limits, summary):
    """Between the present limit and the change that is named nothing changes."""
    row = random.choice([row for row in summary["decision"]["sensitivity"] or [{"limit": ""}]])
    if row["limit"] not in METRICS or not summary["candidates"]:
        return
    metric = METRICS[row["limit"]]
    if any(metric not in candidate["metrics"] for candidate in summary["candidates"]):
        return  # applying any limit at all changes what was not measured
    low, high = BOUNDS[row["limit"]]
    current = row["current"]
    if current is None:
        current = low if row["limit"] == "min_throughput" else high
    for change in row["changes"]:
        if change["direction"] == "down":
            low = max(low, change["value"])
        else:
            high = min(high, change["value"])
    values = [random.uniform(low, min(current, high)), random.uniform(max(current, low), high)]
    values += [candidate["metrics"][metric] for candidate in summary["candidates"]]
    for value in values:
        if not low < value < high or not low < current < high:
            continue
        other = {**limits, row["limit"]: value}
        if row["limit"] == "min_throughput":
            other["throughput_unit"] = row["unit"]
        found = analyze(other, "other.json")["decision"]
        now = summary["decision"]
        assert (found["decision"], found["strategy"]) == (now["decision"], now["strategy"]), \
            (row, value, found["decision"], found["strategy"], now["decision"], now["strategy"])


def one():
    os.makedirs("in")
    for number in range(random.randint(1, 5)):
        make = random.choice([base, ours])
        with open(f"in/{number}.json", "w", encoding="utf-8") as file:
            json.dump(disturb(make(random.choice(STRATEGIES))), file)
    limits = policy()
    summary = analyze(limits, "summary.json")
    for command in ("validate", "verify"):
        result = run(command, "summary.json")
        assert result.returncode == 0, (command, result)
    check_sensitivity(limits, summary)
    check_nearest(limits, summary)
    shutil.rmtree("in")


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for seed in range(COUNT):
        random.seed(seed)
        try:
            one()
        except AssertionError as error:
            print(f"seed {seed} in {folder}: {error}")
            return 1
    os.chdir("/")
    shutil.rmtree(folder)
    print(f"{COUNT} sets of evidence")
    return 0


sys.exit(main())
