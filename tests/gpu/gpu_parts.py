"""The parts of tests/gpu/run."""
import os
import re
import shutil
import subprocess

import compare_runs
import gpu_machine
from part_runner import PartFailed, PartSkipped, some

KERNEL_TESTS = "kernels against double"
KERNEL_TEST_S = 40  # of one program
# Small enough for seconds, with more than one bucket, odd sizes and several gradient micro-batches.
SMALL = ("--width", "192", "--layers", "3", "--heads", "3", "--vocab", "1003", "--seq-len", "96", "--micro-batch",
         "2", "--gradient-accumulation", "2", "--bucket-mb", "1", "--warmup", "1", "--repeats", "9")
# In the emulation a thread of the GPU is one of many that a core plays.
TINY = ("--width", "32", "--layers", "2", "--heads", "2", "--vocab", "67", "--seq-len", "12", "--micro-batch", "2",
        "--gradient-accumulation", "2", "--bucket-mb", "0.02", "--warmup", "1", "--repeats", "2")
# The size that the target is stated for (cuda/README.md has the floors).
LARGE = ("--width", "2048", "--layers", "16", "--heads", "16", "--vocab", "50304", "--seq-len", "1024", "--micro-batch",
         "8", "--gradient-accumulation", "1", "--dtype", "bf16", "--warmup", "3", "--repeats", "10")
TARGET_UTILISATION = 0.40
# What AdamW moves for a parameter in bf16: fp32 weight, two moments read and written, gradient read,
# bf16 copy written.
ADAMW_BYTES = 6 * 4 + 2 + 2


def completed(folder, strategy):
    """The evidence of a strategy that did not fail."""
    evidence = compare_runs.read(folder / f"{strategy}.json")
    if evidence["failure"] is not None:
        raise PartFailed(evidence["failure"]["reason"])
    return evidence


def share_of(evidence):
    """What of the device's own matrix products the training was, against the target."""
    metrics = evidence["metrics"]
    if metrics.get("utilisation") is None:
        return f"utilisation not known ({metrics.get('utilisation_note')})"
    verdict = "met" if metrics["utilisation"] >= TARGET_UTILISATION else "MISSED"
    return (f"{metrics['achieved_tflops']:.1f} of {evidence['calibration']['matrix_product_tflops']:.1f} TFLOP/s a GPU:"
            f" utilisation {100 * metrics['utilisation']:.1f} %, target {100 * TARGET_UTILISATION:.0f} % {verdict}")


