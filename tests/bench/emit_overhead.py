#!/usr/bin/env python3
"""Microseconds that templates/emit_evidence.py adds to an optimizer step: emit_overhead.py [--stand-in]

On a CPU rank; --stand-in adds the calls that a GPU rank makes, to a stand-in that does nothing in them."""
import os
import pathlib
import statistics
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(TESTS.parent / "templates"), str(TESTS / "emit" / "stand_in")]
if "--stand-in" in sys.argv[1:]:
    import torch  # noqa: F401
import emit_evidence  # noqa: E402

BLOCKS, STEPS = 20, 1000


def steps(evidence, full):
    for _ in range(STEPS):
        with evidence.step(tokens=1):
            if full:
                for phase in ("forward", "backward", "optimizer"):
                    evidence.phase(phase)
                evidence.loss(1.0)
                evidence.grad_norm(1.0)


with tempfile.TemporaryDirectory() as folder:
    for full, what in ((False, "step()"), (True, "step(), three phases, a loss, a norm")):
        evidence = emit_evidence.start("ddp", os.path.join(folder, "%d.json" % full))
        blocks = []
        for _ in range(BLOCKS):
            began = time.perf_counter()
            steps(evidence, full)
            blocks.append((time.perf_counter() - began) / STEPS * 1e6)
        inside = statistics.median(step["ms"] for step in evidence.data["steps"]) * 1e3
        evidence.finish()
        print("%-38s %5.1f us a step (smallest block %.1f), of them %.1f in the measured time"
              % (what, statistics.median(blocks), min(blocks), inside))
