#!/usr/bin/env python3
"""Runs the collector on a tiny model with --dump, every strategy in one dtype or the other, and
replays what it dumped in plain Python (replay_dump.py).

Usage: replay_runs.py RANKLEDGER_COLLECT
"""
import pathlib
import subprocess
import sys
import tempfile

import replay_dump

SIZES = ("--width=8 --layers=2 --heads=2 --vocab=13 --seq-len=5 --micro-batch=2 --warmup=0 "
         "--repeats=1 --seed=5").split()
# Strategies, dtype, ranks, gradient accumulation, tolerance. bf16, rounded many times on the way,
# was up to 0.03 of a tensor's root mean square apart.
CASES = (
    (("ddp", "zero2", "fsdp_full_shard"), "fp32", 2, 2, "2e-5"),
    (("zero1", "zero3"), "bf16", 3, 1, "0.1"),
)


def run(program, folder, strategies, dtype, ranks, accumulation):
    command = [program, "run", f"--strategy={','.join(strategies)}", f"--world-size={ranks}",
               f"--dtype={dtype}", f"--gradient-accumulation={accumulation}",
               f"--output-dir={folder}/evidence", f"--dump={folder}/dump", *SIZES]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")


def main():
    for strategies, dtype, ranks, accumulation, tolerance in CASES:
        with tempfile.TemporaryDirectory() as folder:
            run(sys.argv[1], folder, strategies, dtype, ranks, accumulation)
            for strategy in strategies:
                print(f"{strategy}, {dtype}, {ranks} ranks: ", end="", flush=True)
                replay_dump.replay([str(pathlib.Path(folder, "dump", strategy)), "--seed=5",
                                    "--heads=2", f"--tolerance={tolerance}"])


if __name__ == "__main__":
    main()
