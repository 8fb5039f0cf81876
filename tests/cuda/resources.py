#!/usr/bin/env python3
"""What the compiler made of the kernels: no spills, no local memory, 16-byte accesses where claimed.

ptxas' report of each object is kept beside it by the build (cmake/keep_resources.sh). The claims are
lines of a list (wide_accesses.txt): they are looked for in the machine code of every architecture with
cuobjdump, and without it in the PTX that nvcc makes of the source.

Usage: resources.py --list FILE --architectures "80 90" [--cuobjdump PROGRAM]
                    [--nvcc PROGRAM] [--include FOLDER]... OBJECT...
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\d+)a?'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
LOCAL = re.compile(r"(\d+) bytes lmem")
SHARED = re.compile(r"(\d+) bytes smem")
SASS = {"reads": re.compile(r"\bLDG\.E(?:\.\w+)*\.128"), "writes": re.compile(r"\bSTG\.E(?:\.\w+)*\.128")}
WIDE = r"\.(?:v4\.[bufs]32|v2\.[bufs]64)"
PTX = {"reads": re.compile(r"\bld\.global[\w.:]*" + WIDE), "writes": re.compile(r"\bst\.global[\w.:]*" + WIDE)}


def kernels_of(report):
    """(name, architecture) -> what ptxas said of it; functions that are no kernels belong to the
    kernel before them."""
    found = {}
    entry = None
    for line in report.splitlines():
        match = ENTRY.search(line)
        if match:
            entry = found.setdefault(match.groups(), collections.Counter())
        if entry is None:
            continue
        match = FRAME.search(line)
        if match:
            entry["stack"] += int(match[1])
            entry["spilled"] += int(match[2]) + int(match[3])
        for name, pattern in (("registers", USED), ("local", LOCAL), ("shared", SHARED)):
            match = pattern.search(line)
            entry[name] = max(entry[name], int(match[1]) if match else 0)
    return found


def report_faults(path, architectures):
    report = pathlib.Path(f"{path}.resources")
    if not report.is_file():
        yield f"{report} is missing: the build keeps ptxas' report there"
        return
    kernels = kernels_of(report.read_text(encoding="utf-8"))
    for architecture in architectures:
        if not any(built == architecture for _, built in kernels):
            yield f"{report} has no kernel for sm_{architecture}"
    for (name, architecture), about in sorted(kernels.items()):
        print(f"sm_{architecture} {about['registers']:4} registers {about['shared']:6} bytes shared  {name}")
        for key, what in (("spilled", "spilled"), ("stack", "of stack"), ("local", "of local memory")):
            if about[key]:
                yield f"{name} for sm_{architecture}: {about[key]} bytes {what}"


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def sections(text, pattern):
    """The text behind each match of `pattern`, by the match's name; joined where it occurs twice."""
    parts = re.split(pattern, text)
    found = collections.defaultdict(str)
    for name, body in zip(parts[1::2], parts[2::2]):
        found[name] += body
    return found


def codes_of(path, options):
    """[(what, kernel -> code, patterns)]: machine code of every architecture, or PTX."""
    if options.cuobjdump:
        text = run(options.cuobjdump, "-sass", path)
        return [(f"sm_{name}", sections(code, r"Function : (\w+)"), SASS)
                for name, code in sections(text, r"code for sm_(\d+)").items()]
    newest = max(options.architectures.split(), key=int)
    places = [pathlib.Path(folder) / path.name.removesuffix(".o") for folder in options.include]
    with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
        run(options.nvcc, "-std=c++17", "-ptx", f"-arch=compute_{newest}", "-o", ptx.name,
            *(f"-I{folder}" for folder in options.include), next(filter(pathlib.Path.is_file, places)))
        text = pathlib.Path(ptx.name).read_text(encoding="utf-8")
    return [("PTX", sections(text, r"\.entry (\w+)\("), PTX)]


def claims_of(path):
    """source -> [(kernel, accesses)]; a comment begins with #."""
    claims = collections.defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            source, kernel, *accesses = words
            if not accesses or set(accesses) - set(SASS):
                sys.exit(f"{path}: {line}: expected SOURCE KERNEL reads|writes ...")
            claims[source].append((kernel, accesses))
    return claims


def claim_faults(path, claims, options):
    for what, code, patterns in codes_of(path, options):
        for kernel, accesses in claims:
            mangled = f"{len(kernel)}{kernel}"
            made = {name: text for name, text in code.items() if mangled in name}
            if not made:
                yield f"{path.name}: no kernel {kernel} in its {what}"
            for name, text in made.items():
                for access in accesses:
                    if not patterns[access].search(text):
                        yield f"{name} ({what}): no 16-byte access among its {access}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", type=pathlib.Path, required=True)
    parser.add_argument("--architectures", required=True)
    parser.add_argument("--cuobjdump")
    parser.add_argument("--nvcc")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("objects", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    objects = {path.name.removesuffix(".o"): path for path in options.objects if path.name.endswith(".cu.o")}
    claims = claims_of(options.list)
    faults = [f"{options.list}: {name} is no source of the backend" for name in claims if name not in objects]
    for path in objects.values():
        faults += report_faults(path, options.architectures.split())
    for name in claims.keys() & objects.keys() if options.cuobjdump or options.nvcc else ():
        faults += claim_faults(objects[name], claims[name], options)
    print("\n".join(f"FAULT {fault}" for fault in faults) or f"{len(objects)} objects, no fault")
    return 1 if faults or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
