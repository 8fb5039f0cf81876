#!/usr/bin/python3
"""Makes what a long run of a harness begins with, in FOLDER: the inputs of NAME (FOLDER/corpus/NAME/*)
from the cases under tests/, and a dictionary (FOLDER/NAME.dict), for libFuzzer and AFL++, of the words
that an input may have, taken from where the program itself has them.

    make_seeds.py NAME PROJECT_ROOT FOLDER
    make_seeds.py --check PROJECT_ROOT
"""
import json
import pathlib
import re
import sys

JSON = ['{', '}', '[', ']', ',', ':', '"', 'null', 'true', 'false', '-', '1e400', '9007199254740993', '0.5', '\\u0000',
        '\\ud800', '\\u00e9', '[]', '{}', '""', 'NaN', 'Infinity', '\ufeff', '中']
EVIDENCE = ["tests/evidence/*/*/*.json", "tests/evidence/*/*/*.jsonl", "tests/cases/json/*.json"]
SUMMARIES = ["tests/summary/*.json", "tests/fuzz/summaries/*.json"]
SHORT = 512  # bytes
NAMES = r"/?[a-z][a-z0-9_]*(?:/[a-z0-9_*]+)*|[a-z_]+\.[a-z]+/\d"
SIGNS = r"[ -~]{2,40}"
# A harness: its cases, and where its words stand: files, and which of their string literals.
HARNESSES = {
    "json_read": (EVIDENCE, []),
    "document": (EVIDENCE, [("analyze/evidence_rules*.c", NAMES), ("analyze/rules_*.c", NAMES),
                            ("analyze/document.c", NAMES)]),
    "analysis": (EVIDENCE, [("analyze/evidence_rules.c", NAMES), ("analyze/comparability.c", NAMES),
                            ("analyze/normalise.c", NAMES)]),
    "policy": (["templates/policies/*.json", "tests/fuzz/policies/*.json"],
               [("analyze/policy*.c", NAMES), ("analyze/comparability.c", NAMES), ("common/evidence_level.c", NAMES)]),
    "comparison": (SUMMARIES, [("analyze/comparison*.c", NAMES), ("analyze/explanation*.c", NAMES)]),
    "summary": (SUMMARIES + ["tests/fuzz/comparisons/*.json"],
                [("render/summary/summary_*.c", NAMES), ("render/summary/changes_*.c", NAMES)]),
    "template": (["templates/*.json", "tests/template/*.json"],
                 [("render/template/theme_*.c", NAMES), ("render/template/report_template_*.c", NAMES)]),
    "import": (["tests/cases/logs/*"], [("analyze/import/import_*.c", SIGNS)]),
}


def files(root, pattern):
    found = sorted(path for path in pathlib.Path(root).glob(pattern) if path.is_file())
    if not found:
        raise SystemExit(f"{pattern}: there is no such file; what does the harness read now?")
    return found


def words_of(name, root):
    found = set()
    for pattern, form in HARNESSES[name][1]:
        for file in files(root, pattern):
            for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text(encoding="utf-8")):
                if not re.fullmatch(form, literal) or "%" in literal:
                    continue
                found.update([literal] if form == SIGNS else (part for part in literal.split("/") if part not in ("", "*")))
    quoted = {f'"{word}"' for word in found if re.fullmatch(r"[a-z0-9_.]+", word)}
    return JSON + sorted(found | quoted)


def line(word):
    return '"' + "".join(chr(c) if 0x20 <= c < 0x7F and c not in b'"\\' else f"\\x{c:02x}" for c in word.encode("utf-8")) + '"'


def shorter(data):
    """Without white space, so that a whole record fits into a short input; None if that is no change."""
    try:
        text = json.dumps(json.loads(data), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None
    return text if len(text) < len(data) else None


def windows(data):
    """Lines that follow each other, of a log, as many as a short input holds."""
    lines = data.splitlines(keepends=True)
    begin = 0
    while begin < len(lines):
        taken = b""
        while begin < len(lines) and len(taken) + len(lines[begin]) <= SHORT:
            taken += lines[begin]
            begin += 1
        if taken == b"":
            begin += 1
        else:
            yield taken


def make(name, root, folder):
    corpus = pathlib.Path(folder, "corpus", name)
    corpus.mkdir(parents=True, exist_ok=True)
    for pattern in HARNESSES[name][0]:
        for file in files(root, pattern):
            data = file.read_bytes()
            seed = corpus / "_".join(file.relative_to(pathlib.Path(root).resolve()).parts)
            seed.write_bytes(data)
            short = shorter(data)
            parts = list(windows(data)) if name == "import" and short is None else [short]
            for number, part in enumerate(parts):
                if part is not None:
                    pathlib.Path(f"{seed}.{number}").write_bytes(part)
    pathlib.Path(folder, f"{name}.dict").write_text("".join(line(word) + "\n" for word in words_of(name, root)), encoding="ascii")


def check(root):
    harnesses = {path.stem[5:] for path in pathlib.Path(root, "tests/fuzz").glob("fuzz_*.c")} - {"driver", "require"}
    if harnesses != set(HARNESSES):
        raise SystemExit(f"harnesses {sorted(harnesses)}, but seeds for {sorted(HARNESSES)}")
    for name in HARNESSES:
        words = words_of(name, root)
        if len(words) < len(JSON) + (0 if name == "json_read" else 20):
            raise SystemExit(f"{name}: only {len(words)} words")
        for word in words:
            if not re.fullmatch(r'"(?:[ !#-\[\]-~]|\\x[0-9a-f]{2})+"', line(word)):
                raise SystemExit(f"{name}: {word!r} makes no entry")
    print(f"{len(HARNESSES)} dictionaries")


if sys.argv[1] == "--check":
    check(sys.argv[2])
else:
    make(sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), sys.argv[3])
