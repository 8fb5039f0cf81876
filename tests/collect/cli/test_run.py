#!/usr/bin/env python3
"""rankledger-collect run, end to end: test_run.py PROGRAM RANKLEDGER [unittest options]"""
import fcntl
import glob
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

import evidence_sums
from collector import SMALL, Collector

PROGRAM = RANKLEDGER = None
ALL = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]


class RunTest(unittest.TestCase):
    def setUp(self):
        self.collector = Collector(PROGRAM, RANKLEDGER)
        self.addCleanup(shutil.rmtree, self.collector.folder)
        self.addCleanup(self.collector.end)

    def expect(self, run, code):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertNotIn("Sanitizer", run.stderr)
        self.assertNotIn("runtime error", run.stderr)
        return run

    def expect_sound(self, *paths):
        validation = self.collector.validate(*paths)
        self.assertEqual(validation.returncode, 0, validation.stdout)

    def expect_clean(self):
        self.assertEqual(self.collector.left_behind(), [])

    def hang(self, *arguments):
        """A run that stands still in its first step; returns its launch folder."""
        self.collector.start("run", "--world-size", "2", "--output-dir", "out", *SMALL,
                             "--strategy", "ddp,zero1", "--inject", "hang@rank:0,step:0",
                             *arguments)
        folder = self.collector.wait_for_step()
        self.collector.wait_until_asleep(0)
        return folder


