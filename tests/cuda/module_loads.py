#!/usr/bin/env python3
"""The module of the CUDA backend loads into the program that it is built for, every symbol bound.

Where there is no driver the program says so and does not load it. An empty library in the driver's place
makes it load: CUDA then finds no driver that works, and that is what the program has to say.

Usage: module_loads.py RANKLEDGER_COLLECT EMPTY_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def preflight(program, folder=None):
    environment = dict(os.environ)
    environment.pop("CUDA_VISIBLE_DEVICES", None) # the other tests hide GPUs that there are
    if folder:
        environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}"
    done = subprocess.run([program, "preflight", "--backend", "cuda"], env=environment, check=False,
                          capture_output=True, text=True, timeout=50)
    said = done.stdout + done.stderr
    print(f"exit {done.returncode}\n{said}")
    return done.returncode, said


def main():
    program, empty = sys.argv[1], pathlib.Path(sys.argv[2])
    code, said = preflight(program)
    faults = []
    if code != 0 and (code != 4 or "driver" not in said):
        faults.append("without a driver: expected exit 4 and a word about the driver")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "libcuda.so.1").symlink_to(empty.resolve())
        code, said = preflight(program, folder)
    if code != 4 or not any(words in said for words in ("driver", "CUDA does not start")):
        faults.append("with an empty driver: expected exit 4 and CUDA's word about it")
    for words in ("another build", "cannot be loaded", "has no CUDA backend", "is missing"):
        if words in said:
            faults.append(f"the module did not load ({words!r})")
    print("\n".join(faults) or "the module loads")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
