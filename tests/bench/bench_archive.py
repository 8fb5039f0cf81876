"""Times analyze --output-dir on archives of many groups: bench_archive.py PROGRAM DIR [ROUNDS [RECORDS GROUPS]]

Makes the archives in DIR where they are not there yet (evidence_archive.py: a file a record, lines, both), then analyses each into an
empty folder and once more over the files of the run before. Best of ROUNDS (5) by the clock, with that round's processor time and
largest resident memory.
"""
import os
import shutil
import subprocess
import sys
import time


def run(program, archive, output):
    start = time.monotonic()
    child = subprocess.Popen([program, "analyze", "--output-dir", output, archive], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, state, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(state)
    if child.returncode not in (0, 1):
        sys.exit(f"exit code {child.returncode}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def show(what, results):
    clock, processor, memory = min(results)
    print(f"{what:28} {clock:6.2f} s  {processor:6.2f} s of processor time  {memory:5.0f} MiB", flush=True)


def main():
    program, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    records, groups = sys.argv[4:6] if len(sys.argv) > 5 else ("10000", "500")
    for form in ("tree", "lines", "mixed"):
        archive = f"{folder}/{form}_{records}_{groups}"
        if not os.path.isdir(archive):
            maker = os.path.join(os.path.dirname(__file__), "evidence_archive.py")
            subprocess.run([sys.executable, maker, archive, records, groups, form], check=True)
        output = f"{folder}/index"
        results = {"into an empty folder": [], "over the files before": []}
        for _ in range(rounds):
            shutil.rmtree(output, ignore_errors=True)
            for found in results.values():
                found.append(run(program, archive, output))
        for what, found in results.items():
            show(f"{form}, {what}", found)


main()