class Completed(RunTest):
    def test_all_strategies_train_the_same_and_say_what_to_type_next(self):
        run = self.expect(self.collector.train("--strategy", "all", SECRET_TOKEN="hunter2"), 0)
        self.assertIn("rankledger analyze out", run.stdout)
        self.expect_sound()
        self.expect_clean()
        losses = []
        for strategy in ALL:
            document = self.collector.evidence(strategy)
            self.assertEqual(document["decision"], "measured")
            self.assertIsNone(document["failure"])
            self.assertNotIn("hunter2", json.dumps(document))
            for row in document["communication"]["collectives"]:
                self.assertEqual(row["payload_bytes"], row["expected_bytes"], row)
                self.assertEqual(row["calls"], row["expected_calls"], row)
            for rank in document["memory"]["per_rank"]:
                ledger, resident = document["ledger"], sum(rank["resident"].values())
                self.assertEqual(resident, ledger["resident_bytes"] + ledger["padding_bytes"] +
                                 ledger["persistent_parameters_bytes"])
                peak = max(phase["peak_bytes"] for phase in rank["phases"])
                self.assertEqual(peak, ledger["predicted_peak_bytes"])
            self.assertEqual(evidence_sums.faults_of(document), [])
            self.assertTrue(document["correctness"]["ranks_agree_on_grad_norms"])
            losses.append(document["metrics"]["losses"])
        for other in losses[1:]:
            for a, b in zip(losses[0], other):
                self.assertLess(abs(a - b) / a, 1e-5)  # collector.md, "Same mathematics"
        analyze = subprocess.run([RANKLEDGER, "analyze", "out"], cwd=self.collector.folder,
                                 capture_output=True, text=True)
        self.assertEqual(analyze.returncode, 0, analyze.stderr)

    def test_rounds_are_pooled_and_strategies_take_turns(self):
        run = self.expect(self.collector.train("--strategy", "zero1,ddp", "--rounds", "2",
                                               "--checkpoint", "both"), 0)
        self.expect_sound()
        document = self.collector.evidence("zero1")
        self.assertEqual(evidence_sums.faults_of(document), [])
        self.assertEqual([len(row) for row in document["metrics"]["step_times_ms"]], [8, 8])
        self.assertEqual([r["first_step"] for r in document["rounds"]], [0, 4])
        self.assertTrue(document["correctness"]["rounds_agree_on_losses"])
        # The second round begins with zero1, so its evidence is complete first.
        self.assertLess(run.stdout.index("zero1"), run.stdout.index("ddp"))

    def test_more_ranks_than_cores_are_marked(self):
        cores = len(os.sched_getaffinity(0))
        self.expect(self.collector.train("--strategy", "ddp", ranks=cores + 1), 0)
        self.expect_sound()
        environment = self.collector.evidence("ddp")["environment"]
        self.assertTrue(environment["oversubscribed"])
        self.assertEqual(environment["variables"]["OMPI_MCA_mpi_yield_when_idle"], "1")

    def test_one_rank_trains_every_strategy(self):
        self.expect(self.collector.train("--strategy", "all", ranks=1), 0)
        self.expect_sound()
        options = self.collector.evidence("zero3")["strategy_options"]
        self.assertIs(options["sharding_exercised"], False)
        self.assertEqual(self.collector.evidence("zero3")["metrics"]["communication_ratio"], 0)
        for strategy in ALL:
            self.assertEqual(evidence_sums.faults_of(self.collector.evidence(strategy)), [])

    def test_output_names_one_file(self):
        self.expect(self.collector.run("run", "--world-size", "2", "--strategy", "zero2",
                                       "--output", "x.json", *SMALL), 0)
        self.expect_sound("x.json")

    def test_command_that_analyze_proposes_runs_and_is_comparable(self):
        self.expect(self.collector.train("--strategy", "zero3", "--persistence-threshold", "64"), 0)
        proposed = subprocess.run([RANKLEDGER, "analyze", "--output", "-", "out"],
                                  cwd=self.collector.folder, capture_output=True, text=True)
        actions = json.loads(proposed.stdout)["decision"]["next_actions"]
        command = next(a["command"] for a in actions if a["command"])
        words = shlex.split(command)
        self.assertEqual(words[0], "rankledger-collect")
        self.expect(self.collector.run(*words[1:]), 0)
        place = words[words.index("--output-dir") + 1]
        both = subprocess.run([RANKLEDGER, "analyze", "--output", "-", "out", place],
                              cwd=self.collector.folder, capture_output=True, text=True)
        document = json.loads(both.stdout)
        self.assertEqual(len(document["groups"]), 1, "one group: the same workload")
        self.assertEqual(sorted(c["strategy"] for c in document["candidates"]), ["ddp", "zero3"])

    def test_reference_experiment_has_its_names(self):
        arguments = [a for a in SMALL if a not in ("--repeats", "4")]
        self.expect(self.collector.run("run", "--reference", "--world-size", "2", "--output-dir",
                                       "out", *arguments), 0)
        names = sorted(os.listdir(self.collector.path("out")))
        self.assertEqual(names, sorted(f"zero_{name}.json" for name in ALL))
        document = self.collector.evidence("zero_ddp")
        self.assertEqual(document["workload"]["repeats"], 5)

    def test_checkpoint_is_restored_into_another_strategy(self):
        self.expect(self.collector.train("--strategy", "zero1", "--checkpoint", "both"), 0)
        self.expect_sound()
        kinds = self.collector.evidence("zero1")["checkpoint"]
        self.assertEqual([(k["kind"], k["restore_verified"]) for k in kinds],
                         [("full", True), ("sharded", True)])
        self.expect(self.collector.train("--strategy", "zero3", "--restore",
                                         "out/checkpoints/zero1-sharded", ranks=2), 0)
        first = self.collector.evidence("zero1")["metrics"]["losses"][-1]
        second = self.collector.evidence("zero3")["metrics"]["losses"][0]
        self.assertLess(abs(first - second), 0.2)  # it goes on where the other ended
        run = self.expect(self.collector.train("--strategy", "zero2", "--seed", "7", "--restore",
                                               "out/checkpoints/zero1-sharded"), 3)
        self.assertIn("give --seed 1", run.stderr)
        self.assertFalse(os.path.exists(self.collector.path("out", "zero2.json")))

    def test_proposed_command_is_one_for_a_shell(self):
        for folder in ("a b/it's", "~", "-x"):
            run = self.expect(self.collector.run("run", "--world-size", "2", "--strategy", "ddp",
                                                 f"--output-dir={folder}", *SMALL), 0)
            command = run.stdout.partition("Next:")[2].strip()
            done = subprocess.run(["sh", "-c", command], cwd=self.collector.folder, text=True,
                                  capture_output=True, env=dict(
                                      os.environ, PATH=os.path.dirname(RANKLEDGER) + ":" +
                                      os.environ["PATH"]))
            self.assertEqual(done.returncode, 0, command + done.stderr)

    def test_few_descriptors_by_default_are_no_limit(self):
        self.expect(self.collector.train("--strategy", "ddp", "--timeout", "2", ranks=4, before=(
            "sh", "-c", 'ulimit -Sn 40; exec "$@"', "--")), 0)

    def test_progress_is_drawn_on_a_terminal_alone(self):
        for no_colour, columns, drawn in ((None, 80, True), (None, 12, True), ("1", 80, False)):
            main, terminal = pty.openpty()
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            environment = self.collector.environment(TERM="xterm")
            environment.pop("NO_COLOR", None)
            if no_colour:
                environment["NO_COLOR"] = no_colour
            process = subprocess.Popen(
                [PROGRAM, "run", "--world-size", "2", "--output-dir", "out", "--force", *SMALL,
                 "--strategy", "ddp", "--inject", "slow@rank:0,step:1"], env=environment,
                cwd=self.collector.folder, stdout=subprocess.DEVNULL, stderr=terminal)
            os.close(terminal)
            text = b""
            while True:
                try:
                    part = os.read(main, 65536)
                except OSError:
                    break
                if not part:
                    break
                text += part
            self.assertEqual(process.wait(), 0)
            os.close(main)
            self.assertEqual(b"tokens/s" in text, drawn and columns == 80, text)
            self.assertEqual(b"\r" in text, drawn, text)
            longest = max(map(len, text.replace(b"\033[K", b"").split(b"\r")))
            self.assertLess(longest, columns, text)


