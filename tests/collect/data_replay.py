#!/usr/bin/env python3
"""Makes initial values and tokens from the words of collect/model_data.h alone, and compares them
to what the program makes. Who replays a run in another framework can start from here.

Usage: data_replay.py PRINT_DATA
"""
import math
import struct
import subprocess
import sys

MASK = 0xFFFFFFFF
INITIAL, TOKEN, SUCCESSOR = range(3)


def philox(seed, counter):
    """Philox4x32-10: four words."""
    key0, key1 = seed & MASK, seed >> 32 & MASK
    c0, c1, c2, c3 = counter
    for _ in range(10):
        product0, product1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (product1 >> 32 ^ c1 ^ key0, product1 & MASK,
                          product0 >> 32 ^ c3 ^ key1, product0 & MASK)
        key0, key1 = key0 + 0x9E3779B9 & MASK, key1 + 0xBB67AE85 & MASK
    return c0, c1, c2, c3


def fp32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def initial(seed, layers, index, name, element):
    if name.endswith("bias"):
        return 0.0
    if "ln" in name:
        return 1.0
    residual = name.endswith(("attention.projection.weight", "mlp.down.weight"))
    deviation = 0.02 / math.sqrt(2 * layers) if residual else 0.02
    block, slot = divmod(element, 4)
    words = philox(seed, (block & MASK, block >> 32, index, INITIAL))
    u, v = words[:2] if slot < 2 else words[2:]
    radius = math.sqrt(-2 * math.log((u + 0.5) / 2**32))
    angle = 2 * math.pi * v / 2**32
    return fp32(deviation * (radius * (math.sin(angle) if slot % 2 else math.cos(angle))))


def place(word, limit):
    return word * limit >> 32


def skewed(vocab, first, second):
    return place(second, vocab >> place(first, vocab.bit_length()))


def tokens(seed, vocab, seq_len, step, sample):
    chain = []
    for position in range(seq_len + 1):
        words = philox(seed, (position, sample & MASK, step & MASK, TOKEN))
        if position == 0:
            chain.append(skewed(vocab, words[0], words[1]))
        elif words[0] < 1 << 27:
            chain.append(place(words[1], vocab))
        else:
            bits = format(words[2], "032b")[:3] + "0"
            k = min(bits.index("0"), 3)
            successor = philox(seed, (chain[-1], k, 0, SUCCESSOR))
            chain.append(skewed(vocab, successor[0], successor[1]))
    return chain


def same(value, text):
    """Equal but for the last of an fp32's 24 bits: this language's logarithm is the C library's."""
    printed = float(text)
    return abs(value - printed) <= 2**-23 * abs(value)


def compare(program, seed, width, layers, heads, vocab, seq_len):
    arguments = [str(x) for x in (seed, width, layers, heads, vocab, seq_len)]
    output = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    checked = 0
    for line in output.stdout.splitlines():
        kind, *words = line.split()
        if kind == "tensor":
            index, name, first, *values = words
            for i, text in enumerate(values):
                value = initial(seed, layers, int(index), name, int(first) + i)
                if not same(value, text):
                    sys.exit(f"{name}[{int(first) + i}]: {text}, expected {value!r}")
            checked += len(values)
        else:
            step, sample, *printed = (int(word) for word in words)
            expected = tokens(seed, vocab, seq_len, step, sample)
            if printed != expected:
                sys.exit(f"tokens of step {step}, sample {sample}: {printed}, expected {expected}")
            checked += len(printed)
    if checked == 0:
        sys.exit("the program printed nothing")
    print(f"{checked} values agree")


def main():
    compare(sys.argv[1], 1, 36, 2, 3, 101, 17)
    compare(sys.argv[1], 2**40 + 12345, 64, 1, 1, 8192, 300)
    compare(sys.argv[1], 7, 16, 1, 1, 1, 4)


if __name__ == "__main__":
    main()
