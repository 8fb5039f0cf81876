#!/usr/bin/env python3
"""analyze --output-dir, end to end: test_archive_index.py PROGRAM [TESTS...]"""
import csv
import json
import os
import shutil
import sys
import unittest
import zipfile
from xml.etree import ElementTree

from program_case import ProgramCase

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def record(strategy, throughput=1000, peak=100, ratio=0.25, model="gpt", world_size=4, **workload):
    """A sound record of ours."""
    return {
        "strategy": strategy,
        "workload": {"model": model, "parameters": 1048576, "world_size": world_size, "micro_batch": 8,
                     "gradient_accumulation": 2, "global_batch": 16 * world_size, "seq_len": 32, "dtype": "fp32",
                     "width": 64, "layers": 4, "heads": 1, "vocab": 128, "activation_checkpointing": False, **workload},
        "hardware": {"device": "X"},
        "metrics": {"peak_memory_mb": peak, "throughput": throughput, "communication_ratio": ratio},
        "evidence_level": "multi_gpu",
        "failure": None,
        "decision": "measured",
    }


class Archive(ProgramCase):
    def write_lines(self, name, documents):
        self.write(name, "".join(json.dumps(document) + "\n" for document in documents))

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_program(self, *arguments, code=0):
        run = super().run_program(*arguments)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def analyze(self, *arguments, code=0, output="out"):
        self.said = self.run_program("analyze", "--output-dir", output, *arguments, code=code)
        return json.loads(self.read(output + "/index.json"))

    def rows(self):
        with open(self.path("out/index.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def files(self, output="out"):
        return {name: self.read(f"{output}/{name}") for name in os.listdir(self.path(output))}

    def of(self, index, **key):
        """The only group of the index with these values of its key."""
        found = [group for group in index["groups"] if key.items() <= group["key"].items()]
        self.assertEqual(len(found), 1)
        return found[0]

    def verify(self, *groups):
        for group in groups:
            run = self.run_program("verify", "out/" + group["summary"])
            self.assertNotIn(b"changed", run.stdout)
            self.assertIn(f"{group['records']} source".encode(), run.stdout)

    def two_groups(self):
        """Four ranks, in files and a line: zero1 gains a quarter. Two ranks, in lines: much memory."""
        self.write("in/ddp.json", record("ddp", 1000, 400, 0.25))
        self.write("in/zero1_a.json", record("zero1", 1250, 300, 0.2))
        self.write("in/zero1_b.json", record("zero1", 1250, 280, 0.2))
        self.write_lines("in/mixed.jsonl", [record("ddp", 600, 900, world_size=2), record("zero3", 1100, 200, 0.5),
                                            record("zero2", 500, 800, world_size=2)])


class Index(Archive):
    def test_has_a_row_a_group_with_its_numbers(self):
        self.two_groups()
        index = self.analyze("--memory-limit", "500MiB", "in")
        self.assertEqual(index["schema"], "rankledger.index/1")
        totals = index["totals"]
        self.assertEqual((totals["groups"], totals["listed"], totals["records"], totals["accept"]), (2, 2, 6, 1))
        self.assertEqual((totals["rejected_sources"], totals["skipped_sources"]), (0, 0))
        four = self.of(index, world_size=4)
        self.assertEqual((four["decision"], four["strategy"], four["rule"]), ("accept", "zero1", "gain"))
        self.assertEqual((four["records"], four["candidates"], four["eligible"]), (4, 3, 3))
        self.assertEqual((four["repeats_least"], four["repeats_most"]), (1, 2))
        self.assertEqual((four["gain"], four["baseline"]), (0.25, "ddp"))
        self.assertEqual(four["evidence_level"], "multi_gpu")
        self.assertEqual(four["key"]["global_batch"], 64)
        selected = four["selected"]
        self.assertEqual((selected["throughput"], selected["throughput_unit"]), (1250, "tokens/s"))
        self.assertEqual((selected["peak_memory_mb"], selected["communication_ratio"]), (300, 0.2))
        self.assertEqual(selected["memory_margin_percent"], 40)
        self.assertNotIn("throughput_margin_percent", selected)
        two = self.of(index, world_size=2)
        self.assertNotEqual(two["decision"], "accept")
        self.assertIsNone(two["selected"])
        self.assertEqual((two["gates_failed"]["memory"], two["gates_failed"]["runtime"]), (2, 0))

    def test_is_the_same_as_table(self):
        self.two_groups()
        index = self.analyze("--memory-limit", "500MiB", "in")
        rows = self.rows()
        for name in ("label", "summary", "decision", "rule", "reason"):
            self.assertEqual([row[name] for row in rows], [group[name] for group in index["groups"]])
        four, two = sorted(rows, key=lambda row: row["world_size"], reverse=True)
        self.assertEqual((four["strategy"], four["throughput"], four["peak_memory_mb"], four["gain"]),
                         ("zero1", "1250", "300", "0.25"))
        self.assertEqual((four["records"], four["repeats_most"], four["memory_margin_percent"]), ("4", "2", "40"))
        self.assertEqual((two["throughput"], two["gain"], two["failed_memory"]), ("", "", "2"))
        self.assertEqual(self.read("out/index.csv").count(b"\r\n"), 3)

    def test_stands_by_decision_then_label_with_numbers_by_size(self):
        for world_size in (2, 16, 4):
            self.write(f"in/{world_size}.json", record("ddp", world_size=world_size))
        self.write("in/tune.json", record("ddp", model="a", world_size=1))
        groups = self.analyze("in")["groups"]
        self.assertEqual([(group["decision"], group["key"]["world_size"]) for group in groups],
                         [("accept", 2), ("accept", 4), ("accept", 16), ("tune", 1)])

    def test_has_no_formulas(self):
        self.write_lines("in/a.jsonl", [record("ddp", model=model) for model in
                                        ["=1+1", "+1", "-1", "@sum", ' =2,"x"', "\uff1d1", "plain"]])
        self.analyze("in")
        self.assertEqual({row["model"] for row in self.rows()},
                         {"'=1+1", "'+1", "'-1", "'@sum", "' =2,\"x\"", "'\uff1d1", "plain"})
        self.assertFalse([cell for row in self.rows() for cell in row.values() if cell[:1] in ("=", "+", "@", "-")])

    def test_holds_the_groups_that_were_picked(self):
        self.two_groups()
        index = self.analyze("--group", "world_size=2", "in")
        self.assertEqual([group["key"]["world_size"] for group in index["groups"]], [2])
        self.assertEqual((index["totals"]["groups"], index["totals"]["listed"]), (2, 1))
        self.assertEqual(len(self.files()), 4)
        run = self.run_program("analyze", "--output-dir", "none", "--group", "world_size=3", "in", code=3)
        self.assertIn(b"no group has world_size=3", run.stderr)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_is_no_evidence(self):
        self.two_groups()
        self.analyze("in")
        before = self.files()
        self.analyze("in", "out")
        self.assertEqual(self.files(), before)
        self.assertIn(b"no evidence", self.run_program("analyze", "out", code=3).stderr)


class Workbook(Archive):
    def part(self, name):
        with zipfile.ZipFile(self.path("out/index.xlsx")) as book:
            return ElementTree.fromstring(book.read(name))

    def test_has_a_table_that_filters_and_links_to_the_summaries(self):
        self.two_groups()
        index = self.analyze("in")
        table = self.part("xl/tables/table1.xml")
        headings = [column.get("name") for column in table.iter(SHEET + "tableColumn")]
        self.assertEqual(len(headings), len(set(headings)))
        self.assertEqual(len(headings), len(self.rows()[0]))
        self.assertIsNotNone(table.find(SHEET + "autoFilter"))
        self.assertRegex(table.get("ref"), r"^A1:[A-Z]+3$")
        pane = next(self.part("xl/worksheets/sheet1.xml").iter(SHEET + "pane"))
        self.assertEqual((pane.get("state"), pane.get("ySplit")), ("frozen", "1"))
        links = [link.get("Target") for link in self.part("xl/worksheets/_rels/sheet1.xml.rels")
                 if link.get("Type").endswith("/hyperlink")]
        self.assertEqual(sorted(links), sorted(group["summary"] for group in index["groups"]))

    def test_of_no_group_says_what_was_left_out(self):
        self.write("in/a.json", "{}")
        self.analyze("in", code=1)
        texts = [text.text for text in self.part("xl/sharedStrings.xml").iter(SHEET + "t")]
        self.assertIn("No group: nothing could be used", texts)
        self.assertIn("../in/a.json", texts)


class Summaries(Archive):
    def test_are_taken_by_verify_and_report(self):
        self.two_groups()
        index = self.analyze("in")
        self.verify(*index["groups"])
        for group in index["groups"]:
            summary = json.loads(self.read("out/" + group["summary"]))
            self.assertEqual(summary["decision"]["decision"], group["decision"])
            self.assertEqual(summary["strategy"], group["strategy"])
            self.assertEqual([found["key"] for found in summary["groups"]], [group["key"]])
            self.assertTrue(all(source["path"].startswith("../in/") for source in summary["sources"]))
        self.run_program("report", "--format", "md", "--output", "report", "out/" + index["groups"][0]["summary"])

    def test_are_what_the_group_alone_would_give(self):
        self.two_groups()
        summary = json.loads(self.read("out/" + self.of(self.analyze("in"), world_size=2)["summary"]))
        self.write_lines("alone/mixed.jsonl", [record("ddp", 600, 900, world_size=2),
                                               record("zero2", 500, 800, world_size=2)])
        self.run_program("analyze", "--output", "alone.json", "alone")
        alone = json.loads(self.read("alone.json"))
        self.assertEqual(summary["options"].pop("records"), "listed")
        for document in (summary, alone):
            for source in document["sources"]:
                source.pop("path")
        self.assertEqual(summary, alone)

    def test_differ_if_their_own_sources_changed(self):
        self.two_groups()
        index = self.analyze("in")
        self.write_lines("in/mixed.jsonl", [record("ddp", 601, 900, world_size=2), record("zero3", 1100, 200, 0.5),
                                            record("zero2", 500, 800, world_size=2)])
        self.verify(self.of(index, world_size=4))
        run = self.run_program("verify", "out/" + self.of(index, world_size=2)["summary"], code=1)
        self.assertIn(b"changed since: ../in/mixed.jsonl:1", run.stdout + run.stderr)
        self.assertNotIn(b"mixed.jsonl:3", run.stdout + run.stderr)

    def test_of_many_lines_are_verified(self):
        """Lines 2 and 11: as texts they stand the other way round."""
        self.write_lines("in/a.jsonl", [record("ddp", 1000 + i, world_size=2 + i % 3) for i in range(12)])
        self.verify(*self.analyze("in")["groups"])

    def test_of_copies_say_so(self):
        self.write_lines("in/a.jsonl", [record("ddp"), record("ddp"), record("ddp", model="other")])
        index = self.analyze("in")
        self.assertEqual((self.of(index, model="gpt")["warnings"], self.of(index, model="other")["warnings"]), (1, 0))
        self.verify(*index["groups"])

    def test_keep_their_names_when_groups_are_added(self):
        self.two_groups()
        before = {group["summary"] for group in self.analyze("in")["groups"]}
        self.write("in/more.json", record("ddp", seq_len=64))
        after = {group["summary"] for group in self.analyze("in")["groups"]}
        self.assertEqual(len(after), 3)
        self.assertLess(before, after)

    def test_have_names_that_every_file_system_takes(self):
        models = ["../../etc/passwd", "x" * 300, "\u5408\u6210", 'a b/c:d*?"<>|', ".", "A", "a", "-", "con", "new\nline"]
        self.write_lines("in/a.jsonl", [record("ddp", model=model) for model in models])
        names = [group["summary"] for group in self.analyze("in")["groups"]]
        self.assertEqual(len({name.lower() for name in names}), len(models))
        for name in names:
            self.assertRegex(name, r"^[a-z0-9_][a-z0-9_.-]{1,103}-[0-9a-f]{10}\.json$")
            self.assertNotIn("..", name)
        self.assertEqual(sorted(names + ["index.csv", "index.json", "index.xlsx"]), sorted(self.files()))

    def test_of_runs_without_a_world_size_stand_alone(self):
        document = record("ddp")
        del document["workload"]["world_size"]
        for name in ("a", "b"):
            self.write(f"in/{name}.json", document)
        index = self.analyze("in")
        self.assertEqual([group["records"] for group in index["groups"]], [1, 1])
        self.verify(*index["groups"])

    def test_of_another_tools_summary_are_verified(self):
        self.write("in/s.json", {"strategy": None, "workload": {}, "hardware": "X", "metrics": {"n": 1},
                                 "evidence_level": "aggregated_x", "failure": {"reason": "one run is missing"},
                                 "decision": "x", "sources": [record("ddp"), record("zero1", 1200),
                                                              record("ddp", world_size=2)]})
        self.write("in/a.json", record("ddp", model="other"))
        index = self.analyze("in")
        self.assertEqual(self.of(index, model="gpt", world_size=4)["rule"], "incomplete")
        self.assertEqual(self.of(index, model="gpt", world_size=2)["rule"], "incomplete")
        self.assertNotEqual(self.of(index, model="other")["rule"], "incomplete")
        self.verify(*index["groups"])


class Order(Archive):
    def test_of_operands_does_not_matter(self):
        self.two_groups()
        self.analyze("in/ddp.json", "in/mixed.jsonl", "in/zero1_b.json", "in/zero1_a.json")
        first = self.files()
        shutil.rmtree(self.path("out"))
        self.analyze("in/zero1_a.json", "in", "in/mixed.jsonl")
        self.assertEqual(self.files(), first)

    def test_of_runs_inside_the_evidence_does_not_matter(self):
        self.two_groups()
        self.analyze("in", output="in/out")
        first = self.files("in/out")
        self.analyze("in", output="in/out")
        self.assertEqual(self.files("in/out"), first)


class Invalid(Archive):
    def setUp(self):
        super().setUp()
        self.two_groups()
        self.write_lines("in/more.jsonl", [record("zero2", peak=-1), record("zero2", peak=-1, world_size=8)])
        self.write("in/cut.json", "{\"strategy\": \"ddp\"")

    def test_sources_count_for_the_group_they_name(self):
        index = self.analyze("in", code=1)
        four = self.of(index, world_size=4)
        two = self.of(index, world_size=2)
        self.assertEqual((four["rule"], four["rejected_sources"]), ("incomplete", 1))
        self.assertEqual(two["rejected_sources"], 0)
        self.assertNotEqual(two["rule"], "incomplete")
        self.assertEqual((index["totals"]["rejected_sources"], index["totals"]["rejected_without_group"]), (3, 2))
        self.assertEqual([source["path"] for source in index["rejected_sources"]],
                         ["../in/cut.json", "../in/more.jsonl:1", "../in/more.jsonl:2"])
        self.verify(four, two)
        self.assertIn(b"3 invalid", self.said.stdout)

    def test_sources_are_left_out_where_that_is_allowed(self):
        four = self.of(self.analyze("--allow-invalid", "in", code=1), world_size=4)
        self.assertEqual(four["rule"], "gain")
        self.verify(four)

    def test_sources_that_were_named_and_cannot_be_read_stop_it(self):
        os.mkfifo(self.path("in/pipe.json"))
        os.symlink("nowhere", self.path("in/none.json"))
        run = self.run_program("analyze", "--output-dir", "out", "in", "in/none.json", code=3)
        self.assertIn(b"none.json", run.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_sources_have_an_exit_code(self):
        self.analyze("--exit-code", "in", code=7)


class ExitCodes(Archive):
    def test_go_by_the_worst_group(self):
        self.write("in/a.json", record("ddp"))
        self.analyze("--exit-code", "in", code=0)
        self.write("in/b.json", record("ddp", model="b", world_size=1))
        groups = self.analyze("--exit-code", "in", code=6)["groups"]
        self.assertEqual([group["decision"] for group in groups], ["accept", "tune"])
        self.write("policy.json", {"min_gain": 0.5})
        self.write("in/c.json", record("ddp", model="c"))
        self.write("in/d.json", record("zero1", 1010, model="c"))
        groups = self.analyze("--exit-code", "--policy", "policy.json", "in", code=1)["groups"]
        self.assertEqual([group["decision"] for group in groups], ["accept", "tune", "reject"])
        self.analyze("--policy", "policy.json", "in", code=0)

    def test_of_usage(self):
        self.two_groups()
        run = self.run_program("analyze", "--output-dir", "out", "--output", "x.json", "in", code=2)
        self.assertIn(b"give one", run.stderr)
        self.run_program("analyze", "--output-dir", "-", "in", code=2)
        self.run_program("analyze", "--output-dir", "", "in", code=2)

    def test_of_a_folder_that_cannot_be_made(self):
        self.two_groups()
        run = self.run_program("analyze", "--output-dir", "in/ddp.json/out", "in", code=4)
        self.assertIn(b"in/ddp.json", run.stderr)


class Kept(Archive):
    """What is in the folder already."""

    def test_is_an_index_that_is_not_ours(self):
        self.two_groups()
        for name, text in (("index.json", json.dumps(record("ddp"))), ("index.csv", "mine\n"), ("index.xlsx", "x")):
            self.write("out/" + name, text)
            run = self.run_program("analyze", "--output-dir", "out", "in", code=2)
            self.assertIn(name.encode(), run.stderr)
            self.assertEqual(self.files(), {name: text.encode()})
            os.remove(self.path("out/" + name))

    def test_is_evidence_under_the_name_of_a_summary(self):
        self.two_groups()
        name = self.analyze("in")["groups"][0]["summary"]
        self.write("out/" + name, record("ddp", 990))
        before = self.files()
        run = self.run_program("analyze", "--output-dir", "out", "in", "out", code=2)
        self.assertIn(name.encode(), run.stderr)
        self.assertEqual(self.files(), before)

    def test_is_a_summary_of_an_earlier_run(self):
        self.two_groups()
        gone = self.of(self.analyze("in"), world_size=2)["summary"]
        os.remove(self.path("in/mixed.jsonl"))
        self.write("out/notes-0123456789.json", "{}")
        for _ in range(2):
            self.analyze("in")
            self.assertIn(b"still holds 1 summary of earlier runs", self.said.stderr)
            self.assertIn(gone.encode(), self.said.stderr)
        self.assertIn(gone, self.files())

    def test_stays_when_nothing_can_be_decided(self):
        self.two_groups()
        self.analyze("in")
        before = self.files()
        self.run_program("analyze", "--output-dir", "out", "--group", "nonsense=1", "in", code=2)
        self.assertEqual(self.files(), before)


class Terminal(Archive):
    def test_shows_the_first_groups_and_how_to_get_the_rest(self):
        self.write_lines("in/a.jsonl", [record("ddp", model=f"m{i}") for i in range(30)])
        text = self.run_program("analyze", "in").stdout.decode()
        self.assertIn("and 18 more groups; --output-dir DIR", text)
        self.assertLess(text.count("\n"), 40)
        self.analyze("in")
        text = self.said.stdout.decode()
        self.assertIn("30 groups, 30 records: 30 accept, 0 tune, 0 reject", text)
        self.assertIn("and 18 more groups", text)
        self.assertIn("30 summaries and index.csv, index.json, index.xlsx in out", text)

    def test_gets_no_control_characters(self):
        self.write("in/a.json", record("ddp", model="x\u001b[31my"))
        self.write("in/b\x1b[2J.json", "{")
        self.analyze("in", code=1)
        self.assertNotIn(b"\x1b", self.said.stdout + self.said.stderr + self.read("out/index.csv"))


if __name__ == "__main__":
    ProgramCase.program = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
