#!/usr/bin/env python3
"""Checkpoints and dumps as another program sees them: read by the published layout of safetensors
alone (read_safetensors.py), made once more from the words of collect/model_data.h
(data_replay.py), and continued on another number of ranks.

Usage: saved_files.py MPIEXEC SAVED_RUN [short]
"""
import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import data_replay
import read_safetensors

# The shape of the tests' trials (support/trial.h).
SEED, WIDTH, LAYERS, VOCAB, SEQ_LEN, BATCH, STEPS = 7, 36, 2, 101, 17, 6, 3
STATES = {"fp32": ["", ".moment1", ".moment2"],
          "bf16": ["", ".master", ".moment1", ".moment2"]}


def tensor_shapes():
    """Names and shapes as the documentation lists them (templates/README.md)."""
    c = WIDTH
    shapes = {"wte": [VOCAB, c], "wpe": [SEQ_LEN, c]}
    for i in range(LAYERS):
        for name, shape in (("ln1", [c]), ("attention.qkv", [3 * c, c]),
                            ("attention.projection", [c, c]), ("ln2", [c]),
                            ("mlp.up", [4 * c, c]), ("mlp.down", [c, 4 * c])):
            shapes[f"h.{i}.{name}.weight"] = shape
            shapes[f"h.{i}.{name}.bias"] = shape[:1]
    shapes["ln_f.weight"] = shapes["ln_f.bias"] = [c]
    return shapes


def expect(holds, text):
    if not holds:
        sys.exit(f"expected: {text}")


