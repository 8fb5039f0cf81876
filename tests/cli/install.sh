#!/bin/sh
# What is installed works alone: the program, its man page and its completion.
# Usage: install.sh BUILD_DIR
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
program=$prefix/bin/rankledger
"$program" --version | grep -q '^rankledger [0-9]'
page=$prefix/share/man/man1/rankledger.1
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$program" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
        grep -qF -e "$(echo "$option" | sed 's/-/\\-/g')" "$page" ||
            { echo "the man page lacks $command $option"; exit 1; }
    done
done
test -e "$prefix/share/rankledger/policies/card-80gb.json"
bash -c '
    set -eu
    PATH=$1/bin:$PATH
    . "$1/share/bash-completion/completions/rankledger"
    COMP_WORDS=(rankledger rep); COMP_CWORD=1; _rankledger
    [ "${COMPREPLY[*]}" = report ]
    COMP_WORDS=(rankledger report --lang); COMP_CWORD=2; _rankledger
    [ "${COMPREPLY[*]}" = --language ]' bash "$prefix"
echo "the installed program, man page and completion agree"
