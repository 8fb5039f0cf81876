#!/usr/bin/python3
"""`rankledger validate --format sarif|github|junit` on hostile names and contents, against the published
schemas where they are there, and the commands of templates/ci as they stand on its page.

    test_ci.py PROGRAM PROJECT_ROOT [Class[.test]...]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import warnings
import xml.etree.ElementTree as ElementTree

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jsonschema

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(sys.argv[2]).resolve()
CASES = ROOT / "tests/evidence"
SOUND = (CASES / "valid/failure_text/input.json").read_bytes()
UNSOUND = (CASES / "invalid/metrics_empty/input.json").read_bytes()  # one error, at 12:14
WARNED = (CASES / "valid/failure_none_text/input.json").read_bytes()
SCHEMAS = os.environ.get("RANKLEDGER_SCHEMAS")

# Any byte but "/" and NUL may be in a name; these are those that end something somewhere.
NAMES = [b"plain.json", b"with space.json", b" lead.json", b"new\nline.json", b"return\r\n::error::x.json",
         b"::error file=x::forged.json", b"##[error]forged.json", b"a##[error title=x]b.json",
         b"percent%0Aencoded%25.json", b"hash#fragment.json", b"query?a=b&c;d.json", b"colon:comma,.json",
         b"quote\"'`$(x).json", b"]]>&amp;<!--.json", "中文-ü-🎉.json".encode(), "bidi\u202e\u2028.json".encode(),
         b"latin\xe4\xff.json", b"cut\xe4\xb8.json", b"esc\x1b[31m\x07\x7f.json", b"tab\tx.json", b"back\\slash.json",
         b"brackets](x)[y].json", b"{0}{{.json", b"==.json", b"dir ::/in#ner?.json", b"x" * 250 + b".json"]
CONTENTS = ["::error::forged", "\n::error file=a.json::forged", "\r\n::warning::forged", "##[error]forged",
            "x##[command]y", "]]>", "<b>&amp;", "[words](file:///etc/passwd)", "%0A::error::x", "\x1b[31mred",
            "\u2028::error::x", "\ufffe", "{0} {{1}}", "\"quoted\"", "中文"]


def run(*arguments, cwd=None, data=b"", **options):
    return subprocess.run([PROGRAM, *arguments], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=cwd, timeout=60, check=False, **options)


def write(folder, files):
    for name, data in files.items():
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.realpath(scratch.name)

    def hostile(self):
        """Every name with one error, and a record with every hostile content."""
        write(self.folder, {name: UNSOUND for name in NAMES})
        record = json.loads(SOUND)
        record["strategy"] = CONTENTS[0]
        record["evidence_level"] = CONTENTS[1]
        record["workload"] = {text: {"dtype": text} for text in CONTENTS}
        record["metrics"] = {text + "_per_rank": text for text in CONTENTS}
        record["metrics"]["memory_kind"] = CONTENTS[3]
        write(self.folder, {"content.json": json.dumps(record).encode(),
                            "keys.json": b'{"a": 1, "##[error]x": 1, "##[error]x": 2, "\\n::error::y": 1, "\\n::error::y": 2}',
                            "lines.jsonl": b"::error::x\n\n{\n" + json.dumps(record).encode() + b"\n##[error]x\n"})


def sarif(done):
    log = json.loads(done.stdout)
    return log, log["runs"][0]


def of_uri(result):
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


class Sarif(Scratch):
    def test_every_rule_that_validation_knows_is_described(self):
        write(self.folder, {"a.json": SOUND})
        _, log = sarif(run("validate", "--format", "sarif", "a.json", cwd=self.folder))
        rules = log["tool"]["driver"]["rules"]
        source = (ROOT / "analyze/validation_rules.c").read_text(encoding="utf-8")
        self.assertEqual([rule["id"] for rule in rules], re.findall(r'^    \{"(\w+)", ', source, re.M))
        self.assertGreater(len(rules), 50)
        for rule in rules:
            for text in ("shortDescription", "fullDescription", "help"):
                self.assertRegex(rule[text]["text"], r"^[A-Z].*\.$", rule)
            self.assertIn(rule["defaultConfiguration"]["level"], ("error", "warning"))
        # What the code reports, wherever it does, and what the cases expect.
        reported = set()
        for path in (ROOT / "analyze").glob("*.c"):
            reported.update(re.findall(r'VALIDATION_(?:ERROR|WARNING)\([^,]*, "(\w+)"', path.read_text(encoding="utf-8")))
        for path in CASES.glob("*/*/expect*"):
            reported.update(re.findall(r"\[(\w+)\]$", path.read_text(encoding="utf-8"), re.M))
        self.assertGreater(len(reported), 30)
        self.assertEqual(reported - {rule["id"] for rule in rules}, set())

    def test_results_say_what_the_json_format_says(self):
        done = run("validate", "--format", "sarif", "tests/evidence", cwd=ROOT)
        self.assertEqual(done.returncode, 1)
        log, only = sarif(done)
        self.assertEqual((log["version"], len(log["runs"]), only["columnKind"]), ("2.1.0", 1, "unicodeCodePoints"))
        rules = only["tool"]["driver"]["rules"]
        report = json.loads(run("validate", "--format", "json", "tests/evidence", cwd=ROOT).stdout)
        expected = [(re.sub(r"(\.jsonl|\.ndjson):\d+$", r"\1", document["path"]), finding["rule"], finding["severity"],
                     finding["line"] or 1, finding["column"], finding["pointer"], finding["message"])
                    for document in report["documents"] for finding in document["findings"]]
        found = []
        for result in only["results"]:
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(place["artifactLocation"]["uriBaseId"], "%SRCROOT%")
            logical = result["locations"][0].get("logicalLocations", [{"fullyQualifiedName": ""}])
            found.append((urllib.parse.unquote(of_uri(result)), result["ruleId"], result["level"],
                          place["region"]["startLine"], place["region"].get("startColumn"),
                          logical[0]["fullyQualifiedName"], result["message"]["text"]))
        self.assertGreater(len(found), 200)
        self.assertEqual(found, expected)
        self.assertEqual(only["invocations"], [{"executionSuccessful": True}])

    def test_a_path_of_any_bytes_is_a_uri(self):
        self.hostile()
        done = run("validate", "--format", "sarif", ".", cwd=self.folder)
        _, only = sarif(done)
        uris = {of_uri(result) for result in only["results"]}
        # RFC 3986: pchar and "/" alone; no ":" in the first segment, or it would be a scheme.
        for uri in uris:
            self.assertRegex(uri, r"^(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+$")
        self.assertEqual({urllib.parse.unquote_to_bytes(uri) for uri in uris},
                         {*NAMES, b"content.json", b"keys.json", b"lines.jsonl"})
        self.assertNotIn(b"\x1b", done.stdout)
        for result in only["results"]:
            self.assertNotIn("](", result["message"]["text"])

    def test_a_very_long_path_is_whole(self):
        name = b"/".join([b"a%" + b"y" * 200] * 18) + b"/end.json"
        write(self.folder, {name: UNSOUND})
        _, only = sarif(run("validate", "--format", "sarif", ".", cwd=self.folder))
        self.assertEqual([urllib.parse.unquote_to_bytes(of_uri(result)) for result in only["results"]], [name])

    def test_a_path_is_relative_if_it_is_below_the_working_directory(self):
        write(self.folder, {"in/a b.json": UNSOUND, "up.json": UNSOUND, "inner/c.json": UNSOUND})
        inside = f"{self.folder}/in"
        for path, uri in ((f"{inside}/a b.json", "a%20b.json"), ("./a b.json", "a%20b.json"), (".//./a b.json", "a%20b.json"),
                          ("../in/a b.json", "a%20b.json"), (f"{inside}/../in//a b.json", "a%20b.json"),
                          ("../up.json", f"file://{self.folder}/up.json"), (f"{self.folder}/up.json", f"file://{self.folder}/up.json"),
                          ("../inner/c.json", f"file://{self.folder}/inner/c.json"), ("/none/../none.json", "file:///none.json"),
                          ("none/", "none/"), ("..json", "..json")):
            _, only = sarif(run("validate", "--format", "sarif", path, cwd=inside))
            artifact = only["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            self.assertEqual(artifact["uri"], uri, path)
            self.assertEqual("uriBaseId" in artifact, not uri.startswith("file:"), path)

    def test_fingerprints_stay_when_lines_move(self):
        def prints(files, path="."):
            write(self.folder, files)
            _, only = sarif(run("validate", "--format", "sarif", path, cwd=self.folder))
            return [result["partialFingerprints"]["rankledgerFinding/v1"] for result in only["results"]]
        before = prints({"a.json": UNSOUND, "b.json": UNSOUND})
        self.assertEqual(len(set(before)), 2)
        self.assertEqual(prints({"a.json": b"\n\n" + UNSOUND}), before)
        self.assertEqual(prints({}, self.folder), before)
        one = b" ".join(UNSOUND.split())
        other = one.replace(b'"workload"', b'"more": 1, "workload"')
        lines = prints({"l.jsonl": one + b"\n" + other + b"\n"}, "l.jsonl")
        self.assertEqual(len(set(lines)), 2)
        self.assertEqual(prints({"l.jsonl": b"\n" + other + b"\n\n" + one + b"\n"}, "l.jsonl"), lines[::-1])

    def test_what_cannot_be_looked_at_is_said(self):
        write(self.folder, {"a.json": SOUND})
        done = run("validate", "--format", "sarif", "a.json", "none.json", cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        _, only = sarif(done)
        self.assertEqual([(r["ruleId"], of_uri(r)) for r in only["results"]], [("unreadable", "none.json")])
        self.assertEqual(only["invocations"][0]["executionSuccessful"], False)
        self.assertIn("none.json", only["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
        os.mkdir(f"{self.folder}/empty")
        done = run("validate", "--format", "sarif", "empty", cwd=self.folder)
        _, only = sarif(done)
        self.assertEqual((done.returncode, only["results"]), (3, []))
        self.assertIn("nothing matched", only["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
        _, only = sarif(run("validate", "--format", "sarif", "-", data=UNSOUND))
        self.assertEqual(of_uri(only["results"][0]), "stdin:")

    def test_the_bytes_do_not_depend_on_threads_or_the_place_of_output(self):
        self.hostile()
        one = run("validate", "--format", "sarif", "--jobs", "1", ".", cwd=self.folder)
        many = run("validate", "--format", "sarif", "--jobs", "7", "--output", "/dev/stdout", ".", cwd=self.folder)
        self.assertEqual(one.stdout, many.stdout)


class Runner:
    """What GitHub's runner makes of a log: a line that begins with "::", else one with "##[" anywhere
    (actions/runner, src/Runner.Common/ActionCommand.cs)."""
    COMMANDS = {"error", "warning", "notice", "debug", "command", "group", "endgroup", "add-mask", "stop-commands",
                "set-output", "set-env", "add-path", "save-state", "echo", "add-matcher", "remove-matcher"}

    def __init__(self, log):
        self.commands = []
        self.plain = []
        for line in re.split(r"\r\n|\r|\n", log.decode("utf-8", "replace")):
            if line != "":
                self.take(line)

    def take(self, line):
        match = re.match(r"\s*::(\S*?)(?: (.*?))?::(.*)$", line)
        if match and match[1] in self.COMMANDS:
            pairs = [pair.split("=", 1) for pair in (match[2] or "").split(",") if pair]
            self.commands.append((match[1], {key: self.value(value, "\r\n:,%") for key, value in pairs},
                                  self.value(match[3], "\r\n%")))
            return
        match = re.search(r"##\[(\w[\w-]*)[^\]]*\]", line)
        if match and match[1] in self.COMMANDS:
            self.commands.append(("old", {}, line))
        else:
            self.plain.append(line)

    @staticmethod
    def value(text, special):
        for c in special:
            text = text.replace(f"%{ord(c):02X}", c)
        return text


class Github(Scratch):
    def test_each_finding_is_one_annotation_at_its_place(self):
        write(self.folder, {"evidence/a.json": UNSOUND, "evidence/b.json": WARNED, "evidence/c.json": SOUND})
        done = run("validate", "--format", "github", "./evidence", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        log = Runner(done.stdout)
        self.assertEqual([(name, p.get("file"), p.get("line"), p.get("col"), p["title"]) for name, p, _ in log.commands],
                         [("error", "evidence/a.json", "12", "14", "metrics_empty"),
                          ("warning", "evidence/b.json", "17", "14", "failure_none_text"),
                          ("notice", None, None, None, "rankledger")])
        self.assertIn("evidence/a.json:12:14: /metrics: ", log.commands[0][2])
        self.assertEqual(log.commands[-1][2], "3 documents: 2 valid, 1 invalid, 1 error, 1 warning")
        self.assertEqual(log.plain, [])

    def test_nothing_in_a_name_or_a_file_makes_an_annotation(self):
        self.hostile()
        report = json.loads(run("validate", "--format", "json", ".", cwd=self.folder).stdout)
        findings = [finding for document in report["documents"] for finding in document["findings"]]
        done = run("validate", "--format", "github", ".", cwd=self.folder)
        log = Runner(done.stdout + done.stderr)
        self.assertGreater(len(findings), 40)
        self.assertEqual([(name, p["title"]) for name, p, _ in log.commands[:-1]],
                         [(finding["severity"], finding["rule"]) for finding in findings])
        self.assertEqual((log.commands[-1][0], log.plain), ("notice", []))
        self.assertNotIn(b"##[", done.stdout)
        for (_, _, message), finding in zip(log.commands, findings):
            self.assertIn(finding["message"].replace("##[", "##\\x5b"), message)
        # Names that are text lead GitHub to the file; others are shown as everywhere.
        files = {p["file"] for _, p, _ in log.commands[:-1]}
        for name in NAMES:
            text = name.decode("utf-8", "backslashreplace").replace("##[", "##\\x5b")
            if not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", text):
                self.assertIn(text, files)
        self.assertTrue(any("esc\\x1b[31m" in file for file in files))

    def test_nothing_on_standard_error_makes_an_annotation(self):
        for path in ("##[error]none.json", "\n::error::none.json", "\r::error::x/../y", "a##[error]b##[error]c"):
            for form in ("github", "text"):
                done = run("validate", "--format", form, path, cwd=self.folder)
                self.assertEqual(done.returncode, 3)
                self.assertEqual(Runner(done.stderr).commands, [], path)
                self.assertEqual(len(done.stderr.splitlines()), 1)
            done = run("validate", "--format", "github", "--files-from", path, cwd=self.folder)
            self.assertEqual(Runner(done.stderr).commands, [], path)
            done = run("validate", "--format", "github", f"--{path}", cwd=self.folder)
            self.assertEqual((done.returncode, Runner(done.stderr).commands), (2, []))

    def test_what_github_does_not_show_is_counted(self):
        record = json.loads(SOUND)
        record["metrics"] = {"losses": [-1] * 12}
        write(self.folder, {"a.json": json.dumps(record).encode()})
        done = run("validate", "--format", "github", "a.json", cwd=self.folder)
        log = Runner(done.stdout)
        self.assertEqual([name for name, _, _ in log.commands], ["error"] * 12 + ["notice"])
        self.assertIn("12 errors, 0 warnings; GitHub shows the first 10", log.commands[-1][2])

    def test_nothing_matched_is_an_error(self):
        os.mkdir(f"{self.folder}/empty")
        done = run("validate", "--format", "github", "empty", cwd=self.folder)
        log = Runner(done.stdout)
        self.assertEqual((done.returncode, [name for name, _, _ in log.commands]), (3, ["error", "notice"]))
        self.assertIn("nothing matched", log.commands[0][2])


# What is written of SARIF 2.1.0, and nothing else: a name that is misspelt is refused.
def shape(required, optional=None):
    return {"type": "object", "additionalProperties": False, "required": list(required),
            "properties": {**required, **(optional or {})}}


def listed(items):
    return {"type": "array", "items": items}


TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = shape({"text": TEXT})
NUMBER = {"type": "integer", "minimum": 1}
ARTIFACT = shape({"uri": TEXT}, {"uriBaseId": {"const": "%SRCROOT%"}, "description": MESSAGE})
RULE = shape({"id": TEXT, "shortDescription": MESSAGE, "fullDescription": MESSAGE, "help": MESSAGE,
              "defaultConfiguration": shape({"level": LEVEL})})
RESULT = shape({"ruleId": TEXT, "ruleIndex": {"type": "integer", "minimum": 0}, "level": LEVEL, "message": MESSAGE,
                "partialFingerprints": shape({"rankledgerFinding/v1": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
                "locations": {**listed(shape(
                    {"physicalLocation": shape({"artifactLocation": ARTIFACT,
                                                "region": shape({"startLine": NUMBER}, {"startColumn": NUMBER})})},
                    {"logicalLocations": listed(shape({"fullyQualifiedName": TEXT}))})), "minItems": 1, "maxItems": 1}})
RUN = shape({"tool": shape({"driver": shape({"name": TEXT, "version": TEXT, "rules": listed(RULE)})}),
             "columnKind": {"const": "unicodeCodePoints"}, "results": listed(RESULT),
             "originalUriBaseIds": shape({"%SRCROOT%": shape({"description": MESSAGE})}),
             "invocations": listed(shape({"executionSuccessful": {"type": "boolean"}},
                                         {"toolExecutionNotifications": listed(shape({"message": MESSAGE, "level": LEVEL}))}))})
LOG = shape({"version": {"const": "2.1.0"}, "runs": listed(RUN)}, {"$schema": TEXT})


class Schemas(Scratch):
    """The hostile folder, the project's cases, and a run that failed."""

    def outputs(self, form):
        self.hostile()
        for folder, paths in ((self.folder, ["."]), (ROOT, ["tests/evidence"]), (self.folder, ["none.json", "plain.json"]),
                              (self.folder, ["plain.json/none"])):
            yield run("validate", "--format", form, *paths, cwd=folder).stdout

    def published(self, name):
        path = pathlib.Path(SCHEMAS or ROOT / "../shared/schemas", name)
        if not path.is_file():
            self.skipTest(f"{name} is not there (tests/cli/published_schemas.sh DIR, then RANKLEDGER_SCHEMAS=DIR)")
        return path

    def test_sarif_has_the_shape_of_the_standard(self):
        for output in self.outputs("sarif"):
            jsonschema.validate(json.loads(output), LOG, jsonschema.Draft7Validator)

    def test_sarif_is_valid_against_the_published_schema(self):
        schema = json.loads(self.published("sarif-2.1.0.json").read_text(encoding="utf-8"))
        checked = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
        self.assertFalse(checked.is_valid({"version": "2.1.0", "runs": [{"tool": {}}]}))
        for output in self.outputs("sarif"):
            checked.validate(json.loads(output))

    def test_junit_has_the_shape_that_readers_know(self):
        suite_names = {"name", "tests", "failures", "errors"}
        for output in self.outputs("junit"):
            root = ElementTree.fromstring(output)
            self.assertEqual((root.tag, set(root.attrib), [suite.tag for suite in root]),
                             ("testsuites", suite_names, ["testsuite"]))
            self.assertEqual(set(root[0].attrib), suite_names | {"skipped"})
            for case in root[0]:
                self.assertEqual((case.tag, set(case.attrib)), ("testcase", {"classname", "name"}))
                self.assertIn([child.tag for child in case], ([], ["failure"], ["skipped"], ["system-out"]))
                for failure in case.iter("failure"):
                    self.assertEqual(set(failure.attrib), {"type", "message"})
            self.assertEqual(int(root[0].get("failures")), len(list(root.iter("failure"))))

    def test_junit_is_valid_against_the_published_schema(self):
        schema = self.published("junit-10.xsd")
        for output in self.outputs("junit"):
            done = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", str(schema), "-"], input=output,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)


