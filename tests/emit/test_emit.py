#!/usr/bin/env python3
"""templates/emit_evidence.py, through the loops of its page: test_emit.py PROGRAM

A stand-in plays torch and DeepSpeed, and processes play the ranks. RealTorch runs the same loops where
RANKLEDGER_TORCH_PYTHON names a Python that can import torch.
"""
import ast
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TEMPLATES = HERE.parent.parent / "templates"
PAGE = TEMPLATES / "emit" / "README.md"
STAND_IN = HERE / "stand_in"
PROGRAM = None
MIB = 2**20
CACHE = tempfile.TemporaryDirectory(prefix="emit")     # so that not every rank compiles the same files
WORDS = ("someone", "10.0.0.7", "/home", os.uname().nodename)    # what no record may hold

sys.path.insert(0, str(TEMPLATES))
sys.dont_write_bytecode = True
import emit_evidence  # noqa: E402


def loops():
    """{file name: text} of the page."""
    blocks = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return dict(blocks)


def environment(rank, size, **more):
    names = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": size, "MASTER_PORT": os.getpid(),
             "PYTHONPATH": "%s:%s" % (TEMPLATES, STAND_IN), "PYTHONPYCACHEPREFIX": CACHE.name, "PATH": os.environ["PATH"],
             "SECRET_TOKEN": "someone"}
    names.update(more)
    return {name: str(value) for name, value in names.items()}


class Emits(unittest.TestCase):
    """A folder, and ranks that run in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="emit")
        self.addCleanup(shutil.rmtree, self.folder)
        self.children = []
        for name, text in loops().items():
            self.write(name, text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def begin(self, script, *arguments, ranks=2, of_rank=None, **names):
        """Starts the ranks; wait() ends them. `script` is a file's name, or a program's text."""
        if not script.endswith(".py"):
            self.write("script.py", script)
            script = "script.py"
        names.setdefault("STAND_IN_STORE", tempfile.mkdtemp(dir=self.folder))
        for rank in range(ranks):
            more = dict(names, **(of_rank(rank) if of_rank else {}))
            self.children.append(subprocess.Popen(
                [sys.executable, "-W", "error", script, *map(str, arguments)], cwd=self.folder, stdin=subprocess.PIPE,
                env=environment(rank, ranks, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

    def wait(self, codes=None):
        """The ranks' messages. Without codes all must end well; codes: what each rank's must be."""
        told = [child.communicate(timeout=60) + (child.returncode,) for child in self.children]
        self.children = []
        if codes is None:
            codes = [0] * len(told)
        self.assertEqual([code for _, _, code in told], codes, told)
        return [err for _, err, _ in told]

    def launch(self, script, *arguments, codes=None, **names):
        self.begin(script, *arguments, **names)
        return self.wait(codes)

    def record(self, name="evidence/ddp.json"):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        for word in WORDS:
            self.assertNotIn(word, text)
        return json.loads(text)

    def program(self, *arguments, code=0):
        run = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL,
                             text=True)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def is_valid(self, *names):
        self.program("validate", "--strict", *(names or ["evidence"]))

    def failed(self, name="evidence/ddp.json", **expected):
        """The record's failure, which must have these fields; the record is valid."""
        record = self.record(name)
        self.assertEqual(record["decision"], "failed")
        failure = record["failure"]
        self.assertEqual({key: failure.get(key) for key in expected}, expected)
        self.is_valid(name)
        return record

    def journals(self, name="evidence/ddp.json"):
        folder = self.path(name + ".ranks")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else None


