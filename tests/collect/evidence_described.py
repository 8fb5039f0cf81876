#!/usr/bin/env python3
"""Every field that the collector writes has a rule and a description.

    evidence_described.py RANKLEDGER COLLECTOR COLLECTOR_ON_DEVICES PROJECT_ROOT

Rules: `rankledger schema` knows the field, with a type. Descriptions: templates/README.md names it.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SMALL = ["--world-size", "2", "--width", "32", "--heads", "2", "--layers", "1", "--vocab", "97",
         "--seq-len", "16", "--warmup", "0", "--repeats", "2"]
RUNS = [["--strategy", "all", "--checkpoint", "both", "--rounds", "2"],
        ["--strategy", "ddp", "--inject", "kill@rank:1,step:1"],
        ["--strategy", "zero2", "--inject", "oom@rank:0,step:1"],
        ["--strategy", "ddp", "--world-size", "1"]]
# The same on devices (support/made_up_devices.c).
DEVICE_RUNS = [(["--strategy", "ddp,zero3"], {"MADE_UP_DEVICES": "A GPU:80,Another:40"}),
               (["--strategy", "ddp", "--share-device"], {"MADE_UP_DEVICES": "A GPU:80"}),
               (["--strategy", "ddp"], {"MADE_UP_DEVICES": "A GPU:80,A GPU:80",
                                        "MADE_UP_SMALL": "1"}),
               (["--strategy", "ddp", "--backend", "cuda"], {})]
# Names that are values: of categories, phases, environment variables.
OPEN = {"temporary", "by_category", "category_peaks", "exposed_by_phase_ms", "variables"}


def evidence(collector, on_devices, folder):
    runs = [(collector, options, {}) for options in RUNS]
    runs += [(on_devices, *run) for run in DEVICE_RUNS]
    for number, (program, options, environment) in enumerate(runs):
        place = folder / str(number)
        small = SMALL[2:] if "--world-size" in options else SMALL
        subprocess.run([program, "run", "--output-dir", place, *small, *options], check=False,
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                       env=dict(os.environ, **environment))
        yield from (json.loads(path.read_text(encoding="utf-8"))
                    for path in sorted(place.glob("*.json")))


def fields(value, path=()):
    if isinstance(value, dict):
        for key, member in value.items():
            yield path + (key,)
            if path[-1:] not in {(name,) for name in OPEN}:
                yield from fields(member, path + (key,))
    elif isinstance(value, list):
        for element in value:
            yield from fields(element, path + ("*",))


def find(schema, path):
    """The schema of a path; None: nothing is known of it."""
    for part in path:
        if schema is None:
            return None
        if part == "*":
            schema = schema.get("items")
        else:
            families = (rule for pattern, rule in schema.get("patternProperties", {}).items()
                        if re.search(pattern, part))
            schema = schema.get("properties", {}).get(part) or next(
                families, schema.get("additionalProperties"))
    return schema


def main():
    rankledger, collector, on_devices, root = (pathlib.Path(path).resolve()
                                               for path in sys.argv[1:5])
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        documents = list(evidence(collector, on_devices, pathlib.Path(folder)))
    paths = sorted({path for document in documents for path in fields(document)})
    schema = json.loads(subprocess.run([rankledger, "schema"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    record = schema["$defs"]["record"]
    own = next(part["then"] for part in record["allOf"]
               if "schema" in part.get("if", {}).get("properties", {}))
    text = (root / "templates/README.md").read_text(encoding="utf-8")
    described = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))
    faults = []
    for path in paths:
        rule = find(own, path) or find(record, path)
        if not rule or "type" not in rule:
            faults.append("no rule for /" + "/".join(path))
        if path[-1] not in described and (len(path) < 2 or path[-2] not in OPEN):
            faults.append("no description of /" + "/".join(path))
    print("\n".join(faults) or f"{len(documents)} documents, {len(paths)} fields")
    sys.exit(1 if faults or len(documents) < 13 or len(paths) < 180 else 0)


main()
