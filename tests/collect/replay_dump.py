#!/usr/bin/env python3
"""Replays a dump of a small run without any of the program's code: the model in plain Python, in
double, from the specification (GPT-2's conventions).

It checks the names and shapes of every tensor; that `initial` and `tokens` are what the seed makes
(data_replay.py); that `gradients` are the derivatives of the replayed loss, by finite differences,
at the largest and at a few other elements of every tensor; and, of a run of one step, that `final`
is one step of AdamW from there.

Usage: replay_dump.py DUMP --seed S --heads H [--learning-rate X] [--max-grad-norm X] [--tolerance X]
"""
import argparse
import math
import operator
import pathlib
import sys

import data_replay
import read_safetensors


def load(path):
    """{name: (shape, numbers)}."""
    _, tensors = read_safetensors.read(path)
    return {name: (tuple(tensor.shape), list(tensor.values())) for name, tensor in tensors.items()}


def expected_shapes(c, layers, vocab, seq_len):
    """In the order in which tensors are numbered."""
    shapes = {"wte": (vocab, c), "wpe": (seq_len, c)}
    for i in range(layers):
        for name, shape in (("ln1.weight", (c,)), ("ln1.bias", (c,)),
                            ("attention.qkv.weight", (3 * c, c)), ("attention.qkv.bias", (3 * c,)),
                            ("attention.projection.weight", (c, c)),
                            ("attention.projection.bias", (c,)),
                            ("ln2.weight", (c,)), ("ln2.bias", (c,)),
                            ("mlp.up.weight", (4 * c, c)), ("mlp.up.bias", (4 * c,)),
                            ("mlp.down.weight", (c, 4 * c)), ("mlp.down.bias", (c,))):
            shapes[f"h.{i}.{name}"] = shape
    return {**shapes, "ln_f.weight": (c,), "ln_f.bias": (c,)}


# --- the model; a matrix is a list of rows ---


def dot(a, b):
    return sum(map(operator.mul, a, b))


def add(a, b):
    return [list(map(operator.add, x, y)) for x, y in zip(a, b)]


def norm(rows, weight, bias):
    out = []
    for row in rows:
        mean = sum(row) / len(row)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
        out.append([(x - mean) / deviation * w + b for x, w, b in zip(row, weight, bias)])
    return out


def linear(rows, weight, bias):
    return [[dot(row, w) + b for w, b in zip(weight, bias)] for row in rows]


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(scores):
    largest = max(scores)
    powers = [math.exp(s - largest) for s in scores]
    total = sum(powers)
    return [p / total for p in powers]


def attention(qkv, heads):
    c = len(qkv[0]) // 3
    size = c // heads
    out = [[] for _ in qkv]
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        query = [row[:c][part] for row in qkv]
        key = [row[c:2 * c][part] for row in qkv]
        value = [row[2 * c:][part] for row in qkv]
        for t, q in enumerate(query):
            p = softmax([dot(q, k) / math.sqrt(size) for k in key[:t + 1]])
            out[t] += [dot(p, column) for column in zip(*value[:t + 1])]
    return out


def sequence_loss(p, tokens, layers, heads):
    """Sum over positions of -ln of the probability of the token that follows."""
    x = add([p["wte"][t] for t in tokens[:-1]], p["wpe"])
    for i in range(layers):
        def of(module, i=i):
            return p[f"h.{i}.{module}.weight"], p[f"h.{i}.{module}.bias"]
        attended = attention(linear(norm(x, *of("ln1")), *of("attention.qkv")), heads)
        x = add(x, linear(attended, *of("attention.projection")))
        inner = [[gelu(u) for u in row] for row in linear(norm(x, *of("ln2")), *of("mlp.up"))]
        x = add(x, linear(inner, *of("mlp.down")))
    logits = linear(norm(x, p["ln_f.weight"], p["ln_f.bias"]), p["wte"], [0] * len(p["wte"]))
    return -sum(math.log(softmax(row)[t]) for row, t in zip(logits, tokens[1:]))


