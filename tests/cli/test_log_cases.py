#!/usr/bin/env python3
"""Every log of tests/cases/expected.json through `import`: test_log_cases.py PROGRAM CASES"""
import json
import os
import subprocess
import sys
import tempfile

program, cases = sys.argv[1], sys.argv[2]

# What must not be copied from a log: hosts, environment, command lines, users.
PRIVATE = ("node-a", "HF_TOKEN", "EXAMPLE-NOT-A-SECRET", "PATH=/usr/bin", "/home/user",
           "minimum_bytes", "./build/all_reduce_perf")


def run(*arguments, stdin=None):
    return subprocess.run([program, *arguments], cwd=cases, capture_output=True, input=stdin)


def half_unit(number):
    """A value is told to its last digit: 7.799 is what rounds to it."""
    text = repr(number)
    return 0.5 * 10.0 ** -(len(text.partition(".")[2]) if "." in text else 0)


def check_value(name, expected, found):
    if expected is None or isinstance(expected, str):
        assert found == expected, f"{name} is {found!r}, not {expected!r}"
        return
    assert isinstance(found, (int, float)), f"{name} is {found!r}, not {expected!r}"
    # 1e-9: halves that are not exact in binary.
    assert abs(found - expected) <= half_unit(expected) + 1e-9, f"{name} is {found}, not {expected}"


def check_evidence(case, document):
    """With what the log does not tell, it is evidence that passes validate --strict."""
    given = []
    if "strategy" not in document:
        given += ["--set", "strategy=zero3"]
    if "world_size" not in document["workload"]:
        given += ["--set", "workload.world_size=8"]
    again = run("import", "--strict", *given, "--", *case["files"])
    assert again.returncode == 0, again.stderr
    checked = run("validate", "--strict", "-", stdin=again.stdout)
    assert checked.returncode == 0, checked.stdout
    assert document["evidence_level"] == "imported_log"


def check(case):
    outcome, _, detail = case["outcome"].partition(":")
    imported = run("import", "--", *case["files"])
    assert imported.returncode == 0, imported.stderr
    document = json.loads(imported.stdout)
    section = document["import"]
    for name, expected in case["values"].items():
        assert name in section["values"], f"no {name} in import.values"
        check_value(name, expected, section["values"][name])
    text = imported.stdout.decode()
    for private in PRIVATE:
        assert private not in text, f"{private} was copied"
    if outcome == "import_with_warning":
        assert section["warnings"] and b": warning: " in imported.stderr
    if outcome == "failed_run":
        assert document["failure"]["kind"] == detail and document["decision"] == "failed"
    if "evidence_level" in document:
        check_evidence(case, document)
    else:
        assert document["schema"] == "rankledger.calibration/1"


def check_decision():
    """What was imported of one machine's runs is decided upon."""
    logs = [os.path.join("logs", name) for name in ("l17_llmc_z0_np4.txt", "l18_llmc_z1_np4.txt")]
    with tempfile.TemporaryDirectory() as folder:
        run("import", "--strict", "--output-dir", folder, *logs)
        decided = run("analyze", "--memory-limit", "16GiB", "--output", "-", folder)
    assert json.loads(decided.stdout)["strategy"] == "zero1", decided.stderr


def main():
    check_decision()
    with open(os.path.join(cases, "expected.json"), encoding="utf-8") as file:
        expected = [case for case in json.load(file)
                    if all(name.startswith("logs/") for name in case["files"])]
    failed = 0
    for case in expected:
        assert case["outcome"].partition(":")[0] in {"import", "import_with_warning", "failed_run"}
        try:
            check(case)
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            failed += 1
            print(f"{' '.join(case['files'])}: expected {case['outcome']}: "
                  f"{type(error).__name__} {str(error)[:600]}")
    print(f"{len(expected)} logs, {failed} failed")
    return 1 if failed or not expected else 0


sys.exit(main())
