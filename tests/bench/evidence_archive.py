"""Writes an archive of runs of many workloads, as years of sweeps leave one:

    evidence_archive.py DIR RECORDS GROUPS [tree|lines|mixed]

Records that may be compared form GROUPS groups: models, world sizes and sequence lengths; every strategy in turn, so that 10,000
records in 500 groups are 4 repeats of each of 5 strategies. `tree` (the default) is a file a record, a directory a workload and
strategy; `lines` is one archive.jsonl in the order of time, so that the records of a group lie all over it; `mixed` is the first half
as a tree and the second as lines. One record in a thousand is invalid, one in fifty is a run that went out of memory.
"""
import json
import os
import random
import sys

sys.dont_write_bytecode = True
from evidence_tree import STRATEGIES, record  # noqa: E402


def grouped(number, groups):
    """The record of a number, as a run of workload number % groups."""
    group = number % groups
    chance = random.Random(~number).random()
    strategy = number // groups % 5
    made = record(0 if chance < 0.001 else 5 * number + 5 + strategy, 2 ** (1 + group % 3), 512 * (1 + group // 3 % 5))
    made["strategy"] = STRATEGIES[strategy]
    made["workload"]["model"] = f"model_{group // 15:04d}"
    if chance > 0.98:
        made["failure"] = {"kind": "out_of_memory", "reason": "out of memory in backward", "rank": 0, "step": 1}
        made["decision"] = "failed"
        made["metrics"] = {}
    return made


def main():
    root, records, groups = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    form = sys.argv[4] if len(sys.argv) > 4 else "tree"
    files = {"tree": records, "lines": 0, "mixed": records // 2}[form]
    for number in range(files):
        folder = f"{root}/workload_{number % groups:05d}/{STRATEGIES[number // groups % 5]}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/run_{number // groups:03d}.json", "w", encoding="ascii") as file:
            json.dump(grouped(number, groups), file, indent=1)
            file.write("\n")
    if files < records:
        os.makedirs(root, exist_ok=True)
        with open(f"{root}/archive.jsonl", "w", encoding="ascii") as file:
            for number in range(files, records):
                json.dump(grouped(number, groups), file)
                file.write("\n")


main()