class Replay:
    def __init__(self, folder, arguments):
        self.arguments = arguments
        self.initial, self.gradients, self.final = (
            load(folder / f"{name}.safetensors") for name in ("initial", "gradients", "final"))
        (self.steps, self.batch, length), self.tokens = load(
            folder / "tokens.safetensors")["tokens"]
        self.seq_len = length - 1
        self.vocab, self.width = self.initial["wte"][0]
        self.layers = (len(self.initial) - 4) // 12
        self.checked = 0

    def expect(self, condition, text):
        self.checked += 1
        if not condition:
            sys.exit(text)

    def check_shapes(self):
        shapes = expected_shapes(self.width, self.layers, self.vocab, self.seq_len)
        for kind in ("initial", "gradients", "final"):
            found = {name: shape for name, (shape, _) in getattr(self, kind).items()}
            self.expect(found == shapes, f"{kind}: tensors {found}, expected {shapes}")
        self.names = list(shapes)

    def check_data(self):
        seed = self.arguments.seed
        for index, name in enumerate(self.names):
            for e, value in enumerate(self.initial[name][1]):
                made = data_replay.initial(seed, self.layers, index, name, e)
                self.expect(data_replay.same(made, value), f"{name}[{e}]: {value}, expected {made}")
        for step in range(self.steps):
            for sample in range(self.batch):
                made = data_replay.tokens(seed, self.vocab, self.seq_len, step, sample)
                found = self.sequence(step, sample)
                self.expect(found == made, f"tokens {step} {sample}: {found}, expected {made}")

    def sequence(self, step, sample):
        first = (step * self.batch + sample) * (self.seq_len + 1)
        return self.tokens[first:first + self.seq_len + 1]

    def loss(self, parameters):
        total = sum(sequence_loss(parameters, self.sequence(0, i), self.layers,
                                  self.arguments.heads) for i in range(self.batch))
        return total / (self.batch * self.seq_len)

    def derivative(self, parameters, name, e):
        """Central difference: its error is h^2 times the third derivative, 1e-8 or so."""
        columns = self.initial[name][0][-1]
        row = parameters[name] if len(self.initial[name][0]) == 1 else parameters[name][e // columns]
        before, h, ends = row[e % columns], 1e-4, []
        for sign in (1, -1):
            row[e % columns] = before + sign * h
            ends.append(self.loss(parameters))
        row[e % columns] = before
        return (ends[0] - ends[1]) / (2 * h)

    def check_gradients(self):
        parameters = {}
        for name, (shape, numbers) in self.initial.items():
            columns = shape[-1]
            rows = [numbers[i:i + columns] for i in range(0, len(numbers), columns)]
            parameters[name] = rows[0] if len(shape) == 1 else rows
        for name in self.names:
            g = self.gradients[name][1]
            size = math.sqrt(sum(x * x for x in g) / len(g))
            largest = max(range(len(g)), key=lambda e: abs(g[e]))
            for e in {0, largest, len(g) // 2, len(g) - 1}:
                found = self.derivative(parameters, name, e)
                self.expect(abs(g[e] - found) <= self.arguments.tolerance * size,
                            f"gradient of {name}[{e}]: {g[e]}, expected {found}")

    def check_step(self):
        """Adam's first step: both moments' corrections cancel what they had begun with."""
        a = self.arguments
        total = math.sqrt(sum(x * x for _, g in self.gradients.values() for x in g))
        scale = min(1, a.max_grad_norm / (total + 1e-6)) if a.max_grad_norm else 1
        for name in self.names:
            shape, before = self.initial[name]
            decay = 0.1 if len(shape) == 2 else 0
            for e, (p, g, after) in enumerate(zip(before, self.gradients[name][1],
                                                  self.final[name][1])):
                g *= scale
                expected = p - a.learning_rate * (g / (abs(g) + 1e-8) + decay * p)
                self.expect(abs(after - expected) <= 1e-6 * abs(expected) + 1e-3 * a.learning_rate,
                            f"final {name}[{e}]: {after}, expected {expected}")


    def check(self):
        self.check_shapes()
        self.check_data()
        self.check_gradients()
        if self.steps == 1:
            self.check_step()
        print(f"{self.checked} checks of {self.steps} steps, {self.batch} sequences")


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--heads", type=int, required=True)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--max-grad-norm", type=float, default=1.0)
    parser.add_argument("--tolerance", type=float, default=2e-5,
                        help="of a tensor's root mean square gradient; 2e-5 is for fp32")
    return parser.parse_args(words)


def replay(words):
    arguments = arguments_of(words)
    Replay(arguments.dump, arguments).check()


if __name__ == "__main__":
    replay(sys.argv[1:])
