#!/usr/bin/python3
"""Runs a command once for every call that can fail, each time with another call failing.

    fail_each.py --shim SHIM [options] -- COMMAND [ARGUMENT...]

The command runs in a fresh folder each time; what it writes must lie under ./out there (name
outputs "out/report.json" and inputs by absolute paths). A first run without failure gives the
right result; a second one counts the calls of each kind (malloc, open, read, write, rename, ...:
see fail_shim.h) with their call stacks. Then, for each call, two things may happen:

  - the program ends with an allowed exit code (3 or 4), says why on standard error, leaves no
    further file, and each target is as it was before or complete;
  - the failure did no harm: exit code, standard output and all files are as without it.

Anything else is a fault: a signal, another exit code, silence, half a file, a temporary file left,
a sanitizer's report, a run that does not end. Every failing run is done where the targets exist
already, and those of the file system's calls also where they do not.

Calls of one kind with equal call stacks behave alike, so that one of each is run (the first);
--every runs all of them.

With a program built with AddressSanitizer (--asan) every failing run is checked for leaks and wrong
accesses too: the shim is preloaded before the sanitizer's library and hands its calls on to it.
To look at one failure by hand:

    LD_PRELOAD=.../libfail_shim.so RANKLEDGER_TEST_FAIL=malloc:17 COMMAND
    (with the sanitizer also ASAN_OPTIONS=verify_asan_link_order=0)
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

READING = {"open", "fopen", "read", "fread", "stat", "opendir", "readdir", "readlink"}
SANITIZER_WORDS = (b"ERROR: AddressSanitizer", b"ERROR: LeakSanitizer", b"runtime error:")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--exit", type=int, default=0, help="exit code of the run without failure")
    parser.add_argument("--allow", default="3,4", help="exit codes of a run with a failure")
    parser.add_argument("--kinds", default="", help="only these, separated by commas")
    parser.add_argument("--libraries", default="libjansson:libxlsxwriter:libminizip",
                        help="parts of library names whose calls count beside the program's")
    parser.add_argument("--every", action="store_true", help="every call, not one a call stack")
    parser.add_argument("--limit", type=int, default=0, help="at most so many runs a kind, spread")
    parser.add_argument("--listing", action="store_true",
                        help="the output is a list of results, which may name what could not be "
                             "read: after a failing open, read, ... exit code 1 and any complete "
                             "JSON, XML or text will do")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds a run may take")
    parser.add_argument("--crashing", default="",
                        help="part of a library's name: it may crash in a child process, if the "
                             "program still ends cleanly (libxlsxwriter uses what it did not get)")
    parser.add_argument("--old", default="what was there before", type=lambda text: text.encode() + b"\n",
                        help="content of the targets that exist already")
    parser.add_argument("--asan", action="store_true", help="the program has AddressSanitizer")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    options.allow = {int(code) for code in options.allow.split(",")}
    return options


def files_under(folder):
    """Relative path -> content of every file."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, folder)] = stream.read()
    return found


Outcome = collections.namedtuple("Outcome", "code out err files log")


class Runner:
    def __init__(self, options):
        self.options = options
        self.base = tempfile.mkdtemp(prefix="rankledger-fail-")

    def environment(self, wish, log):
        environment = dict(os.environ)
        if wish is None:
            return environment
        environment["LD_PRELOAD"] = self.options.shim
        environment["RANKLEDGER_TEST_FAIL"] = wish
        environment["RANKLEDGER_TEST_FAIL_LOG"] = log
        environment["RANKLEDGER_TEST_FAIL_IN"] = self.options.libraries
        if self.options.asan:
            # The shim stands before the sanitizer's library and hands on to it. A leak is exit 99.
            environment["ASAN_OPTIONS"] = ("verify_asan_link_order=0:detect_leaks=1:exitcode=99:"
                                           "allocator_may_return_null=1")
        return environment

    def run(self, wish=None, targets=()):
        """Runs the command in a fresh folder where `targets` exist with old content."""
        folder = tempfile.mkdtemp(dir=self.base)
        log = os.path.join(folder, "log")
        out = os.path.join(folder, "out")
        os.mkdir(out)
        for target in targets:
            path = os.path.join(out, target)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as stream:
                stream.write(self.options.old)
        try:
            done = subprocess.run(self.options.command, cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                  env=self.environment(wish, log), timeout=self.options.timeout)
            code, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as expired:
            code, stdout, stderr = None, expired.stdout or b"", expired.stderr or b""
        text = ""
        if os.path.exists(log):
            with open(log, encoding="ascii") as stream:
                text = stream.read()
        outcome = Outcome(code, stdout, stderr, files_under(out), text)
        shutil.rmtree(folder)
        return outcome

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)


