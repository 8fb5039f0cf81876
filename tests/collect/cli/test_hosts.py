#!/usr/bin/env python3
"""rankledger-collect run on several hosts: test_hosts.py PROGRAM RANKLEDGER [unittest options]"""
import glob
import json
import os
import shutil
import signal
import sys
import time
import unittest

import evidence_sums
import hosts
from collector import SMALL, Collector

PROGRAM = RANKLEDGER = None
ALL = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
TIMEOUT = "1.5"
RANKS = (2, 1)  # on the first host, on the second


class HostsTest(unittest.TestCase):
    def setUp(self):
        self.collector = Collector(PROGRAM, RANKLEDGER)
        self.addCleanup(shutil.rmtree, self.collector.folder)
        self.hosts = hosts.Hosts(self.collector.folder)
        self.addCleanup(self.hosts.close)
        self.addCleanup(self.collector.end)

    def start(self, *arguments, ranks=RANKS, repeats=4):
        return self.collector.start("run", "--output-dir", "own/out", *SMALL[:-1], str(repeats),
                                    *arguments,
                                    before=self.hosts.mpirun(*ranks))

    def train(self, *arguments, ranks=RANKS):
        self.start(*arguments, ranks=ranks)
        run = self.collector.finish()
        self.assertNotIn("Sanitizer", run.stderr)
        self.assertNotIn("runtime error", run.stderr)
        return run

    def evidence(self, strategy):
        """From where the first host alone sees it; it must be sound."""
        out = self.hosts.see("hosta", "own", "out")
        validation = self.collector.validate(out)
        self.assertEqual(validation.returncode, 0, validation.stdout)
        with open(os.path.join(out, strategy + ".json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(list(evidence_sums.faults_of(document)), [])
        return document

    def expect_failure(self, run, **wanted):
        self.assertNotEqual(run.returncode, 0)
        document = self.evidence("zero1")
        failure = document["failure"]
        self.assertEqual({key: failure[key] for key in wanted}, wanted, failure)
        self.assertEqual(document["hardware"]["ranks_per_host"], list(RANKS))
        if wanted["rank"] == 2:
            self.assertTrue(failure["reason"].startswith("rank 2 (on host 1) "), failure)
            self.assertIn("rank 2 on host 1 (hostb)", run.stdout)
        return document


class Trained(HostsTest):
    def test_all_strategies_train_and_say_which_rank_was_where(self):
        run = self.train("--strategy", "all")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        runs = [self.evidence(strategy) for strategy in ALL]
        for document in runs:
            self.assertEqual(document["hardware"]["hosts"], 2)
            self.assertEqual(document["hardware"]["ranks_per_host"], [2, 1])
            ranks = document["environment"]["per_rank"]
            self.assertEqual([rank["host"] for rank in ranks], [0, 0, 1])
            # As many in every rank; the one that has its host for itself could take more.
            self.assertEqual({rank["threads"] for rank in ranks},
                             {max(1, min(rank["cores"] for rank in ranks) // 2)})
            self.assertEqual(document["environment"]["oversubscribed"], os.cpu_count() < 2)
            self.assertIsNone(document["metrics"]["skew_ratio"])
            self.assertEqual(document["timing"]["clock"], "monotonic, each host's own")
            self.assertEqual(document["run"]["ranks_started_by"], "mpirun or srun")
            self.assertEqual([len(row) for row in document["metrics"]["step_times_ms"]], [4] * 3)
            self.assertNotIn("hosta", json.dumps(document))  # archives are shared
            for ours, theirs in zip(document["metrics"]["losses"], runs[0]["metrics"]["losses"]):
                self.assertAlmostEqual(ours, theirs, delta=1e-5 * theirs)
        # What the second host wrote: nothing.
        self.assertEqual(os.listdir(self.hosts.see("hostb", "own")), [])

    def test_ranks_beyond_a_hosts_cores_are_marked(self):
        cores = os.cpu_count()
        run = self.train("--strategy", "ddp", ranks=(1, cores + 1))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        document = self.evidence("ddp")
        self.assertTrue(document["environment"]["oversubscribed"])
        self.assertEqual(document["hardware"]["ranks_per_host"], [1, cores + 1])

    def test_sharded_checkpoint_needs_a_folder_that_both_see(self):
        run = self.train("--strategy", "zero1", "--checkpoint", "sharded",
                         "--checkpoint-dir", "saved")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertTrue(self.evidence("zero1")["checkpoint"][0]["restore_verified"])
        run = self.train("--strategy", "zero1", "--checkpoint", "sharded", "--force")
        document = self.expect_failure(run, kind="checkpoint", rank=2, phase="checkpoint_save")
        self.assertIn("does not see", document["failure"]["reason"])
        for name in self.hosts.NAMES:
            self.assertEqual(glob.glob(self.hosts.see(name, "own", "**", "*.tmp*"),
                                       recursive=True), [])


class Failed(HostsTest):
    def test_memory_that_runs_out_on_another_host(self):
        run = self.train("--strategy", "zero1", "--inject", "oom@rank:2,step:2")
        document = self.expect_failure(run, kind="out_of_memory", rank=2, step=2, host=1)
        self.assertGreater(document["failure"]["asked_bytes"], 0)
        self.assertEqual([len(row) for row in document["metrics"]["step_times_ms"]], [1] * 3)

    def test_rank_that_is_killed_on_another_host(self):
        run = self.train("--strategy", "zero1", "--inject", "kill@rank:2,step:2")
        self.expect_failure(run, kind="rank_lost", rank=2, host=1)

    def test_rank_that_hangs_is_named_on_either_host(self):
        for rank, host in ((2, 1), (0, 0)):
            run = self.train("--strategy", "zero1", "--force", "--timeout", TIMEOUT,
                             "--inject", f"hang@rank:{rank},step:2")
            self.expect_failure(run, kind="timeout", rank=rank, host=host, step=2)


class Cut(HostsTest):
    """Ended, stopped or cut off from outside."""

    def wait_for_rank(self, rank, seconds=60):
        end = time.monotonic() + seconds
        while rank not in self.collector.ranks():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def start_long(self):
        """A run that is well in its steps."""
        self.start("--strategy", "zero1", "--timeout", TIMEOUT, repeats=50000)
        self.wait_for_rank(2)
        time.sleep(1)

    def test_process_that_is_stopped_is_the_one_that_hangs(self):
        self.start_long()
        os.kill(self.collector.ranks()[2], signal.SIGSTOP)
        document = self.expect_failure(self.collector.finish(), kind="timeout", rank=2, host=1)
        self.assertIn("no sign of life", document["failure"]["reason"])

    def test_interrupt_is_no_ranks_failure(self):
        process = self.start("--strategy", "zero1", "--inject", "hang@rank:2,step:2")
        self.wait_for_rank(2)
        self.collector.wait_until_asleep(2)
        process.send_signal(signal.SIGTERM)
        self.expect_failure(self.collector.finish(), kind="interrupted", rank=None)

    def test_host_that_cannot_be_reached_any_more(self):
        self.start_long()
        self.hosts.inside("hostb", "ip", "link", "set", "cable", "down")
        end = time.monotonic() + 60
        while not os.path.exists(self.hosts.see("hosta", "own", "out", "zero1.json")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.collector.end()  # mpirun waits for its daemon there
        self.collector.finish()
        failure = self.evidence("zero1")["failure"]
        self.assertEqual((failure["kind"], failure["rank"], failure["host"]), ("timeout", 2, 1),
                         failure)


class Emulated(HostsTest):
    """The CUDA backend; PROGRAM is the collector with emulated devices, two a host."""

    def test_every_rank_has_the_device_of_its_number_on_its_host(self):
        run = self.train("--backend", "cuda", "--strategy", "ddp,zero3", ranks=(2, 2))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        document = self.evidence("zero3")
        self.assertEqual(document["evidence_level"], "emulated_cuda")
        self.assertEqual(document["hardware"]["device_count"], 4)
        self.assertEqual([(device["host"], device["index"])
                          for device in document["hardware"]["devices"]],
                         [(0, 0), (0, 1), (1, 0), (1, 1)])
        self.assertEqual([(rank["host"], rank["gpu"])
                          for rank in document["environment"]["per_rank"]],
                         [(0, 0), (0, 1), (1, 2), (1, 3)])

    def test_host_with_too_few_devices_is_told_before(self):
        run = self.train("--backend", "cuda", "--strategy", "zero3", ranks=(1, 3))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("3 ranks on a host need 3 GPUs, and 2 can be seen", run.stdout)
        self.assertEqual(self.evidence("zero3")["failure"]["kind"], "preflight")

    def test_rank_that_hangs_in_a_collective_of_streams_is_named(self):
        run = self.train("--backend", "cuda", "--strategy", "zero1", "--timeout", "3",
                         "--inject", "hang@rank:2,step:2")
        self.expect_failure(run, kind="timeout", rank=2, host=1, step=2)


if __name__ == "__main__":
    hosts.enter()
    PROGRAM, RANKLEDGER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
