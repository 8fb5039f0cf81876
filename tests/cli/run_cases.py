#!/usr/bin/env python3
"""Runs command-line cases: run_cases.py PROGRAM CASES.txt...

A case file holds blocks, each a command line, what it prints, and its exit code:

    $ rankledger ledger --world-size 4
    ! --parameters is missing        (a line of standard error, exact)
    ? 2                              (the exit code; 0 if there is none)

Lines without a mark are standard output, exact. A "#" line before the first "$" is a comment.
Commands run in the case file's directory, without a shell.
"""
import os
import shlex
import subprocess
import sys


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("$ "):
                cases.append({"line": number, "command": line[2:], "out": [], "err": [], "code": 0})
            elif not cases:
                if line and not line.startswith("#"):
                    sys.exit(f"{path}:{number}: expected a command")
            elif line.startswith("! ") or line == "!":
                cases[-1]["err"].append(line[2:])
            elif line.startswith("? "):
                cases[-1]["code"] = int(line[2:])
            else:
                cases[-1]["out"].append(line)
    for case in cases:
        while case["out"] and case["out"][-1] == "":  # the blank line between cases
            case["out"].pop()
    return cases


def lines_of(data):
    lines = data.decode("utf-8").split("\n")
    while lines and lines[-1] == "":
        lines.pop()
    return lines


def main(program, paths):
    failed = count = 0
    for path in paths:
        for case in read_cases(path):
            words = shlex.split(case["command"])
            if words[0] != "rankledger":
                sys.exit(f"{path}:{case['line']}: a command begins with rankledger")
            run = subprocess.run([program] + words[1:], cwd=os.path.dirname(path),
                                 capture_output=True, stdin=subprocess.DEVNULL)
            found = {"out": lines_of(run.stdout), "err": lines_of(run.stderr), "code": run.returncode}
            count += 1
            for part in ("out", "err", "code"):
                if found[part] != case[part]:
                    failed += 1
                    print(f"{path}:{case['line']}: {part} of: {case['command']}")
                    print(f"  expected {case[part]}\n  found    {found[part]}")
    print(f"{count} commands, {failed} differences")
    if count == 0 or failed:
        sys.exit(1)


main(os.path.abspath(sys.argv[1]), [os.path.abspath(path) for path in sys.argv[2:]])