def choose_calls(log, options):
    """[(kind, n)] from the counting run's log: one a call stack, or every one."""
    wanted = set(filter(None, options.kinds.split(",")))
    calls = collections.defaultdict(list)
    stacks = set()
    totals = collections.Counter()
    for line in log.splitlines():
        kind, number, stack = line.split()
        totals[kind] += 1
        if wanted and kind not in wanted:
            continue
        if options.every or (kind, stack) not in stacks:
            calls[kind].append(int(number))
        stacks.add((kind, stack))
    chosen = []
    for kind, numbers in calls.items():
        if options.limit and len(numbers) > options.limit:
            step = len(numbers) / options.limit
            numbers = [numbers[int(i * step)] for i in range(options.limit)]
        chosen += [(kind, number) for number in numbers]
    return chosen, totals


def is_right(outcome, good, kind):
    """Everything as without a failure; a file that could not be removed may have stayed."""
    files = outcome.files
    if kind == "unlink":
        files = {name: content for name, content in files.items() if name in good.files}
    return (outcome.code, outcome.out, files) == (good.code, good.out, good.files)


def fault_of(kind, outcome, good, old, options):
    """What is wrong with a run in which a call failed, or None."""
    if outcome.code is None:
        return "did not end"
    if any(word in outcome.err for word in SANITIZER_WORDS) and not crashed_in(
            options.crashing, outcome.err.decode("utf-8", "replace")):
        return "a sanitizer complained"
    if outcome.code < 0:
        return f"killed by signal {-outcome.code}"
    if is_right(outcome, good, kind):
        return None  # the failure did no harm
    listing = options.listing and kind in READING
    if outcome.code not in options.allow | ({1} if listing else set()):
        return f"exit code {outcome.code}"
    if not outcome.err.strip():
        return "no message on standard error"
    for name, content in outcome.files.items():
        if name not in good.files:
            if kind == "unlink":
                continue
            return f"left {name} behind"
        untouched = name in old and content == options.old
        if content != good.files[name] and not untouched and not (
                listing and is_complete(content)):
            return f"{name} is neither as before nor complete"
    missing = [name for name in old if name not in outcome.files]
    return f"{missing[0]} is gone" if missing else None


def is_complete(content):
    """Whether JSON or XML is well-formed and a text ends with a line."""
    try:
        if content.lstrip()[:1] in (b"{", b"["):
            json.loads(content)
        elif content.lstrip()[:1] == b"<":
            xml.etree.ElementTree.fromstring(content)
    except (ValueError, xml.etree.ElementTree.ParseError):
        return False
    return content.endswith(b"\n")


def crashed_in(library, report):
    """Whether the only report is a crash in `library`, or below it: in the C library, or in minizip,
    through which libxlsxwriter writes."""
    if library == "" or report.count("ERROR: ") != 1 or "ERROR: AddressSanitizer: SEGV" not in report:
        return False
    for line in report.splitlines():
        if line.lstrip().startswith("#") and not any(
                below in line for below in ("/sysdeps/", "sanitizer_common", "libc.so", "libminizip")):
            return library in line
    return False


def describe(outcome):
    text = outcome.err.decode("utf-8", "replace").strip()
    return "\n".join("        " + line for line in text.splitlines()[:12])


def main():
    options = parse_arguments()
    runner = Runner(options)
    try:
        return check(options, runner)
    finally:
        runner.close()


def check(options, runner):
    good = runner.run()
    if good.code != options.exit:
        print(f"without failure: exit code {good.code}, not {options.exit}\n{describe(good)}")
        return 1
    # With the targets there already, as most of the failing runs: the right result must not differ.
    counted = runner.run("count", good.files)
    if counted[:4] != good[:4]:
        print(f"the counting run differs from the first (exit code {counted.code})\n"
              f"{describe(counted)}")
        return 1
    calls, totals = choose_calls(counted.log, options)
    if not calls:
        print("no call was counted: is the shim loaded?")
        return 1
    scenarios = [(kind, n, tuple(good.files)) for kind, n in calls]
    if good.files:
        absent = runner.run("count")
        scenarios += [(kind, n, ()) for kind, n in choose_calls(absent.log, options)[0]
                      if kind != "malloc"]

    tallies = collections.defaultdict(collections.Counter)
    faults = 0

    def try_one(scenario):
        kind, n, old = scenario
        return scenario, runner.run(f"{kind}:{n}", old)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (kind, n, old), outcome in pool.map(try_one, scenarios):
            fault = fault_of(kind, outcome, good, old, options)
            tallies[kind]["runs"] += 1
            if "hit" not in outcome.log:
                tallies[kind]["not reached"] += 1
            if fault is not None:
                faults += 1
                where = " (no targets before)" if good.files and not old else ""
                print(f"FAULT {kind}:{n}{where}: {fault}")
                if outcome.err.strip():
                    print(describe(outcome))
            elif outcome.code == good.code:
                tallies[kind]["harmless"] += 1
            else:
                tallies[kind]["refused cleanly"] += 1
    for kind in sorted(tallies):
        tally = tallies[kind]
        print(f"{kind}: {totals[kind]} calls, " +
              ", ".join(f"{count} {word}" for word, count in tally.items()))
    reached = sum(tally["runs"] - tally["not reached"] for tally in tallies.values())
    if reached == 0:
        print("no failure was reached")
        return 1
    print(f"{faults} faults in {sum(tally['runs'] for tally in tallies.values())} runs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
