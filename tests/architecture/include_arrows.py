#!/usr/bin/env python3
"""Fails when an #include crosses an arrow of the architecture.

collect, analyze and render share common and never include each other; cuda serves collect alone;
cli joins analyze and render. Third-party types stay behind one file each. File names are unique,
so that an #include can name only one file.

Usage: include_arrows.py PROJECT_ROOT
"""
import pathlib
import re
import sys

ALLOWED = {
    "common": {"common"},
    "analyze": {"analyze", "common"},
    "render": {"render", "common"},
    "collect": {"collect", "common"},
    "cuda": {"cuda", "collect", "common"},
    "cli": {"cli", "analyze", "render", "common"},
}
# Header pattern -> file name patterns that may include it.
CONTAINED = {
    r"cairo|pango/|glib|fontconfig": r"canvas_(cairo|embed|fonts|pdf|shape|text)\.[ch]",
    r"xlsxwriter": r"(workbook|cell)\w*\.[ch]",
    r"png\.h": r"(png_\w+|template_logo)\.[ch]",
    r"mpi\.h": r"communicator_mpi\w*\.[ch]|launcher\w*\.[ch]",
    r"nccl\.h": r"communicator_nccl\w*\.[ch]",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def sources(root):
    for folder in ALLOWED:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cu", ".cuh"):
                yield folder, path


def faults(root):
    owner = {}
    for folder, path in sources(root):
        if path.name in owner and path.name != "main.c":  # every program has one; none is included
            yield f"{path}: a second file of this name (the first is in {owner[path.name]}/)"
        owner[path.name] = folder
    for folder, path in sources(root):
        text = path.read_text(encoding="utf-8")
        for mark, name in INCLUDE.findall(text):
            target = owner.get(name.rsplit("/", 1)[-1]) if mark == '"' else None
            if target and target not in ALLOWED[folder]:
                yield f"{path}: {folder}/ must not include {target}/{name}"
            for header, files in CONTAINED.items():
                if re.search(header, name) and mark == "<" and not re.fullmatch(files, path.name):
                    yield f"{path}: <{name}> belongs behind {files}"


def main():
    root = pathlib.Path(sys.argv[1])
    if not any(True for _ in sources(root)):
        print(f"{root}: no source found")
        return 1
    found = list(faults(root))
    print("\n".join(found) if found else "every #include follows the architecture's arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
