#!/usr/bin/env python3
"""What a summary tells beyond gates and decision, end to end: test_summary.py PROGRAM"""
import json
import os
import sys
import unittest

from program_case import ProgramCase


def record(strategy, step_ms, steps=2, **sections):
    """A sound record with samples: 2 ranks, of which the second is slower."""
    document = {
        "strategy": strategy,
        "workload": {"model": "gpt", "parameters": 1048576, "world_size": 2, "micro_batch": 8,
                     "global_batch": 16, "seq_len": 32, "dtype": "fp32"},
        "hardware": {"device": "X", "hosts": 1},
        "metrics": {"peak_memory_mb": 100, "throughput": 512000 / step_ms,
                    "step_time_ms": step_ms, "communication_ratio": 0.2,
                    "step_times_ms": [[step_ms - 1] * steps, [step_ms] * steps]},
        "evidence_level": "multi_gpu",
        "failure": None,
        "decision": "measured",
    }
    for name, value in sections.items():
        document[name] = value
    return document


def timing(step_ms, rank=1):
    def parts(number, factor):
        return {"rank": number, "step_ms": step_ms * factor, "forward_ms": 0.25 * step_ms * factor,
                "backward_ms": 0.5 * step_ms * factor, "optimizer_ms": 0.125 * step_ms * factor,
                "exposed_ms": 0.0625 * step_ms * factor, "other_ms": 0.0625 * step_ms * factor,
                "in_flight_ms": 0.5 * step_ms * factor}
    return {"per_rank": [parts(1 - rank, 0.5), parts(rank, 1)]}


