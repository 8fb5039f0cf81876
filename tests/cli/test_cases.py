#!/usr/bin/env python3
"""Every case of tests/cases/expected.json through the built program: test_cases.py PROGRAM CASES"""
import json
import os
import subprocess
import sys

program, cases = sys.argv[1], sys.argv[2]


def analyze(case):
    options = []
    for name, value in case["options"].items():
        options += ["--" + name.replace("_", "-"), value]
    run = subprocess.run([program, "analyze", "--output", "-", *options, "--", *case["files"]],
                         cwd=cases, capture_output=True)
    return run, json.loads(run.stdout) if run.stdout else None


def rules_of(rejected):
    return {error["rule"] for error in rejected["errors"]}


def rejects(case, run, summary, rule):
    """Each file is refused, for this reason, and nothing else is left."""
    found = {rejected["path"]: rejected for rejected in summary["rejected_sources"]}
    assert set(found) == set(case["files"]), found
    assert summary["sources"] == []
    assert run.returncode == 1
    assert summary["decision"]["rule"] == "no_evidence"
    for rejected in found.values():
        assert rule in rules_of(rejected), rejected
        if "line" in case["values"]:
            assert case["values"]["line"] in [error["line"] for error in rejected["errors"]]


def candidates(summary):
    return [candidate for group in summary["groups"] for candidate in group["candidates"]]


def check_values(case, summary):
    values = case["values"]
    by_strategy = {candidate["strategy"]: candidate for candidate in candidates(summary)}
    for strategy in values.keys() & by_strategy.keys():
        assert by_strategy[strategy]["metrics"]["throughput"] == values[strategy]
    if "limit_mib" in values:
        assert abs(summary["policy"]["memory_limit_mb"] - values["limit_mib"]) < 5e-4
    if "gib" in values:
        peak = candidates(summary)[0]["metrics"]["peak_memory_mb"]
        assert abs(peak / 1024 - values["gib"]) < 5e-4, peak
    if "max_peak_memory_mb" in values:
        assert candidates(summary)[0]["metrics"]["peak_memory_mb"] == values["max_peak_memory_mb"]


def check(case):
    outcome, _, detail = case["outcome"].partition(":")
    run, summary = analyze(case)
    assert run.returncode in (0, 1, 3), run.stderr
    if outcome == "no_evidence":
        assert run.returncode == 3 and summary is None and b"no evidence" in run.stderr
        return
    if outcome in ("reject_file", "reject_record"):
        rejects(case, run, summary, detail)
        return
    if outcome == "reject_or_read_each":
        assert summary["rejected_sources"] or len(summary["sources"]) == case["values"]["records"]
        return
    assert run.returncode == 0, run.stderr
    assert summary["rejected_sources"] == []
    check_values(case, summary)
    decision, selection = summary["decision"], summary["selection"]
    if outcome in ("accept_with_warning", "accept_no_failure_with_warning"):
        assert summary["sources"][0]["warnings"]
    if outcome == "accept_no_failure_with_warning":
        assert "runtime" not in candidates(summary)[0]["gate_failures"]
    if outcome == "accept_but_not_comparable":
        assert decision["rule"] == "not_comparable"
    if outcome in ("failed_run", "valid_failed_run"):
        assert candidates(summary)[0]["gate_failures"] == ["runtime"]
        assert candidates(summary)[0]["failure"]["reason"]
        assert decision["rule"] == "all_failed"
    if outcome == "select":
        assert selection["decision"] == "accept" and selection["strategy"] == detail
    if outcome == "reject":
        assert selection["decision"] == "reject" and selection["strategy"] is None
        assert all(candidate["gate_failures"] == [detail] for candidate in candidates(summary))
        assert decision["decision"] == "tune"
    if outcome in ("pass", "fail"):
        failed = detail in candidates(summary)[0]["gate_failures"]
        assert failed == (outcome == "fail")
    if outcome == "tune":
        assert decision["decision"] == "tune" and decision["rule"] == "incomplete"
    if outcome == "not_comparable":
        assert decision["rule"] == "not_comparable" and decision["decision"] == "tune"
        assert summary["comparability"]["first_difference"]["field"] == detail


def main():
    known = {"reject_file", "reject_record", "reject_or_read_each", "accept", "accept_with_warning",
             "accept_no_failure_with_warning", "accept_but_not_comparable", "failed_run",
             "valid_failed_run", "select", "reject", "pass", "fail", "tune", "no_evidence",
             "not_comparable"}
    failed = 0
    with open(os.path.join(cases, "expected.json"), encoding="utf-8") as file:
        expected = [case for case in json.load(file)
                    if not case["files"][0].startswith("logs/")] # test_log_cases.py
    for case in expected:
        assert case["outcome"].partition(":")[0] in known, case["outcome"]
        try:
            check(case)
        except (AssertionError, KeyError, TypeError, IndexError) as error:
            failed += 1
            print(f"{' '.join(case['files'])} {case['options']}: expected {case['outcome']}: "
                  f"{type(error).__name__} {str(error)[:400]}")
    print(f"{len(expected)} cases, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