class Page(Emits):
    """The page's loops as they stand there."""

    def test_every_loop_is_short_and_needs_no_newer_python(self):
        self.assertEqual(len(loops()), 3)
        for name, text in loops().items():
            lines = [line for line in text.splitlines() if line.strip() and "import" not in line]
            self.assertLessEqual(len(lines), 20, name)
            ast.parse(text, feature_version=(3, 8))
        ast.parse((TEMPLATES / "emit_evidence.py").read_text(encoding="utf-8"), feature_version=(3, 8))

    def test_five_strategies(self):
        self.begin("train_ddp.py")
        self.begin("train_fsdp2.py")
        for stage in (1, 2, 3):
            self.begin("train_deepspeed.py", stage, STAND_IN_ELEMENT=2)
        self.assertEqual("".join(self.wait()), "")
        self.check_decision()
        self.check_state()

    def check_decision(self):
        self.is_valid()
        self.assertEqual(sorted(os.listdir(self.path("evidence"))),
                         sorted(one + ".json" for one in emit_evidence.STRATEGIES))
        self.program("analyze", "--memory-limit", "80GiB", "--min-throughput", "0.001", "--output", "summary.json",
                     "evidence")
        summary = self.record("summary.json")
        self.assertEqual(len(summary["groups"]), 1, [group["label"] for group in summary["groups"]])
        self.assertEqual(len(summary["candidates"]), 5)
        self.assertTrue(all(one["eligible"] for one in summary["candidates"]))
        self.assertIn(summary["decision"]["decision"], ("accept", "reject"))   # by the times of this machine
        self.assertTrue(all(one["ledger"]["available"] for one in summary["candidates"]))
        self.assertEqual(summary["weakest_source_level"], "real_multi_gpu_zero_stage")

    def check_state(self):
        """Bytes that a rank holds, by the shapes that the stand-in makes."""
        count = 2**18 + 2**17
        steps = 2 * 4           # Adam's step number of both parameters
        expected = {"ddp": (4 * count, 4 * count, 8 * count + steps),
                    "fsdp_full_shard": (2 * count, 2 * count, 4 * count + steps),
                    "zero1": (2 * count, count, 6 * count + steps), "zero2": (2 * count, count, 6 * count + steps),
                    "zero3": (count, count, 6 * count + steps)}
        for strategy, (parameters, gradients, optimizer) in expected.items():
            record = self.record("evidence/%s.json" % strategy)
            self.assertEqual(record["workload"]["parameters"], count)
            for rank in record["memory"]["per_rank"]:
                self.assertEqual(rank["resident"], {"parameters": parameters, "gradients": gradients,
                                                    "optimizer_state": optimizer}, strategy)
            self.assertEqual(record["workload"]["state_bytes"],
                             {"parameters": 2, "gradients": 2, "optimizer": 12} if strategy.startswith("zero") else
                             {"parameters": 4, "gradients": 4, "optimizer": 8})

    def test_the_numbers_of_a_record(self):
        self.launch("train_ddp.py")
        record = self.record()
        metrics, workload = record["metrics"], record["workload"]
        self.assertEqual([len(row) for row in metrics["step_times_ms"]], [4, 4])
        slowest = sorted(max(times) for times in zip(*metrics["step_times_ms"]))
        self.assertAlmostEqual(metrics["step_time_ms"], (slowest[1] + slowest[2]) / 2)
        self.assertEqual({name: workload[name] for name in ("world_size", "warmup", "repeats", "gradient_accumulation",
                                                            "global_batch")},
                         {"world_size": 2, "warmup": 2, "repeats": 4, "gradient_accumulation": 2, "global_batch": 16})
        # 2 ranks, 2 micro-batches of 4 sequences of 16 tokens
        self.assertAlmostEqual(metrics["throughput"] * metrics["step_time_ms"] / 1e3, 256, places=9)
        self.assertEqual(metrics["losses"], [6.0, 3.0, 2.0, 1.5, 1.2, 1.0])
        self.assertEqual(metrics["grad_norms"], [0.5] * 6)
        self.assertNotIn("communication_ratio", metrics)
        state = 4 * 4 * (2**18 + 2**17) + 8             # parameters, gradients, two moments; two step numbers
        peak = state + MIB                              # and the activations of the second micro-batch
        phases = {one["phase"]: one["peak_bytes"] for one in record["memory"]["per_rank"][1]["phases"]}
        self.assertEqual(phases, {"init": state // 4 - 2, "step": state - state // 4 + 2, "forward": peak,
                                  "backward": peak, "optimizer": state})
        self.assertEqual(metrics["peak_memory_mb_per_rank"], [peak / MIB] * 2)
        self.assertEqual((metrics["peak_memory_mb"], metrics["memory_kind"]), (peak / MIB, "allocated"))
        self.assertEqual(metrics["peak_reserved_mb"], 8)       # segments of 2 MiB
        self.assertEqual(metrics["peak_device_mb"], 8 + 3)     # others use 3 MiB
        self.assertEqual(record["hardware"], {"device": "Stand-in GPU", "device_count": 2, "hosts": 1,
                                              "ranks_per_host": [2]})
        self.assertEqual((record["environment"]["nccl"], record["environment"]["cuda"]), ("2.21.5", "12.6"))
        self.assertEqual(record["failure"], None)
        self.assertIsNone(self.journals())
        self.assertNotIn("schema", record)      # which says that rankledger's own collector wrote it

    def test_levels(self):
        for names, ranks, level in (({"STAND_IN_DEVICE": "cpu"}, 2, "cpu_multi_process"),
                                    ({"STAND_IN_GPUS": 1}, 2, "single_gpu_shared"), ({}, 1, "single_gpu")):
            self.launch("train_ddp.py", ranks=ranks, **names)
            record = self.record()
            self.assertEqual(record["evidence_level"], level)
            self.assertEqual("peak_device_mb" in record["metrics"], level == "single_gpu")
            self.assertEqual("peak_memory_mb" in record["metrics"], level != "cpu_multi_process")
            self.assertGreater(record["memory"]["per_rank"][0]["process_peak_bytes"], 0)
            self.is_valid()
            os.unlink(self.path("evidence/ddp.json"))

