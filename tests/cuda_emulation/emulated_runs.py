#!/usr/bin/env python3
"""Whole runs of rankledger-collect on emulated devices: emulated_runs.py PROGRAM RANKLEDGER [unittest options]

PROGRAM is rankledger-collect with the CUDA backend linked in, compiled against the emulation's
headers (cuda_emulation.h says what its environment variables do).
"""
import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "collect" / "cli"))
from collector import SMALL, Collector

PROGRAM = RANKLEDGER = None
ALL = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
STEPS = 5  # warm-up and repeats of collector.SMALL


class EmulatedTest(unittest.TestCase):
    def setUp(self):
        self.collector = Collector(PROGRAM, RANKLEDGER)
        self.addCleanup(shutil.rmtree, self.collector.folder)
        self.addCleanup(self.collector.end)

    def train(self, *arguments, ranks=2, devices=None, **settings):
        settings = {f"CUDA_EMULATION_{name.upper()}": value for name, value in settings.items()}
        settings["CUDA_EMULATION_DEVICES"] = str(ranks if devices is None else devices)
        return self.collector.train("--backend", "cuda", *arguments, ranks=ranks, **settings)

    def expect(self, run, code):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertNotIn("Sanitizer", run.stderr)
        self.assertNotIn("CUDA emulation:", run.stderr)
        self.assertEqual(self.collector.left_behind(), [])
        return run

    def expect_sound(self):
        validation = self.collector.validate()
        self.assertEqual(validation.returncode, 0, validation.stdout)

    def failure(self, strategy="ddp"):
        self.expect_sound()
        document = self.collector.evidence(strategy)
        self.assertEqual(document["decision"], "failed")
        return document["failure"]


class Completed(EmulatedTest):
    def test_every_strategy_trains_saves_and_restores(self):
        self.expect(self.train("--strategy", "all", "--checkpoint", "both"), 0)
        self.expect_sound()
        losses = []
        for strategy in ALL:
            document = self.collector.evidence(strategy)
            self.assertEqual(document["evidence_level"], "emulated_cuda")
            self.assertIsNone(document["failure"])
            communication = document["communication"]
            self.assertEqual(communication["progress"], "stream")
            self.assertIn("NCCL 2.28.9", communication["algorithm"])
            for row in communication["collectives"]:
                self.assertEqual(row["payload_bytes"], row["expected_bytes"], row)
                self.assertEqual(row["calls"], row["expected_calls"], row)
            for rank in document["memory"]["per_rank"]:
                ledger, resident = document["ledger"], sum(rank["resident"].values())
                self.assertEqual(resident, ledger["resident_bytes"] + ledger["padding_bytes"] +
                                 ledger["persistent_parameters_bytes"])
                peak = max(phase["peak_bytes"] for phase in rank["phases"])
                self.assertEqual(peak, ledger["predicted_peak_bytes"])
            self.assertTrue(document["correctness"]["ranks_agree_on_grad_norms"])
            for kind in ("full", "sharded"):
                self.assertTrue(self.checkpoint(document, kind)["restore_verified"])
            losses.append(document["metrics"]["losses"])
        for other in losses[1:]:
            for a, b in zip(losses[0], other):
                self.assertLess(abs(a - b) / a, 1e-5)  # collector.md, "Same mathematics"

    def checkpoint(self, document, kind):
        rows = [row for row in document["checkpoint"] if row["kind"] == kind]
        self.assertEqual(len(rows), 1, document["checkpoint"])
        return rows[0]

    def test_losses_are_the_cpu_backends(self):
        small = [word for word in SMALL if word not in ("--dtype", "fp32")]
        for dtype, tolerance in (("fp32", 1e-5), ("bf16", 5e-3)):  # collector.md
            losses = {}
            for backend in ("cuda", "cpu"):
                self.expect(self.collector.run(
                    "run", "--world-size", "2", "--output-dir", "out", *small, "--dtype", dtype,
                    "--backend", backend, "--strategy", "zero3", "--force",
                    "--gradient-accumulation", "2", CUDA_EMULATION_DEVICES="2"), 0)
                losses[backend] = self.collector.evidence("zero3")["metrics"]["losses"]
            self.assertEqual(len(losses["cuda"]), STEPS)
            for a, b in zip(losses["cuda"], losses["cpu"]):
                self.assertLess(abs(a - b) / b, tolerance)

    def test_checkpoint_goes_on_under_another_strategy_and_backend(self):
        self.expect(self.train("--strategy", "zero1", "--checkpoint", "sharded"), 0)
        losses = []
        for train in (self.train, self.collector.train):  # the latter on the CPU
            backend = () if train == self.train else ("--backend", "cpu")
            self.expect(train(*backend, "--strategy", "zero3", "--force", "--restore",
                              "out/checkpoints/zero1-sharded"), 0)
            losses.append(self.collector.evidence("zero3")["metrics"]["losses"])
        for a, b in zip(*losses):
            self.assertLess(abs(a - b) / b, 1e-5)  # collector.md, "Same mathematics"

    def test_one_rank_needs_no_collectives(self):
        self.expect(self.train("--strategy", "zero3,fsdp_full_shard", ranks=1,
                               fail="ncclCommInitRankConfig:1:2"), 0)
        self.expect_sound()


    def test_bandwidth_is_of_the_devices(self):
        for before in ((), Joined.MPIRUN):
            run = self.expect(self.collector.run("bandwidth", "--backend", "cuda", "--format", "json",
                                                 before=before, CUDA_EMULATION_DEVICES="2"), 0)
            document = json.loads(run.stdout)
            self.assertEqual((document["backend"], document["world_size"]), ("cuda", 2))
            self.assertIn("NCCL", document["library"])
            self.assertTrue(document["emulated"])
            self.assertEqual(len(document["rows"]), 21)
        run = self.expect(self.collector.run("bandwidth", "--backend", "cuda", "--world-size", "3",
                                             CUDA_EMULATION_DEVICES="2"), 4)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn("2 can be seen: --world-size 2", run.stderr)
        self.assertNotIn("--share-device", run.stderr)  # which this command does not have


