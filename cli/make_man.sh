#!/bin/sh
# Writes the man page from the program's own --help, so that the two cannot disagree.
# Usage: make_man.sh RANKLEDGER VERSION > rankledger.1
set -eu
program=$1
version=$2

# roff: a leading dot or quote and every backslash and hyphen must be escaped.
verbatim() {
    echo '.nf'
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\\([.']\\)/\\\\\&\\1/"
    echo '.fi'
}

commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || { echo "make_man.sh: --help lists no command" >&2; exit 1; }

printf '.TH RANKLEDGER 1 "" "rankledger %s" "User commands"\n' "$version"
printf '.SH NAME\nrankledger \\- evidence and decisions for sharded training state\n'
printf '.SH DESCRIPTION\n'
"$program" --help | verbatim
for command in $commands; do
    printf '.SH "RANKLEDGER %s"\n' "$(echo "$command" | tr '[:lower:]' '[:upper:]')"
    "$program" "$command" --help | verbatim
done