class Refused(RunTest):
    def test_existing_evidence_is_named_and_left_alone(self):
        self.expect(self.collector.train("--strategy", "ddp"), 0)
        before = self.collector.evidence("ddp")["run"]["id"]
        run = self.expect(self.collector.train("--strategy", "ddp,zero1"), 2)
        self.assertIn("out/ddp.json exists", run.stderr)
        self.assertFalse(os.path.exists(self.collector.path("out", "zero1.json")))
        self.assertEqual(self.collector.evidence("ddp")["run"]["id"], before)
        self.expect(self.collector.train("--strategy", "ddp", "--force"), 0)
        self.assertNotEqual(self.collector.evidence("ddp")["run"]["id"], before)

    def test_all_faults_are_told_at_once(self):
        pathlib.Path(self.collector.path("file")).write_text("x")
        run = self.expect(self.collector.run(
            "run", "--strategy", "zero-2", "--output-dir", "out", "--width", "100", "--heads", "3",
            "--restore", "nowhere"), 2)
        for words in ("did you mean zero2", "no --world-size", "not a multiple", "nowhere"):
            self.assertIn(words, run.stderr)

    def test_bad_options_name_the_nearest(self):
        for arguments, words in ((["run", "--word-size", "2"], "--world-size"),
                                 (["rum"], "rankledger-collect run"),
                                 ([], "--help")):
            run = self.expect(self.collector.run(*arguments), 2)
            self.assertIn(words, run.stderr)

    def test_places_that_cannot_be_written(self):
        pathlib.Path(self.collector.path("file")).write_text("x")
        for place in ("/proc/nowhere", "file/in/it", "file"):
            run = self.collector.run("run", "--world-size", "2", "--strategy", "ddp", *SMALL,
                                     "--output-dir", place)
            self.expect(run, 4)
            self.assertIn("evidence cannot be written there", run.stderr)
        self.expect_clean()

    def test_checkpoints_and_dumps_that_cannot_be_written(self):
        run = self.expect(self.collector.train("--strategy", "ddp", "--checkpoint", "full",
                                               "--checkpoint-dir", "/proc/x", "--dump", "/proc/y"),
                          4)
        for place in ("/proc/x/ddp-full", "/proc/y"):
            self.assertIn(f"{place}: cannot write", run.stderr)
        self.assertEqual(os.listdir(self.collector.folder), ["tmp"])

    def test_nothing_starts_if_no_strategy_fits_the_limit(self):
        run = self.expect(self.collector.train("--strategy", "all", "--memory-limit", "100kB"), 2)
        self.assertIn("predicted peaks of a rank: ddp ", run.stderr)
        self.assertFalse(os.path.exists(self.collector.path("out")))

    def test_nothing_starts_if_no_strategy_fits_the_machine(self):
        run = self.expect(self.collector.run(
            "run", "--world-size", "2", "--strategy", "all", "--output-dir", "out", "--width",
            "16384", "--layers", "96", "--vocab", "100000"), 2)
        self.assertIn("no strategy fits this machine", run.stderr)

    def test_strategy_beyond_the_limit_runs_out_of_memory_and_the_others_go_on(self):
        sizes = ["--width", "128", "--layers", "4", "--heads", "2", "--vocab", "64", "--seq-len",
                 "8", "--dtype", "fp32", "--warmup", "1", "--repeats", "2"]
        options = ["run", "--world-size", "2", "--strategy", "ddp,zero3", *sizes]
        self.expect(self.collector.run(*options, "--output-dir", "free"), 0)
        peaks = {name: self.collector.evidence(name, "free")["ledger"]["predicted_peak_bytes"]
                 for name in ("ddp", "zero3")}
        self.assertLess(peaks["zero3"], peaks["ddp"])
        # One byte less than ddp needs.
        self.expect(self.collector.run(*options, "--output-dir", "out", "--memory-limit",
                                       f"{peaks['ddp'] - 1}B"), 1)
        self.expect_sound()
        failure = self.collector.evidence("ddp")["failure"]
        self.assertEqual(failure["kind"], "out_of_memory")
        self.assertEqual(failure["limit_bytes"], peaks["ddp"] - 1)
        self.assertEqual(failure["in_use_bytes"] + failure["asked_bytes"], peaks["ddp"])
        self.assertIsNone(self.collector.evidence("zero3")["failure"])


    def test_threads_that_openmp_does_not_start(self):
        run = self.expect(self.collector.train("--strategy", "ddp", "--threads", "2",
                                               OMP_THREAD_LIMIT="1"), 4)
        self.assertIn("2 threads of a rank were asked for and 1 started", run.stderr)
        self.assertFalse(os.path.exists(self.collector.path("out")))

    def test_streams_that_are_closed_are_nobodys(self):
        run = self.collector.train("--strategy", "ddp,zero1", "--dump", "dump", before=(
            "sh", "-c", 'exec "$@" <&- >&- 2>&-', "--"))
        self.expect(run, 4)  # standard output cannot be written
        self.expect_sound()
        self.expect_clean()

    def test_file_beyond_the_limit_is_a_full_disk(self):
        # Blocks of 512 bytes: enough for what MPI shares (4 MiB), not for the checkpoint.
        run = self.collector.run(
            "run", "--world-size", "2", "--output-dir", "out", "--strategy", "ddp,zero1", "--width",
            "256", "--layers", "1", "--vocab", "256", "--seq-len", "8", "--warmup", "0",
            "--repeats", "1", "--checkpoint", "full",
            before=("sh", "-c", 'ulimit -f 12000; exec "$@"', "--"))
        self.expect(run, 1)
        self.expect_sound()
        self.expect_clean()
        for strategy in ("ddp", "zero1"):
            failure = self.collector.evidence(strategy)["failure"]
            self.assertEqual((failure["kind"], failure["phase"]), ("checkpoint", "checkpoint_save"))
            self.assertIn("File too large", failure["reason"])
        run = self.collector.train("--strategy", "ddp", "--force",
                                   before=("sh", "-c", 'ulimit -f 0; exec "$@"', "--"))
        self.expect(run, 4)
        self.expect_clean()


