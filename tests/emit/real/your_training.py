"""What the page's loops take from the program around them: a small model for the real torch, on CPUs.

EMIT_FAIL="KIND@RANK:STEP" makes that rank fail in the forward pass of that optimizer step.
"""
import os
import signal

import torch

SEQUENCES, LENGTH, ACCUMULATION, STEPS, WIDTH, VOCAB = 4, 16, 2, 6, 64, 128
torch.set_num_threads(1)
device = torch.device("cpu")
workload = {"model": "tiny", "seq_len": LENGTH, "micro_batch": SEQUENCES,
            "gradient_accumulation": ACCUMULATION, "dtype": "bf16", "optimizer": "adamw"}
passes = 0


def batches():
    """The micro-batches of one optimizer step at a time, those of this rank."""
    generator = torch.Generator().manual_seed(int(os.environ["RANK"]))
    for _ in range(STEPS):
        yield [torch.randint(0, VOCAB, (SEQUENCES, LENGTH), generator=generator) for _ in range(ACCUMULATION)]


def build_model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Embedding(VOCAB, WIDTH), torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(),
                               torch.nn.Linear(WIDTH, VOCAB))


def fail_if_asked():
    global passes
    kind, _, place = os.environ.get("EMIT_FAIL", "").partition("@")
    if place == "%s:%d" % (os.environ["RANK"], passes // ACCUMULATION):
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
    passes += 1


def loss_of(model, batch):
    fail_if_asked()
    return torch.nn.functional.cross_entropy(model(batch).float().view(-1, VOCAB), batch.view(-1))