class Told(ProgramCase):
    def summary(self, *arguments):
        run = self.run_program("analyze", "--output", "summary.json", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.run_program("verify", "summary.json").returncode, 0)
        with open(self.path("summary.json"), encoding="utf-8") as file:
            return json.load(file)["groups"][0]

    def test_a_step_is_split_as_the_slowest_rank_spent_it(self):
        self.write("a.json", record("ddp", 64, timing=timing(64)))
        candidate = self.summary("a.json")["candidates"][0]
        self.assertEqual(candidate["timing"], {
            "rank": 1, "runs": 1, "steps": 2, "step_ms": 64, "forward_ms": 16, "backward_ms": 32,
            "optimizer_ms": 8, "exposed_ms": 4, "other_ms": 4, "in_flight_ms": 32})

    def test_repeats_are_weighted_by_their_steps(self):
        self.write("a.json", record("ddp", 64, steps=1, timing=timing(64)))
        self.write("b.json", record("ddp", 32, steps=3, timing=timing(32, rank=0)))
        self.write("c.json", record("ddp", 16, steps=8))  # tells of no parts
        split = self.summary(".")["candidates"][0]["timing"]
        self.assertEqual(split["step_ms"], (64 + 3 * 32) / 4)
        self.assertEqual(split["forward_ms"], (64 + 3 * 32) / 16)
        self.assertEqual((split["steps"], split["runs"]), (4, 2))
        self.assertIsNone(split["rank"], "another one in each run")

    def test_what_one_repeat_does_not_tell_is_not_guessed(self):
        less = timing(32)
        del less["per_rank"][1]["other_ms"]
        self.write("a.json", record("ddp", 64, timing=timing(64)))
        self.write("b.json", record("ddp", 32, timing=less))
        self.write("c.json", record("zero1", 32))
        candidates = self.summary(".")["candidates"]
        self.assertIsNone(candidates[0]["timing"]["other_ms"])
        self.assertEqual(candidates[0]["timing"]["step_ms"], 48)
        self.assertIsNone(candidates[1]["timing"])

    def test_the_ledger_is_told_at_other_world_sizes(self):
        self.write("a.json", record("ddp", 64))
        self.write("b.json", record("zero1", 64))
        self.write("c.json", record("zero3", 64))
        candidates = self.summary(".")["candidates"]
        sizes = [1 << i for i in range(11)]
        # 2^20 parameters in fp32: 4 MiB of parameters, 4 of gradients, 8 of optimizer state.
        whole = [[4, 4, 8], [4, 4, 0], [0, 0, 0]]
        shared = [[0, 0, 0], [0, 0, 8], [4, 4, 8]]
        for i, candidate in enumerate(candidates):
            self.assertEqual(candidate["ledger"]["scale"]["world_size"], sizes)
            self.assertEqual(candidate["ledger"]["scale"]["resident_mb"],
                             [sum(whole[i]) + sum(shared[i]) / size for size in sizes])
            self.assertEqual(candidate["ledger"]["scale"]["resident_mb"][1],
                             candidate["ledger"]["resident_mb"])

    def test_without_a_ledger_there_is_no_scale(self):
        unknown = record("ddp", 64)
        del unknown["workload"]["parameters"]
        self.write("a.json", unknown)
        self.assertIsNone(self.summary("a.json")["candidates"][0]["ledger"]["scale"])

    def test_the_front_holds_what_nothing_beats(self):
        for name, step_ms, peak in (("ddp", 32, 300), ("zero1", 40, 200), ("zero2", 64, 250),
                                    ("zero3", 80, 100)):
            run = record(name, step_ms)
            run["metrics"]["peak_memory_mb"] = peak
            self.write(name + ".json", run)
        self.assertEqual([candidate["on_front"] for candidate in self.summary(".")["candidates"]],
                         [True, True, False, True])

    def test_calibration_stands_beside_the_collectives(self):
        links = [{"collective": "all_reduce", "payload_bytes": 1 << 20, "ms": 1,
                  "bus_gb_per_s": 2.5},
                 {"payload_bytes": 1 << 20, "bus_gb_per_s": 3},
                 {"collective": "all_gather", "payload_bytes": 1 << 21, "bus_gb_per_s": None}]
        self.write("a.json", record("ddp", 64, calibration={"links": links}))
        self.assertEqual(self.summary("a.json")["candidates"][0]["links"],
                         [{"collective": "all_reduce", "payload_mb": 1, "bus_gb_per_s": 2.5}])

    def test_conditions_tell_what_differs_and_no_secrets(self):
        own = {"kernel": "Linux 6.1", "mpi": "Open MPI", "hostname": "secret-host",
               "variables": {"SECRET_TOKEN": "x"}}
        run = {"program": "p", "version": "1", "started_utc": "2026-01-31T10:11:12Z",
               "command_line": ["p", "--secret"], "id": "secret-id"}
        self.write("a.json", record("ddp", 64, environment=own, run=run))
        self.write("b.json", record("zero1", 64, environment=dict(own, kernel="Linux 6.2"),
                                    run=dict(run, started_utc="2026-01-31T11:00:00Z")))
        conditions = self.summary(".")["conditions"]
        self.assertEqual(conditions, [
            {"name": "hardware.hosts", "values": [1]},
            {"name": "environment.kernel", "values": ["Linux 6.1", "Linux 6.2"]},
            {"name": "environment.mpi", "values": ["Open MPI"]},
            {"name": "run.program", "values": ["p"]},
            {"name": "run.version", "values": ["1"]},
            {"name": "run.started_utc", "values": ["2026-01-31"]}])

    def test_labels_come_with_their_parts(self):
        for batch in (8, 16):
            run = record("ddp", 64 + batch)
            run["workload"].update(micro_batch=batch, global_batch=2 * batch)
            self.write(f"{batch}.json", run)
        self.write("policy.json", {"schema": "rankledger.policy/1",
                                   "vary": ["micro_batch", "global_batch"]})
        group = self.summary("--policy", "policy.json", ".")
        self.assertEqual([candidate["varied"] for candidate in group["candidates"]],
                         [[{"name": "global_batch", "value": 2 * batch},
                           {"name": "micro_batch", "value": batch}] for batch in (8, 16)])
        self.assertEqual((group["label_fields"], group["label_path"]), ([], None))
        for language, said, other in (("en", "micro-batch 16", "微批"),
                                      ("zh", "微批大小 16", "micro-batch")):
            run = self.run_program("report", "--language", language, "--format", "md,svg",
                                   "--output", language, "summary.json")
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(self.path(language + "/report.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn(said, text)
            self.assertNotIn(other, text)


if __name__ == "__main__":
    ProgramCase.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
