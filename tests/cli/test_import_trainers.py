#!/usr/bin/env python3
"""import of DeepSpeed, its autotuner and the HF Trainer, end to end: test_import_trainers.py PROGRAM"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None

INFO = "[2023-11-07 01:50:02,300] [INFO] "


def config(stage=2, **changes):
    """DeepSpeed's configuration of 8 ranks, as its own two ways of printing show it."""
    values = {"bfloat16_enabled": "True", "fp16_enabled": "False",
              "gradient_accumulation_steps": 4, "train_batch_size": 64,
              "train_micro_batch_size_per_gpu": 2, "world_size": 8,
              "zero_config": f"stage={stage} offload_optimizer=None mics_shard_size=-1",
              "zero_enabled": str(stage > 0), "zero_optimization_stage": stage, **changes}
    lines = []
    for name, value in values.items():
        dots = "." * (29 - len(name))
        lines.append(f"{INFO}[config.py:988:print]   {name} {dots} {value}")
    return lines + [
        INFO + "[config.py:974:print_user_config]   json = {",
        '    "train_batch_size": 64, ', '    "zero_optimization": {', f'        "stage": {stage}, ',
        '        "offload_optimizer": {', '            "device": "none"', "        }", "    }, ",
        '    "steps_per_print": inf, ', '    "bf16": {', '        "enabled": true', "    }", "}"]


def started(stage=2):
    lines = [INFO + "[logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.12.3, git-hash=x",
             INFO + f"[logging.py:96:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage {stage} "
             "optimizer"]
    if stage == 3:
        return lines + [INFO + "[utils.py:785:see_memory_usage] Stage 3 initialize beginning"]
    return lines + [INFO + "[stage_1_and_2.py:149:__init__] Reduce bucket size 500,000,000"]


def timer(step, current=25.6, peak=38.49, micro=4, second=0):
    return (f"[2023-11-07 01:55:{second:02},714] [INFO] [timer.py:260:stop] epoch=0/micro_step="
            f"{step * micro}/global_step={step}, RunningAvgSamplesPerSec=25.0, CurrSamplesPerSec="
            f"{current}, MemAllocated=4.32GB, MaxMemAllocated={peak}GB")


def iteration(step, ms, **fields):
    text = f" iteration {step:8}/     100 | elapsed time per iteration (ms): {ms:.1f} |"
    return text + "".join(f" {name.replace('_', ' ')}: {value} |"
                          for name, value in fields.items())


def plan(**changes):
    values = {"Num examples": "1,000", "Num Epochs": 1, "Instantaneous batch size per device": 4,
              "Total train batch size (w. parallel, distributed & accumulation)": 32,
              "Gradient Accumulation steps": 2, "Total optimization steps": 100,
              "Number of trainable parameters": "1,048,576", **changes}
    return ["***** Running training *****"] + [f"  {name} = {value}"
                                               for name, value in values.items()]


