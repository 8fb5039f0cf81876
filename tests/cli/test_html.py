"""report.html and templates through the program: test_html.py PROGRAM SOURCE_DIR [TEST...]."""
import base64
import copy
import json
import os
import re
import struct
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib

from program_case import ProgramCase

ProgramCase.program = os.path.abspath(sys.argv.pop(1))
SOURCE = os.path.abspath(sys.argv.pop(1))
SAMPLES = os.path.join(SOURCE, "tests", "summary")
MEASURED = os.path.join(SOURCE, "reports", "cpu-2-ranks", "summary.json")


def sample(name):
    with open(os.path.join(SAMPLES, name), encoding="utf-8") as file:
        return json.load(file)


def builtin(name):
    with open(os.path.join(SOURCE, "templates", name), encoding="utf-8") as file:
        return json.load(file)


def small_png():
    """A red picture of 3 by 2 pixels."""
    def chunk(name, data):
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    rows = b"".join(b"\0" + b"\xff\0\0" * 3 for _ in range(2))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Html(ProgramCase):
    def report(self, summary, *arguments, formats="html", expect=0):
        if not isinstance(summary, str):
            self.write("summary.json", summary)
            summary = self.path("summary.json")
        result = self.run_program("report", "--format", formats, "--output", "out", *arguments,
                                  summary)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result

    def read(self, name="report.html"):
        with open(os.path.join(self.path("out"), name), "rb") as file:
            return file.read()

    def page(self):
        """The page as a tree: it is well-formed XML, or this fails."""
        return ElementTree.fromstring(self.read())


def texts(element):
    return "".join(element.itertext())