class Check:
    def __init__(self, runner, root, output, gpus, packages):
        self.runner, self.root, self.output, self.gpus, self.packages = runner, root, output, gpus, packages
        self.tree = output / "build"
        self.program = self.tree / "collect" / "rankledger-collect"
        self.copy_gb_per_s = None

    # --- building ---

    def configure(self):
        cmake = shutil.which("cmake", path=self.runner.environment["PATH"])
        if not cmake:
            raise PartFailed("no cmake (3.25 or newer; python3 -m pip install cmake has it)")
        toolkit = gpu_machine.toolkit()
        if not toolkit:
            raise PartFailed("no CUDA toolkit: nvcc is neither in PATH nor in /usr/local/cuda")
        options = gpu_machine.library_options(toolkit)
        if self.packages:
            options += gpu_machine.package_options(self.packages)
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        capabilities = sorted({f"{capability}-real" for _, capability in self.gpus}) or ["90-real"]
        self.run_tool(cmake, "-S", self.root, "-B", self.tree, "-DCMAKE_BUILD_TYPE=Release",
                      "-DRANKLEDGER_COLLECTOR_ONLY=ON", "-DRANKLEDGER_CUDA_REQUIRED=ON",
                      f"-DRANKLEDGER_CUDA_ARCHITECTURES={';'.join(capabilities)}", *options)
        return cmake

    def run_tool(self, *command):
        """Compilers and the like do not get the carried libraries, which may be older than their own."""
        self.runner.run(*command, environment={"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")})

    def compile(self):
        cmake = self.configure()
        jobs = len(os.sched_getaffinity(0))
        self.run_tool(cmake, "--build", self.tree, "--parallel", jobs, "--target", "rankledger-collect",
                      "rankledger_cuda", "gpu_tests")
        return f"with {jobs} jobs"

    def build(self):
        self.runner.part("build", 150, self.compile)

    # --- kernels ---

    def kernels(self):
        failed, passed = [], []
        for program in sorted((self.tree / "tests" / "cuda" / "gpu").glob("gpu_*")):
            try:
                self.runner.run(program, limit_s=KERNEL_TEST_S)
                passed.append(program.name)
            except PartFailed as fault:
                failed.append(str(fault))
            except subprocess.TimeoutExpired:
                failed.append(f"{program.name} had not ended after {KERNEL_TEST_S} s")
        if failed or not passed:
            self.runner.note("\n".join(failed))
            raise PartFailed(some(failed) if failed else "no test was built")
        return f"{len(passed)} programs: " + ", ".join(name[len("gpu_"):] for name in passed)

    def copy_rate(self):
        said = self.runner.run(self.tree / "tests" / "cuda" / "copy_rate")
        self.copy_gb_per_s = float(re.search(r"copy ([\d.]+) GB/s", said)[1])
        return f"{self.copy_gb_per_s:.0f} GB/s read and written"

    def kernel_rates(self):
        said = self.runner.run(self.tree / "tests" / "cuda" / "kernel_rates")
        rates = re.findall(r"^(.+): ([\d.]+) us, (\d+) GB/s$", said, re.M)
        if not rates:
            raise PartFailed("no rate was printed")
        if not self.copy_gb_per_s:
            return "; ".join(f"{name} {rate} GB/s" for name, _, rate in rates)
        shares = (f"{name} {100 * float(rate) / self.copy_gb_per_s:.0f} %" for name, _, rate in rates)
        return "of the copy rate: " + "; ".join(shares)

    def operator_rates(self):
        said = self.runner.run(self.tree / "tests" / "cuda" / "operator_rates")
        rates = re.findall(r"^(.+): [\d.]+ us, ([\d.]+) TFLOP/s$", said, re.M)
        if not rates:
            raise PartFailed("no rate was printed")
        return "TFLOP/s: " + "; ".join(f"{name} {float(rate):.0f}" for name, rate in rates)

    # --- training ---

    def train(self, backend, name, ranks, sizes, *options, expect=(0,), environment=None):
        """Trains; the folder of the evidence."""
        folder = self.output / "evidence" / name
        self.runner.run(self.program, "run", "--backend", backend, "--world-size", ranks, "--output-dir", folder,
                        *sizes, *options, expect=expect, environment=environment)
        return folder

    def compare(self, dtype, sizes):
        def work():
            ranks = len(self.gpus)
            both = ("--strategy", "all", "--dtype", dtype)
            # 1: a strategy failed, which its evidence says better.
            gpu = self.train("cuda", f"cuda-{dtype}", ranks, sizes, *both, expect=(0, 1))
            failed = compare_runs.failures(gpu)
            if len(failed) == len(compare_runs.STRATEGIES):  # then there is nothing to compare
                raise PartFailed(some(failed))
            # Threads that wait shall not spin: the host may have other work.
            cpu = self.train("cpu", f"cpu-{dtype}", ranks, sizes, *both,
                             environment={"OMP_WAIT_POLICY": "passive"})
            faults, most = compare_runs.compare(gpu, cpu, dtype)
            if faults:
                self.runner.note("\n".join(faults))
                raise PartFailed(some(faults))
            return (f"5 strategies, {ranks} rank(s): losses within {most:.1e} of the CPU's"
                    f" (allowed {compare_runs.LOSS_TOLERANCE[dtype]:.0e}), calls and bytes equal")
        return work

    def shared(self, sizes):
        """Two ranks on one GPU: NCCL may refuse it."""
        if len(self.gpus) > 1:
            raise PartSkipped("there are several GPUs")
        folder = self.train("cuda", "shared", 2, sizes, "--strategy", "zero1", "--share-device", "--timeout", "20",
                            "--dtype", "fp32", expect=(0, 1))
        return f"evidence level {completed(folder, 'zero1')['evidence_level']}"

    # --- time ---

    def timed(self, sizes):
        folder = self.train("cuda", "timed", len(self.gpus), sizes, "--strategy", "ddp", expect=(0, 1))
        evidence = completed(folder, "ddp")
        metrics, ranks = evidence["metrics"], evidence["timing"]["per_rank"]
        slowest = max(ranks, key=lambda rank: rank["step_ms"])
        line = (f"{metrics['step_time_ms']:.1f} ms a step, {metrics['throughput']:.0f} tokens/s, {share_of(evidence)};"
                f" forward {slowest['forward_ms']:.1f}, backward {slowest['backward_ms']:.1f},"
                f" optimizer {slowest['optimizer_ms']:.1f} ms")
        if self.copy_gb_per_s:
            floor = evidence["workload"]["parameters"] * ADAMW_BYTES / self.copy_gb_per_s / 1e6
            line += f" (AdamW at the copy rate: {floor:.1f})"
        return line

    # --- sanitizer ---

    def sanitizer(self):
        tool = shutil.which("compute-sanitizer", path=self.runner.environment["PATH"])
        if not tool:
            raise PartSkipped("no compute-sanitizer here")
        # Under mpirun the program joins: the tool then watches the rank itself.
        folder = self.output / "evidence" / "sanitizer"
        folder.mkdir(parents=True, exist_ok=True)
        said = self.runner.run("mpirun", "-n", 1, tool, "--tool", "memcheck", "--error-exitcode", 9,
                               "--report-api-errors", "no", "--target-processes", "all", self.program, "run",
                               "--backend", "cuda", "--strategy", "zero3", "--output-dir", folder, "--dtype", "bf16",
                               "--timeout", 50, *TINY)
        # The program may start itself anew; what is not watched has no errors.
        if "ERROR SUMMARY: 0 errors" not in said:
            raise PartFailed("memcheck did not say that it watched")
        return "memcheck found nothing in a run of zero3"

    # --- all ---

    def preflight(self):
        self.runner.run(self.program, "preflight", "--backend", "cuda", "--world-size", len(self.gpus))
        return f"{len(self.gpus)} GPU(s) ready"

    def everything(self):
        part = self.runner.part
        part("preflight", 20, self.preflight, needs=("build",))
        part(KERNEL_TESTS, 60, self.kernels, needs=("build",))
        part("copy rate", 15, self.copy_rate, required=False, needs=("build",))
        part("kernel rates", 20, self.kernel_rates, required=False, needs=("build",))
        part("operator rates", 20, self.operator_rates, required=False, needs=("build",))
        part("strategies, fp32", 60, self.compare("fp32", SMALL), needs=("build",))
        part("strategies, bf16", 60, self.compare("bf16", SMALL), needs=("build",))
        part("time of a step", 75, lambda: self.timed(LARGE), needs=("build",))
        part("two ranks on one GPU", 30, lambda: self.shared(SMALL), required=False, needs=("build",))
        part("compute-sanitizer", 60, self.sanitizer, required=False, needs=("build",))

    def rehearse(self, program):
        """What can be done without a GPU: the parts that train, with the emulated collector."""
        part = self.runner.part
        self.program = program
        self.runner.environment["CUDA_EMULATION_DEVICES"] = str(len(self.gpus))
        part("preflight", 60, self.preflight)
        part("strategies, fp32", 120, self.compare("fp32", TINY))
        part("strategies, bf16", 120, self.compare("bf16", TINY))
        part("time of a step", 60, lambda: self.timed(TINY))
        part("two ranks on one GPU", 60, lambda: self.shared(TINY), required=False)
