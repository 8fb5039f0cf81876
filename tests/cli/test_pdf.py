"""End-to-end tests of report.pdf: test_pdf.py PROGRAM. Each class is skipped, saying so, where
qpdf or poppler's programs are not installed. Standard library only."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import program_case  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "summary")
TOOLS = ("qpdf", "pdftotext", "pdffonts", "pdfinfo")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]


def sample(name):
    with open(os.path.join(SAMPLES, name), encoding="utf-8") as file:
        return json.load(file)


@unittest.skipIf(MISSING, "not installed: " + ", ".join(MISSING))
class PdfCase(program_case.ProgramCase):
    program = PROGRAM

    def report(self, summary, *arguments, expect=0, environment=None):
        self.write("summary.json", summary)
        result = self.run_program("report", "--format", "pdf", "--output", "out", *arguments,
                                  "summary.json", env={**os.environ, **(environment or {})})
        self.assertEqual(result.returncode, expect, result.stderr)
        return self.path("out/report.pdf")

    def tool(self, *command):
        result = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result.stdout.decode()

    def text(self, path, *arguments):
        return self.tool("pdftotext", *arguments, path, "-")

    def words(self, path, *arguments):
        """Without blanks and line ends, which a layout may put anywhere."""
        return re.sub(r"\s+", "", self.text(path, *arguments))

    def pages(self, path):
        return int(re.search(r"^Pages:\s+(\d+)$", self.tool("pdfinfo", path), re.M).group(1))


class Document(PdfCase):
    def test_is_sound_and_embeds_its_fonts(self):
        for name, language in (("accept.json", "zh"), ("all_failed.json", "zh"),
                               ("tune.json", "en"), ("no_evidence.json", "en")):
            with self.subTest(name=name, language=language):
                path = self.report(sample(name), "--language", language)
                self.tool("qpdf", "--check", path)
                fonts = self.tool("pdffonts", path).splitlines()[2:]
                self.assertGreater(len(fonts), 0)
                for font in fonts:
                    # embedded, a subset, with the characters of its glyphs
                    self.assertRegex(font, r" yes yes yes +\d+ +\d+$")
                # fonts of some hundred glyphs, and vectors: 160 KB measured
                self.assertLess(os.path.getsize(path), 300000)

    def test_has_the_same_bytes_twice_whatever_the_locale(self):
        first = self.report(sample("accept.json"), "--language", "zh")
        with open(first, "rb") as file:
            before = file.read()
        second = self.report(sample("accept.json"), "--language", "zh", environment={
            "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "HOME": "/nowhere"})
        with open(second, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_says_its_title_language_and_date(self):
        path = self.report(sample("accept.json"), environment={"SOURCE_DATE_EPOCH": "1700000000"})
        info = self.tool("pdfinfo", "-isodates", path)
        self.assertRegex(info, r"(?m)^Title: +Training-state sharding: decision report$")
        self.assertRegex(info, r"(?m)^Author: +rankledger$")
        self.assertRegex(info, r"(?m)^CreationDate: +2023-11-14T22:13:20Z$")
        self.assertRegex(info, r"(?m)^Page size: +595.276 x 841.89 pts \(A4\)$")
        with open(path, "rb") as file:
            self.assertIn(b"/Lang (en)", file.read())

    def test_paper_organisation_and_logo_come_from_the_template(self):
        self.write("mine/report.json", {"page": "Letter", "organisation": "Rechenzentrum Süd"})
        self.write("mine/language/en.json", {"report.subject": "What to buy"})
        shutil.copy(self.report_picture(), self.path("mine/logo.png"))
        path = self.report(sample("accept.json"), "--template", "mine")
        self.assertRegex(self.tool("pdfinfo", path), r"(?m)^Page size: +612 x 792 pts")
        self.assertRegex(self.tool("pdfinfo", path), r"(?m)^Subject: +What to buy$")
        self.assertRegex(self.tool("pdfinfo", path), r"(?m)^Author: +Rechenzentrum Süd$")
        for page in range(1, self.pages(path) + 1):
            self.assertIn("Rechenzentrum Süd", self.text(path, "-f", str(page), "-l", str(page)))
        # one picture, used by every page
        with open(path, "rb") as file:
            self.assertEqual(file.read().count(b"/Subtype /Image"), 1)

    def report_picture(self):
        """Some PNG."""
        self.write("summary.json", sample("accept.json"))
        result = self.run_program("report", "--format", "png", "--output", "png", "summary.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.path("png/charts/memory.png")


class Content(PdfCase):
    def test_what_stands_where(self):
        summary = sample("accept.json")
        path = self.report(summary)
        with self.subTest("the first page is the decision"):
            first = self.text(path, "-f", "1", "-l", "1")
            for said in ("Accept zero1", "15,120.5 MiB", "451,000 tokens/s", "19 %",
                         "Next actions"):
                self.assertIn(said, first)
            self.assertNotIn("Candidates side by side", first)
            self.assertIn("Candidates side by side", self.text(path, "-f", "2", "-l", "2"))
        with self.subTest("every source has its whole digest"):
            text = self.words(path, "-layout") + self.words(path)
            for source in summary["sources"]:
                self.assertIn(source["sha256"], text)
        with self.subTest("words with ligatures can be searched"):
            self.assertNotRegex(self.text(path), "[ﬀ-ﬆ]")
            self.assertIn("does not fit", re.sub(r"\s+", " ", self.text(path)))
        with self.subTest("the outline"):
            self.outline_leads_to_every_part(path)

    def outline_leads_to_every_part(self, path):
        plain = self.path("plain.pdf")
        subprocess.run(["qpdf", "--qdf", "--object-streams=disable", path, plain], check=True)
        with open(plain, "rb") as file:
            content = file.read()
        for title in ("Decision", "Candidates side by side", "Charts", "Sources"):
            self.assertIn(b"/Title (%s)" % title.encode(), content)
            self.assertRegex(content, rb"/Dest \(%s\)" % {"Candidates side by side": "candidates"}
                             .get(title, title.lower()).encode())

    def test_chinese_can_be_searched(self):
        path = self.report(sample("accept.json"), "--language", "zh")
        self.assertIn("采用zero1", self.words(path, "-f", "1", "-l", "1"))
        self.assertIn("候选策略对比", self.words(path, "-f", "2", "-l", "2"))

    def test_every_group_has_a_page_for_its_decision(self):
        summary = sample("groups.json")
        path = self.report(summary)
        self.tool("qpdf", "--check", path)
        verdicts = [page for page in range(1, self.pages(path) + 1)
                    if "Next actions" in self.text(path, "-f", str(page), "-l", str(page))]
        self.assertEqual(len(verdicts), 1 + len(summary["groups"]))
        self.assertEqual(verdicts[0], 1)

    def test_a_decision_with_long_commands_is_one_page(self):
        summary = sample("accept.json")
        command = "rankledger-collect run" + " --strategy zero1 --output-dir 'runs of a day'" * 9
        for decision in (summary["decision"], summary["groups"][0]["decision"]):
            decision["next_actions"] = [
                {"kind": "rerun", "strategy": "zero%d" % (i % 3 + 1), "command": command}
                for i in range(9)]
        path = self.report(summary)
        self.assertIn("runs of a day", self.text(path, "-f", "1", "-l", "1"))
        self.assertIn("Candidates side by side", self.text(path, "-f", "2", "-l", "2"))


class Faults(PdfCase):
    def test_a_full_disk_is_reported(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        os.makedirs(self.path("out"))
        with open(self.path("out/report.pdf"), "w", encoding="utf-8") as file:
            file.write("before")
        self.write("summary.json", sample("accept.json"))
        # no file may grow beyond 4 KiB, and a write that would is an error
        result = subprocess.run(
            ["sh", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$@"', "sh", PROGRAM, "report", "--format", "pdf",
             "--output", "out", "summary.json"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(b"report.pdf", result.stderr)
        with open(self.path("out/report.pdf"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "before")


if __name__ == "__main__":
    unittest.main()