def run(ranks, *words):
    command = [sys.argv[1], "-n", str(ranks), sys.argv[2], *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    expect(done.returncode == 0, f"{' '.join(command)} to succeed")
    return [line.split() for line in done.stdout.splitlines()]


def steps_of(lines):
    return [(int(step), float(loss), float(norm)) for _, step, loss, norm in lines]


def is_apart(expected, found, loss_limit, norm_limit):
    return any(a[0] != b[0] or abs(b[1] / a[1] - 1) > loss_limit or
               abs(b[2] / a[2] - 1) > norm_limit for a, b in zip(expected, found, strict=True))


# The limits of test_same_mathematics.c; what occurs is printed and is a tenth of them or less.
LIMITS = {"fp32": (6e-8, 5e-7), "bf16": (1.2e-3, 2e-2)}


def check_restart(folder, dtype):
    """zero3 of three ranks goes on as ddp of two, and as itself bit by bit."""
    expected = steps_of(run(3, "save", folder, "zero3", dtype))
    again = steps_of(run(3, "continue", f"{folder}/sharded", "zero3", dtype))
    expect(again == expected, f"the same numbers after a restart: {expected}, {again}")
    for kind in ("sharded", "full") if dtype == "bf16" else ("sharded",):
        found = steps_of(run(2, "continue", f"{folder}/{kind}", "ddp", dtype))
        expect(not is_apart(expected, found, *LIMITS[dtype]), f"{expected} as ddp: {found}")
        print(f"{dtype}, {kind}: zero3 of 3 ranks as ddp of 2: losses",
              max(abs(b[1] / a[1] - 1) for a, b in zip(expected, found)), "norms",
              max(abs(b[2] / a[2] - 1) for a, b in zip(expected, found)), "apart")


def check_metadata(metadata, content, strategy, dtype, ranks):
    expected = {"content": content, "step": "3", "seed": str(SEED), "width": str(WIDTH),
                "layers": str(LAYERS), "heads": "3", "vocab": str(VOCAB), "seq_len": str(SEQ_LEN),
                "dtype": dtype, "global_batch": str(BATCH), "strategy": strategy,
                "world_size": str(ranks), "format": "rankledger.checkpoint/1"}
    expect(metadata == expected, f"metadata {expected}, found {metadata}")


def check_same_content(folder, strategy, dtype, ranks):
    """The sharded files put together by their index are the full file."""
    metadata, full = read_safetensors.read(f"{folder}/full/checkpoint.safetensors")
    check_metadata(metadata, "full", strategy, dtype, ranks)
    states = STATES["fp32" if strategy == "fsdp_full_shard" else dtype]
    shapes = {name + state: shape for name, shape in tensor_shapes().items() for state in states}
    expect({name: tensor.shape for name, tensor in full.items()} == shapes, "the tensors' shapes")
    index = json.loads(pathlib.Path(f"{folder}/sharded/index.json").read_text(encoding="utf-8"))
    check_metadata(index["metadata"], "sharded", strategy, dtype, ranks)
    files = [read_safetensors.read(f"{folder}/sharded/{name}") for name in index["files"]]
    for metadata, _ in files:
        check_metadata(metadata, "sharded", strategy, dtype, ranks)
    for name, runs in index["tensors"].items():
        for state in states:
            parts = [files[run["file"]][1].pop(name + state) for run in runs]
            expect([part.shape for part in parts] == [[run["count"]] for run in runs],
                   f"{name}{state} in runs as the index says")
            expect(b"".join(part.data for part in parts) == full[name + state].data,
                   f"{name}{state} sharded as in full")
            expect({part.dtype for part in parts} == {full[name + state].dtype}, "one dtype")
    expect(all(not tensors for _, tensors in files), "no tensor that the index does not name")
    return full


def check_dump(folder, strategy, dtype, ranks):
    printed = run(ranks, "dump", folder, strategy, dtype)
    saved = check_same_content(folder, strategy, dtype, ranks)
    dumped = {part: read_safetensors.read(f"{folder}/dump/{part}.safetensors")[1]
              for part in ("initial", "gradients", "final", "tokens")}
    expect(sorted(os.listdir(f"{folder}/dump")) == sorted(f"{part}.safetensors" for part in dumped),
           "four files in the dump")
    for part in ("initial", "gradients", "final"):
        expect({name: tensor.shape for name, tensor in dumped[part].items()} == tensor_shapes() and
               all(tensor.dtype == "F32" for tensor in dumped[part].values()), f"{part}'s tensors")
    for name, tensor in dumped["final"].items():
        stored = saved.get(name + ".master", saved[name])
        expect(stored.dtype == "F32" and stored.data == tensor.data, f"{name} final as saved")
    gradients = array.array("f", (float.fromhex(value) for _, value in printed))
    found = array.array("f")
    for name in tensor_shapes():
        found.extend(dumped["gradients"][name].values())
    expect(found == gradients and any(gradients), "the gradients of the first step")
    check_data(dumped)


def check_data(dumped):
    """Initial values and tokens, made anew."""
    for index, (name, tensor) in enumerate(dumped["initial"].items()):
        for element, value in list(enumerate(tensor.values()))[::17]:
            expected = data_replay.initial(SEED, LAYERS, index, name, element)
            expect(abs(value - expected) <= 2**-23 * abs(expected), f"{name}[{element}] {expected}")
    tokens = dumped["tokens"]["tokens"]
    expect(tokens.shape == [STEPS, BATCH, SEQ_LEN + 1] and tokens.dtype == "I32", "tokens' shape")
    expected = [token for step in range(STEPS) for sample in range(BATCH)
                for token in data_replay.tokens(SEED, VOCAB, SEQ_LEN, step, sample)]
    expect(list(tokens.values()) == expected, "the tokens of the global batch in order")


def main():
    short = "short" in sys.argv
    with tempfile.TemporaryDirectory() as base:
        for dtype in ("bf16",) if short else ("fp32", "bf16"):
            folder = f"{base}/restart-{dtype}"
            os.mkdir(folder)
            check_restart(folder, dtype)
            check_same_content(folder, "zero3", dtype, 3)
        cases = (("ddp", "fp32"), ("zero1", "bf16"), ("fsdp_full_shard", "bf16"))
        for i, (strategy, dtype) in enumerate(cases[:2] if short else cases):
            folder = f"{base}/dump-{i}"
            os.mkdir(folder)
            check_dump(folder, strategy, dtype, 1 + i % 3)
            expect(sorted(os.listdir(folder)) == ["dump", "full", "sharded"], "nothing left over")


if __name__ == "__main__":
    main()
