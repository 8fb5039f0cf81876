"""An independent reading of the intervals (analyze/interval.h): SplitMix64, rounds or blocks."""
import struct

SEED, LIMIT = 20240917, 2**64 - 1
RESAMPLES, FEWEST = 1000, 6


def mix(z):
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & LIMIT
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & LIMIT
    return z ^ (z >> 31)


def middle(values):
    n = len(values)
    values = sorted(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


def blocks_of(values, rounds):
    """What is drawn, and whether whole rounds are."""
    ends = [sum(rounds[:i + 1]) for i in range(len(rounds))]
    parts = [values[end - steps:end] for end, steps in zip(ends, rounds) if steps]
    if len(parts) >= FEWEST:
        return parts, True
    length = next(n for n in range(1, len(values) + 1) if n**3 >= len(values))
    return [part[at:at + min(length, len(part))] for part in parts
            for at in range(max(1, len(part) - length + 1))], False


def medians(values, rounds):
    """Of each resample; None where there are too few values."""
    if len(values) < FEWEST:
        return None
    state = SEED
    for value in values:
        state = mix(state ^ struct.unpack("<Q", struct.pack("<d", value))[0])
    for steps in rounds:
        state = mix(state ^ steps)
    blocks, whole = blocks_of(values, rounds)
    found = []
    for _ in range(RESAMPLES):
        drawn, count = [], 0
        while count < len(blocks) if whole else len(drawn) < len(values):
            state = (state + 0x9e3779b97f4a7c15) & LIMIT
            drawn += blocks[((mix(state) >> 32) * len(blocks)) >> 32]
            count += 1
        found.append(middle(drawn if whole else drawn[:len(values)]))
    return found


def bounds(values):
    """The percentile interval of 95 %."""
    values, beyond = sorted(values), len(values) // 40
    return values[beyond], values[-1 - beyond]
