"""Opens a report's workbook in LibreOffice: test_office.py PROGRAM SUMMARY.

LibreOffice converts the workbook to PDF; the pages must show every sheet, the decision and the
charts. Skipped, saying so, where LibreOffice or pdftotext is not installed. Standard library only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

SKIPPED = 77
PROGRAM, SUMMARY = sys.argv[1:]
WANTED = {
    "en": ["Decision: accept", "Candidates", "Gates", "Ledger", "Memory", "Communication",
           "Sources", "Invalid sources", "not measured"],
    "zh": ["决策", "未测量"],
}


def check(language, folder):
    report = os.path.join(folder, language)
    subprocess.run([PROGRAM, "report", "--language", language, "--output", report, SUMMARY],
                   check=True, stdout=subprocess.DEVNULL)
    book = os.path.join(report, "report.xlsx")
    subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile",
                    "--convert-to", "pdf", "--outdir", folder, book],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=150)
    pdf = os.path.join(folder, "report.pdf")
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
        for language in WANTED:
            check(language, folder)
    print("LibreOffice shows every sheet and chart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
