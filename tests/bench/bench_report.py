"""Times of `analyze` and `report`: bench_report.py PROGRAM [ROUNDS]

Five candidates (the evidence of reports/cpu-2-ranks, with every sample), then the same summary with
1,000. Each round starts the programs afresh; printed are the best and the median by the clock, the
best of the processor's time, in ms, and the most memory that a process held, in MiB.
"""

import copy
import json
import os
import shutil
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
EVIDENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reports",
                        "cpu-2-ranks", "evidence")
LIMITS = ["--memory-limit", "144MiB", "--min-throughput", "4000"]
MANY = 1000


def run(*arguments):
    """(clock ms, processor ms, MiB) of one start; those of its children are in it."""
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(PROGRAM, [PROGRAM, *arguments])
    _, status, usage = os.wait4(child, 0)
    clock = 1000 * (time.perf_counter() - begin)
    if status != 0:
        sys.exit("%s failed" % " ".join(arguments))
    return clock, 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def write_many():
    """A summary whose candidates are those of the other, over and over, each a little larger."""
    with open("summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    group = summary["groups"][0]
    candidates = []
    for index in range(MANY):
        candidate = copy.deepcopy(group["candidates"][index % len(group["candidates"])])
        candidate["index"] = index
        candidate["label"] += ", micro-batch %d" % (index + 1)
        candidate["rank"] = index + 1 if candidate["eligible"] else None
        for name in ("throughput", "peak_memory_mb"):
            candidate["metrics"][name] *= 1 + 0.0005 * index
        candidates.append(candidate)
    group["candidates"] = candidates
    with open("many.json", "w", encoding="utf-8") as file:
        json.dump(summary, file)


def report(*arguments):
    return lambda: run("report", "--output", "out", *arguments)


def measure(rows, rounds):
    values = {name: [] for name in rows}
    for _ in range(rounds):
        for name, start in rows.items():
            shutil.rmtree("out", ignore_errors=True)
            values[name].append(start())
    for name, taken in values.items():
        clock, processor, memory = (sorted(column) for column in zip(*taken))
        print("%-32s clock: best %7.1f  median %7.1f   processor: %7.1f   %4.0f MiB" %
              (name, clock[0], clock[len(clock) // 2], processor[0], memory[-1]), flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("analyze", "--output", "summary.json", *LIMITS, EVIDENCE)
        write_many()
        rows = {"analyze": lambda: run("analyze", "--output", "again.json", *LIMITS, EVIDENCE),
                "report, all formats": report("summary.json"),
                "report on the evidence": report(*LIMITS, EVIDENCE)}
        for form in ("xlsx", "pdf", "html", "md", "svg,png"):
            rows["report, %s alone" % form] = report("--format", form, "summary.json")
        measure(rows, ROUNDS)
        measure({"%d candidates, all formats" % MANY: report("many.json"),
                 "%d candidates, pdf alone" % MANY: report("--format", "pdf", "many.json")},
                max(1, ROUNDS // 10))
        os.chdir("/")


if __name__ == "__main__":
    main()
