#!/bin/sh
# Writes the man page from the program's own --help, so that the two cannot disagree.
# Usage: make_man.sh PROGRAM VERSION SUMMARY > PROGRAM.1
set -eu
program=$1
version=$2
summary=$3
name=$(basename "$program")

# roff: a leading dot or quote and every backslash and hyphen must be escaped.
verbatim() {
    echo '.nf'
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\\([.']\\)/\\\\\&\\1/"
    echo '.fi'
}

commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || { echo "make_man.sh: --help lists no command" >&2; exit 1; }

upper() { echo "$1" | tr '[:lower:]' '[:upper:]'; }
printf '.TH %s 1 "" "rankledger %s" "User commands"\n' "$(upper "$name")" "$version"
printf '.SH NAME\n%s \\- %s\n' "$(echo "$name" | sed 's/-/\\-/g')" "$summary"
printf '.SH DESCRIPTION\n'
"$program" --help | verbatim
for command in $commands; do
    printf '.SH "%s %s"\n' "$(upper "$name")" "$(upper "$command")"
    "$program" "$command" --help | verbatim
done
