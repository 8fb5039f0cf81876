#!/usr/bin/env python3
"""tests/gpu/run's own parts: what it compares, its time limits, its table. Usage: test_gpu_script.py EVIDENCE
(a folder with a run of every strategy)."""
import copy
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import compare_runs
import gpu_machine
import gpu_parts
from part_runner import FAILED, PASSED, SKIPPED, PartFailed, PartRunner

EVIDENCE = pathlib.Path(sys.argv.pop(1))


class Compared(unittest.TestCase):
    def setUp(self):
        self.cpu = compare_runs.read(EVIDENCE / "zero3.json")
        self.gpu = copy.deepcopy(self.cpu)

    def faults(self, dtype="fp32"):
        return list(compare_runs.faults_of(self.gpu, self.cpu, dtype))

    def test_a_run_agrees_with_itself(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(compare_runs.compare(EVIDENCE, EVIDENCE, "fp32"), ([], 0))

    def test_a_loss_beyond_the_tolerance_is_found(self):
        self.gpu["metrics"]["losses"][3] *= 1 + 2e-5
        self.assertEqual(len(self.faults()), 1)
        self.assertEqual(self.faults("bf16"), [])

    def test_a_norm_that_is_no_number_is_found(self):
        self.gpu["metrics"]["grad_norms"][0] = float("nan")
        self.assertEqual(len(self.faults()), 1)

    def test_a_byte_more_is_found(self):
        self.gpu["communication"]["collectives"][0]["payload_bytes"] += 1
        self.gpu["memory"]["per_rank"][1]["resident"]["parameters"] += 1
        self.assertEqual(len(self.faults()), 2)

    def test_a_failure_is_found(self):
        self.gpu["failure"] = {"reason": "GPU 0 is lost"}
        self.assertEqual(self.faults(), ["failed: GPU 0 is lost"])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "ddp.json").write_text(json.dumps(self.gpu), encoding="utf-8")
            self.assertEqual(compare_runs.failures(folder, ["ddp"]), ["ddp: GPU 0 is lost"])


def runs(pid):
    """Whether a process is more than waiting to be reaped by whoever takes orphans (proc(5))."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


class Parts(unittest.TestCase):
    def setUp(self):
        self.runner = PartRunner(io.StringIO(), 60, {"PATH": "/usr/bin:/bin"})

    def result(self, name):
        return next(row for row in self.runner.rows if row["name"] == name)["result"]

    def test_one_that_fails_leaves_the_others_alone(self):
        def fails():
            raise PartFailed("not today")
        self.runner.part("first", 5, fails)
        self.runner.part("second", 5, lambda: self.runner.run("sh", "-c", "exit 3"), required=False)
        self.runner.part("third", 5, lambda: {}["no such field"])
        self.runner.part("fourth", 5, lambda: "well")
        self.assertEqual([row["result"] for row in self.runner.rows], [FAILED, FAILED, FAILED, PASSED])
        self.assertFalse(self.runner.passed())
        self.assertIn("not today", self.runner.table())

    def test_one_that_needs_another_is_not_run_without_it(self):
        self.runner.part("build", 5, lambda: self.runner.run("false"))
        self.runner.part("kernels", 5, lambda: "well", needs=("build",))
        self.assertEqual(self.result("kernels"), SKIPPED)
        self.assertFalse(self.runner.passed())

    def test_a_part_that_is_not_required_may_fail(self):
        self.runner.part("experiment", 5, lambda: self.runner.run("false"), required=False)
        self.assertTrue(self.runner.passed())

    def test_time_limits_end_a_command_and_all_that_it_started(self):
        began = time.monotonic()
        self.runner.part("slow", 1, lambda: self.runner.run("sh", "-c", "sleep 30 & sleep 30; echo never"))
        self.assertEqual(self.result("slow"), FAILED)
        self.assertLess(time.monotonic() - began, 10)

    def interrupt_when_written(self, path):
        while not (path.exists() and path.read_text(encoding="utf-8").endswith("\n")):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    def test_an_interruption_ends_a_command_and_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as name:
            said = pathlib.Path(name) / "pid"
            threading.Thread(target=self.interrupt_when_written, args=(said,), daemon=True).start()
            with self.assertRaises(KeyboardInterrupt):
                self.runner.part("long", 30, lambda: self.runner.run(
                    "sh", "-c", f"sleep 50 & echo $! > {said}; wait"))
            sleeper = int(said.read_text(encoding="utf-8"))
        began = time.monotonic()
        while runs(sleeper):  # it lets go of its pipe a moment before it has ended
            self.assertLess(time.monotonic() - began, 10)
            time.sleep(0.05)
        self.assertEqual(self.runner.rows[0]["line"], "interrupted")
        self.assertFalse(self.runner.passed())

    def test_no_part_begins_when_the_time_is_over(self):
        self.runner.end = time.monotonic()
        self.runner.part("late", 5, lambda: "well")
        self.assertEqual(self.result("late"), SKIPPED)


class Kernels(unittest.TestCase):
    def test_a_program_that_hangs_leaves_the_others_alone(self):
        with tempfile.TemporaryDirectory() as name, mock.patch.object(gpu_parts, "KERNEL_TEST_S", 0.5):
            folder = pathlib.Path(name) / "build" / "tests" / "cuda" / "gpu"
            folder.mkdir(parents=True)
            for program, text in (("gpu_a", "sleep 60"), ("gpu_b", "exit 1"), ("gpu_c", "exit 0")):
                (folder / program).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
                (folder / program).chmod(0o755)
            runner = PartRunner(io.StringIO(), 60, {"PATH": "/usr/bin:/bin"})
            check = gpu_parts.Check(runner, pathlib.Path(name), pathlib.Path(name), [], None)
            with self.assertRaises(PartFailed) as failed:
                check.kernels()
            self.assertIn("gpu_a had not ended after 0.5 s (and 1 more)", str(failed.exception))
            self.assertIn("$ " + str(folder / "gpu_c"), runner.log.getvalue())


class Packages(unittest.TestCase):
    def test_what_collect_packages_did_not_make_is_refused(self):
        with tempfile.TemporaryDirectory() as name, self.assertRaises(FileNotFoundError):
            gpu_machine.unpack(name, name)

    def test_a_machine_with_an_older_library_is_told_so(self):
        with tempfile.TemporaryDirectory() as name:
            manifest = pathlib.Path(name) / "MANIFEST"
            manifest.write_text("glibc 99.1\n", encoding="utf-8")
            self.assertIn("99.1", gpu_machine.too_old(gpu_machine.unpack(name, name)))
            manifest.write_text("glibc 2.9\n", encoding="utf-8")
            self.assertIsNone(gpu_machine.too_old(pathlib.Path(name)))


if __name__ == "__main__":
    unittest.main()
