"""Writes a tree of evidence records of about 4 KB, as a collector would:

    evidence_tree.py DIR COUNT [RECORDS_A_DIRECTORY]

Five records a run directory unless told otherwise, a hundred directories a sweep, numbers that differ from file to file, all valid
but for one in a thousand (a negative peak), so that the path of errors is met too.
"""
import json
import os
import random
import statistics
import sys

STRATEGIES = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
SHARDED = {"ddp": "", "zero1": "o", "zero2": "go"}  # of parameters, gradients, optimizer
RANKS = 4
STEPS = 20
PARAMETERS = 124475904


def record(number, ranks=RANKS, seq_len=1024):
    strategy = STRATEGIES[number % 5]
    draw = random.Random(number)
    times = [[round(draw.uniform(280, 300), 3) for _ in range(STEPS)] for _ in range(ranks)]
    step = round(statistics.median(max(row[s] for row in times) for s in range(STEPS)), 4)
    sharded = SHARDED.get(strategy, "pgo")
    parts = [PARAMETERS * size // (ranks if part in sharded else 1) for part, size in (("p", 2), ("g", 2), ("o", 12))]
    peaks = [round(sum(parts) / 2**20 + draw.uniform(12000, 12100), 3) for _ in range(ranks)]
    phases = [[{"phase": phase, "peak_bytes": round(peak * 2**20) - below}
               for phase, below in (("forward", draw.randrange(2**30)), ("backward", 0), ("optimizer", draw.randrange(2**32)))]
              for peak in peaks]
    same = random.Random(f"{ranks} {seq_len}")  # one workload trains alike under every strategy
    return {
        "schema": "rankledger.evidence/1",
        "strategy": strategy,
        "workload": {
            "model": "gpt2_124m", "parameters": PARAMETERS, "width": 768, "layers": 12, "heads": 12,
            "vocab": 50257, "seq_len": seq_len, "micro_batch": 32, "gradient_accumulation": 1,
            "global_batch": 32 * ranks, "world_size": ranks, "dtype": "bf16",
            "state_bytes": {"parameters": 2, "gradients": 2, "optimizer": 12},
            "optimizer": "adamw", "learning_rate": 3e-4, "warmup": 2, "repeats": STEPS,
            "seed": number, "activation_checkpointing": False,
        },
        "hardware": {"device": "NVIDIA A100-SXM4-80GB", "device_count": ranks},
        "metrics": {
            "peak_memory_mb": max(peaks) if number % 1000 else -1,
            "peak_memory_mb_per_rank": peaks if number % 1000 else [-1] * ranks,
            "memory_kind": "allocated", "step_time_ms": step, "step_times_ms": times,
            "throughput": round(32 * ranks * seq_len / step * 1000, 3), "throughput_unit": "tokens/s",
            "communication_ratio": round(draw.uniform(0.05, 0.2), 4), "skew_ratio": None,
            "communication_in_flight_ratio": round(draw.uniform(0.3, 0.5), 4),
            "losses": [round(same.uniform(2, 11), 6) for _ in range(STEPS + 2)],
        },
        "communication": {"progress": "stream", "collectives": [{
            "collective": "all_reduce", "purpose": "gradient_reduction", "calls": 10,
            "payload_bytes": 2 * PARAMETERS, "expected_bytes": 2 * PARAMETERS,
            "exposed_ms": 20.5, "in_flight_ms": 91.25, "bus_gb_per_s": 171.4}]},
        "ledger": {"parameters_bytes": parts[0], "gradients_bytes": parts[1],
                   "optimizer_state_bytes": parts[2], "resident_bytes": sum(parts),
                   "padding_bytes": 0, "temporary": {"communication_buffers": 52428800}},
        "memory": {"per_rank": [{"rank": rank, "arena_bytes": 2**34, "phases": phases[rank]}
                                for rank in range(ranks)]},
        "failure": None,
        "evidence_level": "multi_gpu",
        "decision": "measured",
    }


def main():
    root, count = sys.argv[1], int(sys.argv[2])
    a_directory = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    for number in range(count):
        run = number // a_directory
        folder = f"{root}/sweep_{run // 100:04d}/run_{run:06d}"
        if number % a_directory == 0:
            os.makedirs(folder, exist_ok=True)
        name = f"{number % a_directory:04d}_{STRATEGIES[number % 5]}"
        with open(f"{folder}/{name}.json", "w", encoding="ascii") as file:
            json.dump(record(number), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