class Failures(Emits):
    """One rank fails in the forward pass of step 3; the other does not notice unless it is said."""

    def strike(self, kind, script="train_ddp.py", codes=None, **names):
        return self.launch(script, codes=codes, STAND_IN_FAIL=kind + "@1:3", **names)

    def check_kept(self, record):
        """Three steps were done before it, two of them warm-up."""
        self.assertEqual(len(record["metrics"]["step_times_ms"][1]), 1)
        self.assertIn("step_time_ms", record["metrics"])
        self.assertGreater(record["metrics"]["peak_memory_mb"], 6)
        return record

    def test_exceptions_by_kind(self):
        for kind, expected, code in (("oom", "out_of_memory", 1), ("interrupt", "interrupted", -2), ("error", None, 1)):
            told = self.strike(kind, codes=[0, code])
            record = self.failed(kind=expected, rank=1, step=3, phase="forward")
            self.check_kept(record)
            if kind == "oom":
                self.assertIn("Tried to allocate 2.00 GiB", record["failure"]["detail"])
                self.assertEqual(record["failure"]["limit_bytes"], 80 * 2**30)
            if kind == "error":
                self.assertEqual(record["failure"]["detail"], "ValueError: cannot read [path] from [address]")
                self.assertIn("shard.bin", told[1])     # the exception itself goes on untouched
            os.unlink(self.path("evidence/ddp.json"))
        self.launch("train_ddp.py")     # nothing is left of the journals of those before
        self.assertIsNone(self.record()["failure"])

    def test_a_program_without_with_records_it_too(self):
        for name, text in (("out_of_memory", "raise MemoryError('no room')"), ("interrupted", "")):
            self.launch("import emit_evidence\nevidence = emit_evidence.start('ddp', 'evidence/%s.json')\n"
                        "for _ in range(3):\n    with evidence.step(): pass\n%s\n" % (name, text), ranks=1,
                        codes=[1 if text else 0])
            self.failed("evidence/%s.json" % name, kind=name, rank=0, step=3)

    def test_a_killed_rank_is_told_by_the_one_that_misses_it(self):
        """Rank 0 sees the connection closed while rank 1's process is still there: it must wait for that cause."""
        helper = ("import os, pathlib\n"
                  "def wait_for(rank, word, times):\n"
                  "    path = pathlib.Path('evidence/ddp.json.ranks/rank-%d.journal' % rank)\n"
                  "    while not path.exists() or path.read_text().count(word) < times:\n"
                  "        pass\n")
        meeting = (
            "        emit_evidence.LOST_PEER_S = 60\n"
            "        if evidence.steps == 3 and evidence.rank == 0:\n"
            "            wait_for(1, 'step', 3)\n"
            "            emit_evidence.time.sleep = lambda _: pathlib.Path('waiting').touch()\n"
            "            raise RuntimeError('[/a/gloo/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:9')\n"
            "        if evidence.steps == 3:\n"
            "            while not os.path.exists('waiting') and not os.path.exists('evidence/ddp.json'):\n"
            "                pass\n"
            "            os.kill(os.getpid(), 9)\n")
        loop = "    for micros in batches():\n"
        text = helper + loops()["train_ddp.py"].replace(loop, loop + meeting)
        self.begin(text)
        self.wait([1, -9])
        record = self.check_kept(self.failed(kind="rank_lost", rank=1, step=3))
        self.assertIn("rank 0 then saw: RuntimeError: [[path]:534] Connection closed by peer [address]",
                      record["failure"]["detail"])

    def test_a_killed_rank_is_told_at_the_others_finish(self):
        self.strike("kill", codes=[0, -9])
        self.check_kept(self.failed(kind="rank_lost", rank=1, step=3))
        self.assertEqual(self.journals(), ["rank-0.journal", "rank-1.journal"])
        names = {"ranks": 1, "WORLD_SIZE": 2, "STAND_IN_STORE": self.folder}
        shutil.rmtree(self.path("evidence"))
        self.launch("train_ddp.py", codes=[-9], STAND_IN_FAIL="kill@0:3", **names)
        self.launch("train_ddp.py", RANK=1, LOCAL_RANK=1, **names)
        self.failed(kind="rank_lost", rank=0, step=3)

    def test_killed_altogether_is_told_by_merge(self):
        self.launch("train_ddp.py", codes=[-9, -9], of_rank=lambda rank: {"STAND_IN_FAIL": "kill@%d:3" % rank})
        self.assertEqual(os.listdir(self.path("evidence")), ["ddp.json.ranks"])
        command = [sys.executable, str(TEMPLATES / "emit_evidence.py"), "merge", self.path("evidence/ddp.json.ranks"),
                   self.path("evidence/ddp.json")]
        self.assertEqual(subprocess.run(command).returncode, 1)
        self.check_kept(self.failed(kind="rank_lost", rank=0))
        again = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((again.returncode, "exists: name another" in again.stderr), (3, True))
        command[-2:] = [self.folder, self.path("other.json")]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 3)

    def test_a_broken_collective_is_told_after_its_cause(self):
        self.strike("nccl", codes=[0, 1])
        self.failed(kind="communication", rank=1)
        shutil.rmtree(self.path("evidence"))
        self.launch("train_ddp.py", codes=[1, 1], of_rank=lambda rank: {
            "STAND_IN_FAIL": ("nccl@0:3", "oom@1:3")[rank]})
        self.failed(kind="out_of_memory", rank=1)

    def test_a_forked_child_ends_nothing(self):
        text = ("import os, sys\nimport emit_evidence\n"
                "evidence = emit_evidence.start('ddp', 'evidence/ddp.json', {})\n"
                "for step in range(4):\n"
                "    with evidence.step(tokens=1):\n"
                "        if os.fork() == 0: sys.exit(step)\n"
                "        os.wait()\n"
                "        assert not os.path.exists('evidence/ddp.json')\n"
                "evidence.finish()\n")
        self.launch(text, ranks=1)
        self.assertIsNone(self.record()["failure"])

    def test_a_loss_that_stays_not_finite(self):
        self.launch("train_ddp.py", of_rank=lambda rank: {"STAND_IN_LOSS": "nan"} if rank else {})
        record = self.failed(kind="non_finite", rank=1, step=0)
        self.assertEqual(record["metrics"]["losses"], [None] * 6)

    def test_a_rank_that_never_comes(self):
        text = loops()["train_ddp.py"].replace("optimizer=optimizer)", "optimizer=optimizer, wait_s=0)")
        self.launch(text, ranks=1, WORLD_SIZE=2)
        record = self.failed(kind="launch", rank=1)
        self.assertIn("every rank must call start()", record["failure"]["reason"])


