#!/usr/bin/env python3
"""What rankledger-collect does about devices: test_devices.py PROGRAM RANKLEDGER [unittest options]

PROGRAM computes on the CPU and has devices that are made up (support/made_up_devices.c).
"""
import json
import os
import shutil
import sys
import unittest

import evidence_sums
from collector import SMALL, Collector

PROGRAM = RANKLEDGER = None
MIB = 1 << 20
GIB = 1 << 30
TWO = "Test GPU:80,Test GPU:80"
BEFORE, LIBRARIES = 7 * MIB, 300 * MIB  # as the made-up devices say
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2")


class DeviceTest(unittest.TestCase):
    def setUp(self):
        self.collector = Collector(PROGRAM, RANKLEDGER)
        self.addCleanup(shutil.rmtree, self.collector.folder)
        self.addCleanup(self.collector.end)

    def train(self, *arguments, devices=TWO, code=0, **options):
        changes = {"MADE_UP_DEVICES": devices} if devices else {}
        run = self.collector.train(*arguments, "--force", **options, **changes)
        self.check(run, code)
        return run

    def check(self, run, code):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertNotIn("Sanitizer", run.stderr)
        validation = self.collector.validate()
        self.assertEqual(validation.returncode, 0, validation.stdout)
        self.assertEqual(self.collector.left_behind(), [])

    def preflight(self, *arguments, devices, code):
        run = self.collector.run("preflight", "--output", "p.json", *arguments,
                                 MADE_UP_DEVICES=devices)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        with open(self.collector.path("p.json"), encoding="utf-8") as file:
            return {check["name"]: check for check in json.load(file)["checks"]}

    def failure(self, strategy="ddp"):
        return self.collector.evidence(strategy)["failure"]


class Trained(DeviceTest):
    def test_every_strategy_on_devices_of_its_own(self):
        run = self.train("--strategy", "all", "--checkpoint", "both")  # auto takes the devices
        self.assertEqual(run.stderr, "")
        for strategy in ("ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"):
            document = self.collector.evidence(strategy)
            self.assertEqual(document["run"]["backend"], "cuda")
            self.assertEqual(document["evidence_level"], "multi_gpu")
            self.assertEqual(document["hardware"]["device_count"], 2)
            self.assertEqual(evidence_sums.faults_of(document), [])
            self.assertEqual([r["gpu"] for r in document["environment"]["per_rank"]], [0, 1])
            self.assertEqual([k["restore_verified"] for k in document["checkpoint"]], [True, True])
            for rank in document["memory"]["per_rank"]:
                self.assertEqual(rank["device_before_bytes"], BEFORE)
                self.assertEqual(rank["device_residual_bytes"], LIBRARIES)
                own = rank["device_training_peak_bytes"] - BEFORE
                self.assertEqual(document["metrics"]["peak_device_mb"], own / MIB)
                # Checkpoints pass through the host's memory.
                peaks = {p["phase"]: p["by_category"] for p in rank["phases"]}
                self.assertEqual(peaks["checkpoint_save"].get("workspace", 0),
                                 peaks["init"].get("workspace", 0))
                training = max(p["peak_bytes"] for p in rank["phases"]
                               if not p["phase"].startswith("checkpoint"))
                self.assertEqual(training, document["ledger"]["predicted_peak_bytes"])

    def test_checkpoint_of_devices_is_restored_on_the_host(self):
        self.train("--strategy", "zero1", "--checkpoint", "sharded")
        first = self.collector.evidence("zero1")["metrics"]["losses"][-1]
        self.train("--strategy", "zero3", "--backend", "cpu", "--restore",
                   "out/checkpoints/zero1-sharded")
        document = self.collector.evidence("zero3")
        self.assertEqual(document["evidence_level"], "cpu_multi_process")
        self.assertLess(abs(first - document["metrics"]["losses"][0]), 0.2)

    def test_joined_ranks_take_the_devices_of_their_host_in_order(self):
        run = self.collector.run("run", "--strategy", "zero1,zero2", "--output-dir", "out", *SMALL,
                                 before=MPIRUN, MADE_UP_DEVICES=TWO)
        self.check(run, 0)
        for strategy in ("zero1", "zero2"):  # in the same processes
            document = self.collector.evidence(strategy)
            self.assertEqual(document["evidence_level"], "multi_gpu")
            self.assertEqual([d["index"] for d in document["hardware"]["devices"]], [0, 1])
            self.assertEqual([d["peers"] for d in document["hardware"]["devices"]], [[1], [0]])
            for rank in document["memory"]["per_rank"]:
                self.assertEqual(rank["device_residual_bytes"], LIBRARIES)

    def test_one_rank(self):
        self.train("--strategy", "ddp", ranks=1)
        self.assertEqual(self.collector.evidence("ddp")["evidence_level"], "single_gpu")

    def test_different_models_are_warned_of_and_recorded(self):
        run = self.train("--strategy", "ddp", devices="Test GPU:80,Other GPU:40")
        self.assertEqual(run.stderr.count("Test GPU and Other GPU"), 1)
        hardware = self.collector.evidence("ddp")["hardware"]
        self.assertEqual(hardware["device"], "Test GPU and Other GPU")
        self.assertIn("different", hardware["device_note"])

    def test_sharing_is_an_experiment_that_is_asked_for(self):
        run = self.train("--strategy", "ddp,zero3", devices="Test GPU:80", code=1)
        self.assertIn("2 ranks on this host need 2 GPUs, and 1 can be seen", run.stderr)
        self.assertIn("--share-device", run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, "one line: " + run.stderr)
        for strategy in ("ddp", "zero3"):
            self.assertEqual(self.failure(strategy)["kind"], "preflight")
        self.train("--strategy", "ddp", "--share-device", devices="Test GPU:80")
        document = self.collector.evidence("ddp")
        self.assertEqual(document["evidence_level"], "single_gpu_shared")
        self.assertEqual(document["hardware"]["ranks_per_device"], 2)
        self.assertEqual(document["environment"]["variables"]["NCCL_NET"], "Socket")
        self.assertNotIn("peak_device_mb", document["metrics"])


