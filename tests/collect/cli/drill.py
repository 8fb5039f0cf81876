#!/usr/bin/env python3
"""The fault drill: every failure ends in sound evidence, and nothing is left behind.

drill.py PROGRAM RANKLEDGER [--few] [--timeout SECONDS]

Each kind of fault is injected into rank 1 (a full disk of a full checkpoint: rank 0) of ddp and
fsdp_full_shard in the first step, in the middle and at the checkpoint, wherever it can happen, and
once into each of the other strategies. Both strategies of a run fail, so that the second one's
evidence also shows that the run went on after the first. --few: one place of each kind.
"""
import argparse
import concurrent.futures
import shutil
import sys

import evidence_sums
from collector import Collector

STEPS = 5  # warm-up and repeats of collector.SMALL
PAIR = ["ddp", "fsdp_full_shard"]
OTHERS = ["zero1", "zero2", "zero3"]

# Fault: kind of failure, phase in a step, phase at a checkpoint (None: cannot happen there).
FAULTS = {
    "kill": ("rank_lost", "backward", "checkpoint_save"),
    "hang": ("timeout", "backward", "checkpoint_save"),
    "oom": ("out_of_memory", "forward", "checkpoint_save"),
    "nan": ("non_finite", "optimizer", None),
    "slow": (None, None, None),
    "disk_full": ("checkpoint", None, "checkpoint_save"),
}


class Case:
    def __init__(self, fault, place, strategies, checkpoint="full"):
        self.fault, self.place, self.strategies = fault, place, strategies
        self.checkpoint = checkpoint
        self.rank = 0 if fault == "disk_full" and checkpoint == "full" else 1

    def __str__(self):
        return f"{self.fault} at {self.place} of {','.join(self.strategies)}"

    def options(self, timeout):
        options = ["--strategy", ",".join(self.strategies), "--timeout", str(timeout),
                   "--inject", f"{self.fault}@rank:{self.rank},step:{self.place}"]
        if self.place == "checkpoint":
            options += ["--checkpoint", self.checkpoint]
        return options


def cases(few):
    for fault, (_, in_step, at_checkpoint) in FAULTS.items():
        places = [0, 3] if in_step or fault == "slow" else []
        places += ["checkpoint"] if at_checkpoint else []
        if few:
            places = places[-1:]
        for place in places:
            yield Case(fault, place, PAIR)
        if not few:
            place = places[-1] if fault == "disk_full" else places[1]
            yield Case(fault, place, OTHERS, checkpoint="sharded")


def check_failure(case, document):
    kind, in_step, at_checkpoint = FAULTS[case.fault]
    failure = document["failure"]
    if kind is None:
        if failure is not None:
            yield f"failed: {failure}"
        return
    if failure is None:
        yield "did not fail"
        return
    at_end = case.place == "checkpoint"
    wanted = {
        "kind": kind,
        "phase": at_checkpoint if at_end else in_step,
        "rank": None if case.fault == "nan" else case.rank,  # every rank sees the same norm
        "step": None if at_end else case.place,
    }
    for field, value in wanted.items():
        if failure[field] != value:
            yield f"{field} is {failure[field]!r}, not {value!r}: {failure['reason']}"
    if kind == "out_of_memory" and not (
            failure["asked_bytes"] > 0 and failure["category"] and
            failure["in_use_bytes"] + failure["asked_bytes"] > failure["limit_bytes"]):
        yield f"amounts make no sense: {failure}"
    if document["decision"] != "failed":
        yield f"decision is {document['decision']}"


def check_measured(case, document):
    """What was measured before the failure is there: whole steps, and no more than there were."""
    done = STEPS if case.place == "checkpoint" or case.fault == "slow" else case.place
    times = document["metrics"].get("step_times_ms", [[], []])
    if [len(row) for row in times] != [max(done - 1, 0)] * 2:
        # A rank may have completed the step in which another one failed; never the failed one's.
        if len(times[case.rank]) != max(done - 1, 0):
            yield f"{[len(row) for row in times]} measured steps after {done}"
    losses = len(document["metrics"].get("losses", []))
    if losses != done + (case.fault == "nan"):
        yield f"{losses} losses after {done} steps"
    if not document["run"]["injected_faults"][0]["happened"]:
        yield "the evidence does not say that the fault was injected"
    if case.place == "checkpoint" and "peak_memory_mb" not in document["metrics"]:
        yield "the peak of the training that went well is missing"


def drill(case, program, rankledger, timeout):
    collector = Collector(program, rankledger)
    faults = []
    try:
        run = collector.train(*case.options(timeout))
        expected = 0 if case.fault == "slow" else 1
        if run.returncode != expected:
            faults.append(f"exit code {run.returncode}: {run.stdout}{run.stderr}")
        if "Sanitizer" in run.stderr or "runtime error" in run.stderr:
            faults.append(run.stderr)
        for strategy in case.strategies:
            document = collector.evidence(strategy)
            faults += [f"{strategy}: {fault}" for fault in check_failure(case, document)]
            faults += [f"{strategy}: {fault}" for fault in check_measured(case, document)]
            faults += [f"{strategy}: {fault}" for fault in evidence_sums.faults_of(document)]
        validation = collector.validate()
        if validation.returncode != 0:
            faults.append(validation.stdout)
        faults += [f"left behind: {what}" for what in collector.left_behind()]
    except (OSError, KeyError, ValueError) as error:
        faults.append(f"{type(error).__name__}: {error}\n{run.stdout}{run.stderr}")
    finally:
        collector.end()
        shutil.rmtree(collector.folder)
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("rankledger")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--timeout", type=float, default=2)
    arguments = parser.parse_args()
    failed = 0
    # Two at a time: most of a drill is waiting.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        drills = {pool.submit(drill, case, arguments.program, arguments.rankledger,
                              arguments.timeout): case for case in cases(arguments.few)}
        for done in concurrent.futures.as_completed(drills):
            for fault in done.result():
                failed += 1
                print(f"{drills[done]}: {fault}")
    print(f"{len(drills)} drills, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
