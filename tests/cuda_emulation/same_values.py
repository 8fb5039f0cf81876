#!/usr/bin/env python3
"""The emulation's headers give every name the value that the toolkit's headers give it.

Enumerators and macros with a value are read from the emulation's headers; a C program prints them, once
with each set of headers.

Usage: same_values.py COMPILER EMULATION_INCLUDE TOOLKIT_INCLUDE...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ("cuda_runtime.h", "library_types.h", "cublasLt.h", "nccl.h")
# The emulation's own names, and the version that it stands for.
OWN = re.compile(r"CUDA_EMULATION_|_VERSION$|NCCL_(MAJOR|MINOR|PATCH|VERSION|CONFIG_MAGIC)")
ENUMERATOR = re.compile(r"^\s*([A-Za-z]\w+)\s*=\s*[^;]*?,?$|\{\s*([A-Za-z]\w+)\s*=|,\s*([A-Za-z]\w+)\s*=", re.M)
MACRO = re.compile(r"^#define (\w+)\s+\(?-?(?:0x)?\d\w*\)?\s*$", re.M)


def names_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    inside = "\n".join(re.findall(r"\benum\b[^;{]*\{.*?\}", text, flags=re.S))
    found = {name for match in ENUMERATOR.findall(inside) for name in match if name}
    return sorted(name for name in found | set(MACRO.findall(text)) if not OWN.search(name))


def values(compiler, headers, names, folders):
    lines = [f"#include <{header}>" for header in headers] + ["#include <stdio.h>", "int main(void)", "{"]
    lines += [f'    printf("{name} %lld\\n", (long long)({name}));' for name in names] + ["    return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "values.c")
        source.write_text("\n".join(lines), encoding="utf-8")
        program = pathlib.Path(folder, "values")
        subprocess.run([compiler, "-std=c17", "-o", program, source, *(f"-I{place}" for place in folders)],
                       check=True)
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(line.rsplit(" ", 1) for line in output.splitlines())


def main():
    compiler, emulation, *toolkit = sys.argv[1:]
    headers = [header for header in HEADERS if pathlib.Path(emulation, header).is_file()]
    names = sorted({name for header in headers
                    for name in names_of(pathlib.Path(emulation, header).read_text(encoding="utf-8"))})
    emulated = values(compiler, headers, names, [emulation])
    real = values(compiler, headers, names, toolkit)
    faults = [f"{name} is {emulated[name]} instead of {real[name]}" for name in names if emulated[name] != real[name]]
    print("\n".join(faults) or f"{len(names)} names, all the same")
    return 1 if faults or len(names) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
