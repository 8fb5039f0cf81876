#!/usr/bin/env python3
"""What analyze proposes is run: proposed_runs.py RANKLEDGER COLLECTOR CASES

Every command that analyze proposes for the cases is accepted by the collector, and the peaks that
it predicts of our own collector's runs are those that the collector then measures.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

RANKLEDGER = COLLECTOR = CASES = None
MIB = 2**20
STRATEGIES = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]
faults = []


def check(holds, *message):
    if not holds:
        faults.append(" ".join(str(part) for part in message))


def collect(folder, *options, code=0):
    """The evidence of one strategy, by strategy."""
    done = subprocess.run([COLLECTOR, "run", "--output-dir", str(folder), *options], check=False,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    check(done.returncode == code, "exit code", done.returncode, options, done.stderr)
    return {path.stem: json.loads(path.read_text(encoding="utf-8"))
            for path in pathlib.Path(folder).glob("*.json")}


def actions(*arguments):
    done = subprocess.run([RANKLEDGER, "analyze", "--output", "-", *map(str, arguments)],
                          check=False, capture_output=True, text=True)
    check(done.returncode in (0, 1), "exit code", done.returncode, arguments, done.stderr)
    summary = json.loads(done.stdout)
    decisions = [summary["decision"], *(group["decision"] for group in summary["groups"])]
    return [action for decision in decisions for action in decision["next_actions"]]


def run_proposed(action, folder):
    """Measured peak of a proposed run, bytes a rank."""
    words = shlex.split(action["command"])
    check(words[:2] == ["rankledger-collect", "run"], words)
    place = words.index("--output-dir")
    evidence = collect(folder, *(words[2:place] + words[place + 2:]))
    return max(evidence[action["strategy"]]["metrics"]["peak_memory_mb_per_rank"])


# ---- every option is accepted ----


def refusals(command, folder):
    """What the collector says of a command before it starts anything: where evidence exists it
    starts nothing, and lists every other fault besides."""
    for strategy in STRATEGIES:
        pathlib.Path(folder, strategy + ".json").write_text("{}", encoding="utf-8")
    words = shlex.split(command)
    words[words.index("--output-dir") + 1] = str(folder)
    done = subprocess.run([COLLECTOR, *words[1:]], check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    check(done.returncode == 2, "exit code", done.returncode, command)
    lines = [line.strip() for line in done.stderr.strip().splitlines()]
    return [line for line in lines if "exists; --force" not in line
            and "nothing was started" not in line]


def own_like(strategy, **changes):
    """A record of a model that the collector knows, with odd settings."""
    workload = {"model": "gpt", "width": 64, "layers": 2, "heads": 4, "vocab": 97, "seq_len": 32,
                "world_size": 2, "micro_batch": 6, "gradient_accumulation": 1, "dtype": "fp32",
                "warmup": 0, "repeats": 3, "seed": 2**53, "learning_rate": 1e-7,
                "max_grad_norm": 0, "activation_checkpointing": True, "parameters": 110000}
    workload.update(changes)
    return {"schema": "rankledger.evidence/1", "strategy": strategy, "workload": workload,
            "hardware": {"device": "X"}, "metrics": {"peak_memory_mb": 100, "throughput": 10,
                                                     "communication_ratio": 0.9},
            "evidence_level": "cpu_multi_process", "failure": None, "decision": "measured",
            "strategy_options": {"bucket_bytes": 1000, "prefetch": 0, "overlap": False,
                                 "persistence_threshold": 1e15},
            "environment": {"per_rank": [{"threads": 3}, {"threads": 3}]},
            "rounds": [{}, {}]}


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_options(folder):
    upstream = [CASES / "upstream" / name for name in ("u01_gpt2_124m_ddp.json",
                                                       "u02_gpt2_124m_zero1.json")]
    commands = set()
    limits = (["--memory-limit", "16GB"], ["--max-communication-ratio", "0.05"],
              ["--min-throughput", "1e9"], ["--memory-limit", "1GB"])
    odd = [write(folder / "zero3.json", own_like("zero3")),
           write(folder / "seedless.json", own_like("zero2", seed=-1, learning_rate=1e9)),
           write(folder / "alone.json", own_like("ddp", world_size=1)),
           write(folder / "many.json", own_like("ddp", world_size=4096, heads=None)),
           write(folder / "unfit.json", own_like("ddp", width=200, heads=None)),
           write(folder / "unfit2.json", own_like("ddp", heads=3))]
    for limit in limits:
        for paths in (upstream, [CASES / "compare"], [CASES / "json"], *([path] for path in odd)):
            commands |= {action["command"] for action in actions(*limit, *paths)}
    commands.discard(None)
    check(len(commands) >= 15, "only", len(commands), "commands")
    check(any("--persistence-threshold 1000000000000000 " in c and "--seed 9007199254740992 " in c
              and "--threads 3" in c and "--rounds 2" in c and "--no-overlap" in c
              for c in commands), "options of a record are missing")
    for unfit in ("--world-size 4096", "--width 200", "--heads 3"):
        check(not any(unfit in command for command in commands), unfit, "is proposed")
    place = folder / "exists"
    place.mkdir()
    for command in sorted(commands):
        said = refusals(command, place)
        check(not said, command, "is refused:", said)
    return len(commands)


# ---- predicted peaks ----

SHAPE = ["--width", "72", "--heads", "3", "--layers", "2", "--vocab", "211", "--seq-len", "40",
         "--micro-batch", "4", "--warmup", "0", "--repeats", "1", "--world-size", "2"]


def check_prediction(action, folder):
    """The proposed run's peak is what was said: exactly, or with another micro-batch at most."""
    real = run_proposed(action, folder)
    predicted = action["predicted_peak_mb"]
    what = (action["kind"], action["strategy"], action["prediction"], predicted, real)
    if action["kind"] == "micro_batch":
        check(action["prediction"] == "at most" and real <= predicted, *what)
    else:
        check(action["prediction"] == "exact" and real == predicted, *what)


