#!/usr/bin/env python3
"""compare through the built program: test_compare.py PROGRAM"""
import json
import os
import shutil
import subprocess
import sys
import unittest

import interval_model
from program_case import ProgramCase
from test_analyze import record

STEPS = [100.0, 104, 98, 101, 103, 99, 100, 102, 97, 105]


def timed(strategy, times, **changes):
    """A record whose step times and throughput agree: 64 sequences of 32 tokens a step."""
    median = interval_model.middle(times)
    return record(strategy, **{"step_times_ms": [times] * 4, "step_time_ms": median,
                               "throughput": 64 * 32 / (median / 1000), **changes})


class Compare(ProgramCase):
    def compare(self, *arguments, code=0):
        run = self.run_program("compare", "--format", "json", *arguments)
        self.assertEqual(run.returncode, code, run.stderr.decode() + "%s" % run.stdout[:300])
        return json.loads(run.stdout)

    def two(self, base, new):
        """One record a side, as a.json and b.json."""
        self.write("a.json", base)
        self.write("b.json", new)
        return "a.json", "b.json"

    @staticmethod
    def value(comparison, name, strategy=0):
        values = comparison["groups"][0]["strategies"][strategy]["values"]
        return next(value for value in values if value["name"] == name)

    def ids(self, comparison):
        findings = comparison["findings"] + [f for g in comparison["groups"] for f in g["findings"]]
        return sorted(finding["id"] for finding in findings)

    # ---- values ----

    def test_a_change_that_samples_resolve(self):
        slower = [t * 1.1 for t in STEPS]
        found = self.compare(*self.two(timed("zero1", STEPS), timed("zero1", slower)))
        value = self.value(found, "throughput")
        self.assertEqual(value["verdict"], "worse")
        self.assertAlmostEqual(value["relative"], 1 / 1.1 - 1, places=9)
        self.assertAlmostEqual(value["worse_by"], 1 - 1 / 1.1, places=9)
        self.assertEqual(value["interval_unit"], "within_run")
        base, new = (interval_model.medians(t, [10]) for t in (STEPS, slower))
        lower, upper = interval_model.bounds([a / b for a, b in zip(base, new)])
        self.assertAlmostEqual(value["ratio_interval"][0], lower, places=9)
        self.assertAlmostEqual(value["ratio_interval"][1], upper, places=9)
        self.assertEqual(self.ids(found), ["compare.within_run", "compare.worse_resolved"],
                         "steps of one run are called that")
        self.assertEqual((found["regressions"], found["improvements"], found["beyond"]), (1, 0, 0))
        step = self.value(found, "step_time_ms")
        self.assertEqual((step["base"], step["verdict"]), (100.5, "worse"))

    def test_a_change_within_noise_is_no_regression(self):
        noisy = [85.0, 121, 90, 126, 88, 119, 95, 117, 109, 107]
        sides = self.two(timed("zero1", STEPS), timed("zero1", noisy))
        found = self.compare("--max-regression", "1", *sides)
        value = self.value(found, "throughput")
        self.assertEqual((value["verdict"], value["worse_by"]), ("within_noise", 0))
        self.assertLess(value["relative"], -0.02)
        self.assertEqual(self.ids(found), ["compare.noise"])

    def test_without_samples_the_tolerance_judges_and_says_so(self):
        sides = self.two(record("zero1", throughput=1000), record("zero1", throughput=970))
        found = self.compare(*sides)
        self.assertEqual(self.value(found, "throughput")["verdict"], "worse")
        self.assertIn("fewer than 6 steps on a side, so judged by the tolerance of 2 %",
                      found["groups"][0]["findings"][0]["text"])
        found = self.compare("--tolerance", "3", *sides)
        self.assertEqual(self.value(found, "throughput")["verdict"], "within_tolerance")
        self.assertEqual(found["verdict"]["id"], "compare.verdict_same")

    def test_rounds_are_drawn_where_both_have_six(self):
        rounds = [{"round": i, "steps": 2} for i in range(6)]
        times = STEPS + [100.0, 101]
        documents = [timed("zero1", t, section__rounds=rounds) for t in
                     (times, [t * 1.2 for t in times])]
        value = self.value(self.compare(*self.two(*documents)), "throughput")
        self.assertEqual(value["interval_unit"], "round")
        medians = [interval_model.medians(t, [2] * 6) for t in (times, [t * 1.2 for t in times])]
        expected = interval_model.bounds([a / b for a, b in zip(*medians)])
        self.assertAlmostEqual(value["ratio_interval"][0], expected[0], places=9)

    def test_the_limit_itself_is_no_regression(self):
        sides = self.two(record("zero1", peak_memory_mb=100), record("zero1", peak_memory_mb=105))
        self.assertEqual(self.compare("--max-regression", "5", *sides)["beyond"], 0)
        found = self.compare("--max-regression", "4.99", *sides, code=1)
        self.assertTrue(self.value(found, "peak_memory_mb")["beyond"])
        self.assertEqual(found["verdict"]["id"], "compare.verdict_beyond")
        self.assertEqual(self.compare(*sides)["beyond"], 0, "nothing was asked for")

    def test_exposed_communication_is_judged_in_points_of_the_step(self):
        sides = self.two(record("zero1", communication_ratio=0.01),
                         record("zero1", communication_ratio=0.05))
        value = self.value(self.compare("--max-regression", "4", *sides), "communication_ratio")
        self.assertEqual(value["verdict"], "worse")
        self.assertAlmostEqual(value["worse_by"], 0.04)
        self.compare("--max-regression", "3.9", *sides, code=1)
        self.compare("--max-regression", "3.9", "--fail-on", "memory,throughput", *sides)

    def test_payload_and_state_are_compared(self):
        rows = [{"collective": "all_reduce", "purpose": "gradient_reduction", "calls": 2,
                 "payload_bytes": n, "expected_bytes": n} for n in (2**20, 3 * 2**20)]
        sides = self.two(record("zero1", section__communication={"collectives": rows[:1]}),
                         record("zero1", section__communication={"collectives": rows}))
        found = self.compare("--max-regression", "200", *sides, code=1)
        value = self.value(found, "communication_payload_mb")
        self.assertEqual((value["base"], value["new"], value["relative"]), (1, 4, 3))
        self.assertEqual(self.value(found, "resident_mb")["verdict"], "same")

    def test_a_base_of_zero_has_no_ratio(self):
        sides = self.two(record("zero1", checkpoint_peak_memory_mb=0, throughput=0),
                         record("zero1", checkpoint_peak_memory_mb=10, throughput=10))
        found = self.compare("--max-regression", "5", *sides)
        value = self.value(found, "checkpoint_peak_memory_mb")
        self.assertEqual((value["verdict"], value["relative"], value["change"]),
                         ("worse", None, 10))
        self.assertEqual(self.value(found, "throughput")["verdict"], "better")
        text = self.run_program("compare", *sides).stdout.decode()
        self.assertIn("from 0", text)

    def test_extreme_values_are_no_numbers_of_json(self):
        sides = self.two(record("zero1", throughput=5e-324, peak_memory_mb=1e-300),
                         record("zero1", throughput=1e308, peak_memory_mb=1e308))
        found = self.compare(*sides)
        self.assertEqual(self.value(found, "throughput")["verdict"], "better")
        self.assertIsNone(self.value(found, "peak_memory_mb")["relative"])

    # ---- unlike things ----

    def test_unlike_kinds_of_memory_are_not_compared(self):
        sides = self.two(record("zero1", peak_memory_mb=100, memory_kind="device"),
                         record("zero1", peak_memory_mb=900, memory_kind="allocated"))
        found = self.compare("--max-regression", "5", *sides, code=1)
        value = self.value(found, "peak_memory_mb")
        self.assertEqual((value["verdict"], value["unlike"]), ("not_comparable", "kind"))
        self.assertTrue(value["beyond"], "that it is no worse cannot be shown")
        self.assertFalse(self.value(self.compare(*sides), "peak_memory_mb")["beyond"])
        self.assertEqual(self.ids(found), ["compare.kind_differs"])

    def test_that_times_do_not_count_is_said_once(self):
        untimed = {"section__evidence_level": "single_gpu_shared", "step_time_ms": 100}
        found = self.compare(*self.two(record("ddp", **untimed), record("ddp", throughput=900, **untimed)))
        self.assertEqual([f["id"] for f in found["groups"][0]["findings"]].count("compare.times"), 1)

    def test_a_kind_that_both_have_is_compared(self):
        peaks = {"peak_memory_mb": 90, "memory_kind": "allocated"}
        sides = self.two(record("zero1", **peaks, peak_device_mb=200),
                         record("zero1", **{**peaks, "peak_memory_mb": 99}))
        value = self.value(self.compare(*sides), "peak_memory_mb")
        self.assertEqual((value["kind"], value["base"], value["new"]), ("allocated", 90, 99))

    def test_nothing_comparable_is_no_success(self):
        for change, field in (({"workload__seq_len": 64}, "seq_len"),
                              ({"throughput_unit": "samples/s"}, "throughput_unit"),
                              ({"section__hardware": {"device": "Y"}}, "device")):
            found = self.compare(*self.two(record("zero1"), record("zero1", **change)), code=3)
            self.assertEqual(found["groups"], [])
            self.assertEqual(found["missing_groups"][0]["differs_in"], field)
            self.assertEqual(self.ids(found),
                             ["compare.group_missing_near", "compare.group_new_near"])

    def test_a_policy_may_free_a_field(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "vary": ["seq_len"]})
        sides = self.two(record("zero1"), record("zero1", workload__seq_len=64))
        found = self.compare("--policy", "p.json", *sides, code=3)
        self.assertEqual(len(found["groups"]), 1)
        self.assertEqual([s["presence"] for s in found["groups"][0]["strategies"]],
                         ["missing", "new"], "another setting is another candidate")

    def test_times_that_do_not_count_are_not_compared(self):
        level = {"section__evidence_level": "single_gpu_shared"}
        sides = self.two(record("zero1", throughput=100, **level),
                         record("zero1", throughput=50, **level))
        found = self.compare("--max-regression", "5", *sides)
        self.assertEqual(self.value(found, "throughput")["unlike"], "times")

    def test_what_is_not_measured_any_more_is_told_and_counts(self):
        lost = record("zero1")
        del lost["metrics"]["throughput"]
        sides = self.two(record("zero1"), lost)
        found = self.compare("--max-regression", "50", *sides, code=1)
        self.assertEqual(self.value(found, "throughput")["verdict"], "no_longer_measured")
        self.assertEqual(self.ids(found), ["compare.lost"])
        self.compare("--max-regression", "50", "--fail-on", "memory", *sides)
        found = self.compare("--max-regression", "50", *reversed(sides))
        self.assertEqual(self.value(found, "throughput")["verdict"], "newly_measured")

    # ---- failures, gates, losses, presence ----

    def test_a_run_that_fails_now_is_a_regression(self):
        failed = record("zero1", section__failure={"reason": "rank 1 died"},
                        section__metrics={}, section__decision="failed")
        sides = self.two(record("zero1"), failed)
        self.assertEqual(self.ids(self.compare(*sides))[:2], ["compare.decision", "compare.fails"])
        found = self.compare("--max-regression", "99", *sides, code=1)
        self.assertEqual(found["beyond"], 1, "its metrics are lost with it")
        self.assertIn("compare.fails", self.ids(found))
        found = self.compare("--max-regression", "99", *reversed(sides))
        self.assertIn("compare.recovered", self.ids(found))

    def test_what_a_failed_run_measured_is_not_compared(self):
        died = record("zero1", peak_memory_mb=1, section__failure={"reason": "rank 1 died"})
        sides = self.two(died, record("zero1", peak_memory_mb=100))
        for order in (sides, sides[::-1]):
            found = self.compare(*order)
            value = self.value(found, "peak_memory_mb")
            self.assertEqual((value["verdict"], value["unlike"]), ("not_comparable", "failed"))
            self.assertNotIn("compare.worse", self.ids(found))
            self.assertNotIn("compare.better", self.ids(found))
        self.compare("--max-regression", "5", *sides)

    def test_strategies_and_groups_that_are_missing_or_new(self):
        for side, names in (("a", ("ddp", "zero1")), ("b", ("zero1", "zero2"))):
            for name in names:
                self.write("%s/%s.json" % (side, name), record(name))
        self.write("a/other.json", record("ddp", workload__model="other"))
        found = self.compare("--max-regression", "5", "a", "b")
        self.assertEqual([(s["label"], s["presence"]) for s in found["groups"][0]["strategies"]],
                         [("ddp", "missing"), ("zero1", "both"), ("zero2", "new")])
        self.assertEqual(found["missing_groups"][0]["differs_in"], "model")
        found = self.compare("--fail-on", "missing", "a", "b", code=1)
        self.assertEqual(found["beyond"], 2)

    def test_gates_selection_decision_and_policies(self):
        limit = ("--memory-limit-mb", "110")
        self.write("e/ddp.json", record("ddp", throughput=900))
        self.write("e/zero1.json", record("zero1"))
        self.run_program("analyze", *limit, "--output", "a.json", "e")
        self.write("e/zero1.json", record("zero1", peak_memory_mb=120))
        self.run_program("analyze", "--memory-limit-mb", "115", "--output", "b.json", "e")
        found = self.compare("a.json", "b.json")
        self.assertEqual(found["policy_differences"],
                         [{"field": "memory_limit_mb", "base": "110", "new": "115"}])
        self.assertEqual(self.ids(found), ["compare.gate_fails", "compare.policy",
                                           "compare.selected", "compare.worse"])
        self.assertEqual((found["groups"][0]["base"]["strategy"],
                          found["groups"][0]["new"]["strategy"]), ("zero1", "ddp"))
        self.compare("--fail-on", "gates", "a.json", "b.json", code=1)
        self.compare("--fail-on", "decision", "a.json", "b.json")

    def test_a_gate_that_was_not_applied_was_not_passed(self):
        self.write("e/zero1.json", record("zero1", communication_ratio=0.4))
        self.run_program("analyze", "--output", "a.json", "e")
        self.write("p.json", {"schema": "rankledger.policy/1", "min_throughput": 9000,
                              "max_communication_ratio": 0.3})
        self.run_program("analyze", "--policy", "p.json", "--output", "b.json", "e")
        found = self.compare("--fail-on", "gates", "a.json", "b.json")
        told = {f["id"]: f for f in found["groups"][0]["findings"]}
        gate = told["compare.gate_fails_applied"]
        self.assertEqual((gate["tendency"], gate["beyond"]), ("note", False))
        self.assertIn("which was not applied in BASE: 1,000 against a limit of 9,000", gate["text"])
        self.assertIn("BASE: 40 % against a limit of 30 %",
                      told["compare.gate_fails_applied_share"]["text"])
        self.assertNotIn("compare.gate_fails", self.ids(found))

    def test_a_gate_that_was_not_evaluated_is_not_passed(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "min_throughput": 2000})
        slow, failed = record("zero1"), record("zero1", section__failure="lost")
        del failed["metrics"]["throughput"]
        self.two(slow, failed)
        found = self.compare("--policy", "p.json", "a.json", "b.json")
        self.assertIn("compare.fails", self.ids(found))
        self.assertEqual(found["improvements"], 0, self.ids(found))
        found = self.compare("--policy", "p.json", "b.json", "a.json")
        self.assertEqual(found["regressions"], 0, self.ids(found))
        self.write("b.json", record("zero1", throughput=3000))
        self.assertIn("compare.gate_passes",
                      self.ids(self.compare("--policy", "p.json", "a.json", "b.json")))

    def test_gates_are_told_in_their_own_units(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "max_communication_ratio": 0.3,
                              "min_evidence_level": "multi_gpu"})
        self.write("a.json", record("zero1", communication_ratio=0.3,
                                    section__evidence_level="multi_gpu"))
        self.write("b.json", record("zero1", communication_ratio=0.4,
                                    section__evidence_level="published_report"))
        text = self.run_program("compare", "--policy", "p.json", "a.json", "b.json").stdout.decode()
        self.assertIn("now, which it passed: 40 % against a limit of 30 %.", text)
        self.assertIn("now, which it passed: published_report is below multi_gpu.", text)

    def test_a_decision_that_became_worse(self):
        for side, rate in (("a", 1000), ("b", 700)):
            self.write(side + "/ddp.json", record("ddp", throughput=800))
            self.write(side + "/zero1.json", record("zero1", throughput=rate))
        self.write("p.json", {"schema": "rankledger.policy/1", "memory_limit_mb": 1,
                              "min_throughput": 1, "throughput_unit": "samples/s"})
        self.assertNotIn("compare.decision", self.ids(self.compare("a", "b")))
        self.write("p.json", {"schema": "rankledger.policy/1", "min_throughput": 900})
        found = self.compare("--policy", "p.json", "--fail-on", "decision", "a", "b", code=1)
        self.assertIn("compare.decision", self.ids(found))
        self.assertIn("compare.selected_none", self.ids(found))

    def test_losses(self):
        sides = self.two(record("zero1", losses=[4, 2, 1, 1]), record("zero1", losses=[4, 2.5, 1]))
        losses = self.compare(*sides)["groups"][0]["strategies"][0]["losses"]
        self.assertEqual(losses, {"base_count": 4, "new_count": 3, "compared": 3,
                                  "first_difference": 1, "largest_difference": 0.25,
                                  "largest_at": 1, "broken_at": None})
        sides = self.two(record("zero1", losses=[4, 2, 1]), record("zero1", losses=[4, 2, None]))
        found = self.compare("--max-regression", "5", *sides, code=1)
        self.assertEqual(self.ids(found), ["compare.losses_broken"])
        self.assertIn("the loss of step 2 (the first is 0) was finite",
                      found["groups"][0]["findings"][0]["text"])

    # ---- what is given ----

    def test_summaries_evidence_and_archives_say_the_same(self):
        self.write("e/zero1.json", timed("zero1", STEPS))
        self.write("f/zero1.json", timed("zero1", [t * 1.1 for t in STEPS]))
        for name in "ef":
            self.run_program("analyze", "--output", "%s.json" % name, name)
        os.mkdir(os.path.join(self.folder, "d"))
        shutil.copy(os.path.join(self.folder, "e.json"), os.path.join(self.folder, "d"))
        expected = self.compare("e", "f")["groups"]
        for base, kind in (("e.json", "summary"), ("e/zero1.json", "evidence"), ("d", "summaries")):
            for new in ("f.json", "f"):
                found = self.compare(base, new)
                self.assertEqual(found["groups"], expected, (base, new))
                self.assertEqual(found["base"]["kind"], kind)

    def test_evidence_is_decided_under_the_policy_of_the_summary_beside_it(self):
        self.write("e/zero1.json", record("zero1"))
        self.run_program("analyze", "--memory-limit-mb", "50", "--output", "s.json", "e")
        found = self.compare("s.json", "e")
        self.assertEqual(found["policy_differences"], [])
        self.assertEqual(found["new"]["policy"]["memory_limit_mb"], 50)
        self.write("p.json", {"schema": "rankledger.policy/1"})
        run = self.run_program("compare", "--policy", "p.json", "s.json", "e")
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"decided already", run.stderr)

    def test_a_folder_of_summaries_brings_its_policy(self):
        self.write("e/zero1.json", record("zero1"))
        self.run_program("analyze", "--memory-limit-mb", "50", "--output-dir", "index", "e")
        for sides in (("index", "e"), ("e", "index")):
            found = self.compare(*sides)
            self.assertEqual(found["policy_differences"], [], sides)
            self.assertEqual(found["new"]["policy"]["memory_limit_mb"], 50)
        self.write("p.json", {"schema": "rankledger.policy/1"})
        run = self.run_program("compare", "--policy", "p.json", "e", "index")
        self.assertEqual(run.returncode, 2, run.stderr)

    def test_a_side_without_evidence_is_named(self):
        self.write("e/zero1.json", record("zero1"))
        os.mkdir(os.path.join(self.folder, "empty"))
        run = self.run_program("compare", "e", "empty")
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"rankledger: empty: no evidence", run.stderr)

    def test_the_same_file_twice(self):
        self.write("a.json", timed("zero1", STEPS))
        found = self.compare("--max-regression", "0", "a.json", "a.json")
        self.assertTrue(found["same_input"])
        self.assertEqual(self.ids(found), ["compare.same_input"])
        self.assertEqual(self.value(found, "throughput")["verdict"], "same")

    def test_invalid_sources_are_told_and_exit_1(self):
        self.write("e/zero1.json", record("zero1"))
        self.write("e/bad.json", "{")
        self.write("f/zero1.json", record("zero1"))
        run = self.run_program("compare", "f", "e")
        self.assertEqual((run.returncode, run.stderr[:16]), (1, b"NEW: e/bad.json:"))
        found = self.compare("f", "e", code=1)
        self.assertEqual(len(found["new"]["rejected_sources"]), 1)
        self.assertEqual(self.ids(found)[-1], "compare.left_out")
        self.compare("--allow-invalid", "f", "e")

    def test_foreign_summaries_contribute_their_sources(self):
        self.write("a.json", {"evidence_level": "aggregated_evidence", "workload": {},
                              "hardware": "X", "metrics": {"source_result_count": 1},
                              "failure": None, "decision": "accept",
                              "sources": [record("zero1", throughput=100)]})
        self.write("b.json", record("zero1", throughput=90))
        value = self.value(self.compare("a.json", "b.json"), "throughput")
        self.assertEqual((value["base"], value["new"]), (100, 90))

    def test_hostile_summaries(self):
        self.write("e/zero1.json", timed("zero1", STEPS))
        self.run_program("analyze", "--output", "good.json", "e")
        with open(os.path.join(self.folder, "good.json"), encoding="utf-8") as file:
            good = file.read()

        def refused(text, expected):
            self.write("bad.json", text)
            sides = ["good.json", "bad.json"]
            run = self.run_program("compare", *(sides if "0" in expected else reversed(sides)))
            self.assertEqual(run.returncode, 3, (expected, run.stderr))
            self.assertIn(expected, run.stderr.decode())
            self.assertEqual(run.stdout, b"")

        refused(good.replace("rankledger.summary/1", "rankledger.summary/2"), "another edition")
        refused(good[:len(good) // 2], "bad.json")
        for member in ("groups", "sources", "policy"):
            document = json.loads(good)
            del document[member]
            refused(json.dumps(document), member)
        for member in ("candidates", "selection", "decision", "key", "label"):
            document = json.loads(good)
            del document["groups"][0][member]
            refused(json.dumps(document), "/groups/0")
        for member, value in (("metrics", 1), ("gates", {}), ("label", 5), ("samples", [])):
            document = json.loads(good)
            document["groups"][0]["candidates"][0][member] = value
            refused(json.dumps(document), "/groups/0/candidates/0/" + member)
        document = json.loads(good)
        document["groups"][0]["candidates"][0]["metrics"]["throughput"] = "fast"
        refused(json.dumps(document), "found the text")
        document["groups"][0]["candidates"][0]["metrics"]["throughput"] = -1
        refused(json.dumps(document), "expected a number of at least 0")
        document = json.loads(good)
        document["groups"][0]["decision"]["decision"] = "maybe"
        refused(json.dumps(document), "/groups/0/decision/decision")
        document = json.loads(good)
        document["groups"][0]["candidates"][0]["samples"]["step_times_ms"] = [[1, "x"]]
        refused(json.dumps(document), "expected a number")

    def test_summaries_of_earlier_editions_have_one_round(self):
        self.write("e/zero1.json", timed("zero1", STEPS))
        self.run_program("analyze", "--output", "a.json", "e")
        with open(os.path.join(self.folder, "a.json"), encoding="utf-8") as file:
            document = json.load(file)
        for candidate in document["groups"][0]["candidates"]:
            del candidate["interval"], candidate["samples"]["round_steps"]
        self.write("b.json", document)
        found = self.compare("a.json", "b.json")
        self.assertEqual(self.value(found, "throughput")["verdict"], "same")

    def test_what_cannot_be_compared_is_an_input_error(self):
        self.write("a.json", record("zero1"))
        os.mkdir(os.path.join(self.folder, "empty"))
        for new in ("empty", "none.json"):
            run = self.run_program("compare", "a.json", new)
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertNotEqual(run.stderr, b"")
        run = self.run_program("compare", "a.json", "-")
        self.assertEqual((run.returncode, b"standard input" in run.stderr), (3, True), run.stderr)
        for arguments in (("a.json",), ("a.json", "a.json", "a.json"), ("--fail-on", "speed", "a", "b"),
                          ("--tolerance", "-1", "a", "b")):
            self.assertEqual(self.run_program("compare", *arguments).returncode, 2, arguments)

    # ---- the forms ----

    def test_text_and_markdown(self):
        self.write("a/zero1.json", timed("zero1", STEPS))
        self.write("b/zero1.json", timed("zero1", [t * 1.1 for t in STEPS]))
        self.write("a/ddp.json", record("ddp"))
        self.write("b/ddp.json", record("ddp", section__failure={"reason": "@all | <b>\u001b[31m"}))
        text = self.run_program("compare", "--max-regression", "5", "a", "b").stdout.decode()
        self.assertIn("  ! zero1: throughput is worse by 9.1 %", text)
        self.assertIn("fails runtime (was: passes)", text)
        self.assertNotIn("\u001b", text)
        markdown = self.run_program("compare", "--format", "markdown", "a", "b").stdout.decode()
        self.assertIn("| `zero1` | 20,378.1 → 18,525.6 (-9.1 %) | 100 → 100 (same) |", markdown)
        self.assertIn("`@`all \\| \\<b\\>", markdown)
        self.assertNotIn("\u001b", markdown)

    def test_no_name_is_a_command_in_a_log(self):
        for i, name in enumerate(("::error file=x::y", "##[error]z")):
            for side in ("a", "b"):
                self.write("%s/%d.json" % (side, i), record("ddp", workload__model=name))
        self.run_program("analyze", "--output", "s.json", "a")
        for arguments in (("compare", "a", "b"), ("analyze", "a"), ("explain", "s.json", "ddp"),
                          ("compare", "--format", "markdown", "a", "b"),
                          ("analyze", "--output-dir", "index", "a")):
            run = self.run_program(*arguments)
            self.assertIn(b"error", run.stdout)
            self.assertNotRegex(run.stdout + run.stderr, rb"(?m)^[ \t]*::|##\[", arguments)

    def test_of_many_groups_the_worst_come_first(self):
        for i in range(20):
            change = {"throughput": 900} if i == 19 else {"throughput": 970} if i > 4 else {}
            self.write("a/%d.json" % i, record("ddp", workload__seq_len=8 + i))
            self.write("b/%d.json" % i, record("ddp", workload__seq_len=8 + i, **change))
        for form in ("text", "markdown"):
            run = self.run_program("compare", "--format", form, "--max-regression", "5", "a", "b")
            text = run.stdout.decode()
            self.assertIn("and 3 more groups that changed", text)
            self.assertIn("5 groups without a change", text)
            first, second = text.index("ddp: throughput is worse by"), text.index("worse by 3 %")
            self.assertIn("worse by 10 %", text[first:second], form)

    def test_evidence_through_a_pipe_is_refused(self):
        self.write("a.json", record("zero1"))
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        writer = subprocess.Popen(["sh", "-c", "cat a.json > pipe"], cwd=self.folder)
        run = self.run_program("compare", "pipe", "a.json")
        self.assertEqual(writer.wait(), 0)
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"rankledger: pipe: no summary", run.stderr)

    def test_output_never_replaces_what_is_compared(self):
        self.write("a/zero1.json", record("zero1"))
        self.write("b/zero1.json", record("zero1"))
        for target in ("b/zero1.json", "a/zero1.json"):
            run = self.run_program("compare", "--output", target, "a", "b/zero1.json")
            self.assertEqual(run.returncode, 2, run.stderr)
        run = self.run_program("compare", "--format", "json", "--output", "c.json", "a", "b")
        self.assertEqual((run.returncode, run.stdout), (0, b""))
        with open(os.path.join(self.folder, "c.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], "rankledger.comparison/1")


if __name__ == "__main__":
    ProgramCase.program = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
