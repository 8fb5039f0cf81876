"""What the tests of rankledger-collect share: running it, looking at what it wrote and left behind."""
import glob
import json
import os
import signal
import subprocess
import tempfile
import time
import uuid

# A model that trains in milliseconds.
SMALL = ["--width", "32", "--layers", "2", "--heads", "2", "--vocab", "64", "--seq-len", "16",
         "--dtype", "fp32", "--warmup", "1", "--repeats", "4"]
MARK = "RANKLEDGER_TEST_RUN"


class Collector:
    """One run in a folder of its own; every process of it carries a mark in its environment."""

    def __init__(self, program, rankledger, folder=None):
        self.program, self.rankledger = program, rankledger
        self.folder = folder or tempfile.mkdtemp(prefix="collect-test-")
        self.temporary = os.path.join(self.folder, "tmp")
        os.makedirs(self.temporary, exist_ok=True)
        self.mark = uuid.uuid4().hex

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def environment(self, **changes):
        environment = dict(os.environ, TMPDIR=self.temporary, **{MARK: self.mark})
        environment.pop("OMP_NUM_THREADS", None)
        environment.update(changes)
        return environment

    def start(self, *arguments, before=(), **changes):
        self.process = subprocess.Popen(
            [*before, self.program, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment(**changes))
        return self.process

    def finish(self, timeout=100):
        out, err = self.process.communicate(timeout=timeout)
        return subprocess.CompletedProcess([], self.process.returncode, out, err)

    def run(self, *arguments, before=(), **changes):
        self.start(*arguments, before=before, **changes)
        return self.finish()

    def train(self, *arguments, ranks=2, **options):
        return self.run("run", "--world-size", str(ranks), "--output-dir", "out", *SMALL,
                        *arguments, **options)

    def evidence(self, name, folder="out"):
        with open(self.path(folder, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def validate(self, *paths):
        """Everything written must be sound, warnings included."""
        return subprocess.run([self.rankledger, "validate", "--strict", *(paths or ("out",))],
                              cwd=self.folder, capture_output=True, text=True)

    # ---- what must not stay behind ----

    def processes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    environment = file.read()
            except OSError:
                continue
            if f"{MARK}={self.mark}".encode() in environment.split(b"\0"):
                found.append(int(path.split("/")[2]))
        return found

    def launch_folders(self):
        return (glob.glob(f"/dev/shm/rankledger-{self.process.pid}-*") +
                glob.glob(self.temporary + "/*"))

    def left_behind(self, seconds=3):
        """Processes, folders, half-written files; what has just been killed gets a moment."""
        end = time.monotonic() + seconds
        while True:
            left = [f"process {pid}" for pid in self.processes()] + self.launch_folders()
            for folder, _, files in os.walk(self.folder):
                left += [os.path.join(folder, name) for name in files if ".tmp" in name]
                if ".tmp" in os.path.basename(folder):
                    left.append(folder)
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.05)

    def wait_for_step(self, seconds=60):
        """Until the ranks exist; returns the launch folder."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            folders = glob.glob(f"/dev/shm/rankledger-{self.process.pid}-*/vader_segment*")
            if len(folders) >= 2:
                return os.path.dirname(folders[0])
            time.sleep(0.02)
        raise AssertionError("the ranks did not come up")

    def ranks(self):
        """{rank: pid}, from what mpirun told them."""
        found = {}
        for pid in self.processes():
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    entries = file.read().split(b"\0")
            except OSError:
                continue
            for entry in entries:
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(entry.split(b"=")[1])] = pid
        return found

    def wait_until_asleep(self, rank, seconds=60):
        """Until a rank has done nothing for a while: one that computes or polls never sleeps."""
        end = time.monotonic() + seconds
        asleep = 0
        while asleep < 15:
            if time.monotonic() > end:
                raise AssertionError(f"rank {rank} does not stand still")
            time.sleep(0.02)
            try:
                with open(f"/proc/{self.ranks()[rank]}/stat", encoding="utf-8") as file:
                    asleep = asleep + 1 if file.read().rpartition(")")[2].split()[0] == "S" else 0
            except (OSError, KeyError):
                asleep = 0

    def end(self):
        """Whatever a failing test left running."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