def report(runtime=200.0, samples=16.0, steps=0.5, **changes):
    values = {"train_runtime": runtime, "train_samples_per_second": samples,
              "train_steps_per_second": steps, "train_loss": 2.5, "epoch": 1.0, **changes}
    return {name: value for name, value in values.items() if value is not None}


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, list):
            content = "\n".join(content) + "\n"
        elif not isinstance(content, str):
            content = json.dumps(content, indent=2)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def run_import(self, content, *options, name="run.log", code=0):
        path = self.write(name, content)
        run = subprocess.run([PROGRAM, "import", *options, path], capture_output=True,
                             encoding="utf-8", stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def records(self, content, *options, **more):
        text = self.run_import(content, *options, **more).stdout
        if text.startswith("{\n"):
            return [json.loads(text)]
        return [json.loads(line) for line in text.splitlines()]

    def record(self, content, *options, **more):
        records = self.records(content, *options, **more)
        self.assertEqual(len(records), 1)
        return records[0]

    def warned(self, record, words, line=None):
        found = [warning for warning in record["import"].get("warnings", [])
                 if words in warning["message"]]
        self.assertTrue(found, f"no warning says {words!r}: {record['import'].get('warnings')}")
        if line is not None:
            self.assertEqual(found[0].get("line"), line)

    def not_warned(self, record, words):
        for warning in record["import"].get("warnings", []):
            self.assertNotIn(words, warning["message"])


class DeepSpeed(Import):
    def test_a_configured_run_is_evidence(self):
        record = self.record(started() + config() + [timer(10), timer(20, second=25)])
        self.assertEqual(record["import"]["tool"], "deepspeed")
        self.assertEqual(record["strategy"], "zero2")
        self.assertEqual(record["workload"],
                         {"dtype": "bf16", "global_batch": 64, "gradient_accumulation": 4,
                          "micro_batch": 2, "world_size": 8})
        self.assertEqual(record["metrics"], {
            "memory_kind": "allocated", "peak_memory_mb": 38.49 * 1024, "step_time_ms": 2500,
            "throughput": 25.6, "throughput_unit": "samples/s"})
        self.assertEqual(record["import"]["values"]["step_ms_between_lines"], 2500)
        self.assertEqual(record["import"]["values"]["deepspeed_version"], "0.12.3")
        validated = subprocess.run([PROGRAM, "validate", self.write("evidence.json", record)],
                                   capture_output=True, encoding="utf-8")
        self.assertEqual(validated.returncode, 0, validated.stdout)

    def test_the_peak_is_the_largest_of_those_that_were_reset(self):
        record = self.record([timer(1, peak=10), timer(2, peak=12.5), timer(3, peak=11)])
        self.assertEqual(record["metrics"]["peak_memory_mb"], 12.5 * 1024)

    def test_single_rates_count_by_their_median(self):
        record = self.record(config() + [timer(1, 10), timer(2, 30), timer(3, 20)])
        self.assertEqual(record["metrics"]["throughput"], 20)
        self.assertEqual(record["metrics"]["step_time_ms"], 3200)

    def test_rates_that_are_none_are_left_out(self):
        bad = timer(1).replace("RunningAvgSamplesPerSec=25.0", "RunningAvgSamplesPerSec=-inf")
        record = self.record([bad, timer(2)])
        self.assertEqual(record["import"]["values"]["samples"], 1)
        self.warned(record, "no positive number", 1)
        record = self.record([timer(2).replace("AvgSamplesPerSec=25.0", "AvgSamplesPerSec=0.0")])
        self.assertNotIn("throughput", record["metrics"])

    def test_the_middle_version_times_micro_steps(self):
        line = ("[2022-08-29 06:58:56,176] [INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec="
                "232.5, CurrSamplesPerSec=227.25, MemAllocated=0.36GB, MaxMemAllocated=15.06GB")
        record = self.record([line])
        self.assertEqual(record["metrics"]["throughput"], 232.5)
        self.assertNotIn("step_time_ms", record["metrics"])
        self.assertEqual(record["import"]["values"]["last_step"], 20)

    def test_micro_steps_of_a_step_tell_the_accumulation(self):
        record = self.record([timer(10, micro=8)])
        self.assertEqual(record["workload"]["gradient_accumulation"], 8)
        record = self.record(config() + [timer(10, micro=8)])
        self.assertNotIn("gradient_accumulation", record["workload"])
        self.warned(record, "two values of workload.gradient_accumulation")

    def test_what_was_set_up_counts(self):
        record = self.record(started(1) + config(3) + [timer(10)])
        self.assertEqual(record["strategy"], "zero1")
        self.assertEqual(record["import"]["values"]["zero_stage_asked"], 3)
        self.warned(record, "asks for ZeRO stage 3, but line 2 tells stage 1")

    def test_signs_that_contradict_leave_the_strategy_open(self):
        for lines in (started(3)[2:] + config(1), started(2)[2:] + config(3),
                      started(2) + started(3)[1:], started(1) + started(3)[2:],
                      config(0) + [INFO + "[engine.py:1:x] Creating BF16 optimizer"]):
            record = self.record(lines + [timer(10)])
            self.assertNotIn("strategy", record)
            self.warned(record, "which one ran is not clear")

    def test_no_zero_section_is_ddp(self):
        block = [INFO + "[config.py:974:print_user_config]   json = {",
                 '    "train_batch_size": 16, ', "}", timer(5)]
        self.assertEqual(self.record(block)["strategy"], "ddp")
        self.assertNotIn("strategy", self.record(block[:2]))

    def test_the_number_format_is_that_of_the_optimizer_where_none_is_enabled(self):
        off = config(2, bfloat16_enabled="False")[:9]
        self.assertNotIn("dtype", self.record(off + [timer(5)])["workload"])
        self.assertEqual(self.record(started(2) + off + [timer(5)])["workload"]["dtype"], "bf16")
        fixed = INFO + "[x.py:1:log_dist] [Rank 0] Creating fp16 ZeRO stage 2 optimizer, MiCS is off"
        self.assertNotIn("dtype", self.record([fixed] + off + [timer(5)])["workload"])
        both = self.record(started(2) + config(2, bfloat16_enabled="False", fp16_enabled="True")[:9])
        self.assertNotIn("dtype", both["workload"])
        self.warned(both, "several number formats")

    def test_lines_behind_the_name_of_a_host(self):
        lines = ["worker-0: " + line.split(":print]")[-1] for line in config(1)[:9]]
        record = self.record(lines + ["worker-0: " + timer(5)])
        self.assertEqual(record["strategy"], "zero1")
        self.assertEqual(record["workload"]["global_batch"], 64)
        self.assertNotIn("worker-0", json.dumps(record))

    def test_a_configuration_in_one_line(self):
        line = (INFO + '[config.py:974:print_user_config]   json = {"train_batch_size": 16, "bf16": '
                '{"enabled": true}, "zero_optimization": {"stage": 2}}')
        record = self.record([line, timer(5)])
        self.assertEqual(record["strategy"], "zero2")
        self.assertEqual(record["workload"]["global_batch"], 16)
        self.assertEqual(record["workload"]["dtype"], "bf16")

    def test_sections_of_a_configuration_in_one_line_each(self):
        block = [INFO + "[config.py:974:print_user_config]   json = {", '    "train_batch_size": 16,',
                 '    "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}},',
                 '    "flops_profiler": {},', '    "fp16": {"enabled": true}', "}", timer(5)]
        record = self.record(block)
        self.assertEqual((record["strategy"], record["workload"]["dtype"]), ("zero3", "fp16"))
        self.assertIs(record["strategy_options"]["offload"], True)
        # An optimizer that shards nothing was set up after all: neither is believed.
        record = self.record(block[:-1] + [INFO + "[x.py:1:log_dist] [Rank 0] Creating fp16 optimizer with dynamic loss "
                                           "scale", timer(5)])
        self.assertNotIn("strategy", record)
        self.warned(record, "which one ran is not clear")

    def test_a_block_with_another_ranks_lines_in_it_is_read(self):
        lines = config(3)
        lines.insert(len(lines) - 10, "Loading extension module fused_adam...")
        self.assertEqual(self.record(started(3) + lines)["strategy"], "zero3")

    def test_offload_is_noted_and_sharded_groups_are_no_known_strategy(self):
        lines = started(2) + [INFO + "[stage_1_and_2.py:151:__init__] CPU Offload: True"]
        record = self.record(lines + config(2) + [timer(5)])
        self.assertEqual(record["strategy"], "zero2")
        self.assertIs(record["strategy_options"]["offload"], True)
        self.warned(record, "offloaded", 4)
        asked = config(2, zero_config="stage=2 offload_optimizer=DeepSpeedZeroOffloadOptimizer"
                                      "Config(device='cpu', nvme_path=None) mics_shard_size=-1")
        self.assertIs(self.record(asked + [timer(5)])["strategy_options"]["offload"], True)
        record = self.record(config(3, zero_config="stage=3 mics_shard_size=8") + [timer(5)])
        self.assertNotIn("strategy", record)

    def test_a_model_over_several_ranks_is_no_known_strategy(self):
        lines = ["  tensor_model_parallel_size ...................... 2",
                 "  world_size ...................................... 8"]
        record = self.record(lines + config(1, world_size=4) + [timer(5)])
        self.assertNotIn("strategy", record)
        self.assertEqual(record["workload"]["world_size"], 8)
        self.assertEqual(record["workload"]["data_parallel"], 4)
        self.warned(record, "the model itself is split over ranks")

    def test_steps_that_overflowed_are_said(self):
        progress = "[INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=10, lr=[0.1], mom=[0]"
        record = self.record([progress, timer(10)])
        self.warned(record, "10 of 10 steps changed nothing", 1)
        self.warned(record, "nothing was trained")
        overflow = "[INFO] [loss_scaler.py:1:x] [deepspeed] OVERFLOW! Rank 0 Skipping step. At"
        record = self.record([overflow, overflow, timer(10)])
        self.assertEqual(record["import"]["values"]["skipped_steps"], 2)

    def test_timers_of_a_step_are_not_those_of_a_micro_step(self):
        lines = ["[Rank 0] time (ms) | fwd_microstep: 1.00 | bwd_microstep: 2.00 | bwd_inner_microstep"
                 ": 1.00 | bwd_allreduce_microstep: 1.00 | step_microstep: 0.50"] * 2
        whole = ("[Rank 0] time (ms) | fwd: 2.00 | bwd: 4.00 | bwd_inner: 2.00 | bwd_allreduce: 2.00 "
                 "| step: 2.00")
        record = self.record(lines + ["[Rank 0] time (ms) | optimizer_allgather: 5 | optimizer_step: 6",
                                      whole])
        self.assertEqual(record["import"]["values"]["step_ms_timers"], 8)
        self.assertEqual(record["import"]["values"]["allreduce_share_of_timers"], 0.25)
        self.assertEqual(record["metrics"]["step_time_ms"], 8)
        self.warned(record, "a whole step takes longer", 4)
        self.assertNotIn("communication_ratio", record["metrics"])
        record = self.record(lines)
        self.assertNotIn("step_time_ms", record["metrics"])
        self.warned(record, "only times of micro-steps")

    def test_the_training_loops_time_wins(self):
        lines = [timer(5)] + [iteration(step, ms, global_batch_size=64, lm_loss="2.5E+00",
                                        samples_per_second=64000 / ms)
                              for step, ms in ((1, 9000), (2, 2000), (3, 2200), (4, 2100))]
        record = self.record(lines)
        self.assertEqual(record["metrics"]["step_time_ms"], 2100)
        self.assertAlmostEqual(record["metrics"]["throughput"], 64000 / 2100, 9)
        self.assertEqual(record["metrics"]["losses"], [2.5] * 4)
        self.assertEqual(record["import"]["samples"]["step_ms_end_to_end"], [2000, 2200, 2100])
        self.warned(record, "includes the first iteration", 2)

    def test_the_other_spelling_of_iterations(self):
        line = ("[2024-04-21 02:45:24][INFO][training:1251] -  iteration=       2/  317892 | "
                "elapsed_time_per_iteration_ms=16030.6 | global_batch_size=  256 | lm loss=11.2 | "
                "actual_seqlen= 4096 | samples_per_second=15.969 |")
        record = self.record([INFO + "[logging.py:96:log_dist] [Rank 0] step=2, skipped=0, lr=[]",
                              line])
        self.assertEqual(record["metrics"]["step_time_ms"], 16030.6)
        self.assertEqual(record["metrics"]["throughput"], 15.969)
        self.assertEqual(record["workload"], {"global_batch": 256, "seq_len": 4096})

    def test_rate_times_time_is_a_batch_only_where_it_is_exact(self):
        record = self.record([timer(5), "samples/sec: 7.799 |" + iteration(34, 4103.1)])
        self.assertEqual(record["workload"]["global_batch"], 32)
        record = self.record([timer(5), "samples/sec: 900.123 |" + iteration(34, 4103.1)])
        self.assertNotIn("global_batch", record["workload"])
        self.run_import([timer(5), iteration(34, 2000, global_batch_size=64)],
                        "--set", "workload.global_batch=32", code=2)

    def test_a_loss_that_is_missing_was_none(self):
        lines = [timer(5)] + [iteration(1, 10, lm_loss=3), iteration(2, 10), iteration(3, 10, lm_loss=2)]
        record = self.record(lines)
        self.assertEqual(record["metrics"]["losses"], [3, None, 2])
        self.warned(record, "have no loss")
        record = self.record([timer(5)] + [iteration(step, 10, grad_norm="nan") for step in (5, 6)])
        self.assertEqual((record["import"]["values"]["loss_last"], record["import"]["samples"]["losses"]), (None, [None] * 2))
        self.warned(record, "the gradient norm of 2 lines")

    def test_memory_before_training_is_no_peak(self):
        usage = ["[INFO] [utils.py:785:see_memory_usage] Stage 3 initialize end",
                 "[INFO] [utils.py:786:see_memory_usage] MA 0.07 GB         Max_MA 0.73 GB         "
                 "CA 0.32 GB         Max_CA 1 GB "]
        record = self.record(usage)
        self.assertNotIn("peak_memory_mb", record["metrics"])
        self.assertEqual(record["import"]["values"]["max_allocated_before_training_gib"], 0.73)
        saving = [usage[0].replace("Stage 3 initialize end", "before saving checkpoint"),
                  usage[1].replace("0.73", "9.5")]
        self.assertNotIn("9.5", json.dumps(self.record(usage + saving)))
        step = [usage[0].replace("Stage 3 initialize end", "Engine before step"),
                usage[1].replace("0.73", "3.5")]
        self.assertEqual(self.record(usage + step)["metrics"]["peak_memory_mb"], 3584)

    def test_megatrons_megabytes_are_mebibytes(self):
        lines = [f"[Rank {rank}] (after 1 iterations) memory (MB) | allocated: 10.0 | max allocated: "
                 f"{100 + rank}.5 | reserved: 120.0 | max reserved: 130.0" for rank in range(8)]
        record = self.record(config() + [timer(5, peak=0.01)] + lines)
        self.assertEqual(record["metrics"]["peak_memory_mb"], 107.5)
        self.assertEqual(record["metrics"]["peak_reserved_mib"], 130)
        self.not_warned(record, "another rank's may be higher")

    def test_each_run_of_a_log_is_a_record(self):
        lines = started(1) + config(1) + [timer(10)] + started(2) + config(2) + [timer(10, 12.8)]
        records = self.records(lines)
        self.assertEqual([record["strategy"] for record in records], ["zero1", "zero2"])
        self.assertEqual([record["metrics"]["throughput"] for record in records], [25.6, 12.8])
        records = self.records([timer(10), timer(20), timer(10), timer(20)])
        self.assertEqual(len(records), 2)

    def test_ranks_that_all_write_count_once(self):
        lines = []
        for step in (1, 2, 3):
            for rank in (1, 0, 2):
                lines.append(f"[rank{rank}]:" + timer(step, 25.6 + rank, 10 + rank))
        record = self.record(lines)
        self.assertEqual(record["import"]["values"]["samples"], 3)
        self.assertEqual(record["metrics"]["throughput"], 26.6)
        self.assertEqual(record["metrics"]["peak_memory_mb"], 12 * 1024)
        self.warned(record, "several ranks tell their steps; those of rank 1 count")
        self.warned(record, "the peak is of the ranks that report it; another")

    def test_a_number_cut_off_by_the_end_is_not_read(self):
        line = timer(20)
        path = self.write("cut.log", timer(10) + "\n" + line[:line.index("=25.0") + 2])
        run = subprocess.run([PROGRAM, "import", path], capture_output=True, encoding="utf-8")
        self.assertEqual(json.loads(run.stdout)["import"]["values"]["samples"], 1)

    def test_a_run_that_ran_out_of_memory_is_a_failed_one(self):
        lines = started(2) + config(2) + [
            timer(10), "[rank3]: Traceback (most recent call last):",
            '[rank3]:   File "train.py", line 1, in <module>',
            "[rank3]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]
        record = self.record(lines)
        self.assertEqual(record["failure"]["kind"], "out_of_memory")
        self.assertEqual(record["decision"], "failed")
        self.assertEqual(record["metrics"]["throughput"], 25.6)


    def test_a_run_that_failed_before_its_first_step_is_a_record(self):
        error = ["Traceback (most recent call last):", '  File "train.py", line 1, in <module>',
                 "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]
        records = self.records(started(1) + config(1) + error + started(2) + config(2) + [timer(5)])
        self.assertEqual([record["strategy"] for record in records], ["zero1", "zero2"])
        self.assertEqual(records[0]["failure"]["kind"], "out_of_memory")
        self.assertIsNone(records[1]["failure"])

    def test_the_pipelines_line(self):
        line = "[INFO] [logging.py:96:log_dist] [Rank 0] steps: {} loss: 2.3026 iter time (s): {} samples/sec: {}"
        record = self.record([line.format(10, 0.5, "128.000"), line.format(20, 0.4, "160.000")])
        self.assertEqual(record["metrics"]["step_time_ms"], 400)
        self.assertEqual(record["metrics"]["throughput"], 160)
        self.assertEqual(record["workload"]["global_batch"], 64)
        self.warned(record, "the mean of 10 iterations")

    def test_the_profilers_step_is_no_metric(self):
        lines = ["-------------------------- DeepSpeed Flops Profiler --------------------------",
                 "world size:                                                   8",
                 "data parallel size:                                           8",
                 "model parallel size:                                          1",
                 "iter latency:                                                 184.73 ms",
                 "samples/second:                                               2165.38"]
        record = self.record(lines + [timer(5)])
        self.assertEqual(record["workload"]["world_size"], 8)
        self.assertEqual(record["metrics"]["throughput"], 25.6)
        self.assertEqual(record["import"]["values"]["profiled_step_ms"], 184.73)
        self.assertEqual(record["import"]["values"]["profiled_samples_per_s"], 2165.38)
        self.warned(record, "the FLOPS profiler ran", 1)

    def test_arguments_of_the_training_loop(self):
        lines = ["  zero_optimization ............... {'stage': 1, 'reduce_scatter': True}updated",
                 "  global_num_gpus ................. 16.........................updated",
                 "  fp16 ............................ {'enabled': True, 'loss_scale': 0}default",
                 "  seq_length ...................... 2048"]
        record = self.record(lines + [timer(5)])
        self.assertEqual(record["strategy"], "zero1")
        self.assertEqual(record["workload"]["world_size"], 16)
        self.assertEqual(record["workload"]["dtype"], "fp16")
        self.assertEqual(record["workload"]["seq_len"], 2048)

    def test_a_megatron_loop_on_deepspeed_is_deepspeeds(self):
        loop = iteration(5, 100, consumed_samples=1, number_of_skipped_iterations=0,
                         number_of_nan_iterations=0)
        record = self.record(["megatron is initialized", "[before the start of training step]", timer(5),
                              loop])
        self.assertEqual(record["import"]["tool"], "deepspeed")


class Tuner(Import):
    TABLE = ["| tuning_space | num_experiments | best_metric_val | best_exp_name   |",
             "| :----------- | --------------: | --------------: | :-------------- |",
             "| z0           |               4 |         59.0229 | z0_gas1_tmbspg2 |",
             "| z1           |               5 |         87.3017 | z1_gas2_tmbspg3 |",
             "| z3           |               1 |               0 | z3_gas1_tmbspg3 |",
             "| global       |              13 |         87.3017 | z1_gas2_tmbspg3 |",
             "", "Tuning completed in 0:27:33.988447. Total number of experiments: 13."]

    def test_a_row_of_the_table_is_a_record_and_0_a_failure(self):
        records = self.records(self.TABLE, name="summary.txt")
        self.assertEqual([record["strategy"] for record in records], ["ddp", "zero1", "zero3"])
        self.assertEqual(records[1]["metrics"], {"throughput": 87.3017,
                                                 "throughput_unit": "samples/s"})
        self.assertEqual(records[1]["workload"], {"gradient_accumulation": 2, "micro_batch": 3})
        self.assertEqual(records[1]["import"]["values"]["experiments"], 5)
        self.assertEqual(records[2]["decision"], "failed")
        self.assertNotIn("throughput", records[2]["metrics"])
        self.warned(records[1], "does not name its metric", 4)

    def test_flops_are_no_throughput(self):
        records = self.records(self.TABLE[:2] + ["| z1 | 5 | 8.2e12 | z1_gas1_tmbspg3 |"])
        self.assertNotIn("throughput", records[0]["metrics"])

    def test_the_tuners_log_tells_why(self):
        line = ("[2023-01-01 00:00:00,000] [INFO] [scheduler.py:1:parse_results] The experiment exp_id "
                "= 3, exp_name = z3_gas1_tmbspg4, did not run successfully with error = : CUDA out of "
                "memory. Tried to allocate 1 GiB, thus a metrics.txt does not exist for it. Check the "
                "stderr.log in autotuning_results/z3_gas1_tmbspg4")
        records = self.records([line] + self.TABLE)
        self.assertEqual(records[0]["failure"]["kind"], "out_of_memory")
        self.assertEqual(records[0]["strategy"], "zero3")
        self.assertEqual(len(records), 4)

    def experiment(self, stage=1, **changes):
        settings = {"train_batch_size": 48, "train_micro_batch_size_per_gpu": 3,
                    "gradient_accumulation_steps": 1, "zero_optimization": {"stage": stage},
                    "fp16": {"enabled": True}, **changes}
        return {"name": f"z{stage}_gas1_tmbspg3", "ds_config": settings, "num_gpus": 8,
                "num_nodes": 2, "exp_id": 3}

    def test_an_experiment_and_what_stands_beside_it(self):
        self.write("z1/metrics.json", {"fwd": 100000.0, "bwd": 300000.0, "step": 200000.0,
                                       "latency": 600000.0, "FLOPS_per_gpu": 1e13,
                                       "throughput": 80.0, "rank": 0})
        record = self.record(self.experiment(), name="z1/exp.json")
        self.assertEqual(record["import"]["tool"], "deepspeed-autotuner")
        self.assertEqual(record["strategy"], "zero1")
        self.assertEqual(record["workload"]["world_size"], 16)
        self.assertEqual(record["workload"]["dtype"], "fp16")
        self.assertEqual(record["metrics"]["step_time_ms"], 600)
        self.assertEqual(record["metrics"]["throughput"], 80)
        self.assertEqual(len(record["import"]["values"]["sha256_of_metrics_json"]), 64)
        self.not_warned(record, "not of this configuration")

    def test_metrics_beside_their_experiment(self):
        self.write("z2/exp.json", self.experiment(2))
        record = self.record({"latency": 600.0, "throughput": 80.0}, name="z2/metrics.json")
        self.assertEqual(record["strategy"], "zero2")
        self.assertEqual(record["metrics"]["step_time_ms"], 600)
        self.assertEqual(record["import"]["lines"]["metrics.throughput"], [3])
        self.assertNotIn("strategy", record["import"]["lines"])
        record = self.record({"latency": 777.0, "throughput": 80.0}, name="z2/metrics.json")
        self.warned(record, "not of this configuration")

    def test_metrics_alone(self):
        record = self.record({"latency": 600.0, "throughput": 80.0}, name="metrics.json")
        self.assertEqual(record["metrics"], {"throughput": 80, "throughput_unit": "samples/s"})
        self.assertNotIn("strategy", record)

    def test_an_experiment_without_metrics_failed(self):
        record = self.record(self.experiment(3), name="z3/exp.json")
        self.assertEqual(record["failure"]["kind"], "exception")
        self.write("z3/stderr.log", ["torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
                                     "allocate 2.00 GiB."])
        record = self.record(self.experiment(3), name="z3/exp.json")
        self.assertEqual(record["failure"]["kind"], "out_of_memory")
        self.write("cut/metrics.json", '{"latency": 600.0, "thr')
        record = self.record(self.experiment(3), name="cut/exp.json")
        self.assertIn("not whole", record["failure"]["reason"])
        self.write("cut/metrics.json", "")
        record = self.record(self.experiment(3), name="cut/exp.json")
        self.assertIn("not whole", record["failure"]["reason"])
        os.makedirs(os.path.join(self.folder, "closed", "metrics.json", "x"))
        self.run_import(self.experiment(3), name="closed/exp.json", code=3)
        record = self.record({"latency": 600.0, "throughput": 0}, name="zero/metrics.json")
        self.assertEqual(record["decision"], "failed")

    def test_no_zero_section_is_ddp(self):
        experiment = self.experiment(0)
        del experiment["ds_config"]["zero_optimization"]
        self.assertEqual(self.record(experiment, name="exp.json")["strategy"], "ddp")


class Trainer(Import):
    def state(self, history, **changes):
        document = {"epoch": 1.0, "global_step": 100, "max_steps": 100, "num_train_epochs": 1,
                    "num_input_tokens_seen": 0, "train_batch_size": 4, "log_history": history,
                    **changes}
        return self.record(document, name="trainer_state.json")

    def test_the_plan_tells_ranks_and_batch(self):
        record = self.record(plan() + [str(report())])
        self.assertEqual(record["import"]["tool"], "hf-trainer")
        self.assertEqual(record["workload"], {"global_batch": 32, "gradient_accumulation": 2,
                                              "micro_batch": 4, "world_size": 4})
        self.assertEqual(record["metrics"], {"throughput": 16, "throughput_unit": "samples/s"})
        self.assertEqual(record["import"]["values"]["samples_counted"], 3200)
        self.assertEqual(record["import"]["values"]["mean_step_ms"], 2000)
        self.assertNotIn("step_time_ms", record["metrics"])
        self.run_import(plan() + [str(report())], "--set", "workload.world_size=8", code=2)

    def test_one_process_with_several_devices_is_no_ddp(self):
        lines = plan()
        lines.insert(4, "  Training with DataParallel so batch size has been adjusted to: 16")
        record = self.record(lines + [str(report())])
        self.assertNotIn("world_size", record["workload"])
        self.assertNotIn("micro_batch", record["workload"])
        self.warned(record, "DataParallel")

    def test_a_resumed_run_trained_less_than_its_rate_counts(self):
        record = self.record(plan() + ["  Continuing training from global step 75", str(report())])
        self.assertEqual(record["metrics"]["throughput"], 4)
        self.assertEqual(record["import"]["values"]["mean_step_ms"], 8000)
        self.warned(record, "counts 100 steps, of which this session trained 25")

    def test_an_early_stop_trained_less_than_its_rate_counts(self):
        record = self.state([report()], global_step=50)
        self.assertEqual(record["metrics"]["throughput"], 8)

    def test_old_versions_count_steps(self):
        old = report(samples=0.5, steps=None, train_samples=3200)
        record = self.record(old, name="train_results.json")
        self.assertNotIn("throughput", record["metrics"])
        self.assertEqual(record["import"]["values"]["steps_per_s"], 0.5)
        record = self.record(old, "--set", "workload.global_batch=32", name="train_results.json")
        self.assertEqual(record["metrics"]["throughput"], 16)

    def test_numbers_in_quotes_and_dictionaries_in_progress_bars(self):
        lines = plan() + ["  4%|\u258c    | 4/100 [00:01<00:10,  1.99it/s]{'loss': '3.5', 'grad_norm': "
                          "'nan', 'learning_rate': '5e-05', 'epoch': '0.04'}\r  5%|\u258c   | 5/100",
                          str({name: str(value) for name, value in report().items()})]
        record = self.record(lines)
        self.assertEqual(record["import"]["samples"]["losses"], [3.5])
        self.assertEqual(record["import"]["samples"]["grad_norms"], [None])
        self.assertEqual(record["metrics"]["throughput"], 16)

    def test_every_steps_losses_are_metrics_and_others_a_sample(self):
        record = self.state([{"loss": 3.0, "step": 1, "grad_norm": 1.5}, {"loss": 2.0, "step": 2},
                             report()])
        self.assertEqual(record["metrics"]["losses"], [3, 2])
        self.assertEqual(record["metrics"]["grad_norms"], [1.5, None])
        record = self.state([{"loss": 3.0, "step": 10}, {"loss": 2.0, "step": 20}, report()])
        self.assertNotIn("losses", record["metrics"])
        self.assertEqual(record["import"]["samples"]["steps"], [10, 20])
        lines = plan(**{"Total optimization steps": 2})
        logs = ["{'loss': 3.0, 'learning_rate': 1, 'epoch': 0.5}",
                "{'loss': 2.0, 'learning_rate': 1, 'epoch': 1.0}"]
        record = self.record(lines + logs + [str(report(steps=0.01))])
        self.assertEqual(record["metrics"]["losses"], [3, 2])

    def test_a_loss_of_0_that_hides_none(self):
        path = self.write("trainer_state.json",
                          '{"global_step": 2, "max_steps": 2, "train_batch_size": 1, "log_history": ['
                          '{"loss": 2.0, "grad_norm": 1.0, "step": 1}, '
                          '{"loss": 0.0, "grad_norm": NaN, "step": 2}]}')
        run = subprocess.run([PROGRAM, "import", path], capture_output=True, encoding="utf-8")
        record = json.loads(run.stdout)
        self.assertEqual(record["metrics"]["losses"], [2, None])
        self.assertIsNone(record["import"]["values"]["loss_last"])
        self.warned(record, "the run had not ended")

    def test_tokens_are_those_that_were_seen(self):
        record = self.record(report(train_tokens_per_second=1000.0, num_input_tokens_seen=800000),
                             name="all_results.json")
        self.assertEqual(record["import"]["values"]["tokens_per_s"], 4000)
        self.warned(record, "leaves out ranks or accumulation")
        record = self.record(report(train_tokens_per_second=1000.0), name="all_results.json")
        self.assertNotIn("tokens_per_s", record["import"]["values"])

    def test_a_rate_of_0_says_nothing(self):
        record = self.record(report(samples=0.0), name="all_results.json")
        self.assertNotIn("throughput", record["metrics"])
        self.warned(record, "a rate of 0")

    def test_the_peak_needs_all_four_counters(self):
        mib = 1 << 20
        counters = {"init_mem_gpu_alloc_delta": 200 * mib, "train_mem_gpu_alloc_delta": 300 * mib,
                    "train_mem_gpu_peaked_delta": 500 * mib}
        record = self.record(report(**counters), name="all_results.json")
        self.assertNotIn("peak_memory_mb", record["metrics"])
        self.assertEqual(record["import"]["values"]["training_peak_above_start_mib"], 800)
        record = self.record(report(before_init_mem_gpu=8 * mib, **counters),
                             name="all_results.json")
        self.assertEqual(record["metrics"]["peak_memory_mb"], 1008)
        block = ["***** train metrics *****", "  train_runtime              = 0:03:20.00",
                 "  before_init_mem_gpu        =        8MB",
                 "  init_mem_gpu_alloc_delta   =      200MB",
                 "  train_mem_gpu_alloc_delta  =      300MB",
                 "  train_mem_gpu_peaked_delta =      500MB",
                 "  train_samples_per_second   =       16.0",
                 "  train_steps_per_second     =        0.5"]
        record = self.record(plan() + block)
        self.assertEqual(record["metrics"]["peak_memory_mb"], 1008)
        self.assertEqual(record["import"]["values"]["runtime_s"], 200)

    def test_deepspeed_under_the_trainer_tells_the_strategy(self):
        record = self.record(started(3) + config(3, train_batch_size=32,
                                                 train_micro_batch_size_per_gpu=4, world_size=4,
                                                 gradient_accumulation_steps=2)[:9]
                             + plan() + [str(report())])
        self.assertEqual(record["import"]["tool"], "hf-trainer")
        self.assertEqual(record["strategy"], "zero3")
        self.assertEqual(record["workload"]["world_size"], 4)
        self.assertEqual(record["metrics"]["throughput"], 16)

    def test_two_runs_in_one_log(self):
        records = self.records(plan() + [str(report())] + plan() + [str(report(samples=8.0,
                                                                              steps=0.25))])
        self.assertEqual([record["metrics"]["throughput"] for record in records], [16, 8])

    def test_reports_of_all_ranks_are_one_run(self):
        lines = plan() + [f"[rank{rank}]:{report(runtime=200.0 + rank)}" for rank in range(4)]
        self.assertEqual(self.record(lines)["import"]["values"]["runtime_s"], 200)
        self.assertEqual(len(self.records(plan() + [str(report(runtime=200.1)), str(report())])), 1)

    def test_two_runs_of_a_notebook(self):
        shown = "TrainOutput(global_step=100, training_loss=2.5, metrics={})"
        first, second = report(), report(runtime=400.0, samples=8.0, steps=0.25)
        records = self.records([str(first), shown.format(first), shown.format(second)])
        self.assertEqual([record["metrics"]["throughput"] for record in records], [16, 8])
        self.not_warned(records[0], "reports of training")

    def test_evaluation_alone_is_no_training(self):
        self.run_import({"eval_loss": 2.0, "eval_runtime": 3.0}, name="eval_results.json", code=3)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
