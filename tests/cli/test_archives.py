#!/usr/bin/python3
"""Archives through the built program: test_archives.py RANKLEDGER CASES [TEST...]

Compressed evidence, files of very many lines, directories as archives have them.
"""
import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import unittest

PROGRAM = CASES = SOUND = UNSOUND = None


def compress(data):
    return gzip.compress(data, mtime=0)


def line_of(document):
    return b" ".join(document.split()) + b"\n"


class Archive(unittest.TestCase):
    """A folder of its own, and the program run in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, files):
        for name, data in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def run_program(self, *arguments, data=b"", **options):
        done = subprocess.run([PROGRAM, *arguments], input=data, capture_output=True, timeout=60,
                              cwd=self.folder, check=False, **options)
        done.lines = done.stdout.decode().splitlines()
        done.errors = done.stderr.decode()
        return done

    def validate(self, *arguments, code, **options):
        done = self.run_program("validate", *arguments, **options)
        self.assertEqual(done.returncode, code, (done.lines, done.errors))
        return done.lines


class Compressed(Archive):
    def test_is_read_whatever_its_name(self):
        self.write({"plain.json": UNSOUND, "a.json.gz": compress(UNSOUND), "b.json": compress(UNSOUND),
                    "c": compress(UNSOUND)})
        plain = self.validate("plain.json", code=1)
        for name in ("a.json.gz", "b.json", "c"):
            self.assertEqual(self.validate(name, code=1), [line.replace("plain.json", name)
                                                           for line in plain])
        for data in (compress(UNSOUND), UNSOUND):
            self.assertEqual(self.validate("-", code=1, data=data),
                             [line.replace("plain.json", "<stdin>") for line in plain])
        self.assertEqual(self.validate("/dev/stdin", code=1, data=compress(UNSOUND)),
                         [line.replace("plain.json", "/dev/stdin") for line in plain])

    def test_lines_keep_their_numbers(self):
        lines = line_of(SOUND) + b"\n" + line_of(UNSOUND) + line_of(SOUND)
        self.write({"a.jsonl": lines, "a.jsonl.gz": compress(lines), "b.ndjson.gz": compress(lines),
                    "c.bin": compress(lines)})
        plain = self.validate("a.jsonl", code=1)
        self.assertTrue(plain[0].startswith("a.jsonl:3:"), plain)
        self.assertEqual(plain[-1], "3 documents: 2 valid, 1 invalid, 0 warnings")
        for name in ("a.jsonl.gz", "b.ndjson.gz", "c.bin"):
            self.assertEqual(self.validate(name, code=1), [line.replace("a.jsonl", name)
                                                           for line in plain])
        for data in (lines, compress(lines)):
            self.assertEqual(self.validate("-", code=1, data=data),
                             [line.replace("a.jsonl", "<stdin>") for line in plain])

    def test_members_that_follow_each_other_are_one_text(self):
        half = len(SOUND) // 2
        self.write({"halves.json.gz": compress(SOUND[:half]) + compress(b"") + compress(SOUND[half:]),
                    "lines.jsonl.gz": compress(line_of(SOUND)) + compress(line_of(UNSOUND)),
                    "padded.json.gz": compress(SOUND) + bytes(70000)})
        self.validate("halves.json.gz", "padded.json.gz", code=0)
        lines = self.validate("lines.jsonl.gz", code=1)
        self.assertTrue(lines[0].startswith("lines.jsonl.gz:2:"), lines)

    def test_each_kind_of_damage_has_its_words(self):
        whole = compress(SOUND)
        wrong = bytearray(whole)
        wrong[-6] ^= 1
        self.write({"cut.json.gz": whole[:-9], "head.json.gz": whole[:5], "more.json.gz": whole + b"x",
                    "wrong.json.gz": bytes(wrong), "method.json.gz": b"\x1f\x8b\x08\xff" + bytes(30),
                    "padded.json.gz": whole + bytes(9) + b"x"})
        for name, words, rule in (
                ("cut", f"stop in the middle, after {len(whole) - 9} bytes", "gzip_truncated"),
                ("head", "stop in the middle, after 5 bytes", "gzip_truncated"),
                ("more", f"behind the gzip data, from byte {len(whole) + 1} on", "gzip_trailing_data"),
                ("padded", f"from byte {len(whole) + 10} on", "gzip_trailing_data"),
                ("wrong", "(incorrect data check)", "gzip_damaged"),
                ("method", "are damaged before byte", "gzip_damaged")):
            lines = self.validate(f"{name}.json.gz", code=1)
            self.assertEqual(len(lines), 2, lines)
            self.assertTrue(lines[0].startswith(f"{name}.json.gz: error: "), lines)
            self.assertIn(words, lines[0])
            self.assertTrue(lines[0].endswith(f"[{rule}]"), lines)

    def test_lines_before_the_damage_are_checked(self):
        whole = compress(line_of(SOUND) + line_of(UNSOUND) + line_of(SOUND))
        self.write({"a.jsonl.gz": whole + b"trailing"})
        lines = self.validate("a.jsonl.gz", code=1)
        self.assertTrue(lines[0].startswith("a.jsonl.gz:2:"), lines)
        self.assertTrue(lines[-2].startswith("a.jsonl.gz:4:1: error: behind the gzip data"), lines)
        self.assertEqual(lines[-1], "4 documents: 2 valid, 2 invalid, 0 warnings")

    def test_the_limit_is_that_of_what_comes_out(self):
        bomb = compress(b" " * (3 << 20))
        self.assertLess(len(bomb), 10000)
        self.write({"bomb.json.gz": bomb, "bomb.jsonl.gz": bomb})
        lines = self.validate("--size-limit", "1", "bomb.json.gz", code=1)
        self.assertIn("larger than the limit of 1 MiB when it is decompressed [too_large]", lines[0])
        lines = self.validate("--size-limit", "1", "bomb.jsonl.gz", code=1)
        self.assertTrue(lines[0].startswith("bomb.jsonl.gz:1:1: error: the line is larger than the limit"
                                            " of 1 MiB when it is decompressed"), lines)
        self.assertIn("the rest of the file is not read", lines[0])
        self.assertEqual(self.validate("--size-limit", "4", "bomb.json.gz", code=1)[0][-7:], "[empty]")

    def test_a_walk_finds_it(self):
        self.write({"d/a.json.gz": compress(SOUND), "d/b.jsonl.gz": compress(line_of(SOUND)),
                    "d/c.ndjson.gz": compress(line_of(UNSOUND)), "d/d.tar.gz": b"x", "d/json.gz": b"x"})
        self.assertEqual(self.validate("d", code=1)[-1], "3 documents: 2 valid, 1 invalid, 0 warnings")

    def test_is_analysed_and_verified_by_the_bytes_that_lie_there(self):
        texts = [path.read_bytes() for path in sorted((CASES / "upstream").glob("u0[12]*.json"))]
        self.assertEqual(len(texts), 2)
        line = line_of(texts[1])
        self.write({"e/a.json.gz": compress(texts[0]), "e/b.jsonl.gz": compress(line)})
        done = self.run_program("analyze", "--memory-limit", "80GiB", "--output", "summary.json", "e")
        self.assertEqual(done.returncode, 0, done.errors)
        sources = json.loads((self.folder / "summary.json").read_text())["sources"]
        digest = hashlib.sha256((self.folder / "e/a.json.gz").read_bytes()).hexdigest()
        self.assertEqual([source["path"] for source in sources], ["e/a.json.gz", "e/b.jsonl.gz:1"])
        self.assertEqual(sources[0]["sha256"], digest)
        self.assertEqual(self.run_program("verify", "summary.json").returncode, 0)
        self.write({"summary.json.gz": compress((self.folder / "summary.json").read_bytes())})
        self.assertEqual(self.run_program("verify", "summary.json.gz").returncode, 0)
        # The same text packed otherwise is another file.
        self.write({"e/a.json.gz": gzip.compress(texts[0], compresslevel=1, mtime=1)})
        self.assertEqual(self.run_program("verify", "summary.json").returncode, 1)

    def test_a_compressed_copy_is_a_copy(self):
        text = next((CASES / "upstream").glob("u01*.json")).read_bytes()
        self.write({"e/a.json": text, "e/a.json.gz": compress(text)})
        done = self.run_program("analyze", "--memory-limit", "80GiB", "--output", "-", "e")
        self.assertIn(b"copied_evidence", done.stdout)

    def test_damage_in_a_named_file_leaves_nothing_decided(self):
        text = next((CASES / "upstream").glob("u01*.json")).read_bytes()
        self.write({"e/a.json": text, "e/b.json.gz": compress(text)[:-1]})
        self.assertEqual(self.run_program("analyze", "e").returncode, 1)
        done = self.run_program("analyze", "e/a.json", "e/b.json.gz")
        self.assertEqual(done.returncode, 3)
        self.assertIn("nothing was decided", done.errors)


class Lines(Archive):
    def bad_every(self, count, every):
        good, bad = line_of(SOUND), line_of(UNSOUND)
        return b"".join(bad if i % every == 0 else good for i in range(1, count + 1))

    def test_many_are_checked_in_order_and_little_memory(self):
        count = 80000
        data = self.bad_every(count, 1000)
        self.assertGreater(len(data), 20 << 20)
        self.write({"a.jsonl": data, "a.jsonl.gz": gzip.compress(data, compresslevel=1)})
        expected = self.validate("--jobs", "1", "a.jsonl", code=1)
        places = [int(line.split(":")[1]) for line in expected[:-1]]
        self.assertEqual(places, sorted(places))
        self.assertEqual(sorted(set(places)), list(range(1000, count + 1, 1000)))
        for arguments, name, data_in in ((("--jobs", "3", "a.jsonl"), "a.jsonl", b""),
                                         (("--jobs", "2", "a.jsonl.gz"), "a.jsonl.gz", b""),
                                         (("--jobs", "2", "-"), "<stdin>", data)):
            self.assertEqual(self.validate(*arguments, code=1, data=data_in),
                             [line.replace("a.jsonl", name) for line in expected])
        # Less than the text has, so that it cannot be there as a whole.
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_DATA, (16 << 20, 16 << 20))}
        if "asan" not in PROGRAM:
            self.validate("--jobs", "1", "a.jsonl", code=1, **limit)
            self.validate("--jobs", "1", "a.jsonl.gz", code=1, **limit)

    def test_the_limit_is_that_of_a_line(self):
        long_line = b'{"a": "' + b"x" * (2 << 20) + b'"}\n'
        lines = line_of(SOUND) * 900 + long_line + line_of(UNSOUND) + long_line[:-1]
        self.assertGreater(len(lines), 1 << 20)
        for name in ("a.jsonl", "-"):
            self.write({"a.jsonl": lines})
            found = self.validate("--size-limit", "1", name, code=1, data=lines)
            shown = name.replace("-", "<stdin>")
            for place, line in ((901, found[0]), (903, found[-2])):
                self.assertEqual(line, f"{shown}:{place}:1: error: the line is larger than the limit of "
                                       "1 MiB [too_large]")
            self.assertTrue(found[1].startswith(f"{shown}:902:"), found)
            self.assertEqual(found[-1], "903 documents: 900 valid, 3 invalid, 0 warnings")

    def test_one_line_is_a_document_and_text_behind_a_document_is_no_line(self):
        one = line_of(UNSOUND)
        whole = self.validate("-", code=1, data=one)
        self.assertTrue(whole[0].startswith("<stdin>:1:"), whole)
        self.assertEqual(len(self.validate("-", code=1, data=one + b"\n\n")), len(whole))
        found = self.validate("-", code=1, data=SOUND + b"{}\n")
        self.assertIn("[trailing_data]", found[0])
        self.write({"a.json": line_of(SOUND) * 2})
        self.assertIn("[trailing_data]", self.validate("a.json", code=1)[0])

    def test_blank_lines_alone_are_empty(self):
        self.write({"a.jsonl": b"\n \n", "b.jsonl": b"\n" * (600 << 10), "c.jsonl": b""})
        for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
            found = self.validate(name, code=1)
            self.assertIn("[empty]", found[0])
            self.assertEqual(found[-1], "1 document: 0 valid, 1 invalid, 0 warnings")

    def test_a_last_line_without_its_end(self):
        data = line_of(SOUND) * 1000 + line_of(UNSOUND)[:-1]
        self.write({"a.jsonl": data})
        found = self.validate("a.jsonl", code=1)
        self.assertTrue(found[0].startswith("a.jsonl:1001:"), found)

    def test_more_than_the_limit_of_a_file_is_analysed(self):
        text = line_of(next((CASES / "upstream").glob("u01*.json")).read_bytes())
        padding = b'"x": "' + b"x" * (1 << 20) + b'", '
        self.write({"a.jsonl": (text.replace(b"{", b"{" + padding, 1)) * 66})
        done = self.run_program("analyze", "--memory-limit", "80GiB", "a.jsonl")
        self.assertNotIn("limit of 64 MiB", done.errors)
        self.assertEqual(done.returncode, 0, done.errors)


class Walk(Archive):
    STEP = "directory_with_a_long_name"
    def make_deep(self, levels):
        """Directories in each other, deeper than a path may be long; files at some depths."""
        self.addCleanup(subprocess.run, ["rm", "-rf", "top"], cwd=self.folder, check=True)
        os.mkdir(self.folder / "top")
        folder = os.open(self.folder / "top", os.O_RDONLY)
        for level in range(levels):
            if level in (levels // 2, levels - 1):
                for name, data in (("a.json", SOUND), ("e.json", UNSOUND)):
                    file = os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=folder)
                    os.write(file, data)
                    os.close(file)
            os.mkdir(self.STEP, dir_fd=folder)
            deeper = os.open(self.STEP, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = deeper
        os.close(folder)

    def test_deeper_than_a_path_may_be_long(self):
        levels = 150
        self.make_deep(levels)
        found = self.validate("top", code=1)
        faults = [line for line in found if "e.json:" in line]
        deep, half = (f"top/{f'{self.STEP}/' * depth}e.json:" for depth in (levels - 1, levels // 2))
        self.assertEqual(len(faults), 2)
        self.assertTrue(faults[0].startswith(deep), faults[0][-100:])
        self.assertTrue(faults[1].startswith(half), faults[1][-100:])
        self.assertEqual(found[-1], "4 documents: 2 valid, 2 invalid, 0 warnings")
        self.assertEqual(self.validate("--jobs", "2", deep[:-1], code=1)[0], faults[0])
        done = self.run_program("analyze", "--output", "summary.json", "top")
        self.assertEqual(done.returncode, 1, done.errors[-300:])
        summary = json.loads((self.folder / "summary.json").read_text())
        self.assertEqual([len(summary[key]) for key in ("sources", "rejected_sources")], [2, 2])
        self.assertEqual(self.run_program("verify", "summary.json").returncode, 0)

    def test_many_directories_beside_deep_ones(self):
        """More than stay open at once, each with something behind the deep one."""
        names = []
        for level in range(70):
            folder = "d/" * (level + 1)
            names += [folder + "a.json", folder + "z/b.json", folder + "z.json"]
        self.write({name: SOUND for name in names})
        report = json.loads("".join(self.validate("--format", "json", "d", code=0)))
        shown = [document["path"] for document in report["documents"]]
        self.assertEqual(shown, sorted(names))

    def test_few_files_may_be_open(self):
        self.write({"d/" * 200 + "a.json": SOUND})
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))}
        self.validate("d", code=0, **limit)

    def test_links_to_directories_are_told(self):
        self.write({"d/a/x.json": SOUND, "other/y.json": UNSOUND})
        (self.folder / "d/loop").symlink_to("..")
        (self.folder / "d/a/other").symlink_to("../../other")
        done = self.run_program("validate", "d")
        self.assertEqual((done.returncode, done.lines), (0, ["1 document: 1 valid, 0 invalid, 0 warnings"]))
        self.assertEqual(done.errors, "rankledger: note: 2 links to directories were not followed: name "
                                      "what shall be read\n")
        self.assertIn("2 links to directories", self.run_program("analyze", "d").errors)
        self.validate("d/a/other", code=1)

    def test_special_files_are_told(self):
        self.write({"d/a.json": SOUND})
        os.mkfifo(self.folder / "d/pipe.jsonl.gz")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "d/socket.json"))
            found = self.validate("d", code=1)
        self.assertEqual(found[:2], [
            "d/pipe.jsonl.gz: error: is a pipe, not a file [not_regular]",
            "d/socket.json: error: is a socket, not a file [not_regular]"])


ERASE = b"\r\x1b[K"


class Progress(Archive):
    """On a terminal, for which a pseudo-terminal stands."""

    def start(self, *arguments, environment=(), **options):
        ours, theirs = os.openpty()
        settings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        settings.update({"TERM": "xterm"}, **dict(environment))
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=settings, stderr=theirs,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        os.close(theirs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(os.close, ours)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self.close_input, process)
        return process, ours

    def close_input(self, process):
        with contextlib.suppress(BrokenPipeError):  # it may have ended
            process.stdin.close()

    def feed_until_shown(self, process, terminal):
        """Feeds lines until something is shown, which takes a third of a second or so."""
        shown = b""
        while not shown:
            process.stdin.write(line_of(SOUND) * 2000)
            process.stdin.flush()
            if select.select([terminal], [], [], 0)[0]:
                shown = os.read(terminal, 4096)
        return shown

    def read_all(self, terminal):
        text = b""
        try:
            while more := os.read(terminal, 4096):
                text += more
        except OSError:  # the other end is closed
            pass
        return text

    def test_is_shown_and_taken_away(self):
        process, terminal = self.start("validate", "-")
        shown = self.feed_until_shown(process, terminal)
        self.assertRegex(shown, rb"^\r\x1b\[K\d+ documents checked, 0 invalid")
        process.stdin.close()
        last = process.stdout.read()
        self.assertRegex(last, rb"^\d+ documents: \d+ valid, 0 invalid, 0 warnings\n$")
        self.assertTrue((shown + self.read_all(terminal)).endswith(ERASE))
        self.assertEqual(process.wait(), 0)

    def test_fits_into_a_narrow_terminal(self):
        process, terminal = self.start("validate", "-")
        termios.tcsetwinsize(terminal, (24, 20))
        shown = self.feed_until_shown(process, terminal)
        process.stdin.close()
        process.stdout.read()
        for line in (shown + self.read_all(terminal)).split(b"\r\x1b[K"):
            self.assertLess(len(line), 20)
        self.assertEqual(process.wait(), 0)

    def test_an_interrupt_leaves_a_clean_line_and_no_file(self):
        process, terminal = self.start("validate", "--format", "json", "--output", "out.json", "-")
        shown = self.feed_until_shown(process, terminal)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), -signal.SIGINT)
        self.assertTrue((shown + self.read_all(terminal)).endswith(ERASE))
        self.assertEqual(os.listdir(self.folder), [])

    def test_analyze_shows_it_too(self):
        os.mkfifo(self.folder / "a.jsonl")
        process, terminal = self.start("analyze", "a.jsonl")
        text = line_of(next((CASES / "upstream").glob("u01*.json")).read_bytes())
        shown = b""
        with open(self.folder / "a.jsonl", "wb") as pipe:
            while not shown:
                pipe.write(text * 1000)
                if select.select([terminal], [], [], 0)[0]:
                    shown = os.read(terminal, 4096)
        self.assertRegex(shown, rb"^\r\x1b\[K0 of 1 files read, \d+ records")
        process.kill()

    def test_none_without_a_terminal_or_with_no_color(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            process, terminal = self.start("validate", "-", environment=environment)
            process.stdin.close()
            self.assertEqual(process.wait(), 3 if not process.stdout.read() else 1)
            self.assertEqual(self.read_all(terminal), b"")


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    CASES = pathlib.Path(sys.argv[2]).resolve() / "cases"
    SOUND = (CASES / "../evidence/valid/failure_text/input.json").read_bytes()
    UNSOUND = (CASES / "../evidence/invalid/metrics_empty/input.json").read_bytes()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
