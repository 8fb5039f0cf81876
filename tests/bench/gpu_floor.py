#!/usr/bin/env python3
"""How fast a training step on one GPU can be: every operator's FLOPs and bytes, and the time below which
neither the matrix products nor the memory of the device let it fall. Nothing here is measured by us; the
two rates are an H200's, measured elsewhere.

Usage: gpu_floor.py [--width C] [--layers L] ...   prints the table as Markdown
       gpu_floor.py --check README                  exits 1 unless that page holds exactly this table
"""
import argparse
import pathlib
import sys

S = 2  # bytes of a bf16 number


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("width", 2048), ("layers", 16), ("heads", 16), ("vocab", 50304), ("seq-len", 1024),
                        ("micro-batch", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--tflops", type=float, default=780, help="of a matrix product in bf16")
    parser.add_argument("--copy-tb", type=float, default=4.3, help="TB/s, read and written, of a copy")
    parser.add_argument("--target", type=float, default=0.40, help="of the matrix product's rate")
    parser.add_argument("--check", type=pathlib.Path, metavar="README")
    return parser.parse_args()


def tile_rows(m):
    """Queries of a tile of attention: cuda_attention_tiling.c, for sizes that divide evenly."""
    row_bytes, bound = 4 * m.seq_len, 16 << 20
    inner = max(m.heads, m.micro_batch)
    chunk = min(max(bound // (min(m.seq_len, 128) * row_bytes), 1), inner)
    chunk = -(-inner // -(-inner // chunk))
    rows = bound // (chunk * row_bytes)
    return min(rows if rows < 64 else rows // 64 * 64, m.seq_len)


def seen_share(m):
    """The part of the T x T scores that the tiles compute: each takes the keys up to its last query."""
    rows = tile_rows(m)
    ends = [min(first + rows, m.seq_len) for first in range(0, m.seq_len, rows)]
    return sum((end - first) * end for first, end in zip(range(0, m.seq_len, rows), ends)) / m.seq_len**2


def linear(name, times, rows, inputs, outputs, extra=0):
    """One product: 2 R I O FLOPs; both factors and the result move once, and `extra` bytes."""
    return (name, times, 2 * rows * inputs * outputs,
            S * (rows * inputs + inputs * outputs + rows * outputs) + extra)


def operators(m):
    """(name, times a step, FLOPs, bytes) of each operator, in the order of a step."""
    c, v, layers, rows = m.width, m.vocab, m.layers, m.micro_batch * m.seq_len
    wide, seen = S * rows * c, seen_share(m)
    scores = m.heads * rows * m.seq_len / 2  # that a query sees
    products = 2 * rows * m.seq_len * c * seen
    parameters = v * c + m.seq_len * c + layers * (12 * c * c + 13 * c) + 2 * c
    sizes = {"qkv": (c, 3 * c), "projection": (c, c), "up": (c, 4 * c), "down": (4 * c, c)}
    rows_of = [
        ("embedding", 1, 0, 2 * wide),
        ("layer norm", 2 * layers + 1, 0, 2 * wide),
        linear("qkv", layers, rows, c, 3 * c),
        ("attention: 2 products", layers, 2 * products, 4 * wide),
        ("attention: softmax", layers, 0, 6 * scores),
        linear("projection + residual", layers, rows, c, c, wide),
        linear("up + GELU", layers, rows, c, 4 * c, 4 * wide),
        linear("down + residual", layers, rows, 4 * c, c, wide),
        linear("logits", 1, rows, c, v),
        ("cross-entropy", 1, 0, 2 * S * rows * v),
        linear("logits: gradient of weight", 1, rows, c, v),
        linear("logits: gradient of input", 1, rows, c, v),
        ("layer norm, backward", 2 * layers + 1, 0, 4 * wide),
    ]
    for name, size in sizes.items():
        for kind in ("input", "weight"):
            through = 4 * wide if (name, kind) == ("down", "input") else 0  # GELU's input is read
            rows_of.append(linear(f"{name}: gradient of {kind}", layers, rows, *size, through))
    rows_of += [
        ("attention, backward: 5 products", layers, 5 * products, 8 * wide),
        ("attention, backward: softmax", layers, 0, 12 * scores),
        ("attention, backward: sums of keys and values", layers, 0, 6 * 2 * rows * c),
        ("embedding, backward", 1, 0, 2 * wide + 2 * wide),
        ("norm of the gradient", 1, 0, S * parameters),
        ("AdamW", 1, 0, (6 * 4 + 2 * S) * parameters),
    ]
    return rows_of


def model_flops(m):
    """As evidence counts them (common/model.h): without the causal half's saving, without recomputation."""
    c, layers = m.width, m.layers
    products = layers * (12 * c * c + 13 * c) + 2 * c + m.vocab * c
    return m.micro_batch * m.seq_len * (6 * products + 12 * layers * c * m.seq_len)


def table(m):
    rows = []
    for name, times, flops, size in operators(m):
        arithmetic, memory = flops / (m.tflops * 1e12), size / (m.copy_tb * 1e12)
        rows.append((name, times, flops, size, max(arithmetic, memory), arithmetic > memory))
    total = sum(times * floor for _, times, _, _, floor, _ in rows)
    lines = ["| operator | times | GFLOP | MB | floor, us | by | a step, ms | share |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |"]
    for name, times, flops, size, floor, arithmetic in rows:
        lines.append(f"| {name} | {times} | {flops / 1e9:.0f} | {size / 1e6:.0f} | {floor * 1e6:.0f} |"
                     f" {'products' if arithmetic else 'memory'} | {times * floor * 1e3:.2f} |"
                     f" {100 * times * floor / total:.1f} % |")
    lines.append(f"| all | | | | | | {total * 1e3:.1f} | 100 % |")
    flops, rate = model_flops(m), m.tflops * 1e12
    target = flops / (m.target * rate)
    by_products = sum(times * floor for _, times, _, _, floor, arithmetic in rows if arithmetic)
    lines += ["",
              f"{flops / 1e12:.1f} TFLOP of the model in a step of {m.micro_batch * m.seq_len} tokens:"
              f" {flops / rate * 1e3:.1f} ms at {m.tflops:.0f} TFLOP/s. All floors together: {total * 1e3:.1f} ms, a"
              f" utilisation of {100 * flops / rate / total:.0f} %; {100 * by_products / total:.0f} % of it by products."
              f" The target, {100 * m.target:.0f} %: {target * 1e3:.1f} ms,"
              f" {m.micro_batch * m.seq_len / target:.0f} tokens/s, {target / total:.2f} times the floors."]
    return "\n".join(lines)


def main():
    options = parse()
    made = table(options)
    if not options.check:
        print(made)
        return 0
    if made in options.check.read_text(encoding="utf-8"):
        print(f"{options.check} holds the table")
        return 0
    print(f"{options.check} does not hold this table:\n{made}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
