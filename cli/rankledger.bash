# Bash completion of rankledger and rankledger-collect. Commands and options are read from the program's own --help.
_rankledger()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        COMPREPLY=($(compgen -W "$words --help --version" -- "$word"))
    elif [ "${word:0:1}" = - ]; then
        words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n '/^Options:/,/^$/p' | grep -oE -- '--[a-z-]+' | sort -u)
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _rankledger rankledger rankledger-collect
