"""Opens a report's workbook in LibreOffice: test_office.py PROGRAM SUMMARY.

LibreOffice prints the workbook, whose pages must show every sheet, the decision and the charts. And
it recomputes the what-if sheet: as written, which must give what the cells hold already, and with
other limits, which must give what `rankledger analyze` answers for the same evidence under those
limits. Skipped, saying so, where LibreOffice or pdftotext is not installed. Standard library only.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import workbook_parts  # noqa: E402

SKIPPED = 77
PROGRAM, SUMMARY = sys.argv[1:]
WANTED = {
    "en": ["Decision: accept", "Candidates", "Gates", "Ledger", "Memory", "Communication",
           "Sources", "Invalid sources", "not measured", "What if the limits were others?"],
    "zh": ["决策", "未测量", "试用值"],
}
# By the names of their cells; None empties one, which is no limit.
LIMITS = ["what_if_memory_limit", "what_if_min_throughput", "what_if_max_communication",
          "what_if_min_gain", "what_if_max_memory_share"]
CHANGES = {
    "throughput": [
        {},
        {"what_if_memory_limit": 9000},
        {"what_if_memory_limit": None, "what_if_min_throughput": 130000},
        {"what_if_max_communication": 0.05, "what_if_min_throughput": None},
        {"what_if_min_gain": 0.3},
        {"what_if_max_memory_share": 0.5},
        {"what_if_memory_limit": 1},
    ],
    "memory": [{}, {"what_if_min_gain": None}],
    "groups": [{}, {"what_if_max_communication": 0.15, "what_if_memory_limit": 8500}],
}
STRATEGIES = ["ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"]


def record(draw, index, model):
    """Evidence of one run; some lack a metric, some failed, many are equal in a metric."""
    strategy = STRATEGIES[index % len(STRATEGIES)]
    metrics = {"peak_memory_mb": draw.choice([7500, 8200.5, 9000, 9000, 11000.25, 14000]),
               "throughput": draw.choice([90000, 110000.5, 120000, 120000, 150000]),
               "communication_ratio": draw.choice([0.04, 0.1, 0.1, 0.2, 0.3])}
    failed = draw.random() < 0.15
    for name in list(metrics):
        if draw.random() < (0.5 if failed else 0.06):
            del metrics[name]
    return {"strategy": strategy, "evidence_level": "multi_gpu",
            "workload": {"model": model, "parameters": 124000000, "world_size": 4,
                         "global_batch": 64, "micro_batch": 1 + index // len(STRATEGIES),
                         "seq_len": 1024, "dtype": "bf16"},
            "hardware": {"device": "d", "device_count": 4}, "metrics": metrics,
            "failure": "out of memory, =1+1" if failed else None, "decision": "none"}


def analyze(folder, name, limits, goal):
    """The summary under limits by the names of their cells; "groups" is two of them."""
    policy = {"schema": "rankledger.policy/1", "vary": ["micro_batch"],
              "memory_limit_mb": limits["what_if_memory_limit"],
              "min_throughput": limits["what_if_min_throughput"],
              "max_communication_ratio": limits["what_if_max_communication"],
              "min_gain": limits["what_if_min_gain"],
              "max_memory_fraction": limits["what_if_max_memory_share"]}
    policy["goal"] = "memory" if goal == "memory" else "throughput"
    with open(os.path.join(folder, name + "-policy.json"), "w", encoding="utf-8") as file:
        json.dump({key: value for key, value in policy.items() if value is not None}, file)
    output = os.path.join(folder, name + ".json")
    result = subprocess.run([PROGRAM, "analyze", "--policy", file.name, "--output", output,
                             os.path.join(folder, "evidence")], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    with open(output, encoding="utf-8") as file:
        return output, json.load(file)


def put(path, changed, output):
    """Copies a workbook with other limits typed in, and without what the formulas had come to. Of
    the sheets the copy lists two alone: LibreOffice takes its time over each."""
    book = workbook_parts.Book(path)
    sheet = book.sheets[book.named(LIMITS[0])[0]]
    text = book.zip.read(sheet).decode()
    text, count = re.subn(r"(<c [^>]*>)(<f>.*?</f>)<v>.*?</v>", r"\1\2", text)
    assert count > 50, count
    for name, value in changed.items():
        cell = re.search(r'<c r="%s"( s="\d+")(/>|>.*?</c>)' % book.named(name)[1], text)
        text = text.replace(cell[0], '<c r="%s"%s>%s</c>' % (
            book.named(name)[1], cell[1], "" if value is None else f"<v>{value!r}</v>"))
    whole = book.zip.read("xl/workbook.xml").decode()
    whole = re.sub(r'<sheet name="(?!What if"|Candidates")[^>]*/>', "", whole)
    whole = re.sub(r"<definedName name=\"(?!what_if)[^>]*>[^<]*</definedName>", "", whole)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as copy:
        for part in book.zip.namelist():
            copy.writestr(part, text if part == sheet else
                          whole if part == "xl/workbook.xml" else book.zip.read(part))


def convert(folder, kind, paths):
    """All paths with one start of LibreOffice."""
    output = os.path.join(folder, kind)
    subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile",
                    "--convert-to", kind, "--outdir", output, *paths],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=150)
    return output


def what_if(book, groups):
    """Of each group the rows of its candidates by label, and the cells of its result."""
    sheet, place = book.named("what_if_max_memory_share")
    cells = book.cells(sheet)
    number = int(place[1:]) + 3  # the headings of the results
    step = 2 if groups > 1 else 1  # then each has a line with the group's name before it
    results = [{letter: cells.get(f"{letter}{number + step * (index + 1)}") for letter in "ABCEFGH"}
               for index in range(groups)]
    while cells.get(f"C{number}") != "Rank":
        number += 1
    rows = book.table(sheet, number)
    return [({row["Strategy"]: row for row in rows if row["Group number"] == index + 1}, result)
            for index, result in enumerate(results)]


def same(one, other):
    """An empty text is an empty cell; a number may have lost its 16th digit."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-14 * max(abs(one), abs(other))
    return (one or "") == (other or "")


