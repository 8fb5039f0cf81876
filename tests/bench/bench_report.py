"""Times of `analyze` and `report` for five candidates: bench_report.py PROGRAM [ROUNDS]

Each round starts both programs afresh; printed are the best and the median of each, in ms.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
RUNS = (("ddp", 16661.0, 456000.0), ("zero1", 15593.0, 400000.0), ("zero2", 14900.0, 398000.0),
        ("zero3", 13100.0, 351000.0), ("fsdp_full_shard", 13000.0, 362000.0))


def write_evidence():
    for strategy, peak, throughput in RUNS:
        record = {
            "project": "bench", "strategy": strategy, "failure": None, "decision": "stage_completed",
            "evidence_level": "real_multi_gpu_zero_stage", "hardware": "some GPU",
            "workload": {"model": "gpt2_124m", "width": 768, "layers": 12, "micro_batch": 32,
                         "gradient_accumulation": 1, "seq_len": 1024, "dtype": "bf16", "warmup": 2,
                         "repeats": 5, "world_size": 4, "num_parameters": 124475904},
            "metrics": {"max_step_time_ms": round(131072 / throughput * 1000, 3),
                        "max_peak_memory_mb": peak, "tokens_per_s_proxy": throughput}}
        with open(strategy + ".json", "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)


def run(*arguments):
    begin = time.perf_counter()
    subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - begin)


def main():
    evidence = [strategy + ".json" for strategy, _, _ in RUNS]
    limits = ["--memory-limit", "16GiB", "--min-throughput", "350000"]
    rows = {
        "analyze": lambda: run("analyze", "--output", "summary.json", *limits, *evidence),
        "report, all formats": lambda: run("report", "--output", "out", "summary.json"),
        "report, Markdown alone": lambda: run("report", "--output", "out", "--format", "md",
                                              "summary.json"),
        "report, charts alone": lambda: run("report", "--output", "out", "--format", "svg,png",
                                            "summary.json"),
        "report on the evidence": lambda: run("report", "--output", "out", *limits, *evidence),
    }
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_evidence()
        times = {name: [] for name in rows}
        for _ in range(ROUNDS):
            for name, measure in rows.items():
                times[name].append(measure())
        os.chdir("/")
    for name, values in times.items():
        values.sort()
        print("%-24s best %6.1f  median %6.1f" % (name, values[0], values[len(values) // 2]))


if __name__ == "__main__":
    main()