class Held:
    """A tensor of 4-byte elements somewhere."""

    def __init__(self, count, device="cuda:0"):
        self.count, self.device = count, device

    def numel(self):
        return self.count

    def element_size(self):
        return 4


def model_of(name, parameters, modules=1, **attributes):
    model = type(name, (), dict(attributes, parameters=lambda self: list(parameters)))()
    type(model).modules = lambda self: [self] * modules
    return model


class Records(Emits):
    """One rank in this process, or journals without any."""

    def setUp(self):
        super().setUp()
        self.output = self.path("one.json")

    def start(self, strategy="ddp", **options):
        options.setdefault("workload", {"seq_len": 4, "micro_batch": 2})
        evidence = emit_evidence.start(strategy, self.output, **options)
        self.addCleanup(lambda: setattr(evidence, "ended", True))
        self.addCleanup(lambda: evidence.journal.closed or evidence.journal.close())
        return evidence

    def finish(self, evidence):
        """The record and what was said."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            evidence.finish()
        return self.record("one.json"), said.getvalue()

    def run_steps(self, count, phase="forward", **options):
        evidence = self.start(**options)
        for _ in range(count):
            with evidence.step(tokens=8):
                evidence.phase(phase)
        return evidence

    def test_strategies_have_one_spelling(self):
        for wrong, meant in (("zero-2", "zero2"), ("FSDP", "fsdp_full_shard"), ("DDP", "ddp"), ("fsdp2",
                             "fsdp_full_shard"), ("Zero_3", "zero3")):
            with self.assertRaisesRegex(ValueError, "did you mean '%s'" % meant):
                self.start(wrong)
        with self.assertRaisesRegex(ValueError, "it is one of ddp, zero1"):
            self.start("pipeline")
        self.assertEqual([name for name in os.listdir(self.folder) if "one" in name], [])

    def test_a_strategy_that_does_not_run_is_refused(self):
        class DistributedDataParallel:
            pass

        class Engine:
            optimizer = None

            def zero_optimization_stage(self):
                return 3
        with self.assertRaisesRegex(ValueError, "the model runs 'zero3'"):
            self.start("zero2", model=Engine())
        with self.assertRaisesRegex(ValueError, "the model runs 'ddp'"):
            self.start("zero1", model=DistributedDataParallel())

    def test_hybrid_sharding_has_no_strategy(self):
        one = Held(4)
        one.placements = [type("Replicate", (), {})(), type("Shard", (), {})()]
        with self.assertRaisesRegex(ValueError, "does not shard fully"):
            self.start("fsdp_full_shard", model=model_of("FSDPModule", [one]))

    def test_state_that_no_number_a_parameter_describes(self):
        """Whole; partly frozen; moments of another shape: the residents are told all the same. Not if offloaded."""
        for frozen, place, moment, told in ((False, "cuda:0", 8, {"parameters": 4, "gradients": 4, "optimizer": 4}),
                                            (True, "cuda:0", 8, None), (False, "cpu", 8, None),
                                            (False, "cuda:0", 3, None)):
            one = Held(8)
            one.requires_grad, one.grad = not frozen, Held(8)
            optimizer = type("Optimizer", (), {"state": {one: {"step": Held(1), "moment": Held(moment, place)}}})()
            with contextlib.redirect_stderr(io.StringIO()) as warned:
                evidence = self.run_steps(3, "optimizer", model=model_of("Model", [one]), optimizer=optimizer)
            record, _ = self.finish(evidence)
            self.assertEqual(record["workload"].get("state_bytes"), told)
            resident = {"parameters": 32, "gradients": 32, "optimizer_state": 4 + 4 * moment}
            self.assertEqual(record["memory"]["per_rank"][0].get("resident"), None if place == "cpu" else resident)
            self.assertEqual("offloaded" in warned.getvalue(), place == "cpu")
            os.unlink(self.output)

    def test_flat_parameters_are_counted_once(self):
        """FSDP's wrapper hands attributes on to what it wraps, so two modules show one flat parameter."""
        flat = Held(8)
        flat._unpadded_unsharded_size = Held(15)     # of two ranks, padding left out
        state = emit_evidence._State(model_of("FullyShardedDataParallel", [flat], modules=2, _flat_param=flat), None,
                                     "fsdp_full_shard")
        state.inner = type("Optimizer", (), {"state": {flat: {"moment": Held(8)}}})()
        told = state.measure()
        self.assertEqual((told["parameters"], told["resident"]["parameters"]), (15, 32))

    def test_an_output_is_never_lost(self):
        with open(self.output, "w", encoding="utf-8") as file:
            file.write("mine")
        with self.assertRaises(FileExistsError):
            self.start()
        evidence = self.run_steps(3, overwrite=True)
        self.assertEqual(pathlib.Path(self.output).read_text(), "mine")     # until the record is whole
        self.finish(evidence)
        self.is_valid("one.json")

    def test_a_second_start_and_a_second_finish(self):
        evidence = self.run_steps(3)
        with self.assertRaisesRegex(ValueError, "an output of its own"):
            self.start()
        record, _ = self.finish(evidence)
        os.unlink(self.output)
        evidence.finish()
        evidence.failed("too late")
        self.assertFalse(os.path.exists(self.output))
        self.assertEqual(record["failure"], None)
        self.assertEqual(record["strategy_options"]["sharding_exercised"], False)

    def test_too_few_steps_are_a_failure(self):
        record, _ = self.finish(self.run_steps(2))
        self.assertIn("2 are warm-up", record["failure"]["reason"])
        self.is_valid("one.json")

    def test_numbers_that_are_not_finite(self):
        evidence = self.start()
        for loss, norm in ((1.0, 1.0), (float("inf"), 2.0), (0.5, float("nan")), (0.25, 1.0)):
            with evidence.step():
                evidence.loss(loss)
                evidence.grad_norm(norm)
        record, _ = self.finish(evidence)
        self.assertEqual(record["metrics"]["losses"], [1.0, None, 0.5, 0.25])
        self.assertEqual(record["metrics"]["grad_norms"], [1.0, 2.0, None, 1.0])
        self.assertEqual(record["failure"], None)
        self.is_valid("one.json")

    def test_workload_that_is_no_workload(self):
        for wrong in ({"seq_len": "1024"}, {"micro_batch": 2.5}, {"parameters": -1}, {"global_batch": True},
                      {"model": float("nan")}, ["gpt2"]):
            with self.assertRaises(ValueError, msg=wrong):
                self.start(workload=wrong)

    def test_a_fault_at_the_end_does_not_end_the_training(self):
        evidence = self.run_steps(3)
        del evidence.data["warmup"]
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            evidence.finish()
        self.assertIn("cannot be written", said.getvalue())

    def test_calls_in_the_wrong_place(self):
        evidence = self.start()
        for amount in (-1, float("nan")):
            with self.assertRaisesRegex(ValueError, "tokens of a step are an amount"):
                with evidence.step(tokens=amount):
                    pass
        for call in (evidence.loss, evidence.grad_norm, evidence.phase):
            with self.assertRaisesRegex(RuntimeError, "inside the step"):
                call("forward")
        with self.assertRaises(KeyError), evidence.step():
            raise KeyError
        self.assertEqual((evidence.steps, evidence.values), (0, None))
        with evidence.step():
            for word in ("checkpoint", "Forward", "", 3):
                with self.assertRaises(ValueError):
                    evidence.phase(word)

    def test_start_before_the_process_group(self):
        text = loops()["train_ddp.py"].replace("dist.init_process_group()\n", "").replace(
            "        with evidence.step", "        dist.init_process_group()\n        with evidence.step")
        told = self.launch(text, ranks=1, WORLD_SIZE=2, codes=[1])
        self.assertIn("start() saw rank 0 of 1, and now it is rank 0 of 2", told[0])

    def test_a_full_disk_does_not_stop_training(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        evidence = self.run_steps(3)
        said = io.StringIO()
        evidence.journal.close()
        evidence.journal = open("/dev/full", "w", encoding="utf-8")
        with contextlib.redirect_stderr(said):
            with evidence.step():
                pass
        self.assertIn("cannot be written", said.getvalue())
        record, _ = self.finish(evidence)
        self.assertEqual(record["workload"]["repeats"], 2)

    def test_an_output_that_cannot_be_written_keeps_the_journals(self):
        evidence = self.run_steps(3)
        os.mkdir(self.output)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            evidence.finish()
        self.assertIn("emit_evidence.py merge", said.getvalue())
        self.assertEqual(self.journals("one.json"), ["rank-0.journal"])
        self.assertEqual(emit_evidence.merge(evidence.folder, self.path("two.json")), 0)
        self.is_valid("two.json")
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])

    def test_torch_is_never_imported(self):
        code = "import sys; sys.modules['torch'] = None; import emit_evidence; print(emit_evidence.VERSION)"
        run = subprocess.run([sys.executable, "-c", code], env=environment(0, 1), capture_output=True, text=True)
        self.assertEqual((run.stdout, run.stderr), ("1\n", ""))

    # ---- journals of ranks that are not there ----

    def merge(self, ranks, code=0, world_size=None):
        """ranks: {rank: (step times, what else the journal says, its header's other fields)}"""
        folder = self.path("many.json.ranks")
        os.makedirs(folder)
        for rank, (times, lines, header) in ranks.items():
            told = {"rank": rank, "world_size": world_size or len(ranks), "token": "t", "host": "a", "started": 1.0,
                    "strategy": "zero1", "warmup": 1, "workload": {"seq_len": 10, "micro_batch": 1}, "hardware": {},
                    "strategy_options": {}}
            told.update(header)
            steps = [{"step": {"ms": ms, "tokens": 10}} for ms in times]
            with open(os.path.join(folder, "rank-%d.journal" % rank), "w", encoding="utf-8") as file:
                for line in [told] + steps + lines:
                    file.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(emit_evidence.merge(folder, self.path("many.json")), code, said.getvalue())
        self.said = said.getvalue()
        if code != 3:
            self.is_valid("many.json")
            return self.record("many.json")

    def test_the_slowest_rank_of_each_step_counts(self):
        end = [{"end": 2.0}]
        record = self.merge({0: ([9, 10, 30, 20], end, {}), 1: ([9, 12, 16, 25], end, {})})
        self.assertEqual(record["metrics"]["step_times_ms"], [[10, 30, 20], [12, 16, 25]])
        self.assertEqual(record["metrics"]["step_time_ms"], 25)            # median of 12, 30, 25
        self.assertEqual(record["metrics"]["throughput"], 20 / 0.025)
        self.assertEqual(record["hardware"]["hosts"], 1)

    def test_ranks_that_did_not_do_the_same(self):
        end = [{"end": 2.0}]
        record = self.merge({0: ([9, 10, 30], end, {}), 1: ([9, 12], end, {})})
        self.assertEqual(record["metrics"]["step_times_ms"], [[10], [12]])
        self.assertEqual(len(record["warnings"]), 1)

    def test_a_torn_line_and_a_rank_without_an_end(self):
        record = self.merge({0: ([9, 10, 11], [{"end": 2.0}], {}), 1: ([9, 12], ['{"step":[1'], {})}, code=1)
        self.assertEqual((record["failure"]["kind"], record["failure"]["rank"]), ("rank_lost", 1))
        self.assertEqual(record["metrics"]["step_times_ms"], [[10, 11], [12]])

    def test_a_rank_without_a_journal(self):
        record = self.merge({0: ([9, 10], [{"end": 2.0}], {})}, code=1, world_size=3)
        self.assertEqual((record["failure"]["kind"], record["failure"]["rank"]), ("launch", 1))
        self.assertEqual(record["metrics"]["step_times_ms"], [[10], [], []])

    def test_the_cause_comes_before_its_effect(self):
        failure = {"kind": "communication", "reason": "r", "rank": 0, "step": 2, "at": 1.0}
        cause = {"kind": "out_of_memory", "reason": "r", "rank": 1, "step": 2, "at": 2.0}
        record = self.merge({0: ([9, 10], [{"failure": failure}], {}), 1: ([9, 12], [{"failure": cause}], {})}, code=1)
        self.assertEqual(record["failure"], {"kind": "out_of_memory", "reason": "r", "rank": 1, "step": 2})

    def test_journals_of_an_older_run_are_left_out(self):
        end = [{"end": 2.0}]
        record = self.merge({0: ([9, 10], end, {"started": 5.0, "token": "u", "world_size": 1}),
                             1: ([9, 12], end, {})})
        self.assertEqual(record["metrics"]["step_times_ms"], [[10]])

    def test_a_run_that_goes_on_is_not_merged_and_not_written_over(self):
        self.begin("import emit_evidence, sys\nevidence = emit_evidence.start('ddp', 'one.json')\n"
                   "print('begun', flush=True)\nsys.stdin.read()\n", ranks=1)
        child = self.children[0]
        self.assertEqual(child.stdout.readline(), "begun\n")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(emit_evidence.merge(self.output + ".ranks", self.output), 3)
        self.assertIn("goes on", said.getvalue())
        with self.assertRaisesRegex(RuntimeError, "another process writes"):
            self.start()
        self.wait()
        self.failed("one.json", kind="interrupted", step=0)


