#!/bin/sh
# Every header compiles alone. Usage: headers_alone.sh COMPILER PROJECT_ROOT
set -eu
compiler=$1
cd "$2"
flags=$(pkg-config --cflags jansson xlsxwriter pangocairo zlib)
flags="$flags $(pkg-config --cflags ompi-c 2>/dev/null || true)"
flags="$flags -isystem tests/cuda_emulation/include" # CUDA's headers, wherever this is
folders=$(find common analyze render cli collect cuda -type d)
for folder in $folders; do flags="$flags -I$folder"; done
failed=0
for header in $(find $folders -maxdepth 1 -name "*.h"); do
    # shellcheck disable=SC2086
    echo "#include \"$header\"" | "$compiler" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only \
        -I. $flags -x c - || { echo "$header does not compile alone"; failed=1; }
done
exit $failed
