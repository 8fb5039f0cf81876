#!/usr/bin/env python3
"""Generated evidence through the program and through decision_model.py: PROGRAM CASES [FIRST_SEED]

Eligibility, failed gates, margins, pooled values, the order, the selection, decision, rule and gain
must agree; the order of arguments must not matter; the summary must verify; and each sensitivity
must come true one step beyond its value and not before.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

import decision_cases
import decision_model as model
import interval_model

PROGRAM, COUNT = sys.argv[1], int(sys.argv[2])
FIRST_SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
EACH_SENSITIVITY = 8  # it takes dozens of runs
GATES = ["runtime", "memory", "throughput", "communication"]


class Mismatch(Exception):
    pass


def same(what, got, want):
    if got != want:
        raise Mismatch("%s: program %r, model %r" % (what, got, want))


def close(what, got, want, scale=None):
    """The model adds in another order: 1e-9 is far above rounding and far below any margin of use,
    which is compared on the scale of its limit."""
    if got is None or want is None:
        return same(what, got, want)
    if abs(got - want) > 1e-9 * (scale or max(abs(got), abs(want))):
        raise Mismatch("%s: program %r, model %r" % (what, got, want))


def check_gates(got, want):
    tag = got["label"]
    gates = {gate["name"]: gate for gate in got["gates"]}
    same(tag + " order of gates", [gate["name"] for gate in got["gates"]][:4], GATES)
    for name, verdict, margin in want["gates"]:
        same("%s %s verdict" % (tag, name), gates[name]["verdict"], verdict)
        limit = gates[name]["limit"]
        close("%s %s margin" % (tag, name), gates[name]["margin"], margin, limit)
        if margin is not None and limit and math.isfinite(margin / limit * 100):
            close("%s %s percent" % (tag, name), gates[name]["margin_percent"],
                  margin / limit * 100, 100)


def check_candidate(got, want):
    tag = got["label"]
    same(tag + " gate_failures", got["gate_failures"], want["failures"])
    same(tag + " eligible", got["eligible"], not want["failures"])
    check_gates(got, want)
    for name, key in (("peak_memory_mb", "peak"), ("throughput", "throughput"),
                      ("step_time_ms", "time"), ("communication_ratio", "comm")):
        close(tag + " " + name, got["metrics"].get(name), want[key])
    close(tag + " resident", got["ledger"]["resident_mb"], want["resident"])
    for kind in model.KINDS:
        close(tag + " " + kind, got["memory"]["kinds"][kind], want["peaks"].get(kind))


def check_interval(got, want):
    """The same generator, so the same resamples; only of what the order rests on."""
    if "resampled" not in want or want["resampled"] is None:
        return
    tag, interval = got["label"] + " interval", got["interval"]
    low, high = interval_model.bounds(want["resampled"])
    close(tag + " lower", interval["throughput"][0], low)
    close(tag + " upper", interval["throughput"][1], high)
    rounds = len([n for n in want["rounds"] if n]) >= interval_model.FEWEST
    same(tag + " unit", interval["unit"], "round" if rounds else "within_run")


def check_decision(got, want):
    if want["rule"] is None:
        acts = bool(got["next_actions"])
        same("rule, with actions %s" % acts, (got["decision"], got["rule"]),
             ("tune", "adjustment") if acts else ("reject", "no_adjustment"))
        return
    same("decision", (got["decision"], got["rule"]), (want["decision"], want["rule"]))
    if want["rule"] not in ("evidence_level", "not_comparable", "not_sharded"):
        close("gain", got["gain"]["value"], want["gain"], 1)


def check_group(summary, group, documents, policy):
    ids = sorted({i for c in group["candidates"] for i in c["sources"]})
    records = [model.read(documents[summary["sources"][i]["path"]]) for i in ids]
    want = model.decide(records, policy)
    place = {source: i for i, source in enumerate(ids)}
    found = {tuple(place[i] for i in c["sources"]): c for c in group["candidates"]}
    same("candidates", sorted(found), sorted(tuple(c["ids"]) for c in want["candidates"]))
    for candidate in want["candidates"]:
        check_candidate(found[tuple(candidate["ids"])], candidate)
        check_interval(found[tuple(candidate["ids"])], candidate)
    selection, best = group["selection"], want["selected"]
    same("order", selection["order"], [found[tuple(c["ids"])]["index"] for c in want["order"]])
    same("selection", (selection["decision"], selection["strategy"]),
         ("accept", best["strategy"]) if best else ("reject", None))
    check_decision(group["decision"], want)
    return records


def check_partition(summary, parts, vary):
    records = [r for part in parts for r in part]
    for part in parts:
        for a in part:
            for b in part:
                if a is not b:
                    same("difference inside a group", model.difference(a, b, vary), None)
    if len(parts) < 2:
        return
    differences = {model.difference(a, b, vary) for a in records for b in records if a is not b}
    first = next((f for f in model.FIELDS if f in differences), None)
    decision = summary["decision"]
    same("first difference", summary["comparability"]["first_difference"]["field"], first)
    if all(r["failed"] for r in records):
        same("rule of the whole", decision["rule"], "all_failed")
    else:
        same("decision of the whole",
             (decision["decision"], decision["rule"], summary["strategy"]),
             ("tune", "not_comparable", None))


class Sensitivity:
    """The outcome under other limits, by asking the program again."""
    LOOSEST = {"memory_limit_mb": 1e9, "min_throughput": 0, "max_communication_ratio": 1}
    ABSENT = {"memory_limit_mb": math.inf, "max_communication_ratio": math.inf,
              "min_throughput": -math.inf, "min_gain": 0, "max_memory_fraction": math.inf}
    LARGEST = {"memory_limit_mb": 2000, "min_throughput": 3000, "max_communication_ratio": 1,
               "min_gain": 2, "max_memory_fraction": 1}

    def __init__(self, folder, policy, summary):
        self.folder, self.policy = folder, policy
        self.now = self.outcome(summary)
        self.rows = summary["decision"]["sensitivity"]

    @staticmethod
    def outcome(summary):
        return (summary["decision"]["decision"], summary["selection"]["strategy"],
                summary["selection"]["candidate"])

    def at(self, row, value):
        """None where the policy cannot be told so."""
        changed = dict(self.policy, **{row["limit"]: value})
        if row["limit"] == "min_throughput":
            changed["throughput_unit"] = row["unit"]
        write(self.folder, "changed.json", changed)
        done = run(["analyze", "--output", "-", "--policy", "changed.json", "e"], self.folder)
        return self.outcome(json.loads(done.stdout)) if done.returncode == 0 else None

    def check_change(self, row, change):
        value, tag = change["value"], "%s %s" % (row["limit"], change["comparison"])
        said = (change["decision"], change["strategy"])
        if change["comparison"] == "any":
            return same(tag, self.at(row, self.LOOSEST[row["limit"]])[:2], said)
        beyond, before = {
            "below": (math.nextafter(value, -math.inf), value),
            "at_most": (value, math.nextafter(value, math.inf)),
            "above": (math.nextafter(value, math.inf), value),
            "at_least": (value, math.nextafter(value, -math.inf)),
        }[change["comparison"]]
        found = self.at(row, beyond)
        if found is not None:
            same("%s %r" % (tag, value), found[:2], said)
        current = row["current"]
        crosses = current is not None and \
            (before > current if change["direction"] == "down" else before < current)
        found = None if crosses else self.at(row, before)
        if found is not None:
            same("just before %s %r" % (tag, value), found, self.now)

    def check_silence(self, row, value):
        """Nearer than what is said, nothing changes."""
        limit, changes = row["limit"], {c["direction"]: c for c in row["changes"]}
        current = self.ABSENT[limit] if row["current"] is None else row["current"]
        if limit == "max_memory_fraction" and self.policy.get("memory_limit_mb") is None:
            return
        change = changes.get("down" if value < current else "up")
        if change is not None and (change["comparison"] == "any" or
                                   (value <= change["value"] if value < current
                                    else value >= change["value"])):
            return
        found = self.at(row, value) if value not in (0, current) else None
        if found is not None:
            same("%s at %r, of which nothing is said" % (limit, value), found, self.now)

    def check(self, rng):
        for row in self.rows:
            for change in row["changes"]:
                self.check_change(row, change)
            for _ in range(2):
                self.check_silence(row, rng.random() * self.LARGEST[row["limit"]])


def run(arguments, folder):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True)


def write(folder, name, document):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(document, file)


def analyze(folder, output, *paths):
    done = run(["analyze", "--output", output, "--policy", "p.json", *paths], folder)
    if done.returncode != 0:
        raise Mismatch("exit code %d: %s" % (done.returncode, done.stderr.decode()))
    with open(os.path.join(folder, output), "rb") as file:
        return file.read()


def check(rng, folder, sensitivity):
    documents, policy = decision_cases.case(rng)
    documents = {"e/" + name: document for name, document in documents.items()}
    os.mkdir(os.path.join(folder, "e"))
    for name, document in documents.items():
        write(folder, name, document)
    write(folder, "p.json", policy)
    text = analyze(folder, "s.json", "e")
    summary = json.loads(text)
    same("sources", [s["path"] for s in summary["sources"]], sorted(documents))
    parts = [check_group(summary, group, documents, policy) for group in summary["groups"]]
    check_partition(summary, parts, policy.get("vary", []))
    if sensitivity and len(parts) == 1:
        Sensitivity(folder, policy, summary).check(rng)
    paths = list(documents)
    rng.shuffle(paths)
    if analyze(folder, "t.json", *paths) != text:
        raise Mismatch("the order of arguments changes the summary")
    done = run(["verify", "s.json"], folder)
    if done.returncode != 0:
        raise Mismatch("verify: %s" % (done.stdout + done.stderr).decode())


def differs(seed):
    folder = tempfile.mkdtemp()
    try:
        check(random.Random(seed), folder, seed % EACH_SENSITIVITY == 0)
    except Mismatch as mismatch:
        print("seed %d: %s" % (seed, mismatch))
        return True
    finally:
        shutil.rmtree(folder)
    return False


WRONG = sum(differs(seed) for seed in range(FIRST_SEED, FIRST_SEED + COUNT))
print("%d of %d cases differ" % (WRONG, COUNT))
sys.exit(WRONG > 0)
