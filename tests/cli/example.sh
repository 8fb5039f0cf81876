#!/bin/sh
# The worked examples in reports/ are what their own commands make: example.sh RANKLEDGER REPORTS_DIR.
# Pictures and workbook also depend on the fonts and libraries of the machine and are not compared.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for example in "$2"/*/; do
    name=$(basename "$example")
    cp -R "$example" "$copy/$name"
    rm -rf "$copy/$name/summary.json" "$copy/$name/report"
    "$copy/$name/rebuild" "$1" >"$copy/log" 2>&1 || { cat "$copy/log"; exit 1; }
    for file in summary.json report/report.md; do
        cmp "$example$file" "$copy/$name/$file" ||
            { echo "if the change is meant: reports/$name/rebuild, look at it, commit it"; exit 1; }
    done
    (cd "$example" && find report -type f | sort) >"$copy/kept"
    (cd "$copy/$name" && find report -type f | sort) >"$copy/made"
    diff "$copy/kept" "$copy/made"
    "$1" verify "$example/summary.json"
done
