#!/usr/bin/env python3
"""Reads safetensors files by the published layout alone (huggingface/safetensors, README.md,
"Format"), with nothing but Python's own library, and prints what is in them.

Usage: read_safetensors.py FILE...
"""
import array
import json
import struct
import sys

BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4,
         "F32": 4, "F64": 8, "I64": 8, "U64": 8}


def unique(pairs):
    """The format allows a name once."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name occurs twice")
    return dict(pairs)


class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, shape, data

    def elements(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    def values(self):
        """F32, BF16 and I32 as numbers."""
        data = self.data
        if self.dtype == "BF16":  # the upper half of an fp32
            data = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
        numbers = array.array({"F32": "f", "BF16": "f", "I32": "i"}[self.dtype])
        numbers.frombytes(data)
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers


def read(path):
    """Metadata and tensors; ValueError if the file is not exactly as the format says."""
    with open(path, "rb") as file:
        whole = file.read()
    length, = struct.unpack("<Q", whole[:8])
    if length > len(whole) - 8 or whole[8:9] != b"{":
        raise ValueError(f"{path}: no header")
    if (8 + length) % 8 != 0:
        raise ValueError(f"{path}: the data are not aligned")
    header = json.loads(whole[8:8 + length].decode("utf-8"), object_pairs_hook=unique)
    data = whole[8 + length:]
    metadata = header.pop("__metadata__", {})
    if not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError(f"{path}: metadata that are no texts")
    tensors, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        if set(entry) != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"{path}: {name} has {sorted(entry)}")
        first, last = entry["data_offsets"]
        tensor = Tensor(entry["dtype"], entry["shape"], data[first:last])
        if first != end or last - first != tensor.elements() * BYTES[tensor.dtype]:
            raise ValueError(f"{path}: {name} lies at {first}..{last}, after {end}")
        tensors[name], end = tensor, last
    if end != len(data):
        raise ValueError(f"{path}: {len(data) - end} bytes belong to nothing")
    return metadata, tensors


def main():
    for path in sys.argv[1:]:
        metadata, tensors = read(path)
        print(path)
        for key, text in sorted(metadata.items()):
            print(f"  {key}: {text}")
        for name, tensor in tensors.items():
            print(f"  {name} {tensor.dtype} {tensor.shape}")


if __name__ == "__main__":
    main()
