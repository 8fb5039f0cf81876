#!/usr/bin/env python3
"""A comparison as a report, end to end: test_changes.py PROGRAM"""
import json
import os
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

import workbook_parts
from program_case import ProgramCase

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FILES = ["charts/changes.png", "charts/changes.svg", "report.html", "report.md", "report.pdf",
         "report.xlsx"]


def record(strategy, step_ms, peak=1000, ratio=0.2, **workload):
    return {
        "strategy": strategy,
        "workload": dict({"model": "gpt", "parameters": 1048576, "world_size": 2,
                          "micro_batch": 8, "global_batch": 16, "seq_len": 32, "dtype": "fp32"},
                         **workload),
        "hardware": {"device": "X"},
        "metrics": {"peak_memory_mb": peak, "memory_kind": "reserved",
                    "throughput": 512000 / step_ms, "step_time_ms": step_ms,
                    "communication_ratio": ratio,
                    "step_times_ms": [[step_ms + i % 3 for i in range(12)]] * 2},
        "evidence_level": "multi_gpu", "failure": None, "decision": "measured"}


class Changes(ProgramCase):
    def setUp(self):
        super().setUp()
        for strategy, base, new in (("ddp", (100, 1000), (100, 1000)),
                                    ("zero1", (100, 1000), (112, 1200)),
                                    ("zero2", (90, 900), (80, 900))):
            self.write(f"base/{strategy}.json", record(strategy, *base))
            self.write(f"new/{strategy}.json", record(strategy, *new))
        failed = record("zero3", 70)
        self.write("base/zero3.json", failed)
        failed["failure"] = {"reason": "out of <b>memory</b> | \u001b[31m"}
        self.write("new/zero3.json", failed)

    def compare(self, *arguments, code=0):
        run = self.run_program("compare", "--format", "json", "--output", "c.json", *arguments,
                               "base", "new")
        self.assertEqual(run.returncode, code, run.stderr)
        with open(self.path("c.json"), encoding="utf-8") as file:
            return json.load(file)

    def report(self, *arguments, code=0, path="c.json"):
        run = self.run_program("report", "--output", "out", *arguments, path)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def read(self, name):
        with open(self.path("out/" + name), encoding="utf-8") as file:
            return file.read()

    def sheets(self):
        """Every sheet's rows of texts and numbers, by its name."""
        found = {}
        with zipfile.ZipFile(self.path("out/report.xlsx")) as book:
            shared = ["".join(text.text or "" for text in item.iter(SHEET + "t"))
                      for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))]
            names = [sheet.get("name")
                     for sheet in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(
                         SHEET + "sheet")]
            for i, name in enumerate(names):
                root = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{i + 1}.xml"))
                found[name] = []
                for row in root.iter(SHEET + "row"):
                    cells = {}
                    for cell in row.iter(SHEET + "c"):
                        value = cell.find(SHEET + "v")
                        if value is not None:
                            column = re.match("[A-Z]+", cell.get("r")).group()
                            cells[column] = (shared[int(value.text)] if cell.get("t") == "s"
                                             else float(value.text))
                    found[name].append(cells)
        return found

    def test_every_format_tells_what_changed(self):
        self.compare("--max-regression", "10", code=1)
        printed = self.report().stdout.decode().splitlines()
        self.assertEqual(sorted(printed), ["out/" + name for name in FILES])
        for name in FILES:
            self.assertGreater(os.path.getsize(self.path("out/" + name)), 0, name)
        for name in ("report.md", "report.html"):
            text = self.read(name)
            self.assertIn("Regressions beyond what is allowed", text)
            self.assertIn("zero1: throughput is worse by", text)
            self.assertIn("is better by", text)
            self.assertIn("Peak memory: from 0 % (ddp) to +20 % (zero1).", text)
            self.assertNotIn("\u001b", text)
            self.assertNotIn("<b>memory", text)
        self.assertLess(self.read("report.md").index("zero1: throughput is worse"),
                        self.read("report.md").index("zero2: throughput is better"))

    def test_the_workbook_has_the_values_of_the_document(self):
        document = self.compare()
        self.report("--format", "xlsx")
        sheets = self.sheets()
        self.assertEqual(list(sheets), ["Changes", "Findings", "Values", "Standing",
                                        "Gates compared", "Decisions"])
        rows = [row for row in sheets["Values"][1:] if "E" in row]
        told = [(strategy["label"], value) for strategy in document["groups"][0]["strategies"]
                for value in strategy["values"] if value["verdict"] != "not_measured"]
        self.assertEqual(len(rows), len(told))
        for row, (label, value) in zip(rows, told):
            self.assertEqual(row["A"], label)
            for column, member in (("E", "base"), ("F", "new"), ("G", "change"),
                                   ("H", "relative")):
                if value[member] is not None:
                    self.assertAlmostEqual(row[column], value[member], places=9,
                                           msg=(label, value["name"], member))
                else:
                    self.assertNotIn(column, row)
        self.assertEqual(
            sum(row.get("B") in ("regression", "improvement", "note")
                for row in sheets["Findings"]),
            len(document["findings"]) + len(document["groups"][0]["findings"]))
        workbook_parts.check(self.path("out/report.xlsx"))

    def test_it_is_said_in_chinese(self):
        for batch in (8, 16):
            for side in ("base", "new"):
                self.write(f"{side}/zero2-{batch}.json",
                           record("zero2", 90 + batch, micro_batch=batch, global_batch=2 * batch))
        self.write("policy.json", {"schema": "rankledger.policy/1",
                                   "vary": ["micro_batch", "global_batch"]})
        self.compare("--policy", "policy.json")
        self.report("--format", "md,svg", "--language", "zh")
        text = self.read("report.md")
        self.assertIn("微批大小 16", text)
        self.assertIn("存在退步", text)
        self.assertNotIn("micro-batch", text)
        self.assertNotIn("worse", text)

    def test_missing_strategies_and_groups_are_told(self):
        os.remove(self.path("new/ddp.json"))
        self.write("base/far.json", record("ddp", 10, seq_len=64))
        self.write("new/far.json", record("ddp", 11, seq_len=64))
        self.write("base/old.json", record("ddp", 10, seq_len=128))
        self.write("new/broken.json", "{")
        self.compare(code=1)
        self.report("--format", "md,xlsx,svg")
        sheets = self.sheets()
        self.assertIn("Without counterpart", sheets)
        self.assertIn("new/broken.json", [row.get("B") for row in sheets["Left out"]])
        self.assertEqual(len([name for name in os.listdir(self.path("out/charts"))]), 2)
        self.assertIn("ddp has evidence in BASE and none in NEW", self.read("report.md"))

    def test_the_same_bytes_again_and_from_standard_input(self):
        self.compare()
        self.report()
        first = {}
        for name in FILES:
            with open(self.path("out/" + name), "rb") as file:
                first[name] = file.read()
        with open(self.path("c.json"), "rb") as file:
            run = self.run_program("report", "--output", "out", "-", stdin=file)
        self.assertEqual(run.returncode, 0, run.stderr)
        for name in FILES:
            with open(self.path("out/" + name), "rb") as file:
                self.assertEqual(file.read(), first[name], name)

    def test_what_is_no_comparison_is_refused(self):
        self.compare()
        with open(self.path("c.json"), encoding="utf-8") as file:
            good = file.read()
        for text, expected in ((good.replace("comparison/1", "comparison/2"), "another edition"),
                               (good.replace('"presence": "both"', '"presence": "x"'),
                                "presence")):
            self.write("bad.json", text)
            self.assertIn(expected, self.report(code=3, path="bad.json").stderr.decode())
        run = self.report("--min-throughput", "5", code=2)
        self.assertIn("decided already", run.stderr.decode())
        self.assertFalse(os.path.exists(self.path("out")))

    def test_of_two_summaries_compare_is_named(self):
        for side in ("base", "new"):
            self.run_program("analyze", "--output", side + ".json", side)
        run = self.run_program("report", "--output", "out", "base.json", "new.json")
        self.assertEqual(run.returncode, 2)
        self.assertIn("rankledger compare --format json --output comparison.json base.json "
                      "new.json", run.stderr.decode())

    def test_a_comparison_is_reported_alone(self):
        self.compare()
        run = self.run_program("report", "--output", "out", "new", "c.json")
        self.assertEqual(run.returncode, 2)
        self.assertIn("c.json is a comparison, of which a report is made alone",
                      run.stderr.decode())

    def test_a_template_without_these_sections_still_reports(self):
        self.write("t/language/en.json", {})
        self.write("t/report.json", {"md": {"sections": ["sources"]},
                                     "xlsx": {"sheets": ["sources"]}})
        self.compare()
        self.report("--format", "md,xlsx", "--template", "t")
        self.assertIn("zero1: throughput is worse", self.read("report.md"))
        self.assertEqual(list(self.sheets())[0], "Changes")


if __name__ == "__main__":
    ProgramCase.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
