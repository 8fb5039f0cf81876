#!/usr/bin/python3
"""Shows that the JSON Schema and `validate` agree wherever a schema can say the rule.

    schema_agrees.py PROGRAM PROJECT_ROOT

Every case under tests/evidence that is JSON, and some thousand mutations of sound documents (each
value replaced by odd ones, each member removed), are judged by the distribution's python3-jsonschema
and by the program. The schema must refuse a document exactly if the program reports an error of a
rule that is marked `in_schema` in analyze/validation_rules.c. The other rules compare fields, look at
the text of the file or only warn: no schema can say them.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import jsonschema  # noqa: E402  (its version attribute warns)

ODD = [None, True, 0, -1, 1, 2.5, 41.5, -0.5, 1e-300, 1e308, "", "  ", "x", "ddp", "16,661",
       "None", [], {}, [None], [1, -1], [[1.5], [0]], {"reason": "x"}, {"decision": "x"}, {"a": -1}]
BASES = ["own_sections", "own_evidence", "own_evidence_failed", "foreign_names_of_own_sections",
         "failure_object", "decision_object", "two_memory_kinds", "own_summary",
         "foreign_summary", "utilisation_above_measured", "peaks_per_rank", "step_times",
         "peak_below_resident", "losses_with_null", "foreign_sections"]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places(member, path + (key,))
    elif isinstance(value, list):
        for index, element in enumerate(value[:2]):
            yield from places(element, path + (index,))


def mutations(base):
    """Of a large document every place gets some of the odd values, by turns."""
    paths = list(places(base))
    stride = 1 if len(paths) < 150 else 8
    for turn, path in enumerate(paths):
        if not path:
            continue
        changes = ODD[turn % stride::stride] + ([...] if isinstance(path[-1], str) else [])
        for change in changes:
            mutated = copy.deepcopy(base)
            parent = mutated
            for step in path[:-1]:
                parent = parent[step]
            if change is ...:
                del parent[path[-1]]
            else:
                parent[path[-1]] = change
            yield mutated


def refuse_duplicates(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("Python would drop one of the members")
    return dict(pairs)


def collect(root):
    """Pairs of a name and a text that Python reads as JSON without losing anything."""
    cases = root / "tests/evidence"
    for path in sorted(cases.glob("*/*/input.json")):
        try:
            text = path.read_bytes().decode("utf-8-sig")
            json.loads(text, parse_constant=lambda word: 1 / 0, object_pairs_hook=refuse_duplicates)
        except (ValueError, ZeroDivisionError, RecursionError):
            continue
        yield str(path), text
    for name in BASES:
        base = json.loads((cases / "valid" / name / "input.json").read_text(encoding="utf-8"))
        for number, mutated in enumerate(mutations(base)):
            yield f"{name}, mutation {number}", json.dumps(mutated)


def judge(program, texts):
    """The rules of each document's errors, by the program."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            pathlib.Path(folder, f"{number:06d}.json").write_text(text, encoding="utf-8")
        names = [f"{number:06d}.json" for number in range(len(texts))]
        output = subprocess.run(
            [program, "validate", "--format", "json", "--files-from", "-"], cwd=folder,
            input="\n".join(names).encode(), stdout=subprocess.PIPE, check=False).stdout
    for document in json.loads(output)["documents"]:
        yield {finding["rule"] for finding in document["findings"]
               if finding["severity"] == "error"}


def main():
    program, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    schema = json.loads(subprocess.run([program, "schema"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    table = (root / "analyze/validation_rules.c").read_text(encoding="utf-8")
    sayable = {row[0] for row in re.findall(r'\{"(\w+)"([^}]*)\}', table) if "in_schema" in row[1]}
    documents = list(collect(root))
    refused = differences = 0
    for (name, text), rules in zip(documents, judge(program, [text for _, text in documents])):
        by_schema = not validator.is_valid(json.loads(text))
        by_program = bool(rules & sayable)
        refused += by_schema
        if by_schema != by_program:
            differences += 1
            if differences <= 10:
                error = next(validator.iter_errors(json.loads(text)), None)
                print(f"{name}: schema {'refuses' if by_schema else 'accepts'}, the program says "
                      f"{sorted(rules) or 'nothing'}\n  {text[:300]}\n  {error and error.message[:300]}")
    print(f"{len(documents)} documents, {refused} refused by the schema, {differences} differences")
    sys.exit(1 if differences or len(documents) < 1000 or refused < 100 else 0)


main()