TORCH = os.environ.get("RANKLEDGER_TORCH_PYTHON")


class RealTorch(Emits):
    """The page's loops with the real torch and DeepSpeed, two ranks on CPUs over gloo, started by torchrun.

    A run takes 5 to 20 seconds, most of them for importing torch: they are asked for by name."""

    def needs(self, module):
        if TORCH is None:
            self.skipTest("RANKLEDGER_TORCH_PYTHON does not name a Python that has torch")
        if subprocess.run([TORCH, "-c", "import " + module], capture_output=True).returncode != 0:
            self.skipTest("%s cannot import %s" % (TORCH, module))

    def torchrun(self, script, *arguments, code=0, **names):
        told = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", CUDA_VISIBLE_DEVICES="",
                    PYTHONPATH="%s:%s" % (TEMPLATES, HERE / "real"), **names)
        run = subprocess.run([TORCH, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", script,
                              *arguments], cwd=self.folder, env=told, capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertNotIn("emit_evidence:", run.stderr)

    def bytes_of(self, name):
        return self.record("evidence/%s.json" % name)["memory"]["per_rank"][1]["resident"]

    def test_ddp_and_fsdp2(self):
        self.needs("torch")
        self.torchrun("train_ddp.py")
        self.torchrun("train_fsdp2.py")
        self.is_valid()
        count = self.record()["workload"]["parameters"]
        steps = 5 * 4       # Adam's step number of five parameters, fp32
        self.assertEqual(count, 2 * 128 * 64 + 64 * 64 + 64 + 128)
        self.assertEqual(self.bytes_of("ddp"), {"parameters": 4 * count, "gradients": 4 * count,
                                                "optimizer_state": 8 * count + steps})
        self.assertEqual(self.bytes_of("fsdp_full_shard"), {"parameters": 2 * count, "gradients": 2 * count,
                                                            "optimizer_state": 4 * count + steps})
        # The ranks' sums are added in another order.
        losses = [self.record("evidence/%s.json" % name)["metrics"]["losses"] for name in ("ddp", "fsdp_full_shard")]
        for one, other in zip(*losses):
            self.assertAlmostEqual(one, other, places=4)
        self.program("analyze", "--output", "summary.json", "evidence")
        self.assertEqual(len(self.record("summary.json")["groups"]), 1)

    def test_deepspeed(self):
        self.needs("deepspeed")
        for stage in "123":
            self.torchrun("train_deepspeed.py", stage)
        self.is_valid()
        count = self.record("evidence/zero1.json")["workload"]["parameters"]
        for name, parameters, gradients in (("zero1", 2, 1), ("zero2", 2, 1), ("zero3", 1, 1)):
            held = self.bytes_of(name)
            self.assertEqual((held["parameters"], held["gradients"]), (parameters * count, gradients * count), name)
            self.assertEqual(self.record("evidence/%s.json" % name)["workload"]["state_bytes"],
                             {"parameters": 2, "gradients": 2, "optimizer": 12})

    def test_one_rank_out_of_memory(self):
        self.needs("torch")
        self.torchrun("train_ddp.py", code=1, EMIT_FAIL="oom@1:3")
        record = self.failed(kind="out_of_memory", rank=1, step=3, phase="forward")
        self.assertEqual(len(record["metrics"]["step_times_ms"][1]), 1)

    def test_one_rank_killed(self):
        self.needs("torch")
        self.torchrun("train_fsdp2.py", code=1, EMIT_FAIL="kill@1:3")
        record = self.failed("evidence/fsdp_full_shard.json", kind="rank_lost", rank=1, step=3)
        self.assertIn("rank 0 then saw", record["failure"]["detail"])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
