#!/usr/bin/python3
"""Runs `rankledger validate` on what cannot lie among the cases of tests/evidence: paths, pipes,
lists, outputs, threads.

    validate.py PROGRAM PROJECT_ROOT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CASES = pathlib.Path(sys.argv[2]).resolve() / "tests/evidence"
SOUND = (CASES / "valid/failure_text/input.json").read_bytes()
UNSOUND = (CASES / "invalid/metrics_empty/input.json").read_bytes()
SUMMARY = (CASES / "valid/own_summary/input.json").read_bytes()
faults = []
checks = 0


def check(holds, what, *shown):
    global checks
    checks += 1
    if not holds:
        faults.append(f"{what}\n    {shown}")


def run(*arguments, data=b"", cwd=None, stdout=subprocess.PIPE, **options):
    done = subprocess.run([PROGRAM, *arguments], input=data, stdout=stdout, stderr=subprocess.PIPE,
                          cwd=cwd, timeout=60, check=False, **options)
    done.lines = (done.stdout or b"").decode("utf-8", "strict").splitlines()
    return done


def expect(done, exit_code, what, *parts):
    text = (done.stdout or b"").decode() + done.stderr.decode()
    check(done.returncode == exit_code, f"{what}: exit code {done.returncode} not {exit_code}", text)
    for part in parts:
        check(part in text, f"{what}: no {part!r}", text)


def write(folder, files):
    for name, data in files.items():
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def test_usage(_):
    expect(run("validate"), 2, "no path", "validate PATH")
    expect(run("validate", "--bogus", "x"), 2, "unknown option", "--bogus")
    expect(run("validate", "--strikt", "x"), 2, "near option", "--strict")
    expect(run("validate", "--jobs", "0", "x"), 2, "no jobs", "--jobs")
    expect(run("validate", "--jobs", "two", "x"), 2, "jobs in words", "--jobs")
    expect(run("validate", "--format", "xml", "x"), 2, "unknown format", "junit")
    expect(run("validate", "-0", "x"), 2, "-0 alone", "--files-from")
    expect(run("validat", "x"), 2, "unknown command", "validate")
    done = run("validate", "--help")
    expect(done, 0, "help", "--files-from", "exit codes")
    check(len(done.lines) <= 24 and max(map(len, done.lines)) <= 80, "help fits a screen", done.lines)


def test_paths(folder):
    expect(run("validate", "missing.json", cwd=folder), 3, "a missing path", "missing.json",
           "No such file", "[unreadable]")
    write(folder, {"a.json": SOUND, "b.json": UNSOUND})
    done = run("validate", "a.json", "missing.json", "b.json", cwd=folder)
    expect(done, 3, "a missing path among others", "b.json:12:14: error: /metrics:",
           "3 documents: 1 valid, 2 invalid")
    os.makedirs(f"{folder}/empty")
    expect(run("validate", "empty", cwd=folder), 3, "an empty directory", "nothing matched")
    expect(run("validate", "empty", "a.json", cwd=folder), 0, "an empty directory and a file")
    done = run("validate", "a.json", "a.json", cwd=folder)
    expect(done, 0, "a file twice", "2 documents: 2 valid")
    write(folder, {"-dash.json": UNSOUND})
    expect(run("validate", "--", "-dash.json", cwd=folder), 1, "after --", "-dash.json:12:14")
    expect(run("validate", "a.json", "--strict", cwd=folder), 0, "options after operands")
    expect(run("validate", "-", data=UNSOUND), 1, "standard input", "<stdin>:12:14: error")
    expect(run("validate", "/dev/stdin", data=SOUND), 0, "a pipe that was named")
    expect(run("validate", "/dev/null", cwd=folder), 3, "a device", "[not_regular]")
    expect(run("validate", "a.json/x", cwd=folder), 3, "a path through a file", "Not a directory")
    write(folder, {"big.json": b" " * (2 << 20) + SOUND})
    expect(run("validate", "--size-limit", "1", "big.json", cwd=folder), 1, "size limit",
           "[too_large]", "1 MiB")
    expect(run("validate", "--size-limit", "3", "big.json", cwd=folder), 0, "size limit kept")


def test_walk(folder):
    write(folder, {"d/b.json": UNSOUND, "d/a/x.json": UNSOUND, "d/a.json": UNSOUND,
                   "d/a-b.json": UNSOUND, "d/a/y.jsonl": b"{}\n", "d/B.json": UNSOUND,
                   "d/notes.txt": b"x", "d/json": b"x", "d/.json": b"x", "d/dir.json/z.ndjson": b"[]",
                   "d/.hidden.json": UNSOUND, "d/upper.JSON": b"x"})
    done = run("validate", "d", cwd=folder)
    order = list(dict.fromkeys(line.split(":")[0] for line in done.lines[:-1]))
    check(order == ["d/.hidden.json", "d/B.json", "d/a-b.json", "d/a.json", "d/a/x.json",
                    "d/a/y.jsonl", "d/b.json", "d/dir.json/z.ndjson"], "order of a walk", order)
    check(run("validate", "d/", cwd=folder).stdout == done.stdout, "a trailing slash")
    os.symlink("..", f"{folder}/d/a/loop")
    os.symlink("..", f"{folder}/d/a/loop.json")
    check(run("validate", "d", cwd=folder).stdout == done.stdout, "links to directories")
    os.symlink("d", f"{folder}/link")
    check(run("validate", "link", cwd=folder).lines[-1] == done.lines[-1], "a link that was named")
    write(folder, {"e/good.json": SOUND})
    os.symlink("good.json", f"{folder}/e/other.json")
    expect(run("validate", "e", cwd=folder), 0, "a link to a file", "2 documents: 2 valid")
    os.symlink("nowhere", f"{folder}/e/dangling.json")
    os.symlink("self.json", f"{folder}/e/self.json")
    expect(run("validate", "e", cwd=folder), 1, "links to nothing",
           "e/dangling.json: error: cannot read: No such file or directory [unreadable]",
           "e/self.json: error: cannot read: Too many levels of symbolic links [unreadable]")
    write(folder, {"f/good.json": SOUND})
    os.mkfifo(f"{folder}/f/pipe.json")
    expect(run("validate", "f", cwd=folder), 1, "a pipe in a directory", "[not_regular]",
           "2 documents: 1 valid, 1 invalid")


def test_names(folder):
    names = {b"new\nline.json": "new\\nline.json", b"esc\x1b[31m.json": "esc\\x1b[31m.json",
             b"bad\xff.json": "bad\\xff.json", b"quote\"<&>'.json": "quote\"<&>'.json",
             "中文\u202e.json".encode(): "中文\\u202e.json", b" .json": " .json",
             b"percent%s%n.json": "percent%s%n.json"}
    write(folder, {name: UNSOUND for name in names})
    done = run("validate", ".", cwd=folder)
    expect(done, 1, "hostile names", *names.values())
    check(b"\x1b" not in done.stdout and len(done.lines) == len(names) + 1, "lines of names",
          done.lines)
    suite = ElementTree.fromstring(run("validate", "--format", "junit", ".", cwd=folder).stdout)
    shown = sorted(case.get("name") for case in suite.iter("testcase"))
    check(shown == sorted("./" + name for name in names.values()), "names in junit", shown)
    report = json.loads(run("validate", "--format", "json", ".", cwd=folder).stdout)
    shown = sorted(document["path"] for document in report["documents"])
    check(shown == sorted("./" + name for name in names.values()), "names in json", shown)
    listed = b"\0".join(names) + b"\0"
    done = run("validate", "-0", "--files-from", "-", data=listed, cwd=folder)
    expect(done, 1, "names in a list", f"{len(names)} documents")


def test_lists(folder):
    write(folder, {"a.json": SOUND, "b.json": UNSOUND, "d/c.json": SOUND,
                   "list": b"a.json\n\nd\nb.json"})
    done = run("validate", "--files-from", "list", cwd=folder)
    expect(done, 1, "a list", "3 documents: 2 valid, 1 invalid")
    done = run("validate", "--files-from=list", "--files-from", "list", "a.json", cwd=folder)
    expect(done, 1, "two lists", "7 documents")
    expect(run("validate", "--files-from", "-", data=b"a.json\n", cwd=folder), 0, "a list from -")
    expect(run("validate", "--files-from", "none", cwd=folder), 3, "no list", "none", "No such file")
    expect(run("validate", "--files-from", "-", cwd=folder), 3, "an empty list", "nothing matched")
    expect(run("validate", "--files-from", "-", data=b"a.json\nnone\nb.json\n", cwd=folder), 3,
           "a list with a missing file", "3 documents: 1 valid, 2 invalid", "none")


def test_summaries(folder):
    write(folder, {"s/summary.json": SUMMARY})
    expect(run("validate", "s", cwd=folder), 3, "only a summary", "s/summary.json: note:",
           "nothing matched")
    expect(run("validate", "s/summary.json", cwd=folder), 0, "a named summary", "1 document: 1 valid")
    write(folder, {"s/a.json": SOUND})
    expect(run("validate", "s", cwd=folder), 0, "a summary and a record", "1 skipped")
    report = json.loads(run("validate", "--format=json", "s", cwd=folder).stdout)
    check([d["status"] for d in report["documents"]] == ["valid", "skipped"], "skipped in json")
    suite = ElementTree.fromstring(run("validate", "--format=junit", "s", cwd=folder).stdout)
    check(len(list(suite.iter("skipped"))) == 1, "skipped in junit")


def test_formats(folder):
    for form in ("text", "json", "junit", "sarif", "github"):
        one = run("validate", "--format", form, "--jobs", "1", str(CASES))
        for jobs in ("2", "7"):
            other = run("validate", "--format", form, "--jobs", jobs, str(CASES))
            check(other.stdout == one.stdout and other.returncode == one.returncode == 1,
                  f"{form} on {jobs} threads")
        path = f"{folder}/out.{form}"
        done = run("validate", "--format", form, "--output", path, str(CASES))
        check(done.returncode == 1 and done.stdout == b"" and
              pathlib.Path(path).read_bytes() == one.stdout, f"{form} into a file", done)
    report = json.loads(pathlib.Path(folder, "out.json").read_text(encoding="utf-8"))
    totals = report["totals"]
    statuses = [document["status"] for document in report["documents"]]
    findings = [f for d in report["documents"] if d["status"] != "skipped" for f in d["findings"]]
    check(statuses.count("valid") == totals["valid"] and statuses.count("invalid") ==
          totals["invalid"], "statuses in json", totals)
    check(sum(f["severity"] == "error" for f in findings) == totals["errors"] and
          sum(f["severity"] == "warning" for f in findings) == totals["warnings"],
          "findings in json", totals)
    suite = ElementTree.parse(f"{folder}/out.junit").getroot().find("testsuite")
    cases = list(suite.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None]
    check(len(cases) == int(suite.get("tests")) == len(statuses) and
          len(failed) == int(suite.get("failures")) == totals["invalid"], "counts in junit",
          suite.attrib)
    check(sorted(os.listdir(folder)) == ["out.github", "out.json", "out.junit", "out.sarif", "out.text"], "nothing left over")
    warned = str(CASES / "valid/failure_none_text/input.json")
    expect(run("validate", warned), 0, "a warning")
    expect(run("validate", "--strict", warned), 1, "a warning under --strict", "1 invalid")


def test_outputs(folder):
    write(folder, {"a.json": UNSOUND, "old": b"old"})
    expect(run("validate", "--output", "none/out", "a.json", cwd=folder), 4, "no such folder",
           "none/out", "does not exist")
    expect(run("validate", "--output", "/dev/full", "a.json", cwd=folder), 4, "a full device",
           "No space left")
    for form in ("text", "json", "junit", "sarif", "github"):
        with open("/dev/full", "wb") as full:
            done = run("validate", "--format", form, "a.json", cwd=folder, stdout=full)
        expect(done, 4, f"{form} to a full standard output", "standard output", "No space left")
    expect(run("validate", "--output", "-", "a.json", cwd=folder), 1, "output -", "1 invalid")
    os.mkdir(f"{folder}/directory")
    expect(run("validate", "--output", "directory", "a.json", cwd=folder), 4, "a directory")
    check(sorted(os.listdir(folder)) == ["a.json", "directory", "old"], "nothing left over")
    with subprocess.Popen([PROGRAM, "validate", str(CASES)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdout.close()
        errors = process.stderr.read()
    check(errors == b"" and process.returncode in (1, -13), "a reader that goes away", errors,
          process.returncode)


def test_many(folder):
    record = json.loads(SOUND)
    record["metrics"] = {"losses": [-1] * 12000}
    write(folder, {"many.json": json.dumps(record).encode(),
                   "lines.jsonl": b"{\n" * 30000})
    done = run("validate", "many.json", cwd=folder)
    check(len(done.lines) == 10002 and done.returncode == 1 and
          "2000 more errors" in done.lines[-2], "more findings than are listed", done.lines[-3:])
    # No error is hidden behind ten thousand warnings.
    record = json.loads(SOUND)
    record["many"] = [2 ** 53 + 1] * 12000
    record["strategy"] = "zero-1"
    write(folder, {"warned.json": json.dumps(record).encode()})
    done = run("validate", "warned.json", cwd=folder)
    check(len(done.lines) == 10003 and done.returncode == 1 and
          sum("[unknown_strategy]" in line for line in done.lines) == 1 and
          "2000 more warnings" in done.lines[-2], "an error behind many warnings", done.lines[-3:])
    done = run("validate", "lines.jsonl", cwd=folder)
    expect(done, 1, "a broken document a line", "30000 documents: 0 valid, 30000 invalid",
           "lines.jsonl:30000:2: error")
    one = json.dumps(json.loads(SOUND)).encode() + b"\n"
    write(folder, {"good.jsonl": one * 20000})
    expect(run("validate", "good.jsonl", cwd=folder), 0, "many lines", "20000 documents: 20000 valid")


def test_one_after_another(folder):
    """Files are read with the one before them as a pattern; nothing may leak from one to the next."""
    renamed = SOUND.replace(b'"failure"', b'"failurf"')
    number = SOUND.replace(b'"world_size": 4', b'"world_size": 0')
    write(folder, {"a.json": SOUND, "b.json": renamed, "c.json": number})
    paths = []
    for path in ("a.json", "b.json", "c.json", "a.json", "none", "b.json", "none", "a.json", "none",
                 "none", "b.json", "a.json", "c.json", "none", "c.json", "c.json"):
        paths.append(path)
        together = run("validate", "--jobs", "1", *paths, cwd=folder).lines[:-1]
        alone = [line for p in paths for line in run("validate", p, cwd=folder).lines[:-1]]
        check(together == alone, f"files after one another: {paths}", together, alone)
    one = b" ".join(SOUND.split()) + b"\n"
    lines = [one, one.replace(b'"failure"', b'"failurf"'), one, b"{\n", one.replace(b": 4", b": 0"),
             one.replace(b"ddp", b"zero9"), one]
    write(folder, {"all.jsonl": b"".join(lines)})
    together = [line.split(":", 2)[2] for line in run("validate", "all.jsonl", cwd=folder).lines[:-1]]
    alone = []
    for line in lines:
        write(folder, {"one.jsonl": line})
        alone += [text.split(":", 2)[2]
                  for text in run("validate", "one.jsonl", cwd=folder).lines[:-1]]
    check([t.replace("in line 4", "in line 1") for t in together] == alone and len(alone) == 5,
          "lines after one another", together, alone)


def test_permissions(folder):
    """As root nothing is unreadable, so the program runs as nobody where it can."""
    write(folder, {"d/closed/x.json": SOUND, "d/good.json": SOUND, "d/closed.json": SOUND})
    os.chmod(folder, 0o755)
    os.chmod(f"{folder}/d/closed", 0)
    os.chmod(f"{folder}/d/closed.json", 0)
    options = {"user": 65534} if os.getuid() == 0 else {}
    try:
        if run("--version", **options).returncode != 0:
            raise PermissionError
        done = run("validate", "d", cwd=folder, **options)
        expect(done, 1, "closed files", "d/closed.json: error: cannot read: Permission denied",
               "d/closed/: error: cannot read: Permission denied", "3 documents: 1 valid, 2 invalid")
        done = run("validate", "d/closed", cwd=folder, **options)
        expect(done, 3, "a closed directory that was named", "d/closed", "Permission denied")
        done = run("validate", "d/closed.json", cwd=folder, **options)
        expect(done, 3, "a closed file that was named", "Permission denied")
    except PermissionError:
        print("not tested: files without permission (the program cannot run as another user)")
    os.chmod(f"{folder}/d/closed", 0o755)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as scratch:
            test(scratch)
print("\n".join(faults) or f"{checks} checks")
sys.exit(1 if faults or checks < 50 else 0)