class Failed(EmulatedTest):
    def test_device_without_room_is_out_of_memory(self):
        self.expect(self.train("--strategy", "ddp", memory="64K"), 1)
        failure = self.failure()
        self.assertEqual(failure["kind"], "out_of_memory")

    def test_memory_that_another_process_takes_meanwhile_is_out_of_memory(self):
        self.expect(self.train("--strategy", "ddp", fail="1/cudaMalloc:1:2"), 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["rank"]), ("out_of_memory", 1))
        self.assertIn("out of memory: an arena of", failure["reason"] + failure["detail"])

    def test_memory_that_others_hold_is_not_said_to_be_none(self):
        self.expect(self.train("--strategy", "ddp", memory="64M", others="63M"), 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["in_use_bytes"]), ("out_of_memory", 63 << 20))
        self.assertIn("1048576 of 67108864 free", failure["detail"])
        self.assertNotIn("0 were in use", failure["detail"])
        self.assertIn("--micro-batch", failure["detail"])

    def test_device_that_fails_in_preparations_is_a_lost_rank(self):
        for call in ("cudaMalloc", "cudaEventCreateWithFlags"):
            self.expect(self.train("--strategy", "ddp", "--force", fail=f"1/{call}:1:719!"), 1)
            failure = self.failure()
            self.assertEqual((failure["kind"], failure["rank"]), ("rank_lost", 1), call)

    def test_lost_device_is_a_lost_rank(self):
        self.expect(self.train("--strategy", "ddp", fail="1/cudaLaunchKernelExC:40:214!"), 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["rank"]), ("rank_lost", 1))
        self.assertIn("GPU 1 was lost", failure["detail"])

    def test_collective_that_fails_under_way_is_a_communication_failure(self):
        self.expect(self.train("--strategy", "zero2", fail="1/ncclAsync:5:6"), 1)
        failure = self.failure("zero2")
        self.assertEqual((failure["kind"], failure["rank"]), ("communication", 1))
        self.assertIn("remote process exited", failure["detail"])

    def test_ranks_that_cannot_connect_are_a_communication_failure(self):
        self.expect(self.train("--strategy", "ddp", fail="0/ncclCommInitRankConfig:1:2"), 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["rank"]), ("communication", 0))
        self.assertIn("NCCL failed in connecting the ranks", failure["detail"])

    def test_collective_that_hangs_is_a_timeout(self):
        self.expect(self.train("--strategy", "fsdp_full_shard", "--timeout", "2",
                               fail="ncclHang:20:1"), 1)
        failure = self.failure("fsdp_full_shard")
        self.assertEqual(failure["kind"], "timeout")

    def test_hang_after_training_is_told_from_one_in_it(self):
        # The 20th of ddp's collectives is in the pass that waits for each.
        self.expect(self.train("--strategy", "ddp", "--timeout", "2", fail="ncclHang:20:1"), 1)
        failure = self.failure()
        self.assertEqual((failure["kind"], failure["phase"], failure["step"]),
                         ("timeout", "blocking_collectives", None))
        self.assertEqual(len(self.collector.evidence("ddp")["metrics"]["losses"]), STEPS)

    def test_rank_that_hangs_or_dies_is_told(self):
        for fault, kind in (("hang", "timeout"), ("kill", "rank_lost")):
            self.expect(self.train("--strategy", "zero1", "--timeout", "2", "--force", "--inject",
                                   f"{fault}@rank:1,step:2"), 1)
            failure = self.failure("zero1")
            self.assertEqual((failure["kind"], failure["rank"]), (kind, 1))

    def test_loss_that_is_no_number_stops_all_ranks(self):
        self.expect(self.train("--strategy", "zero2", "--inject", "nan@rank:1,step:2"), 1)
        self.assertEqual(self.failure("zero2")["kind"], "non_finite")