class Pages(Scratch):
    """What templates/ci says, run as it stands there in a repository with evidence."""

    def setUp(self):
        super().setUp()
        self.page = (ROOT / "templates/ci/README.md").read_text(encoding="utf-8")
        os.mkdir(f"{self.folder}/bin")
        os.symlink(PROGRAM, f"{self.folder}/bin/rankledger")
        self.environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": self.folder,
                            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.invalid",
                            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.invalid"}
        self.repository = f"{self.folder}/repository"
        write(self.repository, {"evidence/good.json": SOUND, "evidence/bad one.json": UNSOUND, "package.json": b"{}"})
        self.shell("git init --quiet . && git add .")

    def shell(self, command, expected=0, cwd=None):
        # As a step of GitHub's and a script of GitLab's are run.
        done = subprocess.run(["bash", "-e", "-c", command], cwd=cwd or self.repository, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        self.assertEqual(done.returncode, expected, (command, done.stdout))
        return done.stdout.decode("utf-8")

    def repair(self):
        write(self.repository, {"evidence/bad one.json": SOUND})
        self.shell("git add .")

    def commands(self, key):
        """The values of `run:`, `script:`, `entry:` on the page, which those of the example file repeat."""
        found = re.findall(rf"^[- ]*{key}: (rankledger .*)$", self.page, re.M)
        self.assertGreater(len(found), 0)
        return found

    def test_github(self):
        annotate, write_alerts = self.commands("run")
        example = (ROOT / "templates/ci/github.yml").read_text(encoding="utf-8")
        for command in (annotate, write_alerts):
            self.assertEqual(example.count(f"run: {command}\n"), 1)
        log = self.shell(annotate, 1)
        self.assertIn("::error file=evidence/bad one.json,line=12,col=14,title=metrics_empty::", log)
        self.shell(write_alerts)
        alerts = json.loads(pathlib.Path(self.repository, "evidence.sarif").read_text(encoding="utf-8"))
        self.assertEqual([of_uri(result) for result in alerts["runs"][0]["results"]], ["evidence/bad%20one.json"])
        self.assertEqual(example.count("sarif_file: evidence.sarif"), 1)
        self.repair()
        self.shell(annotate)
        self.shell(write_alerts)
        shutil.rmtree(f"{self.repository}/evidence")
        self.shell(annotate, 3)
        self.shell(write_alerts, 1)

    def test_gitlab(self):
        (command,) = self.commands("script")
        example = (ROOT / "templates/ci/gitlab.yml").read_text(encoding="utf-8")
        self.assertIn(f"    - {command}\n", example)
        self.assertEqual((self.page + example).count("junit: evidence.xml"), 2)
        self.shell(command, 1)
        suite = ElementTree.parse(f"{self.repository}/evidence.xml").getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        self.repair()
        self.shell(command)

    def test_code_quality(self):
        if shutil.which("jq") is None:
            self.skipTest("jq is not installed")
        (command,) = re.findall(r"^ +(rankledger validate --format json .* > codequality\.json)$", self.page, re.M)
        self.assertIn(command, (ROOT / "templates/ci/gitlab.yml").read_text(encoding="utf-8"))
        self.shell(command)
        marks = json.loads(pathlib.Path(self.repository, "codequality.json").read_text(encoding="utf-8"))
        self.assertEqual([(m["check_name"], m["severity"], m["location"]) for m in marks],
                         [("metrics_empty", "major", {"path": "evidence/bad one.json", "lines": {"begin": 12}})])
        self.assertTrue(marks[0]["description"] and marks[0]["fingerprint"])
        self.repair()
        self.shell(command)
        self.assertEqual(pathlib.Path(self.repository, "codequality.json").read_text(encoding="utf-8").strip(), "[]")

    def hook(self, path):
        """What the page, the example and the definition at the top say; they say the same."""
        text = path.read_text(encoding="utf-8")
        return {key: re.search(rf"^[- ]*{key}: (.*)$", text, re.M)[1] for key in ("id", "entry", "language", "files", "require_serial")}

    def test_the_hook_checks_staged_evidence(self):
        hook = self.hook(ROOT / ".pre-commit-hooks.yaml")
        self.assertEqual(self.hook(ROOT / "templates/ci/pre-commit.yaml"), hook)
        self.assertEqual(self.hook(ROOT / "templates/ci/README.md"), hook)
        # As pre-commit does with a hook of language system: the entry, then the files that match.
        staged = self.shell("git diff --cached --name-only -z").split("\0")
        files = [name for name in staged if re.search(hook["files"], name)]
        self.assertEqual(files, ["evidence/bad one.json", "evidence/good.json"])
        self.assertIn("evidence/bad one.json:12:14: error: ", self.shell(f"{hook['entry']} '{files[0]}' {files[1]}", 1))

    def test_the_hook_without_pre_commit(self):
        (script,) = re.findall(r"```sh\n(.*)\n```", self.page)
        self.assertIn("evidence/bad one.json:12:14: error: ", self.shell(script, 1))
        write(self.repository, {".git/hooks/pre-commit": f"#!/bin/sh\n{script}\n".encode()})
        self.shell("chmod +x .git/hooks/pre-commit; git commit --quiet -m one", 1)
        self.repair()
        self.shell("git commit --quiet -m one")

    def test_pre_commit_itself(self):
        if shutil.which("pre-commit") is None:
            self.skipTest("pre-commit is not installed")
        (config,) = re.findall(r"```yaml\n(repos:\n.*?)```", self.page, re.S)
        write(self.repository, {".pre-commit-config.yaml": config.encode()})
        self.shell("git add . && pre-commit install")
        log = self.shell("git commit --quiet -m one", 1)
        self.assertIn("evidence/bad one.json:12:14: error: ", log)
        self.repair()
        self.shell("git commit --quiet -m one")
        # The definition at the top, from a repository.
        write(f"{self.folder}/project", {".pre-commit-hooks.yaml": (ROOT / ".pre-commit-hooks.yaml").read_bytes()})
        self.shell("git init --quiet . && git add . && git commit --quiet -m hooks", cwd=f"{self.folder}/project")
        write(self.repository, {"evidence/bad one.json": UNSOUND})
        log = self.shell("git add . && pre-commit try-repo ../project rankledger-validate", 1)
        self.assertIn("evidence/bad one.json:12:14: error: ", log)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
