#!/usr/bin/env python3
"""analyze and verify, end to end: test_analyze.py PROGRAM CASES"""
import copy
import json
import os
import pathlib
import shutil
import sys
import unittest

from program_case import ProgramCase

CASES = None


def record(strategy, **changes):
    """A sound record of ours; changes are metrics, or whole sections with section__ before."""
    document = {
        "strategy": strategy,
        "workload": {"model": "gpt", "parameters": 1048576, "world_size": 4, "micro_batch": 8,
                     "gradient_accumulation": 2, "global_batch": 64, "seq_len": 32,
                     "dtype": "fp32", "width": 64, "layers": 4, "heads": 1, "vocab": 128,
                     "activation_checkpointing": False},
        "hardware": {"device": "X"},
        "metrics": {"peak_memory_mb": 100, "throughput": 1000, "communication_ratio": 0.2},
        "evidence_level": "multi_gpu",
        "failure": None,
        "decision": "measured",
    }
    for name, value in changes.items():
        if name.startswith("section__"):
            document[name[len("section__"):]] = value
        elif name.startswith("workload__"):
            document["workload"][name[len("workload__"):]] = value
        else:
            document["metrics"][name] = value
    return document


class Analyze(ProgramCase):
    def summary(self, *arguments, code=0):
        run = self.run_program("analyze", "--output", "-", *arguments)
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def case(self, name):
        shutil.copy(os.path.join(CASES, name), self.folder)
        return os.path.basename(name)

    def two(self):
        return [self.case("upstream/u01_gpt2_124m_ddp.json"),
                self.case("upstream/u02_gpt2_124m_zero1.json")]

    # ---- decisions ----

    def test_reference_gates_and_selection(self):
        self.write("ddp.json", record("ddp", throughput=130, peak_memory_mb=12000))
        self.write("zero2.json", record("zero2", throughput=112, communication_ratio=0.20,
                                        peak_memory_mb=9000))
        self.write("zero3.json", record("zero3", throughput=105, communication_ratio=0.31,
                                        peak_memory_mb=7000))
        summary = self.summary("--memory-limit-mb", "10000", ".")
        self.assertEqual(summary["selection"]["decision"], "accept")
        self.assertEqual(summary["selection"]["strategy"], "zero2")
        self.assertEqual(summary["strategy"], "zero2")
        self.assertEqual([c["rank"] for c in summary["candidates"]], [None, 1, 2])
        none = self.summary("--memory-limit-mb", "100", ".")
        self.assertEqual(none["selection"]["decision"], "reject")
        self.assertIsNone(none["selection"]["strategy"])
        self.assertTrue(none["selection"]["reason"])

    def test_gates_are_listed_in_their_order(self):
        self.write("a.json", record("zero2", throughput=110, communication_ratio=0.22,
                                    peak_memory_mb=9000))
        limits = ["--memory-limit-mb", "8000", "--min-throughput", "120",
                  "--max-communication-ratio", "0.20"]
        candidate = self.summary(*limits, "a.json")["candidates"][0]
        self.assertEqual(candidate["gate_failures"], ["memory", "throughput", "communication"])
        limits = ["--memory-limit-mb", "9000", "--min-throughput", "110",
                  "--max-communication-ratio", "0.22"]
        candidate = self.summary(*limits, "a.json")["candidates"][0]
        self.assertEqual(candidate["gate_failures"], [])
        self.assertTrue(candidate["eligible"])

    def test_options_override_the_policy(self):
        self.write("policy.json", {"schema": "rankledger.policy/1", "memory_limit_mb": 50})
        self.write("in/a.json", record("ddp"))
        self.assertEqual(self.summary("--policy", "policy.json", "in")["candidates"][0]
                         ["gate_failures"], ["memory"])
        self.assertEqual(self.summary("--policy", "policy.json", "--memory-limit", "1GiB", "in")
                         ["candidates"][0]["gate_failures"], [])

    def test_statistical_ties_let_the_remaining_keys_decide(self):
        self.write("policy.json", {"schema": "rankledger.policy/1", "ties": "statistical"})
        steps = [100, 104, 98, 101, 103, 99, 100, 102]
        for name, times, ratio in (("zero1", steps, 0.2), ("zero2", [t + 0.5 for t in steps], 0.1),
                                   ("zero3", [t * 1.3 for t in steps], 0.05)):
            median = sorted(times)[3] / 2 + sorted(times)[4] / 2
            self.write("in/%s.json" % name, record(
                name, step_times_ms=[times] * 4, step_time_ms=median,
                throughput=1e6 / median, communication_ratio=ratio))
        strict = self.summary("in")["selection"]
        self.assertEqual([strict["strategy"], strict["order"], strict["tied"], strict["fastest"]],
                         ["zero1", [0, 1, 2], [], 0])
        self.assertEqual([tie["id"] for tie in strict["ties"]], ["tie.unresolved"])
        summary = self.summary("--policy", "policy.json", "in")
        found = summary["selection"]
        self.assertEqual([found["strategy"], found["order"], found["tied"], found["fastest"]],
                         ["zero2", [1, 0, 2], [1, 0], 0])
        self.assertEqual(found["reason"], "zero2 ranks first by communication_ratio of 2 whose "
                         "throughputs are not told apart, of 3 that pass every gate")
        self.assertIn("communication_ratio ranks them", found["ties"][0]["text"])
        lower, upper = summary["candidates"][2]["interval"]["ratio_to_fastest"]
        self.assertTrue(0.7 < lower < upper < 1)
        self.run_program("analyze", "--output", "s.json", "--policy", "policy.json", "in")
        self.assertEqual(self.run_program("verify", "s.json").returncode, 0)

    def test_no_tie_is_claimed_of_fewer_than_six_steps(self):
        self.write("policy.json", {"schema": "rankledger.policy/1", "ties": "statistical"})
        for name, times, rate in (("zero1", [100, 101, 99, 100, 100], 1000),
                                  ("zero2", [100] * 7, 999)):
            self.write("in/%s.json" % name, record(name, step_times_ms=[times] * 4,
                                                   step_time_ms=100, throughput=rate))
        found = self.summary("--policy", "policy.json", "in")
        self.assertEqual([tie["id"] for tie in found["selection"]["ties"]], ["tie.no_interval"])
        self.assertEqual(found["selection"]["tied"], [0])
        self.assertEqual(found["candidates"][0]["interval"]["lacks"], "few_samples")
        self.assertIsNone(found["candidates"][0]["interval"]["step_time_ms"])
        self.assertEqual(found["candidates"][1]["interval"]["step_time_ms"], [100, 100])

    def test_one_rank_and_weak_levels_only_tune(self):
        self.write("one/a.json", record("ddp", workload__world_size=1, workload__global_batch=16))
        self.assertEqual(self.summary("one")["decision"]["rule"], "not_sharded")
        self.write("weak/a.json", record("ddp", section__evidence_level="single_gpu_shared"))
        summary = self.summary("--min-throughput", "1", "weak")
        self.assertEqual(summary["decision"]["rule"], "evidence_level")
        self.assertEqual(summary["candidates"][0]["gate_failures"], ["throughput"])

    def test_repeats_are_pooled_and_listed(self):
        self.write("a.json", record("ddp", peak_memory_mb=100, throughput=1000))
        self.write("b.json", record("ddp", peak_memory_mb=110, throughput=1200))
        summary = self.summary("a.json", "b.json")
        self.assertEqual(len(summary["candidates"]), 1)
        self.assertEqual(summary["candidates"][0]["repeats"], 2)
        self.assertEqual(summary["candidates"][0]["sources"], [0, 1])
        self.assertEqual(summary["candidates"][0]["metrics"]["peak_memory_mb"], 110)

    def test_a_group_can_be_picked(self):
        self.write("a.json", record("ddp"))
        self.write("b.json", record("zero1", workload__global_batch=128,
                                    workload__gradient_accumulation=4))
        summary = self.summary(".")
        self.assertEqual(summary["decision"]["rule"], "not_comparable")
        self.assertEqual(summary["comparability"]["first_difference"]["field"], "global_batch")
        self.assertIsNone(summary["strategy"])
        self.assertEqual(summary["candidates"], [])
        picked = self.summary("--group", "global_batch=128", ".")
        self.assertEqual(picked["strategy"], "zero1")
        self.assertEqual(self.run_program("analyze", "--group", "global_batch=7", ".").returncode, 3)
        self.assertEqual(self.run_program("analyze", "--group", "nonsense=7", ".").returncode, 2)

    def test_an_inversion_is_named_with_phase_and_category(self):
        def with_memory(strategy, peak, buffers):
            phases = [{"phase": "forward", "peak_bytes": 10 * 2**20},
                      {"phase": "backward", "peak_bytes": peak * 2**20}]
            if buffers:
                phases[1]["by_category"] = {"activations": (peak - buffers) * 2**20,
                                            "communication_buffers": buffers * 2**20}
            return record(strategy, peak_memory_mb=peak, section__schema="rankledger.evidence/1",
                          section__memory={"per_rank": [{"rank": rank, "phases": phases}
                                                        for rank in range(4)]})
        self.write("a.json", with_memory("ddp", 90, 5))
        self.write("b.json", with_memory("zero2", 120, 35))
        notes = [n for n in self.summary(".")["decision"]["notes"] if n["id"] == "note.inversion_phase"]
        self.assertEqual(len(notes), 1)
        self.assertEqual(notes[0]["values"]["phase"], "backward")
        self.assertEqual(notes[0]["values"]["category"], "communication_buffers")
        self.assertEqual(notes[0]["values"]["category_mb"], 35)
        self.write("b.json", with_memory("zero2", 120, None))
        self.assertIn("note.inversion_unexplained",
                      [note["id"] for note in self.summary(".")["decision"]["notes"]])

    # ---- exit codes and input ----

    def test_exit_codes_follow_the_decision_where_asked(self):
        self.write("ok/a.json", record("ddp"))
        self.write("bad/a.json", record("ddp"))
        self.write("bad/b.json", record("zero9"))
        for arguments, code in ((["ok"], 0), (["--memory-limit-mb", "99", "ok"], 6),
                                (["--memory-limit-mb", "1", "ok"], 1), (["bad"], 7),
                                (["--allow-invalid", "bad"], 7)):
            run = self.run_program("analyze", "--exit-code", *arguments)
            self.assertEqual(run.returncode, code, (arguments, run.stdout))
        self.assertEqual(self.run_program("analyze", "bad").returncode, 1)
        self.assertEqual(self.run_program("analyze", "--memory-limit-mb", "1", "ok").returncode, 0)

    def test_an_invalid_source_is_listed_and_makes_the_decision_incomplete(self):
        self.write("a.json", record("ddp"))
        self.write("b.json", record("zero-1"))
        run = self.run_program("analyze", ".")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr.decode(), r"b\.json:1:\d+: error: /strategy: .*zero1")
        self.assertIn(b"rule: incomplete", run.stdout)
        allowed = self.summary("--allow-invalid", ".", code=1)
        self.assertEqual(allowed["decision"]["rule"], "baseline")
        self.assertTrue(allowed["options"]["allow_invalid"])

    def test_usage_faults_are_told(self):
        self.write("a.json", record("ddp"))
        for arguments in ([], ["--memory-limit", "80G", "a.json"], ["--group", "x", "a.json"],
                          ["--memory-limit", "1GiB", "--memory-limit-mb", "5", "a.json"],
                          ["--memory-limit-mb", "0", "a.json"], ["--min-throughput", "fast", "a.json"],
                          ["--max-communication-ratio", "1.5", "a.json"], ["-0", "a.json"],
                          ["--memory-kind", "virtual", "a.json"], ["--baseline", "zero", "a.json"],
                          ["--output", "a.json", "a.json"]):
            run = self.run_program("analyze", *arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        with open(self.path("a.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["strategy"], "ddp")

    def test_a_missing_path_and_an_empty_folder_stop(self):
        os.mkdir(self.path("empty"))
        self.assertEqual(self.run_program("analyze", "none.json").returncode, 3)
        run = self.run_program("analyze", "empty")
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"no evidence", run.stderr)

    def test_paths_come_from_a_list_and_from_standard_input(self):
        self.write("a b.json", record("ddp"))
        self.write("list", "a b.json\n")
        self.assertEqual(len(self.summary("--files-from", "list")["sources"]), 1)
        self.write("list0", "a b.json\0")
        self.assertEqual(len(self.summary("--files-from", "list0", "-0")["sources"]), 1)
        with open(self.path("a b.json"), "rb") as file:
            run = self.run_program("analyze", "--output", "-", "-", stdin=file)
        self.assertEqual(json.loads(run.stdout)["sources"][0]["path"], "<stdin>")

    def test_lines_of_jsonl_are_records(self):
        self.write("a.jsonl", json.dumps(record("ddp")) + "\n" + json.dumps(record("zero1")) + "\n")
        self.assertEqual([s["path"] for s in self.summary("a.jsonl")["sources"]],
                         ["a.jsonl:1", "a.jsonl:2"])

    def test_an_output_that_cannot_be_written_leaves_nothing(self):
        self.write("a.json", record("ddp"))
        run = self.run_program("analyze", "--output", "none/summary.json", "a.json")
        self.assertEqual(run.returncode, 4)
        self.assertIn(b"none/summary.json", run.stderr)

    def test_hostile_texts_never_reach_the_terminal(self):
        hostile = "\u001b[31m\u0007/home/alice/x\u202e"
        self.write("a\u001b[2Jb.json", record("ddp", section__failure=hostile,
                                              workload__model=hostile))
        self.write("c.json", record("zero1", workload__model=hostile,
                                    section__evidence_level=hostile))
        run = self.run_program("analyze", "--output", "s.json", ".")
        for output in (run.stdout, run.stderr):
            self.assertNotIn(b"\x1b", output)
            self.assertNotIn(b"\x07", output)
            self.assertNotIn("\u202e".encode(), output)
            self.assertNotIn(b"alice", output)

    # ---- the summary ----

    def test_warnings_are_told_beside_the_decision(self):
        self.write("ddp.json", record("ddp", step_time_ms=1000))
        self.write("zero1.json", b"\xef\xbb\xbf".decode() + json.dumps(record("zero1")))
        run = self.run_program("analyze", ".")
        self.assertEqual(run.returncode, 0, run.stderr)
        warnings = run.stdout.decode().split("\nWarnings:\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual(len(warnings), 2, warnings)
        self.assertRegex(warnings[0], r"^  \./ddp\.json:1:\d+: /metrics/throughput: 1000 tokens/s are "
                                      r"stated, .* \[throughput_inconsistent\]$")
        self.assertRegex(warnings[1], r"^  \./zero1\.json:1:1: the file begins with .*order mark")
        self.write("ddp.json", record("ddp"))
        os.remove(self.path("zero1.json"))
        self.assertNotIn(b"Warnings", self.run_program("analyze", ".").stdout)

    def test_many_warnings_and_files_left_out_are_counted(self):
        for i in range(23):
            self.write("r%02d.json" % i, record("ddp", step_time_ms=1000 + i))
        os.makedirs(self.path("s"))
        self.run_program("analyze", "--output", "s/00.json", ".")
        for i in range(1, 23):
            shutil.copy(self.path("s/00.json"), self.path("s/%02d.json" % i))
        out = self.run_program("analyze", ".").stdout.decode()
        self.assertIn("\n  and 3 more that were skipped\n", out)
        self.assertIn("\n  and 3 more; rankledger validate lists all\n", out)

    def test_a_fault_of_a_whole_file_has_no_pointer(self):
        self.write("empty.json", "")
        run = self.run_program("analyze", "empty.json")
        self.assertIn(b"empty.json:1:1: error: the file is empty", run.stderr)

    def test_every_help_fits_a_screen(self):
        commands = ["validate", "analyze", "report", "verify", "ledger", "schema"]
        for arguments in [[]] + [[command] for command in commands]:
            lines = self.run_program(*arguments, "--help").stdout.decode().splitlines()
            self.assertLessEqual(len(lines), 24, arguments)
            self.assertLessEqual(max(map(len, lines)), 80, arguments)

    def test_the_bytes_depend_on_the_evidence_alone(self):
        self.two()
        names = sorted(os.listdir(self.folder))
        outputs = set()
        for arguments in (names, names[::-1], ["."], names + ["."]):
            for environment in ({}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}):
                run = self.run_program("analyze", "--memory-limit", "16GiB", "--output", "-",
                                       *arguments, env={**os.environ, **environment})
                outputs.add(run.stdout)
        self.assertEqual(len(outputs), 1)

    def test_a_second_run_passes_over_its_own_summary(self):
        self.two()
        names = sorted(os.listdir(self.folder))
        summaries = set()
        for paths in (["."], ["."], [*names, "summary.json"]):
            run = self.run_program("analyze", "--output", "summary.json", *paths)
            self.assertEqual(run.returncode, 0)
            self.assertEqual(b"Left out:\n  summary.json: a summary of rankledger" in run.stdout,
                             len(summaries) > 0)
            with open(self.path("summary.json"), "rb") as file:
                summaries.add(file.read())
        self.assertEqual(len(summaries), 1)

    def test_evidence_is_never_written_over(self):
        self.two()
        self.write("bad.json", "{")
        self.write("foreign.json", {"workload": {}, "hardware": "X", "metrics": {},
                                    "evidence_level": "aggregated_x", "failure": "lost",
                                    "decision": "tune", "sources": []})
        os.symlink("bad.json", self.path("link.json"))
        files = sorted(name for name in os.listdir(self.folder) if name.endswith(".json"))
        before = {name: pathlib.Path(self.path(name)).read_bytes() for name in files}
        for name in files:
            for paths in ([name], ["."]):
                run = self.run_program("analyze", "--output", name, *paths)
                if name == "foreign.json" and paths != ["."]:
                    self.assertEqual(run.returncode, 3)
                    continue
                self.assertEqual(run.returncode, 2, name)
                self.assertIn(b"is one of the input files", run.stderr)
        for name in files:
            self.assertEqual(pathlib.Path(self.path(name)).read_bytes(), before[name])

    def test_a_checkpoint_beside_the_evidence_is_passed_over(self):
        self.write("in/a.json", record("ddp"))
        self.write("in/checkpoints/ddp-sharded/index.json",
                   {"files": [], "metadata": {"format": "rankledger.checkpoint/1"}})
        run = self.run_program("analyze", "in")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(b"index.json: the index of a checkpoint is no evidence", run.stdout)
        run = self.run_program("validate", "in")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(b"index.json: note: a checkpoint, skipped", run.stdout)
        # Other metadata do not make a checkpoint of a record.
        self.write("in/a.json", record("ddp", section__metadata={"format": "other"}))
        self.assertIn(b"1 valid", self.run_program("validate", "in").stdout)

    def test_a_policy_beside_the_evidence_is_passed_over(self):
        self.two()
        before = self.run_program("analyze", "--output", "-", ".").stdout
        self.write("policy.json", '{"schema": "rankledger.policy/1", "memory_limit": "80 GiB"}')
        run = self.run_program("analyze", "--output", "-", ".")
        self.assertEqual((run.returncode, run.stdout), (0, before))
        run = self.run_program("analyze", ".")
        self.assertIn(b"policy.json: a policy is no evidence (--policy takes it)", run.stdout)
        run = self.run_program("validate", ".")
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"policy.json: note: a policy, skipped", run.stdout)
        self.assertEqual(self.run_program("validate", "policy.json").returncode, 1)

    def test_labels_name_only_what_varies(self):
        self.two()
        self.write("policy.json", '{"vary": ["micro_batch", "gradient_accumulation"]}')
        run = self.run_program("analyze", "--policy", "policy.json", "--output", "-",
                               *(name for name in os.listdir(self.folder) if name != "policy.json"))
        labels = [candidate["label"] for candidate in json.loads(run.stdout)["candidates"]]
        self.assertEqual(labels, [candidate["strategy"]
                                  for candidate in json.loads(run.stdout)["candidates"]])
        self.assertEqual(len(labels), 2)

    def test_its_own_summary_alone_is_no_evidence(self):
        self.two()
        self.run_program("analyze", "--output", "summary.json", ".")
        run = self.run_program("analyze", "summary.json")
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"no evidence", run.stderr)
        self.assertIn(b"report and verify take it", run.stderr)

    def test_paths_are_relative_to_the_summary(self):
        self.write("in/a.json", record("ddp"))
        os.mkdir(self.path("out"))
        self.run_program("analyze", "--output", "out/s.json", "in/a.json")
        with open(self.path("out/s.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["sources"][0]["path"], "../in/a.json")
        self.assertEqual(self.run_program("verify", "out/s.json").returncode, 0)

    def test_unknown_fields_keep_every_digit(self):
        text = json.dumps(record("ddp"))[:-1] + ', "big": 12345678901234567890123, "x": 1.10, ' \
            '"group": "G0", "path": "elsewhere"}'
        self.write("a.json", text)
        run = self.run_program("analyze", "--output", "-", "a.json")
        self.assertIn(b'"big": 12345678901234567890123', run.stdout)
        self.assertIn(b'"x": 1.10', run.stdout)
        source = json.loads(run.stdout)["sources"][0]
        self.assertEqual(source["original"], {"group": "G0", "path": "elsewhere"})
        self.assertEqual(source["path"], "a.json")

    def test_every_summary_satisfies_the_contract(self):
        groups = [["upstream"], ["compare"], ["json"], ["upstream/u06_failed_no_optimizer.json"],
                  ["upstream/u10_rank_missing.json"], ["compare/c10_zero2_cam1_bs8.json"]]
        for number, paths in enumerate(groups):
            name = self.path(f"s{number}.json")
            self.run_program("analyze", "--output", name, *[os.path.join(CASES, p) for p in paths])
            run = self.run_program("validate", name)
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertEqual(self.run_program("verify", name).returncode, 0, paths)

    def check_sound_summary(self, *paths):
        run = self.run_program("analyze", "--output", "s.json", *paths)
        self.assertEqual(run.returncode, 0, run.stderr)
        for command in (["validate", "s.json"], ["verify", "s.json"],
                        ["report", "--format", "md", "s.json"]):
            run = self.run_program(*command)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        with open(self.path("s.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_summary_of_unusual_evidence_satisfies_the_contract(self):
        # Utilisation above a measured peak is sound only beside the name of that peak.
        self.write("a.json", record("ddp", utilisation=0.9, peak_source="data sheet"))
        self.write("b.json", record("ddp", utilisation=1.25, peak_source="measured here"))
        metrics = self.check_sound_summary("a.json", "b.json")["metrics"]
        self.assertEqual((metrics["utilisation"], metrics["peak_source"]),
                         (1.075, "measured here"))
        # Nothing that the program knows was measured.
        self.write("c.json", record("ddp", section__metrics={"watts": 5}))
        self.assertEqual(self.check_sound_summary("c.json")["metrics"]["source_count"], 1)
        # As deep as evidence may be; "path" moves one level down, below "original".
        deep = "[" * 511 + "]" * 511
        text = json.dumps(record("ddp", section__path="DEEP")).replace('"DEEP"', deep)
        self.write("d.json", text)
        self.assertIn("original", self.check_sound_summary("d.json")["sources"][0])
        self.write("d.json", text.replace(deep, "[" + deep + "]"))
        self.assertEqual(self.run_program("validate", "d.json").returncode, 1)

    def test_faults_of_a_whole_file_have_no_empty_pointer(self):
        self.write("a.json", record("ddp"))
        self.write("b.json", "")
        self.write("c.json", "\ufeff" + json.dumps(record("zero1")))
        run = self.run_program("analyze", "--output", "s.json", ".")
        self.assertIn(b"b.json:1:1: error: the file is empty", run.stderr)
        with open(self.path("s.json"), encoding="utf-8") as file:
            warnings = json.load(file)["sources"][1]["warnings"]
        self.assertTrue(warnings[0].startswith("1:1: the file begins with a UTF-8 byte"), warnings)

    def test_of_millions_of_broken_records_some_are_listed(self):
        self.write("a.json", record("ddp"))
        self.write("b.jsonl", "x\n" * 30000)
        self.write("c.json", {"evidence_level": "aggregated_x", "workload": {}, "hardware": "x",
                              "metrics": {"count": 1}, "failure": None, "decision": "tune",
                              "sources": [{}] * 30000})
        summary = self.summary(".", code=1)
        rejected = summary["rejected_sources"]
        self.assertEqual(len(rejected), 2 * 10001)
        for number, name in (10000, "b.jsonl:10001"), (20001, "c.json#/sources/10000"):
            self.assertEqual(rejected[number]["path"], name)
            self.assertEqual(rejected[number]["errors"][0]["rule"], "more_findings")
        self.write("s.json", summary)
        self.assertEqual(self.run_program("verify", "s.json").returncode, 0)

    # ---- verify ----

    def changed(self, change):
        self.two()
        self.run_program("analyze", "--memory-limit", "16GiB", "--output", "s.json", ".")
        with open(self.path("s.json"), encoding="utf-8") as file:
            summary = json.load(file)
        change(summary)
        self.write("s.json", summary)
        return self.run_program("verify", "s.json")

    def test_an_untouched_summary_verifies(self):
        run = self.changed(lambda summary: None)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_tampered_decision_is_found(self):
        def change(summary):
            summary["decision"]["decision"] = "reject"
        run = self.changed(change)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b'/decision/decision: stored "reject", recomputed "accept"', run.stdout)

    def test_a_number_may_differ_by_rounding_alone(self):
        def change(factor):
            def apply(summary):
                summary["candidates"][0]["ledger"]["resident_mb"] *= factor
            return apply
        self.assertEqual(self.changed(change(1 + 1e-13)).returncode, 0)
        run = self.changed(change(1 + 1e-11))
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"/candidates/0/ledger/resident_mb", run.stdout)

    def test_a_member_more_or_less_is_found(self):
        def more(summary):
            summary["extra"] = 1
        def less(summary):
            del summary["selection"]["reason"]
        self.assertIn(b"/extra: stored 1, recomputed absent", self.changed(more).stdout)
        run = self.changed(less)
        self.assertIn(b"/selection/reason: stored absent", run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_a_changed_source_is_named(self):
        self.changed(lambda summary: None)
        with open(self.path("u01_gpt2_124m_ddp.json"), "a", encoding="utf-8") as file:
            file.write(" ")
        run = self.run_program("verify", "s.json")
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"changed since: u01_gpt2_124m_ddp.json", run.stdout)

    def test_a_moved_source_is_named(self):
        self.changed(lambda summary: None)
        os.rename(self.path("u01_gpt2_124m_ddp.json"), self.path("elsewhere"))
        run = self.run_program("verify", "s.json")
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"u01_gpt2_124m_ddp.json", run.stderr)

    def test_another_program_version_is_told_and_no_difference(self):
        def change(summary):
            summary["program"]["version"] = "99.0"
        run = self.changed(change)
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"99.0", run.stdout)

    def test_another_format_is_refused(self):
        def change(summary):
            summary["schema"] = "rankledger.summary/2"
        run = self.changed(change)
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"rankledger.summary/2", run.stderr)

    def test_what_is_no_summary_is_refused(self):
        self.write("a.json", record("ddp"))
        self.write("b.json", "[]")
        self.write("c.json", "{")
        self.write("d.json", '{"schema": "rankledger.summary/1"}')
        for name in ("a.json", "b.json", "c.json", "d.json", "none.json"):
            run = self.run_program("verify", name)
            self.assertEqual(run.returncode, 3, name)
            self.assertTrue(run.stderr)
        self.assertEqual(self.run_program("verify").returncode, 2)

    def test_sources_inside_other_files_are_found_again(self):
        self.case("upstream/u15_aggregate_unreadable_source.json")
        self.write("lines.jsonl", json.dumps(record("ddp")) + "\n" + json.dumps(record("zero1")))
        self.write("a#/sources/0.json", record("zero2"))
        self.write("b.jsonl:3.json", record("zero3"))
        self.run_program("analyze", "--output", "s.json", ".")
        run = self.run_program("verify", "s.json")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_foreign_summary_without_sources_is_found_again(self):
        name = self.case("upstream/u16_aggregate_no_sources.json")
        self.two()
        self.run_program("analyze", "--output", "s.json", ".")
        run = self.run_program("verify", "s.json")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        os.remove(self.path(name))
        self.assertEqual(self.run_program("verify", "s.json").returncode, 3)

    def test_damaged_summaries_are_never_taken_for_sound(self):
        self.changed(lambda summary: None)
        with open(self.path("s.json"), encoding="utf-8") as file:
            summary = json.load(file)

        def places(value, at=()):
            yield at
            items = value.items() if isinstance(value, dict) else \
                enumerate(value) if isinstance(value, list) else ()
            for key, inner in items:
                yield from places(inner, at + (key,))
        for at in list(places(summary))[1::37]:
            for damage in (None, "x", [], {}, -1, 1e300):
                damaged = copy.deepcopy(summary)
                inner = damaged
                for key in at[:-1]:
                    inner = inner[key]
                if inner[at[-1]] == damage:
                    continue
                inner[at[-1]] = damage
                self.write("s.json", damaged)
                run = self.run_program("verify", "s.json")
                expected = (0,) if at == ("program", "version") else (1, 3)
                self.assertIn(run.returncode, expected, (at, damage, run.stdout, run.stderr))


if __name__ == "__main__":
    ProgramCase.program, CASES = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