class Joined(EmulatedTest):
    MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2")

    def join(self, *arguments, **settings):
        return self.collector.run("run", "--backend", "cuda", "--output-dir", "out", *SMALL,
                                  *arguments, before=self.MPIRUN, CUDA_EMULATION_DEVICES="2",
                                  **settings)

    def test_strategies_run_one_after_another(self):
        self.expect(self.join("--strategy", "ddp,zero3"), 0)
        self.expect_sound()

    def test_collective_that_hangs_is_a_timeout(self):
        run = self.join("--strategy", "zero3", "--timeout", "2",
                        CUDA_EMULATION_FAIL="ncclHang:20:1")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(self.failure("zero3")["kind"], "timeout")

    def test_collective_that_fails_under_way_is_a_communication_failure(self):
        run = self.join("--strategy", "zero3", CUDA_EMULATION_FAIL="0/ncclAsync:20:6")
        self.assertNotEqual(run.returncode, 0)
        failure = self.failure("zero3")
        self.assertEqual((failure["kind"], failure["rank"]), ("communication", 0))


class Refused(EmulatedTest):
    def refused(self, words, **settings):
        self.expect(self.train("--strategy", "ddp", **settings), 1)
        failure = self.failure()
        self.assertEqual(failure["kind"], "preflight")
        self.assertIn(words, json.dumps(failure))

    def test_fewer_devices_than_ranks(self):
        self.refused("2 ranks on this host need 2 GPUs, and 1 can be seen", devices=1)

    def test_no_device(self):
        self.refused("GPU", devices=0)

    def test_driver_older_than_the_toolkit(self):
        self.refused("the driver is too old: it serves CUDA 12.4", driver="12040")

    def test_mixed_devices_are_a_warning(self):
        run = self.expect(self.train("--strategy", "ddp", names="A100,H200"), 0)
        self.assertIn("different GPUs (A100 and H200)", run.stderr)
        self.expect_sound()


if __name__ == "__main__":
    PROGRAM, RANKLEDGER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