def test_less_memory(folder):
    """From ddp in fp32, with units that need padding: every strategy, checkpointing, a smaller
    micro-batch; the same from a run that ran out of memory."""
    measured = collect(folder / "ddp", "--strategy", "ddp", "--dtype", "fp32", *SHAPE)
    peak = measured["ddp"]["metrics"]["peak_memory_mb"]
    proposed = actions("--memory-limit-mb", str(peak - 1 / 64), folder / "ddp")
    found = {(action["kind"], action["strategy"]) for action in proposed}
    for strategy in STRATEGIES[1:]:
        check(("strategy", strategy) in found, strategy, "is not proposed:", found)
    for kind in ("micro_batch", "activation_checkpointing"):
        check((kind, "ddp") in found, kind, "is not proposed:", found)
    for number, action in enumerate(proposed):
        check_prediction(action, folder / f"less{number}")
    limit = max(a["predicted_peak_mb"] for a in proposed if a["kind"] == "strategy")
    # Alone it would not be started; with one that fits it is, and runs out of memory.
    collect(folder / "oom", "--strategy", "ddp,zero1", "--dtype", "fp32", *SHAPE,
            "--memory-limit", f"{int(limit * MIB)}B", code=1)
    after = [a for a in actions(folder / "oom/ddp.json") if a["kind"] == "strategy"]
    check({(a["strategy"], a["predicted_peak_mb"]) for a in after} ==
          {(a["strategy"], a["predicted_peak_mb"]) for a in proposed if a["kind"] == "strategy"},
          "out of memory:", after)
    check(all(a["prediction"] == "exact" and a["status"] == "predicted_pass" for a in after), after)


def test_more_memory(folder):
    """From zero3 in bf16: a larger micro-batch, less sharding."""
    measured = collect(folder / "zero3", "--strategy", "zero3", "--dtype", "bf16", *SHAPE)
    exposed = measured["zero3"]["metrics"]["communication_ratio"]
    limit = exposed / 2 / (1 - exposed / 2) * (1 + 1e-9)
    proposed = [action for action in
                actions("--max-communication-ratio", str(limit), folder / "zero3")
                if action["kind"] == "micro_batch" or action["strategy"] == "zero2"]
    check({action["kind"] for action in proposed} == {"micro_batch", "strategy"}, proposed)
    for number, action in enumerate(proposed):
        check_prediction(action, folder / f"more{number}")


def main():
    global RANKLEDGER, COLLECTOR, CASES
    RANKLEDGER, COLLECTOR, CASES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        commands = test_options(place)
        test_less_memory(place)
        test_more_memory(place)
    print("\n".join(faults) or f"{commands} commands are accepted")
    sys.exit(1 if faults else 0)


main()