class Page(Html):
    """What holds for every report."""

    def check(self, root, language):
        self.assertEqual((root.tag, root.get("lang")), ("html", language))
        self.assertEqual(len(root.findall(".//h1")), 1)
        self.assertEqual(texts(root.find(".//title")), texts(root.find(".//h1")))
        self.check_headings(root)
        self.check_references(root)
        self.check_alone(root)
        for svg in root.findall(".//main//svg"):
            self.assertEqual(svg.get("role"), "img")
            self.assertTrue(texts(svg.find("title")))
            self.assertTrue(texts(svg.find("desc")))
            # the heading above says what the picture's own title said, which is cut off
            self.assertGreater(int(svg.get("viewBox").split()[1]), 20)
        for table in root.findall(".//table"):
            self.assertTrue(all(th.get("scope") == "col" for th in table.findall("thead/tr/th")))
            self.assertTrue(all(tr[0].get("scope") == "row" for tr in table.findall("tbody/tr")))

    def check_headings(self, root):
        level = 1
        for element in root.iter():
            if re.fullmatch("h[1-6]", element.tag) and element.get("id") != "contents_title":
                self.assertLessEqual(int(element.tag[1]), level + 1, texts(element))
                self.assertTrue(texts(element))
                level = int(element.tag[1])

    def check_references(self, root):
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        self.assertEqual(len(ids), len(set(ids)), "an id stands twice")
        for element in root.iter():
            for name in (element.get("aria-labelledby") or "").split():
                self.assertIn(name, ids)
            if (element.get("href") or "").startswith("#"):
                self.assertIn(element.get("href")[1:], ids)

    def check_alone(self, root):
        """Nothing is run, nothing is fetched."""
        policy = [meta.get("content") for meta in root.iter("meta")
                  if meta.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(len(policy), 1)
        self.assertTrue(policy[0].startswith("default-src 'none'"))
        for element in root.iter():
            self.assertNotIn(element.tag, ("script", "link", "iframe", "object", "base", "form"))
            for name, value in element.attrib.items():
                self.assertFalse(name.lower().startswith("on"), name)
                if name in ("href", "src", "action", "data", "srcset", "xlink:href"):
                    self.assertRegex(value, r"^(#|data:image/png;base64,)")
        for style in root.iter("style"):
            self.assertNotRegex(style.text, r"url\(|@import|@font-face|expression")

    def test_every_sample_in_every_language(self):
        for name in os.listdir(SAMPLES):
            for language in ("en", "zh") if name == "groups.json" else ("zh",):
                with self.subTest(name=name, language=language):
                    self.report(os.path.join(SAMPLES, name), "--language", language)
                    self.check(self.page(), language)

    def test_a_measured_report_shows_the_charts_and_numbers(self):
        self.report(MEASURED)
        root = self.page()
        self.check(root, "en")
        titles = [texts(svg.find("title")) for svg in root.findall(".//main//svg")]
        self.assertIn("Peak memory per rank", titles)
        self.assertGreaterEqual(len(titles), 6)
        self.assertIn("127.9 MiB", texts(root.find(".//main")))
        self.assertEqual(len(root.findall(".//nav//a[@href='#charts']")), 1)

    def test_equal_input_gives_equal_bytes(self):
        self.report(MEASURED)
        first = self.read()
        self.report(MEASURED)
        self.assertEqual(self.read(), first)

    def test_texts_of_others_stay_texts(self):
        hostile = "\"><script>alert(1)</script>&lt;img src=x onerror=1>'\u202e]]>\u0085<!--"
        summary = sample("accept.json")
        for candidate in summary["groups"][0]["candidates"]:
            candidate["strategy"] = candidate["strategy"] + hostile
        for source in summary["sources"]:
            source["path"] = hostile + source.get("path", "")
        self.report(summary)
        root = self.page()
        self.check(root, "en")
        shown = texts(root.find(".//main"))
        self.assertIn("<script>alert(1)</script>", shown)
        self.assertIn("\\u202e", shown)
        self.assertNotIn("\u202e", shown)

    def test_every_colour_of_a_chart_has_one_for_the_dark(self):
        """A chart is drawn in light colours; its rules for the dark are found by them."""
        theme = builtin("theme.json")
        pairs = {"shape": {}, "text": {}}
        for name, ink in theme["inks"].items():
            kind = "text" if name.startswith("text_on") else "shape"
            pairs[kind][ink["light"]] = ink["dark"]
            if name in ("text", "quiet", "good", "warning", "bad", "limit"):
                pairs["text"][ink["light"]] = ink["dark"]
        for area in theme["areas"].values():
            for part in area.values():
                if isinstance(part, dict):
                    pairs["shape"][part["light"]] = part["dark"]
        for series in theme["series"].values():
            pairs["shape"][series["colour"]["light"]] = series["colour"]["dark"]
        for name in ("accept.json", "all_failed.json"):
            self.report(os.path.join(SAMPLES, name))
            self.check_colours(self.page(), pairs)
        self.report(MEASURED)
        self.check_colours(self.page(), pairs)

    def check_colours(self, root, pairs):
        style = root.find(".//style").text
        for element in root.findall(".//main//svg//*"):
            for name in ("fill", "stroke"):
                colour = element.get(name)
                if colour in (None, "none"):
                    continue
                own = pairs["text"] if element.tag == "g" else pairs["shape"]
                dark = own.get(colour, pairs["shape"].get(colour))
                self.assertIsNotNone(dark, "%s %s is not of the theme" % (name, colour))
                selector = "g" if element.tag == "g" and colour in own else ""
                rule = '.chart %s[%s="%s"] { %s: %s; }' % (selector, name, colour, name, dark)
                self.assertTrue(dark == colour or rule in style, rule)


class Template(Html):
    """A folder of the user's."""

    def refused(self, message, *arguments):
        result = self.report(os.path.join(SAMPLES, "accept.json"), "--template", "own", *arguments,
                             expect=3)
        self.assertIn(message, result.stderr.decode())
        self.assertFalse(os.path.exists(self.path("out")))

    def accepted(self, *arguments, **more):
        self.report(os.path.join(SAMPLES, "accept.json"), "--template", "own", *arguments, **more)
        return self.page()

    def put_logo(self):
        with open(self.path("own/logo.png"), "wb") as file:
            file.write(small_png())

    def test_organisation_and_logo_are_on_page_and_workbook(self):
        self.write("own/report.json", {"organisation": "Example & Sons"})
        self.put_logo()
        root = self.accepted(formats="html,xlsx,pdf")
        self.assertEqual(texts(root.find(".//header//p")), "Example & Sons")
        source = root.find(".//header/img").get("src")
        self.assertEqual(base64.b64decode(source.split(",")[1]), small_png())
        book = zipfile.ZipFile(os.path.join(self.path("out"), "report.xlsx"))
        self.assertIn("Example &amp; Sons", book.read("docProps/app.xml").decode())

    def test_sections_and_charts_are_those_of_the_list(self):
        self.write("own/report.json", {"html": {"sections": ["sources", "charts"],
                                                "charts": ["throughput"]},
                                       "pictures": {"charts": ["memory"]}})
        root = self.accepted(formats="html,svg")
        self.assertEqual([texts(h) for h in root.iter("h2") if h.get("id") != "contents_title"],
                         ["Sources", "Charts"])
        self.assertEqual(len(root.findall(".//main//svg")), 1)
        self.assertEqual(os.listdir(os.path.join(self.path("out"), "charts")), ["memory.svg"])

    def test_a_page_has_the_charts_of_forty_groups(self):
        self.write("own/report.json", {"html": {"sections": ["charts"], "charts": ["margins"]}})
        summary = sample("accept.json")
        group = summary["groups"][0]
        summary["groups"] = [dict(group, label="group %d" % i) for i in range(42)]
        self.report(summary, "--template", "own")
        root = self.page()
        self.assertEqual(len(root.findall(".//main//svg")), 40)
        self.assertEqual(texts(root).count("the charts of the first 40 groups"), 2)

    def test_a_theme_colours_the_page_and_its_charts(self):
        self.write("own/theme.json", {"inks": {"text": {"light": "#101010", "dark": "#fafafa"}}})
        self.accepted()
        page = self.read().decode()
        self.assertIn("--text: #101010;", page)
        self.assertIn('.chart g[fill="#101010"] { fill: #fafafa; }', page)
        self.assertIn('fill="#101010"><use', page)

    def test_paper_is_the_templates(self):
        self.write("own/report.json", {"page": "Letter"})
        self.accepted()
        self.assertIn("size: 612.00pt 792.00pt", self.read().decode())

    def test_what_is_broken_is_named_and_nothing_is_written(self):
        os.makedirs(self.path("own"))
        self.refused("own: error: there is nothing of a template in it")
        self.write("own/theme.json", '{"inks": {\n  "txt": 1}}')
        self.refused("own/theme.json:2:4: error: /inks/txt: no ink is called \"txt\"")
        self.write("own/theme.json", '{"inks": {"quiet": {"light": "#aaaaaa"}}}')
        self.refused("own/theme.json:1:20: error: /inks/quiet: /inks/quiet and /inks/page have a "
                     "contrast of 2.3:1")
        os.remove(self.path("own/theme.json"))
        self.write("own/report.json", '{"html": {"charts": ["memroy"]}}')
        self.refused("own/report.json:1:23: error: /html/charts/0: no chart is called \"memroy\", "
                     "did you mean \"memory\"?")
        self.write("own/report.json", "{}")
        self.write("own/logo.png", "no picture")
        self.refused("own/logo.png: error: it cannot be decoded")
        self.write("own/logo.png", "")
        self.refused("own/logo.png: error: it is empty")

    def test_every_name_of_the_built_in_one_is_explained(self):
        with open(os.path.join(SOURCE, "templates", "template.md"), encoding="utf-8") as file:
            page = file.read()

        def check(value):
            for name in value:
                if isinstance(value, dict):
                    self.assertIn("`%s`" % name, page)
                if isinstance(value, list) and re.fullmatch("[a-z_0-9]+", name):
                    self.assertIn("`%s`" % name, page)
                if isinstance(value, dict) and isinstance(value[name], (dict, list)):
                    check(value[name])
        check(builtin("report.json"))
        check(builtin("theme.json"))

    def test_a_language_is_a_file(self):
        words = builtin("language/en.json")
        words["report.title"] = "Rapport de d\u00e9cision"
        self.write("own/language/fr.json", words)
        root = self.accepted("--language", "fr")
        self.assertEqual(root.get("lang"), "fr")
        self.assertEqual(texts(root.find(".//h1")), "Rapport de d\u00e9cision")
        self.accepted("--language", "zh")  # of which the folder says nothing
        self.write("own/language/fr.json", dict(words, **{"report.title": "a\ufdd0"}))
        result = self.report(MEASURED, "--template", "own", "--language", "fr", expect=3)
        self.assertRegex(result.stderr.decode(), r"^rankledger: own/language/fr.json:1:\d+: error: "
                         "/report.title: a text of a report is one line without characters that")
        del words["report.title"], words["sheet.gates"]
        self.write("own/language/fr.json", words)
        result = self.report(MEASURED, "--template", "own", "--language", "fr", expect=3)
        self.assertIn("own/language/fr.json:1:1: error: a language that is not built in must have "
                      "every text: 2 are missing: report.title, sheet.gates",
                      result.stderr.decode())


if __name__ == "__main__":
    unittest.main()
