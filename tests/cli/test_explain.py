#!/usr/bin/env python3
"""explain through the built program: test_explain.py PROGRAM"""
import json
import os
import shutil
import sys
import unittest

import interval_model
from program_case import ProgramCase
from test_analyze import record
from test_compare import STEPS, timed


class Explain(ProgramCase):
    def analyze(self, *arguments):
        run = self.run_program("analyze", *arguments, "--output", "s.json", "e")
        self.assertIn(run.returncode, (0, 1), run.stderr)

    def explain(self, *arguments):
        run = self.run_program("explain", "--format", "json", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)["explanations"]

    def sentences(self, strategy, kind):
        (explanation,) = self.explain("s.json", strategy)
        return [s["text"] for s in explanation["sentences"] if s["kind"] == kind]

    def refused(self, code, expected, *arguments):
        run = self.run_program("explain", *arguments)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(expected, run.stderr.decode())

    def three(self):
        self.write("e/ddp.json", timed("ddp", STEPS, peak_memory_mb=120.22))
        self.write("e/zero1.json", timed("zero1", [t * 1.1 for t in STEPS], peak_memory_mb=110,
                                         communication_ratio=0.1))
        self.write("e/zero2.json", timed("zero2", [t * 1.3 for t in STEPS], peak_memory_mb=100))

    # ---- verdicts and margins ----

    def test_one_that_fails_a_gate(self):
        self.three()
        self.analyze("--memory-limit-mb", "115")
        self.assertEqual(self.sentences("ddp", "verdict"),
                         ["ddp was not chosen: it fails memory."])
        self.assertEqual(self.sentences("ddp", "gate"), [
            "memory: 120.2 MiB is 5.22 MiB above the limit of 115 MiB (4.5 % of it)."])
        # 120.22 rounded up, so that the limit shown lets it pass.
        self.assertEqual(self.sentences("ddp", "change"), [
            "With a memory limit of at least 120.3 MiB it would be selected; the decision would be "
            "accept (baseline).",
            "It would pass memory with a limit of 120.3 MiB or more."])
        (explanation,) = self.explain("s.json", "ddp")
        self.assertEqual((explanation["verdict"], explanation["rank"], explanation["against"]),
                         ("failed", None, "zero1"))

    def test_one_that_ranks_behind(self):
        self.three()
        self.analyze()
        self.assertEqual(self.sentences("zero1", "verdict"), [
            "zero1 passes every gate and was not chosen: it is number 2 of 3, and ddp ranks first."])
        medians = [interval_model.medians(t, [10]) for t in (STEPS, [t * 1.1 for t in STEPS])]
        lower, upper = interval_model.bounds([a / b for a, b in zip(*medians)])
        (explanation,) = self.explain("s.json", "zero1")
        against = next(s for s in explanation["sentences"] if s["kind"] == "against")
        self.assertEqual(against["id"], "explain.behind_resolved")
        self.assertAlmostEqual(against["values"]["lower"], lower, places=9)
        self.assertAlmostEqual(against["values"]["upper"], upper, places=9)
        self.assertAlmostEqual(against["values"]["change"], 1 - 1 / 1.1, places=9)
        self.assertIn("20,378.1", against["text"])
        changes = self.sentences("zero1", "change")
        self.assertIn("With a memory limit below 120.2 MiB it would be selected", changes[0])
        self.assertIn("With a largest exposed communication below 20 % it would be selected",
                      changes[1])
        self.assertIn("10 % more than it does", self.sentences("zero1", "change")[-1])

    def test_a_limit_is_not_rounded_as_far_as_the_next_peak(self):
        self.write("e/zero1.json", record("zero1", throughput=1000, peak_memory_mb=127.87))
        self.write("e/zero2.json", record("zero2", throughput=900, peak_memory_mb=127.84))
        self.analyze()
        text = self.run_program("analyze", "e").stdout.decode()
        self.assertIn("memory limit (now none) below 127.87 MiB: ", text)
        self.assertIn("With a memory limit below 127.87 MiB it would be selected",
                      self.sentences("zero2", "change")[0])

    def test_what_holds_of_a_loose_limit_is_not_said_of_any(self):
        fast, slow = record("zero2", throughput=1000), record("zero1", throughput=900,
                                                              communication_ratio=0.6)
        fast["metrics"].pop("communication_ratio", None)
        self.write("e/zero2.json", fast)
        self.write("e/zero1.json", slow)
        text = self.run_program("analyze", "e").stdout.decode()
        self.assertIn("(now none) once set, however loose: accept zero1", text)
        for limit, decision in ((1, "accept"), (0.5, "tune")):
            self.write("p.json", {"schema": "rankledger.policy/1",
                                  "max_communication_ratio": limit})
            self.analyze("--policy", "p.json")
            with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["decision"]["decision"], decision)
        self.analyze()
        self.assertTrue(any(s.startswith("Once any largest exposed communication is set, however "
                                         "loose, it would be selected")
                            for s in self.sentences("zero1", "change")))

    def test_the_one_that_was_chosen(self):
        self.three()
        self.analyze("--memory-limit-mb", "115")
        self.assertEqual(self.sentences("zero1", "verdict"),
                         ["zero1 was chosen: it ranks first of 2 that pass every gate."])
        self.assertEqual(self.sentences("zero1", "gate"), [
            "memory passes, but tightly: 110 MiB, with room of 5 MiB to the limit of 115 MiB "
            "(4.3 % of it)."])
        self.assertIn("18.2 % more than", self.sentences("zero1", "against")[0])
        self.assertIn("no longer be selected", self.sentences("zero1", "change")[0])
        text = self.run_program("explain", "s.json", "zero1").stdout.decode()
        self.assertIn("Beside the one that ranks second:\n  - Against zero2:", text)

    def test_every_kind_of_gate(self):
        self.write("e/ddp.json", record("ddp", throughput=900, communication_ratio=0.25))
        del (other := record("zero1"))["metrics"]["peak_memory_mb"]
        self.write("e/zero1.json", other)
        self.analyze("--memory-limit-mb", "200", "--min-throughput", "1000",
                     "--max-communication-ratio", "0.2")
        self.assertEqual(self.sentences("ddp", "gate"), [
            "throughput: 900 tokens/s is 100 tokens/s below the minimum of 1,000 tokens/s "
            "(10 % of it).",
            "communication: 25 % is above the limit of 20 % by 5 % of a step.",
            "memory passes: 100 MiB, with room of 100 MiB to the limit of 200 MiB (50 % of it)."])
        self.assertEqual(self.sentences("zero1", "gate")[0],
                         "memory: it was not measured, and there is a limit of 200 MiB.")
        self.assertIn("if it were 11.2 % faster", " ".join(self.sentences("ddp", "change")))
        del (other := record("zero1"))["metrics"]["communication_ratio"]
        self.write("e/zero1.json", other)
        self.analyze("--max-communication-ratio", "0.2")
        self.assertEqual(self.sentences("zero1", "gate")[0],
                         "communication: it was not measured, and there is a limit of 20 %.")
        self.write("e/ddp.json", record("ddp", throughput=0))
        self.analyze("--min-throughput", "1000")
        self.assertEqual(self.sentences("ddp", "change")[-1],
                         "It would pass throughput with a minimum of 0 tokens/s or less.")
        self.analyze("--min-throughput", "16 samples/s")
        self.assertIn("different units", self.sentences("ddp", "gate")[0])

    def test_a_share_that_is_told_is_the_one_that_a_reader_types(self):
        self.write("e/ddp.json", record("ddp", communication_ratio=0.548))
        self.analyze("--max-communication-ratio", "0.1")
        (explanation,) = self.explain("s.json", "ddp")
        values = [s["values"]["value"] for s in explanation["sentences"] if s["kind"] == "change"]
        self.assertEqual(values, [0.548, 0.548])

    def test_unresolved_and_unsampled_differences(self):
        self.write("e/ddp.json", timed("ddp", STEPS))
        self.write("e/zero1.json", timed("zero1", [t + 0.3 for t in STEPS]))
        self.write("e/zero2.json", record("zero2", throughput=1))
        self.analyze()
        self.assertIn("so the difference is not resolved", self.sentences("zero1", "against")[0])
        self.assertIn("fewer than 6 steps on a side", self.sentences("zero2", "against")[0])

    def test_what_rests_on_single_runs_is_said(self):
        self.three()
        self.analyze()
        self.assertIn("how much the steps of one run vary", self.sentences("zero1", "note")[0])

    def test_settings_of_one_strategy_are_kept_apart(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "memory_limit_mb": 1100,
                              "vary": ["micro_batch"]})
        for batch, speed, peak in ((2, 200, 600), (4, 300, 800), (8, 400, 1000)):
            self.write("e/%d.json" % batch, record("zero2", workload__micro_batch=batch,
                                                   throughput=speed, peak_memory_mb=peak))
        self.analyze("--policy", "p.json")
        below = "With a memory limit below 1,000 MiB "
        for batch, expected in ((2, None), (4, "it would be selected"),
                                (8, "it would no longer be selected")):
            changes = " ".join(self.sentences("zero2, micro-batch %d" % batch, "change"))
            self.assertEqual(expected is not None, below in changes, changes)
            self.assertIn(below + expected if expected else "", changes)

    def test_the_first_of_a_rejected_group_is_not_called_chosen(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "min_gain": 0.5})
        self.write("e/ddp.json", record("ddp", throughput=100))
        self.write("e/zero1.json", record("zero1", throughput=120))
        self.analyze("--policy", "p.json")
        self.assertEqual(self.sentences("zero1", "verdict"), [
            "zero1 ranks first of 2 that pass every gate, but the decision is reject."])
        self.assertIn("With a gain asked for of at most 20 % the decision would be accept (gain).",
                      self.sentences("zero1", "change"))

    def test_statistical_ties_are_told(self):
        self.write("p.json", {"schema": "rankledger.policy/1", "ties": "statistical"})
        self.write("e/ddp.json", timed("ddp", STEPS))
        self.write("e/zero1.json", timed("zero1", [t + 0.3 for t in STEPS],
                                         communication_ratio=0.1))
        self.analyze("--policy", "p.json")
        self.assertEqual(self.sentences("zero1", "verdict"),
                         ["zero1 ranks first of 2 that pass every gate, but the decision is "
                          "reject."])
        self.assertIn("counts as equal to that of ddp", self.sentences("zero1", "note")[0])

    def test_what_a_failed_run_measured_is_not_held_against_the_first(self):
        self.write("e/a.json", record("ddp"))
        self.write("e/b.json", record("zero1", section__failure={"reason": "rank 1 died"}))
        self.analyze()
        self.assertEqual(self.sentences("zero1", "against"), [])

    def test_failures_and_repeats(self):
        died = {"section__failure": {"reason": "rank 1 died"}, "section__decision": "failed"}
        for name, changes in (("a", {}), ("b", died), ("c", {})):
            self.write("e/%s.json" % name, record("zero1", **changes))
        self.write("e/d.json", record("zero2", section__metrics={}, **died))
        self.analyze()
        self.assertEqual(self.sentences("zero1", "failure"),
                         ["1 of its 3 runs failed: rank 1 died"])
        self.assertEqual(self.sentences("zero2", "failure"), ["Its run failed: rank 1 died"])
        self.assertIn("Its values are pooled from 3 runs.", self.sentences("zero1", "note"))
        self.assertEqual(self.sentences("zero2", "against"), [], "nothing was selected")

    # ---- groups and candidates ----

    def test_several_groups_and_settings(self):
        self.write("p.json", {"schema": "rankledger.policy/1",
                              "vary": ["micro_batch", "gradient_accumulation"]})
        for size, model in ((8, "gpt"), (16, "gpt"), (8, "other")):
            self.write("e/%s%d.json" % (model, size), record(
                "zero1", workload__micro_batch=size, workload__gradient_accumulation=16 // size,
                workload__model=model, throughput=size))
        self.analyze("--policy", "p.json")
        self.assertEqual([e["candidate"] for e in self.explain("s.json", "zero1")],
                         ["zero1, micro-batch 8, accumulation 2",
                          "zero1, micro-batch 16, accumulation 1", "zero1"])
        (one,) = self.explain("s.json", "zero1, micro-batch 16, accumulation 1")
        self.assertEqual(one["verdict"], "chosen")
        (one,) = self.explain("--group", "model=other", "s.json", "zero1")
        self.assertEqual(one["group"]["key"]["model"], "other")
        self.assertEqual(len(self.explain("--group", "world_size=4.0", "s.json", "zero1")), 3)
        self.refused(3, "no group has", "--group", "model=x", "s.json", "zero1")
        self.refused(2, "is not one of world_size", "--group", "size=4", "s.json", "zero1")
        text = self.run_program("explain", "s.json", "zero1").stdout.decode()
        self.assertEqual(text.count("was chosen"), 2)

    def test_a_strategy_that_is_not_there(self):
        self.three()
        self.analyze()
        self.refused(3, 'no strategy "zero-2" (did you mean zero2?); it has ddp; zero1; zero2',
                     "s.json", "zero-2")
        self.refused(3, "did you mean zero1?", "s.json", "zero")
        self.refused(3, 'no strategy "pipeline"; it has', "s.json", "pipeline")
        self.refused(3, "\\x1b", "s.json", "\u001b[31m")

    # ---- hostile input ----

    def test_what_is_no_summary(self):
        self.three()
        self.analyze()
        with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as file:
            good = file.read()
        self.refused(3, "not a summary", "e/ddp.json", "ddp")
        self.refused(3, "not a summary but a folder", "e", "ddp")
        self.refused(3, "none.json", "none.json", "ddp")
        self.write("bad.json", good.replace("summary/1", "summary/9"))
        self.refused(3, "another edition", "bad.json", "ddp")
        self.write("bad.json", good[:-100])
        self.refused(3, "not a summary: end of file inside", "bad.json", "ddp")
        for path, value in ((("decision", "sensitivity"), 3), (("selection", "fastest"), 99),
                            (("selection", "tied"), {}), (("candidates",), None)):
            document = json.loads(good)
            place = document["groups"][0]
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = value
            self.write("bad.json", json.dumps(document))
            self.refused(3, "/groups/0", "bad.json", "zero1")
        self.refused(2, "explain takes", "s.json")

    def test_sources_are_not_needed(self):
        self.three()
        self.analyze()
        shutil.rmtree(os.path.join(self.folder, "e"))
        self.assertEqual(len(self.explain("s.json", "zero2")), 1)


if __name__ == "__main__":
    ProgramCase.program = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
