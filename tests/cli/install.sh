#!/bin/sh
# What is installed works alone: the programs, their man pages and completion, a backend's module.
# Usage: install.sh BUILD_DIR
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
# The collector is built only where MPI and the like are there.
names="rankledger"
[ ! -e "$prefix/bin/rankledger-collect" ] || names="$names rankledger-collect"
for name in $names; do
    program=$prefix/bin/$name
    "$program" --version | grep -q "^$name [0-9]"
    page=$prefix/share/man/man1/$name.1
    for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        "$program" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
            grep -qF -e "$(echo "$option" | sed 's/-/\\-/g')" "$page" ||
                { echo "the man page lacks $name $command $option"; exit 1; }
        done
    done
    test -e "$prefix/share/bash-completion/completions/$name"
done
# The installed program finds its module: it says what else is missing, if anything, but not that.
if [ -e "$prefix/lib/rankledger/librankledger_cuda.so" ]; then
    ! "$prefix/bin/rankledger-collect" preflight --backend cuda 2>&1 | grep -F "has no CUDA backend"
fi
test -e "$prefix/share/rankledger/policies/card-80gb.json"
bash -c '
    set -eu
    PATH=$1/bin:$PATH
    . "$1/share/bash-completion/completions/rankledger"
    COMP_WORDS=(rankledger rep); COMP_CWORD=1; _rankledger
    [ "${COMPREPLY[*]}" = report ]
    COMP_WORDS=(rankledger report --lang); COMP_CWORD=2; _rankledger
    [ "${COMPREPLY[*]}" = --language ]
    [ ! -e "$1/bin/rankledger-collect" ] || {
        COMP_WORDS=(rankledger-collect run --world); COMP_CWORD=2; _rankledger
        [ "${COMPREPLY[*]}" = --world-size ]
    }' bash "$prefix"
echo "the installed program, man page and completion agree"
