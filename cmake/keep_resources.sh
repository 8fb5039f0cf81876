#!/bin/sh
# Runs a command of nvcc. What ptxas says of each kernel's registers, stack and spills (-Xptxas=-v) goes
# to OBJECT.resources beside the object, for tests/cuda/resources.py; anything else is shown.
# Usage: keep_resources.sh NVCC ARGUMENT...
object=
previous=
for argument in "$@"; do
    [ "$previous" = -o ] && object=$argument
    previous=$argument
done
[ -n "$object" ] || exec "$@"

report=$object.resources
rm -f "$report"
"$@" 2>"$report.part"
code=$?
grep -v -e '^ptxas info' -e '^ *[0-9][0-9]* bytes stack frame' "$report.part" >&2
if [ $code -eq 0 ]; then
    mv "$report.part" "$report"
else
    rm -f "$report.part"
fi
exit $code
