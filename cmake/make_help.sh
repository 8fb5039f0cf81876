#!/bin/sh
# Writes what a program says of itself, so that neither manual nor completion can lack an option:
# OUT/man1/*.1 (a page for the program and one for each command), OUT/bash/PROGRAM, OUT/zsh/_PROGRAM.
# Usage: make_help.sh PROGRAM OUT
set -eu
program=$1
out=$2
name=$(basename "$program")

commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || { echo "make_help.sh: --help lists no command" >&2; exit 1; }

mkdir -p "$out/man1" "$out/bash" "$out/zsh"
rm -f "$out/man1"/*.1
"$program" --help=man >"$out/man1/$name.1"
for command in $commands; do
    "$program" "$command" --help=man >"$out/man1/$name-$command.1"
done
"$program" --help=bash >"$out/bash/$name"
"$program" --help=zsh >"$out/zsh/_$name"