class Failed(DeviceTest):
    def test_memory_that_another_process_holds(self):
        run = self.collector.run(
            "run", "--world-size", "2", "--output-dir", "out", "--strategy", "ddp", "--width", "64",
            "--seq-len", "2048", "--layers", "6", "--micro-batch", "256", "--vocab", "4096",
            MADE_UP_DEVICES="Test GPU:80,Test GPU:80:1")
        self.check(run, 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["phase"]), ("preflight", "not_started"))
        self.assertIn("GPU 1 (Test GPU) has 1 GiB of 80 GiB left", failure["detail"])
        self.assertIn("nvidia-smi", run.stderr)

    def test_arena_that_the_device_has_no_room_for(self):
        self.train("--strategy", "ddp", code=1, MADE_UP_SMALL="1")
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["rank"], failure["phase"]),
                         ("out_of_memory", 1, "init"))
        self.assertGreater(failure["asked_bytes"], 0)
        self.assertEqual(failure["limit_bytes"], 80 * GIB)
        self.assertEqual(failure["in_use_bytes"], BEFORE + LIBRARIES)
        self.assertIsNone(failure["category"])

    def test_device_that_is_lost(self):
        for before in ((), MPIRUN):
            if before:
                run = self.collector.run("run", "--strategy", "zero3", "--output-dir", "out",
                                         "--force", *SMALL, before=before, MADE_UP_DEVICES=TWO,
                                         MADE_UP_LOSS="1:20")
                self.assertNotEqual(run.returncode, 0)
            else:
                self.train("--strategy", "zero3", code=1, MADE_UP_LOSS="1:20")
            failure = self.failure("zero3")
            self.assertEqual((failure["kind"], failure["rank"]), ("rank_lost", 1))
            self.assertIn("it fell off the bus (Test GPU at 0000:02:00.0)", failure["detail"])

    def test_out_of_memory_at_a_checkpoint_cannot_happen(self):
        run = self.collector.train("--strategy", "ddp", "--checkpoint", "full", "--inject",
                                   "oom@rank:0,step:checkpoint", MADE_UP_DEVICES=TWO)
        self.assertEqual(run.returncode, 2)
        self.assertIn("takes none of a GPU's memory", run.stderr)

    def test_nothing_made_up(self):
        run = self.train("--strategy", "ddp", "--backend", "cuda", devices=None, code=1)
        self.assertIn("none is made up", run.stderr)
        self.train("--strategy", "zero1", devices=None)
        self.assertEqual(self.collector.evidence("zero1")["run"]["backend"], "cpu")


class Preflight(DeviceTest):
    def test_devices_are_told(self):
        checks = self.preflight(devices=TWO, code=0)
        self.assertEqual(checks["backend"]["found"], "cuda")
        self.assertIn("2 visible, for 2 ranks", checks["GPUs"]["found"])
        self.assertEqual(checks["peer access"]["state"], "ok")
        self.assertEqual(checks["driver"]["found"], "1.2, serves CUDA 13.0")

    def test_too_few_are_missing_unless_they_are_shared(self):
        checks = self.preflight("--world-size", "3", devices=TWO, code=4)
        self.assertEqual(checks["GPUs"]["state"], "missing")
        self.preflight("--world-size", "3", "--share-device", devices=TWO, code=0)

    def test_memory_in_use_is_warned_of(self):
        checks = self.preflight(devices="Test GPU:80,Test GPU:80:20", code=0)
        self.assertEqual(checks["GPU memory"]["state"], "warning")


if __name__ == "__main__":
    PROGRAM, RANKLEDGER = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
