#!/usr/bin/python3
"""`rankledger import` of torchtitan, Megatron-LM and llm.c logs in their real formats.

    test_import_loops.py PROGRAM [Class[.test]...]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"


def run(*arguments, data=""):
    return subprocess.run([PROGRAM, *arguments], input=data.encode(), capture_output=True, timeout=60,
                          check=False)


class Log(unittest.TestCase):
    def records(self, log, *settings, strict=False):
        options = [part for setting in settings for part in ("--set", setting)]
        result = run("import", *options, *(["--strict"] if strict else []), "-", data=log)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.notes = result.stderr.decode()
        text = result.stdout.decode()
        return [json.loads(text)] if text.startswith("{\n") else [json.loads(line)
                                                                  for line in text.splitlines()]

    def record(self, log, *settings, **options):
        records = self.records(log, *settings, **options)
        self.assertEqual(len(records), 1)
        return records[0]

    def assertWarns_at(self, record, line, *words):
        """A warning of that line (None: any) holds all the words."""
        texts = [warning["message"] for warning in record["import"]["warnings"]
                 if line is None or warning.get("line") == line]
        self.assertTrue(any(all(word in text for word in words) for text in texts),
                        f"no warning with {words} at {line}: {record['import']['warnings']}")

    def assertQuiet(self, record, word):
        texts = [warning["message"] for warning in record["import"].get("warnings", [])]
        self.assertFalse([text for text in texts if word in text])

    def assertClose(self, found, expected):
        # The program computes in doubles what is exact in decimals here.
        self.assertAlmostEqual(found, expected, delta=1e-9 * abs(expected))


# ---- torchtitan -------------------------------------------------------------------------------

def titan(text, rank=0, second=0.0):
    prefix = "" if rank is None else f"[rank{rank}]:"
    return f"{prefix}[titan] 2025-06-16 22:{30 + int(second) // 60:02d}:{second % 60:06.3f} - root - INFO - {text}\n" \
        .replace(".", ",", 1)


def titan_step(step, tps=8192, loss=6.1384, memory=49.66, percent=52.28, rank=0, second=None,
               rate="tps"):
    return titan(f"step: {step:2}  loss: {loss:7.4f}  grad_norm:  1.2500  memory: {memory:5.2f}GiB({percent:.2f}%)"
                 f"  {rate}: {tps:,}  tflops: 339.16  mfu: 34.29%", rank, second if second is not None else step)


def titan_start(mesh="Building 1-D device mesh with ['dp_shard'], [8]", applied="FSDP", first=1,
                steps=4, rank=0, batch=8):
    return (titan("Starting job: Llama 3 training", rank) + titan(mesh, rank)
            + titan("Building llama3 8B with ModelArgs(dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, "
                    "vocab_size=128256, max_seq_len=8192)", rank)
            + titan("CUDA capacity: NVIDIA H100 with 95.00GiB memory", rank)
            + titan("\x1b[34mModel llama3 8B \x1b[31msize: 8,030,261,248 total parameters\x1b[39m", rank)
            + titan("Applied selective activation checkpointing to the model", rank)
            + (titan(f"Applied {applied} to the model", rank) if applied else "")
            + titan("Peak FLOPS used for computing MFU: 9.890e+14", rank)
            + titan("CUDA memory usage for model: 3.77GiB(3.97%)", rank)
            + titan(f"Trainer is initialized with local batch size 1, global batch size {batch}, gradient "
                    f"accumulation steps 1, sequence length 8192, total steps {steps} (warmup 2)", rank)
            + titan(f"Training starts at step {first}", rank))


class Torchtitan(Log):
    def test_a_log_with_its_start_is_evidence_without_settings(self):
        log = titan_start() + titan_step(1, 500) + "".join(titan_step(s) for s in (2, 3, 4))
        record = self.record(log, strict=True)
        self.assertEqual(record["strategy"], "fsdp_full_shard")
        self.assertEqual(record["hardware"]["device"], "NVIDIA H100")
        workload = record["workload"]
        self.assertEqual((workload["world_size"], workload["global_batch"], workload["micro_batch"],
                          workload["seq_len"], workload["gradient_accumulation"]), (8, 8, 1, 8192, 1))
        self.assertEqual((workload["model"], workload["parameters"], workload["width"], workload["layers"],
                          workload["heads"], workload["vocab"]),
                         ("llama3 8B", 8030261248, 4096, 32, 32, 128256))
        self.assertEqual(workload["activation_checkpointing"], "selective")
        metrics = record["metrics"]
        self.assertEqual(metrics["throughput"], 8 * 8192)  # tps is one device's
        self.assertClose(metrics["step_time_ms"], 1000)
        self.assertEqual(metrics["memory_kind"], "reserved")
        self.assertClose(metrics["peak_memory_mb"], 49.66 * 1024)
        self.assertEqual(metrics["achieved_tflops"], 339.16)
        self.assertClose(metrics["utilisation"], 0.3429)
        self.assertEqual(metrics["losses"], [6.1384] * 4)
        self.assertEqual(metrics["grad_norms"], [1.25] * 4)
        self.assertEqual(record["import"]["values"]["capacity_gib"], 95)
        self.assertWarns_at(record, 12, "step 1", "500")  # the first step is left out, and said

    def test_the_median_as_printed_keeps_every_step(self):
        values = self.record(titan_start() + titan_step(1, 500) + titan_step(2, 8000)
                             + titan_step(3, 8100) + titan_step(4, 8300))["import"]["values"]
        self.assertEqual((values["steps"], values["median_tps_per_device"],
                          values["median_tps_per_device_without_first"]), (4, 8050, 8100))

    def test_a_slow_step_is_said_with_what_came_before(self):
        log = "".join(titan_step(s) for s in (10, 20))
        log += titan("Dumping profiler traces at step 20") + titan_step(30, 7000) + titan_step(40)
        record = self.record(log)
        self.assertWarns_at(record, 4, "step 30", "profiler", "line 3", "14.6 %")
        self.assertEqual(record["import"]["values"]["median_tps_per_device"], 8192)
        quiet = self.record(log.replace("tps: 7,000", "tps: 8,150"))
        self.assertQuiet(quiet, "profiler")

    def test_without_the_number_of_ranks_there_is_no_throughput(self):
        log = "".join(titan_step(s) for s in (200, 210, 220))
        record = self.record(log)
        self.assertNotIn("throughput", record["metrics"])
        self.assertIn("workload.world_size", {asked["field"] for asked in record["import"]["asked"]})
        self.assertClose(record["metrics"]["step_time_ms"], 1000)  # by the time stamps
        self.assertNotIn("losses", record["metrics"])  # not those of every step
        self.assertEqual(record["import"]["samples"]["steps"], [200, 210, 220])
        given = self.record(log, "workload.world_size=16", "strategy=zero3", strict=True)
        self.assertEqual(given["metrics"]["throughput"], 16 * 8192)

    def test_a_batch_that_the_time_stamps_contradict_is_said(self):
        log = "".join(titan_step(s) for s in (200, 210, 220))
        settings = ("workload.world_size=8", "workload.seq_len=8192")
        self.assertQuiet(self.record(log, *settings, "workload.global_batch=8"), "time stamps")
        wrong = self.record(log, *settings, "workload.global_batch=64")
        self.assertWarns_at(wrong, None, "8000.0 ms", "1000.0 ms", "global_batch")

    def test_a_setting_that_the_log_contradicts_is_a_usage_error(self):
        result = run("import", "--set", "workload.world_size=16", "-", data=titan_start() + titan_step(1))
        self.assertEqual(result.returncode, 2)
        self.assertIn(b":2: workload.world_size is 8", result.stderr)

    def test_capacity_follows_from_the_percentage(self):
        values = self.record(titan_step(10) + titan_step(20))["import"]["values"]
        self.assertEqual(values["capacity_gib"], 94.99)  # 49.66 / 0.5228

    def test_old_rates_and_colours(self):
        log = "".join(titan_step(s, rate="wps") for s in (1, 2, 3)).replace("step:", "\x1b[36mstep:") \
            .replace("loss:", "\x1b[32mloss:").replace("memory:", "\x1b[38;2;180;60;0mmemory:")
        record = self.record(log)
        self.assertEqual(record["import"]["values"]["median_tps_per_device"], 8192)
        self.assertEqual(record["metrics"]["losses"], [6.1384] * 3)

    def test_achieved_flops_of_versions_that_print_mfu_alone(self):
        log = titan_start() + "".join(titan_step(s) for s in (1, 2, 3)).replace("tflops: 339.16  ", "")
        self.assertClose(self.record(log)["metrics"]["achieved_tflops"], 0.3429 * 989)

    def test_ranks_in_one_file_are_joined_by_step(self):
        mesh = "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=2, cp=1, tp=1, ep=1"
        log = "".join(titan_start(mesh, rank=rank) for rank in (0, 1))
        for step in (1, 2, 3, 4):
            log += titan_step(step, 8192, memory=40, rank=0) + titan_step(step, 8000, memory=42, rank=1)
        record = self.record(log)
        self.assertEqual(record["import"]["values"]["steps"], 4)
        self.assertEqual(record["metrics"]["throughput"], 2 * 8000)  # of the slowest
        self.assertWarns_at(record, None, "several ranks write", "the slowest one's rate")
        self.assertEqual(record["metrics"]["peak_memory_mb_per_rank"], [40 * 1024, 42 * 1024])
        self.assertEqual(record["metrics"]["peak_memory_mb"], 42 * 1024)
        self.assertEqual(len(record["metrics"]["losses"]), 4)

    def test_ranks_without_a_prefix_may_lag_by_a_step(self):
        lines = [titan_step(step, 8000 + rank, rank=None) for step in (1, 2, 3) for rank in range(3)]
        lines[5], lines[6] = lines[6], lines[5]
        record = self.record("".join(lines))
        self.assertEqual(record["import"]["values"]["steps"], 3)
        self.assertQuiet(record, "resumed")

    def test_two_ranks_on_one_line(self):
        log = titan_step(10, 8192, rank=0).rstrip("\n") + titan_step(10, 8000, rank=1) + titan_step(20)
        record = self.record(log)
        self.assertEqual(record["import"]["values"]["steps"], 2)
        self.assertEqual(record["import"]["samples"]["tps_per_device"], [8000, 8192])

    def test_a_pipeline_stage_without_a_loss_says_none(self):
        mesh = "Building 2-D device mesh with ['pp', 'dp_shard'], [2, 4]"
        log = titan_start(mesh) + titan_step(1, loss=-1) + titan_step(2, loss=-1)
        record = self.record(log)
        self.assertEqual(record["workload"]["world_size"], 8)
        self.assertNotIn("losses", record["metrics"])
        self.assertNotIn("strategy", record)
        self.assertWarns_at(record, 2, "pipeline parallelism of degree 2")

    def test_losses_that_are_no_numbers(self):
        record = self.record("".join(titan_step(s, loss=loss) for s, loss in
                                     ((1, 5.0), (2, float("nan")), (3, float("inf")))))
        self.assertEqual(record["metrics"]["losses"], [5, None, None])
        self.assertWarns_at(record, 2, "not a finite number")
        self.assertEqual(record["import"]["values"]["steps_not_finite"], 2)

    def test_memory_that_the_device_does_not_tell(self):
        log = "".join(titan_step(s, memory=-0.0, percent=-0.0) for s in (1, 2))
        record = self.record(log)
        self.assertNotIn("peak_memory_mb", record["metrics"])
        self.assertNotIn("capacity_gib", record["import"]["values"])

    def test_a_peak_of_another_device_gives_no_utilisation(self):
        log = titan("Peak flops undefined for: Other GPU, fallback to A100") + titan_step(1) + titan_step(2)
        record = self.record(log)
        self.assertNotIn("utilisation", record["metrics"])
        self.assertWarns_at(record, 1, "utilisation")

    def test_strategies(self):
        hybrid = "Building 2-D device mesh with ['dp_replicate', 'dp_shard'], [2, 4]"
        replicas = "Building 1-D device mesh with ['dp_replicate'], [8]"
        never = titan('Running with args: {"fsdp_reshard_after_forward": "never"}')
        steps = titan_step(1) + titan_step(2)
        self.assertNotIn("strategy", self.record(titan_start(hybrid, "HSDP") + steps))
        self.assertEqual(self.record(titan_start(replicas, "DDP") + steps)["strategy"], "ddp")
        self.assertNotIn("strategy", self.record(never + titan_start() + steps))
        self.assertNotIn("strategy", self.record(titan_start(applied=None) + steps))
        self.assertEqual(self.record(titan_start() + steps, "strategy=zero2")["strategy"], "zero2")

    def test_a_resumed_run_is_one_record(self):
        stopped = titan_start(steps=60) + "".join(titan_step(s, tps, loss=loss) for s, tps, loss in
                                                  ((1, 500, 9), (10, 8192, 5), (20, 8192, 4), (30, 8192, 3)))
        failed = "[rank0]:Traceback (most recent call last):\n[rank0]:RuntimeError: no such luck\n"
        resumed = titan_start(first=21, steps=60) + "".join(
            titan_step(s, tps, loss=loss) for s, tps, loss in ((30, 900, 2.5), (40, 8192, 2)))
        record = self.record(stopped + failed + resumed)
        self.assertIsNone(record["failure"])
        self.assertEqual(record["import"]["samples"]["losses"], [9, 5, 4, 2.5, 2])
        self.assertEqual(record["metrics"]["throughput"], 8 * 8192)
        self.assertWarns_at(record, 29, "resumed")
        self.assertWarns_at(record, 29, "first of its process")
        alone = self.record(stopped + failed)
        self.assertEqual(alone["decision"], "failed")
        self.assertIn("no such luck", alone["failure"]["reason"])
        self.assertEqual(alone["metrics"]["throughput"], 8 * 8192)  # what was measured before stays

    def test_two_runs_are_two_records(self):
        one = titan_start() + titan_step(1) + titan_step(2, 8000) + titan_step(3, 8000)
        failed = "[rank0]:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
        two = titan_start(batch=16) + titan_step(1) + titan_step(2, 8192) + titan_step(3, 8192)
        records = self.records(one + failed + two)
        self.assertEqual([record["decision"] for record in records], ["failed", "imported"])
        self.assertEqual([record["metrics"]["throughput"] for record in records], [64000, 65536])
        self.assertEqual([record["workload"]["global_batch"] for record in records], [8, 16])

    def test_validation_is_no_step(self):
        log = titan_step(10) + titan("validate step: 10  loss:  6.0000  memory:  1.00GiB(1.00%)  tps: 99,999") \
            + titan_step(20)
        record = self.record(log)
        self.assertEqual(record["import"]["values"]["steps"], 2)
        self.assertEqual(record["import"]["samples"]["tps_per_device"], [8192, 8192])

    def test_a_line_that_was_cut_loses_its_last_number(self):
        log = titan_step(10) + titan_step(20, tps=9000).split("  tflops")[0]
        record = self.record(log)  # the last line may be 90,00 of 90,001
        self.assertEqual(record["import"]["values"]["steps"], 1)


# ---- Megatron-LM ------------------------------------------------------------------------------

def megatron(iteration, ms, loss="1.5E+00", batch=16, skipped=0, nan=0, prefix="", more="", consumed=None):
    return (f"{prefix} [2024-09-14 19:44:19] iteration {iteration:8d}/     200 | consumed samples: "
            f"{iteration * batch if consumed is None else consumed:12d} | elapsed time per iteration (ms): {ms:.1f} |"
            f"{more} learning rate: 1.0E-05 | global batch size: {batch:5d} |"
            + (f" lm loss: {loss} |" if loss else "") + " loss scale: 1.0 | grad norm: 2.500 |"
            f" number of skipped iterations: {skipped:3d} | number of nan iterations: {nan:3d} |\n")


def arguments(**changes):
    values = {"bf16": True, "clip_grad": 1.0, "context_parallel_size": 1, "data_parallel_size": 4,
              "data_parallel_sharding_strategy": "optim_grads_params", "fp16": False, "global_batch_size": 16,
              "hidden_size": 1024, "lr": 0.00015, "micro_batch_size": 2, "num_attention_heads": 16,
              "num_layers": 24, "optimizer": "adam", "padded_vocab_size": 50304,
              "pipeline_model_parallel_size": 1, "recompute_granularity": None, "seed": 1234,
              "seq_length": 1024, "tensor_model_parallel_size": 1, "use_distributed_optimizer": True,
              "world_size": 4, **changes}
    return ("using world size: %d, data-parallel size: 4, context-parallel size: 1 tensor-model-parallel size: %d, "
            "pipeline-model-parallel size: 1 \n" % (values["world_size"], values["tensor_model_parallel_size"])
            + "------------------------ arguments ------------------------\n"
            + "".join(f"  {name} {'.' * (48 - len(name))} {value}\n" for name, value in sorted(values.items()))
            + " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296\n"
            + "[before the start of training step] datetime: 2024-09-14 19:44:09 \n")


def memory(rank, allocated, reserved, iterations=2):
    return (f"[Rank {rank}] (after {iterations} iterations) memory (MB) | allocated: 1761.685546875 | max allocated: "
            f"{allocated} | reserved: 2608.0 | max reserved: {reserved}\n")


class Megatron(Log):
    def test_a_log_with_arguments_is_evidence_without_settings(self):
        log = arguments() + megatron(1, 5000) + "Theoretical memory footprints: weight and optimizer=1519.18 MB\n"
        log += "".join(memory(rank, 2589.5 + rank, 2700.0) for rank in (2, 3, 1, 0))
        log += megatron(2, 400) + megatron(3, 500)
        record = self.record(log, strict=True)
        self.assertEqual(record["strategy"], "zero1")
        workload = record["workload"]
        self.assertEqual((workload["world_size"], workload["seq_len"], workload["global_batch"],
                          workload["micro_batch"], workload["gradient_accumulation"]), (4, 1024, 16, 2, 2))
        self.assertEqual((workload["parameters"], workload["width"], workload["layers"], workload["heads"],
                          workload["vocab"], workload["dtype"], workload["optimizer"], workload["seed"]),
                         (354871296, 1024, 24, 16, 50304, "bf16", "adam", 1234))
        self.assertIs(workload["activation_checkpointing"], False)
        metrics = record["metrics"]
        self.assertEqual(metrics["step_time_ms"], 450)  # without the first iteration
        self.assertClose(metrics["throughput"], 16 * 1024 / 0.45)
        self.assertEqual(metrics["peak_memory_mb"], 2592.5)  # MB is MiB
        self.assertEqual(metrics["peak_memory_mb_per_rank"], [2589.5, 2590.5, 2591.5, 2592.5])
        self.assertEqual(metrics["peak_reserved_mb"], 2700)
        self.assertEqual(metrics["losses"], [1.5] * 3)
        self.assertEqual(record["import"]["values"]["theoretical_weights_and_optimizer_mib"], 1519.18)

    def test_tokens_stay_unknown_without_a_sequence_length(self):
        log = megatron(71, 400) + megatron(72, 500)
        record = self.record(log)
        self.assertEqual(record["metrics"]["throughput_unit"], "samples/s")
        self.assertClose(record["metrics"]["throughput"], 16 / 0.45)
        given = self.record(log, "workload.seq_len=4096")
        self.assertEqual(given["metrics"]["throughput_unit"], "tokens/s")
        self.assertClose(given["metrics"]["throughput"], 16 * 4096 / 0.45)
        self.assertEqual(given["import"]["values"]["tokens_per_s_if_seq_4096"], given["metrics"]["throughput"])

    def test_lines_are_means_over_their_iterations(self):
        log = arguments() + megatron(10, 5000) + megatron(20, 400) + megatron(30, 500)
        record = self.record(log)
        self.assertEqual(record["metrics"]["step_time_ms"], 450)
        self.assertEqual(record["import"]["samples"]["steps"], [10, 20, 30])
        self.assertNotIn("losses", record["metrics"])

    def test_a_mean_far_from_the_median_is_said(self):
        log = "".join(megatron(i, ms) for i, ms in ((71, 400), (72, 400), (73, 4000)))
        record = self.record(log)
        self.assertWarns_at(record, 1, "1600.0 ms", "400.0 ms")
        self.assertEqual(record["import"]["values"]["median_step_ms"], 400)

    def test_skipped_iterations_are_counted_apart(self):
        log = arguments() + megatron(10, 900, None, skipped=10) + megatron(20, 300, None, skipped=10) \
            + megatron(30, 400, skipped=5) + megatron(40, 400)
        record = self.record(log)
        self.assertEqual(record["metrics"]["step_time_ms"], 400)
        self.assertEqual(record["import"]["values"]["skipped_iterations"], 25)
        self.assertWarns_at(record, None, "25 iterations")
        self.assertQuiet(record, "no loss")

    def test_a_loss_that_is_nan_may_be_absent(self):
        record = self.record(megatron(1, 400) + megatron(2, 400, None) + megatron(3, 400, "NaN", nan=1))
        self.assertEqual(record["metrics"]["losses"], [1.5, None, None])
        self.assertWarns_at(record, 2, "no loss", "NaN")
        self.assertWarns_at(record, 3, "1 iterations", "not a finite number")
        self.assertEqual(record["import"]["values"]["nan_iterations"], 1)

    def test_a_batch_that_grows(self):
        log = megatron(11, 100, consumed=176) + megatron(12, 100, consumed=192) \
            + megatron(13, 200, batch=32, consumed=224) + megatron(14, 210, batch=32, consumed=256)
        record = self.record(log)
        self.assertEqual((record["workload"]["global_batch"], record["metrics"]["step_time_ms"]), (32, 205))
        self.assertClose(record["metrics"]["throughput"], 32 / 0.205)
        self.assertWarns_at(record, 2, "another global batch (16")

    def test_other_parallelism_is_no_strategy(self):
        record = self.record(arguments(tensor_model_parallel_size=2) + megatron(1, 900) + megatron(2, 400))
        self.assertNotIn("strategy", record)
        self.assertNotIn("parameters", record["workload"])  # a rank has a part of them
        self.assertWarns_at(record, None, "tensor parallelism of degree 2")
        self.assertIn({"field": "strategy", "why": "what ran is none of the five strategies, as a warning says"},
                      record["import"]["asked"])

    def test_a_loss_that_no_line_has_was_no_number(self):
        log = "".join(megatron(step, 400, loss=None).replace("grad norm: 2.500", "grad norm: nan") for step in (71, 72, 73))
        record = self.record(log)
        self.assertEqual(record["import"]["samples"]["losses"], [None] * 3)
        self.assertEqual((record["import"]["values"]["loss_last"], record["import"]["values"]["lines_without_loss"]), (None, 3))
        self.assertWarns_at(record, 1, "3 lines of iterations have no loss", "NaN")
        self.assertWarns_at(record, 1, "the gradient norm of 3 lines")
        old = self.record(log.replace(" loss scale", " lm loss 6.5E+00 | loss scale"))
        self.assertEqual(old["import"]["values"]["loss_last"], 6.5)
        # Another training's loss, whose name is not known, says nothing of what is missing.
        other = self.record(log.replace(" loss scale", " ranking loss: 6.5E+00 | loss scale"))
        self.assertNotIn("loss_last", other["import"]["values"])
        self.assertQuiet(other, "have no loss")

    def test_what_is_sharded_must_be_told(self):
        steps = megatron(1, 900) + megatron(2, 400)
        for changes, strategy in (({"use_distributed_optimizer": False}, "ddp"),
                                  ({"use_torch_fsdp2": True}, "fsdp_full_shard"),
                                  ({"use_megatron_fsdp": True}, "zero3"),
                                  ({"use_custom_fsdp": True, "use_megatron_fsdp": False,
                                    "data_parallel_sharding_strategy": "optim_grads"}, "zero2"),
                                  ({"deepspeed": True, "zero_stage": 2}, "zero2")):
            with self.subTest(changes=changes):
                self.assertEqual(self.record(arguments(**changes) + steps)["strategy"], strategy)
        self.assertNotIn("strategy", self.record(steps))
        config = "INFO:megatron.core.optimizer:Setting up optimizer with config OptimizerConfig(lr=1e-05, " \
                 "use_distributed_optimizer=True, clip_grad=1.0)\n"
        self.assertEqual(self.record(config + steps)["strategy"], "zero1")

    def test_arguments_behind_a_prefix(self):
        for prefix in ("[lrdn0137:0]:", "[rank0]:", "0: "):
            log = "".join(prefix + line + "\n" for line in arguments().splitlines())
            with self.subTest(prefix=prefix):
                record = self.record(log + megatron(1, 900) + megatron(2, 400))
                self.assertEqual((record["strategy"], record["workload"]["seq_len"]), ("zero1", 1024))
                self.assertNotIn("lrdn0137", json.dumps(record))

    def test_memory_of_some_ranks_is_the_largest_of_them(self):
        log = arguments() + memory(0, 2000.5, 2100.0) + memory(2, 2500.5, 2400.0) + megatron(2, 400) + megatron(3, 400)
        record = self.record(log)
        self.assertEqual((record["metrics"]["peak_memory_mb"], record["metrics"]["peak_reserved_mb"]),
                         (2500.5, 2400))
        self.assertNotIn("peak_memory_mb_per_rank", record["metrics"])
        self.assertWarns_at(record, None, "2 of 4 ranks")

    def test_memory_of_two_ranks_on_one_line(self):
        log = arguments(world_size=2) + memory(0, 2000.5, 2100.0).rstrip("\n") + memory(1, 2500.5, 2400.0)
        record = self.record(log + megatron(2, 400) + megatron(3, 400))
        self.assertEqual(record["metrics"]["peak_memory_mb_per_rank"], [2000.5, 2500.5])

    def test_gigabytes_of_ten_to_the_ninth(self):
        line = "[Rank 0] (after 1 iterations) memory (GB) | mem-allocated-gigabytes: 51.0 | " \
               "mem-max-allocated-gigabytes: 1.048576 | mem-max-reserved-gigabytes: 2.097152\n"
        metrics = self.record(line + megatron(2, 400) + megatron(3, 400))["metrics"]
        self.assertClose(metrics["peak_memory_mb"], 1000)
        self.assertClose(metrics["peak_reserved_mb"], 2000)

    def test_rates_that_forks_print(self):
        more = " hip mem usage/free/total/usage_ratio: 2.00GB/2.00GB/4.00GB/50.00% | throughput per GPU " \
               "(TFLOP/s/GPU): 100.0/90.0 | tokens per GPU (tokens/s/GPU): 500.0/400.0 |"
        log = "".join(megatron(i, 400, more=more, prefix="[20251023 12:39:12][rank-63/64][INFO ] :") for i in (71, 72))
        record = self.record(log, "workload.world_size=8")
        self.assertEqual(record["metrics"]["achieved_tflops"], 100)
        self.assertEqual(record["metrics"]["throughput"], 4000)  # of a GPU, times the ranks
        self.assertEqual(record["metrics"]["peak_device_mb"], 2048)
        wrong = self.record(log, "workload.world_size=8", "workload.seq_len=4096")
        self.assertWarns_at(wrong, None, "500 tokens/s")

    def test_a_resumed_run_is_one_record(self):
        first = arguments() + megatron(10, 900, "9E+00") + megatron(20, 400, "5E+00") + megatron(30, 400, "4E+00")
        loaded = "  successfully loaded checkpoint from /checkpoints [ t 0, p 0 ] at iteration 20\n"
        record = self.record(first + "RuntimeError: no such luck\n" + arguments() + loaded
                             + megatron(30, 800, "3.5E+00") + megatron(40, 400, "3E+00"))
        self.assertIsNone(record["failure"])
        self.assertEqual(record["import"]["samples"]["losses"], [9, 5, 3.5, 3])
        self.assertEqual(record["metrics"]["step_time_ms"], 400)
        self.assertWarns_at(record, None, "resumed at iteration 30")

    def test_two_runs_are_two_records(self):
        first = arguments() + megatron(10, 900) + megatron(20, 400)
        second = arguments(use_distributed_optimizer=False) + megatron(10, 900) + megatron(20, 500)
        records = self.records(first + second)
        self.assertEqual([record["strategy"] for record in records], ["zero1", "ddp"])
        self.assertEqual([record["metrics"]["step_time_ms"] for record in records], [400, 500])

    def test_the_same_iterations_twice_count_once(self):
        log = "".join(2 * megatron(i, 400) for i in (71, 72))
        record = self.record(log)
        self.assertEqual(record["import"]["samples"]["losses"], [1.5, 1.5])  # from the 71st on
        self.assertWarns_at(record, 2, "more than once")


# ---- llm.c ------------------------------------------------------------------------------------

RULE = "+-----------------------+----------------------------------------------------+\n"


def row(name, value):
    return f"| {name:<21} | {value!s:<50} |\n"


def llmc_start(stage=0, processes=4, accumulation=1, banner="", moment=None, parameters=124475904,
               device="NVIDIA A100-SXM4-40GB", peak=None):
    batch = 32 * 1024 * processes * accumulation
    whole = parameters * 4 // 2 ** 20
    moment = moment or (whole // processes if stage else whole)
    return (RULE + row("Parameter", "Value") + RULE + row("train data pattern", "/home/maria/train_*.bin")
            + row("micro batch size B", 32) + row("sequence length T", 1024) + row("total batch size", batch)
            + row("recompute", 1) + RULE + row("device", device)
            + (row("peak TFlops", peak) if peak else "") + row("precision", "BF16") + RULE
            + row("vocab_size V", 50257) + row("num_layers L", 12) + row("num_heads NH", 12) + row("channels C", 768)
            + row("num_parameters", parameters) + RULE
            + (f"| {banner:<74} |\n" if banner else "") + row("num_processes", processes) + row("zero_stage", stage)
            + RULE + f"num_parameters: {parameters} => bytes: {2 * parameters}\n"
            f"allocated {2 * parameters // 2 ** 20} MiB for model parameters\n"
            f"batch_size B=32 * seq_len T=1024 * num_processes={processes} and total_batch_size={batch}\n"
            f"=> setting grad_accum_steps={accumulation}\n"
            f"allocating {2 * parameters // 2 ** 20} MiB for parameter gradients\n"
            "allocating 13629 MiB for activations\n"
            f"allocating {moment} MiB for AdamW optimizer state m\n"
            f"allocating {moment} MiB for AdamW optimizer state v\n"
            f"allocating {moment} MiB for master copy of params\n"
            "device memory usage: 16661 MiB / 40339 MiB\nmemory per sequence: 425 MiB\n"
            " -> estimated maximum batch size: 87\nval loss 11.009400\n")


def llmc_step(step, ms=256.0, rate=None, total=4, loss="10.355100", mfu="43.3", tokens=131072):
    return (f"step {step:4d}/{total} | loss {loss} (+nanz)| norm 1.2000 (+nanz)| lr 3.00e-04 | {ms:.2f} ms | "
            f"{mfu}% bf16 MFU | {rate or round(tokens / ms * 1e3)} tok/s\n")


def llmc_steps(**options):
    return "".join(llmc_step(s, 512.0 if s == 1 else 256.0, **options) for s in (1, 2, 3, 4))


class Llmc(Log):
    def test_a_log_is_evidence_without_settings(self):
        end = "total average iteration time: 256.000000 ms\n"
        record = self.record(llmc_start(banner="Zero Optimization is disabled") + llmc_steps() + end, strict=True)
        self.assertEqual(record["strategy"], "ddp")
        workload = record["workload"]
        self.assertEqual((workload["world_size"], workload["micro_batch"], workload["seq_len"],
                          workload["gradient_accumulation"], workload["global_batch"]), (4, 32, 1024, 1, 128))
        self.assertEqual((workload["width"], workload["layers"], workload["heads"], workload["vocab"],
                          workload["dtype"], workload["activation_checkpointing"]),
                         (768, 12, 12, 50257, "bf16", "gelu"))
        self.assertEqual(workload["state_bytes"], {"parameters": 2, "gradients": 2, "optimizer": 12})
        metrics = record["metrics"]
        self.assertEqual((metrics["step_time_ms"], metrics["throughput"]), (256, 512000))
        self.assertEqual((metrics["peak_memory_mb"], metrics["memory_kind"]), (16661, "device"))
        self.assertClose(metrics["utilisation"], 0.433)
        self.assertEqual(len(metrics["losses"]), 4)  # the warm-up's, too
        values = record["import"]["values"]
        self.assertEqual((values["step_ms"], values["tokens_per_s"], values["device_mib"],
                          values["average_iteration_ms"]), (256, 512000, 16661, 256))
        self.assertEqual(values["sum_of_printed_allocations_mib"], 237 * 2 + 13629 + 474 * 3)
        self.assertNotIn("maria", json.dumps(record))
        self.assertWarns_at(record, None, "step 1 (512.00 ms)")

    def test_a_stage_that_did_not_run(self):
        for banner in ("Disabling Zero Optimization, Zero Stage2 and Stage3 are not yet supported",
                       "Zero Optimization is disabled, Can't equally partition parameters"):
            with self.subTest(banner=banner):
                record = self.record(llmc_start(banner=banner) + llmc_steps())
                self.assertEqual((record["strategy"], record["import"]["values"]["strategy"]), ("ddp", "ddp"))
                self.assertWarns_at(record, None, "not run", banner[:20])
        # Versions that print what was asked for: the line that says so wins.
        record = self.record(llmc_start(stage=2, banner="Disabling Zero Optimization, Zero Stage2 and Stage3 are not "
                                        "yet supported", moment=474) + llmc_steps())
        self.assertEqual(record["strategy"], "ddp")

    def test_a_stage_that_ran(self):
        record = self.record(llmc_start(1, banner="Zero Stage1 is enabled") + llmc_steps(), strict=True)
        self.assertEqual(record["strategy"], "zero1")
        self.assertQuiet(record, "zero_stage")

    def test_a_stage_that_the_allocations_contradict(self):
        for stage, moment, strategy in ((1, 474, "ddp"), (3, 474, "ddp"), (0, 118, None), (2, 118, "zero1"), (1, 118, "zero1")):
            with self.subTest(stage=stage, moment=moment):
                record = self.record(llmc_start(stage, moment=moment) + llmc_steps())
                self.assertEqual(record.get("strategy"), strategy)
                if stage != 1 or moment != 118:
                    self.assertWarns_at(record, None, f"zero_stage is {stage}", f"{moment} MiB")
        for moment, strategy in ((474, "ddp"), (118, "zero1")):
            excerpt = "".join(line for line in llmc_start(moment=moment).splitlines(True) if line[0] not in "|+")
            record = self.record(excerpt + llmc_steps())
            self.assertEqual(record["strategy"], strategy)
            self.assertWarns_at(record, None, "zero_stage is not in the log", f"{moment} MiB")
        # Gradients that are sharded, too, as no version does yet: nothing speaks against stage 2.
        record = self.record(llmc_start(2).replace("237 MiB for parameter grad", "59 MiB for parameter grad") + llmc_steps())
        self.assertEqual(record["strategy"], "zero2")
        self.assertQuiet(record, "zero_stage")

    def test_a_rate_without_the_accumulation(self):
        record = self.record(llmc_start(accumulation=4) + llmc_steps(tokens=131072))
        self.assertEqual(record["metrics"]["throughput"], 4 * 512000)
        self.assertEqual(record["import"]["values"]["tokens_per_s"], 4 * 512000)
        self.assertEqual(record["import"]["values"]["printed_tokens_per_s"], 512000)
        self.assertWarns_at(record, None, "512000 tok/s", "accumulation")

    def test_a_mean_rate_near_the_last_is_as_printed(self):
        log = llmc_start() + llmc_steps(rate=509000)
        record = self.record(log)
        self.assertEqual(record["import"]["values"]["tokens_per_s"], 509000)
        self.assertEqual(record["metrics"]["throughput"], 512000)
        self.assertQuiet(record, "tok/s")

    def test_a_device_that_is_not_known_has_no_utilisation(self):
        unknown = llmc_start(device="NVIDIA A800 80GB PCIe", peak="-1.0") + llmc_steps(mfu="-100.0")
        self.assertNotIn("utilisation", self.record(unknown)["metrics"])
        other = llmc_start(device="NVIDIA H100 80GB HBM3") + llmc_steps()  # MFU of an A100's peak
        record = self.record(other)
        self.assertNotIn("utilisation", record["metrics"])
        self.assertWarns_at(record, None, "A100")
        told = self.record(llmc_start(device="NVIDIA H100 80GB HBM3", peak="989.0") + llmc_steps())
        self.assertClose(told["metrics"]["achieved_tflops"], 0.433 * 989)

    def test_losses_that_are_no_numbers_and_lines_between(self):
        log = llmc_start() + llmc_step(1, 512.0) + "evaluating HellaSwag: 0/79\revaluating HellaSwag: 10/79\r" \
            "HellaSwag: 3000/10042 = 0.298745\n" + llmc_step(2, loss="   -nan") + "val loss 10.500000\n" \
            "generating:\n---\n1/4 | loss\n---\nWriting checkpoint at step 3\n" + llmc_step(3) + llmc_step(4)
        record = self.record(log)
        self.assertEqual(record["metrics"]["losses"], [10.3551, None, 10.3551, 10.3551])
        self.assertEqual(record["import"]["values"]["last_val_loss"], 10.5)
        self.assertWarns_at(record, None, "loss or norm of 1 lines", "not a finite number")

    def test_a_log_that_ends_early(self):
        self.assertWarns_at(self.record(llmc_start() + llmc_step(1) + llmc_step(2)), None, "step 2 of 4")
        failed = self.record(llmc_start() + llmc_step(1) + llmc_step(2)
                             + "[CUDA ERROR] at file train_gpt2.cu:1234:\nout of memory\n")
        self.assertEqual((failed["decision"], failed["failure"]["kind"]), ("failed", "out_of_memory"))
        self.assertEqual(failed["metrics"]["step_time_ms"], 256)

    def test_only_a_warm_up_has_no_times(self):
        record = self.record(llmc_start() + llmc_step(1, total=1) + "total average iteration time: -nan ms\n")
        self.assertNotIn("step_time_ms", record["metrics"])
        self.assertNotIn("throughput", record["metrics"])
        self.assertWarns_at(record, None, "no step is left")

    def test_two_runs_are_two_records_that_compare(self):
        records = self.records(llmc_start() + llmc_steps() + llmc_start(1) + llmc_steps())
        self.assertEqual([record["strategy"] for record in records], ["ddp", "zero1"])

    def test_allocations_of_several_processes_count_once(self):
        start = llmc_start()
        twice = "".join(2 * (line + "\n") if line.startswith("alloc") else line + "\n" for line in start.splitlines())
        record = self.record(twice + llmc_steps())
        self.assertEqual(record["import"]["values"]["sum_of_printed_allocations_mib"], 237 * 2 + 13629 + 474 * 3)
        self.assertWarns_at(record, None, "each is counted once")

    def test_the_first_cuda_versions(self):
        log = RULE + row("batch size B", 4) + row("sequence length T", 1024) + RULE \
            + "step    1/3: train loss 4.367631 (800.639938 ms, 5079 tok/s)\n" \
            "step    2/3: train loss 4.031242 (80.000000 ms, 51200 tok/s)\n" \
            "step    3/3: train loss 4.034618 (80.000000 ms, 51200 tok/s)\n" \
            "total average iteration time: 320.213313 ms\n"
        record = self.record(log, "workload.world_size=1")
        self.assertEqual((record["metrics"]["step_time_ms"], record["metrics"]["throughput"]), (80, 51200))
        self.assertEqual(record["metrics"]["step_times_ms"], [[80, 80]])
        self.assertNotIn("grad_norms", record["metrics"])
        self.assertNotIn("strategy", record)
        self.assertQuiet(record, "average")  # of all steps, in those versions

    def test_the_cpu_program(self):
        log = "[GPT-2]\nmax_seq_len: 1024\nnum_layers: 12\nchannels: 768\nnum_parameters: 124475904\n" \
            "val loss 5.325529\nstep 0: train loss 5.356189 (took 3200.500000 ms)\n" \
            "step 1: train loss 4.301069 (took 3000.500000 ms)\nstep 2: train loss 4.623322 (took 3000.500000 ms)\n"
        record = self.record(log)
        self.assertEqual((record["metrics"]["step_time_ms"], record["workload"]["layers"]), (3000.5, 12))
        self.assertNotIn("throughput", record["metrics"])
        given = self.record(log, "workload.micro_batch=4", "workload.seq_len=64", "workload.world_size=1")
        self.assertClose(given["metrics"]["throughput"], 256 / 3.0005)

    def test_the_python_program(self):
        log = "using device: cuda:0\ntotal desired batch size: 4096\n=> calculated gradient accumulation steps: 1\n" \
            "using ZeroRedundancyOptimizer\n" + "".join(
                f"step    {s}/3 | train loss 4.677000 | norm 1.2000 | lr 3.00e-04 | (100.00 ms | 40960 tok/s)\n"
                for s in (1, 2, 3)) + "final 2 iters avg: 100.000ms\npeak memory consumption: 2345 MiB\n"
        record = self.record(log)
        self.assertEqual(record["strategy"], "zero1")
        self.assertEqual((record["metrics"]["throughput"], record["metrics"]["peak_memory_mb"],
                          record["metrics"]["memory_kind"]), (40960, 2345, "allocated"))

    def test_published_runs_decide_as_their_evidence_does(self):
        """l17 and l18 are the runs of upstream/u01 and u02: the same limits give the same decisions."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name in ("l17_llmc_z0_np4", "l18_llmc_z1_np4"):
                names.append(os.path.join(folder, name + ".json"))
                result = run("import", "--strict", "--output", names[-1], str(CASES / "logs" / (name + ".txt")))
                self.assertEqual(result.returncode, 0, result.stderr.decode())
            published = [str(CASES / "upstream" / name) for name in ("u01_gpt2_124m_ddp.json",
                                                                     "u02_gpt2_124m_zero1.json")]
            for limit, answer in (("24GiB", "ddp"), ("16GiB", "zero1"), ("16GB", None)):
                for paths in (names, published):
                    output = os.path.join(folder, "summary.json")
                    result = run("analyze", "--memory-limit", limit, "--output", output, *paths)
                    self.assertEqual(result.returncode, 0, result.stderr.decode())
                    with open(output, encoding="utf-8") as file:
                        self.assertEqual(json.load(file)["strategy"], answer, (limit, paths))
                    os.remove(output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