class Ended(RunTest):
    def test_killed_launcher_leaves_nothing(self):
        folder = self.hang()
        self.assertGreaterEqual(len(self.collector.processes()), 5)  # launcher, sweeper, mpirun, 2
        self.assertEqual(os.listdir(self.collector.temporary), [])
        self.collector.process.kill()
        self.collector.finish()
        self.expect_clean()
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(os.listdir(self.collector.path("out")), [])

    def test_killed_launcher_leaves_no_half_of_a_dump(self):
        self.collector.start("run", "--world-size", "2", "--output-dir", "out", *SMALL,
                             "--strategy", "zero1", "--dump", "dump", "--inject",
                             "hang@rank:1,step:2")
        self.collector.wait_for_step()
        self.collector.wait_until_asleep(1)
        self.assertEqual(len(glob.glob(self.collector.path(".dump.*.tmp"))), 1)
        self.collector.process.kill()
        self.collector.finish()
        self.expect_clean()
        self.assertEqual(sorted(os.listdir(self.collector.folder)), ["out", "tmp"])

    def test_ranks_that_mpirun_never_starts_are_missed(self):
        with open(self.collector.path("mpirun"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n[ $1 = --version ] && exec echo 'mpirun (Open MPI) 4'\n"
                       "exec sleep 1000\n")
        os.chmod(self.collector.path("mpirun"), 0o755)
        run = self.expect(self.collector.train(
            "--strategy", "ddp", "--timeout", "0.1",
            PATH=self.collector.folder + ":" + os.environ["PATH"]), 1)
        self.assertIn("0 of 2 ranks exist after 1 s", run.stdout)
        self.expect_sound()
        self.assertEqual(self.collector.evidence("ddp")["failure"]["kind"], "launch")
        self.expect_clean()

    def test_interrupt_ends_with_the_evidence_of_what_ran(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.hang("--force")
            self.collector.process.send_signal(number)
            run = self.expect(self.collector.finish(), 1)
            self.assertIn("did not run", run.stderr)
            self.expect_clean()
            self.expect_sound()
            self.assertEqual(os.listdir(self.collector.path("out")), ["ddp.json"])
            failure = self.collector.evidence("ddp")["failure"]
            self.assertEqual(failure["kind"], "interrupted")
            self.assertEqual((failure["phase"], failure["step"]), ("backward", 0))

    def test_no_other_thread_of_the_launcher_takes_an_interrupt(self):
        self.hang("--threads", "2")
        launcher = self.collector.process.pid
        tasks = [int(task) for task in os.listdir(f"/proc/{launcher}/task")]
        self.assertGreater(len(tasks), 1)
        for task in set(tasks) - {launcher}:
            with open(f"/proc/{launcher}/task/{task}/status", encoding="utf-8") as file:
                blocked = int(re.search(r"SigBlk:\s*([0-9a-f]+)", file.read()).group(1), 16)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self.assertTrue(blocked >> (number - 1) & 1, f"{number} of thread {task}")
        self.collector.process.send_signal(signal.SIGINT)
        self.expect(self.collector.finish(), 1)

    def test_rank_killed_from_outside_is_noticed_at_once(self):
        self.hang("--timeout", "100")
        os.kill(self.collector.ranks()[1], signal.SIGKILL)  # rank 0 hangs, and yet it is not the one
        start = time.monotonic()
        deadline = start + 20
        while not os.path.exists(self.collector.path("out", "ddp.json")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        failure = self.collector.evidence("ddp")["failure"]
        self.assertEqual((failure["kind"], failure["rank"]), ("rank_lost", 1))
        self.assertIn("signal 9", failure["detail"])
        self.collector.process.send_signal(signal.SIGINT)
        self.collector.finish()
        self.expect_clean()

    def test_stopped_rank_is_the_one_that_hangs(self):
        # slow: 41 steps of 0.2 s, so that there is time to stop a rank among them.
        self.collector.start("run", "--world-size", "2", "--output-dir", "out", *SMALL[:-1], "40",
                             "--strategy", "zero1", "--inject", "slow@rank:0,step:0", "--timeout",
                             "2")
        self.collector.wait_for_step()
        time.sleep(2)
        os.kill(self.collector.ranks()[0], signal.SIGSTOP)
        self.expect(self.collector.finish(), 1)
        failure = self.collector.evidence("zero1")["failure"]
        self.assertEqual((failure["kind"], failure["rank"]), ("timeout", 0))
        self.expect_sound()
        self.expect_clean()

    def second_round(self, *strategies):
        """A run of two rounds of slow steps that has come to its second round."""
        self.collector.start("run", "--world-size", "2", "--output-dir", "out", *SMALL,
                             "--rounds", "2", "--strategy", ",".join(strategies), "--inject",
                             "slow@rank:0,step:0")
        deadline = time.monotonic() + 60
        while not glob.glob(f"/dev/shm/rankledger-{self.collector.process.pid}-*/board-1-1"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_failure_in_a_round_keeps_the_rounds_before_it(self):
        self.second_round("zero1")
        deadline = time.monotonic() + 60
        while 1 not in self.collector.ranks():
            self.assertLess(time.monotonic(), deadline)
        os.kill(self.collector.ranks()[1], signal.SIGKILL)
        self.expect(self.collector.finish(), 1)
        self.expect_sound()
        document = self.collector.evidence("zero1")
        self.assertEqual((document["failure"]["kind"], document["failure"]["round"]),
                         ("rank_lost", 1))
        self.assertEqual(document["rounds"][0]["steps"], 4)
        self.assertGreaterEqual(len(document["metrics"]["step_times_ms"][1]), 4)
        self.assertEqual(len(document["metrics"]["losses"]), 5)

    def test_interrupt_writes_what_had_its_rounds_before(self):
        self.second_round("ddp", "zero1")  # zero1 begins the second round
        self.collector.process.send_signal(signal.SIGINT)
        self.expect(self.collector.finish(), 1)
        self.expect_sound()
        for strategy in ("ddp", "zero1"):
            document = self.collector.evidence(strategy)
            self.assertEqual(document["failure"]["kind"], "interrupted")
            self.assertEqual(document["rounds"][0]["steps"], 4)
        self.assertIn("before round 2", self.collector.evidence("ddp")["failure"]["reason"])

    def test_evidence_that_appeared_meanwhile_is_never_replaced(self):
        self.collector.start("run", "--world-size", "2", "--output-dir", "out", *SMALL,
                             "--strategy", "ddp", "--inject", "slow@rank:0,step:0")
        self.collector.wait_for_step()
        pathlib.Path(self.collector.path("out", "ddp.json")).write_text("mine")
        run = self.expect(self.collector.finish(), 4)
        self.assertIn("appeared while this run was measured", run.stderr)
        self.assertIn("ms/step", run.stdout)
        self.assertEqual(pathlib.Path(self.collector.path("out", "ddp.json")).read_text(), "mine")
        beside = glob.glob(self.collector.path("out", "ddp.json.*"))
        self.assertEqual(len(beside), 1)
        with open(beside[0], encoding="utf-8") as file:
            self.assertEqual(json.load(file)["strategy"], "ddp")


class Joined(RunTest):
    MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2")

    def join(self, *arguments):
        return self.collector.run("run", "--output-dir", "out", *SMALL, *arguments,
                                  before=self.MPIRUN)

    def test_strategies_run_one_after_another(self):
        run = self.expect(self.join("--strategy", "ddp,zero3", "--rounds", "2"), 0)
        self.assertEqual(run.stdout.count("Next:"), 1)
        self.expect_sound()
        for strategy in ("ddp", "zero3"):
            document = self.collector.evidence(strategy)
            self.assertEqual(document["run"]["ranks_started_by"], "mpirun or srun")
            self.assertEqual([len(row) for row in document["metrics"]["step_times_ms"]], [8, 8])

    def test_world_size_is_the_groups(self):
        run = self.join("--strategy", "ddp", "--world-size", "3")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("mpirun or srun started 2 ranks"), 1)

    def test_other_commands_join_as_they_can(self):
        run = self.collector.run("bandwidth", "--world-size", "4", before=self.MPIRUN)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("--world-size is 4, but mpirun or srun started 2"), 1)
        run = self.collector.run("preflight", before=self.MPIRUN)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("start it without mpirun"), 1)

    def test_other_launchers_leave_every_rank_alone(self):
        for command in (["run", "--strategy", "ddp", "--output-dir", "out", *SMALL],
                        ["bandwidth"]):
            run = self.expect(self.collector.run(*command, PMI_RANK="0", PMI_SIZE="2"), 4)
            self.assertIn("rank 0 of 2, but MPI says rank 0 of 1", run.stderr)

    def test_failures_that_rank_0_survives_are_evidence(self):
        for fault, kind, rank in (("nan", "non_finite", None), ("hang", "timeout", 1),
                                  ("oom", "out_of_memory", 1), ("kill", "rank_lost", 1)):
            run = self.join("--strategy", "ddp", "--force", "--timeout", "2", "--inject",
                            f"{fault}@rank:1,step:2")
            self.assertNotEqual(run.returncode, 0)
            self.expect_sound()
            failure = self.collector.evidence("ddp")["failure"]
            self.assertEqual((failure["kind"], failure["rank"], failure["step"]), (kind, rank, 2),
                             failure)
            self.assertNotIn("host", failure)  # there is one

    def test_lost_rank_0_leaves_nothing(self):
        run = self.join("--strategy", "ddp", "--inject", "kill@rank:0,step:2")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(os.listdir(self.collector.path("out")), [])


class WithoutGpus(RunTest):
    """What is asked of GPUs where there is none: it is told, and it is evidence."""

    def setUp(self):
        super().setUp()
        run = self.collector.run("preflight", "--backend", "cuda", "--output", "p.json")
        with open(self.collector.path("p.json"), encoding="utf-8") as file:
            backend = next(c for c in json.load(file)["checks"] if c["name"] == "backend")
        if backend["state"] == "ok":
            self.skipTest("this machine has GPUs")
        self.assertEqual(run.returncode, 4)
        self.why = backend["found"].partition(": ")[2]
        self.assertNotEqual(self.why, "")

    def expect_preflight_failure(self, run):
        self.expect(run, 1)
        self.assertEqual(run.stderr.count(self.why), 1, run.stderr)
        self.expect_sound()
        self.expect_clean()
        for strategy in ("ddp", "zero3"):
            document = self.collector.evidence(strategy)
            failure = document["failure"]
            self.assertEqual((failure["kind"], failure["rank"]), ("preflight", None))
            self.assertIn(self.why, failure["reason"])
            self.assertEqual(document["evidence_level"], "predicted")
            self.assertEqual(document["run"]["backend"], "cuda")
            self.assertNotIn("predicted_peak_bytes", document["ledger"])

    def test_run_leaves_evidence_of_what_is_missing(self):
        self.expect_preflight_failure(self.collector.train("--strategy", "ddp,zero3", "--backend",
                                                           "cuda", "--checkpoint", "both"))

    def test_joined_run_leaves_it_too(self):
        self.expect_preflight_failure(self.collector.run(
            "run", "--strategy", "ddp,zero3", "--output-dir", "out", *SMALL, "--backend", "cuda",
            before=Joined.MPIRUN))

    def test_auto_takes_the_cpu(self):
        self.expect(self.collector.train("--strategy", "ddp", "--backend", "auto"), 0)
        document = self.collector.evidence("ddp")
        self.assertEqual(document["run"]["backend"], "cpu")
        self.assertEqual(document["communication"]["progress"], "polling")

    def test_preflight_says_why_auto_takes_the_cpu(self):
        run = self.expect(self.collector.run("preflight"), 0)
        self.assertIn(f"cpu (not cuda: {self.why})", run.stdout)

    def test_sharing_a_device_is_of_gpus(self):
        run = self.expect(self.collector.train("--strategy", "ddp", "--share-device"), 2)
        self.assertIn("add --backend cuda", run.stderr)


class Others(RunTest):
    def test_preflight_says_what_is_there_and_what_is_missing(self):
        run = self.expect(self.collector.run("preflight", "--output", "p.json"), 0)
        self.assertIn("Ready.", run.stdout)
        with open(self.collector.path("p.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertTrue(document["ready"])
        self.assertIn("mpirun", [check["name"] for check in document["checks"]])
        self.expect_clean()
        run = self.expect(self.collector.run("preflight", PATH="/nowhere"), 4)
        self.assertIn("install openmpi-bin", run.stdout)
        run = self.expect(self.collector.train("--strategy", "ddp", PATH="/nowhere"), 4)
        self.assertIn("install openmpi-bin", run.stderr)

    def test_bandwidth_starts_its_own_ranks_or_joins(self):
        run = self.expect(self.collector.run("bandwidth", "--format", "json"), 0)
        document = json.loads(run.stdout)
        self.assertEqual((document["world_size"], document["backend"]), (2, "cpu"))
        self.assertFalse(document["emulated"])
        self.assertIn("Open MPI", document["library"])
        self.expect_clean()
        run = self.expect(self.collector.run("bandwidth", "--backend", "cuda"), 4)
        self.assertEqual((run.stdout, run.stderr.count("\n")), ("", 1), run.stderr)
        self.expect_clean()
        run = self.expect(self.collector.run("bandwidth", before=Joined.MPIRUN), 0)
        self.assertIn("all_gather", run.stdout)

    def test_help_fits_its_columns(self):
        for command in ([], ["run"], ["preflight"], ["bandwidth"]):
            run = self.expect(self.collector.run(*command, "--help"), 0)
            self.assertLessEqual(max(map(len, run.stdout.splitlines())), 86)


if __name__ == "__main__":
    PROGRAM, RANKLEDGER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
