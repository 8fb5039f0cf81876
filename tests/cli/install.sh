#!/bin/sh
# What is installed works alone, from an empty directory and with PATH only: the programs, their
# manual and completion, a backend's module, the templates.
# Usage: install.sh BUILD_DIR EVIDENCE_DIR
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
evidence=$(cd "$2" && pwd)
cmake --install "$1" --prefix "$prefix" >/dev/null
# The collector is built only where MPI and the like are there.
names="rankledger"
[ ! -e "$prefix/bin/rankledger-collect" ] || names="$names rankledger-collect"

fail() { echo "install.sh: $*" >&2; exit 1; }

mkdir "$prefix/empty"
cd "$prefix/empty"
alone() { env -i PATH="$prefix/bin:/usr/bin:/bin" HOME="$prefix/empty" "$@"; }

# A page for each command that the program has, which groff reads without a warning and which names
# every option.
check_manual() {
    program=$1
    pages=$prefix/share/man/man1
    for command in "" $(alone "$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        page=$pages/$program${command:+-$command}.1
        [ -s "$page" ] || fail "there is no $page"
        # shellcheck disable=SC2086  # no command is no argument
        alone "$program" $command --help | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
            grep -qF -e "$(echo "$option" | sed 's/-/\\-/g')" "$page" || fail "$page lacks $option"
        done
        if command -v groff >/dev/null; then
            complaints=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
            [ -z "$complaints" ] || fail "$complaints"
        fi
    done
}

check_completion() {
    program=$1
    bash=$prefix/share/bash-completion/completions/$program
    zsh=$prefix/share/zsh/site-functions/_$program
    bash -n "$bash" || fail "bash cannot read $bash"
    [ -s "$zsh" ] || fail "there is no $zsh"
    if command -v zsh >/dev/null; then
        zsh -n "$zsh" || fail "zsh cannot read $zsh"
    fi
}

for name in $names; do
    alone "$name" --version | grep -q "^$name [0-9]" || fail "$name --version"
    check_manual "$name"
    check_completion "$name"
done

# The installed program finds its module: it says what else is missing, if anything, but not that.
if [ -e "$prefix/lib/rankledger/librankledger_cuda.so" ]; then
    ! alone rankledger-collect preflight --backend cuda 2>&1 | grep -F "has no CUDA backend" ||
        fail "the module was not found"
fi

# From evidence to a report, with a policy that was installed.
policy=$prefix/share/rankledger/policies/card-80gb.json
alone rankledger validate "$evidence" >/dev/null || fail "validate"
alone rankledger analyze --policy "$policy" --output summary.json "$evidence" >/dev/null || fail "analyze"
alone rankledger report --output report summary.json >/dev/null || fail "report"
[ -s report/report.xlsx ] || fail "there is no report"

# The words that bash offers: WANTED for a command line whose last word is being typed.
offers() {
    wanted=$1
    shift
    offered=$(bash -c '
        set -eu
        . "$1/share/bash-completion/completions/$2"
        shift
        program=$1
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        before=${COMP_WORDS[COMP_CWORD - 1]}
        "_${program//-/_}" "$program" "${COMP_WORDS[COMP_CWORD]}" "$before"
        echo "${COMPREPLY[*]}"' bash "$prefix" "$@")
    [ "$offered" = "$wanted" ] || fail "completion of '$*' offers '$offered', not '$wanted'"
}
mkdir folder
offers report rankledger rep
offers --language rankledger report --lang
offers "en zh" rankledger report --language ""
offers zh rankledger report --language = z
offers "en zh" rankledger report --language =
offers folder rankledger report --output f
offers "" rankledger validate --jobs ""
offers summary.json rankledger verify sum
if [ -e "$prefix/bin/rankledger-collect" ]; then
    offers --world-size rankledger-collect run --world
    offers "none full sharded both" rankledger-collect run --checkpoint ""
fi
echo "what was installed works alone"