def expect_answer(book, summary):
    """The sheet says what the analyzer says under the same limits."""
    groups = summary["groups"]
    for (rows, result), group in zip(what_if(book, len(groups)), groups):
        expect_rows(rows, group)
        expect_result(result, group)


def expect_rows(rows, group):
    words = {"not_measured": "not measured", "not_evaluated": "not evaluated",
             "not_applied": "not applied"}
    assert len(rows) == len(group["candidates"])
    for candidate in group["candidates"]:
        row = rows[candidate["label"]]
        assert (row["Gates that fail"] == 0) == candidate["eligible"], row
        assert same(row["Rank"], candidate["rank"] and float(candidate["rank"])), (row, candidate)
        for gate in candidate["gates"]:
            if gate["name"] in ("memory", "throughput", "communication"):
                said = row[gate["name"].capitalize() + " gate"]
                assert said == words.get(gate["verdict"], gate["verdict"]), (row, gate)


def expect_result(result, group):
    decision = group["decision"]
    selected = group["selection"]["candidate"]
    label = "none" if selected is None else group["candidates"][selected]["label"]
    assert result["A"] == label, (result, label)
    if selected is None:
        assert result["B"] == "none passes", result
    else:
        assert result["B"] == decision["decision"], (result, decision)
        assert same(result["H"], decision["gain"]["value"]), (result, decision)


def prepare(folder, goal):
    """A workbook of evidence, its summary, and copies of it with other limits."""
    os.makedirs(os.path.join(folder, "evidence"))
    draw = random.Random(goal)
    for index in range(25):
        with open(os.path.join(folder, "evidence", f"{index}.json"), "w", encoding="utf-8") as file:
            json.dump(record(draw, index, "n" if goal == "groups" and index > 14 else "m"), file)
    limits = dict(zip(LIMITS, (12000, 100000, 0.25, 0.05, 0.95)))
    path, summary = analyze(folder, "base", limits, goal)
    subprocess.run([PROGRAM, "report", "--format", "xlsx", "--output", folder, path], check=True,
                   stdout=subprocess.DEVNULL)
    written = workbook_parts.check(os.path.join(folder, "report.xlsx"))
    assert len(summary["groups"]) == (2 if goal == "groups" else 1)
    expect_answer(written, summary)
    copies = [os.path.join(folder, f"{goal}-{index}.xlsx") for index in range(len(CHANGES[goal]))]
    for changed, copy in zip(CHANGES[goal], copies):
        put(written.zip.filename, changed, copy)
    return written, limits, copies


def check_recomputed(folder, output, goal, written, limits):
    answers = set()
    for index, changed in enumerate(CHANGES[goal]):
        book = workbook_parts.Book(os.path.join(output, f"{goal}-{index}.xlsx"))
        _, summary = analyze(folder, str(index), {**limits, **changed}, goal)
        expect_answer(book, summary)
        answers.add(str([(group["decision"]["decision"], group["decision"]["strategy"])
                         for group in summary["groups"]]))
    assert len(answers) > 1, f"the changes change too little: {answers}"
    sheet = written.named(LIMITS[0])[0]
    recomputed = workbook_parts.Book(os.path.join(output, f"{goal}-0.xlsx")).cells(sheet)
    for place, content in written.cells(sheet).items():
        assert same(content, recomputed.get(place)), (place, content, recomputed.get(place))


def check_what_if(folder):
    goals, copies = {}, []
    for goal in CHANGES:
        goals[goal] = prepare(os.path.join(folder, goal), goal)
        copies += goals[goal][2]
    output = convert(folder, "xlsx", copies)
    for goal, (written, limits, _) in goals.items():
        check_recomputed(os.path.join(folder, goal), output, goal, written, limits)


def check_pages(folder):
    books = []
    for language in WANTED:
        report = os.path.join(folder, language)
        subprocess.run([PROGRAM, "report", "--language", language, "--format", "xlsx", "--output",
                        report, SUMMARY], check=True, stdout=subprocess.DEVNULL)
        books.append(os.path.join(folder, language + ".xlsx"))
        os.rename(os.path.join(report, "report.xlsx"), books[-1])
    output = convert(folder, "pdf", books)
    for language, book in zip(WANTED, books):
        check_printed(language, book, os.path.join(output, language + ".pdf"))


def check_printed(language, book, pdf):
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True,
                          text=True).stdout
    missing = [word for word in WANTED[language] if word not in text]
    assert not missing, f"{language}: the pages lack {missing}"
    errors = [word for word in ("#REF!", "#NAME?", "#VALUE!", "Err:5") if word in text]
    assert not errors, f"{language}: the pages show {errors}"
    images = subprocess.run(["pdfimages", "-list", pdf], check=True, capture_output=True, text=True)
    drawn = sum(" image " in line for line in images.stdout.splitlines())
    with zipfile.ZipFile(book) as parts:
        embedded = sum(name.startswith("xl/media/") for name in parts.namelist())
    assert embedded >= 2 and drawn >= embedded, f"{language}: {drawn} of {embedded} charts drawn"


def main():
    missing = [tool for tool in ("soffice", "pdftotext", "pdfimages") if not shutil.which(tool)]
    if missing:
        print("not installed:", ", ".join(missing))
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check_pages(folder)
        check_what_if(folder)
    print("LibreOffice shows every sheet and chart, and recomputes the what-if sheet")
    return 0


if __name__ == "__main__":
    sys.exit(main())
