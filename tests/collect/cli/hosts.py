"""Hosts to start ranks on: network namespaces of this machine, joined by a virtual cable.

Each has its own network, name, /dev/shm and a folder that the other does not see, so ranks of two
hosts can talk through the network alone. Everything lives below one process in namespaces of its
own: whatever ends it, the kernel ends the hosts and all that runs on them.
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
INSIDE = "RANKLEDGER_TEST_INSIDE"
NETWORK = "10.213.7"  # of these namespaces alone
UNSHARE = ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child",
           "--mount-proc"]

SET_UP = """
set -e
mount -t tmpfs -o size=2g shared /dev/shm
mount -t tmpfs -o size=256m own {folder}/own
mount --bind {folder}/names /etc/hosts
hostname {name}
ip link set lo up
echo up
exec sleep infinity
"""

# What mpirun calls instead of ssh: AGENT host command...
AGENT = """#!/bin/sh
host=$1; shift
read -r pid < {folder}/$host.pid
exec nsenter --target $pid --mount --net --uts --ipc -- /bin/sh -c "$*"
"""


def enter():
    """Starts this program anew in namespaces of its own; ends it with SKIPPED where none can be."""
    if os.environ.get(INSIDE):
        return
    missing = [program for program in ("ip", "unshare", "nsenter", "hostname", "mpirun")
               if not shutil.which(program)]
    if missing:
        print(f"skipped: no program {missing[0]}")
        sys.exit(SKIPPED)
    command = UNSHARE + (["--map-root-user"] if os.getuid() != 0 else [])
    # What a host needs is tried, too: some containers and kernels allow the one without the other.
    tried = subprocess.run(
        [*command, "sh", "-c", "ip link add cable type veth peer name end && "
         "unshare --net --mount --uts --ipc sh -c 'mount -t tmpfs x /dev/shm && hostname x'"],
        capture_output=True, text=True)
    if tried.returncode != 0:
        words = (tried.stderr.strip().splitlines() or ["it fails without a word"])[-1]
        print(f"skipped: no namespaces can be made here: {words}")
        sys.exit(SKIPPED)
    os.execvpe(command[0], [*command, sys.executable, *sys.argv], dict(os.environ, **{INSIDE: "1"}))


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Hosts:
    """hosta and hostb. `folder` is shared, folder/own is each host's."""

    NAMES = ("hosta", "hostb")

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        os.makedirs(self.path("own"))
        with open(self.path("names"), "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n")
            for number, name in enumerate(self.NAMES, 1):
                file.write(f"{NETWORK}.{number} {name}\n")
        with open(self.path("agent"), "w", encoding="utf-8") as file:
            file.write(AGENT.format(folder=folder))
        os.chmod(self.path("agent"), 0o755)
        for name in self.NAMES:
            self.add(name)
        first, second = (self.processes[name].pid for name in self.NAMES)
        self.inside("hosta", "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable",
                    "netns", str(second))
        for number, name in enumerate(self.NAMES, 1):
            self.inside(name, "ip", "addr", "add", f"{NETWORK}.{number}/24", "dev", "cable")
            self.inside(name, "ip", "link", "set", "cable", "up")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def add(self, name):
        process = subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", "--ipc", "sh", "-c",
             SET_UP.format(folder=self.folder, name=name)],
            stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        self.processes[name] = process
        if process.stdout.readline() != "up\n":
            raise OSError(f"{name} does not come up")
        process.stdout.close()
        with open(self.path(name + ".pid"), "w", encoding="utf-8") as file:
            file.write(f"{process.pid}\n")

    def enter_command(self, name):
        return ["nsenter", "--target", str(self.processes[name].pid), "--mount", "--net", "--uts",
                "--ipc", "--"]

    def inside(self, name, *command):
        return subprocess.run([*self.enter_command(name), *command], check=True,
                              capture_output=True, text=True)

    def mpirun(self, *ranks):
        """The command that starts `ranks` ranks on each host, from the first."""
        places = ",".join(f"{name}:{count}" for name, count in zip(self.NAMES, ranks))
        kept = [word for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS",
                                     "CUDA_EMULATION_DEVICES")
                if name in os.environ for word in ("-x", name)]
        return [*self.enter_command(self.NAMES[0]),
                "env", "PRTE_MCA_plm_ssh_agent=" + self.path("agent"),  # its name in Open MPI 5
                "mpirun", "--allow-run-as-root",
                "--wdir", self.folder, "--oversubscribe", "--host", places, "-n", str(sum(ranks)),
                "--mca", "plm_rsh_agent", self.path("agent"),
                "--mca", "mpi_yield_when_idle", "1", *kept]

    def see(self, name, *names):
        """A path as `name` sees it."""
        return os.path.join(f"/proc/{self.processes[name].pid}/root", self.path(*names).lstrip("/"))

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
