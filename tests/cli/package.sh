#!/bin/sh
# The Debian package: its files are where Debian wants them, it works from where it was unpacked, and
# it is installed and removed without leaving anything behind.
# Usage: package.sh BUILD_DIR
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "package.sh: $*" >&2; exit 1; }

(cd "$1" && cpack -G DEB -B "$scratch/packages" >"$scratch/log" 2>&1) || { cat "$scratch/log" >&2; exit 1; }
package=$(echo "$scratch"/packages/rankledger_*.deb)
[ -e "$package" ] || fail "cpack made no package"

field() { dpkg-deb -f "$package" "$1"; }
[ "$(field Package)" = rankledger ] || fail "the package is called $(field Package)"
for library in libcairo2 libjansson4 libxlsxwriter; do
    field Depends | grep -q "$library" || fail "$library is not among: $(field Depends)"
done
dpkg-deb -c "$package" | awk '{print $6}' >"$scratch/files"
for file in bin/rankledger share/doc/rankledger/copyright share/man/man1/rankledger-validate.1 \
    share/bash-completion/completions/rankledger share/zsh/vendor-completions/_rankledger \
    share/rankledger/policies/card-80gb.json; do
    grep -qx "./usr/$file" "$scratch/files" || fail "the package lacks $file"
done
! grep -v '^\./\(usr/.*\)\?$' "$scratch/files" || fail "files outside /usr"

# A root of its own, without what the package depends on: this is about the package's own files.
root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
dpkg_there() {
    PATH=/usr/sbin:/sbin:$PATH dpkg --root="$root" --log=/dev/null --force-depends --force-not-root \
        --force-architecture "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
}
dpkg_there --install "$package"
installed=$(env -i PATH="$root/usr/bin:/usr/bin:/bin" rankledger --version)
[ "$installed" = "rankledger $(field Version)" ] || fail "the installed program says $installed"
dpkg_there --purge rankledger
left=$(find "$root/usr" -mindepth 1 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo "the package installs and removes cleanly"
