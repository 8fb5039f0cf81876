#!/usr/bin/env python3
"""`import` as a command, whatever the tool: test_import.py PROGRAM [TEST...]"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None

WATCHDOG = "[rank2]:[E626 05:06:30.92 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective " \
           "operation timeout: WorkNCCL(SeqNum=12, OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=8, " \
           "Timeout(ms)=1800000) ran for 1800065 milliseconds before timing out.\n"
LINKS = "# nThread 1 nGpus 2 minBytes 8 maxBytes 8\n# Using devices\n" \
        "#  Rank  0 Group  0 Pid 1 on host device  0 [0x01] A100\n#  Rank  1 Group  0 Pid 1 on host device  1 [0x02] A100\n" \
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n" \
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n" \
        "     4194304       1048576     float     sum      -1    41.94  100.01  100.01      0\n" \
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100.01\n# Collective test concluded: all_reduce_perf\n"


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_program(self, *arguments, text=""):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True,
                              input=text if isinstance(text, bytes) else text.encode())

    def run_import(self, *arguments, text=""):
        return self.run_program("import", *arguments, text=text)

    def imported(self, text, *arguments):
        run = self.run_import(*arguments, "-", text=text)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def refused(self, code, words, *arguments, text=WATCHDOG):
        run = self.run_import(*arguments, text=text)
        self.assertEqual((run.returncode, run.stdout), (code, b""), run.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word.encode(), run.stderr)
        return run.stderr.decode()

    # ---- what the log does not say ----

    def test_what_is_not_told_is_asked_for_and_absent(self):
        run = self.run_import("-", text=WATCHDOG)
        document = json.loads(run.stdout)
        self.assertNotIn("strategy", document)
        self.assertEqual({asked["field"] for asked in document["import"]["asked"]},
                         {"strategy", "workload.world_size"})
        self.assertIn(b"<stdin>: not told: strategy", run.stderr)
        self.assertIn(b"--set strategy=VALUE (ddp, zero1, zero2, zero3 or fsdp_full_shard) gives it", run.stderr)
        self.assertIn(b"no evidence yet", run.stderr)

    def test_set_gives_it_and_is_recorded(self):
        document = self.imported(WATCHDOG, "--set", "strategy=zero3", "--set", "workload.world_size=8",
                                 "--set", "workload.model=gpt 2", "--set", "hardware.device=\"X\"",
                                 "--set", "workload.state_bytes={\"parameters\": 2}")
        self.assertEqual(document["strategy"], "zero3")
        self.assertEqual(document["workload"], {"model": "gpt 2", "world_size": 8, "state_bytes": {"parameters": 2}})
        self.assertEqual(document["import"]["set"]["workload.world_size"], 8)
        self.assertNotIn("asked", document["import"])
        document = self.imported(WATCHDOG, "--set", "workload.model=7", "--set", "hardware.device=4090",
                                 "--set", "workload.activation_checkpointing=true")
        self.assertEqual((document["workload"]["model"], document["hardware"]["device"]), ("7", "4090"))
        self.assertIs(document["workload"]["activation_checkpointing"], True)

    def test_a_contradiction_names_line_and_both_values(self):
        self.refused(2, ["<stdin>:4: workload.world_size is 2", "--set workload.world_size=4"],
                     "--set", "workload.world_size=4", "-", text=LINKS)
        self.assertEqual(self.imported(LINKS, "--set", "workload.world_size=2")["workload"]["world_size"], 2)

    def test_set_refuses_what_it_cannot_mean(self):
        for setting, words in (("workload.world_sise=8", "did you mean workload.world_size?"), ("stratgy=ddp", "can be given"),
                               ("metrics.throughput=5", "comes from the log"), ("workload=5", "can be given"),
                               ("workload.=5", "can be given"), ("workload.a..b=5", "can be given"),
                               ("strategy", "expected FIELD=VALUE"), ("strategy=", "expected FIELD=VALUE"),
                               ("=zero1", "expected FIELD=VALUE"), ("workload.seed=null", "leave out"),
                               ("workload.seed=1e999", "expected a number"), ("import.tool=x", "can be given"),
                               ("failure=x", "can be given")):
            with self.subTest(setting):
                self.refused(2, words, "--set", setting, "-")
        self.refused(2, "given twice", "--set", "strategy=ddp", "--set", "strategy=zero1", "-")
        self.refused(2, "given twice", "--set", "workload.state_bytes={}", "--set",
                     "workload.state_bytes.parameters=2", "-")

    def test_a_value_of_the_wrong_kind_is_said(self):
        self.refused(2, "--set strategy=zero9: ", "--set", "strategy=zero9", "-")
        self.refused(2, "--set workload.world_size=many: expected a number", "--set", "workload.world_size=many", "-")
        self.refused(2, "--set workload.world_size=0: ", "--set", "workload.world_size=0", "-")

    def test_strict_wants_evidence_that_passes(self):
        self.assertEqual(self.run_import("--strict", "-", text=WATCHDOG).returncode, 1)
        self.assertEqual(self.run_import("--strict", "--set", "strategy=zero3", "-", text=WATCHDOG).returncode, 1)
        run = self.run_import("--strict", "--set", "strategy=zero3", "--set", "workload.world_size=8", "-", text=WATCHDOG)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.run_program("validate", "--strict", "-", text=run.stdout).returncode, 0)

    # ---- provenance ----

    def test_the_source_is_named_with_digest_and_lines(self):
        self.write("a.log", "noise\n" + WATCHDOG)
        document = json.loads(self.run_import("a.log").stdout)
        sum_ = subprocess.run(["sha256sum", self.path("a.log")], capture_output=True, text=True).stdout.split()[0]
        self.assertEqual(document["import"]["source"],
                         {"path": "a.log", "sha256": sum_, "bytes": len("noise\n" + WATCHDOG)})
        self.assertEqual(document["import"]["lines"]["failure"], [2])
        self.assertEqual(document["import"]["tool"], "nccl-watchdog")

    def test_output_depends_on_the_input_alone(self):
        first = self.run_import("-", text=LINKS).stdout
        again = subprocess.run([PROGRAM, "import", "-"], input=LINKS.encode(), capture_output=True, cwd="/",
                               env={"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}).stdout
        self.assertEqual(first, again)

    # ---- recognising ----

    def test_an_unknown_text_names_what_is_known(self):
        self.refused(3, ["no known tool's output", "nccl-tests", "busbw"], "-", text="hello\n")

    def test_from_names_the_tool(self):
        self.assertEqual(self.imported(LINKS, "--from", "nccl-tests")["schema"], "rankledger.calibration/1")
        self.refused(2, "nccl-tests", "--from", "nccl-test", "-")
        self.refused(2, "nccl-tests", "--from", "tensorboard", "-")
        self.refused(3, "nothing to import", "--from", "nccl-tests", "-", text="hello\n")
        self.refused(3, "nothing to import", "--from", "nccl-watchdog", "-", text="hello\n")

    def test_from_another_tool_finds_nothing(self):
        for tool in ("nccl-tests", "deepspeed", "deepspeed-autotuner", "hf-trainer", "llm.c", "megatron", "torchtitan"):
            with self.subTest(tool):
                self.refused(3, ["nothing to import was found", "without --from"], "--from", tool, "-", text="hello\nworld\n")
        self.refused(2, "- (standard input) is given twice", "-", "-")

    def test_another_tool_in_the_same_log_is_said(self):
        steps = "".join(f"2025-06-16 22:3{i}:18,934 - root - INFO - step: {i}  loss:  6.0  memory: 49.66GiB(52.28%)  "
                        f"tps: 5,868  tflops: 339.82  mfu: 34.36%\n" for i in range(3, 6))
        run = self.run_import("-", text=LINKS + steps)
        self.assertEqual(json.loads(run.stdout)["import"]["tool"], "nccl-tests")
        self.assertIn(b"<stdin>: warning: torchtitan log is in it, too, and was not read: import it again with "
                      b"--from torchtitan", run.stderr)
        run = self.run_import("--from", "torchtitan", "-", text=LINKS + steps)
        self.assertEqual(json.loads(run.stdout)["import"]["tool"], "torchtitan")
        self.assertNotIn(b"in it, too", run.stderr)

    def test_a_folder_is_no_log(self):
        os.mkdir(self.path("d"))
        self.refused(3, "d: is a directory, not a file; name the logs themselves (DIR/*.log)", "d")

    def test_help_names_every_tool(self):
        known = self.run_import("--from", "x", "-").stderr.decode().partition("none of ")[2].partition(";")[0]
        self.assertIn("nccl-tests", known)
        help_ = self.run_import("--help").stdout.decode().replace("\n", " ")
        for name in known.split(", "):
            self.assertIn(name, help_)

    def test_what_is_no_log_is_said(self):
        self.write("evidence.json", json.dumps({"strategy": "ddp", "evidence_level": "x"}))
        self.write("links.json", self.run_import("-", text=LINKS).stdout)
        for name, words in (("evidence.json", "evidence already"), ("links.json", "--calibration takes it"),
                            ("missing.log", "No such file"), (".", "is a directory")):
            self.refused(3, words, name)
        for text, words in (("", "is empty"), ("\n \n", "is empty"), (LINKS.encode("utf-16"), "UTF-16"),
                            (b"\x7fELF\0\0", "a program"), (b"GIF\0\1\2", "NUL bytes"), (b"\0" * 9, "only NUL bytes"), ("{\"a\": 1", "1:8")):
            self.refused(3, words, "-", text=text)

    def test_the_size_has_a_limit(self):
        self.write("large.log", b"x\n" * (1 << 19) + b"x")
        self.refused(3, ["larger than the limit of 1 MiB", "--size-limit"], "--size-limit", "1", "large.log")

    def test_a_compressed_log_is_read(self):
        self.write("a.log.gz", gzip.compress(WATCHDOG.encode()))
        document = json.loads(self.run_import("a.log.gz").stdout)
        self.assertEqual(document["failure"]["rank"], 2)
        self.assertEqual(document["import"]["source"]["sha256"],  # of what was compressed
                         self.imported(WATCHDOG)["import"]["source"]["sha256"])
        self.write("cut.log.gz", gzip.compress(WATCHDOG.encode())[:-12])
        self.refused(3, "cut.log.gz", "cut.log.gz")

    # ---- output ----

    def test_several_records_are_one_a_line(self):
        self.write("a.log", WATCHDOG)
        self.write("b.log", LINKS)
        run = self.run_import("a.log", "b.log")
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(json.loads(lines[0])["failure"]["rank"], 2)
        self.assertEqual(json.loads(lines[1])["workload"], {"world_size": 2})

    def test_a_folder_takes_a_file_a_record(self):
        os.mkdir(self.path("sub"))
        self.write("a.log", WATCHDOG)
        self.write("sub/a.txt", LINKS + LINKS)
        run = self.run_import("--output-dir", "out", "a.log", "sub/a.txt")
        self.assertEqual(run.stdout.decode().split(), ["out/a.json", "out/a-2.json", "out/a-3.json"])
        self.assertIn("failure", json.loads(self.read("out/a.json")))
        self.assertEqual(json.loads(self.read("out/a-3.json"))["import"]["lines"]["workload.world_size"], [14])
        before = self.read("out/a-2.json")
        self.assertEqual(self.run_import("--output-dir", "out", "a.log", "sub/a.txt").returncode, 0)
        self.assertEqual(self.read("out/a-2.json"), before)

    def test_a_folder_keeps_what_was_imported_of_another_log(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        self.write("a/train.log", WATCHDOG)
        self.write("b/train.log", WATCHDOG.replace("ank 2", "ank 3"))
        self.assertEqual(self.run_import("--output-dir", "out", "a/train.log").returncode, 0)
        before = self.read("out/train.json")
        self.refused(2, "out/train.json is there, imported of another log", "--output-dir", "out", "b/train.log")
        self.assertEqual(self.read("out/train.json"), before)
        self.write("a/train.log", WATCHDOG + "more\n")  # the same log, longer
        self.assertEqual(self.run_import("--output-dir", "out", "a/train.log").returncode, 0)
        self.assertNotEqual(self.read("out/train.json"), before)
        self.assertEqual(self.run_import("--output", "out/train.json", "b/train.log").returncode, 0)  # named

    def test_nothing_that_is_somebody_s_is_overwritten(self):
        self.write("a.log", WATCHDOG)
        self.write("own.json", json.dumps({"strategy": "ddp"}))
        os.mkdir(self.path("out"))
        self.write("out/a.json", json.dumps({"strategy": "ddp"}))
        for arguments in (("--output", "a.log"), ("--output", "own.json"), ("--output-dir", "out")):
            before = self.read("a.log"), self.read("own.json"), self.read("out/a.json")
            self.refused(2, "was not written by import", *arguments, "a.log")
            self.assertEqual(before, (self.read("a.log"), self.read("own.json"), self.read("out/a.json")))
        self.assertEqual(self.run_import("--output", "new.json", "a.log").returncode, 0)
        self.assertEqual(self.run_import("--output", "new.json", "a.log").returncode, 0)
        self.assertEqual(self.run_import("--output", "new.json", "a.log", "a.log").returncode, 0)
        self.assertEqual(self.run_import("--output", "new.json", "a.log").returncode, 0)  # was .jsonl
        self.refused(2, "exclude each other", "--output", "x", "--output-dir", "y", "a.log")
        self.refused(2, "no path given")

    def test_one_bad_file_and_nothing_is_written(self):
        self.write("a.log", WATCHDOG)
        run = self.run_import("--output", "out.jsonl", "a.log", "missing.log")
        self.assertEqual(run.returncode, 3)
        self.assertFalse(os.path.exists(self.path("out.jsonl")))

    # ---- calibration ----

    def test_calibration_goes_into_training_records(self):
        self.write("links.txt", LINKS)
        self.write("links.jsonl", self.run_import("links.txt").stdout.replace(b"\n", b"") + b"\n")
        self.write("links.json", self.run_import("links.txt").stdout)
        for name in ("links.txt", "links.json", "links.jsonl"):
            document = self.imported(WATCHDOG, "--calibration", name, "--set", "workload.world_size=2",
                                     "--set", "strategy=ddp", "--strict")
            link, = document["calibration"]["links"]
            self.assertEqual((link["collective"], link["payload_bytes"], link["ms"], link["bus_gb_per_s"]),
                             ("all_reduce", 4194304, 0.04194, 100.01))
            self.assertEqual(document["import"]["calibrations"][0]["path"], name)
            self.assertNotIn("warnings", document["import"])
        document = self.imported(WATCHDOG, "--calibration", "links.txt", "--calibration", "links.json",
                                 "--set", "workload.world_size=8", "--set", "hardware.device=H100")
        self.assertEqual(len(document["calibration"]["links"]), 2)
        messages = [warning["message"] for warning in document["import"]["warnings"]]
        self.assertIn("the calibration is of 2 ranks, the run of 8", messages)
        self.assertIn("the calibration is of A100, the run of H100", messages)

    def test_calibration_is_rates_of_links(self):
        self.write("a.log", WATCHDOG)
        self.write("none.json", json.dumps({"schema": "rankledger.calibration/1", "calibration": {"links": []}}))
        self.refused(3, "expected rates of links", "--calibration", "a.log", "-")
        self.refused(3, "has no links", "--calibration", "none.json", "-")
        self.refused(3, "No such file", "--calibration", "gone.json", "-")

    def test_a_calibration_is_no_evidence(self):
        os.mkdir(self.path("d"))
        self.assertEqual(self.run_import("--output", "d/links.json", "-", text=LINKS).returncode, 0)
        run = self.run_program("validate", "d")
        self.assertIn(b"a calibration, skipped", run.stderr + run.stdout)
        run = self.run_program("validate", "d/links.json")
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"import --calibration FILE", run.stdout)
        run = self.run_program("analyze", "d")
        self.assertEqual(run.returncode, 3)

    # ---- failures ----

    def failure(self, text):
        return self.imported(text)["failure"]

    def test_the_cause_and_not_what_followed_from_it(self):
        text = WATCHDOG.replace("ank 2", "ank 0").replace("rank2", "rank0") + \
            "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"/home/alice/train.py\", line 1, in <module>\n" \
            "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of " \
            "79.15 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 78.00 GiB memory in use. " \
            "Of the allocated memory 70.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.\n" \
            "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 3 (pid: 7) of binary: python\n"
        failure = self.failure(text)
        self.assertEqual((failure["kind"], failure["rank"]), ("out_of_memory", 3))
        self.assertEqual(failure["asked_bytes"], 2 << 30)
        self.assertEqual(failure["in_use_bytes"], 78 << 30)
        self.assertEqual(failure["limit_bytes"], int(79.15 * 2 ** 30))
        self.assertEqual(self.imported(text)["import"]["values"],
                         {"asked_gib": 2, "allocated_gib": 70, "reserved_gib": 72, "in_use_gib": 78,
                          "capacity_gib": 79.15, "rank": 3})

    def test_older_words_for_the_same(self):
        failure = self.failure("RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 6.00 GiB total capacity; "
                               "781.50 MiB already allocated; 3.03 GiB free; 1.25 GiB reserved in total by PyTorch)\n")
        self.assertEqual((failure["asked_bytes"], failure["limit_bytes"], failure["in_use_bytes"]),
                         (20 << 20, 6 << 30, 5 << 28))
        failure = self.failure("[E ProcessGroupNCCL.cpp:737] [Rank 1] Watchdog caught collective operation timeout: "
                               "WorkNCCL(SeqNum=469508, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1802212 milliseconds "
                               "before timing out.\n")
        self.assertEqual((failure["kind"], failure["rank"], failure["operation"], failure["elapsed_ms"]),
                         ("timeout", 1, "ALLREDUCE", 1802212))
        failure = self.failure("[rank0]:[E321 02:07:08.4 ProcessGroupNCCL.cpp:1664] [PG 1 Rank 0] Exception (either an error or "
                               "timeout) detected by watchdog at work: 1580\n" + WATCHDOG)
        self.assertEqual((failure["kind"], failure["rank"]), ("timeout", 2))
        failure = self.failure("[rank7]:[E626 05:14:36.3 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 7] "
                               "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress\n")
        self.assertEqual((failure["kind"], failure["rank"], failure["elapsed_ms"]), ("timeout", 7, 480000))

    def test_a_failure_without_its_traceback(self):
        for text, kind, rank in (
                ("RuntimeError: NCCL error in: /w/ProcessGroupNCCL.cpp:957, unhandled system error, NCCL version 21.0.3\n",
                 "communication", None),
                ("[rank5]: torch.distributed.DistBackendError: NCCL error in: /p/ProcessGroupNCCL.cpp:3356, remote process "
                 "exited or there was a network error, NCCL version 2.26.2\n", "communication", 5),
                ("RuntimeError: CUDA error: uncorrectable ECC error encountered\n", "exception", None),
                ("torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got signal: 15\n", "interrupted", None),
                ("[rank4]:[E1101 09:59:00.0 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 4] Received a dump "
                 "signal due to a collective timeout from  rank 2 and we will try our best to dump the debug info.\n", "timeout", 2),
                ("[rank4]:[F1101 10:00:00.0 ProcessGroupNCCL.cpp:1553] [PG ID 0 PG GUID 0(default_pg) Rank 4] Terminating the "
                 "process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang.\n", "timeout", 4),
                ("!!!!!!! Segfault encountered !!!!!!!\n", "rank_lost", None)):
            with self.subTest(text):
                failure = self.failure(text)
                self.assertEqual((failure["kind"], failure.get("rank")), (kind, rank))
        # Others are caught by those who print them.
        self.refused(3, "no known", "-", text="ImportError: cannot import flash_attn, going on without\n")

    def test_what_the_allocator_held_in_every_version(self):
        for words, reserved in (
                ("CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total capacity; 6.50 GiB already allocated; "
                 "342.56 MiB free; 512.00 MiB cached)", 7),
                ("CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is free. "
                 "Including non-PyTorch memory, this process has 7.50 GiB memory in use. Of the allocated memory 5.00 GiB is "
                 "allocated by PyTorch, with 512.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.50 GiB is reserved "
                 "by PyTorch but unallocated.", 6.5)):
            values = self.imported("RuntimeError: " + words + "\n")["import"]["values"]
            self.assertEqual(values["reserved_gib"], reserved)

    def test_a_process_that_ended(self):
        report = "Root Cause (first observed failure):\n[0]:\n  time      : 2025-05-21_15:43:03\n  host      : secret-host\n" \
                 "  rank      : 5 (local_rank: 1)\n  exitcode  : -9 (pid: 14750)\n  error_file: <N/A>\n"
        for text, rank, signal, code in (
                ("failed (exitcode: -9) local_rank: 1 (pid: 14750) of binary: /bin/python\n" + report, 5, 9, None),
                ("[launch.py:321:sigkill_handler] ['python', '--token=x'] exits with return code = -11\n", None, 11, None),
                ("mpirun noticed that process rank 3 with PID 71 on node n1 exited on signal 9 (Killed).\n", 3, 9, None),
                ("srun: error: secret-host: task 3: Exited with exit code 1\n", 3, None, 1),
                ("srun: error: secret-host: tasks 0-3: Killed\n", None, 9, None),
                ("run.sh: line 12: 4711 Segmentation fault      (core dumped) python train.py\n", None, 11, None),
                ("Killed\n", None, 9, None)):
            with self.subTest(text):
                failure = self.failure(text)
                self.assertEqual((failure["kind"], failure.get("rank"), failure.get("signal"), failure.get("exit_code")),
                                 ("rank_lost", rank, signal, code))
                self.assertNotIn("secret", json.dumps(failure))
                self.assertNotIn("token", json.dumps(failure))

    def test_exceptions(self):
        for text, kind in (
                ("ValueError: bad\n", "exception"), ("worker-1: RuntimeError: NCCL error in: x.cpp:1\n", "communication"),
                ("torch.distributed.DistBackendError: NCCL communicator was aborted, timed out\n", "timeout"),
                ("RuntimeError: [../gloo/transport/tcp/unbound_buffer.cc:84] Timed out waiting 1800000ms for recv\n", "timeout"),
                ("RuntimeError: [Rank 0] Caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, TensorShape=[2], "
                 "Timeout(ms)=60000) ran for 60001 milliseconds before timing out.\n", "timeout"),
                ("torch.distributed.DistStoreError: Timed out after 61 seconds waiting for clients. 1/2 clients joined.\n", "launch"),
                ("ValueError: loss is nan at step 3\n", "non_finite"),
                ("RuntimeError: [enforce fail at alloc_cpu.cpp:83] data. DefaultCPUAllocator: not enough memory: you tried to "
                 "allocate 8589934592 bytes.\n", "out_of_memory"),
                ("KeyboardInterrupt\n", "interrupted"), ("AssertionError: found NaN in local grad norm. Device: 0, node: secret-17\n", "non_finite"),
                ("slurmstepd: error: *** JOB 1 ON secret CANCELLED AT 2024-01-01 DUE TO TIME LIMIT ***\n", "interrupted"),
                ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.0\n", "out_of_memory")):
            with self.subTest(text):
                failure = self.failure("Traceback (most recent call last):\n  File \"x.py\", line 1\n    f()\n" + text)
                self.assertEqual(failure["kind"], kind)
                self.assertNotIn("secret", failure["reason"])
        self.refused(3, "no known", "-", text="Exception ignored in: <f>\nTraceback (most recent call last):\nValueError: x\n")

    def test_what_comes_from_a_file_is_escaped(self):
        run = self.run_import("-", text="Traceback (most recent call last):\nValueError: \x07\x1b]0;title\x07 /home/alice/x \u202e\n")
        document = json.loads(run.stdout)
        self.assertEqual(document["failure"]["reason"], "ValueError: \\x07 /home/<user>/x \\u202e")
        self.assertNotIn(b"\x07", run.stderr + run.stdout)

    def test_progress_bars_and_nul_bytes_are_passed_over(self):
        text = "  1%|  | 1/9\r  2%|  | 2/9\r" + WATCHDOG
        document = self.imported(b"\0" * 4096 + b"x" * 600 + b"\n\0\0\0" + text.encode())
        self.assertEqual(document["failure"]["operation"], "_ALLGATHER_BASE")
        self.assertEqual(document["import"]["lines"]["failure"], [2])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
