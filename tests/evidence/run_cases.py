#!/usr/bin/python3
"""Runs `rankledger validate` on every case and compares with its expected.txt.

    run_cases.py PROGRAM PROJECT_ROOT
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

# They need a file that cannot lie among the cases: tests/cli/validate.py.
ELSEWHERE = {"unreadable", "not_regular", "too_large", "more_findings"}


def run_case(program, folder, exit_code):
    names = [path.name for path in folder.iterdir() if path.name.startswith("input.")]
    if len(names) != 1:
        return f"{folder}: expected one input, found {names}"
    done = subprocess.run([program, "validate", names[0]], cwd=folder, capture_output=True,
                          check=False)
    expected = (folder / "expected.txt").read_bytes()
    if done.returncode != exit_code or done.stderr:
        return f"{folder}: exit code {done.returncode}, expected {exit_code}\n{done.stderr.decode()}"
    if done.stdout != expected:
        return f"{folder}: expected\n{expected.decode()}found\n{done.stdout.decode()}"
    strict = subprocess.run([program, "validate", "--strict", names[0]], cwd=folder,
                            capture_output=True, check=False).returncode
    warned = b"warning: " in expected or exit_code == 1
    if strict != (1 if warned else 0):
        return f"{folder}: exit code {strict} under --strict"
    return None


def main():
    program, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    cases = [(folder, exit_code) for side, exit_code in (("valid", 0), ("invalid", 1))
             for folder in sorted((root / "tests/evidence" / side).iterdir())]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda case: run_case(program, *case), cases)
        faults = [fault for fault in results if fault]
    texts = "".join((folder / "expected.txt").read_text(encoding="utf-8") for folder, _ in cases)
    count = len(cases)
    table = (root / "analyze/validation_rules.c").read_text(encoding="utf-8")
    rules = set(re.findall(r'^    \{"(\w+)"', table, re.M))
    reported = set(re.findall(r"\[(\w+)\]$", texts, re.M))
    for rule in sorted(rules - reported - ELSEWHERE):
        faults.append(f"no case for the rule {rule}")
    for rule in sorted(reported - rules):
        faults.append(f"the rule {rule} is not in the table")
    print("\n".join(faults) or f"{count} cases, {len(rules)} rules")
    sys.exit(1 if faults or count < 100 else 0)


main()
