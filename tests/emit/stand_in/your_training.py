"""What the page's loops take from the program around them."""
import os

import torch

SEQUENCES, LENGTH, ACCUMULATION, STEPS = 4, 16, 2, 6
device = "cuda" if torch.cuda.is_available() else "cpu"
workload = {"model": "tiny", "seq_len": LENGTH, "micro_batch": SEQUENCES,
            "gradient_accumulation": ACCUMULATION, "dtype": "bf16", "optimizer": "adamw"}


class Batch:
    """Sequences of one micro-batch; it has the two numbers that the loops ask for."""

    def __len__(self):
        return SEQUENCES

    def numel(self):
        return SEQUENCES * LENGTH


def batches():
    """The micro-batches of one optimizer step at a time, those of this rank."""
    for _ in range(STEPS):
        yield [Batch() for _ in range(ACCUMULATION)]


def build_model():
    blocks = torch.nn.Module()
    element = int(os.environ.get("STAND_IN_ELEMENT", 4))
    blocks.children_ = [torch.nn.Module([2**18], element), torch.nn.Module([2**17], element)]
    return blocks


def loss_of(model, batch):
    updates = model.parameters()[0].updates
    return model(batch).loss(float(os.environ.get("STAND_IN_LOSS", 6.0 / (1 + updates))))
