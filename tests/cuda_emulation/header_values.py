#!/usr/bin/env python3
"""What the emulation's headers declare is what the toolkit's do: every enumerator and number has the
same value, every function the same type.

header_values.py COMPILER HEADERS INCLUDE_FOLDER...

HEADERS: the emulation's folder. The toolkit's are included from the other folders; behind them the
emulation's declarations come once more, which a C compiler accepts only if they agree.
"""
import pathlib
import re
import subprocess
import sys

# The emulation's own, and what names the version.
OWN = re.compile(r"CUDA_EMULATION_\w+|\w*VERSION\w*|NCCL_(MAJOR|MINOR|PATCH|CONFIG_MAGIC)")
DEFINED = re.compile(r"^#define (\w+) +(-?\w+)$", re.M)
ENUMERATOR = re.compile(r"\b(\w+) = ([^,;{}]+?)(?=\s*[,}])")
FUNCTION = re.compile(r"^(?!typedef|#|enum|struct \w+ \{)[\w ]+[ *](\w+)\([^;{}]*\);$", re.M)


def declarations(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r" +\n", "\n", text)
    values = {name: value for pattern in (DEFINED, ENUMERATOR) for name, value in pattern.findall(text)
              if not OWN.fullmatch(name)}
    functions = {match.group(1): match.group(0) for match in FUNCTION.finditer(text)}
    return values, functions


def main():
    compiler, headers, folders = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    failed = False
    for name, least_values, least_functions in (("cuda_runtime.h", 50, 40), ("nccl.h", 20, 12),
                                                ("cublasLt.h", 20, 12)):
        values, functions = declarations(headers / name)
        if len(values) < least_values or len(functions) < least_functions:
            print(f"{name}: only {len(values)} values and {len(functions)} functions were read")
            failed = True
        lines = [f"#include <{name}>"]
        lines += [f'_Static_assert({key} == {value}, "{key}");' for key, value in values.items()]
        lines += functions.values()
        command = [compiler, "-std=c17", "-Werror", "-Wno-deprecated-declarations", "-fsyntax-only",
                   *(word for folder in folders for word in ("-isystem", folder)), "-x", "c", "-"]
        run = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
        if run.returncode != 0:
            print(f"{name} is not the toolkit's:\n{run.stderr}")
            failed = True
        print(f"{name}: {len(values)} values, {len(functions)} functions")
    return failed


if __name__ == "__main__":
    sys.exit(main())
